use super::super::message::{Raw, Transfer};
use super::*;
use crate::Chain;
use crate::encoding::hex;
use crate::rpc;
use crate::rpc::check::tests::{garbage, json_answer, useless};
use crate::rpc::trial::Failure;
use crate::rpc::trial::tests::{less, more, says_nothing, token};
use crate::signing::PublicKey;
use crate::transaction::{Account, Role, Transaction};
use proptest::prelude::*;
use serde_json::json;
use wire::trial::TrialGap;

const OWN: [u8; 20] = [0xaa; 20];
const TOKEN: [u8; 20] = [0x11; 20];
const OTHER: [u8; 20] = [0x22; 20];
const TRANSFER: &str = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

fn account(address: [u8; 20]) -> Vec<u8> {
    [&[0x41], address.as_slice()].concat()
}

fn transaction(operation: Operation) -> Transaction {
    let address = tron::encode(&OWN);
    let account = Account { chain: Chain::Tron, key: PublicKey::Secp256k1([2; 33]), address };
    let raw = Raw { fee_limit: 30, ..Raw::default() };
    Transaction::new(&account, Role::Main, Tron { bytes: Vec::new(), raw, operation })
}

fn call() -> Transaction {
    let (owner, contract) = (account(OWN), account(TOKEN));
    let data = vec![1, 2, 3, 4];
    transaction(Operation::Trigger(Trigger { owner, contract, call_value: 7, data, ..Trigger::default() }))
}

fn log(from: [u8; 20], to: [u8; 20], amount: u64) -> Value {
    let topics = [TRANSFER.to_owned(), format!("{:0>64}", hex(&from)), format!("{:0>64}", hex(&to))];
    json!({ "address": hex(&TOKEN), "topics": topics, "data": format!("{amount:064x}") })
}

fn paid(from: [u8; 20], to: [u8; 20], value: Value) -> Value {
    json!({ "caller_address": hex(&account(from)), "transferTo_address": hex(&account(to)), "callValueInfo": [value] })
}

fn worked(logs: &[Value], inner: &[Value]) -> Response {
    json_answer(&json!({ "result": { "result": true }, "energy_used": 345, "logs": logs,
        "internal_transactions": inner, "transaction": { "ret": [{}] } }))
}

fn read(answer: Response) -> Trial {
    rpc::read_trial(&[call()], &[answer])
}

fn ran(changes: Vec<rpc::Change>) -> Trial {
    let fee = Some(Amount::from(30));
    Trial::Ran(Ran { changes, fee, failure: None, transactions: 1, gaps: Vec::new() })
}

#[test]
fn events_and_inner_payments_are_summed_up() {
    let logs = [log(OWN, OTHER, 500), log(OTHER, TOKEN, 9)];
    let inner = [
        paid(TOKEN, OWN, json!({ "callValue": 2 })),
        paid(TOKEN, OWN, json!({ "callValue": 3, "tokenId": "1002000" })),
        paid(TOKEN, OTHER, json!({ "callValue": 5 })),
        paid(TOKEN, OWN, json!({})),
    ];
    let usdt = token(&tron::encode(&TOKEN));
    let expected = vec![less(Asset::Native, 5), less(usdt, 500), more(token("1002000"), 3)];
    assert_eq!(read(worked(&logs, &inner)), ran(expected));
    let bare = json_answer(&json!({ "result": { "result": true }, "transaction": { "ret": [{}] } }));
    assert_eq!(read(bare), ran(vec![less(Asset::Native, 7)]));
}

#[test]
fn a_payment_needs_no_run() {
    let payment = [transaction(Operation::Transfer(Transfer { amount: 2, ..Transfer::default() }))];
    assert_eq!(rpc::trial(&payment), []);
    assert_eq!(rpc::read_trial(&payment, &[]), Trial::NotRun(NoTrialReason::NotNeeded));
    let (owner, contract) = (account(OWN), account(TOKEN));
    let tokens = Trigger { owner, contract, call_token_value: 1, token_id: 5, ..Trigger::default() };
    let with_tokens = [transaction(Operation::Trigger(tokens))];
    assert_eq!(rpc::trial(&with_tokens), []);
    assert_eq!(rpc::read_trial(&with_tokens, &[]), Trial::NotRun(NoTrialReason::NodeHasNone));
}

#[test]
fn one_transaction_at_a_time() {
    let requests = rpc::trial(&[call(), call()]);
    assert_eq!(requests.len(), 1);
    let Trial::Ran(ran) = rpc::read_trial(&[call(), call()], &[worked(&[], &[])]) else { panic!("it ran") };
    assert_eq!((ran.transactions, ran.gaps), (1, vec![TrialGap::LaterTransactions]));
}

#[test]
fn a_failure_has_the_nodes_words() {
    let message = hex(b"REVERT opcode executed");
    let reverted = json!({ "result": { "result": true, "message": message },
        "transaction": { "ret": [{ "ret": "FAILED" }] } });
    let Trial::Ran(ran) = read(json_answer(&reverted)) else { panic!("it ran") };
    let failure = Failure { place: Some(0), reason: "FAILED: REVERT opcode executed".to_owned() };
    assert_eq!((ran.changes, ran.failure), (vec![], Some(failure)));
}

#[test]
fn an_answer_that_cannot_be_read_is_no_run() {
    for answer in useless() {
        assert!(matches!(read(answer.clone()), Trial::NotRun(_)), "{answer:?}");
    }
    for (logs, inner) in [(json!({}), json!([])), (json!([{}]), json!([])), (json!([]), json!([{}]))] {
        let answer = json!({ "result": { "result": true }, "logs": logs, "internal_transactions": inner });
        assert_eq!(read(json_answer(&answer)), Trial::UNREADABLE);
    }
}

proptest! {
    #[test]
    fn garbage_says_nothing(answers in garbage()) {
        let trial = rpc::read_trial(&[call()], &answers);
        prop_assert!(says_nothing(&trial), "{trial:?}");
    }
}
