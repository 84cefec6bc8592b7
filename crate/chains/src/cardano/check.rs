//! What Koios is asked before a transaction is signed: the slot of the last block (`tip`), which must be before the last
//! slot of the transaction, and whether its coins are spent (`utxo_info`).

use super::Payment;
use super::body::{Body, OutPoint};
use crate::encoding::hex;
use crate::rpc::check::{Found, finding, stale, unclear};
use crate::rpc::{Method, Request, Response};
use serde_json::{Value, json};
use wire::node::FindingCode;

/// How many coins are looked up; what is beyond is left to the node that takes the transaction.
const MOST_COINS: usize = 100;

fn body(payment: &Payment) -> Option<Body> {
    Body::decode("body", &payment.body).ok()
}

pub(super) fn ask(payment: &Payment) -> Vec<Request> {
    let inputs = body(payment).map(|body| body.inputs).unwrap_or_default();
    let coins: Vec<String> = inputs.iter().take(MOST_COINS).map(shown).collect();
    let question = json!({ "_utxo_refs": coins }).to_string();
    vec![
        Request { method: Method::Get, path: "/cardano/tip".to_owned() },
        Request { method: Method::Post(question), path: "/cardano/utxo_info".to_owned() },
    ]
}

fn shown(coin: &OutPoint) -> String {
    format!("{}#{}", hex(&coin.transaction), coin.index)
}

pub(super) fn read(payment: &Payment, ahead: u32, answers: &[Response]) -> Found {
    let list = |index: usize| {
        let answer = answers.get(index).filter(|answer| answer.status == 200)?.json()?;
        answer.as_array().cloned()
    };
    let Some(body) = body(payment) else {
        return Ok(Vec::new());
    };
    let slot = list(0).and_then(|tips| tips.first()?.get("abs_slot")?.as_u64());
    if let (Some(last), Some(slot)) = (body.last_slot, slot)
        && slot >= last
    {
        return Err(stale(format!(
            "It had to be in a block before slot {last}, and the chain is at {slot}."
        )));
    }
    let known = list(1).ok_or_else(|| unclear(answers.get(1)))?;
    let mut findings = Vec::new();
    for coin in body.inputs.iter().take(MOST_COINS) {
        let id = hex(&coin.transaction);
        let here = |found: &&Value| {
            found.get("tx_hash").and_then(Value::as_str) == Some(&id)
                && found.get("tx_index").and_then(Value::as_u64) == Some(coin.index)
        };
        let spent = known.iter().find(here).and_then(|found| found.get("is_spent")?.as_bool());
        match spent {
            Some(true) => return Err(stale(format!("The coin {} is spent.", shown(coin)))),
            Some(false) => {}
            // It may come from a step before this one.
            None if ahead > 0 => {}
            None => {
                let message = format!("The node does not know the coin {}.", shown(coin));
                findings.push(finding(FindingCode::Unchecked, message));
            }
        }
    }
    if body.last_slot.is_some() && slot.is_none() {
        return Err(unclear(answers.first()));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::super::body::{Output, Tokens};
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::rpc::check::tests::{fine, garbage, is_unclear, json_answer, refuses, useless, warned};
    use crate::signing::PublicKey;
    use crate::transaction::{Account, Role, Transaction};
    use proptest::prelude::*;

    fn transaction(last_slot: Option<u64>) -> Transaction {
        let output = Output { address: vec![0x61; 29], coins: 5, tokens: Tokens::new(), extra: 0 };
        let inputs =
            vec![OutPoint { transaction: [1; 32], index: 0 }, OutPoint { transaction: [2; 32], index: 3 }];
        let body = Body { inputs, outputs: vec![output], fee: 7, last_slot, auxiliary: None };
        let payment = Payment { body: body.encode(), auxiliary: None };
        let key = PublicKey::Ed25519([7; 32]);
        let account = Account { chain: Chain::Cardano, key, address: "addr".to_owned() };
        Transaction::new(&account, Role::Main, payment)
    }

    fn tip(slot: u64) -> Response {
        json_answer(&json!([{ "hash": "00", "epoch_no": 1, "abs_slot": slot, "block_height": 7 }]))
    }

    fn coin(name: u8, index: u64, spent: bool) -> Value {
        json!({ "tx_hash": hex(&[name; 32]), "tx_index": index, "value": "5", "is_spent": spent })
    }

    fn unspent() -> Response {
        json_answer(&json!([coin(2, 3, false), coin(1, 0, false)]))
    }

    #[test]
    fn the_tip_and_the_coins_are_asked_for() {
        let coins = [format!("{}#0", "01".repeat(32)), format!("{}#3", "02".repeat(32))];
        let question = Method::Post(json!({ "_utxo_refs": coins }).to_string());
        let expected = [
            Request { method: Method::Get, path: "/cardano/tip".to_owned() },
            Request { method: question, path: "/cardano/utxo_info".to_owned() },
        ];
        assert_eq!(rpc::check(&transaction(Some(900)), 0), expected);
    }

    #[test]
    fn a_slot_that_is_over_is_stale() {
        let read = |last, slot| rpc::read_check(&transaction(last), 0, &[tip(slot), unspent()]);
        assert_eq!(read(Some(900), 899), fine());
        assert_eq!(read(None, 901), fine());
        let reason = "It had to be in a block before slot 900, and the chain is at 900.".to_owned();
        assert_eq!(read(Some(900), 900), stale(reason));
    }

    #[test]
    fn a_spent_coin_is_stale() {
        let answers = [tip(1), json_answer(&json!([coin(1, 0, false), coin(2, 3, true)]))];
        let reason = format!("The coin {}#3 is spent.", "02".repeat(32));
        assert_eq!(rpc::read_check(&transaction(Some(900)), 1, &answers), stale(reason));
    }

    #[test]
    fn an_unknown_coin_may_come_from_a_step_before() {
        let answers = [tip(1), json_answer(&json!([coin(1, 0, false), coin(2, 4, true)]))];
        let message = format!("The node does not know the coin {}#3.", "02".repeat(32));
        let expected = warned(FindingCode::Unchecked, &message);
        assert_eq!(rpc::read_check(&transaction(Some(900)), 0, &answers), expected);
        assert_eq!(rpc::read_check(&transaction(Some(900)), 1, &answers), fine());
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_unclear() {
        // An empty list is an answer to the second question.
        for answer in useless().into_iter().filter(|answer| answer.body != b"[]") {
            let transaction = transaction(Some(900));
            assert!(
                is_unclear(&rpc::read_check(&transaction, 0, &[answer.clone(), unspent()])),
                "{answer:?}"
            );
            assert!(is_unclear(&rpc::read_check(&transaction, 0, &[tip(1), answer.clone()])), "{answer:?}");
        }
        assert!(is_unclear(&rpc::read_check(&transaction(None), 0, &[])));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(Some(1)), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
