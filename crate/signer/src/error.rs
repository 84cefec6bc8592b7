//! Why a request is refused: the code of the crate it comes from, and the field in question.

use crate::secrets::FillError;
use chains::TransactionError;
use chains::derive::DeriveError;
use chains::message::MessageError;
use chains::signing::SignatureError;
use derive::Code;
use vault::backup::BackupError;
use vault::public::PublicKeysError;
use vault::seal::SealError;
use vault::vult::VultError;
use vault::{MnemonicError, SecretError, SignerError};
use wire::signer::Refusal;

/// Why a request is refused. Nothing was done.
#[derive(Debug, thiserror::Error, Code)]
pub(crate) enum AnswerError {
    /// Not a request.
    #[error("not a request to the signer")]
    #[code("malformed_request")]
    Malformed,
    /// A container did not open, or nothing was sealed.
    #[error(transparent)]
    #[code(transparent)]
    Seal(#[from] SealError),
    /// A new password that is among those that are tried first.
    #[error("is among the most common passwords, which are tried first")]
    CommonPassword {
        /// Which field has it.
        field: &'static str,
    },
    /// An invalid secret.
    #[error(transparent)]
    #[code(transparent)]
    Secret(#[from] SecretError),
    /// An invalid seed phrase.
    #[error(transparent)]
    #[code(transparent)]
    Mnemonic(#[from] MnemonicError),
    /// A private key or chain code that is not 32 bytes in hex.
    #[error("must be 64 hex digits")]
    #[code("invalid_private_key")]
    PrivateKey {
        /// Which.
        field: &'static str,
    },
    /// A backup that does not open.
    #[error(transparent)]
    #[code(transparent)]
    Backup(#[from] BackupError),
    /// Another wallet's backup that does not open.
    #[error(transparent)]
    #[code(transparent)]
    Vult(#[from] VultError),
    /// Invalid public keys.
    #[error(transparent)]
    #[code(transparent)]
    PublicKeys(#[from] PublicKeysError),
    /// A step names a chain that is not known.
    #[error("{chain} is not a supported chain")]
    UnknownChain {
        /// As the step names it.
        chain: String,
    },
    /// The vault has no account on a step's chain.
    #[error(transparent)]
    #[code(transparent)]
    NoAccount(DeriveError),
    /// A step cannot be decoded.
    #[error(transparent)]
    #[code(transparent)]
    Transaction(#[from] TransactionError),
    /// A message that is not signed.
    #[error(transparent)]
    #[code(transparent)]
    Message(#[from] MessageError),
    /// The step has fewer transactions.
    #[error("the step has no such transaction")]
    NoSuchTransaction,
    /// The step's bytes are not those that were consented to.
    #[error("the transaction is not the one that was approved")]
    DigestMismatch,
    /// The signer refused.
    #[error(transparent)]
    #[code(transparent)]
    Signer(#[from] SignerError),
    /// The signer would have had to wait for a peer.
    #[error("the signer did not finish")]
    #[code("signer_unfinished")]
    Unfinished,
    /// A signature does not fit the transaction.
    #[error(transparent)]
    #[code(transparent)]
    Signature(#[from] SignatureError),
    /// A secret of tools, or the request that it is for.
    #[error(transparent)]
    #[code(transparent)]
    Fill(#[from] FillError),
}

impl AnswerError {
    /// The field in question, of a route's body or of a step.
    const fn field(&self) -> Option<&'static str> {
        match self {
            Self::Seal(SealError::WrongPassword) => Some("password"),
            Self::Secret(SecretError::OutOfRange) => Some("keys/ecdsa"),
            Self::Secret(SecretError::Passphrase) => Some("passphrase"),
            Self::Mnemonic(_) => Some("mnemonic"),
            Self::PrivateKey { field } | Self::CommonPassword { field } => Some(field),
            Self::Backup(BackupError::Seal(SealError::WrongPassword))
            | Self::Vult(VultError::PasswordNeeded | VultError::WrongPassword) => Some("filePassword"),
            Self::Backup(_) | Self::Vult(_) => Some("file"),
            Self::PublicKeys(error) => error.field(),
            Self::UnknownChain { .. } | Self::NoAccount(_) => Some("chain"),
            Self::Transaction(error) => field_of(error),
            Self::Message(_) => Some("message"),
            Self::Malformed
            | Self::Seal(_)
            | Self::Secret(_)
            | Self::NoSuchTransaction
            | Self::DigestMismatch
            | Self::Signer(_)
            | Self::Unfinished
            | Self::Signature(_)
            | Self::Fill(_) => None,
        }
    }
}

/// The field of a step, or of its payload; none where the bytes as a whole are wrong.
const fn field_of(error: &TransactionError) -> Option<&'static str> {
    match error {
        TransactionError::Malformed { field, .. }
        | TransactionError::Missing { field }
        | TransactionError::Address { field, .. }
        | TransactionError::Amount { field } => Some(field),
        TransactionError::ChainMismatch { .. } => Some("chain"),
        TransactionError::PathNotOwned { .. } => Some("chain_context.derive_path"),
        TransactionError::TxTypeMismatch { .. } => Some("chain_context.tx_type"),
        TransactionError::SigningModeMismatch { .. } => Some("signing_mode"),
        _ => None,
    }
}

impl From<AnswerError> for Refusal {
    fn from(error: AnswerError) -> Self {
        let code = match &error {
            // Not the vault's password: wrong passwords of a file are not counted.
            AnswerError::Backup(BackupError::Seal(SealError::WrongPassword)) => {
                VultError::WrongPassword.code()
            }
            other => other.code(),
        };
        Self {
            code: code.to_owned(),
            message: error.to_string(),
            step: None,
            field: error.field().map(str::to_owned),
        }
    }
}
