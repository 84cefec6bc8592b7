use super::super::Signer;
use super::super::message::Message;
use super::super::proto::{Coin, Fee, MsgSend};
use super::*;
use crate::rpc;
use crate::rpc::check::tests::{garbage, json_answer, useless};
use crate::rpc::trial::Failure;
use crate::rpc::trial::tests::{less, more, says_nothing, token};
use crate::signing::PublicKey;
use crate::transaction::{Role, Transaction};
use proptest::prelude::*;

const OWN: &str = "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02";
const OTHER: &str = "cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg";
const CONTRACT: &str = "cosmos1suhgf5svhu4usrurvxzlgn54ksxmn8gljarjtxqnapv8kjnp4nrs0lj9d8";

/// A hundred uatom for a fee of two.
fn transaction() -> Transaction {
    let key = PublicKey::Secp256k1([2; 33]);
    let account = Account { chain: Chain::Cosmos, key, address: OWN.to_owned() };
    let signer = Signer { account: &account, ml_dsa: None, account_number: 71, sequence: 5 };
    let coin = |amount: &str| Coin { denom: "uatom".to_owned(), amount: amount.to_owned() };
    let (from_address, to_address) = (OWN.to_owned(), OTHER.to_owned());
    let send = MsgSend { from_address, to_address, amount: vec![coin("100")] };
    let fee = Fee { amount: vec![coin("2")], gas_limit: 200_000, ..Fee::default() };
    let tx = signer.direct(&[Message::Send(send)], "", fee).unwrap();
    Transaction::new(&account, Role::Main, tx)
}

fn event(kind: &str, attributes: &[(&str, &str)]) -> Value {
    let attributes: Vec<Value> =
        attributes.iter().map(|(key, value)| json!({ "key": key, "value": value, "index": true })).collect();
    json!({ "type": kind, "attributes": attributes })
}

fn encoded(kind: &str, attributes: &[(&str, &str)]) -> Value {
    let in_base64 = |text: &str| encoding::base64(text.as_bytes());
    let attributes: Vec<Value> = attributes
        .iter()
        .map(|(key, value)| json!({ "key": in_base64(key), "value": in_base64(value), "index": true }))
        .collect();
    json!({ "type": kind, "attributes": attributes })
}

fn spent(amount: &str) -> Value {
    event("coin_spent", &[("spender", OWN), ("amount", amount), ("msg_index", "0")])
}

fn worked(events: &[Value]) -> Response {
    let gas = json!({ "gas_wanted": "0", "gas_used": "80000" });
    json_answer(&json!({ "gas_info": gas, "result": { "data": "", "log": "", "events": events } }))
}

fn read(answer: Response) -> Trial {
    rpc::read_trial(&[transaction()], &[answer])
}

fn ran(changes: Vec<rpc::Change>) -> Trial {
    let fee = Some(Amount::from(2));
    Trial::Ran(Ran { changes, fee, failure: None, transactions: 1, gaps: Vec::new() })
}

#[test]
fn the_bank_says_what_comes_and_goes() {
    let others = event("coin_spent", &[("spender", OTHER), ("amount", "9uatom")]);
    let received = event("coin_received", &[("receiver", OWN), ("amount", "5ibc/27394FB0,7uatom")]);
    let events = [spent("100uatom"), others, received];
    assert_eq!(read(worked(&events)), ran(vec![less(Asset::Native, 93), more(token("ibc/27394FB0"), 5)]));
    let nothing = event("coin_received", &[("receiver", OWN), ("amount", "")]);
    assert_eq!(read(worked(&[nothing])), ran(Vec::new()));
}

/// Where the node also runs what takes the fee, the fee is told apart.
#[test]
fn the_fee_is_told_apart() {
    let taken = event("tx", &[("fee", "2uatom"), ("fee_payer", OWN)]);
    let events = [spent("2uatom"), taken, spent("100uatom")];
    assert_eq!(read(worked(&events)), ran(vec![less(Asset::Native, 100)]));
    assert_eq!(read(worked(&[spent("100uatom")])), ran(vec![less(Asset::Native, 100)]));
}

#[test]
fn older_nodes_write_base64() {
    let events = [encoded("coin_spent", &[("spender", OWN), ("amount", "100uatom")])];
    assert_eq!(read(worked(&events)), ran(vec![less(Asset::Native, 100)]));
}

/// Contracts of one message may share an event.
#[test]
fn tokens_of_contracts_are_the_contracts_word() {
    let transfer =
        [("_contract_address", CONTRACT), ("action", "send"), ("from", OWN), ("to", OTHER), ("amount", "50")];
    let back =
        [("_contract_address", OTHER), ("action", "transfer"), ("from", OTHER), ("to", OWN), ("amount", "3")];
    let strange = [("_contract_address", CONTRACT), ("action", "swap"), ("from", OWN), ("amount", "many")];
    let events = [event("wasm", &[transfer, back].concat()), event("wasm", &strange)];
    assert_eq!(read(worked(&events)), ran(vec![less(token(CONTRACT), 50), more(token(OTHER), 3)]));
}

#[test]
fn a_failure_has_the_chains_words() {
    let reason =
        "failed to execute message; message index: 0: 5uatom is smaller than 100uatom: insufficient funds";
    let body = json!({ "code": 2, "message": reason, "details": [] });
    let answer = Response { status: 400, body: body.to_string().into_bytes() };
    let Trial::Ran(ran) = read(answer) else { panic!("it ran") };
    assert_eq!(ran.failure, Some(Failure { place: Some(0), reason: reason.to_owned() }));
}

#[test]
fn an_answer_that_cannot_be_read_is_no_run() {
    for answer in useless() {
        assert!(matches!(read(answer.clone()), Trial::NotRun(_)), "{answer:?}");
    }
    let missing = Response { status: 501, body: br#"{"code":12,"message":"Not Implemented"}"#.to_vec() };
    assert_eq!(read(missing), Trial::NotRun(NoTrialReason::NodeHasNone));
    for amount in ["uatom", "5", "-5uatom", "5uatom,x"] {
        assert_eq!(read(worked(&[spent(amount)])), Trial::UNREADABLE, "{amount}");
    }
    assert_eq!(read(worked(&[json!({ "type": "coin_spent" })])), Trial::UNREADABLE);
}

proptest! {
    #[test]
    fn garbage_says_nothing(answers in garbage()) {
        let trial = rpc::read_trial(&[transaction()], &answers);
        prop_assert!(says_nothing(&trial), "{trial:?}");
    }

    #[test]
    fn any_event_is_read_or_refused(
        kind in prop::sample::select(vec!["coin_spent", "coin_received", "wasm", "tx", "message"]),
        attributes in prop::collection::vec(("[a-z_]{0,20}|_contract_address|amount|spender", "[ -~]{0,30}|50"), 0..6),
    ) {
        let attributes: Vec<(&str, &str)> =
            attributes.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let trial = read(worked(&[event(kind, &attributes)]));
        prop_assert!(matches!(trial, Trial::Ran(_) | Trial::NotRun(_)));
    }
}
