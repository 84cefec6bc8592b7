//! What rippled is asked before a transaction is signed: the account in the open ledger (`account_info`), which has
//! its next sequence and its balance, and the number of that ledger, which must not be beyond `LastLedgerSequence`.
//!
//! A ticket has no place among the sequences. What must stay in the account (the reserve) is not counted.

use super::Prepared;
use super::explain::{explain, number};
use crate::explain::{Asset, Effect};
use crate::facts::Facts;
use crate::rpc::check::{Found, finding, funds, place, stale, unclear};
use crate::rpc::ripple::{call, result};
use crate::rpc::{Request, Response};
use crate::transaction::Account;
use crate::{Amount, amount};
use serde_json::{Value, json};
use wire::node::FindingCode;

pub(super) fn ask(account: &Account) -> Vec<Request> {
    vec![call("account_info", &json!({ "account": account.address, "ledger_index": "current" }))]
}

pub(super) fn read(transaction: &Prepared, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let object = &transaction.object;
    let result = answers.first().and_then(result).ok_or_else(|| unclear(answers.first()))?;
    let ledger = result.get("ledger_current_index").and_then(Value::as_u64);
    if let (Some(last), Some(ledger)) = (number(object, "LastLedgerSequence"), ledger)
        && u64::from(last) < ledger
    {
        return Err(stale(format!("It had to be in ledger {last}, and the chain is at {ledger}.")));
    }
    if result.get("error").and_then(Value::as_str) == Some("actNotFound") {
        let message = "The account is not on the ledger: nothing was ever sent to it.".to_owned();
        return Ok(vec![finding(FindingCode::InsufficientBalance, message)]);
    }
    let state = result.get("account_data").unwrap_or(&Value::Null);
    let next = state.get("Sequence").and_then(Value::as_u64).ok_or_else(|| unclear(answers.first()))?;
    let gap = match (number(object, "TicketSequence"), number(object, "Sequence")) {
        (None, Some(sequence)) => place(sequence.into(), next, ahead)?,
        _ => None,
    };
    let balance = state.get("Balance").and_then(|drops| amount::parse("Balance", drops.as_str()?).ok());
    let poor = balance.and_then(|balance| funds(account, balance, cost(transaction, account)));
    Ok([gap, poor].into_iter().flatten().collect())
}

/// The fee, and XRP that is paid.
fn cost(transaction: &Prepared, account: &Account) -> Amount {
    let explanation = explain(&transaction.object, account, Facts::default());
    let paid = explanation.effects.iter().map(|effect| match effect {
        Effect::Transfer { asset: Asset::Native, amount, .. } => *amount,
        _ => Amount::ZERO,
    });
    paid.fold(explanation.fee.known().unwrap_or_default(), Amount::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keysign;
    use crate::rpc::check::tests::{fine, garbage, is_unclear, json_answer, refuses, useless, warned};
    use crate::rpc::{self, Method};
    use crate::transaction::{NetworkFacts, Transaction};
    use proptest::prelude::*;
    use wire::node::Checked;

    /// Sequence 99, up to ledger 12,345,678, a thousand drops and a fee of ten.
    fn transaction() -> Transaction {
        let (payload, account) = (super::super::tests::payload(), super::super::tests::account());
        let facts = NetworkFacts::default();
        keysign::transactions(&payload, &account, &facts).unwrap().remove(0)
    }

    fn known(sequence: u32, ledger: u64, balance: &str) -> Response {
        let data = json!({ "Account": "r", "Balance": balance, "Sequence": sequence });
        json_answer(&json!({ "result": {
            "account_data": data, "ledger_current_index": ledger, "status": "success", "validated": false,
        } }))
    }

    fn read(answer: Response, ahead: u32) -> Checked {
        rpc::read_check(&transaction(), ahead, &[answer])
    }

    #[test]
    fn the_account_is_asked_for() {
        let account = super::super::tests::account().address;
        let body = json!({ "method": "account_info",
            "params": [{ "account": account, "ledger_index": "current" }] });
        let method = Method::Post(body.to_string());
        assert_eq!(rpc::check(&transaction(), 0), [Request { method, path: String::new() }]);
    }

    #[test]
    fn a_used_sequence_is_stale_and_a_later_one_waits() {
        assert_eq!(read(known(99, 12_345_678, "1010"), 0), fine());
        assert_eq!(read(known(98, 1, "1010"), 1), fine());
        let used = "Its number 99 is used: the account's next is 100.".to_owned();
        assert_eq!(read(known(100, 1, "1010"), 0), stale(used));
        assert!(matches!(read(known(99, 1, "1010"), 1), Checked::Stale { .. }), "an earlier step has it");
        let gap = "Its number is 99, the account's next is 97: it waits for those between.";
        assert_eq!(read(known(97, 1, "1010"), 0), warned(FindingCode::Gapped, gap));
    }

    #[test]
    fn a_ledger_too_late() {
        let reason = "It had to be in ledger 12345678, and the chain is at 12345679.".to_owned();
        assert_eq!(read(known(99, 12_345_679, "1010"), 0), stale(reason));
    }

    #[test]
    fn a_ticket_waits_for_no_sequence() {
        let mut payload = super::super::tests::with(|specific| specific.sequence = 0);
        let json = json!({ "TransactionType": "OfferCancel", "Account": super::super::tests::account().address,
            "OfferSequence": 3, "TicketSequence": 4 });
        let data = wire::keysign::SignRipple { raw_json: json.to_string() };
        payload.sign_data = Some(wire::keysign::keysign_payload::SignData::SignRipple(data));
        let account = super::super::tests::account();
        let transaction =
            keysign::transactions(&payload, &account, &NetworkFacts::default()).unwrap().remove(0);
        assert_eq!(rpc::read_check(&transaction, 0, &[known(500, 1, "1010")]), fine());
    }

    #[test]
    fn less_than_is_paid() {
        let message = "The account has 0.001009 XRP, and it takes up to 0.00101 XRP.";
        assert_eq!(read(known(99, 1, "1009"), 0), warned(FindingCode::InsufficientBalance, message));
        let missing =
            json!({ "result": { "error": "actNotFound", "ledger_current_index": 1, "status": "error" } });
        let message = "The account is not on the ledger: nothing was ever sent to it.";
        assert_eq!(read(json_answer(&missing), 0), warned(FindingCode::InsufficientBalance, message));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_unclear() {
        let busy = json!({ "result": { "error": "noNetwork", "status": "error" } });
        for answer in useless().into_iter().chain([json_answer(&busy)]) {
            assert!(is_unclear(&read(answer.clone(), 0)), "{answer:?}");
        }
        assert!(is_unclear(&rpc::read_check(&transaction(), 0, &[])));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
