//! TON: its virtual machine runs the wallet's and a jetton's code on our letters. See `ton.mjs` for what is not there.

use chains::transaction::{NetworkFacts, Signed};
use chains::{Chain, encoding, keysign};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData};
use wire::keysign::{Coin, KeysignPayload, SignTon, TonMessage, TonSpecific};

const TON: u64 = 1_000_000_000;

fn address(seed: u8) -> String {
    account(Chain::Ton, &key(Chain::Ton, seed)).address
}

fn specific(sequence: u64) -> TonSpecific {
    TonSpecific { sequence_number: sequence, expire_at: 1_800_000_600, ..TonSpecific::default() }
}

/// A quarter of a coin from the account of seed 1 to that of seed 2.
fn payload(specific: TonSpecific) -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: "Ton".to_owned(),
            address: address(1),
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: address(2),
        to_amount: (TON / 4).to_string(),
        blockchain_specific: Some(BlockchainSpecific::TonSpecific(specific)),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let key = key(Chain::Ton, 1);
    let account = account(Chain::Ton, &key);
    let transactions = keysign::transactions(payload, &account, &NetworkFacts::default()).expect("a payload");
    sign(&transactions[0], &key)
}

fn send(peer: &mut Peer, bytes: &[u8]) -> Value {
    peer.ask(&json!({ "command": "send", "boc": encoding::base64(bytes) }))
}

fn balance(peer: &mut Peer, seed: u8) -> u64 {
    let seen = peer.ask(&json!({ "command": "look", "at": address(seed) }));
    seen["balance"].as_str().expect("a balance").parse().expect("a number")
}

fn sequence(peer: &mut Peer) -> Value {
    peer.ask(&json!({ "command": "look", "at": address(1) }))["seqno"].clone()
}

/// A machine in which the account of seed 1 has three coins and has sent nothing.
fn funded() -> Peer {
    let mut peer = Peer::start("../../crate/nodes/scripts/ton.mjs");
    peer.ask(&json!({ "command": "fund", "to": address(1), "value": (3 * TON).to_string() }));
    assert_eq!(balance(&mut peer, 1), 3 * TON);
    peer
}

#[track_caller]
fn assert_worked(seen: &Value, ours: &Signed, transactions: usize) {
    assert_eq!(seen["hash"], ours.id, "{seen}");
    let list = seen["transactions"].as_array().unwrap_or_else(|| panic!("{seen}"));
    assert_eq!(list.len(), transactions, "{seen}");
    for transaction in &list[..1] {
        assert_eq!(transaction["exit"], 0, "{seen}");
        assert_eq!((&transaction["result"], &transaction["skipped"]), (&json!(0), &json!(0)), "{seen}");
    }
}

#[test]
fn the_first_letter_deploys_and_the_next_ones_follow() {
    let mut peer = funded();
    let ours = signed(&KeysignPayload { memo: Some("first".to_owned()), ..payload(specific(0)) });
    let seen = send(&mut peer, &ours.bytes);
    assert_worked(&seen, &ours, 2);
    assert_eq!(seen["transactions"][1]["value"], (TON / 4).to_string());
    assert_eq!(balance(&mut peer, 2), TON / 4);
    assert_eq!(sequence(&mut peer), 1);

    let again = send(&mut peer, &ours.bytes);
    assert!(again["error"].is_string(), "a letter is taken once: {again}");

    let ours = signed(&payload(specific(1)));
    assert_worked(&send(&mut peer, &ours.bytes), &ours, 2);
    assert_eq!((balance(&mut peer, 2), sequence(&mut peer)), (TON / 2, json!(2)));
    let late = signed(&payload(TonSpecific { expire_at: 1_799_999_999, ..specific(2) }));
    assert!(send(&mut peer, &late.bytes)["error"].is_string(), "the time is over");
    let early = signed(&payload(specific(3)));
    assert!(send(&mut peer, &early.bytes)["error"].is_string(), "a number is left out");
}

