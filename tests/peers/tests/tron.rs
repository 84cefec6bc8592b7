//! Tron: TronWeb reads our signed bytes and finds the signer, the id and the effect in them. It is a library and not a
//! node: see `tron.mjs` for what it does not check.

use chains::transaction::{NetworkFacts, Signed};
use chains::{Chain, encoding, keysign};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, ThorChainSwapPayload, TronSpecific};

const USDT: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

/// From the account of seed 1 to that of seed 2.
fn payload(contract: &str) -> KeysignPayload {
    let own = account(Chain::Tron, &key(Chain::Tron, 1)).address;
    KeysignPayload {
        coin: Some(Coin {
            chain: "Tron".to_owned(),
            address: own,
            contract_address: contract.to_owned(),
            is_native_token: contract.is_empty(),
            ..Coin::default()
        }),
        to_address: account(Chain::Tron, &key(Chain::Tron, 2)).address,
        to_amount: "1500000".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::TronSpecific(TronSpecific {
            timestamp: 1_760_000_000_000,
            expiration: 1_760_000_060_000,
            block_header_timestamp: 1_759_999_997_000,
            block_header_number: 76_543_210,
            block_header_version: 32,
            block_header_tx_trie_root: "5a".repeat(32),
            block_header_parent_hash: "a5".repeat(32),
            block_header_witness_address: format!("41{}", "77".repeat(20)),
            gas_estimation: 30_000_000,
        })),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let key = key(Chain::Tron, 1);
    let account = account(Chain::Tron, &key);
    let transactions = keysign::transactions(payload, &account, &NetworkFacts::default()).expect("a payload");
    sign(&transactions[0], &key)
}

fn show(peer: &mut Peer, bytes: &[u8]) -> Value {
    peer.ask(&json!({ "transaction": encoding::hex(bytes) }))
}

/// The account of seed 2 as the 21 bytes that stand in transactions.
fn receiver() -> String {
    let bytes = bs58(&account(Chain::Tron, &key(Chain::Tron, 2)).address);
    encoding::hex(&bytes[..21]).to_uppercase()
}

/// Base58 by long division, so that the expectation does not come from the code that is tried.
fn bs58(text: &str) -> Vec<u8> {
    const DIGITS: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = vec![0_u8; 25];
    for digit in text.chars() {
        let mut carry = DIGITS.find(digit).expect("a digit");
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = u8::try_from(carry & 255).expect("eight bits");
            carry >>= 8;
        }
    }
    bytes
}

#[test]
fn tronweb_finds_signer_id_and_effect() {
    let mut peer = Peer::start("tron.mjs");

    let transfer = KeysignPayload { memo: Some("rent".to_owned()), ..payload("") };
    let ours = signed(&transfer);
    let seen = show(&mut peer, &ours.bytes);
    assert_eq!(seen["accepted"], true, "{seen}");
    assert_eq!(seen["txID"], ours.id);
    assert_eq!(seen["type"], "TransferContract");
    assert_eq!(seen["value"]["to_address"], receiver());
    assert_eq!(seen["value"]["amount"], 1_500_000);
    assert_eq!(seen["raw_data"]["data"], encoding::hex(b"rent").to_uppercase());

    let ours = signed(&payload(USDT));
    let seen = show(&mut peer, &ours.bytes);
    assert_eq!((&seen["accepted"], &seen["txID"]), (&Value::Bool(true), &json!(ours.id)), "{seen}");
    assert_eq!(seen["type"], "TriggerSmartContract");
    assert_eq!(seen["raw_data"]["fee_limit"], 30_000_000);
    let call = format!("A9059CBB{:0>64}{:0>64X}", receiver(), 1_500_000);
    assert_eq!(seen["value"]["data"], call);
}

#[test]
fn tronweb_reads_staking_and_swaps() {
    let mut peer = Peer::start("tron.mjs");
    let own = account(Chain::Tron, &key(Chain::Tron, 1)).address;
    for (memo, kind, amount) in [
        ("FREEZE:ENERGY", "FreezeBalanceV2Contract", "frozen_balance"),
        ("UNFREEZE:BANDWIDTH", "UnfreezeBalanceV2Contract", "unfreeze_balance"),
        ("WITHDRAW_EXPIRE_UNFREEZE", "WithdrawExpireUnfreezeContract", ""),
    ] {
        let staking = KeysignPayload { memo: Some(memo.to_owned()), to_address: own.clone(), ..payload("") };
        let seen = show(&mut peer, &signed(&staking).bytes);
        assert_eq!((&seen["accepted"], &seen["type"]), (&Value::Bool(true), &json!(kind)), "{seen}");
        assert!(amount.is_empty() || seen["value"][amount] == 1_500_000, "{seen}");
    }
    let to_vault = payload("");
    let swap = ThorChainSwapPayload {
        vault_address: to_vault.to_address.clone(),
        from_amount: to_vault.to_amount.clone(),
        ..ThorChainSwapPayload::default()
    };
    let memo = "=:BTC.BTC:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4:1";
    let swap = KeysignPayload {
        memo: Some(memo.to_owned()),
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
        ..to_vault
    };
    let seen = show(&mut peer, &signed(&swap).bytes);
    assert_eq!(seen["accepted"], true, "{seen}");
    assert_eq!(seen["value"]["to_address"], receiver());
    assert_eq!(seen["raw_data"]["data"], encoding::hex(memo.as_bytes()).to_uppercase());
}

/// A bit of the signature or of what is signed: the signer is then another account, or none.
#[test]
fn a_flipped_bit_is_not_by_the_owner() {
    let mut peer = Peer::start("tron.mjs");
    let ours = signed(&payload("")).bytes;
    assert_eq!(show(&mut peer, &ours)["accepted"], true);
    let mut refused = 0;
    for place in (0..ours.len()).step_by(3) {
        let mut changed = ours.clone();
        changed[place] ^= 1;
        let seen = show(&mut peer, &changed);
        assert_ne!(seen["accepted"], true, "byte {place}: {seen}");
        refused += 1;
    }
    println!("{refused} changes refused");
}
