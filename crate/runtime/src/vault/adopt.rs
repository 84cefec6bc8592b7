//! Taking up what the last version wrote: it kept one vault's public keys among the settings.

use super::noted;
use crate::Core;
use crate::store::{Batch, Durability, StoreError, Table};
use derive::Record;
use wire::event::Event;
use wire::signer::{Reply, Request};
use wire::vault::PublicKeys;

/// The vault as it stood in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct EarlierVault {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) keys: PublicKeys,
}

impl Core {
    /// Makes a vault of the earlier version one that watches, with the coins it has. If the signer is not there, the
    /// next start tries again.
    pub(crate) async fn adopt_vault(&self) -> Result<(), StoreError> {
        loop {
            let (before, mut settings) = self.stored_settings().await?;
            let Some(EarlierVault { name, keys }) = settings.vault.take() else {
                return Ok(());
            };
            let mut batch = Batch::new(Durability::Strict);
            match self.ports.signer.ask(Request::WatchVault { name, keys }).await {
                Ok(Reply::Vault { name, kind, keys, accounts, sealed }) => {
                    let vault = self.new_vault(name, kind, keys, accounts, sealed);
                    if self.ports.store.get(Table::Vaults, vault.id()).await?.is_none() {
                        batch.expect(Table::Vaults, vault.id(), None);
                        batch.put(Table::Vaults, vault.id(), &vault);
                    }
                    settings.active_vault.get_or_insert_with(|| vault.id().to_owned());
                    batch.note(noted("vault_created", vault.id()));
                    batch.tell(&Event::VaultModified {});
                }
                // Keys that are none never had an address: there is nothing to keep.
                Err(refusal) if ["invalid_public_key", "malformed_key"].contains(&refusal.code.as_str()) => {}
                _ => return Ok(()),
            }
            batch.expect(Table::Settings, crate::settings::KEY, before.as_deref());
            batch.put(Table::Settings, crate::settings::KEY, &settings);
            match self.commit(batch).await {
                Err(StoreError::Conflict { .. }) => {}
                other => return other,
            }
        }
    }
}
