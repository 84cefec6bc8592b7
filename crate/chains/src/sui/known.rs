//! The functions of the system's packages that are read whole: they move coins that are traced, or keep them with the
//! sender. Sources: `sui-framework/packages` (`coin.move`, `pay.move`, `transfer.move`, `sui_system.move`).
//!
//! A type argument is part of what is signed, and the network refuses a coin of another type: it proves what a coin is of.

use super::command::{Argument, MoveCall};
use super::data::{Input, full};
use super::explain::{Coin, Trace};
use super::type_tag::{FRAMEWORK, TypeTag, system};
use crate::explain::{Asset, Effect};

/// The package of staking.
const SYSTEM: [u8; 32] = system(3);
/// The object of the system's state.
const STATE: [u8; 32] = system(5);

/// What a known call makes; `None` where it is not known, or not called as it must be.
pub(super) fn run(trace: &mut Trace<'_>, call: &MoveCall) -> Option<Vec<Coin>> {
    let name = (call.module.as_str(), call.function.as_str());
    match (call.package, call.types.as_slice()) {
        (FRAMEWORK, [kind]) => coins(trace, name, kind, &call.arguments),
        (SYSTEM, []) => staking(trace, name, &call.arguments),
        _ => None,
    }
}

fn coins(
    trace: &mut Trace<'_>,
    (module, function): (&str, &str),
    kind: &TypeTag,
    arguments: &[Argument],
) -> Option<Vec<Coin>> {
    let none = Some(Vec::new());
    match (module, function, arguments) {
        ("transfer", "public_transfer", [object, to]) => {
            trace.transfer("public_transfer", *object, *to, Some(kind));
            none
        }
        ("coin", "zero", []) => Some(vec![Coin { asset: Some(asset(kind)), amount: Some(0) }]),
        // It fails unless there is nothing in it.
        ("coin", "destroy_zero", [coin]) => {
            trace.take(*coin);
            none
        }
        ("coin", "split", [coin, amount]) => {
            typed(trace, *coin, kind);
            let made = trace.split(*coin, &[*amount]).into_iter();
            Some(made.map(|part| Coin { asset: Some(asset(kind)), ..part }).collect())
        }
        ("pay", "split", [coin, amount]) => {
            trace.split(*coin, &[*amount]);
            none
        }
        ("pay", "keep", [coin]) => {
            trace.take(*coin);
            none
        }
        ("coin" | "pay", "join", [into, coin]) | ("pay", "join_vec", [into, coin]) => {
            typed(trace, *into, kind);
            trace.merge(*into, &[*coin]);
            none
        }
        ("pay", "split_and_transfer", [coin, amount, to]) => {
            let shown = format!("a part of {}", trace.text(*coin));
            let amount = trace.split(*coin, &[*amount]).pop().and_then(|part| part.amount);
            let to = trace.address(*to);
            trace.pay("split_and_transfer", &shown, Coin { asset: Some(asset(kind)), amount }, to);
            none
        }
        ("pay", "join_vec_and_transfer", [coins, to]) => {
            let (shown, to) = (trace.text(*coins), trace.address(*to));
            let amount = trace.take(*coins).amount;
            trace.pay("join_vec_and_transfer", &shown, Coin { asset: Some(asset(kind)), amount }, to);
            none
        }
        _ => None,
    }
}

fn staking(
    trace: &mut Trace<'_>,
    (module, function): (&str, &str),
    arguments: &[Argument],
) -> Option<Vec<Coin>> {
    let (state, rest) = arguments.split_first()?;
    let is_state = matches!(trace.input(*state), Some(Input::Shared { id, .. }) if *id == STATE);
    match (module, function, rest) {
        ("sui_system", "request_add_stake", [coin, validator]) if is_state => {
            let validator = trace.address(*validator)?;
            // The function takes SUI and nothing else.
            let amount = trace.coin(*coin).and_then(|coin| coin.amount)?;
            trace.take(*coin);
            // What is staked stays the sender's.
            let fields = [("validator", validator), ("amount", amount.to_string())];
            trace.effects.push(Effect::note("request_add_stake", fields));
            Some(Vec::new())
        }
        ("sui_system", "request_withdraw_stake", [stake]) if is_state => {
            let stake = match trace.input(*stake)? {
                Input::Owned(object) => full(&object.id),
                _ => return None,
            };
            trace.effects.push(Effect::note("request_withdraw_stake", [("stake", stake)]));
            Some(Vec::new())
        }
        _ => None,
    }
}

/// A coin's type is what a call says that it is.
fn typed(trace: &mut Trace<'_>, coin: Argument, kind: &TypeTag) {
    if let Some(coin) = trace.coin(coin) {
        coin.asset = Some(asset(kind));
    }
}

fn asset(kind: &TypeTag) -> Asset {
    super::explain::named(&kind.text())
}
