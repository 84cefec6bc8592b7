//! The memos that instruct THORChain and MayaChain what to do with what they receive.
//!
//! `ACTION:PARAMETER:…`, parameters by position, an empty one left to the network. The action has a long name and
//! short ones (`SWAP`, `s`, `=`), in any case. What stands behind a `|` is not read. Both networks count every amount in
//! a memo in 10⁻⁸ of a coin, not in the coin's own smallest unit; amounts may be written as `2e9`.
//! Source: the networks' developer documentation, "Transaction Memos", and `x/thorchain/memo` of thornode.

use crate::explain::{Asset, Bought, Effect, Party, PartyRole, Swap};
use crate::facts::{Facts, Wanted};
use crate::{Amount, Chain, address};
use wire::node::FactQuery;

/// An action: its documented name, what else it is called, and what its parameters mean.
struct Action {
    name: &'static str,
    short: &'static [&'static str],
    parameters: &'static [&'static str],
    /// Returns to the signer what the signer has in the network, or puts into it what stays the signer's.
    keeps: bool,
}

const fn action(
    name: &'static str,
    short: &'static [&'static str],
    parameters: &'static [&'static str],
) -> Action {
    Action { name, short, parameters, keeps: false }
}

const fn keeps(
    name: &'static str,
    short: &'static [&'static str],
    parameters: &'static [&'static str],
) -> Action {
    Action { name, short, parameters, keeps: true }
}

/// With the last three the network sells what is bought once more, through a contract on the chain it goes to.
const OF_SWAP: &[&str] = &[
    "asset",
    "destination",
    "limit",
    "affiliate",
    "affiliate_fee",
    "aggregator",
    "final_token",
    "final_minimum",
];
/// How many of the above say all of a swap that ends with `asset`.
const OF_PLAIN_SWAP: usize = 5;
const SWAP: Action = action("SWAP", &["s", "="], OF_SWAP);
const LIMIT_SWAP: Action = action("LIMIT_SWAP", &["=<", "limito", "lo"], OF_SWAP);

const OTHERS: &[Action] = &[
    action("ADD", &["a", "+"], &["pool", "paired_address", "affiliate", "affiliate_fee"]),
    keeps("WITHDRAW", &["wd", "-"], &["pool", "basis_points", "asset"]),
    action("DONATE", &["d", "%"], &["pool"]),
    action("BOND", &[], &["node", "provider", "fee"]),
    action("UNBOND", &[], &["node", "amount", "provider"]),
    action("LEAVE", &[], &["node"]),
    action("RUNEPOOL", &[], &[]),
    keeps("POOL+", &[], &[]),
    keeps("POOL-", &[], &["basis_points"]),
    action("CACAOPOOL", &[], &[]),
    action("TCY", &[], &["address"]),
    keeps("TCY+", &[], &[]),
    keeps("TCY-", &[], &["basis_points"]),
    action("TRADE+", &[], &["address"]),
    action("TRADE-", &[], &["address"]),
    action("SECURE+", &[], &["address"]),
    action("SECURE-", &[], &["address"]),
    action("SWITCH", &[], &["address"]),
    action("LOAN+", &["$+"], &["asset", "destination", "minimum"]),
    action("LOAN-", &["$-"], &["asset", "destination", "minimum"]),
    action("EXEC", &["x"], &["contract", "message"]),
    action("m=<", &[], &["source", "target", "modified"]),
    action("~", &["n", "name"], &["name", "chain", "address", "owner", "preferred_asset", "expiry"]),
];

/// Assets that swaps may call by one letter.
const THORCHAIN_SHORT: &[(&str, &str)] = &[
    ("a", "AVAX.AVAX"),
    ("b", "BTC.BTC"),
    ("c", "BCH.BCH"),
    ("d", "DOGE.DOGE"),
    ("e", "ETH.ETH"),
    ("f", "BASE.ETH"),
    ("g", "GAIA.ATOM"),
    ("l", "LTC.LTC"),
    ("r", "THOR.RUNE"),
    ("s", "BSC.BNB"),
    ("x", "XRP.XRP"),
];

/// As [`THORCHAIN_SHORT`]; some letters mean something else.
const MAYACHAIN_SHORT: &[(&str, &str)] = &[
    ("b", "BTC.BTC"),
    ("c", "MAYA.CACAO"),
    ("d", "DASH.DASH"),
    ("e", "ETH.ETH"),
    ("k", "KUJI.KUJI"),
    ("r", "THOR.RUNE"),
    ("z", "ZEC.ZEC"),
];

/// The networks read no memo that is longer; half of it is what they allow today.
const MAX_LENGTH: usize = 500;

/// The swap that a memo asks for when `amount` of `sell` goes to `router`, an account of `network`. `None` where the
/// memo asks for something else, is no such memo or is not read whole: what is paid is then a plain payment.
pub(crate) fn effect(
    network: Chain,
    memo: &str,
    router: &str,
    sell: &Asset,
    amount: Amount,
) -> Option<Effect> {
    let (word, parameters) = split(memo)?;
    if !SWAP.is(word) && !LIMIT_SWAP.is(word) {
        return None;
    }
    let swap = swap(network, parameters)?;
    Some(Effect::Swap(Swap { router: router.to_owned(), sell: sell.clone(), amount, ..swap }))
}

/// What a payment with a memo is: a swap if the network's own nodes say that it takes deposits at this account, otherwise
/// a payment to that account, whatever the memo says.
pub(crate) fn payment(
    chain: Chain,
    facts: Facts<'_>,
    memo: &str,
    to: &str,
    asset: Asset,
    amount: Amount,
) -> Effect {
    let network = facts.deposit_network(chain, to);
    let asked = network.and_then(|network| effect(network, memo, to, &asset, amount));
    asked.unwrap_or_else(|| Effect::Transfer { asset, to: to.to_owned(), amount })
}

