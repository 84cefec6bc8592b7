//! Whether a transaction does what was claimed of it.
//!
//! `tx_details` is what an agent says; [`Explanation`] is what the bytes say. A claim that the bytes contradict is
//! named with both sides. A claim that cannot be compared with the bytes (a name instead of an address, a token whose
//! decimals are unknown here, what a call does that was not decoded) is named as unverified: it is neither confirmed nor
//! contradicted. A contradiction needs a fact on both sides.

mod human;

use crate::explain::{Asset, Effect, Explanation};
use crate::names::Names;
use crate::{Amount, Chain, address, amount, solana, token};
use human::Claimed;
use std::iter;

/// What is claimed of a transaction. Everything may be absent; descriptions are not claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The chain that the step names.
    pub chain: Option<String>,
    /// `tx_details.from`.
    pub from: Option<String>,
    /// `tx_details.to`.
    pub to: Option<String>,
    /// `tx_details.value`: native coins, in the smallest unit unless it says otherwise.
    pub value: Option<String>,
    /// `tx_details.token_symbol`.
    pub token_symbol: Option<String>,
    /// `tx_details.amount_human`: such as `1000 USDC`.
    pub amount_human: Option<String>,
    /// `tx_details.gas_limit`.
    pub gas_limit: Option<String>,
}

/// Which claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// `chain`
    Chain,
    /// `from`
    From,
    /// `to`
    To,
    /// `value`
    Value,
    /// `token_symbol`
    TokenSymbol,
    /// `amount_human`
    AmountHuman,
    /// `gas_limit`
    GasLimit,
}

/// A claim that the bytes contradict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Which.
    pub field: Field,
    /// What was claimed.
    pub claimed: String,
    /// What the bytes say.
    pub actual: String,
}

/// What came of holding claims against the bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Claims that are not true.
    pub contradictions: Vec<Contradiction>,
    /// Claims that could not be checked.
    pub unverified: Vec<Field>,
}

/// What is found of one claim.
enum Finding {
    True,
    Unverified,
    False(String),
}

/// Holds every claim against the bytes.
pub fn compare(found: &Explanation, claims: &Claims, names: Names<'_>) -> Comparison {
    let view = View { found, names };
    let checks = [
        (Field::Chain, &claims.chain, View::chain as fn(&_, &_) -> _),
        (Field::From, &claims.from, View::from),
        (Field::To, &claims.to, View::to),
        (Field::Value, &claims.value, View::value),
        (Field::TokenSymbol, &claims.token_symbol, View::symbol),
        (Field::AmountHuman, &claims.amount_human, View::amount),
        (Field::GasLimit, &claims.gas_limit, View::gas_limit),
    ];
    let mut comparison = Comparison::default();
    for (field, claim, check) in checks {
        let Some(claim) = claim.as_deref().map(str::trim).filter(|claim| !claim.is_empty()) else {
            continue;
        };
        match check(&view, claim) {
            Finding::True => {}
            Finding::Unverified => comparison.unverified.push(field),
            Finding::False(actual) => {
                comparison.contradictions.push(Contradiction { field, claimed: claim.to_owned(), actual });
            }
        }
    }
    comparison
}

impl Field {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::From => "from",
            Self::To => "to",
            Self::Value => "value",
            Self::TokenSymbol => "token_symbol",
            Self::AmountHuman => "amount_human",
            Self::GasLimit => "gas_limit",
        }
    }
}

/// The transaction, with names for its tokens.
struct View<'a> {
    found: &'a Explanation,
    names: Names<'a>,
}

/// Something that leaves the signer, or may be taken.
struct Movement<'a> {
    asset: &'a Asset,
    amount: Amount,
    unlimited: bool,
}

