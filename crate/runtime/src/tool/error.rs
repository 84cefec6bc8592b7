//! Why a tool gives no output, and why it refuses its input or one entry of it.

use crate::address::{AddressError, Unavailable};
use crate::coins::TokenError;
use crate::store::StoreError;
use chains::Chain;
use derive::Code;
use std::borrow::Cow;
use wire::failure::Failure;
use wire::json::FieldError;

/// Why a tool gave no output.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The store failed: the call stays where it is and is tried again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The input was refused; nothing changed.
    #[error(transparent)]
    Refused(#[from] RequestError),
}

impl From<FieldError> for ToolError {
    fn from(error: FieldError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Unavailable> for ToolError {
    fn from(_: Unavailable) -> Self {
        Self::Refused(RequestError::SignerUnavailable)
    }
}

/// Why the input of a tool, or one entry of it, is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum RequestError {
    /// A field breaks a rule.
    #[error("{path}{gap}{problem}", gap = if .path.is_empty() { "" } else { " " })]
    InvalidParams {
        /// Where, as a JSON pointer.
        path: String,
        /// What is wrong there.
        problem: Cow<'static, str>,
    },
    /// There is no tool for the action's type.
    #[error("there is no tool for the type {kind:?}")]
    UnknownTool {
        /// The type as it was sent.
        kind: String,
    },
    /// There is no vault.
    #[error("there is no vault yet that could hold anything")]
    NoVault,
    /// No chain has this name.
    #[error("{name:?}{}", .path.as_ref().map(|path| format!(" at {path}")).unwrap_or_default())]
    UnknownChain {
        /// The name as it was sent.
        name: String,
        /// Where, in a request that is refused whole.
        path: Option<String>,
    },
    /// The vault has no account on the chain.
    #[error("{chain} needs a key that this vault does not have")]
    UnsupportedChain {
        /// The chain.
        chain: Chain,
    },
    /// The address is none of the chain.
    #[error("{chain}: {problem}")]
    InvalidAddress {
        /// The chain.
        chain: Chain,
        /// Why.
        problem: AddressError,
    },
    /// Addresses are checked by the signer, which does not answer.
    #[error("addresses cannot be checked at the moment")]
    SignerUnavailable,
    /// The records that the tool reads changed again and again.
    #[error("the records changed too often")]
    Busy,
    /// The vault holds it already.
    #[error("")]
    AlreadyExists,
    /// Nothing fits.
    #[error("")]
    NotFound,
    /// More than one fits.
    #[error("")]
    AmbiguousMatch,
    /// The agent is in no space.
    #[error("you are not in a space. Call enter_space first.")]
    NotInSpace,
    /// As many are kept as may be.
    #[error("at most {most} {what} are kept")]
    TooManyNotes {
        /// How many.
        most: usize,
        /// Of what.
        what: &'static str,
    },
    /// The token is not taken, or not removed.
    #[error(transparent)]
    #[code(transparent)]
    Token(#[from] TokenError),
}

impl RequestError {
    /// The code of arguments that are not as they must be.
    pub(crate) const INVALID_PARAMS: &'static str = "invalid_params";
}

impl From<FieldError> for RequestError {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Rule { path, problem } => Self::InvalidParams { path, problem },
            other => Self::InvalidParams { path: other.path().to_owned(), problem: other.problem().into() },
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::of(error.code(), &error)
    }
}

/// The chain of a name.
pub(crate) fn resolve(name: &str) -> Result<Chain, RequestError> {
    Chain::parse(name).ok_or_else(|| RequestError::UnknownChain { name: name.to_owned(), path: None })
}
