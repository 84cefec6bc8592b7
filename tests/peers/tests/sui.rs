//! Sui: @mysten/sui accepts our signatures and reads from our bytes what we meant. It is a library and not a node: see
//! `sui.mjs` for what it does not check.

use chains::transaction::{NetworkFacts, Signed};
use chains::{Chain, encoding, keysign, unsigned};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload, SuiCoin, SuiSpecific};

const USDC: &str = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";
/// 32 bytes of 2 in base58.
const DIGEST: &str = "8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR";

fn coin(kind: &str, name: u8, balance: u64) -> SuiCoin {
    SuiCoin {
        coin_type: kind.to_owned(),
        coin_object_id: object(name),
        version: "77".to_owned(),
        digest: DIGEST.to_owned(),
        balance: balance.to_string(),
        previous_transaction: String::new(),
    }
}

fn object(name: u8) -> String {
    format!("0x{}", encoding::hex(&[name; 32]))
}

/// From the account of seed 1 to that of seed 2.
fn payload(token: &str) -> KeysignPayload {
    let coins = vec![
        coin("0x2::sui::SUI", 3, 4_000_000),
        coin("0x2::sui::SUI", 4, 5_000_000),
        coin(USDC, 5, 900),
        coin(USDC, 6, 800),
    ];
    KeysignPayload {
        coin: Some(Coin {
            chain: "Sui".to_owned(),
            address: account(Chain::Sui, &key(Chain::Sui, 1)).address,
            contract_address: token.to_owned(),
            is_native_token: token.is_empty(),
            ..Coin::default()
        }),
        to_address: account(Chain::Sui, &key(Chain::Sui, 2)).address,
        to_amount: "1500".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::SuicheSpecific(SuiSpecific {
            reference_gas_price: "750".to_owned(),
            coins,
            gas_budget: "4000000".to_owned(),
        })),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let key = key(Chain::Sui, 1);
    let account = account(Chain::Sui, &key);
    let transactions = keysign::transactions(payload, &account, &NetworkFacts::default()).expect("a payload");
    sign(&transactions[0], &key)
}

fn show(peer: &mut Peer, bytes: &[u8], signature: &[u8]) -> Value {
    let address = account(Chain::Sui, &key(Chain::Sui, 1)).address;
    peer.ask(&json!({ "bytes": encoding::base64(bytes), "signature": encoding::base64(signature), "address": address }))
}

/// The last two inputs of a payment: amount and receiver.
fn paid() -> [Value; 2] {
    let to = account(Chain::Sui, &key(Chain::Sui, 2)).address;
    let to = encoding::from_hex("address", &to).expect("an address");
    [json!(encoding::base64(&1500u64.to_le_bytes())), json!(encoding::base64(&to))]
}

#[test]
fn payments_mean_what_was_asked() {
    let mut peer = Peer::start("sui.mjs");
    let native = signed(&payload(""));
    let answer = show(&mut peer, &native.bytes, native.detached.as_deref().expect("beside"));
    let [amount, to] = paid();
    let sender = account(Chain::Sui, &key(Chain::Sui, 1)).address;
    let expected = json!({
        "id": native.id, "sender": sender, "budget": "4000000", "coins": [object(4)], "inputs": [amount, to],
        "commands": ["SplitCoins", "TransferObjects"], "expires": "None",
    });
    assert_eq!(answer, expected);

    let token = signed(&payload(USDC));
    let answer = show(&mut peer, &token.bytes, token.detached.as_deref().expect("beside"));
    let [amount, to] = paid();
    let expected = json!({
        "id": token.id, "sender": sender, "budget": "4000000", "coins": [object(3)],
        "inputs": [object(5), object(6), amount, to],
        "commands": ["MergeCoins", "SplitCoins", "TransferObjects"], "expires": "None",
    });
    assert_eq!(answer, expected);
}

#[test]
fn raw_bytes_are_signed_as_they_are() {
    let mut peer = Peer::start("sui.mjs");
    let made = signed(&payload(""));
    let key = key(Chain::Sui, 1);
    let hex = encoding::hex(&made.bytes);
    let context = unsigned::Context::default();
    let transaction =
        unsigned::transaction(&hex, &account(Chain::Sui, &key), &context).expect("our own bytes");
    let again = sign(&transaction, &key);
    assert_eq!(again, made);
    assert_eq!(
        show(&mut peer, &again.bytes, again.detached.as_deref().expect("beside"))["id"],
        json!(made.id)
    );
}

/// With any bit changed, in the bytes or beside them, the library refuses.
#[test]
fn a_flipped_bit_is_refused() {
    let mut peer = Peer::start("sui.mjs");
    let Signed { bytes, detached, .. } = signed(&payload(""));
    let signature = detached.expect("beside");
    for at in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(show(&mut peer, &changed, &signature)["error"].is_string(), "byte {at}");
    }
    for at in 0..signature.len() {
        let mut changed = signature.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(show(&mut peer, &bytes, &changed)["error"].is_string(), "byte {at} of the signature");
    }
}
