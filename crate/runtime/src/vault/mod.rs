//! Vaults: records with their secrets sealed, one of them in use. What touches keys is the signer's; here is what
//! becomes of its answers, and how long an opened vault stays open ([`Scope`]).

mod adopt;
mod password;
mod unlock;

pub(crate) use adopt::EarlierVault;
pub use password::UnlockError;
pub(crate) use password::refused;
pub(crate) use unlock::LONGEST;
pub use unlock::{Closed, Scope};

use crate::Core;
use crate::http::ApiError;
use crate::settings::{self, KEY};
use crate::store::{Batch, Durability, Range, Store, StoreError, Stored, Table, parse, read};
use password::unexpected;
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::secret::SecretText;
use wire::signer::{Reply, Request};
use wire::vault::{ExportedFile, PublicKeys, Vault, VaultAccount, VaultKind, VaultView, Vaults};

/// No name of a vault is longer, in characters.
pub(crate) const MAX_NAME: usize = 100;

/// What belongs to a vault, under its id, and goes with it.
const BELONGINGS: [Table; 2] = [Table::Coins, Table::Payees];

/// What the audit log tells of a vault.
fn noted(what: &str, vault_id: &str) -> AuditRecord {
    AuditRecord::Change { what: what.to_owned(), subject: Some(vault_id.to_owned()) }
}

/// The vault in use, if there is one.
pub async fn active_vault(store: &dyn Store) -> Result<Option<Vault>, StoreError> {
    Ok(active(store).await?.map(|stored| stored.record))
}

/// The same, with the text that a precondition can name.
pub(crate) async fn active(store: &dyn Store) -> Result<Option<Stored<Vault>>, StoreError> {
    match settings::stored(store).await?.1.active_vault {
        Some(id) => read(store, Table::Vaults, &id).await,
        None => Ok(None),
    }
}

impl Core {
    /// A vault by its id, or the one in use as `active`.
    pub(crate) async fn vault(&self, id: &str) -> Result<Stored<Vault>, ApiError> {
        let store = &*self.ports.store;
        let found =
            if id == "active" { active(store).await? } else { read(store, Table::Vaults, id).await? };
        found.ok_or_else(|| UnlockError::VaultNotFound.into())
    }

    /// All vaults, oldest first.
    pub(crate) async fn vaults(&self) -> Result<Vaults, StoreError> {
        let active = self.settings().await?.active_vault;
        let mut vaults = Vec::new();
        for vault in self.stored_vaults().await? {
            vaults.push(self.view(vault, active.as_deref()).await?);
        }
        Ok(Vaults { vaults })
    }

    async fn stored_vaults(&self) -> Result<Vec<Vault>, StoreError> {
        let rows = self.ports.store.scan(Table::Vaults, Range::all()).await?;
        let mut vaults: Vec<Vault> = Vec::with_capacity(rows.len());
        for row in &rows {
            let vault: Vault = parse(Table::Vaults, &row.key, &row.text)?;
            vaults.insert(vaults.partition_point(|older| older.created_at <= vault.created_at), vault);
        }
        Ok(vaults)
    }

    async fn view(&self, vault: Vault, active: Option<&str>) -> Result<VaultView, StoreError> {
        let unlocked_until = self.open_until(vault.id()).await?;
        Ok(VaultView {
            id: vault.id().to_owned(),
            active: active == Some(vault.id()),
            name: vault.name,
            kind: vault.kind,
            from_phrase: !vault.keys.chain_public_keys.is_empty(),
            public_key_ecdsa: vault.keys.public_key_ecdsa,
            public_key_eddsa: vault.keys.public_key_eddsa,
            hex_chain_code: vault.keys.hex_chain_code,
            unlocked_until,
            created_at: vault.created_at,
        })
    }

    /// A vault as pages see it now.
    pub(crate) async fn vault_view(&self, id: &str) -> Result<VaultView, ApiError> {
        let vault = self.vault(id).await?.record;
        let active = self.settings().await?.active_vault;
        Ok(self.view(vault, active.as_deref()).await?)
    }

    /// The record of a vault that comes in now. A name out of a file is cut to the length of ours.
    fn new_vault(
        &self,
        name: String,
        kind: VaultKind,
        keys: PublicKeys,
        accounts: Vec<VaultAccount>,
        sealed: Option<String>,
    ) -> Vault {
        let name = match name.trim() {
            "" => "Vault".to_owned(),
            name => name.chars().take(MAX_NAME).collect(),
        };
        Vault { name, kind, keys, accounts, sealed, created_at: self.now() }
    }

