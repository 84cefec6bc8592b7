//! The memos that instruct THORChain and MayaChain what to do with what they receive.
//!
//! `ACTION:PARAMETER:…`, parameters by position, an empty one left to the network. The action has a long name and
//! short ones (`SWAP`, `s`, `=`), in any case. Both networks count every amount in a memo in 10⁻⁸ of a coin,
//! not in the coin's own smallest unit; amounts may be written as `2e9`.
//! Source: the networks' developer documentation, "Transaction Memos".

use crate::explain::{Asset, Bought, Effect, Party, PartyRole, Swap};
use crate::facts::{Facts, Wanted};
use crate::{Amount, Chain};
use wire::node::FactQuery;

/// An action: its documented name, what else it is called, and what its parameters mean.
struct Action {
    name: &'static str,
    short: &'static [&'static str],
    parameters: &'static [&'static str],
}

const fn action(
    name: &'static str,
    short: &'static [&'static str],
    parameters: &'static [&'static str],
) -> Action {
    Action { name, short, parameters }
}

const SWAP: Action =
    action("SWAP", &["s", "="], &["asset", "destination", "limit", "affiliate", "affiliate_fee"]);
const LIMIT_SWAP: Action =
    action("LIMIT_SWAP", &["=<"], &["asset", "destination", "limit", "affiliate", "affiliate_fee"]);

const OTHERS: &[Action] = &[
    action("ADD", &["a", "+"], &["pool", "paired_address", "affiliate", "affiliate_fee"]),
    action("WITHDRAW", &["wd", "-"], &["pool", "basis_points", "asset"]),
    action("DONATE", &["d", "%"], &["pool"]),
    action("BOND", &[], &["node", "provider", "fee"]),
    action("UNBOND", &[], &["node", "amount", "provider"]),
    action("LEAVE", &[], &["node"]),
    action("RUNEPOOL", &[], &[]),
    action("POOL+", &[], &[]),
    action("POOL-", &[], &["basis_points", "affiliate", "affiliate_fee"]),
    action("CACAOPOOL", &[], &[]),
    action("TCY", &[], &["address"]),
    action("TCY+", &[], &[]),
    action("TCY-", &[], &["basis_points"]),
    action("TRADE+", &[], &["address"]),
    action("TRADE-", &[], &["address"]),
    action("SECURE+", &[], &["address"]),
    action("SECURE-", &[], &["address"]),
    action("SWITCH", &[], &["address"]),
    action("LOAN+", &["$+"], &["asset", "destination", "minimum"]),
    action("LOAN-", &["$-"], &["asset", "destination", "minimum"]),
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
/// memo asks for something else or is no such memo: what is paid is then a plain payment.
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
    for (name, value) in action.parameters.iter().zip(rest.split(':')) {
        let role = match *name {
            "destination" | "address" | "paired_address" | "owner" => PartyRole::Destination,
            "affiliate" => PartyRole::FeePayee,
            "provider" | "node" => PartyRole::Authority,
            _ => continue,
        };
        let (value, refund) = value.split_once('/').unwrap_or((value, ""));
        parties.push(Party::new(value, role));
        parties.push(Party::new(refund, PartyRole::Refund));
    }
    parties.retain(|party| !party.address.is_empty());
    parties
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
    let named = |(index, value): (usize, &str)| {
        let name = action.parameters.get(index).copied().unwrap_or("more");
        (name.to_owned(), value.to_owned())
    };
    let mut fields: Vec<_> = parameters.split(':').enumerate().map(named).collect();
    fields.retain(|(_, value)| !value.is_empty());
    Some(Effect::Other { name: action.name.to_owned(), fields })
}

fn split(memo: &str) -> Option<(&str, &str)> {
    (memo.len() <= MAX_LENGTH).then(|| memo.split_once(':').unwrap_or((memo, "")))
}

impl Action {
    fn is(&self, word: &str) -> bool {
        self.name.eq_ignore_ascii_case(word)
            || self.short.iter().any(|short| short.eq_ignore_ascii_case(word))
    }
}

/// `asset:destination[/refund]:limit[/interval[/quantity]]:…`, without what is given for it.
fn swap(network: Chain, parameters: &str) -> Option<Swap> {
    let mut parameters = parameters.split(':');
    let asset = parameters.next().filter(|asset| !asset.is_empty())?;
    let recipient = parameters.next().and_then(|text| text.split('/').next());
    let limit = parameters.next().and_then(|text| text.split('/').next());
    Some(Swap {
        provider: Some(network.name()),
        router: String::new(),
        sell: Asset::Native,
        amount: Amount::ZERO,
        buy: Some(Bought::Named(full_name(network, asset))),
        minimum_out: limit.and_then(amount_of),
        recipient: recipient.filter(|text| !text.is_empty()).map(ToOwned::to_owned),
    })
}

