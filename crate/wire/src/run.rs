//! A bundle under way: where it is, and where each of its steps is.

use crate::api::Millis;
use crate::bundle::{Bundle, TransactionRole};
use derive::Record;

/// Where a bundle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BundleState {
    /// Decoded and judged; no prompt is open yet.
    Checked,
    /// The user is prompted: for the approval, or for the password.
    Asking,
    /// Approved; runs as soon as it is its turn.
    Approved,
    /// Its steps are signed and sent, one after the other.
    Running,
    /// Ended, once and for all.
    Done,
}

/// Where a step, or one transaction of it, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Nothing has happened yet.
    Queued,
    /// Is being checked and signed.
    Signing,
    /// Signed, and the bytes are on disk; perhaps on their way.
    Signed,
    /// A node has it.
    Sent,
    /// In a block, and it worked.
    Confirmed,
    /// Refused, or in a block and it did not work.
    Failed,
    /// Unknown at the deadline.
    Timeout,
    /// A node has it, and its receipt is not waited for.
    Pending,
}

/// GET `/api/bundles/{id}`: a bundle and how far it is.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BundleView {
    /// What was asked for.
    #[serde(flatten)]
    pub bundle: Bundle,
    /// Where it is.
    pub state: BundleState,
    /// How far each step is, in the order of `steps`.
    pub progress: Vec<StepProgress>,
    /// The bundle that it waits for, because both use one account.
    pub behind: Option<String>,
    /// Whether it is to end before its next step.
    pub stopping: bool,
    /// Once it has ended, whether everything ran.
    pub success: Option<bool>,
    /// Once it has ended without success, why, as `code: sentence`.
    pub error: Option<String>,
}

/// GET `/api/bundles`: newest first.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Bundles {
    /// One page of them.
    pub bundles: Vec<BundleView>,
    /// Pass as `?cursor=` for the next page; `null` at the end.
    pub cursor: Option<String>,
}

/// How far a step is.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepProgress {
    /// Its place, as its sender numbers it.
    pub sequence: u32,
    /// Where it is.
    pub status: StepStatus,
    /// Of its last transaction that was signed.
    pub tx_hash: Option<String>,
    /// Why it failed or is unsettled, as `code: sentence`.
    pub error: Option<String>,
    /// Its transactions, in order.
    pub transactions: Vec<TransactionProgress>,
}

/// How far a transaction is.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TransactionProgress {
    /// What it is for.
    pub role: TransactionRole,
    /// Where it is.
    pub status: StepStatus,
    /// Its id as explorers spell it, once signed.
    pub tx_hash: Option<String>,
    /// Where people look at it, once signed.
    pub explorer_url: Option<String>,
    /// When it was signed.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub signed_at: Option<Millis>,
    /// When a node first had it.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub sent_at: Option<Millis>,
    /// When its receipt is waited for no longer.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub deadline: Option<Millis>,
    /// When it was settled.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub settled_at: Option<Millis>,
    /// Whether it was settled after its bundle had ended.
    pub late: bool,
}

/// The data of `tx_status`: a transaction got further.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TxStatus {
    /// Its bundle.
    pub bundle_id: String,
    /// Its step, as its sender named it.
    pub step_id: String,
    /// Its step's place.
    pub sequence: u32,
    /// Its place in the step.
    pub index: usize,
    /// Canonical name of the chain.
    pub chain: String,
    /// The step's label.
    pub label: String,
    /// Its id as explorers spell it, once signed.
    pub tx_hash: Option<String>,
    /// Where it is.
    pub status: StepStatus,
    /// Why it failed or is unsettled, as `code: sentence`.
    pub error: Option<String>,
    /// Whether its bundle had ended before.
    pub late: bool,
}