impl View<'_> {
    fn chain(&self, claim: &str) -> Finding {
        truth(Chain::parse(claim) == Some(self.found.chain), || self.found.chain.to_string())
    }

    fn from(&self, claim: &str) -> Finding {
        self.is(claim, &self.found.from)
            .map_or(Finding::Unverified, |same| truth(same, || self.found.from.clone()))
    }

    /// Every effect must involve the party that is named: a second recipient is not hidden behind a first.
    /// Or the contract that the whole transaction is a call of.
    fn to(&self, claim: &str) -> Finding {
        if self.found.target.as_ref().is_some_and(|target| self.is(claim, target) == Some(true)) {
            return Finding::True;
        }
        let mut named = false;
        for effect in &self.found.effects {
            let parties = parties(effect);
            let found: Option<Vec<bool>> = parties.iter().map(|party| self.is(claim, party)).collect();
            match found {
                None => return Finding::Unverified,
                Some(found) if found.contains(&true) || self.keeps(claim, effect) => named = true,
                Some(found) if found.is_empty() => {}
                // What is not decoded may pay the party that is named.
                Some(_) if self.found.is_open() => return Finding::Unverified,
                Some(_) => return Finding::False(parties.join(", ")),
            }
        }
        if named { Finding::True } else { Finding::Unverified }
    }

    /// Whether tokens go to the account in which the claimed party keeps them: on Solana an account of its own.
    fn keeps(&self, claim: &str, effect: &Effect) -> bool {
        let (asset, to) = match effect {
            Effect::Transfer { asset, to, .. } | Effect::TransferFrom { asset, to, .. } => (asset, to),
            _ => return false,
        };
        self.found.chain == Chain::Solana && solana::is_token_account_of(claim, contract(asset), to)
    }

    fn value(&self, claim: &str) -> Finding {
        let sent = native_sent(self.found);
        let native = self.found.chain.native();
        let same = match human::parse(claim) {
            _ if claim.starts_with("0x") => {
                Amount::from_str_radix(claim.trim_start_matches("0x"), 16).ok() == Some(sent)
            }
            Some(claimed) if claimed.is_plain() => amount::parse("value", claim).ok() == Some(sent),
            Some(claimed) => claimed.equals(sent, native.decimals) && claimed.unit_may_be(native.ticker),
            None => return Finding::Unverified,
        };
        truth(same, || amount::show(sent, native.decimals, native.ticker))
    }

    fn symbol(&self, claim: &str) -> Finding {
        match self.moved_symbol(claim) {
            // What is not decoded may move the token that is named.
            Finding::False(_) if self.found.is_open() => Finding::Unverified,
            finding => finding,
        }
    }

    fn moved_symbol(&self, claim: &str) -> Finding {
        let movements = movements(self.found);
        let tickers: Option<Vec<&str>> =
            movements.iter().map(|movement| self.names.ticker(movement.asset)).collect();
        let is_claim = |ticker: &&str| ticker.eq_ignore_ascii_case(claim);
        match tickers {
            Some(tickers) if tickers.is_empty() => Finding::Unverified,
            Some(tickers) => truth(tickers.iter().any(is_claim), || tickers.join(", ")),
            // An unknown token is neither a well-known one nor the native coin.
            None if token::known(self.found.chain, claim).is_some() || self.is_native_ticker(claim) => {
                let known = movements
                    .iter()
                    .filter_map(|movement| self.names.ticker(movement.asset))
                    .any(|ticker| is_claim(&ticker));
                truth(known, || {
                    movements
                        .iter()
                        .map(|movement| self.names.label(movement.asset))
                        .collect::<Vec<_>>()
                        .join(", ")
                })
            }
            None => Finding::Unverified,
        }
    }

    /// The amount claimed must be that of one movement, or of all movements of one asset together.
    fn amount(&self, claim: &str) -> Finding {
        let movements = movements(self.found);
        if movements.is_empty() {
            return Finding::Unverified;
        }
        let Some(claimed) = human::parse(claim) else {
            return Finding::Unverified;
        };
        let mut unknown = false;
        for movement in &movements {
            match self.matches(&claimed, movement, &movements) {
                Some(true) => return Finding::True,
                Some(false) => {}
                None => unknown = true,
            }
        }
        // What is not decoded may move what is named, unless the named asset is seen to move otherwise.
        let about = |movement: &Movement<'_>| self.names_asset(&claimed, movement.asset);
        if unknown || (self.found.is_open() && !movements.iter().any(about)) {
            return Finding::Unverified;
        }
        Finding::False(
            movements
                .iter()
                .map(|movement| self.names.show(movement.asset, movement.amount, movement.unlimited))
                .collect::<Vec<_>>()
                .join(", "),
        )
    }

    fn gas_limit(&self, claim: &str) -> Finding {
        let Some(limit) = self.found.gas_limit else {
            return Finding::Unverified;
        };
        let claimed = match claim.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => claim.parse().ok(),
        };
        claimed.map_or(Finding::Unverified, |claimed: u64| truth(claimed == limit, || limit.to_string()))
    }

    /// Whether a claim names this movement's amount; `None` where decimals are not known.
    fn matches(&self, claimed: &Claimed, movement: &Movement<'_>, all: &[Movement<'_>]) -> Option<bool> {
        if movement.unlimited || claimed.is_unlimited() {
            return Some(
                movement.unlimited && claimed.is_unlimited() && self.unit_fits(claimed, movement.asset),
            );
        }
        let decimals = self.names.decimals(movement.asset)?;
        let of_asset = all.iter().filter(|other| other.asset == movement.asset && !other.unlimited);
        let sum = of_asset.fold(Amount::ZERO, |sum, other| sum.saturating_add(other.amount));
        let equals = claimed.equals(movement.amount, decimals) || claimed.equals(sum, decimals);
        Some(equals && self.unit_fits(claimed, movement.asset))
    }

    /// Whether a claim is about this asset by its ticker.
    fn names_asset(&self, claimed: &Claimed, asset: &Asset) -> bool {
        self.names.ticker(asset).is_some_and(|ticker| claimed.has_unit(ticker))
    }

    fn unit_fits(&self, claimed: &Claimed, asset: &Asset) -> bool {
        self.names.ticker(asset).is_none_or(|ticker| claimed.unit_may_be(ticker))
    }

    /// Whether a text names an address; `None` where it is a name and not an address at all.
    fn is(&self, claim: &str, actual: &str) -> Option<bool> {
        let spellings = address::spellings(self.found.chain, actual);
        if let Some((head, tail)) = human::abbreviation(claim) {
            let ends = |text: &str| {
                let text = text.to_ascii_lowercase();
                text.starts_with(&head.to_ascii_lowercase()) && text.ends_with(&tail.to_ascii_lowercase())
            };
            return Some(ends(actual) || spellings.iter().any(|text| ends(text)));
        }
        match address::normalise(self.found.chain, claim) {
            Ok(claim) if !spellings.is_empty() => Some(spellings.contains(&claim)),
            _ if claim == actual => Some(true),
            Ok(_) => Some(false),
            // Long, without a blank or a dot: meant as an address and not one of this chain.
            Err(_) => (claim.len() > 24 && !claim.contains([' ', '.'])).then_some(false),
        }
    }

    fn is_native_ticker(&self, ticker: &str) -> bool {
        self.found.chain.native().ticker.eq_ignore_ascii_case(ticker)
    }
}