fn full_name(network: Chain, asset: &str) -> String {
    let table = if network == Chain::MayaChain { MAYACHAIN_SHORT } else { THORCHAIN_SHORT };
    let found = table.iter().find(|(short, _)| short.eq_ignore_ascii_case(asset));
    found.map_or(asset, |(_, name)| name).to_owned()
}

/// Decimal digits, or digits and a power of ten: `2e9`.
fn amount_of(text: &str) -> Option<Amount> {
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let amount = crate::amount::parse("memo", digits).ok()?;
    let power: u8 = power.parse().ok()?;
    amount.checked_mul(Amount::from(10).checked_pow(Amount::from(power))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(network: Chain, memo: &str) -> Option<Effect> {
        effect(network, memo, "router", &Asset::Native, Amount::from(5))
    }

    fn swap_of(memo: &str) -> Swap {
        match read(Chain::ThorChain, memo) {
            Some(Effect::Swap(swap)) => swap,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn swap_names_asset_recipient_and_minimum() {
        let expected = Swap {
            provider: Some("THORChain"),
            router: "router".to_owned(),
            sell: Asset::Native,
            amount: Amount::from(5),
            buy: Some(Bought::Named("DOGE.DOGE".to_owned())),
            minimum_out: Some(Amount::from(2_000_000_000_u64)),
            recipient: Some("DAddress".to_owned()),
        };
        for memo in [
            "=:DOGE.DOGE:DAddress:2000000000/14400/0:va:50",
            "SWAP:DOGE.DOGE:DAddress:2e9",
            "s:d:DAddress/thor1refund:2E9/1/0",
            "=<:DOGE.DOGE:DAddress:2000000000/14400/0:va:50",
        ] {
            assert_eq!(swap_of(memo), expected, "{memo}");
        }
    }

    #[test]
    fn what_a_swap_does_not_state_is_not_made_up() {
        let swap = swap_of("=:BTC.BTC");
        assert_eq!((swap.recipient, swap.minimum_out), (None, None));
        assert_eq!(swap_of("=:BTC.BTC::x").minimum_out, None);
        assert_eq!(swap_of("=:BTC.BTC::1e90").minimum_out, None, "more than 256 bits");
        assert_eq!(swap_of("=:BTC.BTC:a:0/1/0").minimum_out, Some(Amount::ZERO));
    }

    #[test]
    fn one_letter_means_another_asset_on_the_other_network() {
        assert_eq!(swap_of("=:c:a").buy, Some(Bought::Named("BCH.BCH".to_owned())));
        let Some(Effect::Swap(swap)) = read(Chain::MayaChain, "=:c:a") else { panic!("a swap") };
        assert_eq!(swap.buy, Some(Bought::Named("MAYA.CACAO".to_owned())));
    }

    #[test]
    fn other_memo_actions_are_not_swaps() {
        let told = |name: &str, fields: &[(&str, &str)]| {
            let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Some(Effect::Other { name: name.to_owned(), fields: fields.collect() })
        };
        assert_eq!(other("bond:thor1node::12"), told("BOND", &[("node", "thor1node"), ("fee", "12")]));
        assert_eq!(other("POOL+"), told("POOL+", &[]));
        assert_eq!(other("+:BTC.BTC:a:b:c:d"), {
            let fields =
                [("pool", "BTC.BTC"), ("paired_address", "a"), ("affiliate", "b"), ("affiliate_fee", "c")];
            told("ADD", &[&fields[..], &[("more", "d")]].concat())
        });
        for memo in ["bond:thor1node", "POOL+", "+:BTC.BTC"] {
            assert_eq!(read(Chain::ThorChain, memo), None, "{memo}");
        }
        assert_eq!(other("=:b:x"), None);
    }

    #[test]
    fn a_text_that_is_no_such_memo_is_nothing() {
        let long = format!("=:b:{}", "x".repeat(500));
        for memo in ["", "hello", "=", "=:", "hello:world", &long] {
            assert_eq!((read(Chain::ThorChain, memo), other(memo)), (None, None), "{memo}");
        }
    }
}
