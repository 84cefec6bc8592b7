//! What pages learn as it happens: GET `/api/events`, a server-sent stream with an `id` on every event.

use crate::api::{Call, Message};
use crate::prompt::Prompt;
use crate::run::TxStatus;
use derive::Record;

/// An event as it is stored and sent. Its name is the SSE event's name, the rest its data.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "event", content = "data", rename_all_fields = "camelCase")]
pub enum Event {
    /// A call was journaled: show it as running.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// Its record.
        call: Call,
    },
    /// A call ended.
    #[serde(rename = "action_result")]
    ActionResult {
        /// Its record, with the result in it.
        call: Call,
    },
    /// The backend has a call's result, or would not take it.
    #[serde(rename = "result_delivered")]
    ResultDelivered {
        /// The call's record.
        call: Call,
    },
    /// A person is asked whether a call may run; also sent when the question is settled.
    #[serde(rename = "confirmation_required")]
    ConfirmationRequired {
        /// The question.
        prompt: Prompt,
        /// The call that waits for it.
        call: Call,
    },
    /// A person is asked to approve a bundle; also sent when the question is settled.
    #[serde(rename = "tx_bundle_approval")]
    TxBundleApproval {
        /// The question.
        prompt: Prompt,
        /// The call that waits for it.
        call: Call,
    },
    /// A person is asked for the vault's password; also sent when the question is settled.
    #[serde(rename = "password_required")]
    PasswordRequired {
        /// The question.
        prompt: Prompt,
        /// The call that waits for it.
        call: Call,
    },
    /// A person is asked whether a web page may connect; also sent when the question is settled.
    #[serde(rename = "connect_dapp")]
    ConnectDapp {
        /// The question.
        prompt: Prompt,
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
        conversation: crate::api::Conversation,
    },
    /// The backend wants a (new) token before it takes anything more.
    #[serde(rename = "auth_required")]
    AuthRequired {},
    /// Events between `after` and this one are no longer kept: load what you show again.
    #[serde(rename = "gap")]
    Gap {},
}
