//! The compiled contracts of `contracts/`, and a wallet's calls of them.

use crate::Error;
use crate::abi::{Arg, encode};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A contract as `contracts/compile.mjs` writes it.
#[derive(Debug, Deserialize)]
struct Contract {
    /// The creation code, in hex.
    creation: String,
    /// Selectors by signature, in hex.
    selectors: BTreeMap<String, String>,
}

fn contract(name: &str) -> Result<Contract, Error> {
    let text = include_str!("../contracts/contracts.json");
    let mut all: BTreeMap<String, Contract> =
        serde_json::from_str(text).map_err(|error| Error::shape("contracts.json", error))?;
    all.remove(name).ok_or_else(|| Error::NoContract(name.to_owned()))
}

/// The data of the transaction that creates a contract.
pub fn creation(name: &str, args: &[Arg<'_>]) -> Result<String, Error> {
    Ok(format!("0x{}{}", contract(name)?.creation, encode(args)))
}

/// The call data of one of the contract's functions, named without its types.
pub fn call(name: &str, function: &str, args: &[Arg<'_>]) -> Result<String, Error> {
    let contract = contract(name)?;
    let named = |signature: &str| signature.split('(').next() == Some(function);
    let found = contract.selectors.iter().find(|(signature, _)| named(signature));
    let (_, selector) = found.ok_or_else(|| Error::NoContract(format!("{name}.{function}")))?;
    Ok(format!("0x{selector}{}", encode(args)))
}

/// `approve(spender, amount)`; without an amount, unlimited.
pub fn approve(spender: &str, amount: Option<u128>) -> Result<String, Error> {
    call("Token", "approve", &[Arg::Address(spender), amount.map_or(Arg::Max, Arg::Uint)])
}

/// `transfer(to, amount)`.
pub fn transfer(to: &str, amount: u128) -> Result<String, Error> {
    call("Token", "transfer", &[Arg::Address(to), Arg::Uint(amount)])
}

/// A transfer over a bridge, by LayerZero's `send`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BridgeTransfer<'a> {
    /// LayerZero's endpoint id of the destination chain: 30110 is Arbitrum.
    pub endpoint: u32,
    /// The recipient there.
    pub to: &'a str,
    /// The amount.
    pub amount: u128,
    /// The message fee in the source chain's native coin: the value of the transaction.
    pub fee: u128,
    /// The recipient of a fee refund.
    pub refund: &'a str,
}

/// `send` of the bridge.
pub fn bridge(transfer: &BridgeTransfer<'_>) -> Result<String, Error> {
    let param = Arg::Tuple(vec![
        Arg::Uint(transfer.endpoint.into()),
        Arg::Address(transfer.to),
        Arg::Uint(transfer.amount),
        Arg::Uint(transfer.amount),
        Arg::Bytes(&[]),
        Arg::Bytes(&[]),
        Arg::Bytes(&[]),
    ]);
    let fee = Arg::Tuple(vec![Arg::Uint(transfer.fee), Arg::Uint(0)]);
    call("Bridge", "send", &[param, fee, Arg::Address(transfer.refund)])
}

/// A swap by the router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap<'a> {
    /// The token sold.
    pub sell: &'a str,
    /// The token bought.
    pub buy: &'a str,
    /// The amount sold.
    pub amount: u128,
    /// The minimum amount bought.
    pub at_least: u128,
    /// The recipient.
    pub to: &'a str,
    /// The deadline in seconds since 1970.
    pub deadline: u64,
}

/// `swapExactTokensForTokens` of the router.
pub fn swap(swap: &Swap<'_>) -> Result<String, Error> {
    let path = [swap.sell, swap.buy];
    let args = [
        Arg::Uint(swap.amount),
        Arg::Uint(swap.at_least),
        Arg::Addresses(&path),
        Arg::Address(swap.to),
        Arg::Uint(swap.deadline.into()),
    ];
    call("Router", "swapExactTokensForTokens", &args)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published selectors of these functions.
    #[test]
    fn selectors_match_the_published_ones() {
        let zero = "0x0000000000000000000000000000000000000000";
        let bridged = BridgeTransfer { endpoint: 30_110, to: zero, amount: 1, fee: 0, refund: zero };
        let asked = Swap { sell: zero, buy: zero, amount: 1, at_least: 1, to: zero, deadline: 0 };
        for (data, selector) in [
            (approve(zero, None), "0x095ea7b3"),
            (transfer(zero, 1), "0xa9059cbb"),
            (bridge(&bridged), "0xc7c7f5b3"),
            (swap(&asked), "0x38ed1739"),
        ] {
            assert_eq!(data.unwrap().get(..10), Some(selector));
        }
    }

    #[test]
    fn unknown_names_are_errors() {
        assert_eq!(creation("Tokn", &[]).unwrap_err().code(), "no_contract");
        assert_eq!(call("Token", "burn", &[]).unwrap_err().code(), "no_contract");
    }
}
