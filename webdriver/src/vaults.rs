//! The popup's list of vaults, by its test ids.

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Error, Popup};
use serde_json::Value;

impl Popup {
    /// The name and state (`open`, `locked`, `unable`) of the active vault, as the header shows them.
    pub async fn vault_shown(&self) -> Result<(String, String), Error> {
        let body = "const b = document.querySelector('[data-testid=vault-switcher]');
            return b && [b.querySelector('.vault-name').textContent, b.dataset.state]";
        match self.run(body, vec![]).await?.as_array().map(Vec::as_slice) {
            Some([Value::String(name), Value::String(state)]) => Ok((name.clone(), state.clone())),
            other => Err(not_yet(other)),
        }
    }

    /// Waits until the header shows this vault in this state.
    pub async fn wait_for_vault(&self, name: &str, state: &str) -> Result<(), Error> {
        until(&format!("{name} to be shown as {state}"), TIMEOUT, async || {
            let shown = self.vault_shown().await?;
            if shown == (name.to_owned(), state.to_owned()) { Ok(()) } else { Err(not_yet(shown)) }
        })
        .await
    }

    /// Opens the list of vaults.
    pub async fn open_vaults(&self) -> Result<(), Error> {
        self.click("vault-switcher").await?;
        self.element("vaults-close").await.map(|_| ())
    }

    /// Closes the list of vaults.
    pub async fn close_vaults(&self) -> Result<(), Error> {
        self.click("vaults-close").await
    }

    /// In the open list: unlocks the first locked vault with a password.
    pub async fn unlock(&self, password: &str) -> Result<(), Error> {
        self.click("vault-unlock").await?;
        self.try_password(password).await
    }

    /// Submits another password in the open form.
    pub async fn try_password(&self, password: &str) -> Result<(), Error> {
        self.fill("unlock-password", password).await?;
        self.click("unlock-submit").await
    }

    /// In the open list: locks the first unlocked vault.
    pub async fn lock(&self) -> Result<(), Error> {
        self.click("vault-lock").await
    }
}
