//! Secrets that tools send: saved once, never read back, sealed by the signer for the vault that was active. Here are the
//! sealed texts; what they hold is seen by the signer's key instance, and in the request that it fills.

pub(crate) mod client;
mod error;
mod fill;
mod password;
pub(crate) mod sign_in;
pub(crate) mod tokens;

pub use error::{FillError, SecretError, SignInError};
pub use fill::{Filled, ForTool, fill, refill};
pub use password::ask_for_password;
pub use sign_in::{begin, finish, sign_out, state};

use crate::Core;
use crate::database::Database;
use crate::store::{self, Batch, Durability, Range, Reads, StoreError, Stored, owned_tables};
use crate::vault::{self, VaultError};
use client::RegistrationRow;
use derive::Record;
use std::rc::Rc;
use tokens::TokensRow;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::secret::SecretText;
use wire::secrets::SecretView;
use wire::signer::{KeyRequest, Opened, Reply};
use wire::vault::Vault;

owned_tables! {
    /// Vault id and name → a secret, sealed.
    SECRETS: SecretsRight = Secrets, SecretRow;
    /// Vault id and tool id → its tokens, sealed.
    TOKENS: TokensRight = Tokens, TokensRow;
    /// Vault id and MCP server id → who we are at its authorization server.
    REGISTRATIONS: RegistrationsRight = Registrations, RegistrationRow;
}

/// The longest secret, in bytes: more than any key or certificate has.
pub(crate) const MAX_VALUE: usize = 16 * 1024;

/// A secret on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SecretRow {
    sealed: String,
    updated_at: Millis,
}

/// Secrets of tools. The only writer of `secrets`.
pub(crate) struct Secrets {
    database: Rc<Database>,
}

impl Secrets {
    pub(crate) fn new(database: &Rc<Database>) -> Self {
        Self { database: Rc::clone(database) }
    }

    /// Stages the removal of a vault's secrets.
    pub(crate) async fn stage_removal(&self, vault_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
        let mut reads = Reads::new();
        let of_vault = || Range::prefix(key(vault_id, ""));
        let (secrets, tokens) = (reads.scan(SECRETS, of_vault()), reads.scan(TOKENS, of_vault()));
        let registrations = reads.scan(REGISTRATIONS, of_vault());
        let snapshot = reads.from(self.database.store()).await?;
        for key in snapshot.keys(secrets) {
            batch.delete(SECRETS, &key);
        }
        for key in snapshot.keys(tokens) {
            batch.delete(TOKENS, &key);
        }
        for key in snapshot.keys(registrations) {
            batch.delete(REGISTRATIONS, &key);
        }
        Ok(())
    }

    /// Stages the removal of what vaults have under a secret's name.
    pub(crate) async fn stage_secret_removal(&self, name: &str, batch: &mut Batch) -> Result<(), StoreError> {
        let mut reads = Reads::new();
        let secrets = reads.scan(SECRETS, Range::all());
        let snapshot = reads.from(self.database.store()).await?;
        for key in snapshot.keys(secrets) {
            if key.rsplit('/').next() == Some(name) {
                batch.delete(SECRETS, &key);
            }
        }
        Ok(())
    }

    /// Stages the removal of what vaults have for a tool or an MCP server: its tokens, and who we are where they come from.
    pub(crate) async fn stage_tool_removal(
        &self,
        tool_id: &str,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let mut reads = Reads::new();
        let tokens = reads.scan(TOKENS, Range::all());
        let registrations = reads.scan(REGISTRATIONS, Range::all());
        let snapshot = reads.from(self.database.store()).await?;
        let is_its = |key: &String| key.rsplit('/').next() == Some(tool_id);
        for key in snapshot.keys(tokens).into_iter().filter(is_its) {
            batch.delete(TOKENS, &key);
        }
        for key in snapshot.keys(registrations).into_iter().filter(is_its) {
            batch.delete(REGISTRATIONS, &key);
        }
        Ok(())
    }
}

fn key(vault_id: &str, name: &str) -> String {
    [vault_id, "/", name].concat()
}

/// An entry of the audit log about a secret: its name, and nothing of its value.
fn noted(what: &str, name: &str) -> AuditRecord {
    AuditRecord::Change { what: what.to_owned(), subject: Some(name.to_owned()) }
}

