//! Deposits to the vaults of THORChain and MayaChain, over their router or directly.
//!
//! The router hands everything to the vault that the caller names, with a memo that it does not look at. So the vault is
//! who is paid, unless the network's own nodes say that it takes deposits there: then the memo is read.

use super::abi::Arguments;
use super::call::{Call, Coin, Reading};
use crate::address::evm;
use crate::explain::{Asset, Effect, Party, PartyRole};
use crate::{Amount, Chain, thorchain_memo};

/// The zero address is the native coin, and the amount is then what comes with the call.
pub(super) fn read(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let memo = arguments.text("memo")?;
    let vault = evm::encode(&arguments.address("vault")?);
    let (sell, amount) = match arguments.address("asset")? {
        token if token == [0; 20] => (Coin::Native, call.value),
        token => (Coin::Token(token), arguments.number("amount")?),
    };
    let mut reading = Reading { parties: thorchain_memo::parties(memo), whole: true, ..Reading::default() };
    let network = call.facts.deposit_network(call.account.chain, &vault);
    let router = evm::encode(&call.contract);
    let asked = |network| thorchain_memo::effect(network, memo, &router, &sell.asset(), amount);
    if let Some(swap) = network.and_then(asked) {
        reading.effects.push(swap);
        reading.parties.push(Party::new(vault, PartyRole::Router));
        return Some(reading);
    }
    reading.effects.push(Effect::Transfer { asset: sell.asset(), to: vault, amount });
    reading.effects.extend(other(memo));
    Some(reading)
}

/// A payment with a memo to an account, if a network's nodes say that it takes deposits there.
pub(super) fn payment(call: &Call<'_>, memo: &str) -> Option<Reading> {
    let (chain, to) = (call.account.chain, evm::encode(&call.contract));
    call.facts.deposit_network(chain, &to)?;
    let paid = thorchain_memo::payment(chain, call.facts, memo, &to, Asset::Native, call.value);
    let effects = [paid].into_iter().chain(other(memo)).collect();
    Some(Reading { effects, parties: thorchain_memo::parties(memo), whole: true, ..Reading::default() })
}

/// What a memo asks for that is no swap: named where it can be read, and not weighed.
fn other(memo: &str) -> Option<Effect> {
    let is_swap = thorchain_memo::effect(Chain::ThorChain, memo, "", &Asset::Native, Amount::ZERO).is_some();
    let unread = || Effect::Unknown { what: "memo".to_owned(), bytes: memo.len() };
    (!is_swap).then(|| thorchain_memo::other(memo).unwrap_or_else(unread))
}
