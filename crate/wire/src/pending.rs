//! Calls of tools whose result comes from outside (specification 004): a person, a page, the agent's backend. camelCase.

use crate::api::Millis;
use derive::Record;
use serde_json::{Map, Value};

/// A call of a tool whose result comes from outside. GET `/api/pending-calls`: those that have no result yet.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PendingCall {
    /// The call's id; a result names it as `callId`.
    pub tool_call_id: String,
    /// The vault for which the agent acts; empty without one.
    pub agent_entity_id: String,
    /// The run that it belongs to.
    pub run_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// The arguments.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub args: Map<String, Value>,
    /// Where it is.
    pub status: PendingStatus,
    /// What was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub result: Option<Value>,
    /// When it was called.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
    /// Until when the agent waits for it, while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub waits_until: Option<Millis>,
    /// When a result is no longer taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub expires_at: Option<Millis>,
    /// When the result came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub resolved_at: Option<Millis>,
}

/// Where a call is whose result comes from outside: `waiting` → `resolved` (inline), or `pending` → `resolved` (by the
/// inbox) or `expired`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PendingStatus {
    /// The agent waits for the result.
    Waiting,
    /// The agent went on; the result reaches its inbox.
    Pending,
    /// The result came.
    Resolved,
    /// No result came in time, or the call was cancelled.
    Expired,
}

/// GET `/api/pending-calls`: oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PendingCalls {
    /// Those without a result.
    pub pending_calls: Vec<PendingCall>,
}

/// POST `/api/runs/{runId}/tool-results`, answered.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SubmittedResult {
    /// As named in the request.
    pub call_id: String,
    /// Always `resolved`.
    pub status: PendingStatus,
    /// How the agent gets it.
    pub delivered_by: ResultWay,
}

/// How a submitted result reaches the agent: exactly one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ResultWay {
    /// As the result of the call, which waited for it.
    Inline,
    /// As an item of its inbox.
    Inbox,
}
