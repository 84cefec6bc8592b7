//! What pages do with vaults: `/api/vaults`.

use super::{MAX_NAME, Scope, VAULTS, VaultError, by_age, expect_unchanged, noted, stage_change, stage_new};
use crate::later::later;
use crate::settings::{self, StoredSettings};
use crate::store::{Batch, Durability, Reads, StoreError, Stored};
use crate::{Core, connection};
use std::rc::Rc;
use wire::api::Millis;
use wire::event::Event;
use wire::secret::SecretText;
use wire::signer::{KeyRequest, Reply, Request};
use wire::vault::{ExportedFile, PublicKeys, Vault, VaultAccount, VaultKind, VaultView, Vaults};

/// All vaults as pages see them, oldest first.
pub(crate) async fn view_all(core: &Core) -> Result<Vaults, StoreError> {
    let mut reads = Reads::new();
    let (settings, vaults) = (settings::read(&mut reads), super::read_all(&mut reads));
    let snapshot = reads.from(core.database.store()).await?;
    let active = StoredSettings::from(snapshot.one(settings)?).row.active_vault;
    let rows = snapshot.many(vaults)?;
    let mut vaults = Vec::with_capacity(rows.len());
    for vault in by_age(rows) {
        vaults.push(view_of(core, vault, active.as_deref()).await?);
    }
    Ok(Vaults { vaults })
}

/// A vault as pages see it.
pub(crate) async fn view(core: &Core, id: &str) -> Result<VaultView, VaultError> {
    let vault = core.vaults.named(id).await?.record;
    let active = core.settings.read().await?.active_vault;
    Ok(view_of(core, *vault, active.as_deref()).await?)
}

