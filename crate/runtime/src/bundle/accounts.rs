//! One running bundle an account: two that count the same account's transactions would spoil each other's numbers.

use super::{ACCOUNTS, RUNS};
use crate::Core;
use crate::store::{Batch, Durability, StoreError, Stored, Table, json, read};
use wire::api::{Call, CallState};
use wire::bundle::Bundle;
use wire::event::Event;
use wire::run::Run;
use wire::vault::Vault;

/// The keys of the accounts that a bundle uses.
fn keys(bundle: &Bundle, vault: &Vault) -> Vec<String> {
    let chains = bundle.steps.iter().map(|step| &step.chain);
    let of = |chain: &String| vault.accounts.iter().find(|account| account.chain == *chain);
    let mut keys = Vec::new();
    for account in chains.filter_map(of) {
        let key = format!("{}/{}", account.chain, account.address);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

impl Core {
    /// Takes all accounts of a bundle, or none and says whom it waits for. Whether it may run.
    pub(super) async fn take_accounts(&self, bundle: &Bundle, vault: &Vault) -> Result<bool, StoreError> {
        let store = &*self.ports.store;
        let stored = read::<Run>(store, Table::Runs, &bundle.id).await?;
        let before = stored.as_ref().map(|stored| stored.text.clone());
        let mut run = stored.map(|stored| stored.record).unwrap_or_default();
        if run.started_at.is_some() {
            return Ok(true);
        }
        let mut batch = Batch::new(Durability::Strict);
        let mut behind = None;
        for key in keys(bundle, vault) {
            let owner = read::<String>(store, Table::Accounts, &key).await?;
            match &owner {
                Some(owner) if owner.record != bundle.id && self.is_open(&owner.record).await? => {
                    behind = Some(owner.record.clone());
                }
                _ => {}
            }
            batch.expect(ACCOUNTS, &key, owner.as_ref().map(|owner| owner.text.as_str()));
            batch.put(ACCOUNTS, &key, &bundle.id);
        }
        if behind.is_some() {
            if run.behind == behind {
                return Ok(false);
            }
            batch = Batch::new(Durability::Strict);
            run.behind = behind.clone();
        } else {
            run = Run { started_at: Some(self.now()), behind: None, ..run };
        }
        batch.expect(RUNS, &bundle.id, before.as_deref());
        batch.put(RUNS, &bundle.id, &run);
        batch.tell(&Event::Bundle { bundle_id: bundle.id.clone() });
        self.commit(batch).await?;
        Ok(behind.is_none())
    }

    /// Stages that a bundle's accounts are free, where it had them.
    pub(super) async fn free_accounts(
        &self,
        bundle: &Bundle,
        vault: &Vault,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        for key in keys(bundle, vault) {
            let owner = self.ports.store.get(Table::Accounts, &key).await?;
            if owner == Some(json(&bundle.id)) {
                batch.delete(ACCOUNTS, &key);
            }
        }
        Ok(())
    }

    async fn is_open(&self, bundle_id: &str) -> Result<bool, StoreError> {
        let call = read::<Call>(&*self.ports.store, Table::Calls, bundle_id).await?;
        Ok(call.is_some_and(|Stored { record, .. }| !matches!(record.state, CallState::Done { .. })))
    }
}
