//! Why a message to the agent, or its answer, failed.

use super::reply::{LONGEST_ANSWER, MAX_ACTIONS, MAX_STREAM};
use derive::Code;
use wire::failure::Failure;

/// Why a message to the agent, or its answer, failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum AgentError {
    /// The agent says that it failed.
    #[error("{0}")]
    #[code("agent_error")]
    Reported(String),
    /// The answer never came to its end.
    #[error("{0}")]
    AnswerLost(String),
    /// The answer cannot be read.
    #[error("the backend's answer is neither a stream nor JSON")]
    BadAnswer,
    /// The backend does not take the message.
    #[error("{0}")]
    Refused(String),
    /// The address of the conversation's backend was changed, and not set again as long as the turn was offered.
    #[error("{0} was not set as the agent's address again within a day")]
    BackendChanged(String),
    /// The answer has more actions than one may have.
    #[error("an answer may have {MAX_ACTIONS} actions: this one and those after it were not taken")]
    TooManyActions,
    /// Arguments of an action were announced, and the action never came.
    #[error("the answer ended before the action was there")]
    ArgumentsLost,
    /// The answer went on for longer than one may.
    #[error("the answer did not end within {} minutes", LONGEST_ANSWER / 60_000)]
    AnswerTooLong,
    /// The answer is larger than one may be.
    #[error("the answer is larger than {MAX_STREAM} bytes")]
    StreamTooLarge,
    /// There is nothing to sign: neither here nor in an earlier answer.
    #[error(
        "there is no keysign_payload, no unsigned_tx in approval_tx or swap_tx, and no tx_ready came before"
    )]
    NothingToSign,
}

impl AgentError {
    /// As it stands in a record.
    pub(crate) fn text(&self) -> String {
        Failure::of(self.code(), self).to_string()
    }
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        Self::of(error.code(), &error)
    }
}
