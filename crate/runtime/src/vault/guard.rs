//! The password that a loosening change needs.

use super::{VaultError, Vaults};
use crate::loosening::Loosening;
use crate::store::{Batch, Durability};
use wire::secret::SecretText;
use wire::signer::KeyRequest;
use wire::vault::Vault;

/// The password that came with a request, and what follows once it was found right. A change that lost against another
/// is tried again without asking for it anew.
pub(crate) struct Proof {
    password: SecretText,
    proven: Option<Batch>,
}

impl Proof {
    /// An empty password is none.
    pub(crate) const fn new(password: SecretText) -> Self {
        Self { password, proven: None }
    }

    /// The batch that a change begins with: if it loosens something, the password must be right.
    pub(crate) async fn batch_for(
        &mut self,
        vaults: &Vaults,
        loosening: Option<Loosening>,
    ) -> Result<Batch, VaultError> {
        let mut batch = Batch::new(Durability::Strict);
        let Some(loosening) = loosening else { return Ok(batch) };
        if let Some(proven) = &self.proven {
            return Ok(proven.clone());
        }
        vaults.allow_loosening(loosening, &self.password, &mut batch).await?;
        Ok(self.proven.insert(batch).clone())
    }
}

impl Vaults {
    /// Checks the password for a loosening change, as an unlock does; that it was right is staged. Until there is a vault
    /// with a password there is nothing to guard, and nothing to guard it with.
    pub(crate) async fn allow_loosening(
        &self,
        loosening: Loosening,
        password: &SecretText,
        batch: &mut Batch,
    ) -> Result<(), VaultError> {
        let Some(vault) = self.guarding().await? else { return Ok(()) };
        if password.is_empty() {
            return Err(VaultError::PasswordRequired { loosening, vault: vault.name });
        }
        let password = password.clone();
        let request = |_: &Vault, sealed| KeyRequest::CheckPassword { sealed, password };
        self.ask_with_password(vault.id(), Box::new(request), batch).await.map(drop)
    }

    /// The vault whose password is asked for: the active one, or where that has none the oldest that has one. Otherwise
    /// activating a watch-only vault, which needs no password, would take the guard away.
    async fn guarding(&self) -> Result<Option<Vault>, VaultError> {
        let has_password = |vault: &Vault| vault.sealed.is_some();
        let active = self.active().await?.map(|stored| *stored.record);
        match active.filter(has_password) {
            Some(active) => Ok(Some(active)),
            None => Ok(self.all().await?.into_iter().find(has_password)),
        }
    }
}
