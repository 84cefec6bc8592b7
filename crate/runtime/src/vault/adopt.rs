//! Version 2 kept one vault's public keys among the settings; it becomes a vault that watches.

use super::error::RefusalKind;
use super::manage::new_vault;
use super::stage_new;
use crate::store::{Batch, Durability, StoreError};
use crate::{Core, settings};
use derive::Record;
use wire::signer::{DecodeRequest, Reply};
use wire::vault::PublicKeys;

/// The vault as it stood in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct EarlierVault {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) keys: PublicKeys,
}

/// Moves the vault of version 2 to the vaults, with the coins it has. Without a signer the next start tries again.
pub(crate) async fn adopt(core: &Core) -> Result<(), StoreError> {
    loop {
        let settings = core.settings.stored().await?;
        let Some(EarlierVault { name, keys }) = settings.row.vault.clone() else {
            return Ok(());
        };
        let mut batch = Batch::new(Durability::Strict);
        let adopted = match core.vaults.signer.ask(DecodeRequest::WatchVault { name, keys }.into()).await {
            Ok(Reply::Vault { name, kind, keys, accounts, sealed }) => {
                let vault = new_vault(core.now(), name, kind, keys, accounts, sealed);
                if core.vaults.get(vault.id()).await?.is_none() {
                    stage_new(&vault, &mut batch);
                }
                Some(vault.id().to_owned())
            }
            // Invalid keys never had an address: there is nothing to keep.
            Err(refusal) if RefusalKind::of(&refusal) == RefusalKind::InvalidPublicKey => None,
            _ => return Ok(()),
        };
        settings::stage_adopted(settings, adopted, &mut batch);
        match core.commit(batch).await {
            Err(StoreError::Conflict { .. }) => {}
            other => return other,
        }
    }
}