/// The secrets of the active vault, by name.
pub(crate) async fn list(core: &Core) -> Result<Vec<SecretView>, StoreError> {
    let Some(vault) = core.vaults.active().await? else { return Ok(Vec::new()) };
    let of_vault = key(vault.record.id(), "");
    let rows = store::scan(core.database.store(), SECRETS, Range::prefix(of_vault.clone())).await?;
    let view = |row: store::Keyed<SecretRow>| SecretView {
        name: row.key.strip_prefix(&of_vault).unwrap_or_default().to_owned(),
        updated_at: row.record.updated_at,
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Saves a secret for the active vault, which must be open unless its password comes with it. Says whether it is new.
pub(crate) async fn save(
    core: &Core,
    name: &str,
    value: SecretText,
    password: &SecretText,
) -> Result<(bool, SecretView), SecretError> {
    let vault = active(core).await?;
    let mut proven = Batch::new(Durability::Strict);
    let opened = open(core, &vault, password, &mut proven).await?;
    let sealed = seal(core, KeyRequest::SealSecret { opened, name: name.to_owned(), value }).await?;
    let row = SecretRow { sealed, updated_at: core.now() };
    let key = key(vault.id(), name);
    loop {
        let mut batch = proven.clone();
        expect_vault(core, vault.id(), &mut batch).await?;
        let earlier = store::get(core.database.store(), SECRETS, &key).await?;
        batch.expect(SECRETS, &key, earlier.as_ref().map(|earlier| earlier.text.as_str()));
        batch.put(SECRETS, &key, &row);
        batch.note(noted("secret_saved", name));
        batch.tell(&Event::VaultModified {});
        if committed(core, batch).await? {
            let view = SecretView { name: name.to_owned(), updated_at: row.updated_at };
            return Ok((earlier.is_none(), view));
        }
    }
}

/// Deletes a secret of the active vault.
pub(crate) async fn delete(core: &Core, name: &str) -> Result<(), SecretError> {
    let vault = core.vaults.active().await?.ok_or(SecretError::NoVault)?;
    let key = key(vault.record.id(), name);
    loop {
        let row = store::get(core.database.store(), SECRETS, &key).await?;
        let row = row.ok_or(SecretError::SecretNotFound)?;
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(SECRETS, &key, Some(&row.text));
        batch.delete(SECRETS, &key);
        batch.note(noted("secret_deleted", name));
        batch.tell(&Event::VaultModified {});
        if committed(core, batch).await? {
            return Ok(());
        }
    }
}

/// The active vault, if it can seal.
pub(crate) async fn active(core: &Core) -> Result<Vault, SecretError> {
    let Stored { record, .. } = core.vaults.active().await?.ok_or(SecretError::NoVault)?;
    if record.sealed.is_none() {
        return Err(VaultError::WatchOnly.into());
    }
    Ok(*record)
}

/// The vault as it is open, or opened for this once with the password. That a password was right is staged.
async fn open(
    core: &Core,
    vault: &Vault,
    password: &SecretText,
    batch: &mut Batch,
) -> Result<Opened, SecretError> {
    if !password.is_empty() {
        return Ok(core.vaults.open_once(vault.id(), password, batch).await?);
    }
    let opened = core.vaults.opened(vault.id(), None, false).await?;
    opened.ok_or_else(|| SecretError::PasswordRequired { vault: vault.name.clone() })
}

/// What the signer sealed.
async fn seal(core: &Core, request: KeyRequest) -> Result<String, VaultError> {
    match core.ports.signer.ask(request.into()).await? {
        Reply::Sealed { sealed } => Ok(sealed),
        _ => Err(VaultError::UnexpectedReply),
    }
}

/// Only while the vault is here: what is kept under its id goes with it.
async fn expect_vault(core: &Core, vault_id: &str, batch: &mut Batch) -> Result<(), VaultError> {
    let vault = core.vaults.get(vault_id).await?.ok_or(VaultError::VaultNotFound)?;
    vault::expect_unchanged(&vault, batch);
    Ok(())
}

/// Whether the batch was committed; if not, records changed and must be read again.
pub(crate) async fn committed(core: &Core, batch: Batch) -> Result<bool, StoreError> {
    match core.commit(batch).await {
        Ok(()) => Ok(true),
        Err(StoreError::Conflict { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
