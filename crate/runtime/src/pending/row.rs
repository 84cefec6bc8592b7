//! A call whose result comes from outside, on disk.

use super::engine::State;
use derive::Record;
use serde_json::Value;
use wire::api::{ExecutionType, Millis};
use wire::pending::{PendingCall, PendingStatus};

/// A call whose result comes from outside, on disk. Pages see its [`PendingCall`].
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PendingRow {
    pub(crate) call: PendingCall,
    pub(crate) execution: ExecutionType,
    /// The agent's conversation; none for a page of the extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conversation_id: Option<String>,
    /// For how long the agent waits; none if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<Millis>,
    /// What the result must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result_schema: Option<Value>,
    /// Origins that may submit the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) submitters: Vec<String>,
    /// Of tokens that were given to them, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tokens: Vec<String>,
}

impl PendingRow {
    /// Where it is.
    pub(super) fn state(&self) -> State {
        let expires_at = self.call.expires_at.unwrap_or(Millis::MAX);
        match self.call.status {
            PendingStatus::Waiting => {
                State::Waiting { until: self.call.waits_until.unwrap_or_default(), expires_at }
            }
            PendingStatus::Pending => State::Pending { expires_at },
            PendingStatus::Resolved => State::Resolved,
            PendingStatus::Expired => State::Expired,
        }
    }

    /// The same in another state.
    pub(super) fn with(mut self, state: State) -> Self {
        self.call.waits_until = None;
        self.call.status = match state {
            State::Waiting { until, expires_at } => {
                self.call.waits_until = Some(until);
                self.call.expires_at = Some(expires_at);
                PendingStatus::Waiting
            }
            State::Pending { expires_at } => {
                self.call.expires_at = Some(expires_at);
                PendingStatus::Pending
            }
            State::Resolved => PendingStatus::Resolved,
            State::Expired => PendingStatus::Expired,
        };
        self
    }

    /// Whether it takes a result.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.call.status, PendingStatus::Waiting | PendingStatus::Pending)
    }

    /// Whether the agent was told of its end before: that it waited long enough.
    pub(super) const fn is_told(&self) -> bool {
        self.timeout.is_some()
    }

    /// Of a call that begins now.
    pub(crate) fn begin(self, now: Millis, expires_in: Millis) -> Self {
        let state = State::begin(now, self.timeout, expires_in);
        self.with(state)
    }
}
