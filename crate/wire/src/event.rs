//! What pages learn as it happens: GET `/api/events`, a server-sent stream with an `id` on every event.

use crate::api::{CallState, Conversation, Delivery, Message, Millis, Source};
use crate::prompt::PromptOutcome;
use crate::run::TxStatus;
use derive::Record;
use serde_json::Value;

/// A new call. The rest, such as its parameters, is in its record: GET `/api/calls/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallStart {
    /// Which.
    pub id: String,
    /// The action's own id; empty where it had none.
    pub action_id: String,
    /// The type as it was sent.
    #[serde(rename = "type")]
    pub kind: String,
    /// What to show while it runs.
    pub title: String,
    /// More detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub description: Option<String>,
    /// The sender.
    pub source: Source,
    /// When it arrived.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub received_at: Millis,
    /// The run that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run_id: String,
    /// False where its conversation does not show it (specification 004).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub visible: Option<bool>,
}

/// What of a call changed.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallChange {
    /// Which.
    pub id: String,
    /// The action's own id; empty where it had none.
    pub action_id: String,
    /// The sender.
    pub source: Source,
    /// Where it is now, if that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub state: Option<CallState>,
    /// What has become of the result on its way to the backend, if that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub delivery: Option<Delivery>,
}

/// A prompt that was asked or settled. What it asks is in its record: GET `/api/prompts/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PromptChange {
    /// Which.
    pub id: String,
    /// The call that waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub call_id: Option<String>,
    /// How it was settled; none while it is open.
    pub outcome: Option<PromptOutcome>,
}

/// How far a tool is, in its own words.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// How much is done.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub done: Value,
    /// Of how much, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub total: Option<Value>,
    /// What is being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub message: Option<String>,
}

/// An event: ids, and what changed. Its name is the SSE event's name, the rest its data.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "event", content = "data", rename_all_fields = "camelCase")]
pub enum Event {
    /// A call was journaled: show it as running.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// Which.
        call: CallStart,
    },
    /// A call's tool has more to show, and has not ended.
    #[serde(rename = "tool.streaming")]
    ToolStreaming {
        /// Which.
        call_id: String,
        /// What came: the data of one event of the host's.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        data: String,
        /// The arguments as far as they came, while the agent is still writing them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        args: Option<Value>,
        /// How far the tool is, where it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        progress: Option<Progress>,
    },
    /// The tool of a call has its result: of one whose result comes from outside, when it was submitted.
    #[serde(rename = "tool.done")]
    ToolDone {
        /// Which.
        call_id: String,
        /// What it gave; in the call's record where it is large.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        result: Option<Value>,
    },
    /// The tool of a call failed, or no result came in time.
    #[serde(rename = "tool.error")]
    ToolError {
        /// Which.
        call_id: String,
        /// Why, as the agent is told.
        error: String,
    },
    /// A call ended.
    #[serde(rename = "action_result")]
    ActionResult {
        /// With the result, unless it is a large answer to a page.
        call: CallChange,
    },
    /// The backend has a call's result, or would not take it.
    #[serde(rename = "result_delivered")]
    ResultDelivered {
        /// Which, and whether.
        call: CallChange,
    },
    /// A person is asked whether a call may run; also sent when the question is settled.
    #[serde(rename = "confirmation_required")]
    ConfirmationRequired {
        /// The question.
        prompt: PromptChange,
        /// The call that waits for it.
        call: CallChange,
    },
    /// A person is asked to approve a bundle; also sent when the question is settled.
    #[serde(rename = "tx_bundle_approval")]
    TxBundleApproval {
        /// The question.
        prompt: PromptChange,
        /// The call that waits for it.
        call: CallChange,
    },
    /// A person is asked for the vault's password; also sent when the question is settled.
    #[serde(rename = "password_required")]
    PasswordRequired {
        /// The question.
        prompt: PromptChange,
        /// The call that waits for it.
        call: CallChange,
    },
    /// A person is asked to approve a message for a web page; also sent when the question is settled.
    #[serde(rename = "message_approval")]
    MessageApproval {
        /// The question.
        prompt: PromptChange,
        /// The call that waits for it.
        call: CallChange,
    },
    /// A person is asked for what an MCP server wants to know; also sent when the question is settled.
    #[serde(rename = "elicitation")]
    Elicitation {
        /// The question.
        prompt: PromptChange,
        /// The call that waits for it.
        call: CallChange,
    },
    /// A person is asked whether a web page may connect; also sent when the question is settled.
    #[serde(rename = "connect_dapp")]
    ConnectDapp {
        /// The question.
        prompt: PromptChange,
    },
    /// Something became known of an open question since it was asked: what it shows, and its digest, are others.
    #[serde(rename = "prompt_changed")]
    PromptChanged {
        /// The question.
        prompt: PromptChange,
    },
    /// A bundle as a whole got further: it begins to run, waits for another, or is to stop.
    #[serde(rename = "bundle")]
    Bundle {
        /// Which.
        bundle_id: String,
    },
    /// A transaction of a bundle got further.
    #[serde(rename = "tx_status")]
    TxStatus(TxStatus),
    /// Vaults, contacts, chains or tokens changed; also that a vault was opened or locked.
    #[serde(rename = "vaultModified")]
    VaultModified {},
    /// Tools or bundles of tools were put, switched or deleted.
    #[serde(rename = "toolsModified")]
    ToolsModified {},
    /// The agent said more.
    #[serde(rename = "text_delta")]
    TextDelta {
        /// In which conversation.
        conversation_id: String,
        /// Which message.
        message_id: String,
        /// Where in the message's content the text belongs, in UTF-16 units; what stood after it is void.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        offset: usize,
        /// The text.
        delta: String,
    },
    /// A message began, changed its state, or was completed.
    #[serde(rename = "message")]
    Message {
        /// The message as it is now.
        message: Message,
    },
    /// A conversation was begun or renamed.
    #[serde(rename = "conversation")]
    Conversation {
        /// The conversation as it is now.
        conversation: Conversation,
    },
    /// The backend wants a (new) token before it takes anything more.
    #[serde(rename = "auth_required")]
    AuthRequired {},
    /// Events between `after` and this one are no longer kept: load what you show again.
    #[serde(rename = "gap")]
    Gap {},
}
