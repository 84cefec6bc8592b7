//! A trial run of a bundle: what the vault would have less and more of, chain by chain, if its transactions ran now.
//!
//! All of it is the node's word. A node runs the transactions and says what comes of it; a node that lies can say
//! anything here. So it is shown as what the node says, beside what the bytes say, and a disagreement of the two is a
//! warning. What the node does not say is no fact either: a chain without a trial run says why there is none.

use crate::explain::{Asset, Quantity};
use derive::Record;

/// What a node says of the transactions of one chain, run in their order and on top of each other.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TrialRun {
    /// Canonical name of the chain.
    pub chain: String,
    /// What came of it: the node's word.
    pub outcome: TrialOutcome,
}

/// What came of a trial run.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum TrialOutcome {
    /// A node ran the transactions: its word.
    Ran {
        /// What the vault's account has less and more of afterwards, each asset once, losses first; without the fee.
        changes: Vec<BalanceChange>,
        /// What the run costs at the highest price that is signed; `null` where the node does not say.
        fee: Option<Quantity>,
        /// Where it fails; nothing after that transaction is counted.
        failure: Option<TrialFailure>,
        /// How many of the chain's transactions were run: the first ones.
        transactions: u32,
        /// What the run does not show.
        gaps: Vec<TrialGap>,
    },
    /// There was no trial run.
    NotRun {
        /// Why.
        reason: NoTrialReason,
    },
}

/// What the vault has less or more of: the node's word, and of a token the word of the token's contract.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct BalanceChange {
    /// Of what.
    pub asset: Asset,
    /// Less or more.
    pub direction: Direction,
    /// How much; never zero.
    pub amount: Quantity,
}

/// Which way a balance changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The vault has less.
    Less,
    /// The vault has more.
    More,
}

/// A transaction that fails in a trial run.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TrialFailure {
    /// The step that it is of; `null` where the node does not say which one fails.
    pub sequence: Option<u32>,
    /// Why, in the words of the node or of the contract.
    pub reason: String,
}

/// What a trial run does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TrialGap {
    /// The chain's nodes run one transaction at a time: those after the first were not run.
    LaterTransactions,
    /// What comes after a step on another chain fails now: what that step brings is not there yet.
    AfterOtherChain,
    /// Accounts that a transaction names by their place in a lookup table.
    TableAccounts,
    /// More assets change than are listed.
    MoreAssets,
}

/// Why there was no trial run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NoTrialReason {
    /// The node does not offer trial runs.
    NodeHasNone,
    /// Nodes of this kind of chain do not offer trial runs.
    ChainHasNone,
    /// A payment that runs no code does what its bytes say.
    NotNeeded,
    /// It fails now, and a step on another chain comes before it: what that one brings is not there yet.
    AfterOtherChain,
    /// No node answered in time, or it reported an error of its own.
    NoAnswer,
    /// The node's answer could not be read.
    Unreadable,
}
