//! What the chains' nodes say of a trial run, held against what was decoded: a warning where more leaves than the steps
//! say, where a swap gives less than its minimum or would accept far less than it gives, and where the two do not fit
//! together. It is the nodes' word against the bytes', so a disagreement never blocks; and a run that agrees proves nothing.
//!
//! Honest bundles differ from their decoded form in many small ways: coins that come back, fees that a chain takes by
//! itself, allowances that are used by a call that was not decoded. Each rule says what it lets pass.

mod told;

use super::Case;
use super::findings::{Findings, quote};
use super::transaction::{self, Held, ReadError, Way, digits};
use chains::{Amount, Chain};
use told::{Bought, Expected, Told, is_described};
use wire::explain::Asset;
use wire::policy::ReasonCode;
use wire::trial::{BalanceChange, Direction, TrialGap, TrialOutcome, TrialRun};

/// A token whose balances are shares rounds by so many units; amounts below are exact.
const ROUNDING: u64 = 2;
const ROUNDED: u64 = 2_000;
/// Solana's coin as a token.
const WRAPPED_SOL: &str = "So11111111111111111111111111111111111111112";

/// Every trial run of the bundle.
pub(super) fn trial_runs(case: &Case<'_>, findings: &mut Findings) {
    for run in case.input.signing.iter().flat_map(|signing| signing.trial) {
        if let Err(error) = trial_run(case, run, findings) {
            findings.add(ReasonCode::RuleError, None, error.to_string());
        }
    }
}