    /// Takes a vault in, made by the signer as the request says. The first one is in use at once.
    pub(crate) async fn create_vault(&self, request: Request) -> Result<VaultView, ApiError> {
        let reply = self.ports.signer.ask(request).await.map_err(refused)?;
        let Reply::Vault { name, kind, keys, accounts, sealed } = reply else {
            return Err(refused(unexpected()));
        };
        let vault = self.new_vault(name, kind, keys, accounts, sealed);
        loop {
            if self.ports.store.get(Table::Vaults, vault.id()).await?.is_some() {
                return Err(ApiError::new(409, "vault_exists", "this vault is here already"));
            }
            let (before, mut settings) = self.stored_settings().await?;
            let mut batch = Batch::new(Durability::Strict);
            batch.expect(Table::Vaults, vault.id(), None);
            batch.put(Table::Vaults, vault.id(), &vault);
            if settings.active_vault.is_none() {
                settings.active_vault = Some(vault.id().to_owned());
                batch.expect(Table::Settings, KEY, before.as_deref());
                batch.put(Table::Settings, KEY, &settings);
            }
            batch.note(noted("vault_created", vault.id()));
            batch.tell(&Event::VaultModified {});
            if self.committed(batch).await? {
                return self.vault_view(vault.id()).await;
            }
        }
    }

