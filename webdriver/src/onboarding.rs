//! The onboarding page, where a vault is created or imported, by its test ids.

use crate::{Browser, Error, Page};
use std::ops::Deref;
use std::path::Path;

/// The onboarding page in a tab: everything a [`Page`] can do, and what a user does to get a vault.
#[derive(Debug, Clone)]
pub struct Onboarding {
    page: Page,
}

/// A root key pair and its chain code in hex: private keys to import, public keys to watch.
#[derive(Debug, Clone, Copy)]
pub struct RootKeys<'a> {
    /// The secp256k1 key.
    pub ecdsa: &'a str,
    /// The Ed25519 key.
    pub eddsa: &'a str,
    /// The chain code.
    pub chain_code: &'a str,
}

impl Deref for Onboarding {
    type Target = Page;
    fn deref(&self) -> &Page {
        &self.page
    }
}

impl Browser {
    /// Opens the onboarding page in a tab.
    pub async fn onboarding(&self) -> Result<Onboarding, Error> {
        let page = self.open(&self.extension_url("onboarding.html")).await?;
        page.controlled().await?;
        Ok(Onboarding { page })
    }
}

impl Onboarding {
    /// Creates a vault with new keys.
    pub async fn create(&self, name: &str, password: &str) -> Result<(), Error> {
        self.click("onboarding-create").await?;
        self.fill("onboarding-name", name).await?;
        self.submit(password).await
    }

    /// Imports a vault by its recovery phrase.
    pub async fn import_phrase(
        &self,
        name: &str,
        words: &str,
        passphrase: &str,
        password: &str,
    ) -> Result<(), Error> {
        self.click("onboarding-import-phrase").await?;
        self.fill("onboarding-name", name).await?;
        self.fill("onboarding-phrase", words).await?;
        if !passphrase.is_empty() {
            let open = "document.querySelector('form details').open = true; return true";
            self.run(open, vec![]).await?;
            self.fill("onboarding-passphrase", passphrase).await?;
        }
        self.submit(password).await
    }

    /// Imports a vault by its private keys.
    pub async fn import_keys(&self, name: &str, keys: RootKeys<'_>, password: &str) -> Result<(), Error> {
        self.click("onboarding-import-keys").await?;
        self.fill_keys(name, keys).await?;
        self.submit(password).await
    }

    /// Imports a .vult file, with a password for this computer.
    pub async fn import_vult(&self, file: &Path, file_password: &str, password: &str) -> Result<(), Error> {
        self.choose(file, file_password).await?;
        self.submit(password).await
    }

    /// Imports a Countersign backup, which keeps its password.
    pub async fn import_backup(&self, file: &Path, file_password: &str) -> Result<(), Error> {
        self.choose(file, file_password).await?;
        self.click("onboarding-submit").await
    }

    /// Watches a vault by its public keys.
    pub async fn watch(&self, name: &str, keys: RootKeys<'_>) -> Result<(), Error> {
        self.click("onboarding-watch").await?;
        self.fill_keys(name, keys).await?;
        self.click("onboarding-submit").await
    }

    /// Skips the backup that is offered after a vault is created, and waits for the last page.
    pub async fn skip_backup(&self) -> Result<(), Error> {
        self.click("onboarding-later").await?;
        self.done().await
    }

    /// Waits for the last page.
    pub async fn done(&self) -> Result<(), Error> {
        self.element("onboarding-done").await.map(|_| ())
    }

    async fn choose(&self, file: &Path, file_password: &str) -> Result<(), Error> {
        self.click("onboarding-import-file").await?;
        let chooser = self.element("onboarding-file").await?;
        let path = file.to_string_lossy();
        chooser.send_keys(&path).await.map_err(Error::command(format!("choose {path}")))?;
        if !file_password.is_empty() {
            self.fill("onboarding-file-password", file_password).await?;
        }
        Ok(())
    }

    async fn fill_keys(&self, name: &str, keys: RootKeys<'_>) -> Result<(), Error> {
        self.fill("onboarding-name", name).await?;
        self.fill("onboarding-ecdsa", keys.ecdsa).await?;
        self.fill("onboarding-eddsa", keys.eddsa).await?;
        self.fill("onboarding-chain-code", keys.chain_code).await
    }

    async fn submit(&self, password: &str) -> Result<(), Error> {
        self.fill("onboarding-password", password).await?;
        self.fill("onboarding-password-again", password).await?;
        self.click("onboarding-submit").await
    }
}
