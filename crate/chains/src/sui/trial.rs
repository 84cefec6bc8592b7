//! A trial run on Sui: `simulateTransaction` of the GraphQL schema, which takes the bytes that would be signed and gives
//! their effects. Balances change by coin type and owner, and the sender's SUI also by the gas: the computation and the
//! storage that it pays for, less what is given back for storage that it frees.
//!
//! What is not a coin has no balance: objects that change hands show in what the commands say. A node runs one
//! transaction at a time, so only the first of several is run.

use super::data::{TransactionData, full};
use super::{NATIVE, select};
use crate::explain::Asset;
use crate::rpc::sui::graphql;
use crate::rpc::trial::{Ran, Sums, Trial, named, unusable};
use crate::rpc::{Request, Response};
use crate::{Amount, amount, encoding};
use serde_json::{Value, json};
use wire::trial::{NoTrialReason, TrialGap};

/// As many changes as an indexer lists at once.
const SIMULATE: &str = "query($transaction:JSON!){simulateTransaction(transaction:$transaction){effects{\
                        status executionError{message} \
                        gasEffects{gasSummary{computationCost storageCost storageRebate}} \
                        balanceChanges(first:50){pageInfo{hasNextPage} \
                        nodes{owner{address} coinType{repr} amount}}}}}";

pub(super) fn ask(data: &TransactionData) -> Vec<Request> {
    let bytes = encoding::base64(&data.encode());
    vec![graphql(SIMULATE, &json!({ "transaction": { "bcs": { "value": bytes } } }))]
}

pub(super) fn read(data: &TransactionData, later: usize, answers: &[Response]) -> Trial {
    let answer = answers.first().filter(|answer| answer.status == 200).and_then(Response::json);
    let Some(answer) = answer else { return unusable(answers.first()) };
    if let Some(error) = answer.pointer("/errors/0") {
        return refused(error);
    }
    outcome(data, later, &answer).unwrap_or(Trial::UNREADABLE)
}

/// An indexer whose schema is another one does not know the question; everything else is trouble of its own.
fn refused(error: &Value) -> Trial {
    let code = error.pointer("/extensions/code").and_then(Value::as_str).unwrap_or_default();
    let unknown = code == "GRAPHQL_VALIDATION_FAILED";
    Trial::NotRun(if unknown { NoTrialReason::NodeHasNone } else { NoTrialReason::NoAnswer })
}

fn outcome(data: &TransactionData, later: usize, answer: &Value) -> Option<Trial> {
    let effects = answer.pointer("/data/simulateTransaction/effects")?;
    let cost = |name: &str| {
        let cost = effects.pointer("/gasEffects/gasSummary")?.get(name)?;
        cost.as_u64().or_else(|| cost.as_str()?.parse().ok()).map(Amount::from)
    };
    let paid = cost("computationCost")?.saturating_add(cost("storageCost")?);
    let returned = cost("storageRebate")?;
    let fee = paid.saturating_sub(returned);
    match effects.get("status")?.as_str()? {
        "SUCCESS" => {}
        "FAILURE" => {
            let message = effects.pointer("/executionError/message").and_then(Value::as_str);
            let ran = Ran::new(Sums::default(), Some(fee), 1);
            return Some(Trial::Ran(ran.failing(0, message.unwrap_or("the transaction fails"))));
        }
        _ => return None,
    }
    let sender = full(&data.sender);
    let mut sums = Sums::default();
    for change in effects.pointer("/balanceChanges/nodes")?.as_array()? {
        if change.pointer("/owner/address").and_then(Value::as_str) != Some(&sender) {
            continue;
        }
        let coin_type = change.pointer("/coinType/repr")?.as_str()?;
        let native = select::same_type(coin_type, NATIVE);
        let asset = if native { Asset::Native } else { named(coin_type)? };
        let amount = change.get("amount")?.as_str()?;
        match amount.strip_prefix('-') {
            Some(lost) => sums.lose(asset, amount::parse("amount", lost).ok()?),
            None => sums.gain(asset, amount::parse("amount", amount).ok()?),
        }
    }
    // The sender's coins changed by the gas too, which is told apart.
    sums.gain(Asset::Native, paid);
    sums.lose(Asset::Native, returned.min(paid));
    let mut trial = Trial::of_first(sums, Some(fee), later);
    if let Trial::Ran(ran) = &mut trial
        && effects.pointer("/balanceChanges/pageInfo/hasNextPage")?.as_bool()?
    {
        ran.gaps.push(TrialGap::MoreAssets);
    }
    Some(trial)
}

#[cfg(test)]
mod tests;