#[test]
fn a_sweep_empties_the_account() {
    let mut peer = funded();
    let ours = signed(&payload(TonSpecific { send_max_amount: true, ..specific(0) }));
    assert_worked(&send(&mut peer, &ours.bytes), &ours, 2);
    assert_eq!(balance(&mut peer, 1), 0);
    assert!(balance(&mut peer, 2) > 29 * TON / 10);
}

#[test]
fn four_requests_go_out_in_one_letter() {
    let mut peer = funded();
    // `op 0xdeadbeef`, as a bag of one cell.
    let body = "te6ccgEBAQEABgAACN6tvu8=".to_owned();
    let request = |seed: u8| TonMessage {
        to: address(seed),
        amount: (u64::from(seed) * 1_000_000).to_string(),
        payload: Some(body.clone()),
        state_init: None,
    };
    let sign = SignTon { ton_messages: (3..7).map(request).collect() };
    let ours = signed(&KeysignPayload { sign_data: Some(SignData::SignTon(sign)), ..payload(specific(0)) });
    let seen = send(&mut peer, &ours.bytes);
    assert_worked(&seen, &ours, 5);
    assert_eq!(seen["transactions"][1]["value"], "3000000");
    for seed in 3..7 {
        assert!(balance(&mut peer, seed) > u64::from(seed) * 1_000_000 - 100_000);
    }
}

#[test]
fn a_jetton_changes_hands() {
    let mut peer = funded();
    let minted = peer.ask(&json!({ "command": "mint", "to": address(1), "amount": "5000" }));
    let wallet = minted["wallet"].as_str().unwrap_or_else(|| panic!("{minted}")).to_owned();
    let jettons = |peer: &mut Peer, seed: u8| {
        peer.ask(&json!({ "command": "jettons", "of": address(seed) }))["balance"].clone()
    };
    assert_eq!(jettons(&mut peer, 1), "5000");
    let specific = TonSpecific { jetton_address: wallet, is_active_destination: true, ..specific(0) };
    let mut transfer = payload(specific);
    let coin = transfer.coin.as_mut().expect("a coin");
    (coin.is_native_token, coin.contract_address) = (false, "the minter".to_owned());
    (transfer.to_amount, transfer.memo) = ("1200".to_owned(), Some("invoice 7".to_owned()));
    let ours = signed(&transfer);
    let seen = send(&mut peer, &ours.bytes);
    // Our wallet, our jetton wallet, theirs, the notice to them with the comment, and what is left returns to us.
    assert_worked(&seen, &ours, 5);
    assert!(
        seen["transactions"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|each| each["aborted"] == false || each["to"] == address(2).as_str()),
        "{seen}"
    );
    assert_eq!((jettons(&mut peer, 1), jettons(&mut peer, 2)), (json!("3800"), json!("1200")));
}

/// A bit of the signature, of the body or of the address: the wallet's code does not take the letter.
#[test]
fn a_flipped_bit_is_refused() {
    let mut peer = funded();
    let first = signed(&payload(specific(0)));
    assert_worked(&send(&mut peer, &first.bytes), &first, 2);
    let ours = signed(&payload(specific(1))).bytes;
    for place in (0..ours.len()).step_by(5) {
        let mut changed = ours.clone();
        changed[place] ^= 1;
        let seen = send(&mut peer, &changed);
        assert!(seen["error"].is_string(), "byte {place}: {seen}");
    }
    // With the checksum made right again, only the wallet's own check is left.
    let body = ours.len() - 4;
    for place in (20..body).step_by(7) {
        let mut changed = ours[..body].to_vec();
        changed[4] &= !0x40;
        changed[place] ^= 4;
        let seen = send(&mut peer, &changed);
        assert!(seen["error"].is_string(), "byte {place}: {seen}");
    }
    assert_eq!(sequence(&mut peer), 1);
}
