//! The user's settings: the agent's backend, the chains' nodes, the hosts of tools, the active vault, and when it locks.
//!
//! The backend's token is a secret: the browser's session keeps it in memory, never the store. It is kept under the
//! backend's origin, so that no other address can ever be sent it, also after a worker's death.

mod hosts;
mod loosen;
mod origin;
mod pages;
mod patch;

pub(crate) use origin::origin;
pub(crate) use patch::check_url;

use crate::database::Database;
use crate::http::ApiError;
use crate::id::Ids;
use crate::ports::{Host, Ports};
use crate::store::{self, Batch, Durability, One, Reads, StoreError, Stored, owned_tables};
use crate::vault::{EarlierVault, Proof, Vaults};
use derive::Record;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::{self, BackendSettings, Endpoint, SkipApproval};
use wire::audit::AuditRecord;
use wire::dapp::PageSettings;
use wire::sorted::SortedMap;

owned_tables! {
    /// One row, under an empty key.
    SETTINGS: SettingsRight = Settings, SettingsRow;
}

/// The name of an origin's token in the browser's session.
fn token_name(origin: &str) -> String {
    format!("backend-token/{origin}")
}

/// The settings on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettingsRow {
    #[record(default)]
    pub(crate) backend_url: String,
    /// Id of the active vault.
    pub(crate) active_vault: Option<String>,
    /// Where version 2 kept the vault; until [`crate::vault::adopt`] moves it to the vaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) vault: Option<EarlierVault>,
    /// Names this installation to the backend until there is a vault.
    guest_id: Option<String>,
    #[record(default)]
    pub(crate) skip_approval: SkipApproval,
    #[record(default = "auto_lock_minutes")]
    pub(crate) auto_lock_minutes: u32,
    /// The nodes that the user chose, by the chain's canonical name.
    #[record(default)]
    pub(crate) endpoints: SortedMap<String, Endpoint>,
    /// The hosts that tools may reach.
    #[record(default)]
    pub(crate) allowed_hosts: Vec<String>,
    /// On which web pages the wallet is offered.
    #[record(default)]
    pub(crate) pages: PageSettings,
}

const fn auto_lock_minutes() -> u32 {
    15
}

impl Default for SettingsRow {
    fn default() -> Self {
        Self {
            backend_url: String::new(),
            active_vault: None,
            vault: None,
            guest_id: None,
            skip_approval: SkipApproval::default(),
            auto_lock_minutes: auto_lock_minutes(),
            endpoints: SortedMap::default(),
            allowed_hosts: Vec::new(),
            pages: PageSettings::default(),
        }
    }
}

impl SettingsRow {
    /// The backend's origin; none until an address is set.
    pub(crate) fn backend(&self) -> Option<String> {
        origin(&self.backend_url)
    }

    /// Who this installation is to the backend: the active vault's key, or a guest's name while there is no vault.
    fn public_key(&self) -> Option<&String> {
        let earlier = self.vault.as_ref().map(|vault| &vault.keys.public_key_ecdsa);
        self.active_vault.as_ref().or(earlier).or(self.guest_id.as_ref())
    }
}

/// The settings as they were read, with the text that a precondition can name.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredSettings {
    text: Option<String>,
    pub(crate) row: SettingsRow,
}

impl From<Option<Stored<SettingsRow>>> for StoredSettings {
    fn from(stored: Option<Stored<SettingsRow>>) -> Self {
        stored.map_or_else(Self::default, |Stored { text, record }| Self { text: Some(text), row: *record })
    }
}

/// Declares a read of the settings.
pub(crate) fn read(reads: &mut Reads) -> One<SettingsRight> {
    reads.get(SETTINGS, "")
}

/// The user's settings. The only writer of `settings`.
pub(crate) struct Settings {
    database: Rc<Database>,
    host: Rc<dyn Host>,
    ids: Rc<Ids>,
}