fn trial_run(case: &Case<'_>, run: &TrialRun, findings: &mut Findings) -> Result<(), ReadError> {
    let TrialOutcome::Ran { changes, failure, transactions, gaps, .. } = &run.outcome else { return Ok(()) };
    let chain = transaction::chain(&run.chain)?;
    let ran = usize::try_from(*transactions).unwrap_or(usize::MAX);
    let of_chain = case.transactions.iter().filter(|transaction| transaction.chain == chain);
    let told = Told { chain, transactions: of_chain.take(ran).collect() };
    let changes = changes.iter().map(Change::read).collect::<Result<Vec<_>, _>>()?;
    let compared = Compared { told, changes };
    compared.losses(findings);
    if gaps.contains(&TrialGap::MoreAssets) {
        let message = format!("A node says that more assets change on {chain} than can be listed.");
        findings.add(ReasonCode::TrialDisagrees, compared.told.sequence(), message);
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
    fn read(change: &'a BalanceChange) -> Result<Self, ReadError> {
        let BalanceChange { asset, direction, amount } = change;
        let units = digits(&amount.units)?;
        let (lost, gained) = match direction {
            Direction::Less => (units, Amount::ZERO),
            Direction::More => (Amount::ZERO, units),
        };
        Ok(Self { asset, shown: &amount.shown, lost, gained })
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

/// What the steps say, and what a node says of them.
struct Compared<'c, 'a> {
    told: Told<'c, 'a>,
    changes: Vec<Change<'c>>,
}

impl Compared<'_, '_> {
    /// More leaves than the steps say, or something that they do not name.
    fn losses(&self, findings: &mut Findings) {
        for change in self.changes.iter().filter(|change| !change.lost.is_zero()) {
            let (code, rest) = match self.excess(change) {
                Excess::None => continue,
                Excess::More => (ReasonCode::TrialLosesMore, "more than the steps say"),
                Excess::Unnamed => (ReasonCode::TrialDisagrees, "which no step names"),
            };
            let (what, chain) = (quote(change.shown), self.told.chain);
            let message = format!("A node says that {what} leaves the vault on {chain}, {rest}.");
            findings.add(code, self.told.sequence(), message);
        }
    }

    /// An allowance counts where something in the steps may use it without saying so, and not where a swap says how much
    /// it takes.
    fn excess(&self, change: &Change<'_>) -> Excess {
        let held = match change.asset {
            Asset::Item { collection, id } if self.told.names_item(collection, id) => return Excess::None,
            Asset::Item { .. } => return Excess::Unnamed,
            Asset::Native { .. } => Held::Native,
            Asset::Token { id, .. } => Held::Token(id),
        };
        let expected = self.told.expected(held);
        let opaque = self.told.opaque();
        let allowed = if opaque { expected.allowed } else { Amount::ZERO };
        let bound = expected.leaves.saturating_add(allowed).saturating_add(self.told.costs(held));
        let endless = opaque && expected.endless;
        if endless || change.lost <= rounded(bound) || self.unwrapped(held, change.lost) {
            return Excess::None;
        }
        if expected.is_named() || held == Held::Native { Excess::More } else { Excess::Unnamed }
    }

    /// A swap gives less than its minimum, or would accept far less than it gives.
    fn gains(&self, findings: &mut Findings) {
        for Bought { sequence, what, minimum } in self.told.bought() {
            if minimum.is_some_and(|minimum| self.gives_less(what, minimum)) {
                let message = "A node says that the swap gives less than its minimum.".to_owned();
                findings.add(ReasonCode::TrialGivesLess, Some(sequence), message);
            } else if let Some(change) = self.change(what).filter(|change| is_low(minimum, change.gained)) {
                let none = minimum.is_none_or(|minimum| minimum.is_zero());
                let accepts = if none { "anything" } else { "far less" };
                let what = quote(change.shown);
                let message = format!("A node says that the swap gives {what}; it would accept {accepts}.");
                findings.add(ReasonCode::LowMinimumOutput, Some(sequence), message);
            }
        }
    }

    /// Whether less comes in than the minimum. What the bundle passes on again was there; a coin may come unwrapped.
    fn gives_less(&self, what: Held<'_>, minimum: Amount) -> bool {
        let opaque = self.told.opaque();
        let Expected { leaves, allowed, endless } = self.told.expected(what);
        let passed_on = leaves.saturating_add(if opaque { allowed } else { Amount::ZERO });
        let (lost, gained) =
            self.change(what).map_or_else(Default::default, |change| (change.lost, change.gained));
        let came =
            gained.saturating_add(passed_on).saturating_add(self.told.costs(what)).saturating_sub(lost);
        let native = self.change(Held::Native).map_or(Amount::ZERO, |change| change.gained);
        came < minimum && !(opaque && (endless || native >= minimum))
    }

    /// What was decoded as leaving stays. Only where nothing else could have brought it back.
    fn unmoved(&self, findings: &mut Findings) {
        let pieces = self.changes.iter().any(|change| matches!(change.asset, Asset::Item { .. }));
        if pieces || self.told.opaque() || self.told.moves_of_others() {
            return;
        }
        let bought = self.told.bought();
        for transaction in self.told.transactions.iter().filter(|transaction| !Told::stays(transaction)) {
            for moved in &transaction.moves {
                let leaves = matches!(moved.way, Way::Sent | Way::Sold(_));
                let described = matches!(moved.asset, Held::Token(id) if is_described(id));
                let comes_back = bought.iter().any(|bought| self.told.same(bought.what, moved.asset));
                let lost = self.change(moved.asset).is_some_and(|change| !change.lost.is_zero());
                if leaves && !described && !comes_back && !lost {
                    let message = "A node says that what this step sends stays in the vault.".to_owned();
                    findings.add(ReasonCode::TrialDisagrees, Some(transaction.sequence), message);
                }
            }
        }
    }

    /// A wrapped coin that leaves while as much of the coin itself comes.
    fn unwrapped(&self, asset: Held<'_>, lost: Amount) -> bool {
        let wrapped = self.told.chain == Chain::Solana && asset == Held::Token(WRAPPED_SOL);
        wrapped && self.change(Held::Native).is_some_and(|change| change.gained >= lost)
    }

    fn change(&self, asset: Held<'_>) -> Option<&Change<'_>> {
        self.changes.iter().find(|change| match change.asset {
            Asset::Native { .. } => asset == Held::Native,
            Asset::Token { id, .. } => matches!(asset, Held::Token(token) if self.told.same_id(id, token)),
            Asset::Item { .. } => false,
        })
    }
}

/// Whether a minimum is less than four fifths of what a swap gives. Multiplied, not divided: division of large numbers
/// weighs 8 kB.
fn is_low(minimum: Option<Amount>, gained: Amount) -> bool {
    let times = |amount: Amount, factor: u64| amount.saturating_mul(Amount::from(factor));
    !gained.is_zero() && minimum.is_none_or(|minimum| times(minimum, 5) < times(gained, 4))
}

/// A bound with room for rounding.
fn rounded(bound: Amount) -> Amount {
    let exact = bound < Amount::from(ROUNDED);
    if exact { bound } else { bound.saturating_add(Amount::from(ROUNDING)) }
}