    /// Whether the batch was committed; if not, the records changed and must be read again.
    async fn committed(&self, batch: Batch) -> Result<bool, StoreError> {
        match self.commit(batch).await {
            Ok(()) => Ok(true),
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// From now on addresses and calls are this vault's. Locks stay as they are.
    pub(crate) async fn activate_vault(&self, id: &str) -> Result<VaultView, ApiError> {
        loop {
            let vault = self.vault(id).await?;
            let id = vault.record.id();
            let (before, mut settings) = self.stored_settings().await?;
            if settings.active_vault.as_deref() == Some(id) {
                return self.vault_view(id).await;
            }
            settings.active_vault = Some(id.to_owned());
            let mut batch = Batch::new(Durability::Strict);
            batch.expect(Table::Vaults, id, Some(&vault.text));
            batch.expect(Table::Settings, KEY, before.as_deref());
            batch.put(Table::Settings, KEY, &settings);
            batch.tell(&Event::VaultModified {});
            if self.committed(batch).await? {
                return self.vault_view(id).await;
            }
        }
    }

    /// Gives a vault another name.
    pub(crate) async fn rename_vault(&self, id: &str, name: &str) -> Result<VaultView, ApiError> {
        let id = self.vault(id).await?.record.id().to_owned();
        let rename = |vault: &mut Vault| {
            vault.name = name.to_owned();
            Ok(())
        };
        self.change_vault(&id, Batch::new(Durability::Strict), rename).await
    }

    /// Commits a change of a vault's record, with what else is in the batch.
    async fn change_vault(
        &self,
        id: &str,
        with: Batch,
        change: impl Fn(&mut Vault) -> Result<(), ApiError>,
    ) -> Result<VaultView, ApiError> {
        loop {
            let Stored { text, record: mut vault } = self.vault(id).await?;
            change(&mut vault)?;
            let mut batch = with.clone();
            batch.expect(Table::Vaults, id, Some(&text));
            batch.put(Table::Vaults, id, &vault);
            batch.tell(&Event::VaultModified {});
            if self.committed(batch).await? {
                return self.vault_view(id).await;
            }
        }
    }

    /// Opens a vault for the person's minutes.
    pub(crate) async fn unlock_vault(
        &self,
        id: &str,
        password: &SecretText,
        minutes: Option<u32>,
    ) -> Result<VaultView, ApiError> {
        let vault = self.vault(id).await?.record;
        let minutes = match minutes {
            Some(minutes) => minutes,
            None => self.settings().await?.auto_lock_minutes,
        };
        let mut batch = Batch::new(Durability::Strict);
        let replaced = self.open_vault(&vault, password, Scope::Minutes(minutes), &mut batch).await?;
        self.commit(batch).await?;
        self.forget(replaced).await;
        self.wake_after(Ok(())).await;
        self.vault_view(vault.id()).await
    }

    /// Seals a vault with another password. What is open stays open until its time.
    pub(crate) async fn change_password(
        &self,
        id: &str,
        password: SecretText,
        new_password: SecretText,
    ) -> Result<VaultView, ApiError> {
        let id = self.vault(id).await?.record.id().to_owned();
        let request = |_: &Vault, sealed| Request::ChangePassword { sealed, password, new_password };
        let mut batch = Batch::new(Durability::Strict);
        let (was, reply) = self.with_password(&id, request, &mut batch).await?;
        let Reply::Sealed { sealed } = reply else {
            return Err(refused(unexpected()));
        };
        let change = |vault: &mut Vault| {
            if vault.sealed != was.record.sealed {
                return Err(ApiError::new(409, "conflict", "the password was changed in the meantime"));
            }
            vault.sealed = Some(sealed.clone());
            Ok(())
        };
        batch.note(noted("password_changed", &id));
        self.change_vault(&id, batch, change).await
    }

    /// A backup of a vault, for whoever knows its password.
    pub(crate) async fn export_vault(
        &self,
        id: &str,
        password: SecretText,
    ) -> Result<ExportedFile, ApiError> {
        let id = self.vault(id).await?.record.id().to_owned();
        let request = |vault: &Vault, sealed| Request::Export {
            name: vault.name.clone(),
            kind: vault.kind,
            keys: vault.keys.clone(),
            created_at: vault.created_at,
            sealed,
            password,
        };
        let mut batch = Batch::new(Durability::Strict);
        let (vault, reply) = self.with_password(&id, request, &mut batch).await?;
        let Reply::File { text } = reply else {
            return Err(refused(unexpected()));
        };
        batch.note(noted("vault_exported", &id));
        self.commit(batch).await?;
        Ok(ExportedFile { file_name: file_name(&vault.record.name), text })
    }

    /// Deletes a vault and what belongs to it. If it was in use, the oldest of the others is from now on.
    pub(crate) async fn delete_vault(&self, id: &str, password: Option<SecretText>) -> Result<(), ApiError> {
        let vault = self.vault(id).await?.record;
        let id = vault.id();
        let mut proven = Batch::new(Durability::Strict);
        if vault.sealed.is_some() {
            let password =
                password.ok_or_else(|| ApiError::invalid("/password", "must be the vault's password"))?;
            let request = |_: &Vault, sealed| Request::CheckPassword { sealed, password };
            self.with_password(id, request, &mut proven).await?;
        }
        proven.note(noted("vault_deleted", id));
        loop {
            let mut batch = proven.clone();
            let stored = self.vault(id).await?;
            let (before, mut settings) = self.stored_settings().await?;
            if settings.active_vault.as_deref() == Some(id) {
                let next = self.stored_vaults().await?.into_iter().find(|other| other.id() != id);
                settings.active_vault = next.map(|next| next.id().to_owned());
                batch.expect(Table::Settings, KEY, before.as_deref());
                batch.put(Table::Settings, KEY, &settings);
            }
            batch.expect(Table::Vaults, id, Some(&stored.text));
            batch.delete(Table::Vaults, id);
            self.stage_belongings(id, &mut batch).await?;
            let closed = self.close_vault(id, &mut batch).await?;
            batch.tell(&Event::VaultModified {});
            if self.committed(batch).await? {
                self.forget(closed).await;
                break;
            }
        }
        // What a call added between the look and the commit; nothing can be added any more.
        let mut rest = Batch::new(Durability::Relaxed);
        self.stage_belongings(id, &mut rest).await?;
        if !rest.writes().is_empty() {
            self.commit(rest).await?;
        }
        self.wake_after(Ok(())).await;
        Ok(())
    }

    async fn stage_belongings(&self, vault_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
        for table in BELONGINGS {
            for row in self.ports.store.scan(table, Range::prefix(format!("{vault_id}/"))).await? {
                batch.delete(table, &row.key);
            }
        }
        Ok(())
    }
}

/// What to call a vault's backup: its name, in characters that every file system takes.
fn file_name(name: &str) -> String {
    let spelt: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    match spelt.trim_matches('-') {
        "" => "vault.countersign.json".to_owned(),
        name => format!("{name}.countersign.json"),
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_file_name_has_nothing_of_a_path() {
        assert_eq!(file_name("../../etc/Größe 1"), "etc-Größe-1.countersign.json");
        assert_eq!(file_name(" \u{202e}/ "), "vault.countersign.json");
    }
}
