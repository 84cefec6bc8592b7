//! Prompts for the user: records, kept in the store until they are answered or expire.

use crate::api::Millis;
use crate::policy::Reason;
use derive::Record;
use serde_json::Value;

/// A prompt. Answered once, by its id.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// An answer must name it.
    pub id: String,
    /// What is asked.
    #[serde(flatten)]
    pub question: Question,
    /// In the sender's words.
    pub title: String,
    /// Why the user is prompted.
    pub reasons: Vec<Reason>,
    /// Of the record that is shown with it (hex): `shown` of the bundle or of the call. A page that has another record
    /// shows something else than is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub subject: Option<String>,
    /// Of everything above and of the times below (hex). An answer names it: one that names another was given to something
    /// else.
    pub digest: String,
    /// When it was asked.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
    /// Afterwards it counts as refused.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub expires_at: Millis,
    /// Exactly one outcome, once.
    pub outcome: Option<PromptOutcome>,
}

/// What is asked, by what kind of answer it wants.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Question {
    /// May these transactions be signed and sent? The bundle has the call's id.
    TxBundleApproval {
        /// The call that waits for it.
        call_id: String,
    },
    /// The password that opens the vault, for one call.
    PasswordRequired {
        /// The call that waits for it.
        call_id: String,
        /// The vault to open.
        vault_id: String,
        /// Its name.
        vault_name: String,
        /// Why now.
        why: PasswordReason,
    },
    /// May this call run?
    ConfirmationRequired {
        /// The call that waits for it.
        call_id: String,
    },
    /// May this message be signed for a web page? The message has the call's id.
    MessageApproval {
        /// The call that waits for it.
        call_id: String,
    },
    /// What an MCP server wants to know before it goes on with a call. The answer's `content` is what the person filled in;
    /// a rejection tells the server that the person declined.
    Elicitation {
        /// The call that waits for it.
        call_id: String,
        /// The MCP server, by the name that the user gave it.
        server: String,
        /// In the server's words.
        message: String,
        /// JSON Schema of a flat object, for a form; none where the person is sent to an address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        schema: Option<Value>,
        /// The address that is opened after consent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        url: Option<String>,
    },
    /// May this web page know the vault's addresses and ask for signatures?
    ConnectDapp {
        /// Its origin.
        origin: String,
        /// The chains that it asks for: canonical names; none if it names none.
        #[record(default)]
        chains: Vec<String>,
    },
}

impl Question {
    /// The kind's name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TxBundleApproval { .. } => "tx_bundle_approval",
            Self::PasswordRequired { .. } => "password_required",
            Self::ConfirmationRequired { .. } => "confirmation_required",
            Self::MessageApproval { .. } => "message_approval",
            Self::Elicitation { .. } => "elicitation",
            Self::ConnectDapp { .. } => "connect_dapp",
        }
    }

    /// The call that waits for the answer.
    pub fn call_id(&self) -> Option<&str> {
        match self {
            Self::TxBundleApproval { call_id }
            | Self::PasswordRequired { call_id, .. }
            | Self::MessageApproval { call_id }
            | Self::Elicitation { call_id, .. }
            | Self::ConfirmationRequired { call_id } => Some(call_id),
            Self::ConnectDapp { .. } => None,
        }
    }
}

/// Why the password is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PasswordReason {
    /// To sign what was approved.
    Sign,
    /// The approval was skipped, so the password proves that the user is present.
    ApprovalSkipped,
    /// The vault was open, and was locked before everything was signed.
    LockedMeanwhile,
    /// To open the secrets that a tool's request needs.
    Secrets,
    /// To sign the message that was approved.
    Message,
}

/// How a prompt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptOutcome {
    /// The user approved.
    Approved,
    /// The user rejected.
    Rejected,
    /// Not answered in time.
    Expired,
    /// Another prompt of the same call took its place: the user chose another fee.
    Replaced,
}

/// GET `/api/prompts`: the open ones, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Prompts {
    /// Open prompts.
    pub prompts: Vec<Prompt>,
}
