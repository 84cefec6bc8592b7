//! The audit log: what was asked, shown, decided and done, each entry sealed to the one before it by a hash.

use crate::api::{Millis, Source};
use crate::policy::ReasonCode;
use derive::Record;

/// One entry. Never changed; removed only behind a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// From 1 without gaps.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub number: u64,
    /// When.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub at: Millis,
    /// What happened.
    #[serde(flatten)]
    pub record: AuditRecord,
    /// The entry before, hex; zeros for the first.
    pub previous: String,
    /// SHA-256 over this entry's JSON without this field, hex.
    pub hash: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum AuditRecord {
    /// The policy's verdict on a call that prompts or blocks.
    Verdict {
        /// The call.
        call_id: String,
        /// Who asked.
        source: Source,
        /// The tool.
        tool: String,
        /// `ask` or `block`.
        verdict: AuditVerdict,
        /// Which rules spoke.
        reasons: Vec<ReasonCode>,
        /// Of what was shown, hex.
        shown: String,
    },
    /// A prompt was settled.
    Decision {
        /// The prompt.
        prompt_id: String,
        /// The call that waited, if one did.
        call_id: Option<String>,
        /// `tx_bundle_approval` and so on.
        question: String,
        /// What was shown, hex.
        shown: String,
        /// `approved`, `rejected`, `expired`.
        outcome: crate::prompt::PromptOutcome,
    },
    /// A call ended.
    Result {
        /// The call.
        call_id: String,
        /// Who asked.
        source: Source,
        /// The tool, or the type as sent where there is none.
        tool: String,
        /// Of its parameters, hex.
        params: String,
        /// Whether it did its work.
        success: bool,
        /// The code of its error.
        error: Option<String>,
        /// Of its result, hex.
        result: String,
    },
    /// A tool sent a request: one entry for each attempt.
    ToolRequest {
        /// The call; none for a trial run.
        call_id: Option<String>,
        /// The tool.
        tool: String,
        /// Where to, with the port where it is not the scheme's own. Never the address: it may hold what was asked.
        host: String,
        /// `GET`, `POST`, ….
        method: String,
        /// From 1.
        attempt: u32,
        /// The status of the answer, or the code of what went wrong. `outcome_unknown`: the request may have reached the host.
        outcome: String,
    },
    /// Older entries were removed. The first entry that is left is sealed to the last one that was removed, and this
    /// entry says which that was: an entry that is missing without it was taken away.
    Checkpoint {
        /// The number of the last entry that was removed.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        through: u64,
        /// That entry's hash, hex.
        last_hash: String,
        /// How many were removed at this time; 0 where they were found to be missing.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        removed: u64,
    },
    /// The user changed vaults, rules or settings.
    Change {
        /// `vault_created`, `vault_deleted`, `vault_exported`, `password_changed`, `vault_unlocked`, `vault_locked`,
        /// `wrong_password`, `policy_changed`, `settings_changed`, `dapp_connected`, `dapp_disconnected`,
        /// `contact_confirmed`, `token_confirmed`, `token_removed`, `secret_saved`, `secret_deleted`, `tool_signed_in`,
        /// `tool_signed_out`, `mcp_signed_in`, `mcp_signed_out`, `tool_bundle_created`, `tool_bundle_replaced`,
        /// `tool_bundle_enabled`, `tool_bundle_disabled`, `tool_bundle_deleted`, `tool_bundle_reaped`, `tool_created`, `tool_imported`, `tool_enabled`, `tool_disabled`, `tool_deleted`.
        what: String,
        /// The vault's id, the page's origin, the contact's id, the token's contract, the secret's name, the bundle's id, the
        /// MCP server's id, or the tool's id, or its bundle, slug and version.
        subject: Option<String>,
    },
}

/// What the policy said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AuditVerdict {
    /// The user was prompted.
    Ask,
    /// It did not run.
    Block,
}

/// GET `/api/audit?cursor=`: newest first.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AuditPage {
    /// One page of the log.
    pub entries: Vec<AuditEntry>,
    /// Pass as `?cursor=` for the next page; `null` at the end.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub cursor: Option<u64>,
}

/// GET `/api/audit/check`: whether the log is whole.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditCheck {
    /// How many entries there are.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entries: u64,
    /// The hash of the newest, hex: a copy kept elsewhere shows later whether anything was rewritten.
    pub head: String,
    /// The first entry that does not fit the one before it; `null` if all do.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub broken_at: Option<u64>,
    /// How many older entries were removed, if any: the oldest of those that are kept is sealed to the last of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub trimmed: Option<u64>,
    /// The checkpoint that says so: the log is checked from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub checkpoint: Option<AuditCheckpoint>,
}

/// An entry of the log that says that those before some number were removed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditCheckpoint {
    /// Its own number.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub number: u64,
    /// When it was made.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub at: Millis,
    /// The number of the last entry that was removed.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub through: u64,
    /// That entry's hash, hex.
    pub last_hash: String,
    /// How many were removed at this time; 0 where they were found to be missing.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub removed: u64,
}
