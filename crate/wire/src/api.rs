//! Bodies of the HTTP API that the worker serves to the extension's own pages (`/api/*`). camelCase.

use crate::action::ActionResult;
use crate::address_book::Entry;
use crate::dapp::PageSettings;
use crate::failure::Failure;
use crate::sorted::SortedMap;
use crate::tool::{Preview, ToolResult};
use derive::Record;
use serde_json::{Map, Value};

/// Milliseconds since 1970-01-01 UTC.
pub type Millis = u64;

/// The body of every answer that is not a success.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// A stable code for programs, a sentence for users, and where in the input the error is.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ErrorDetail {
    /// Stable, snake_case.
    pub code: String,
    /// For users.
    pub message: String,
    /// JSON pointer into the request's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub path: Option<String>,
    /// After how long another attempt makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub retry_after_millis: Option<Millis>,
}

/// GET `/api/health`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// The extension's version.
    pub version: String,
    /// New for every start of the worker.
    pub boot_id: String,
    /// When this worker started.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub started_at: Millis,
    /// Size of the wasm module.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub wasm_bytes: u64,
    /// The named pieces of work that keep the worker alive right now.
    pub work: Vec<String>,
}

/// GET `/api/contacts`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Contacts {
    /// Sorted by title.
    pub contacts: Vec<Entry>,
    /// How many match, with those over `limit`.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: usize,
}

/// GET `/api/settings`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Where the agent is.
    pub backend: BackendSettings,
    /// The user's nodes, by chain name; chains without an entry use the defaults.
    #[cfg_attr(feature = "ts", ts(as = "std::collections::BTreeMap<String, Endpoint>"))]
    pub endpoints: SortedMap<String, Endpoint>,
    /// What becomes of a sender's wish to skip the approval of a bundle.
    pub skip_approval: SkipApproval,
    /// How long a vault stays unlocked.
    pub auto_lock_minutes: u32,
    /// The hosts that tools may reach: `api.example.org`, `host:8443`, `*.example.org`.
    pub allowed_hosts: Vec<String>,
    /// On which web pages the wallet is offered.
    pub pages: PageSettings,
}

/// What becomes of `skip_approval` (D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SkipApproval {
    /// Honoured if the user approved exactly these bytes within the last ten minutes.
    #[default]
    Confirmed,
    /// Honoured from the agent's backend, unless a risk is found.
    Always,
    /// Never honoured.
    Never,
}

/// The agent's backend. The bearer token is write-only: it is never given back.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BackendSettings {
    /// Base address, `https://…` or `http://127.0.0.1…`; empty until set.
    pub url: String,
    /// Whether a token is set.
    pub has_token: bool,
}

/// The nodes of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// The node that is asked first, `https://…` or `http://127.0.0.1…`.
    pub url: String,
    /// Those that are asked when it fails, in their order. With them, what ends a step counts only when two say the same.
    #[record(default)]
    pub others: Vec<String>,
    /// Where a transaction's status is asked for, if not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub status_url: Option<String>,
    /// A JSON-RPC node of the chain that knows what the others do not: the consensus branch of Zcash.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub rpc_url: Option<String>,
}

/// POST `/api/actions`, answered when all have ended.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ActionResults {
    /// One for each action, in their order.
    pub results: Vec<ActionResult>,
}

/// POST `/api/actions?wait=false`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AcceptedCalls {
    /// One for each action, in their order.
    pub call_ids: Vec<String>,
}

/// GET `/api/calls/{id}`: the record of one call.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Ours; sorts by time of arrival.
    pub id: String,
    /// The action's own id; empty where it had none.
    pub action_id: String,
    /// The type as it was sent.
    #[serde(rename = "type")]
    pub kind: String,
    /// The tool it resolves to; `null` for an unknown type or a malformed action.
    pub tool: Option<String>,
    /// What to show while it runs.
    pub title: String,
    /// More detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub description: Option<String>,
    /// Whether it came in a legacy form: its result then has the legacy fields beside the new ones.
    pub legacy: bool,
    /// Why it can never run: what was malformed about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "string"))]
    pub problem: Option<Failure>,
    /// The tool's input, legacy forms already converted.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub params: Map<String, Value>,
    /// The sender's hint.
    pub auto_execute: Option<bool>,
    /// Who asked.
    pub source: Source,
    /// Calls of one lane (a conversation, or one request of a page) run one after the other.
    pub lane: String,
    /// Where it is.
    pub state: CallState,
    /// When it arrived.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub received_at: Millis,
    /// What has become of the result on its way to the backend.
    pub delivery: Delivery,
    /// The run that it belongs to: the turn of the conversation that brought it, or the request of a page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run_id: String,
    /// Whether its conversation shows it; false for one of which only its sender learns (specification 004).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub visible: Option<bool>,
    /// While it waits: the digest of what was asked for (hex). The prompt names it as its subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub shown: Option<String>,
    /// What it sends, and where, for a tool that sends requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub preview: Option<Preview>,
    /// In a record of its own (not in lists), once it has ended and its answer is kept: what the tool gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub tool_result: Option<ToolResult>,
}

