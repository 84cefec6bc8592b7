//! Why a secret is not saved, or not filled in. None says anything of a secret but its name.

use crate::http::ApiError;
use crate::store::StoreError;
use crate::vault::VaultError;
use derive::Code;
use wire::failure::Failure;
use wire::signer::Refusal;
use wire::toolbox::ToolboxError;

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
    /// The tool has no token of its OAuth 2 server, or none that can be refreshed.
    #[error("the tool is not signed in")]
    TokensMissing,
    /// The OAuth 2 server gave no token.
    #[error("the server that gives tokens: {problem}")]
    #[code("token_server_failed")]
    TokenServer {
        /// Its code, or what was wrong with its answer.
        problem: String,
    },
    /// The vault is gone, or the signer refused to seal.
    #[error(transparent)]
    #[code(transparent)]
    Vault(VaultError),
    /// The signer refused; results get the code of its refusal.
    #[error(transparent)]
    #[code("refused_by_signer")]
    Refused(Box<Refusal>),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<VaultError> for FillError {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::Store(error) => Self::Store(error),
            VaultError::Refused(refusal) => Self::Refused(refusal),
            other => Self::Vault(other),
        }
    }
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

/// Why a tool was not signed in or out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum SignInError {
    /// Not an address that the browser comes back to.
    #[error("is not the address that the browser comes back to")]
    #[code("invalid_request")]
    InvalidRedirect {
        /// Which field.
        path: &'static str,
    },
    /// Nothing was begun, or it was longer ago than a sign-in takes, or it is over.
    #[error("the sign-in is over: begin it anew")]
    #[code("sign_in_not_begun")]
    NotBegun,
    /// The browser came back with the answer to something else.
    #[error("the answer is not to this sign-in")]
    #[code("sign_in_mismatch")]
    StateMismatch,
    /// The answer is not from the server that was asked. Nothing of it is repeated.
    #[error("the answer is not from the service that was asked")]
    #[code("sign_in_wrong_issuer")]
    WrongIssuer,
    /// The server or the user said no.
    #[error("the service refused: {error}")]
    #[code("sign_in_denied")]
    Denied {
        /// The server's code.
        error: String,
    },
    /// The toolbox refused; pages get the code of its refusal.
    #[error(transparent)]
    #[code("refused_by_toolbox")]
    Toolbox(Box<ToolboxError>),
    /// The tokens could not be fetched or sealed.
    #[error(transparent)]
    #[code(transparent)]
    Fill(#[from] FillError),
    /// The vault did not open.
    #[error(transparent)]
    #[code(transparent)]
    Secret(#[from] SecretError),
}

impl From<ToolboxError> for SignInError {
    fn from(error: ToolboxError) -> Self {
        Self::Toolbox(Box::new(error))
    }
}

impl From<StoreError> for SignInError {
    fn from(error: StoreError) -> Self {
        Self::Secret(error.into())
    }
}

impl From<SignInError> for ApiError {
    fn from(error: SignInError) -> Self {
        let status = match &error {
            SignInError::InvalidRedirect { path } => return Self::invalid(*path, error.to_string()),
            SignInError::StateMismatch | SignInError::WrongIssuer => 400,
            SignInError::NotBegun | SignInError::Denied { .. } => 409,
            SignInError::Toolbox(error) => {
                let status = if error.code == ToolboxError::UNAVAILABLE { 503 } else { 409 };
                return Self::new(status, error.code.clone(), error.message.clone());
            }
            SignInError::Secret(error) => return error.clone().into(),
            SignInError::Fill(error) => return fill_refused(error),
        };
        Self::new(status, error.code(), error.to_string())
    }
}

/// Why tokens were not fetched, as pages are told.
fn fill_refused(error: &FillError) -> ApiError {
    match error {
        FillError::Refused(refusal) => VaultError::Refused(refusal.clone()).into(),
        FillError::Vault(error) => error.clone().into(),
        FillError::Store(error) => error.clone().into(),
        FillError::TokenServer { .. } => ApiError::new(502, error.code(), error.to_string()),
        _ => ApiError::new(409, error.code(), error.to_string()),
    }
}
