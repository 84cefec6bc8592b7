//! Tokens, items and allowances.

use super::Address;
use super::abi::{Arguments, Value};
use super::call::Call;
use crate::Amount;
use crate::address::evm;
use crate::amount::is_unlimited;
use crate::explain::{Asset, Effect};

/// What goes to whom.
pub(super) fn transfers(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
    if let Some(list) = arguments.list("transfers") {
        let each = |value: &Value<'_>| match value {
            Value::Tuple(arguments) => transfer(call, arguments, token(call, arguments), None),
            _ => None,
        };
        return list.iter().map(each).collect();
    }
    if let (Some(ids), Some(amounts)) = (arguments.list("ids"), arguments.list("amounts")) {
        let each = |pair: (&Value<'_>, &Value<'_>)| match pair {
            (Value::Number(id), Value::Number(amount)) => {
                transfer(call, arguments, item(call, *id), Some(*amount))
            }
            _ => None,
        };
        return (ids.len() == amounts.len()).then(|| ids.iter().zip(amounts).map(each).collect())?;
    }
    if let Some(id) = arguments.number("id") {
        let amount = arguments.number("amount").unwrap_or(Amount::ONE);
        return Some(vec![transfer(call, arguments, item(call, id), Some(amount))?]);
    }
    let asset = token(call, arguments);
    let of_collection = arguments.address("from").and_then(|_| in_collection(call, arguments));
    let (asset, amount) = of_collection.map_or((asset, None), |item| (item, Some(Amount::ONE)));
    Some(vec![transfer(call, arguments, asset, amount)?])
}

/// The token of the arguments, or the contract itself.
fn token(call: &Call<'_>, arguments: &Arguments<'_>) -> Asset {
    Asset::Token { id: evm::encode(&arguments.address("token").unwrap_or(call.contract)) }
}

fn item(call: &Call<'_>, id: Amount) -> Asset {
    Asset::Item { collection: evm::encode(&call.contract), id }
}

/// The item whose number stands where a token has its amount: ERC-721 has the same function, and a node says that the
/// contract is a collection.
fn in_collection(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Asset> {
    let id = arguments.number("amount").filter(|_| arguments.first("token").is_none())?;
    let fact = call.facts.token(&evm::encode(&call.contract))?;
    fact.collection.then(|| item(call, id))
}

fn transfer(
    call: &Call<'_>,
    arguments: &Arguments<'_>,
    asset: Asset,
    amount: Option<Amount>,
) -> Option<Effect> {
    let to = evm::encode(&arguments.address("to")?);
    let amount = amount.or_else(|| arguments.number("amount"))?;
    let from = arguments.address("from").filter(|from| !call.is_sender(from));
    Some(match from {
        None => Effect::Transfer { asset, to, amount },
        Some(from) => Effect::TransferFrom { asset, from: evm::encode(&from), to, amount },
    })
}

/// An allowance of another owner's tokens, which a signature of theirs permits, is not the sender's.
pub(super) fn approvals(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
    if arguments.address("owner").is_some_and(|owner| !call.is_sender(&owner)) {
        return None;
    }
    let spender = arguments.address("spender").unwrap_or(call.contract);
    let Some(list) = arguments.list("details") else {
        return approval(call, arguments, spender);
    };
    let each = |value: &Value<'_>| match value {
        Value::Tuple(details) => approval(call, details, spender),
        _ => None,
    };
    list.iter().map(each).collect::<Option<Vec<_>>>().map(|effects| effects.concat())
}

/// Permit2 names the token, and when the allowance ends; some tokens know all or nothing.
fn approval(call: &Call<'_>, arguments: &Arguments<'_>, spender: Address) -> Option<Vec<Effect>> {
    let spender = evm::encode(&spender);
    if let Some(asset) = in_collection(call, arguments) {
        return Some(vec![Effect::Approve { asset, spender, amount: Amount::ONE, unlimited: false }]);
    }
    let amount = match arguments.first("allowed") {
        Some(Value::Bool(true)) => Amount::MAX,
        Some(Value::Bool(false)) => Amount::ZERO,
        _ => arguments.number("amount")?,
    };
    let unlimited = is_unlimited(amount);
    let approve = Effect::Approve { asset: token(call, arguments), spender, amount, unlimited };
    let end = arguments.number("expiration");
    let note = end.map(|end| Effect::note("allowance", [("expiration", end.to_string())]));
    Some([approve].into_iter().chain(note).collect())
}

pub(super) fn approve_all(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
    let Some(Value::Bool(approved)) = arguments.first("approved") else { return None };
    let operator = evm::encode(&arguments.address("operator")?);
    let collection = evm::encode(&call.contract);
    Some(vec![Effect::ApproveAll { collection, operator, approved: *approved }])
}
