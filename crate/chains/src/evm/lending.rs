//! What lending pools and queues keep for an account.

use super::Address;
use super::abi::{Arguments, Value};
use super::call::{Call, Coin, Reading, note};
use crate::address::evm;
use crate::explain::{Bought, Effect, Swap};
use crate::known::{self, Protocol};
use crate::{Amount, token};

/// The asset goes to the contract, for a claim of the account that is named: as much of it, there.
pub(super) fn supply(call: &Call<'_>, token: Option<Address>, arguments: &Arguments<'_>) -> Option<Reading> {
    let named = arguments.address("asset").or(token);
    let asset = named.map_or(Coin::Native, Coin::Token);
    let amount = match arguments.list("amounts") {
        Some(amounts) => sum(amounts)?,
        None if named.is_none() => call.value,
        None => arguments.number("amount")?,
    };
    let owner = arguments.address("ownerOrSender").filter(|owner| *owner != [0; 20]);
    let owner = arguments.address("onBehalfOf").or(owner);
    let place = call.known.map_or_else(String::new, |known| known.name.to_owned());
    let swap = Swap {
        buy: Some(Bought::Elsewhere { place, asset: Some(ticker(call, named)) }),
        minimum_out: Some(amount),
        recipient: Some(owner.map_or_else(|| call.account.address.clone(), |owner| evm::encode(&owner))),
        ..call.swap(asset, amount)
    };
    let mut reading = Reading::whole(vec![Effect::Swap(swap), note(arguments)]);
    // The largest number stands for a whole debt: how much that is, the call does not say.
    reading.whole = amount != Amount::MAX && of_known_pool(call, arguments);
    Some(reading)
}

/// What our table calls an asset, or its address.
fn ticker(call: &Call<'_>, token: Option<Address>) -> String {
    let chain = call.account.chain;
    let Some(token) = token else { return chain.native().ticker.to_owned() };
    let id = evm::encode(&token);
    let found = token::on(chain).iter().find(|token| token.contract.eq_ignore_ascii_case(&id));
    found.map_or(id, |token| token.ticker.to_owned())
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
