//! What the trial runs before signing have in common. Each kind's own is in its folder, because it reads the
//! transactions: `evm/trial.rs` and its like say what a node is asked and what its answers mean.
//!
//! Everything that comes of it is the node's word. An answer that cannot be read is no trial run; it is never a run in
//! which nothing happens.

use super::check::quoted;
use super::{Request, Response};
use crate::Amount;
use crate::explain::Asset;
use crate::transaction::Transaction;
use serde_json::Value;
use wire::trial::{Direction, NoTrialReason, TrialGap};

/// How many assets are listed.
const MOST_LISTED: usize = 100;
/// How many assets are summed up.
const MOST_SUMMED: usize = 1_000;
/// No chain has longer names for tokens.
const LONGEST_NAME: usize = 300;
/// JSON-RPC's code for a method that is not there.
const NO_SUCH_METHOD: i64 = -32_601;
/// How nodes and gateways say that they lack a method, in lower case.
const LACKING: &[&str] = &[
    "method not found",
    "method not available",
    "method not supported",
    "method is not",
    "does not exist",
    "not whitelisted",
    "unsupported method",
    "unknown method",
    "not implemented",
];

/// What a node says of the transactions of one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// It ran them.
    Ran(Ran),
    /// It did not.
    NotRun(NoTrialReason),
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What the account has less and more of, each asset once, losses first; without the fee.
    pub changes: Vec<Change>,
    /// What it costs at the highest price that is signed, in the native coin, where that is known.
    pub fee: Option<Amount>,
    /// What fails.
    pub failure: Option<Failure>,
    /// How many of the transactions were run: the first ones.
    pub transactions: usize,
    /// What the run does not show.
    pub gaps: Vec<TrialGap>,
}

/// What the account has less or more of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Of what.
    pub asset: Asset,
    /// Less or more.
    pub direction: Direction,
    /// How much; never zero.
    pub amount: Amount,
}

/// A transaction that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its place among those that were run, where the node says it.
    pub place: Option<usize>,
    /// Why, in the words of the node or of the contract.
    pub reason: String,
}

/// The requests that have a node run transactions of one account of one chain, in their order; all are sent. None
/// where a node of the chain has nothing to say.
pub fn trial(transactions: &[Transaction]) -> Vec<Request> {
    transactions.split_first().map(|(first, later)| first.trial(later)).unwrap_or_default()
}

/// Reads the answers to [`trial`], in the order of the requests.
pub fn read_trial(transactions: &[Transaction], responses: &[Response]) -> Trial {
    match transactions.split_first() {
        Some((first, later)) => first.read_trial(later, responses),
        None => Trial::NotRun(NoTrialReason::NotNeeded),
    }
}

impl Trial {
    /// The node's answer is not one.
    pub(crate) const UNREADABLE: Self = Self::NotRun(NoTrialReason::Unreadable);

    /// Of a run that the node refused as a whole.
    pub(crate) fn failed(reason: &str) -> Self {
        let failure = Some(Failure { place: None, reason: quoted(reason) });
        Self::Ran(Ran { changes: Vec::new(), fee: None, failure, transactions: 0, gaps: Vec::new() })
    }

    /// Of the first of several transactions, where nodes run one at a time.
    pub(crate) fn of_first(sums: Sums, fee: Option<Amount>, later: usize) -> Self {
        let mut ran = Ran::new(sums, fee, 1);
        if later > 0 {
            ran.gaps.push(TrialGap::LaterTransactions);
        }
        Self::Ran(ran)
    }
}

impl Ran {
    /// A run that works.
    pub(crate) fn new(sums: Sums, fee: Option<Amount>, transactions: usize) -> Self {
        let (changes, cut) = sums.changes();
        let gaps = if cut { vec![TrialGap::MoreAssets] } else { Vec::new() };
        Self { changes, fee, failure: None, transactions, gaps }
    }

    /// The same, with the place of the transaction that fails and why.
    pub(crate) fn failing(self, place: usize, reason: &str) -> Self {
        Self { failure: Some(Failure { place: Some(place), reason: quoted(reason) }), ..self }
    }
}

/// What a JSON-RPC error means that is no verdict on the transactions: the node lacks the method, or is in trouble.
pub(crate) fn no_run(error: &Value) -> Trial {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let lacking = error.get("code").and_then(Value::as_i64) == Some(NO_SUCH_METHOD)
        || LACKING.iter().any(|words| message.contains(words));
    Trial::NotRun(if lacking { NoTrialReason::NodeHasNone } else { NoTrialReason::NoAnswer })
}

/// A token by the name that a node gives it; `None` if no chain has such names.
pub(crate) fn named(id: &str) -> Option<Asset> {
    let sound = (1..=LONGEST_NAME).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    sound.then(|| Asset::Token { id: id.to_owned() })
}

/// An answer that is not one: the node is in trouble, or speaks another language.
pub(crate) fn unusable(answer: Option<&Response>) -> Trial {
    let in_trouble = answer.is_none_or(|answer| answer.status == 429 || answer.status >= 500);
    Trial::NotRun(if in_trouble { NoTrialReason::NoAnswer } else { NoTrialReason::Unreadable })
}

/// What comes and goes, by asset.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    entries: Vec<Sum>,
    cut: bool,
}

#[derive(Debug)]
struct Sum {
    asset: Asset,
    gained: Amount,
    lost: Amount,
}

