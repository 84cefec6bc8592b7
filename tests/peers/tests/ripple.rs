//! The XRP ledger: xrpl accepts our signed bytes and reads from them what we meant. It is a library and not a server:
//! see `ripple.mjs` for what it does not check.

use chains::transaction::{NetworkFacts, Signed};
use chains::{Chain, encoding, keysign};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData};
use wire::keysign::{Coin, KeysignPayload, RippleSpecific, SignRipple};

fn address(seed: u8) -> String {
    account(Chain::Ripple, &key(Chain::Ripple, seed)).address
}

/// From the account of seed 1 to that of seed 2.
fn payload() -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: "Ripple".to_owned(),
            address: address(1),
            decimals: 6,
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: address(2),
        to_amount: "1500000".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::RippleSpecific(RippleSpecific {
            sequence: 7,
            gas: 15,
            last_ledger_sequence: 99_000_000,
            ..RippleSpecific::default()
        })),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let key = key(Chain::Ripple, 1);
    let account = account(Chain::Ripple, &key);
    let transactions = keysign::transactions(payload, &account, &NetworkFacts::default()).expect("a payload");
    sign(&transactions[0], &key)
}

fn show(peer: &mut Peer, bytes: &[u8]) -> Value {
    peer.ask(&json!({ "blob": encoding::hex(bytes).to_uppercase() }))
}

/// What the library reads, without the key and the signature, which it has checked.
fn accepted(peer: &mut Peer, signed: &Signed) -> Value {
    let mut answer = show(peer, &signed.bytes);
    assert_eq!(answer["id"], json!(signed.id), "{answer}");
    let fields = answer["json"].as_object_mut().expect("fields");
    fields.remove("SigningPubKey").expect("a key");
    fields.remove("TxnSignature").expect("a signature");
    answer["json"].take()
}

#[test]
fn payments_mean_what_was_asked() {
    let mut peer = Peer::start("ripple.mjs");
    let plain = json!({
        "TransactionType": "Payment", "Account": address(1), "Destination": address(2), "Amount": "1500000",
        "Fee": "15", "Sequence": 7, "LastLedgerSequence": 99_000_000,
    });
    let with = |more: Value| {
        let mut fields = plain.clone();
        fields.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        fields
    };
    assert_eq!(accepted(&mut peer, &signed(&payload())), with(json!({ "Flags": 0 })));
    let tag = KeysignPayload { memo: Some("4711".to_owned()), ..payload() };
    assert_eq!(accepted(&mut peer, &signed(&tag)), with(json!({ "Flags": 0, "DestinationTag": 4711 })));
    let memo = KeysignPayload { memo: Some("hello".to_owned()), ..payload() };
    let memos = json!({ "Memos": [{ "Memo": { "MemoData": "68656C6C6F" } }] });
    assert_eq!(accepted(&mut peer, &signed(&memo)), with(memos));
}

#[test]
fn a_trust_line_means_what_was_asked() {
    let mut peer = Peer::start("ripple.mjs");
    let mut payload = KeysignPayload { to_amount: "2500000000000000".to_owned(), ..payload() };
    let coin = payload.coin.as_mut().expect("a coin");
    (coin.is_native_token, coin.decimals) = (false, 15);
    coin.contract_address = format!("RLUSD.{}", address(2));
    let found = accepted(&mut peer, &signed(&payload));
    let limit = json!({ "currency": "524C555344000000000000000000000000000000", "issuer": address(2), "value": "2.5" });
    assert_eq!((&found["TransactionType"], &found["LimitAmount"]), (&json!("TrustSet"), &limit));
}

/// What a page hands over comes back from the bytes as it was.
#[test]
fn given_transactions_are_signed_as_they_are() {
    let mut peer = Peer::start("ripple.mjs");
    let usd = |value: &str| json!({ "currency": "USD", "issuer": address(3), "value": value });
    let common =
        json!({ "Account": address(1), "Fee": "15", "Sequence": 7, "LastLedgerSequence": 99_000_000 });
    let forms = [
        json!({ "TransactionType": "OfferCreate", "TakerGets": "5000000", "TakerPays": usd("1.25"), "Flags": 0x0008_0000 }),
        json!({ "TransactionType": "EscrowCreate", "Destination": address(2), "Amount": "1", "FinishAfter": 900_000_000 }),
        json!({ "TransactionType": "SignerListSet", "SignerQuorum": 2,
            "SignerEntries": [{ "SignerEntry": { "Account": address(4), "SignerWeight": 2 } }] }),
        json!({ "TransactionType": "AMMDeposit", "Asset": { "currency": "XRP" },
            "Asset2": { "currency": "USD", "issuer": address(3) }, "Amount": "1000", "Flags": 0x0008_0000 }),
    ];
    for mut form in forms {
        form.as_object_mut().expect("fields").extend(common.as_object().expect("fields").clone());
        let sign = SignData::SignRipple(SignRipple { raw_json: form.to_string() });
        let found = accepted(&mut peer, &signed(&KeysignPayload { sign_data: Some(sign), ..payload() }));
        assert_eq!(found, form);
    }
}

#[test]
fn a_flipped_bit_is_refused() {
    let mut peer = Peer::start("ripple.mjs");
    let Signed { bytes, .. } = signed(&payload());
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(show(&mut peer, &changed)["error"].is_string(), "byte {at}");
    }
}
