//! What is asked before a transaction is signed: the transactions whose outputs it spends
//! (`dashboards/transactions/{id},{id},…` of Blockchair, at most ten at a time). Each output says whether it is spent.
//!
//! A value that is not the node's refuses the transaction too: either the signature is worthless, or the fee is another.
//! An output that is spent in a block is gone for good. One that an unconfirmed transaction spends is not: this one may
//! be meant to take its place. The answer's `context.state` is the height of the chain, for what expires (Zcash).

use super::spend::{Lock, Spend, Spent};
use super::tx::OutPoint;
use crate::rpc::check::{Found, finding, simulation_failed, stale, unclear};
use crate::rpc::{Method, Request, Response};
use crate::transaction::Account;
use crate::{Amount, amount};
use serde_json::{Map, Value};
use wire::node::{Checked, Finding, FindingCode};

/// How many transactions one answer can have.
const PER_REQUEST: usize = 10;
/// No more questions than that; coins beyond are left to the node that takes the transaction.
const MOST_REQUESTS: usize = 10;

pub(super) fn ask(spend: &Spend) -> Vec<Request> {
    let request = |ids: &[String]| Request {
        method: Method::Get,
        path: format!("/dashboards/transactions/{}", ids.join(",")),
    };
    previous(spend).chunks(PER_REQUEST).map(request).collect()
}

