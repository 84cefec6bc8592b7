//! Why a bundle is refused, or ends before its last step.

use derive::Code;
use wire::failure::Failure;

/// Why a bundle is refused, or ends before its last step. A step that failed has an error of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum BundleError {
    /// Its record is missing.
    #[error("its record is no longer there")]
    BundleGone,
    /// There is no vault, or it was deleted.
    #[error("{0}")]
    NoVault(&'static str),
    /// The active vault holds public keys only.
    #[error("the vault in use has no private keys")]
    WatchOnly,
    /// The active vault's keys are shares.
    #[error("the vault in use is of shares, with which nothing here signs yet")]
    NoSigner,
    /// A step can no longer be part of its chain.
    #[error("step {sequence}: {reason}")]
    StaleTransaction {
        /// The step, as its sender numbers it.
        sequence: u32,
        /// A whole sentence.
        reason: String,
    },
    /// The node of a step's chain is of another network.
    #[error("step {sequence}: {reason}")]
    WrongNetwork {
        /// The step, as its sender numbers it.
        sequence: u32,
        /// A whole sentence.
        reason: String,
    },
    /// The kill switch is on.
    #[error("everything was stopped before it was signed")]
    KillSwitch,
    /// The web page that asked for it is no longer connected.
    #[error("the page was disconnected: the rest was not begun")]
    NotConnected,
    /// The user stopped it.
    #[error("the rest was not begun")]
    StoppedByUser,
    /// Its fee can be chosen only while its approval is asked for.
    #[error("its fee can be changed only while the approval waits")]
    NotAsking,
    /// It ended before its last step.
    #[error("not every step was begun")]
    Stopped,
    /// The signer's answer cannot be used.
    #[error("the signer's answer made no sense")]
    SignerUnavailable,
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        Self::of(error.code(), &error)
    }
}
