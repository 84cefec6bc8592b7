//! What the decoded steps of a chain say, as a trial run is held against it: the one place of these rules that looks at
//! effects.

use crate::policy::fee::highest;
use crate::policy::transaction::{Held, Transaction, Way, digits};
use chains::{Amount, Chain, Kind};
use wire::explain::{Asset, Effect};

/// What storage for a token account on Solana takes at most, in lamports.
const TOKEN_ACCOUNT_RENT: u64 = 3_000_000;

/// The transactions of a chain that a node ran.
pub(super) struct Told<'c, 'a> {
    pub(super) chain: Chain,
    pub(super) transactions: Vec<&'c Transaction<'a>>,
}

/// What was decoded of an asset.
#[derive(Default)]
pub(super) struct Expected {
    /// Is sent or sold.
    pub(super) leaves: Amount,
    /// May be taken, by an allowance of the bundle.
    pub(super) allowed: Amount,
    /// May be taken without a limit.
    pub(super) endless: bool,
}

impl Expected {
    /// Whether the steps name it as leaving, or as what may be taken.
    pub(super) fn is_named(&self) -> bool {
        !self.leaves.is_zero() || !self.allowed.is_zero() || self.endless
    }
}

/// What is bought, as far as it comes back to the vault on this chain.
pub(super) struct Bought<'a> {
    pub(super) sequence: u32,
    pub(super) what: Held<'a>,
    /// The sum of the minimums; nothing where a swap states none.
    pub(super) minimum: Option<Amount>,
}

