//! The functions that are understood: which contracts have them, and what they mean there.
//!
//! Contracts hash the types alone. The names are ours: the readers of a meaning find what they need by name, so that a
//! new function is a new line in a table. A function means something only at a contract of the protocol that its table
//! is for; the functions of tokens mean the same everywhere, and whose token it is is judged elsewhere.
//!
//! | name | what it is |
//! |---|---|
//! | `sell`, `amount` | what is given, and how much at most; without them, the coins that come with the call |
//! | `buy`, `minimumOut` | what is taken, and how much at least |
//! | `exactOut` | as `minimumOut`, where no more than that is taken and what is left of `amount` is not given |
//! | `path` | the tokens from `sell` to `buy`; `pathBackwards` from `buy` to `sell`; `pathFromNative`, `pathToNative` begin or end with the wrapped coin and stand for the coin |
//! | `recipient` | who gets what is bought; the sender, where no such name is there |
//! | `recipientOrSender` | the same, and zero is the sender |
//! | `…Packed` | an address with flags in its high bytes |
//! | `…32` | an account in 32 bytes |

mod aggregators;
mod bridges;
mod lending;
mod tokens;
pub(super) mod uniswap;

use super::Address;
use crate::known::Protocol;

/// Selector, meaning, signature.
pub(super) type Row = (u32, Meaning, &'static str);

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Tokens or items go to one recipient, or several to several.
    Transfer,
    /// A spender may take tokens.
    Approve,
    /// A spender may take more tokens than before.
    Increase,
    /// An operator may take every item.
    ApproveAll,
    /// One token for another at the contract's own rate.
    Convert(Conversion),
    /// One asset for another, all of it in one call.
    Swap,
    /// A swap or several of Balancer V2, over which the limits say how much of which asset.
    Balance,
    /// LI.FI's swaps, with how they take what is sold.
    Aggregate(Deposits),
    /// An asset goes to another chain.
    Bridge,
    /// A step of a router that keeps what it holds from one step to the next.
    Step(Step),
    /// Several steps of the same router.
    Multicall,
    /// The Universal Router's own little programs.
    Commands,
    /// Tokens to a vault of THORChain or MayaChain, with a memo.
    Deposit,
    /// An asset is kept by the contract for an account: the token of this address, or the one that is named.
    Supply(Option<Address>),
    /// What the contract keeps for the sender goes to an account.
    Withdraw,
    /// A contract may take tokens during the call that it is told to make.
    Lend,
    /// Gives nothing away.
    Note,
    /// Named with its arguments; what it is worth is not read.
    Call,
}

/// A conversion at the contract's own rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conversion {
    pub(super) sell: Converted,
    pub(super) buy: Converted,
    /// One for one, but for so many of the smallest units; otherwise the rate is not in the call.
    pub(super) short_by: Option<u8>,
}

/// A side of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Converted {
    /// The chain's coin.
    Native,
    /// The token that the contract is.
    Contract,
    /// The token of this address.
    Token(Address),
}

/// How LI.FI takes what is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deposits {
    /// Whatever its only swap sells.
    Single,
    /// What those swaps sell that say so.
    Marked,
    /// The coins that come with the call, all of them.
    Value,
}

/// A step of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// One token for another.
    Trade,
    /// Tokens of the sender go to the router or elsewhere.
    Pull,
    /// The router's coins become wrapped ones.
    Wrap,
    /// The router's wrapped coins, all of them, become coins.
    Unwrap,
    /// All that the router holds of a token goes to a recipient.
    Sweep,
    /// The router's coins go back to the sender.
    Refund,
    /// A part of what the router holds of a token, in basis points, goes to a recipient.
    Portion,
    /// An amount that the router holds of a token goes to a recipient.
    Pay,
    /// The router, or another spender, may take tokens of the sender.
    Permit,
    /// Nothing but a check.
    Check,
}

/// The functions of some protocols.
struct Group {
    protocols: &'static [Protocol],
    rows: &'static [Row],
}

const GROUPS: &[&[Group]] =
    &[tokens::GROUPS, uniswap::GROUPS, aggregators::GROUPS, bridges::GROUPS, lending::GROUPS];

