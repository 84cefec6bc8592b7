//! What the chains' nodes say of a trial run, held against what was decoded: a warning where more leaves than the steps
//! say, where a swap gives less than its minimum or would accept far less than it gives, and where the two do not fit
//! together. It is the nodes' word against the bytes', so it never blocks; and a run that agrees proves nothing.
//!
//! Honest bundles differ from their decoded form in many small ways: coins that come back, fees that a chain takes by
//! itself, allowances that are used by a call nobody could read. Each rule names what it lets pass.

use super::Case;
use super::fee::highest;
use super::findings::{Findings, quote};
use super::transaction::{self, Held, Transaction, Way, digits};
use chains::{Amount, Chain, Kind};
use wire::explain::{Asset, Effect};
use wire::policy::ReasonCode;
use wire::trial::{BalanceChange, Direction, TrialGap, TrialOutcome, TrialRun};

/// A token whose balances are shares rounds by so many units; amounts below are exact.
const ROUNDING: u64 = 2;
const ROUNDED: u64 = 2_000;
/// What storage for a token account on Solana takes at most, in lamports.
const TOKEN_ACCOUNT_RENT: u64 = 3_000_000;
/// Solana's coin as a token.
const WRAPPED_SOL: &str = "So11111111111111111111111111111111111111112";

/// Every trial run of the bundle.
pub(super) fn trial_runs(case: &Case<'_>, findings: &mut Findings) {
    for run in case.input.signing.iter().flat_map(|signing| signing.trial) {
        if let Err(message) = trial_run(case, run, findings) {
            findings.add(ReasonCode::RuleError, None, message);
        }
    }
}

fn trial_run(case: &Case<'_>, run: &TrialRun, findings: &mut Findings) -> Result<(), String> {
    let TrialOutcome::Ran { changes, failure, transactions, gaps, .. } = &run.outcome else { return Ok(()) };
    let chain = transaction::chain(&run.chain).map_err(|error| error.to_string())?;
    let ran = usize::try_from(*transactions).unwrap_or(usize::MAX);
    let of_chain = || case.transactions.iter().filter(|transaction| transaction.chain == chain);
    let changes = changes.iter().map(Change::read).collect::<Result<Vec<_>, _>>()?;
    let compared = Compared { chain, transactions: of_chain().take(ran).collect(), changes };
    compared.losses(findings);
    if gaps.contains(&TrialGap::MoreAssets) {
        let message = format!("A node says that more assets change on {chain} than can be listed.");
        findings.add(ReasonCode::TrialDisagrees, compared.sequence(), message);
    }
    // A run that stops, or does not show all, says nothing of what did not happen.
    if failure.is_none() && gaps.is_empty() {
        compared.gains(findings);
        compared.unmoved(findings);
    }
    Ok(())
}

/// A change of a balance, read.
struct Change<'a> {
    asset: &'a Asset,
    shown: &'a str,
    lost: Amount,
    gained: Amount,
}

impl<'a> Change<'a> {
    fn read(change: &'a BalanceChange) -> Result<Self, String> {
        let BalanceChange { asset, direction, amount } = change;
        let units = digits(&amount.units).map_err(|error| error.to_string())?;
        let (lost, gained) = match direction {
            Direction::Less => (units, Amount::ZERO),
            Direction::More => (Amount::ZERO, units),
        };
        Ok(Self { asset, shown: &amount.shown, lost, gained })
    }
}

/// What was decoded of an asset.
#[derive(Default)]
struct Expected {
    /// Is sent or sold.
    leaves: Amount,
    /// May be taken, by an allowance of the bundle.
    allowed: Amount,
    /// May be taken without a limit.
    endless: bool,
}

/// The transactions of a chain that a node ran, and what it says of them.
struct Compared<'c, 'a> {
    chain: Chain,
    transactions: Vec<&'c Transaction<'a>>,
    changes: Vec<Change<'c>>,
}

/// What is bought, as far as it comes back to the vault on this chain.
struct Bought<'a> {
    sequence: u32,
    what: Held<'a>,
    minimum: Option<Amount>,
}

