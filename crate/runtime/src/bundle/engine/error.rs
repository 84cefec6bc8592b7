//! Why a transaction failed, or is not settled.

use derive::Code;
use wire::failure::Failure;

/// Why a transaction failed, or is not settled yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum TransmissionError {
    /// No node said by the deadline whether it can be sent; it was never signed.
    #[error("{0}")]
    NodeUnreachable(String),
    /// No node gives a usable answer at the moment.
    #[error("{0}")]
    NoAnswer(String),
    /// A node says what would end it, and no second one does.
    #[error("{0}")]
    NodesDisagree(String),
    /// No node knows it at the moment.
    #[error("no node knows it at the moment")]
    NotFound,
    /// The first node that ever saw it refuses it, and no node knows it.
    #[error("{0}")]
    BroadcastRejected(String),
    /// It is in a block, and did not work.
    #[error("{0}")]
    TransactionFailed(String),
    /// It can no longer be part of the chain.
    #[error("{0}")]
    StaleTransaction(String),
    /// The node is of another network.
    #[error("{0}")]
    WrongNetwork(String),
    /// The block it was in is gone.
    #[error("the block it was in is gone")]
    Reorganised,
    /// The deadline passed, and it is unknown whether it will be part of the chain.
    #[error("{0}")]
    ReceiptTimeout(String),
}

impl From<TransmissionError> for Failure {
    fn from(error: TransmissionError) -> Self {
        Self::of(error.code(), &error)
    }
}

impl TransmissionError {
    /// As it stands in a record and in a result.
    pub(super) fn text(self) -> Option<String> {
        Some(Failure::from(self).to_string())
    }
}
