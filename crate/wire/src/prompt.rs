//! Questions to the person: records, kept in the store until they are answered or expire.

use crate::api::Millis;
use crate::fields::{FieldError, Fields, FromFields, read_by_name};
use crate::policy::Reason;
use crate::read_by_fields;
use serde::{Deserialize, Serialize};

/// A question. Answered once, by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// Why a person is asked.
    pub reasons: Vec<Reason>,
    /// Of what is shown (hex). An answer that names another was given to something else.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// May this web page know the vault's addresses and ask for signatures?
    ConnectDapp {
        /// Its origin.
        origin: String,
    },
}

impl Question {
    /// The kind's name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TxBundleApproval { .. } => "tx_bundle_approval",
            Self::PasswordRequired { .. } => "password_required",
            Self::ConfirmationRequired { .. } => "confirmation_required",
            Self::ConnectDapp { .. } => "connect_dapp",
        }
    }

    /// The call that waits for the answer.
    pub fn call_id(&self) -> Option<&str> {
        match self {
            Self::TxBundleApproval { call_id }
            | Self::PasswordRequired { call_id, .. }
            | Self::ConfirmationRequired { call_id } => Some(call_id),
            Self::ConnectDapp { .. } => None,
        }
    }
}

/// Why the password is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PasswordReason {
    /// To sign what was approved.
    Sign,
    /// The approval was skipped: somebody must be there.
    ApprovalSkipped,
    /// The vault was open, and was locked before everything was signed.
    LockedMeanwhile,
}

/// How a prompt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PromptOutcome {
    /// The person said yes.
    Approved,
    /// The person said no.
    Rejected,
    /// Nobody answered in time.
    Expired,
}

/// GET `/api/prompts`: the open ones, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Prompts {
    /// Open prompts.
    pub prompts: Vec<Prompt>,
}

read_by_fields!(Prompt, Question);
read_by_name!(PasswordReason, PromptOutcome);

impl FromFields for Prompt {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self {
            id: fields.take("id")?,
            question: Question::from_fields(fields)?,
            title: fields.take("title")?,
            reasons: fields.take("reasons")?,
            digest: fields.take("digest")?,
            created_at: fields.take("createdAt")?,
            expires_at: fields.take("expiresAt")?,
            outcome: fields.take("outcome")?,
        })
    }
}

impl FromFields for Question {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(match fields.take::<String>("kind")?.as_str() {
            "tx_bundle_approval" => Self::TxBundleApproval { call_id: fields.take("callId")? },
            "password_required" => Self::PasswordRequired {
                call_id: fields.take("callId")?,
                vault_id: fields.take("vaultId")?,
                vault_name: fields.take("vaultName")?,
                why: fields.take("why")?,
            },
            "confirmation_required" => Self::ConfirmationRequired { call_id: fields.take("callId")? },
            "connect_dapp" => Self::ConnectDapp { origin: fields.take("origin")? },
            _ => return Err(FieldError::Invalid("kind")),
        })
    }
}