impl Settings {
    pub(crate) fn new(database: &Rc<Database>, ports: &Ports, ids: &Rc<Ids>) -> Self {
        Self { database: Rc::clone(database), host: Rc::clone(&ports.host), ids: Rc::clone(ids) }
    }

    /// The settings, for a change.
    pub(crate) async fn stored(&self) -> Result<StoredSettings, StoreError> {
        Ok(store::get(self.database.store(), SETTINGS, "").await?.into())
    }

    /// The settings; defaults where the user set nothing.
    pub(crate) async fn read(&self) -> Result<SettingsRow, StoreError> {
        Ok(self.stored().await?.row)
    }

    /// The token of a backend, by its origin.
    pub(crate) async fn token(&self, origin: &str) -> Option<String> {
        self.host.secret(&token_name(origin)).await
    }

    /// The settings as pages see them.
    pub(crate) async fn view(&self) -> Result<api::Settings, StoreError> {
        let row = self.read().await?;
        let has_token = match row.backend() {
            Some(origin) => self.token(&origin).await.is_some(),
            None => false,
        };
        Ok(api::Settings {
            backend: BackendSettings { url: row.backend_url, has_token },
            endpoints: row.endpoints,
            skip_approval: row.skip_approval,
            auto_lock_minutes: row.auto_lock_minutes,
            allowed_hosts: row.allowed_hosts,
            pages: row.pages,
        })
    }

    /// Who this installation is to the backend. Without a vault a guest's name is made once and kept.
    pub(crate) async fn public_key(&self) -> Result<String, StoreError> {
        loop {
            let mut settings = self.stored().await?;
            if let Some(name) = settings.row.public_key() {
                return Ok(name.clone());
            }
            settings.row.guest_id = Some(format!("guest-{}", self.ids.next()));
            let mut batch = Batch::new(Durability::Strict);
            stage(&settings, &mut batch);
            match self.database.commit(batch).await {
                // The next read finds what was written, here or by another worker.
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Applies the whole patch, or nothing of it. One that loosens something needs the password.
    /// The token of a backend that is left is forgotten.
    pub(crate) async fn change(
        &self,
        patch: &Map<String, Value>,
        vaults: &Vaults,
        mut proof: Proof,
    ) -> Result<(), ApiError> {
        let (before, after, token) = loop {
            let mut settings = self.stored().await?;
            let before = settings.row.clone();
            let token = patch::apply(patch, &mut settings.row)?;
            let loosening = loosen::loosens(&before, &settings.row);
            let (before, after) = (before.backend(), settings.row.backend());
            let mut batch = proof.batch_for(vaults, loosening).await?;
            stage(&settings, &mut batch);
            batch.note(AuditRecord::Change { what: "settings_changed".to_owned(), subject: None });
            match self.database.commit(batch).await {
                Err(StoreError::Conflict { .. }) => {}
                other => break other.map(|()| (before, after, token))?,
            }
        };
        if let Some(left) = before.filter(|origin| Some(origin) != after.as_ref()) {
            self.host.set_secret(&token_name(&left), None).await;
        }
        if let (Some(origin), Some(token)) = (after, token) {
            self.host.set_secret(&token_name(&origin), token.as_deref()).await;
        }
        Ok(())
    }
}

/// Stages the active vault, unless the settings changed since they were read.
pub(crate) fn stage_active(mut settings: StoredSettings, vault_id: Option<String>, batch: &mut Batch) {
    settings.row.active_vault = vault_id;
    stage(&settings, batch);
}

/// Stages that the vault of version 2 is now among the vaults.
pub(crate) fn stage_adopted(mut settings: StoredSettings, vault_id: Option<String>, batch: &mut Batch) {
    settings.row.vault = None;
    let active = settings.row.active_vault.take().or(vault_id);
    stage_active(settings, active, batch);
}

fn stage(settings: &StoredSettings, batch: &mut Batch) {
    batch.expect(SETTINGS, "", settings.text.as_deref());
    batch.put(SETTINGS, "", &settings.row);
}