impl<'a> Told<'_, 'a> {
    /// Everything that was decoded of an asset.
    pub(super) fn expected(&self, asset: Held<'_>) -> Expected {
        let mut expected = Expected::default();
        for moved in self.transactions.iter().flat_map(|transaction| &transaction.moves) {
            if !self.same(moved.asset, asset) {
                continue;
            }
            match moved.way {
                Way::Sent | Way::Sold(_) => expected.leaves = expected.leaves.saturating_add(moved.amount),
                Way::Allowed { unlimited, .. } => {
                    expected.allowed = expected.allowed.saturating_add(moved.amount);
                    expected.endless |= unlimited;
                }
            }
        }
        expected
    }

    /// What a chain takes of its coin beside what is sent, as far as a run counts it: fees, and rent for storage. On EVM
    /// chains a run counts no fees.
    pub(super) fn costs(&self, asset: Held<'_>) -> Amount {
        if asset != Held::Native || self.chain.kind() == Kind::Evm {
            return Amount::ZERO;
        }
        let fees = self.transactions.iter().map(|one| one.fee.unwrap_or_else(|| highest(self.chain)));
        let made = |effect: &&Effect| match effect {
            Effect::Note { name, .. } | Effect::Other { name, .. } => name.starts_with("createTokenAccount"),
            _ => false,
        };
        let rent = Amount::from(TOKEN_ACCOUNT_RENT)
            .saturating_mul(Amount::from(self.effects().filter(made).count()));
        fees.fold(rent, Amount::saturating_add)
    }

    /// What the swaps buy for the vault on this chain, each asset once with the sum of its minimums.
    pub(super) fn bought(&self) -> Vec<Bought<'a>> {
        let mut all: Vec<Bought<'a>> = Vec::new();
        for transaction in &self.transactions {
            for effect in &transaction.decoded.explanation.effects {
                let Some(bought) = self.swap(transaction, effect) else { continue };
                match all.iter_mut().find(|known| self.same(known.what, bought.what)) {
                    Some(known) => {
                        let sum = |(one, other): (Amount, Amount)| one.saturating_add(other);
                        known.minimum = known.minimum.zip(bought.minimum).map(sum);
                    }
                    None => all.push(bought),
                }
            }
        }
        all
    }

    fn swap(&self, transaction: &Transaction<'a>, effect: &'a Effect) -> Option<Bought<'a>> {
        let Effect::Swap { bought, minimum_out, recipient, .. } = effect else { return None };
        let what = match bought.as_ref()? {
            Asset::Native { .. } => Held::Native,
            Asset::Token { id, .. } => Held::Token(id),
            Asset::Item { .. } => return None,
        };
        let own = |to: &'a str| {
            transaction.parties.iter().any(|party| party.address.text == to && party.relation.own)
        };
        let minimum = minimum_out.as_deref().map(digits).transpose().ok()?;
        let ours = recipient.as_deref().is_none_or(own);
        ours.then_some(Bought { sequence: transaction.sequence, what, minimum })
    }

    /// Whether something in the steps may use an allowance, or bring back what was sent, without saying so.
    pub(super) fn opaque(&self) -> bool {
        let told = |effect: &Effect| {
            matches!(
                effect,
                Effect::Transfer { .. }
                    | Effect::TransferFrom { .. }
                    | Effect::Change { .. }
                    | Effect::Note { .. }
                    | Effect::Approve { .. }
                    | Effect::ApproveAll { .. }
                    | Effect::Swap { .. }
            )
        };
        self.effects().any(|effect| !told(effect))
    }

    /// Whether the steps move tokens of others, perhaps to the vault.
    pub(super) fn moves_of_others(&self) -> bool {
        self.effects().any(|effect| matches!(effect, Effect::TransferFrom { .. }))
    }

    /// Whether the steps name a piece of a collection, also as an amount of what could be a token.
    pub(super) fn names_item(&self, collection: &str, id: &str) -> bool {
        let is = |asset: &Asset, units: &str| match asset {
            Asset::Item { collection: found, id: number } => self.same_id(found, collection) && number == id,
            Asset::Token { id: found, .. } => self.same_id(found, collection) && units == id,
            Asset::Native { .. } => false,
        };
        let opaque = self.opaque();
        self.effects().any(|effect| match effect {
            Effect::Transfer { asset, amount, .. }
            | Effect::TransferFrom { asset, amount, .. }
            | Effect::Swap { sell: asset, amount, .. } => is(asset, &amount.units),
            Effect::Approve { asset, amount, .. } => opaque && is(asset, &amount.units),
            Effect::ApproveAll { collection: found, approved, .. } => {
                opaque && *approved && self.same_id(found, collection)
            }
            _ => false,
        })
    }

    /// Whether a transaction pays the vault itself, or moves pieces of a collection.
    pub(super) fn stays(transaction: &Transaction<'a>) -> bool {
        let pieces = |effect: &Effect| matches!(effect, Effect::Transfer { asset: Asset::Item { .. }, .. });
        transaction.decoded.explanation.effects.iter().any(pieces)
            || transaction.parties.iter().any(|party| party.is_paid() && party.relation.own)
    }

    /// Whether two names are of one asset. What the bytes only describe may be any token.
    pub(super) fn same(&self, one: Held<'_>, other: Held<'_>) -> bool {
        match (one, other) {
            (Held::Native, Held::Native) => true,
            (Held::Token(one), Held::Token(other)) => {
                is_described(one) || is_described(other) || self.same_id(one, other)
            }
            _ => false,
        }
    }

    /// Whether two names are of one token or collection.
    pub(super) fn same_id(&self, one: &str, other: &str) -> bool {
        match self.chain.kind() {
            Kind::Evm => one.eq_ignore_ascii_case(other),
            // Packages are written with leading zeros or without.
            Kind::Sui => package(one) == package(other),
            _ => one == other || (self.chain == Chain::ThorChain && one.eq_ignore_ascii_case(other)),
        }
    }

    /// The step, where the run is of one alone.
    pub(super) fn sequence(&self) -> Option<u32> {
        let (first, rest) = self.transactions.split_first()?;
        rest.iter().all(|other| other.sequence == first.sequence).then_some(first.sequence)
    }

    fn effects(&self) -> impl Iterator<Item = &'a Effect> {
        self.transactions.iter().flat_map(|transaction| &transaction.decoded.explanation.effects)
    }
}

/// A token that the bytes describe and do not name: "of token account …", "coin object …".
pub(super) fn is_described(id: &str) -> bool {
    id.contains(' ')
}

/// A coin type of Sui without the leading zeros of its package.
fn package(coin_type: &str) -> &str {
    coin_type.strip_prefix("0x").unwrap_or(coin_type).trim_start_matches('0')
}
