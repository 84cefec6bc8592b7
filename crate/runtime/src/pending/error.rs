//! Why a result is not taken.

use super::engine::NoTransitionError;
use crate::http::ApiError;
use crate::store::StoreError;
use derive::Code;

/// The largest result.
pub(super) const MAX_RESULT: usize = 1 << 20;

/// Why a result is not taken. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum SubmitError {
    /// A field is missing, or the result breaks the tool's schema.
    #[error("{problem}")]
    #[code("invalid_request")]
    Field {
        /// Which.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No call of this id takes a result.
    #[error("there is no such call")]
    #[code("call_not_found")]
    UnknownCall,
    /// The call belongs to another run.
    #[error("this call belongs to another run")]
    WrongRun,
    /// The sender may not submit the result of this call.
    #[error("this sender may not submit a result of this call")]
    NotAllowed,
    /// The call has its result.
    #[error("this call has its result")]
    AlreadyResolved,
    /// A result is no longer taken.
    #[error("this call no longer takes a result")]
    Expired,
    /// The result is too large.
    #[error("a result may have {MAX_RESULT} bytes")]
    #[code("body_too_large")]
    TooLarge,
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl SubmitError {
    pub(super) fn field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Field { path: path.into(), problem: problem.into() }
    }
}

impl From<NoTransitionError> for SubmitError {
    fn from(error: NoTransitionError) -> Self {
        match error {
            NoTransitionError::AlreadyResolved => Self::AlreadyResolved,
            NoTransitionError::Expired => Self::Expired,
            NoTransitionError::NotDue => Self::Store(StoreError::conflict("pending_calls", "")),
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        let status = match &error {
            SubmitError::Field { path, problem } => return Self::invalid(path.clone(), problem.clone()),
            SubmitError::UnknownCall => 404,
            SubmitError::WrongRun | SubmitError::NotAllowed => 403,
            SubmitError::AlreadyResolved => 409,
            SubmitError::Expired => 410,
            SubmitError::TooLarge => 413,
            SubmitError::Store(error) => return error.clone().into(),
        };
        Self::new(status, error.code(), error.to_string())
    }
}