impl<'a> Compared<'_, 'a> {
    /// More leaves than the steps say, or something that they do not name.
    fn losses(&self, findings: &mut Findings) {
        let opaque = self.opaque();
        for change in self.changes.iter().filter(|change| !change.lost.is_zero()) {
            let (code, rest) = match self.excess(change, opaque) {
                Excess::None => continue,
                Excess::More => (ReasonCode::TrialLosesMore, "more than the steps say"),
                Excess::Unnamed => (ReasonCode::TrialDisagrees, "which no step names"),
            };
            let message = format!(
                "A node says that {} leaves the vault on {}, {rest}.",
                quote(change.shown),
                self.chain
            );
            findings.add(code, self.sequence(), message);
        }
    }

    fn excess(&self, change: &Change<'_>, opaque: bool) -> Excess {
        let held = match change.asset {
            Asset::Item { collection, id } => {
                return if self.names_item(collection, id, opaque) { Excess::None } else { Excess::Unnamed };
            }
            Asset::Native { .. } => Held::Native,
            Asset::Token { id, .. } => Held::Token(id),
        };
        let expected = self.expected(held);
        let allowed = if opaque { expected.allowed } else { Amount::ZERO };
        let bound = expected.leaves.saturating_add(allowed).saturating_add(self.costs(held));
        if (opaque && expected.endless) || change.lost <= rounded(bound) || self.unwrapped(held, change.lost)
        {
            return Excess::None;
        }
        let named = !expected.leaves.is_zero() || !expected.allowed.is_zero() || expected.endless;
        if named || held == Held::Native { Excess::More } else { Excess::Unnamed }
    }

    /// A swap gives less than its minimum, or would accept far less than it gives.
    fn gains(&self, findings: &mut Findings) {
        for Bought { sequence, what, minimum } in self.bought() {
            let gained = self.change(what).map_or(Amount::ZERO, |change| change.gained);
            if minimum.is_some_and(|minimum| self.gives_less(what, minimum)) {
                let message = "A node says that the swap gives less than its minimum.".to_owned();
                findings.add(ReasonCode::TrialGivesLess, Some(sequence), message);
                continue;
            }
            // Multiplied, not divided: division of large numbers weighs 8 kB.
            let times = |amount: Amount, factor: u64| amount.saturating_mul(Amount::from(factor));
            let low = minimum.is_none_or(|minimum| times(minimum, 5) < times(gained, 4));
            if let Some(change) = self.change(what).filter(|_| low && !gained.is_zero()) {
                let accepts =
                    if minimum.is_none_or(|minimum| minimum.is_zero()) { "anything" } else { "far less" };
                let message = format!(
                    "A node says that the swap gives {}; it would accept {accepts}.",
                    quote(change.shown)
                );
                findings.add(ReasonCode::LowMinimumOutput, Some(sequence), message);
            }
        }
    }

    /// Whether less comes in than the minimum. What the bundle passes on again was there; a coin may come unwrapped.
    fn gives_less(&self, what: Held<'_>, minimum: Amount) -> bool {
        let opaque = self.opaque();
        let Expected { leaves, allowed, endless } = self.expected(what);
        let passed_on = leaves.saturating_add(if opaque { allowed } else { Amount::ZERO });
        let (lost, gained) =
            self.change(what).map_or_else(Default::default, |change| (change.lost, change.gained));
        let came = gained.saturating_add(passed_on).saturating_add(self.costs(what)).saturating_sub(lost);
        let native = self.change(Held::Native).map_or(Amount::ZERO, |change| change.gained);
        came < minimum && !(opaque && (endless || native >= minimum))
    }

    /// What was decoded as leaving stays. Only where nothing else could have brought it back.
    fn unmoved(&self, findings: &mut Findings) {
        if self.opaque() {
            return;
        }
        let bought = self.bought();
        for transaction in &self.transactions {
            for moved in &transaction.moves {
                let leaves = matches!(moved.way, Way::Sent | Way::Sold(_));
                let comes_back = bought.iter().any(|bought| self.same(bought.what, moved.asset));
                let lost = self.change(moved.asset).map_or(Amount::ZERO, |change| change.lost);
                if leaves && !comes_back && lost.is_zero() && !self.stays(transaction, moved.asset) {
                    let message = "A node says that what this step sends stays in the vault.".to_owned();
                    findings.add(ReasonCode::TrialDisagrees, Some(transaction.sequence), message);
                }
            }
        }
    }

    /// Whether a transaction sends an asset to the vault itself, or what it sends is a piece or has no name in the bytes.
    fn stays(&self, transaction: &Transaction<'a>, asset: Held<'a>) -> bool {
        let unnamed = matches!(asset, Held::Token(id) if described(id));
        let pieces = |effect: &Effect| matches!(effect, Effect::Transfer { asset: Asset::Item { .. }, .. });
        let effects = &transaction.decoded.explanation.effects;
        let listed = self.changes.iter().any(|change| matches!(change.asset, Asset::Item { .. }));
        unnamed
            || listed
            || effects.iter().any(pieces)
            || transaction.parties.iter().any(|party| party.is_paid() && party.relation.own)
    }

    /// Everything that was decoded of an asset.
    fn expected(&self, asset: Held<'_>) -> Expected {
        let mut expected = Expected::default();
        for transaction in &self.transactions {
            for moved in transaction.moves.iter().filter(|moved| self.same(moved.asset, asset)) {
                match moved.way {
                    Way::Sent | Way::Sold(_) => {
                        expected.leaves = expected.leaves.saturating_add(moved.amount);
                    }
                    Way::Allowed { unlimited, .. } => {
                        expected.allowed = expected.allowed.saturating_add(moved.amount);
                        expected.endless |= unlimited;
                    }
                }
            }
        }
        expected
    }

    /// What a chain takes of its coin beside what is sent: fees, and rent for storage.
    fn costs(&self, asset: Held<'_>) -> Amount {
        if asset != Held::Native {
            return Amount::ZERO;
        }
        self.transactions.iter().fold(Amount::ZERO, |sum, transaction| {
            let accounts = transaction.decoded.explanation.effects.iter().filter(|effect| {
                matches!(effect, Effect::Note { name, .. } | Effect::Other { name, .. } if name.starts_with("createTokenAccount"))
            });
            let rent = Amount::from(TOKEN_ACCOUNT_RENT).saturating_mul(Amount::from(accounts.count()));
            let fee = transaction.fee.unwrap_or_else(|| highest(self.chain));
            sum.saturating_add(fee).saturating_add(rent)
        })
    }

    /// What the swaps buy for the vault on this chain, each asset once with the sum of its minimums.
    fn bought(&self) -> Vec<Bought<'a>> {
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
    fn opaque(&self) -> bool {
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
        let mut effects =
            self.transactions.iter().flat_map(|transaction| &transaction.decoded.explanation.effects);
        effects.any(|effect| !told(effect))
    }

    /// Whether the steps name a piece of a collection, also as an amount of what could be a token.
    fn names_item(&self, collection: &str, id: &str, opaque: bool) -> bool {
        let is = |asset: &Asset, units: &str| match asset {
            Asset::Item { collection: found, id: number } => self.same_id(found, collection) && number == id,
            Asset::Token { id: found, .. } => self.same_id(found, collection) && units == id,
            Asset::Native { .. } => false,
        };
        let mut effects =
            self.transactions.iter().flat_map(|transaction| &transaction.decoded.explanation.effects);
        effects.any(|effect| match effect {
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

    /// A wrapped coin that leaves while as much of the coin itself comes.
    fn unwrapped(&self, asset: Held<'_>, lost: Amount) -> bool {
        let wrapped = self.chain == Chain::Solana && asset == Held::Token(WRAPPED_SOL);
        wrapped && self.change(Held::Native).is_some_and(|change| change.gained >= lost)
    }

    fn change(&self, asset: Held<'_>) -> Option<&Change<'_>> {
        self.changes.iter().find(|change| match change.asset {
            Asset::Native { .. } => asset == Held::Native,
            Asset::Token { id, .. } => matches!(asset, Held::Token(token) if self.same_id(id, token)),
            Asset::Item { .. } => false,
        })
    }

    /// Whether two names are of one asset. What the bytes only describe may be any token.
    fn same(&self, one: Held<'_>, other: Held<'_>) -> bool {
        match (one, other) {
            (Held::Native, Held::Native) => true,
            (Held::Token(one), Held::Token(other)) => {
                described(one) || described(other) || self.same_id(one, other)
            }
            _ => false,
        }
    }

    fn same_id(&self, one: &str, other: &str) -> bool {
        match self.chain.kind() {
            Kind::Evm => one.eq_ignore_ascii_case(other),
            // Packages are written with leading zeros or without.
            Kind::Sui => package(one) == package(other),
            _ => one == other || (self.chain == Chain::ThorChain && one.eq_ignore_ascii_case(other)),
        }
    }

    /// The step, where the run is of one alone.
    fn sequence(&self) -> Option<u32> {
        let (first, rest) = self.transactions.split_first()?;
        rest.iter().all(|other| other.sequence == first.sequence).then_some(first.sequence)
    }
}

/// How a loss compares with what was decoded.
enum Excess {
    None,
    /// More of something that the steps name.
    More,
    /// Something that no step names.
    Unnamed,
}

/// A token that the bytes describe and do not name: "of token account …", "coin object …".
fn described(id: &str) -> bool {
    id.contains(' ')
}

/// A coin type of Sui without the leading zeros of its package.
fn package(coin_type: &str) -> &str {
    coin_type.strip_prefix("0x").unwrap_or(coin_type).trim_start_matches('0')
}

/// A bound with room for rounding.
fn rounded(bound: Amount) -> Amount {
    let exact = bound < Amount::from(ROUNDED);
    if exact { bound } else { bound.saturating_add(Amount::from(ROUNDING)) }
}