/// The transactions whose outputs are spent, as people spell them, each once.
fn previous(spend: &Spend) -> Vec<String> {
    let mut ids = Vec::new();
    for id in spend.tx.inputs.iter().map(|input| input.previous.shown_id()) {
        if ids.len() < PER_REQUEST * MOST_REQUESTS && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

pub(super) fn read(spend: &Spend, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let asked = previous(spend);
    let mut unread = answers.get(asked.len().div_ceil(PER_REQUEST)..).is_none().then(|| unclear(None));
    let mut findings = Vec::new();
    for (ids, answer) in asked.chunks(PER_REQUEST).zip(answers) {
        let Some((known, height)) = transactions(answer) else {
            unread = Some(unclear(Some(answer)));
            continue;
        };
        expiry(spend, height)?;
        for (input, spent) in spend.tx.inputs.iter().zip(&spend.spent) {
            let OutPoint { index, .. } = input.previous;
            let id = input.previous.shown_id();
            if ids.contains(&id) {
                let output = output(known.get(&id), index);
                same_value(output, spent, account, &format!("{id}:{index}"))?;
                findings.extend(state(output, &id, index, ahead)?);
            }
        }
    }
    unread.map_or(Ok(findings), Err)
}

/// The transactions by their ids, and the height of the chain. One that is not known is not among them.
fn transactions(answer: &Response) -> Option<(Map<String, Value>, Option<u64>)> {
    let mut body = answer.json().filter(|_| matches!(answer.status, 200 | 404))?;
    let height = body.pointer("/context/state").and_then(Value::as_u64);
    let code = body.pointer("/context/code").and_then(Value::as_u64);
    match (body.get_mut("data")?.take(), code) {
        (Value::Object(known), Some(200)) => Some((known, height)),
        (Value::Null, Some(200 | 404)) => Some((Map::new(), height)),
        (Value::Array(none), Some(200 | 404)) if none.is_empty() => Some((Map::new(), height)),
        _ => None,
    }
}

/// Zcash: a transaction is in a block of its expiry height at the latest; 0 stands for never.
fn expiry(spend: &Spend, height: Option<u64>) -> Result<(), Checked> {
    match (spend.tx.expiry.map(u64::from), height) {
        (Some(last), Some(height)) if last != 0 && height >= last => {
            Err(stale(format!("It expires at block {last}, and the chain is at block {height}.")))
        }
        _ => Ok(()),
    }
}

fn output(transaction: Option<&Value>, index: u32) -> Option<&Value> {
    let here = |output: &&Value| output.get("index").and_then(Value::as_u64) == Some(index.into());
    transaction?.get("outputs")?.as_array()?.iter().find(here)
}

/// Nothing is signed of the values of other accounts' inputs.
fn same_value(output: Option<&Value>, spent: &Spent, account: &Account, coin: &str) -> Result<(), Checked> {
    let value = output.and_then(|output| output.get("value")).and_then(Value::as_u64);
    match value {
        Some(value) if value != spent.value && spent.lock != Lock::Foreign => {
            let native = account.chain.native();
            let show = |value: u64| amount::show(Amount::from(value), native.decimals, native.ticker);
            let (real, stated) = (show(value), show(spent.value));
            Err(stale(format!("The coin {coin} has {real}, and the transaction says {stated}.")))
        }
        _ => Ok(()),
    }
}

fn state(output: Option<&Value>, id: &str, index: u32, ahead: u32) -> Result<Option<Finding>, Checked> {
    let spent = output.and_then(|output| output.get("is_spent")).and_then(Value::as_bool);
    // In a block unless it says otherwise: the mempool is block -1.
    let waits = output.and_then(|output| output.get("spending_block_id")).and_then(Value::as_i64) == Some(-1);
    match spent {
        Some(false) => Ok(None),
        Some(true) if waits => Ok(Some(simulation_failed(&format!(
            "the coin {id}:{index} is spent by a transaction that waits for a block."
        )))),
        Some(true) => Err(stale(format!("The coin {id}:{index} is spent."))),
        // It may come from a step before this one.
        None if ahead > 0 => Ok(None),
        None => {
            let message = format!("The node does not know the coin {id}:{index}.");
            Ok(Some(finding(FindingCode::Unchecked, message)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::super::spend::ValueFrom;
    use super::super::tx::{Input, Output, Tx};
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::rpc::check::tests::{fine, garbage, json_answer, refuses, useless};
    use crate::signing::PublicKey;
    use crate::transaction::{Account, Role, Transaction};
    use proptest::prelude::*;
    use serde_json::json;

    /// What every coin has.
    const VALUE: u64 = 150_000_000;

    fn transaction(coins: &[(u8, u32)], expiry: Option<u32>) -> Transaction {
        let chain = if expiry.is_some() { Chain::Zcash } else { Chain::Bitcoin };
        let (rules, prefixes) = rules::of(chain).unwrap();
        let input = |&(id, index): &(u8, u32)| {
            let mut bytes = [0; 32];
            bytes[31] = id;
            let previous = OutPoint { id: bytes, index };
            Input { previous, script: Vec::new(), sequence: u32::MAX, witness: Vec::new() }
        };
        let outputs = vec![Output { value: 1, script: Vec::new() }];
        let inputs = coins.iter().map(input).collect();
        let tx = Tx { version: 1, inputs, outputs, lock_time: 0, expiry };
        let lock = Lock::WitnessKey([0; 20]);
        let value_from = ValueFrom::Signature;
        let spent = Spent { value: VALUE, value_from, script: Vec::new(), lock };
        let spend = Spend { rules, prefixes, branch: [0; 4], spent: vec![spent; tx.inputs.len()], tx };
        let key = PublicKey::Secp256k1([2; 33]);
        let account = Account { chain, key, address: String::new() };
        Transaction::new(&account, Role::Main, spend)
    }

    fn id(number: u8) -> String {
        format!("{number:02x}{}", "00".repeat(31))
    }

    fn unspent(index: u32) -> Value {
        json!({ "index": index, "value": VALUE, "is_spent": false, "spending_block_id": null })
    }

    fn known(outputs: &[(u8, Value)]) -> Response {
        let mut data = Map::new();
        for (number, output) in outputs {
            data.insert(id(*number), json!({ "transaction": {}, "inputs": [], "outputs": [output] }));
        }
        json_answer(&json!({ "data": data, "context": { "code": 200, "state": 900 } }))
    }

    #[test]
    fn each_earlier_transaction_is_asked_for_once_and_ten_at_a_time() {
        let requests = rpc::check(&transaction(&[(2, 0), (1, 7), (2, 1)], None), 0);
        let path = format!("/dashboards/transactions/{},{}", id(2), id(1));
        assert_eq!(requests, [Request { method: Method::Get, path }]);
        let many: Vec<(u8, u32)> = (0..=255).map(|number| (number, 0)).collect();
        assert_eq!(rpc::check(&transaction(&many[..11], None), 0).len(), 2);
        assert_eq!(rpc::check(&transaction(&many, None), 0).len(), MOST_REQUESTS);
    }

    #[test]
    fn coins_that_are_there() {
        let answer = known(&[(1, unspent(7)), (2, unspent(0))]);
        assert_eq!(rpc::read_check(&transaction(&[(1, 7), (2, 0)], None), 0, &[answer]), fine());
    }

    #[test]
    fn a_coin_of_another_value_refuses() {
        for (value, shown) in [(VALUE + 1, "1.50000001"), (0, "0")] {
            let mut output = unspent(7);
            output["value"] = json!(value);
            let answer = known(&[(1, unspent(7)), (2, output)]);
            let checked = rpc::read_check(&transaction(&[(1, 7), (2, 7)], None), 0, &[answer]);
            let reason = format!("The coin {}:7 has {shown} BTC, and the transaction says 1.5 BTC.", id(2));
            assert_eq!(checked, stale(reason));
        }
    }

    #[test]
    fn a_spent_coin_is_stale_beside_unclear_answers() {
        let spent = json!({ "index": 7, "is_spent": true, "spending_block_id": 812_000 });
        let expected = stale(format!("The coin {}:7 is spent.", id(11)));
        let answer = known(&[(11, spent)]);
        assert_eq!(
            rpc::read_check(&transaction(&[(11, 7)], None), 2, std::slice::from_ref(&answer)),
            expected
        );
        let coins: Vec<(u8, u32)> = (1..=11).map(|number| (number, 7)).collect();
        let unreadable = Response { status: 502, body: Vec::new() };
        assert_eq!(rpc::read_check(&transaction(&coins, None), 0, &[unreadable, answer]), expected);
    }

    #[test]
    fn a_coin_spent_by_what_waits_is_a_warning() {
        let answer = known(&[(1, json!({ "index": 7, "is_spent": true, "spending_block_id": -1 }))]);
        let Checked::Sendable { findings } = rpc::read_check(&transaction(&[(1, 7)], None), 0, &[answer])
        else {
            panic!("it may take the other's place")
        };
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].code, FindingCode::SimulationFailed);
        assert!(findings[0].message.ends_with(":7 is spent by a transaction that waits for a block."));
    }

    #[test]
    fn an_unknown_coin_may_come_from_a_step_before() {
        let none = [
            json!({ "data": null, "context": { "code": 404 } }),
            json!({ "data": [], "context": { "code": 200 } }),
            json!({ "data": {}, "context": { "code": 200 } }),
        ];
        let other = known(&[(1, unspent(3))]);
        for answer in none.iter().map(json_answer).chain([other]) {
            let transaction = transaction(&[(1, 7)], None);
            let message = format!("The node does not know the coin {}:7.", id(1));
            let findings = vec![finding(FindingCode::Unchecked, message)];
            let answers = [answer];
            assert_eq!(rpc::read_check(&transaction, 0, &answers), Checked::Sendable { findings });
            assert_eq!(rpc::read_check(&transaction, 1, &answers), fine());
        }
    }

    #[test]
    fn what_expires_on_zcash() {
        let read =
            |expiry| rpc::read_check(&transaction(&[(1, 7)], Some(expiry)), 0, &[known(&[(1, unspent(7))])]);
        assert_eq!(read(0), fine());
        assert_eq!(read(901), fine());
        let reason = "It expires at block 900, and the chain is at block 900.".to_owned();
        assert_eq!(read(900), stale(reason));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_unclear() {
        for answer in useless() {
            let checked = rpc::read_check(&transaction(&[(1, 7)], None), 0, std::slice::from_ref(&answer));
            assert!(matches!(checked, Checked::Unclear { .. }), "{answer:?}");
        }
        assert!(matches!(rpc::read_check(&transaction(&[(1, 7)], None), 0, &[]), Checked::Unclear { .. }));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(&[(1, 7), (2, 0)], Some(9)), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
