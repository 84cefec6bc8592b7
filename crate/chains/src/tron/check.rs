//! What a Tron node is asked before a transaction is signed: the time of its last block (`getblock` without details),
//! what the account has, and, for the call of a contract where nothing else goes out before, a trial run
//! (`triggerconstantcontract`).
//!
//! There is no nonce: a transaction expires. For an account that does not exist a node answers an empty object.

use super::message::{Operation, Trigger};
use super::{Tron, explain};
use crate::Amount;
use crate::encoding::hex;
use crate::rpc::check::{Found, funds, simulation_failed, stale, unclear};
use crate::rpc::tron::{object, post, words};
use crate::rpc::{Request, Response};
use crate::transaction::Account;
use serde_json::{Value, json};
use wire::node::Finding;

pub(super) fn ask(tron: &Tron, account: &Account, ahead: u32) -> Vec<Request> {
    let mut requests = vec![
        post("/wallet/getblock", &json!({ "detail": false })),
        post("/wallet/getaccount", &json!({ "address": account.address, "visible": true })),
    ];
    if let Some(trigger) = trigger(tron).filter(|_| ahead == 0) {
        let call = json!({
            "owner_address": hex(&trigger.owner),
            "contract_address": hex(&trigger.contract),
            "data": hex(&trigger.data),
            "call_value": trigger.call_value,
        });
        requests.push(post("/wallet/triggerconstantcontract", &call));
    }
    requests
}

/// A call that a trial run knows all of.
fn trigger(tron: &Tron) -> Option<&Trigger> {
    match &tron.operation {
        Operation::Trigger(trigger) if trigger.call_token_value == 0 => Some(trigger),
        _ => None,
    }
}

pub(super) fn read(tron: &Tron, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let answer = |index: usize| answers.get(index).and_then(object);
    let now = answer(0).and_then(|block| block.pointer("/block_header/raw_data/timestamp")?.as_i64());
    let now = now.filter(|now| *now > 0).ok_or_else(|| unclear(answers.first()))?;
    if now >= tron.raw.expiration {
        let late = (now - tron.raw.expiration) / 1000;
        return Err(stale(format!("It expired {late} seconds before the chain's last block.")));
    }
    let needed = match &tron.operation {
        Operation::Transfer(transfer) => transfer.amount,
        Operation::Trigger(trigger) => trigger.call_value,
        Operation::Freeze(stake) => stake.amount,
        _ => 0,
    };
    let balance = answer(1).and_then(|account| balance(&account));
    let poor = balance.and_then(|balance| funds(account, Amount::from(balance), explain::amount(needed)));
    let failure = answer(2).filter(|_| ahead == 0).and_then(|answer| trial(&answer));
    Ok([poor, failure].into_iter().flatten().collect())
}

/// Nothing is left out where it is 0, the whole account where there is none.
fn balance(account: &Value) -> Option<u64> {
    match account.get("balance") {
        Some(balance) => balance.as_u64(),
        None if account.get("address").is_some() || account.as_object()?.is_empty() => Some(0),
        None => None,
    }
}

/// A revert comes with `result: true`: the node could run it. What it came to stands in the transaction.
fn trial(answer: &Value) -> Option<Finding> {
    let code = answer.pointer("/result/code").and_then(Value::as_str).unwrap_or_default();
    let refused = matches!(code, "CONTRACT_VALIDATE_ERROR" | "CONTRACT_EXE_ERROR");
    let outcome = answer.pointer("/transaction/ret/0/ret").and_then(Value::as_str);
    let failed = refused || outcome == Some("FAILED");
    let code = if refused { code } else { "FAILED" };
    failed.then(|| simulation_failed(&words(answer.pointer("/result/message"), code)))
}

#[cfg(test)]
mod tests {
    use super::super::message::{Raw, Transfer};
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::rpc::Method;
    use crate::rpc::check::tests::{fine, garbage, is_unclear, json_answer, refuses, useless, warned};
    use crate::signing::PublicKey;
    use crate::transaction::{Role, Transaction};
    use proptest::prelude::*;
    use wire::node::{Checked, FindingCode};

    const ADDRESS: &str = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";

    fn transaction(operation: Operation) -> Transaction {
        let key = PublicKey::Secp256k1([2; 33]);
        let account = Account { chain: Chain::Tron, key, address: ADDRESS.to_owned() };
        let raw = Raw { expiration: 1_700_000_060_000, ..Raw::default() };
        Transaction::new(&account, Role::Main, Tron { bytes: Vec::new(), raw, operation })
    }

    /// Two TRX.
    fn transfer() -> Transaction {
        transaction(Operation::Transfer(Transfer { amount: 2_000_000, ..Transfer::default() }))
    }

