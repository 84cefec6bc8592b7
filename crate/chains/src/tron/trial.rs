//! A trial run on a Tron node: `triggerconstantcontract`, with the events and the inner calls of the run. A payment or a
//! stake runs no code, and does what its bytes say. A node runs one transaction at a time, so only the first of several
//! is run.
//!
//! The energy that the call takes is bounded by the transaction's fee limit; its price is not in the answer.

use super::message::{Operation, Trigger};
use super::{Tron, check, explain};
use crate::address::tron;
use crate::encoding::from_hex;
use crate::evm::logs::movements;
use crate::explain::Asset;
use crate::rpc::trial::{Ran, Sums, Trial, unusable};
use crate::rpc::tron::object;
use crate::rpc::{Request, Response};
use crate::{Amount, amount};
use serde_json::Value;
use wire::trial::NoTrialReason;

pub(super) fn ask(tron: &Tron) -> Vec<Request> {
    check::trigger(tron).map(check::constant_call).into_iter().collect()
}

pub(super) fn read(tron: &Tron, later: usize, answers: &[Response]) -> Trial {
    let Some(trigger) = check::trigger(tron) else {
        let plain = !matches!(tron.operation, Operation::Trigger(_));
        return Trial::NotRun(if plain { NoTrialReason::NotNeeded } else { NoTrialReason::NodeHasNone });
    };
    let Some(answer) = answers.first().and_then(object) else { return unusable(answers.first()) };
    let fee = (tron.raw.fee_limit > 0).then(|| explain::amount(tron.raw.fee_limit));
    if let Some(reason) = check::failure(&answer) {
        return Trial::Ran(Ran::new(Sums::default(), fee, 1).failing(0, &reason));
    }
    let ran = answer.pointer("/result/result").and_then(Value::as_bool) == Some(true);
    let sums = Some(&answer).filter(|_| ran).and_then(|answer| sums(trigger, answer));
    sums.map_or(Trial::UNREADABLE, |sums| Trial::of_first(sums, fee, later))
}

fn sums(trigger: &Trigger, answer: &Value) -> Option<Sums> {
    let own = trigger.owner.as_slice();
    let account = |address: [u8; 20]| [&[0x41], address.as_slice()].concat();
    let mut sums = Sums::default();
    sums.lose(Asset::Native, explain::amount(trigger.call_value));
    for log in list(answer.get("logs"))? {
        for moved in movements(log)? {
            let (leaves, comes) = (account(moved.from) == own, account(moved.to) == own);
            let contract = tron::encode(&moved.contract);
            let asset = match moved.item {
                Some(id) => Asset::Item { collection: contract, id },
                None => Asset::Token { id: contract },
            };
            sums.moved(&asset, moved.amount, leaves, comes);
        }
    }
    for call in list(answer.get("internal_transactions"))? {
        if call.get("rejected").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let is_own = |name: &str| Some(from_hex("address", call.get(name)?.as_str()?).ok()? == own);
        let (leaves, comes) = (is_own("caller_address")?, is_own("transferTo_address")?);
        for value in list(call.get("callValueInfo"))? {
            let amount = value.get("callValue").map_or(Some(0), Value::as_u64)?;
            let asset = match value.get("tokenId").map(|id| id.as_str()) {
                None => Asset::Native,
                Some(id) => Asset::Token { id: amount::parse("tokenId", id?).ok()?.to_string() },
            };
            sums.moved(&asset, Amount::from(amount), leaves, comes);
        }
    }
    Some(sums)
}

/// Nothing is left out where it is empty.
fn list(value: Option<&Value>) -> Option<&[Value]> {
    match value {
        None => Some(&[]),
        Some(list) => list.as_array().map(Vec::as_slice),
    }
}

#[cfg(test)]
mod tests;