/// The addresses that a memo names, if it is one that a swap network reads: they are paid if the network does.
pub(crate) fn parties(memo: &str) -> Vec<Party> {
    let Some((word, rest)) = split(memo) else { return Vec::new() };
    let swaps = [&SWAP, &LIMIT_SWAP];
    let Some(action) = swaps.into_iter().chain(OTHERS).find(|action| action.is(word)) else {
        return Vec::new();
    };
    let mut parties = Vec::new();
    let values: Vec<&str> = rest.split(':').collect();
    for (place, value) in values.iter().copied().enumerate() {
        let role = match action.parameters.get(place).copied().unwrap_or_default() {
            "destination" | "address" | "paired_address" | "owner" | "contract" | "aggregator" => {
                PartyRole::Destination
            }
            "affiliate" if values.get(place + 1).is_some_and(|fee| is_nothing(fee)) => continue,
            "affiliate" => PartyRole::FeePayee,
            "provider" | "node" => PartyRole::Authority,
            // Places differ between the networks and their versions.
            _ if address::cosmos::check_any(value).is_ok() => PartyRole::Destination,
            _ => continue,
        };
        for (index, address) in value.split('/').enumerate() {
            let refund = index > 0 && role == PartyRole::Destination;
            parties.push(Party::new(address, if refund { PartyRole::Refund } else { role }));
        }
    }
    parties.retain(|party| !party.address.is_empty());
    parties
}

/// Whether a fee, or each of several, is stated as zero.
fn is_nothing(fee: &str) -> bool {
    fee.contains('0') && fee.bytes().all(|byte| matches!(byte, b'0' | b'/'))
}

/// What is asked of nodes about a payment with this memo: where the swap networks take deposits.
pub(crate) fn wanted(memo: &str) -> Vec<Wanted> {
    let asked = |chain| Wanted { chain, query: FactQuery::DepositAddresses };
    match split(memo) {
        Some((word, _)) if SWAP.is(word) || LIMIT_SWAP.is(word) => {
            vec![asked(Chain::ThorChain), asked(Chain::MayaChain)]
        }
        _ => Vec::new(),
    }
}

/// What else a memo asks for, with its parameters by name. It moves nothing by itself: that is another effect.
pub(crate) fn other(memo: &str) -> Option<Effect> {
    let (word, parameters) = split(memo)?;
    let action = OTHERS.iter().find(|action| action.is(word))?;
    let values: Vec<&str> = parameters.split(':').collect();
    let named = |(index, value): (usize, &&str)| {
        let name = action.parameters.get(index).copied().unwrap_or("more");
        (name, (*value).to_owned())
    };
    let fields = values.iter().enumerate().map(named).filter(|(_, value)| !value.is_empty());
    let read = values.iter().skip(action.parameters.len()).all(|value| value.is_empty());
    Some(if action.keeps && read {
        Effect::note(action.name, fields)
    } else {
        Effect::other(action.name, fields)
    })
}

/// The action's word and its parameters, as the networks split a memo.
fn split(memo: &str) -> Option<(&str, &str)> {
    let memo = memo.split('|').next().filter(|_| memo.len() <= MAX_LENGTH)?;
    Some(memo.split_once(':').unwrap_or((memo, "")))
}

impl Action {
    fn is(&self, word: &str) -> bool {
        self.name.eq_ignore_ascii_case(word)
            || self.short.iter().any(|short| short.eq_ignore_ascii_case(word))
    }
}

/// `asset:destination[/refund]:limit[/interval[/quantity]]:…`, without what is given for it. `None` where a parameter is
/// not read.
fn swap(network: Chain, parameters: &str) -> Option<Swap> {
    let values: Vec<&str> = parameters.split(':').collect();
    let graphic = parameters.bytes().all(|byte| byte.is_ascii_graphic());
    if !graphic || values.iter().skip(OF_PLAIN_SWAP).any(|value| !value.is_empty()) {
        return None;
    }
    let first = |place: usize| values.get(place).and_then(|text| text.split('/').next());
    let buy = full_name(network, values.first()?)?;
    Some(Swap {
        provider: Some(network.name()),
        router: String::new(),
        sell: Asset::Native,
        amount: Amount::ZERO,
        buy: Some(Bought::Named(buy)),
        minimum_out: first(2).and_then(amount_of),
        recipient: first(1).filter(|text| !text.is_empty()).map(ToOwned::to_owned),
    })
}

/// An asset as the network names it: `CHAIN.SYMBOL`, with another mark between where it is a claim on the asset.
fn full_name(network: Chain, asset: &str) -> Option<String> {
    let table = if network == Chain::MayaChain { MAYACHAIN_SHORT } else { THORCHAIN_SHORT };
    let short = table.iter().find(|(short, _)| short.eq_ignore_ascii_case(asset));
    let asset = short.map_or(asset, |(_, name)| name);
    let (chain, symbol) = asset.split_once(['.', '/', '~', '-'])?;
    (!chain.is_empty() && !symbol.is_empty()).then(|| asset.to_owned())
}

/// Decimal digits, or digits and a power of ten: `2e9`.
fn amount_of(text: &str) -> Option<Amount> {
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let amount = crate::amount::parse("memo", digits).ok()?;
    let power: u8 = power.parse().ok()?;
    amount.checked_mul(Amount::from(10).checked_pow(Amount::from(power))?)
}

#[cfg(test)]
mod tests;