    fn call() -> Transaction {
        let (owner, contract) = (vec![0x41, 1], vec![0x41, 2]);
        let trigger = Trigger { owner, contract, call_value: 7, data: vec![0xa9], ..Trigger::default() };
        transaction(Operation::Trigger(trigger))
    }

    fn block(timestamp: i64) -> Response {
        let raw = json!({ "number": 5, "timestamp": timestamp });
        json_answer(&json!({ "blockID": "00", "block_header": { "raw_data": raw } }))
    }

    fn owns(balance: u64) -> Response {
        json_answer(&json!({ "address": ADDRESS, "balance": balance }))
    }

    fn in_time() -> Response {
        block(1_700_000_059_999)
    }

    fn tried(trial: Response) -> Checked {
        rpc::read_check(&call(), 0, &[in_time(), owns(7), trial])
    }

    #[test]
    fn a_node_is_asked_for_time_account_and_a_trial_run() {
        let asked = |transaction, ahead| {
            let read = |request: Request| {
                let Method::Post(body) = request.method else { panic!("a POST") };
                (request.path, serde_json::from_str(&body).unwrap())
            };
            rpc::check(&transaction, ahead).into_iter().map(read).collect::<Vec<(String, Value)>>()
        };
        let mut expected = vec![
            ("/wallet/getblock".to_owned(), json!({ "detail": false })),
            ("/wallet/getaccount".to_owned(), json!({ "address": ADDRESS, "visible": true })),
        ];
        assert_eq!(asked(transfer(), 0), expected);
        assert_eq!(asked(call(), 1), expected);
        let call_of =
            json!({ "owner_address": "4101", "contract_address": "4102", "data": "a9", "call_value": 7 });
        expected.push(("/wallet/triggerconstantcontract".to_owned(), call_of));
        assert_eq!(asked(call(), 0), expected);
    }

    #[test]
    fn what_expired_is_stale() {
        assert_eq!(rpc::read_check(&transfer(), 0, &[in_time(), owns(2_000_000)]), fine());
        let reason = "It expired 3 seconds before the chain's last block.".to_owned();
        assert_eq!(rpc::read_check(&transfer(), 2, &[block(1_700_000_063_000)]), stale(reason));
    }

    #[test]
    fn less_than_is_paid() {
        let message = "The account has 1.999999 TRX, and it takes up to 2 TRX.";
        let expected = warned(FindingCode::InsufficientBalance, message);
        assert_eq!(rpc::read_check(&transfer(), 0, &[in_time(), owns(1_999_999)]), expected);
        let message = "The account has 0 TRX, and it takes up to 2 TRX.";
        let expected = warned(FindingCode::InsufficientBalance, message);
        for none in [json!({}), json!({ "address": ADDRESS })] {
            assert_eq!(rpc::read_check(&transfer(), 0, &[in_time(), json_answer(&none)]), expected);
        }
    }

    #[test]
    fn a_failing_trial_run_has_the_nodes_words() {
        let message = crate::encoding::hex(b"REVERT opcode executed");
        let reverted = json!({ "result": { "result": true, "message": message },
            "transaction": { "ret": [{ "ret": "FAILED" }] } });
        let expected = "Run as a trial, it fails: FAILED: REVERT opcode executed";
        assert_eq!(tried(json_answer(&reverted)), warned(FindingCode::SimulationFailed, expected));
        let message = crate::encoding::hex(b"No contract or not a valid smart contract");
        let refused = json!({ "result": { "code": "CONTRACT_VALIDATE_ERROR", "message": message } });
        let expected =
            "Run as a trial, it fails: CONTRACT_VALIDATE_ERROR: No contract or not a valid smart contract";
        assert_eq!(tried(json_answer(&refused)), warned(FindingCode::SimulationFailed, expected));
        let worked =
            json!({ "result": { "result": true }, "energy_used": 345, "transaction": { "ret": [{}] } });
        assert_eq!(tried(json_answer(&worked)), fine());
        for answer in useless() {
            assert_eq!(tried(answer), fine(), "no trial run, no warning");
        }
    }

    #[test]
    fn without_the_time_it_is_unclear() {
        for answer in useless().into_iter().chain([block(0), block(-5)]) {
            let checked = rpc::read_check(&transfer(), 0, &[answer.clone(), owns(2_000_000)]);
            assert!(is_unclear(&checked), "{answer:?}");
        }
        assert!(is_unclear(&rpc::read_check(&transfer(), 0, &[])));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            for transaction in [transfer(), call()] {
                let checked = rpc::read_check(&transaction, ahead, &answers);
                prop_assert!(!refuses(&checked), "{checked:?}");
            }
        }
    }
}