async fn view_of(core: &Core, vault: Vault, active: Option<&str>) -> Result<VaultView, StoreError> {
    let unlocked_until = core.vaults.open_until(vault.id()).await?;
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

/// The record of a new vault. A name from a file is cut to the longest length.
pub(super) fn new_vault(
    now: Millis,
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
    Vault { name, kind, keys, accounts, sealed, created_at: now }
}

/// Adds the vault that the signer makes by the request. The first one becomes active.
pub(crate) async fn create(core: &Core, request: Request) -> Result<VaultView, VaultError> {
    let reply = core.vaults.signer.ask(request).await?;
    let Reply::Vault { name, kind, keys, accounts, sealed } = reply else {
        return Err(VaultError::UnexpectedReply);
    };
    let vault = new_vault(core.now(), name, kind, keys, accounts, sealed);
    loop {
        if core.vaults.get(vault.id()).await?.is_some() {
            return Err(VaultError::VaultExists);
        }
        let settings = core.settings.stored().await?;
        let mut batch = Batch::new(Durability::Strict);
        stage_new(&vault, &mut batch);
        if settings.row.active_vault.is_none() {
            settings::stage_active(settings, Some(vault.id().to_owned()), &mut batch);
        }
        if committed(core, batch).await? {
            core.ports.host.pages_changed(None);
            return view(core, vault.id()).await;
        }
    }
}

/// Whether the batch was committed; if not, records changed and must be read again.
async fn committed(core: &Core, batch: Batch) -> Result<bool, StoreError> {
    match core.commit(batch).await {
        Ok(()) => Ok(true),
        Err(StoreError::Conflict { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes a vault the active one: addresses and calls are this vault's from now on. No vault is locked or opened.
pub(crate) async fn activate(core: &Core, id: &str) -> Result<VaultView, VaultError> {
    loop {
        let vault = core.vaults.named(id).await?;
        let id = vault.record.id();
        let settings = core.settings.stored().await?;
        if settings.row.active_vault.as_deref() == Some(id) {
            return view(core, id).await;
        }
        let mut batch = Batch::new(Durability::Strict);
        expect_unchanged(&vault, &mut batch);
        settings::stage_active(settings, Some(id.to_owned()), &mut batch);
        batch.tell(&Event::VaultModified {});
        if committed(core, batch).await? {
            core.ports.host.pages_changed(None);
            return view(core, id).await;
        }
    }
}

/// Renames a vault.
pub(crate) async fn rename(core: &Core, id: &str, name: &str) -> Result<VaultView, VaultError> {
    let id = core.vaults.named(id).await?.record.id().to_owned();
    let rename = |vault: &mut Vault| {
        vault.name = name.to_owned();
        Ok(())
    };
    change(core, &id, Batch::new(Durability::Strict), &rename).await
}

/// Commits a change of a vault together with the batch.
async fn change(
    core: &Core,
    id: &str,
    with: Batch,
    change: &dyn Fn(&mut Vault) -> Result<(), VaultError>,
) -> Result<VaultView, VaultError> {
    loop {
        let Stored { text, record: mut vault } = core.vaults.named(id).await?;
        change(&mut vault)?;
        let mut batch = with.clone();
        stage_change(&text, &vault, &mut batch);
        batch.tell(&Event::VaultModified {});
        if committed(core, batch).await? {
            return view(core, id).await;
        }
    }
}

/// Opens a vault for some minutes, or for those of the settings.
pub(crate) async fn unlock(
    core: &Core,
    id: &str,
    password: &SecretText,
    minutes: Option<u32>,
) -> Result<VaultView, VaultError> {
    let vault = core.vaults.named(id).await?.record;
    let minutes = match minutes {
        Some(minutes) => minutes,
        None => core.settings.read().await?.auto_lock_minutes,
    };
    let mut batch = Batch::new(Durability::Strict);
    let replaced = core.vaults.open(vault.id(), password, Scope::Minutes(minutes), &mut batch).await?;
    core.commit(batch).await?;
    core.vaults.forget(replaced).await;
    core.wake_after(Ok(())).await;
    view(core, vault.id()).await
}

/// Locks a vault, for calls too.
pub(crate) async fn lock(core: &Core, id: &str) -> Result<VaultView, VaultError> {
    let id = core.vaults.named(id).await?.record.id().to_owned();
    let mut batch = Batch::new(Durability::Strict);
    let closed = core.vaults.stage_close(&id, &mut batch).await?;
    if !closed.is_empty() {
        // Before the commit: a full disk must not keep a vault open.
        core.vaults.forget(closed).await;
        batch.note(noted("vault_locked", &id));
        batch.tell(&Event::VaultModified {});
        core.commit(batch).await?;
        core.wake_after(Ok(())).await;
    }
    view(core, &id).await
}

/// Seals a vault with another password. An open vault stays open until its time.
pub(crate) async fn change_password(
    core: &Core,
    id: &str,
    password: SecretText,
    new_password: SecretText,
) -> Result<VaultView, VaultError> {
    let id = core.vaults.named(id).await?.record.id().to_owned();
    let request = |_: &Vault, sealed| KeyRequest::ChangePassword { sealed, password, new_password };
    let mut batch = Batch::new(Durability::Strict);
    let (was, reply) = core.vaults.ask_with_password(&id, Box::new(request), &mut batch).await?;
    let Reply::Sealed { sealed } = reply else {
        return Err(VaultError::UnexpectedReply);
    };
    let reseal = |vault: &mut Vault| {
        if vault.sealed != was.record.sealed {
            return Err(VaultError::PasswordChanged);
        }
        vault.sealed = Some(sealed.clone());
        Ok(())
    };
    batch.note(noted("password_changed", &id));
    // What the old password opened is closed, for running bundles too.
    let closed = core.vaults.stage_close(&id, &mut batch).await?;
    let changed = change(core, &id, batch, &reseal).await;
    if changed.is_ok() {
        core.vaults.forget(closed).await;
    }
    changed
}

/// A backup of a vault, against its password.
pub(crate) async fn export(core: &Core, id: &str, password: SecretText) -> Result<ExportedFile, VaultError> {
    let id = core.vaults.named(id).await?.record.id().to_owned();
    let request = |vault: &Vault, sealed| KeyRequest::Export {
        name: vault.name.clone(),
        kind: vault.kind,
        keys: vault.keys.clone(),
        created_at: vault.created_at,
        sealed,
        password,
    };
    let mut batch = Batch::new(Durability::Strict);
    let (vault, reply) = core.vaults.ask_with_password(&id, Box::new(request), &mut batch).await?;
    let Reply::File { text } = reply else {
        return Err(VaultError::UnexpectedReply);
    };
    batch.note(noted("vault_exported", &id));
    core.commit(batch).await?;
    Ok(ExportedFile { file_name: file_name(&vault.record.name), text })
}

/// Deletes a vault with its coins, payees and secrets of tools. If it was active, the oldest of the others becomes active.
pub(crate) async fn delete(
    core: &Rc<Core>,
    id: &str,
    password: Option<SecretText>,
) -> Result<(), VaultError> {
    let vault = core.vaults.named(id).await?.record;
    let id = vault.id();
    let mut proven = Batch::new(Durability::Strict);
    if vault.sealed.is_some() {
        let password = password.ok_or(VaultError::PasswordMissing)?;
        let request = |_: &Vault, sealed| KeyRequest::CheckPassword { sealed, password };
        core.vaults.ask_with_password(id, Box::new(request), &mut proven).await?;
    }
    proven.note(noted("vault_deleted", id));
    loop {
        let mut batch = proven.clone();
        let stored = core.vaults.named(id).await?;
        let settings = core.settings.stored().await?;
        if settings.row.active_vault.as_deref() == Some(id) {
            let next = core.vaults.all().await?.into_iter().find(|other| other.id() != id);
            settings::stage_active(settings, next.map(|next| next.id().to_owned()), &mut batch);
        }
        expect_unchanged(&stored, &mut batch);
        batch.delete(VAULTS, id);
        stage_belongings(core, id, &mut batch).await?;
        let closed = core.vaults.stage_close(id, &mut batch).await?;
        batch.tell(&Event::VaultModified {});
        if committed(core, batch).await? {
            core.vaults.forget(closed).await;
            break;
        }
    }
    // What a call added between the read and the commit; nothing can be added any more.
    let mut rest = Batch::new(Durability::Relaxed);
    stage_belongings(core, id, &mut rest).await?;
    if !rest.writes().is_empty() {
        core.commit(rest).await?;
    }
    later(core, connection::forget_vault(core, id)).await?;
    core.ports.host.pages_changed(None);
    core.wake_after(Ok(())).await;
    Ok(())
}

/// Stages the removal of what is kept under a vault's id.
async fn stage_belongings(core: &Core, vault_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
    core.coins.stage_removal(vault_id, batch).await?;
    core.secrets.stage_removal(vault_id, batch).await?;
    core.policy.stage_payees_removal(vault_id, batch).await
}

/// The name of a vault's backup: the vault's name, in characters that every file system takes.
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
    fn file_names_hold_no_path() {
        assert_eq!(file_name("../../etc/Größe 1"), "etc-Größe-1.countersign.json");
        assert_eq!(file_name(" \u{202e}/ "), "vault.countersign.json");
    }
}
