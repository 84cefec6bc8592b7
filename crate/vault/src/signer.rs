//! Signers. A signer may need several rounds with peers: it is called once and returns all signatures or an error.

use crate::secret::SecretError;
use crate::{KeyError, KeyRing, LocalKey};
use async_trait::async_trait;
use chains::Account;
use chains::signing::{Image, Signature};
use derive::Code;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signs the images of an account's transactions.
#[async_trait(?Send)]
pub trait Signer {
    /// One signature for each image, in their order. `cancel` is checked before each round.
    async fn sign(
        &self,
        account: &Account,
        images: &[Image],
        cancel: &Cancel,
    ) -> Result<Vec<Signature>, SignerError>;
}

/// Cancels signing. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// Why there are no signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum SignerError {
    /// The account's key is not one of this signer.
    #[error("the account is not of this vault")]
    #[code("not_owned")]
    NotMine,
    /// An image of another scheme than the account's.
    #[error(transparent)]
    #[code(transparent)]
    Key(#[from] KeyError),
    /// No key for the chain, or none that signs alone.
    #[error(transparent)]
    #[code(transparent)]
    Secret(#[from] SecretError),
    /// Cancelled before the last signature.
    #[error("signing was cancelled")]
    Cancelled,
}

impl Cancel {
    /// Cancels all clones from now on.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails once cancelled; checked before a round.
    pub fn check(&self) -> Result<(), SignerError> {
        if self.0.load(Ordering::Relaxed) { Err(SignerError::Cancelled) } else { Ok(()) }
    }
}

/// Signs with keys held here.
#[derive(Debug, Clone)]
pub struct LocalSigner(KeyRing);

impl LocalSigner {
    /// A signer with all keys of a vault.
    pub const fn new(keys: KeyRing) -> Self {
        Self(keys)
    }

    /// The account's key. Another key is refused here, before it signs.
    fn key(&self, account: &Account) -> Result<LocalKey, SignerError> {
        let key = self.0.key(account.chain)?;
        if key.public() == account.key { Ok(key) } else { Err(SignerError::NotMine) }
    }
}

#[async_trait(?Send)]
impl Signer for LocalSigner {
    async fn sign(
        &self,
        account: &Account,
        images: &[Image],
        cancel: &Cancel,
    ) -> Result<Vec<Signature>, SignerError> {
        let key = self.key(account)?;
        let sign = |image| {
            cancel.check()?;
            Ok(key.sign(image)?)
        };
        images.iter().map(sign).collect()
    }
}

#[cfg(test)]
mod tests;
