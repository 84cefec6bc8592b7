//! Why a secret is not saved, or not filled in. None says anything of a secret but its name.

use crate::http::ApiError;
use crate::store::StoreError;
use crate::vault::VaultError;
use derive::Code;
use wire::failure::Failure;
use wire::signer::Refusal;

/// Why a secret is not saved or deleted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum SecretError {
    /// Not a name that templates take for a secret's.
    #[error(
        "a secret's name has capital letters, digits and underscores, at most 64, and begins with a letter"
    )]
    InvalidName,
    /// There is no vault to seal it for.
    #[error("secrets are sealed for a vault, and there is none")]
    NoVault,
    /// The vault is locked, and the password did not come with the request.
    #[error("the password of \u{201c}{vault}\u{201d} is needed to seal a secret for it")]
    PasswordRequired {
        /// The vault's name.
        vault: String,
    },
    /// The active vault has no secret of this name.
    #[error("there is no such secret")]
    SecretNotFound,
    /// The vault did not open, or the signer refused.
    #[error(transparent)]
    #[code(transparent)]
    Vault(#[from] VaultError),
}

impl From<StoreError> for SecretError {
    fn from(error: StoreError) -> Self {
        Self::Vault(error.into())
    }
}

impl From<SecretError> for ApiError {
    fn from(error: SecretError) -> Self {
        let status = match &error {
            SecretError::InvalidName => 400,
            SecretError::SecretNotFound => 404,
            SecretError::NoVault => 409,
            SecretError::PasswordRequired { .. } => {
                return Self::new(403, error.code(), error.to_string()).at("/password");
            }
            SecretError::Vault(error) => return error.clone().into(),
        };
        Self::new(status, error.code(), error.to_string())
    }
}

/// Why a tool's request was not filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum FillError {
    /// The vault is locked: the password opens it for the call.
    #[error("the vault is locked")]
    #[code("password_required")]
    Locked {
        /// The vault whose secrets are used.
        vault_id: String,
        /// Its name.
        vault_name: String,
    },
    /// There is no vault that could hold secrets.
    #[error("secrets are kept for a vault, and there is none")]
    NoVault,
    /// The active vault has public keys only.
    #[error("this vault only watches: it holds no secrets")]
    WatchOnly,
    /// The active vault has no secret of this name.
    #[error("there is no secret {name}")]
    SecretMissing {
        /// Which.
        name: String,
    },
    /// The signer refused; results get the code of its refusal.
    #[error(transparent)]
    #[code("refused_by_signer")]
    Refused(Box<Refusal>),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl FillError {
    /// What the call's result says of it.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Refused(refusal) => Failure::new(refusal.code.clone(), refusal.message.clone()),
            other => Failure::of(other.code(), other),
        }
    }
}

impl From<Refusal> for FillError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
