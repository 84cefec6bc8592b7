//! What the agent received, in order of arrival.

use crate::DeclaredTool;
use serde::Serialize;
use serde_json::Value;

/// Everything received so far.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// Every accepted result, first arrivals and repeats.
    pub results: Vec<ReceivedResult>,
    /// Every request, refused ones included.
    pub requests: Vec<ReceivedRequest>,
    /// Every protocol violation of the client.
    pub violations: Vec<String>,
    /// The tools that were declared last.
    pub tools: Vec<DeclaredTool>,
    /// Every accepted item of the inbox, first arrivals and repeats.
    pub inbox: Vec<ReceivedItem>,
}

impl Record {
    /// Results without the repeats: what the client delivered.
    pub fn delivered(&self) -> impl Iterator<Item = &ReceivedResult> {
        self.results.iter().filter(|result| !result.repeat)
    }
}

/// An accepted `action_result`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReceivedResult {
    /// When it came, in milliseconds since 1970.
    pub at_ms: u64,
    /// The conversation it came in.
    pub conversation: String,
    /// Its `Idempotency-Key`.
    pub key: String,
    /// The action's type, as the client echoed it.
    pub action: String,
    /// The action's id.
    pub action_id: String,
    /// Whether the action succeeded.
    pub success: bool,
    /// The tool's output.
    pub data: Option<Value>,
    /// The error.
    pub error: Option<String>,
    /// Whether an earlier result of this action had arrived.
    pub repeat: bool,
}

/// An accepted item of the inbox.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReceivedItem {
    /// When it came, in milliseconds since 1970.
    pub at_ms: u64,
    /// The conversation it came in.
    pub conversation: String,
    /// The request's `Idempotency-Key`.
    pub key: String,
    /// The item's id.
    pub id: String,
    /// The whole item.
    pub item: Value,
    /// Whether the item had arrived before.
    pub repeat: bool,
}

/// A request with any outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReceivedRequest {
    /// When it came, in milliseconds since 1970.
    pub at_ms: u64,
    /// The HTTP method.
    pub method: String,
    /// The path.
    pub path: String,
    /// Its `Idempotency-Key`.
    pub key: Option<String>,
    /// The body: JSON if it was, text otherwise.
    pub body: Value,
    /// The status of the answer, also if the connection was cut.
    pub status: u16,
    /// The code of the refusal, if it was refused.
    pub refused: Option<String>,
    /// Whether its key had come before, with the same body.
    pub repeat: bool,
}
