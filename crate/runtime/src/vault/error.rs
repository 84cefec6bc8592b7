//! Why something is not done with a vault.

use crate::http::ApiError;
use crate::loosening::Loosening;
use crate::store::StoreError;
use derive::Code;
use wire::api::Millis;
use wire::signer::Refusal;

/// Why something is not done with a vault. Nothing changed, except that a wrong password is counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum VaultError {
    /// It was deleted, or never was.
    #[error("there is no such vault")]
    VaultNotFound,
    /// A vault with the same key is here.
    #[error("this vault is here already")]
    VaultExists,
    /// It has public keys only.
    #[error("this vault only watches: it has no secret, and no password")]
    WatchOnly,
    /// A password is missing.
    #[error("must be the vault's password")]
    #[code("invalid_request")]
    PasswordMissing,
    /// A change lets more happen than before, and came without the password.
    #[error("{loosening}: the password of \u{201c}{vault}\u{201d} is needed")]
    PasswordRequired {
        /// What the change does, and where.
        loosening: Loosening,
        /// The name of the vault whose password it is.
        vault: String,
    },
    /// The password is wrong.
    #[error("the password is wrong")]
    WrongPassword {
        /// How long the next attempt must wait.
        retry_after: Option<Millis>,
    },
    /// The password was not tried: it came too soon after wrong ones.
    #[error("too many wrong passwords: wait a moment")]
    TooManyAttempts {
        /// How long the next attempt must wait.
        retry_after: Millis,
    },
    /// The password changed between the check and the commit.
    #[error("the password was changed in the meantime")]
    #[code("conflict")]
    PasswordChanged,
    /// The browser's session did not keep the opened copy.
    #[error("the browser has no room to keep the vault open")]
    SessionFull,
    /// The signer replied to another request: it is of another version.
    #[error("the signer answered something else")]
    #[code("signer_unavailable")]
    UnexpectedReply,
    /// The signer refused; pages get the code of its refusal.
    #[error(transparent)]
    #[code("refused_by_signer")]
    Refused(Box<Refusal>),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<Refusal> for VaultError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

/// What a refusal of the signer means here. The one place that knows its codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalKind {
    /// The password does not open the vault.
    WrongPassword,
    /// The password does not open the file.
    WrongFilePassword,
    /// The signer cannot work now.
    Unavailable,
    /// A public key is none.
    InvalidPublicKey,
    /// The input is wrong in another way.
    Invalid,
}

impl RefusalKind {
    pub(super) fn of(refusal: &Refusal) -> Self {
        match refusal.code.as_str() {
            "wrong_password" => Self::WrongPassword,
            "wrong_file_password" => Self::WrongFilePassword,
            "signer_unavailable" | "out_of_memory" | "no_randomness" => Self::Unavailable,
            "invalid_public_key" | "malformed_key" => Self::InvalidPublicKey,
            _ => Self::Invalid,
        }
    }

    const fn status(self) -> u16 {
        match self {
            Self::WrongPassword | Self::WrongFilePassword => 403,
            Self::Unavailable => 503,
            Self::InvalidPublicKey | Self::Invalid => 400,
        }
    }
}

impl From<VaultError> for ApiError {
    fn from(error: VaultError) -> Self {
        let message = error.to_string();
        let (status, path, retry_after) = match &error {
            VaultError::VaultNotFound => (404, None, None),
            VaultError::VaultExists | VaultError::WatchOnly | VaultError::PasswordChanged => {
                (409, None, None)
            }
            VaultError::PasswordMissing => (400, Some("/password"), None),
            VaultError::PasswordRequired { loosening, .. } => (403, Some(loosening.path.as_str()), None),
            VaultError::WrongPassword { retry_after } => (403, Some("/password"), *retry_after),
            VaultError::TooManyAttempts { retry_after } => (429, Some("/password"), Some(*retry_after)),
            VaultError::SessionFull | VaultError::UnexpectedReply => (503, None, None),
            VaultError::Refused(refusal) => return refused((**refusal).clone()),
            VaultError::Store(error) => return error.clone().into(),
        };
        let answer = Self::new(status, error.code(), message).after(retry_after);
        match path {
            Some(path) => answer.at(path),
            None => answer,
        }
    }
}

/// A refusal of the signer as pages are told.
fn refused(refusal: Refusal) -> ApiError {
    let status = RefusalKind::of(&refusal).status();
    let answer = ApiError::new(status, refusal.code, refusal.message);
    match refusal.field {
        Some(field) => answer.at(format!("/{field}")),
        None => answer,
    }
}
