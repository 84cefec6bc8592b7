//! Why a route refuses a request, beside what the owners say.

use super::{ApiError, MAX_BODY};
use derive::Code;
use wire::json::FieldError;

/// Why a route refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum RouteError {
    /// No route has this path.
    #[error("this is not a route")]
    NoSuchRoute,
    /// The route takes other methods.
    #[error("this is not a method of the route")]
    MethodNotAllowed,
    /// The body is larger than any request needs.
    #[error("a body may have {MAX_BODY} bytes")]
    BodyTooLarge,
    /// A part of the request is not what it must be; the answer says which.
    #[error("the request is not as it must be")]
    InvalidRequest,
    /// No call has this id, or it was trimmed.
    #[error("there is no such call")]
    CallNotFound,
    /// The call has its result.
    #[error("this call has ended")]
    CallEnded,
    /// No contact has this id.
    #[error("there is no such contact")]
    ContactNotFound,
    /// No bundle has this id, or it was trimmed.
    #[error("there is no such bundle")]
    BundleNotFound,
    /// No message has this id, or it was trimmed.
    #[error("there is no such message")]
    MessageNotFound,
    /// No batch of a web page has this id.
    #[error("there is no such batch of calls")]
    BatchNotFound,
    /// The bundle's fee is its sender's.
    #[error("the fee of this bundle is its sender's")]
    FeeFixed,
    /// The bundle has ended, or has not been approved.
    #[error("there is nothing left to stop")]
    BundleEnded,
    /// No conversation has this id.
    #[error("there is no such conversation")]
    ConversationNotFound,
    /// No backend is set.
    #[error("no agent is set: enter its address in the settings")]
    NoBackend,
    /// The conversation is with another backend than the one in the settings.
    #[error("this conversation is with another agent: start a new one, or set that agent's address again")]
    OtherBackend,
    /// No chain has this name.
    #[error("there is no chain of this name")]
    UnknownChain,
    /// Vaults of this kind cannot be made.
    #[error("vaults that sign with a server cannot be made in this version")]
    UnsupportedKind,
    /// Addresses are checked by the signer, which does not answer.
    #[error("addresses cannot be checked at the moment")]
    SignerUnavailable,
    /// The password is too short.
    #[error("must have at least 8 characters")]
    WeakPassword,
}

impl From<RouteError> for ApiError {
    fn from(error: RouteError) -> Self {
        let status = match error {
            RouteError::CallNotFound | RouteError::BundleNotFound | RouteError::ConversationNotFound => 404,
            RouteError::NoSuchRoute | RouteError::ContactNotFound => 404,
            RouteError::MessageNotFound | RouteError::BatchNotFound => 404,
            RouteError::MethodNotAllowed => 405,
            RouteError::BodyTooLarge => 413,
            RouteError::BundleEnded | RouteError::CallEnded | RouteError::FeeFixed => 409,
            RouteError::NoBackend | RouteError::OtherBackend => 409,
            RouteError::SignerUnavailable => 503,
            RouteError::InvalidRequest
            | RouteError::UnknownChain
            | RouteError::UnsupportedKind
            | RouteError::WeakPassword => 400,
        };
        Self::new(status, error.code(), error.to_string())
    }
}

impl From<FieldError> for ApiError {
    fn from(error: FieldError) -> Self {
        Self::invalid(error.path(), error.problem())
    }
}
