//! Vaults: records with sealed secrets, one of them active. The signer handles the keys; here is what becomes of its
//! replies, and how long an opened vault stays open ([`Scope`]).

mod adopt;
mod error;
mod guard;
mod idle;
mod manage;
mod password;
mod unlock;

pub(crate) use adopt::{EarlierVault, adopt};
pub use error::VaultError;
pub(crate) use guard::Proof;
pub(crate) use idle::{lock_if_away, notice_presence, watch_presence};
pub(crate) use manage::{activate, change_password, create, delete, export, lock, rename, unlock, view_all};
pub use unlock::{Closed, Scope};
pub(crate) use unlock::{Closing, LONGEST, OpenVault, Opening, SessionCopy};

use crate::database::Database;
use crate::id::Ids;
use crate::ports::{Host, Ports, Signer};
use crate::settings::{self, StoredSettings};
use crate::store::{
    self, Batch, Keyed, Many, Owned, Range, Reads, Snapshot, Store, StoreError, Stored, owned_tables, parse,
};
use crate::work::Work;
use std::cell::RefCell;
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::sorted::SortedMap;
use wire::vault::Vault;

owned_tables! {
    /// Vault id → a vault, its secrets sealed.
    VAULTS: VaultsRight = Vaults, Vault;
}

/// The longest name of a vault, in characters.
pub(crate) const MAX_NAME: usize = 100;

/// An entry of the audit log about a vault.
fn noted(what: &str, vault_id: &str) -> AuditRecord {
    AuditRecord::Change { what: what.to_owned(), subject: Some(vault_id.to_owned()) }
}

/// The active vault, if there is one, with the text that a precondition can name.
pub(crate) async fn active(store: &dyn Store) -> Result<Option<Stored<Vault>>, StoreError> {
    let mut reads = Reads::new();
    let settings = settings::read(&mut reads);
    let settings = StoredSettings::from(reads.from(store).await?.one(settings)?);
    match settings.row.active_vault {
        Some(id) => store::get(store, VAULTS, &id).await,
        None => Ok(None),
    }
}

/// Only if the vault is still as it was read.
pub(crate) fn expect_unchanged(vault: &Stored<Vault>, batch: &mut Batch) {
    batch.expect(VAULTS, vault.record.id(), Some(&vault.text));
}

/// Declares a read of all vaults.
pub(crate) fn read_all(reads: &mut Reads) -> Many<VaultsRight> {
    reads.scan(VAULTS, Range::all())
}

/// One of the vaults that were read.
pub(crate) fn find(
    snapshot: &Snapshot,
    vaults: &Many<VaultsRight>,
    id: &str,
) -> Result<Option<Vault>, StoreError> {
    let row = snapshot.rows(vaults).iter().find(|row| row.key == id);
    row.map(|row| parse(VaultsRight::TABLE, id, &row.text)).transpose()
}

/// Vaults, their open copies, and the counts of wrong passwords. The only writer of `vaults`, `unlocks` and the part
/// `attempts/` of `counters`.
pub struct Vaults {
    database: Rc<Database>,
    host: Rc<dyn Host>,
    signer: Rc<dyn Signer>,
    ids: Rc<Ids>,
    work: Rc<Work>,
    /// Vault id → when the last wrong password came, in this worker's own time.
    last_wrong: RefCell<SortedMap<String, Millis>>,
}

impl Vaults {
    pub(crate) fn new(database: &Rc<Database>, ports: &Ports, ids: &Rc<Ids>, work: &Rc<Work>) -> Self {
        Self {
            database: Rc::clone(database),
            host: Rc::clone(&ports.host),
            signer: Rc::clone(&ports.signer),
            ids: Rc::clone(ids),
            work: Rc::clone(work),
            last_wrong: RefCell::default(),
        }
    }

    /// A vault by its id.
    pub(crate) async fn get(&self, id: &str) -> Result<Option<Stored<Vault>>, StoreError> {
        store::get(self.database.store(), VAULTS, id).await
    }

    /// The active vault.
    pub(crate) async fn active(&self) -> Result<Option<Stored<Vault>>, StoreError> {
        active(self.database.store()).await
    }

    /// A vault by its id, or the active one as `active`.
    pub(crate) async fn named(&self, id: &str) -> Result<Stored<Vault>, VaultError> {
        let found = if id == "active" { self.active().await? } else { self.get(id).await? };
        found.ok_or(VaultError::VaultNotFound)
    }

    /// All vaults, oldest first.
    async fn all(&self) -> Result<Vec<Vault>, StoreError> {
        Ok(by_age(store::scan(self.database.store(), VAULTS, Range::all()).await?))
    }
}

/// Oldest first.
fn by_age(rows: Vec<Keyed<Vault>>) -> Vec<Vault> {
    let mut vaults: Vec<Vault> = Vec::with_capacity(rows.len());
    for Keyed { record, .. } in rows {
        let place = vaults.partition_point(|vault| vault.created_at <= record.created_at);
        vaults.insert(place, record);
    }
    vaults
}

/// Stages a new vault; a conflict if there is one with its id.
fn stage_new(vault: &Vault, batch: &mut Batch) {
    batch.expect(VAULTS, vault.id(), None);
    batch.put(VAULTS, vault.id(), vault);
    batch.note(noted("vault_created", vault.id()));
    batch.tell(&Event::VaultModified {});
}

/// Stages a change of a vault, unless it changed since it was read as `text`.
fn stage_change(text: &str, vault: &Vault, batch: &mut Batch) {
    batch.expect(VAULTS, vault.id(), Some(text));
    batch.put(VAULTS, vault.id(), vault);
}