impl Sums {
    /// The account gets something.
    pub(crate) fn gain(&mut self, asset: Asset, amount: Amount) {
        if let Some(sum) = self.of(asset) {
            sum.gained = sum.gained.saturating_add(amount);
        }
    }

    /// The account gives something.
    pub(crate) fn lose(&mut self, asset: Asset, amount: Amount) {
        if let Some(sum) = self.of(asset) {
            sum.lost = sum.lost.saturating_add(amount);
        }
    }

    /// Something moves between two accounts, of which either may be the account.
    pub(crate) fn moved(&mut self, asset: &Asset, amount: Amount, leaves: bool, comes: bool) {
        if leaves {
            self.lose(asset.clone(), amount);
        }
        if comes {
            self.gain(asset.clone(), amount);
        }
    }

    /// What the account has of an asset before and after, instead of what was summed up.
    pub(crate) fn set(&mut self, asset: Asset, before: Amount, after: Amount) {
        if let Some(sum) = self.of(asset) {
            (sum.lost, sum.gained) = (before, after);
        }
    }

    fn of(&mut self, asset: Asset) -> Option<&mut Sum> {
        let at = self.entries.iter().position(|sum| sum.asset == asset).unwrap_or(self.entries.len());
        if at == MOST_SUMMED {
            self.cut = true;
        } else if at == self.entries.len() {
            self.entries.push(Sum { asset, gained: Amount::ZERO, lost: Amount::ZERO });
        }
        self.entries.get_mut(at)
    }

    /// What is left when both sides are set off against each other, losses first; and whether something is not listed.
    fn changes(self) -> (Vec<Change>, bool) {
        let change = |Sum { asset, gained, lost }| {
            let (direction, amount) = match gained.checked_sub(lost) {
                Some(more) => (Direction::More, more),
                None => (Direction::Less, lost.saturating_sub(gained)),
            };
            Change { asset, direction, amount }
        };
        let changes = self.entries.into_iter().map(change).filter(|change| !change.amount.is_zero());
        let (mut changes, gains): (Vec<Change>, Vec<Change>) =
            changes.partition(|change| change.direction == Direction::Less);
        changes.extend(gains);
        let cut = self.cut || changes.len() > MOST_LISTED;
        changes.truncate(MOST_LISTED);
        (changes, cut)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    /// A loss.
    pub(crate) fn less(asset: Asset, amount: u64) -> Change {
        Change { asset, direction: Direction::Less, amount: Amount::from(amount) }
    }

    /// A gain.
    pub(crate) fn more(asset: Asset, amount: u64) -> Change {
        Change { asset, direction: Direction::More, amount: Amount::from(amount) }
    }

    /// A token by its id.
    pub(crate) fn token(id: &str) -> Asset {
        Asset::Token { id: id.to_owned() }
    }

    /// Whether it says nothing of balances: what garbage must come to.
    pub(crate) fn says_nothing(trial: &Trial) -> bool {
        match trial {
            Trial::NotRun(_) => true,
            Trial::Ran(ran) => ran.changes.is_empty() && ran.failure.is_some(),
        }
    }

    #[test]
    fn both_sides_are_set_off_and_losses_come_first() {
        let mut sums = Sums::default();
        sums.gain(token("a"), Amount::from(5));
        sums.moved(&token("b"), Amount::from(7), true, false);
        sums.moved(&token("c"), Amount::from(7), true, true);
        sums.lose(token("a"), Amount::from(2));
        sums.lose(Asset::Native, Amount::from(9));
        sums.set(Asset::Native, Amount::from(10), Amount::from(4));
        let (changes, cut) = sums.changes();
        assert_eq!(changes, [less(token("b"), 7), less(Asset::Native, 6), more(token("a"), 3)]);
        assert!(!cut);
    }

    /// Thousands of worthless gains do not push out a loss, and what is left out is said.
    #[test]
    fn a_loss_is_listed_before_any_gain() {
        let mut sums = Sums::default();
        for number in 0..300 {
            sums.gain(token(&number.to_string()), Amount::ONE);
        }
        sums.lose(token("mine"), Amount::from(5));
        let (changes, cut) = sums.changes();
        assert_eq!((changes.len(), changes[0].clone(), cut), (100, less(token("mine"), 5), true));
        let mut sums = Sums::default();
        for number in 0..2_000 {
            sums.lose(token(&number.to_string()), Amount::MAX);
            sums.lose(token(&number.to_string()), Amount::MAX);
        }
        assert_eq!(sums.entries.len(), 1_000);
        assert!(sums.changes().1);
    }

    #[test]
    fn a_node_without_trial_runs_is_told_from_one_in_trouble() {
        let of = |code: i64, message: &str| no_run(&json!({ "code": code, "message": message }));
        let none = Trial::NotRun(NoTrialReason::NodeHasNone);
        assert_eq!(of(-32_601, "the method eth_simulateV1 does not exist/is not available"), none);
        assert_eq!(of(-32_000, "Method not found"), none);
        assert_eq!(of(-32_600, "Unsupported method: eth_simulateV1 on BASE_MAINNET"), none);
        for (code, message) in [(-32_603, "method handler crashed"), (-32_005, "limit exceeded"), (0, "")] {
            assert_eq!(of(code, message), Trial::NotRun(NoTrialReason::NoAnswer));
        }
    }
}
