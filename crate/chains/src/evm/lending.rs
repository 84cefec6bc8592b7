//! What lending pools and queues keep for an account.

use super::Address;
use super::abi::{Arguments, Value};
use super::call::{Call, Coin, Reading, note};
use crate::Amount;
use crate::address::evm;
use crate::explain::{Effect, PartyRole};
use crate::known::{self, Protocol};

/// The asset goes to the contract, for a claim of the account that is named.
pub(super) fn supply(call: &Call<'_>, token: Option<Address>, arguments: &Arguments<'_>) -> Option<Reading> {
    let named = arguments.address("asset").or(token);
    let asset = named.map_or(Coin::Native, Coin::Token);
    let amount = match arguments.list("amounts") {
        Some(amounts) => sum(amounts)?,
        None if named.is_none() => call.value,
        None => arguments.number("amount")?,
    };
    let to = evm::encode(&call.contract);
    let paid = Effect::Transfer { asset: asset.asset(), to, amount };
    let mut reading = Reading::whole(vec![paid, note(arguments)]);
    // The largest number stands for a whole debt: how much that is, the call does not say.
    reading.whole = amount != Amount::MAX && of_known_pool(call, arguments);
    reading.party(arguments.address("onBehalfOf"), PartyRole::Recipient);
    reading.party(arguments.address("ownerOrSender"), PartyRole::Recipient);
    Some(reading)
}

/// What the contract keeps for the sender goes to the sender, or to another account: then it is given away.
pub(super) fn withdraw(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let asset = arguments.address("asset").map_or(Coin::Native, Coin::Token);
    let (amount, to) = (arguments.number("amount")?, arguments.address("to")?);
    let mut reading = Reading::whole(vec![note(arguments)]);
    reading.whole = of_known_pool(call, arguments);
    if !call.is_sender(&to) {
        reading.effects.insert(0, Effect::Transfer { asset: asset.asset(), to: evm::encode(&to), amount });
        reading.whole &= amount != Amount::MAX && asset != Coin::Native;
    }
    Some(reading)
}

/// Where the pool is an argument, it must be one of ours.
fn of_known_pool(call: &Call<'_>, arguments: &Arguments<'_>) -> bool {
    arguments.address("pool").is_none_or(|pool| {
        known::evm(call.account.chain, &pool).is_some_and(|known| known.protocol == Protocol::AaveV3Pool)
    })
}

fn sum(amounts: &[Value<'_>]) -> Option<Amount> {
    amounts.iter().try_fold(Amount::ZERO, |sum, amount| match amount {
        Value::Number(amount) => sum.checked_add(*amount),
        _ => None,
    })
}
