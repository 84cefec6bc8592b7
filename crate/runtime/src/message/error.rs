//! Why a message is not signed. What is wrong with the message itself is the signer's word.

use derive::Code;
use wire::failure::Failure;

/// Why a message is not signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum SignMessageError {
    /// Its record is missing.
    #[error("its record is no longer there")]
    MessageGone,
    /// Not a web page asks.
    #[error("messages are signed for web pages only")]
    OnlyForPages,
    /// There is no vault, or it was deleted, or it has no account on the chain.
    #[error("{0}")]
    NoVault(&'static str),
    /// The active vault holds public keys only.
    #[error("the vault in use has no private keys")]
    WatchOnly,
    /// The active vault's keys are shares.
    #[error("the vault in use is of shares, with which nothing here signs yet")]
    NoSigner,
    /// The page was disconnected after it asked.
    #[error("the page is no longer connected")]
    NotConnected,
    /// The signer's answer cannot be used.
    #[error("the signer's answer made no sense")]
    SignerUnavailable,
}

impl From<SignMessageError> for Failure {
    fn from(error: SignMessageError) -> Self {
        Self::of(error.code(), &error)
    }
}