/// What the function of this selector means at a contract of this protocol, and its signature.
pub(super) fn find(protocol: Option<Protocol>, selector: [u8; 4]) -> Option<(Meaning, &'static str)> {
    let of_protocol = protocol.and_then(|protocol| {
        let mut groups = GROUPS.iter().copied().flatten().filter(|group| group.protocols.contains(&protocol));
        groups.find_map(|group| row(group.rows, selector))
    });
    of_protocol.or_else(|| row(tokens::ANYWHERE, selector))
}

/// The signature of a function that some known contract has.
pub(super) fn named(selector: [u8; 4]) -> Option<&'static str> {
    GROUPS
        .iter()
        .copied()
        .flatten()
        .find_map(|group| row(group.rows, selector))
        .map(|(_, signature)| signature)
}

fn row(rows: &'static [Row], selector: [u8; 4]) -> Option<(Meaning, &'static str)> {
    let selector = u32::from_be_bytes(selector);
    rows.iter().find(|(found, ..)| *found == selector).map(|&(_, meaning, signature)| (meaning, signature))
}

#[cfg(test)]
mod tests {
    use super::super::abi::{Kind, Parameter, Signature};
    use super::*;

    fn every() -> impl Iterator<Item = &'static Row> {
        GROUPS.iter().copied().flatten().flat_map(|group| group.rows).chain(tokens::ANYWHERE)
    }

    /// The selectors follow from the signatures.
    #[test]
    fn selectors() {
        for (selector, _, text) in every() {
            let signature = Signature::parse(text).expect(text);
            assert_eq!(
                format!("{:08x}", u32::from_be_bytes(signature.selector())),
                format!("{selector:08x}"),
                "{text}"
            );
        }
    }

    /// No contract has two functions of one selector.
    #[test]
    fn a_selector_has_one_meaning_at_a_contract() {
        for protocol in Protocol::ALL {
            let groups =
                || GROUPS.iter().copied().flatten().filter(|group| group.protocols.contains(protocol));
            let rows: Vec<&Row> = groups().flat_map(|group| group.rows).chain(tokens::ANYWHERE).collect();
            for (index, (selector, _, text)) in rows.iter().enumerate() {
                let first = rows.iter().position(|(other, ..)| other == selector);
                assert_eq!(first, Some(index), "{protocol:?} {text}");
            }
        }
    }

    /// A name that decides something is found once: the first of two might be the wrong one. What is bought last counts.
    #[test]
    fn names_are_unambiguous() {
        fn names(parameters: &[Parameter], found: &mut Vec<&'static str>) {
            for Parameter { name, kind } in parameters {
                found.push(name);
                let mut kind = kind;
                while let Kind::List(of) | Kind::Array(of, _) = kind {
                    kind = of;
                }
                if let Kind::Tuple(parameters) = kind {
                    names(parameters, found);
                }
            }
        }
        let ours = [
            "sell",
            "sellPacked",
            "sell32",
            "amount",
            "sent",
            "minimumOut",
            "exactOut",
            "path",
            "route",
            "recipient",
            "recipientOrSender",
            "recipientPacked",
            "recipient32",
            "nonEVMReceiver",
            "spender",
            "owner",
            "from",
            "to",
            "token",
            "asset",
            "vault",
            "memo",
            "refundAddress",
            "refundAddress32",
            "buyThere",
            "buyThere32",
            "quoted",
            "onBehalfOf",
            "buy",
            "destinationChainId",
            "destinationEid",
            "destinationDomain",
            "maxFee",
            "limit",
        ];
        for (_, _, text) in every().chain(uniswap::COMMANDS) {
            let mut found = Vec::new();
            names(Signature::parse(text).expect(text).parameters(), &mut found);
            for name in ours {
                let count = found.iter().filter(|one| **one == name).count();
                assert!(count <= 1, "{name} in {text}");
            }
        }
    }

    /// Every function is among the calls that another library encoded, under the same selector.
    #[test]
    fn others_agree() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/evm/calls.json");
        let vectors: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("JSON");
        let calls = vectors["calls"].as_array().expect("calls");
        for (selector, _, text) in every() {
            let canonical = Signature::parse(text).expect(text).canonical();
            let case = calls.iter().find(|case| case["signature"] == canonical).expect(&canonical);
            assert_eq!(case["selector"], format!("0x{selector:08x}"), "{canonical}");
        }
    }
}