/// Who asked for a call.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Source {
    /// The agent's backend, in a conversation.
    Agent {
        /// Our id of the conversation.
        conversation_id: String,
    },
    /// A page of the extension.
    User,
    /// A web page.
    Dapp {
        /// Its origin.
        origin: String,
    },
}

/// Where a call is. Written before the effect that the next state needs.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "name")]
pub enum CallState {
    /// Journaled; runs as soon as it is its turn.
    Received,
    /// Waits for the user's answer to a prompt.
    Waiting {
        /// The prompt.
        prompt_id: String,
    },
    /// The user approved; runs as soon as it is its turn.
    Approved,
    /// Ended, once and for all.
    Done {
        /// The one answer.
        result: ActionResult,
        /// When it ended.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        at: Millis,
    },
}

/// What has become of a result on its way to the backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Not delivered (the call came from a page).
    None,
    /// Not yet with the backend.
    Pending,
    /// The backend answered 2xx.
    Delivered,
    /// The backend refused it permanently.
    Refused,
}

/// GET `/api/calls`: newest first.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// One page of the log.
    pub calls: Vec<Call>,
    /// Pass as `?cursor=` for the next page; `null` at the end.
    pub cursor: Option<String>,
}

/// A conversation with the agent.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    /// Ours; sorts by time of creation.
    pub id: String,
    /// Shown in the list; the agent may set it.
    pub title: String,
    /// When it began.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
    /// The origin of the backend that it is with, for good: that of its first message; none before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub backend: Option<String>,
}

/// GET `/api/conversations`: newest first.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Conversations {
    /// All of them.
    pub conversations: Vec<Conversation>,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Sorts by time.
    pub id: String,
    /// In which conversation.
    pub conversation_id: String,
    /// Who said it.
    pub role: Role,
    /// What was said so far.
    pub content: String,
    /// Where it is.
    pub state: MessageState,
    /// Why it failed, as `code: sentence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub error: Option<String>,
    /// When it began.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
    /// The call of a visible tool that this message shows (specification 004). Such a message cannot be replied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub tool: Option<Box<ToolPart>>,
}

/// A call of a visible tool, as a message shows it. Pages choose the component by the tool's name.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolPart {
    /// The call; what a result names as `callId`.
    pub call_id: String,
    /// The run that the call belongs to: POST `/api/runs/{runId}/tool-results`.
    pub run_id: String,
    /// The tool's name.
    pub name: String,
    /// How it gets its result.
    pub execution: ExecutionType,
    /// JSON Schema of the result that a person gives; any value without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub result_schema: Option<Value>,
    /// The arguments.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub input: Map<String, Value>,
    /// The result, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub output: Option<Value>,
}

/// How a tool of specification 004 gets its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionType {
    /// By an HTTP request, or by an MCP server.
    Gateway,
    /// A program outside submits it.
    External,
    /// A person gives it, in the space.
    Space,
    /// At once: the arguments are the result.
    Internal,
}

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// The wallet: that a plan of the agent became due.
    Wallet,
}

/// Where a message is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// A user's message that the backend has not accepted yet.
    Sending,
    /// The agent is still speaking.
    Streaming,
    /// Complete.
    Done,
    /// Not taken, or broken off for good. Of a tool: it ended with an error.
    Failed,
    /// Of a tool: its result comes from outside, and is not there yet.
    RequiresAction,
    /// Of a tool: no result came in time.
    Expired,
}

/// GET `/api/conversations/{id}/messages`: what was said and done, in order.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// The conversation itself.
    pub conversation: Conversation,
    /// Messages and calls in the order in which they began.
    pub items: Vec<TimelineItem>,
    /// Actions whose arguments are still on their way, as far as they came.
    #[record(default)]
    pub inputs: Vec<ToolInput>,
    /// The origin of the conversation's backend, where the settings name another one or none: what is undelivered waits
    /// for that address, and nothing more can be said here until it is set again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub other_backend: Option<String>,
    /// Events after this id are not yet in `items`: subscribe with `?after=`.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub last_event_id: u64,
}

/// An action whose arguments are still on their way.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolInput {
    /// The id that its call will have.
    pub call_id: String,
    /// The action's type.
    pub name: String,
    /// The arguments, as far as they came.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub args: Value,
}

/// A message or a call.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TimelineItem {
    /// Something said.
    Message {
        /// What.
        message: Message,
    },
    /// Something done.
    Call {
        /// What.
        call: Box<Call>,
    },
}
