//! Why an MCP server is not signed in. None repeats a text of a server but a code.

use crate::http::ApiError;
use crate::secrets::{SecretError, SignInError};
use crate::store::StoreError;
use derive::Code;

/// Why an MCP server is not signed in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum AuthError {
    /// A host could not be reached, or did not answer in time.
    #[error("{origin} cannot be reached")]
    #[code("sign_in_unreachable")]
    Unreachable {
        /// Its origin.
        origin: String,
    },
    /// An address that the wallet does not go to: neither `https` nor on this machine, or on this machine's network while
    /// the server is not.
    #[error("{what} has an address that is not allowed")]
    #[code("sign_in_address_refused")]
    AddressRefused {
        /// Which one.
        what: &'static str,
    },
    /// The server's metadata are about another resource.
    #[error("the server's metadata are about another server")]
    #[code("sign_in_wrong_resource")]
    WrongResource,
    /// The metadata of an authorization server are another's.
    #[error("the metadata of the authorization server are another's")]
    #[code("sign_in_wrong_issuer")]
    WrongIssuer,
    /// Nothing says how to sign in.
    #[error("nothing says how to sign in to {origin}")]
    #[code("sign_in_metadata_missing")]
    NoMetadata {
        /// The server's origin, or the authorization server's.
        origin: String,
    },
    /// The authorization server does not do what the protocol needs.
    #[error("the authorization server does not support {what}")]
    #[code("sign_in_not_supported")]
    NotSupported {
        /// Which part of it.
        what: &'static str,
    },
    /// Who we are can only be told by the user.
    #[error("the authorization server registers no clients: a client id is needed")]
    ClientIdRequired,
    /// The authorization server did not register us.
    #[error("the authorization server did not register the wallet: {0}")]
    #[code("client_not_registered")]
    NotRegistered(NotRegistered),
    /// The user's client id is registered at another authorization server than the one that the server names now.
    #[error("the server names another authorization server than the one that the client id is for")]
    #[code("sign_in_issuer_changed")]
    IssuerChanged,
    /// The sign-in itself.
    #[error(transparent)]
    #[code(transparent)]
    SignIn(#[from] SignInError),
}

/// Why an authorization server did not register us.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRegistered {
    /// It refused, with this code.
    #[error("{}", .0.as_deref().unwrap_or("it gave no reason"))]
    Refused(Option<String>),
    /// Its answer names no client.
    #[error("an answer without a client id")]
    NoClientId,
    /// Its answer has no secret, and the proof that it wants needs one.
    #[error("an answer without a secret")]
    NoSecret,
    /// It wants a proof that the wallet does not have.
    #[error("a proof that the wallet does not have")]
    UnknownProof,
    /// The secret that it gave is over already.
    #[error("a secret that is over")]
    SecretOver,
}

impl From<SecretError> for AuthError {
    fn from(error: SecretError) -> Self {
        Self::SignIn(error.into())
    }
}

impl From<StoreError> for AuthError {
    fn from(error: StoreError) -> Self {
        Self::SignIn(error.into())
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let status = match &error {
            AuthError::SignIn(error) => return error.clone().into(),
            AuthError::Unreachable { .. } => 502,
            _ => 409,
        };
        Self::new(status, error.code(), error.to_string())
    }
}