fn truth(holds: bool, actual: impl FnOnce() -> String) -> Finding {
    if holds { Finding::True } else { Finding::False(actual()) }
}

/// Native coins that leave the signer with the transaction, without the fee.
fn native_sent(found: &Explanation) -> Amount {
    let of = |effect: &Effect| match effect {
        Effect::Transfer { asset: Asset::Native, amount, .. } => *amount,
        Effect::Swap(swap) if swap.sell == Asset::Native => swap.amount,
        Effect::Call { value, .. } | Effect::Create { value, .. } => *value,
        _ => Amount::ZERO,
    };
    found.effects.iter().map(of).fold(Amount::ZERO, Amount::saturating_add)
}

impl Explanation {
    /// Whether it is seen that something leaves the signer, or may be taken.
    pub fn moves_something(&self) -> bool {
        !movements(self).is_empty()
    }
}

/// What leaves the signer, or may be taken.
fn movements(found: &Explanation) -> Vec<Movement<'_>> {
    found.effects.iter().filter_map(movement).collect()
}

fn movement(effect: &Effect) -> Option<Movement<'_>> {
    let (asset, amount, unlimited) = match effect {
        Effect::Transfer { asset, amount, .. } | Effect::TransferFrom { asset, amount, .. } => {
            (asset, *amount, false)
        }
        Effect::Approve { asset, amount, unlimited, .. } => (asset, *amount, *unlimited),
        Effect::Swap(swap) => (&swap.sell, swap.amount, false),
        Effect::Call { value, .. } | Effect::Create { value, .. } if !value.is_zero() => {
            (&Asset::Native, *value, false)
        }
        _ => return None,
    };
    Some(Movement { asset, amount, unlimited })
}

/// Whom an effect involves besides the signer: who receives or may take, and the contract that is called for it.
fn parties(effect: &Effect) -> Vec<&str> {
    match effect {
        Effect::Transfer { asset, to, .. } => iter::once(to.as_str()).chain(contract(asset)).collect(),
        Effect::TransferFrom { asset, to, .. } => iter::once(to.as_str()).chain(contract(asset)).collect(),
        Effect::Approve { asset, spender, .. } => {
            iter::once(spender.as_str()).chain(contract(asset)).collect()
        }
        Effect::ApproveAll { collection, operator, .. } => vec![operator, collection],
        Effect::Swap(swap) => iter::once(swap.router.as_str()).chain(swap.recipient.as_deref()).collect(),
        Effect::Call { contract, .. } => vec![contract],
        Effect::Change { .. }
        | Effect::Create { .. }
        | Effect::Note { .. }
        | Effect::Other { .. }
        | Effect::Unknown { .. } => Vec::new(),
    }
}

fn contract(asset: &Asset) -> Option<&str> {
    match asset {
        Asset::Native => None,
        Asset::Token { id } => Some(id),
        Asset::Item { collection, .. } => Some(collection),
    }
}
