//! How long a vault stays open. Its secret, sealed anew under a random key, is in the browser's session; the key is
//! here, under the vault's id or under the vault's and a call's. One without the other opens nothing: the session's
//! copy goes with the browser, the key at its deadline or when the vault is locked.

use super::noted;
use super::password::{UnlockError, unexpected};
use crate::Core;
use crate::store::{Batch, Durability, Range, Row, StoreError, Stored, Table, read};
use derive::Record;
use wire::api::Millis;
use wire::event::Event;
use wire::secret::SecretText;
use wire::signer::{Opened, Reply, Request};
use wire::vault::Vault;

const MINUTE: Millis = 60_000;
/// The longest that a person may keep a vault open, in minutes.
pub(crate) const LONGEST: u32 = 24 * 60;
/// A call that was given the password and has not ended by then must ask again.
const CALL_MINUTES: u32 = 30;

/// What a vault is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Whatever is approved within so many minutes.
    Minutes(u32),
    /// One call, by its id.
    Call(&'a str),
}

impl Scope<'_> {
    /// Where the record is, and what the opened copy is bound to.
    fn key(self, vault_id: &str) -> String {
        match self {
            Self::Minutes(_) => vault_id.to_owned(),
            Self::Call(call_id) => format!("{vault_id}/{call_id}"),
        }
    }

    fn minutes(self) -> u32 {
        match self {
            Self::Minutes(minutes) => minutes.min(LONGEST),
            Self::Call(_) => CALL_MINUTES,
        }
    }
}

/// What opens the copy of a vault's secret that the session holds.
#[derive(Debug, Clone, Record)]
struct Unlock {
    key: SecretText,
    until: Millis,
    /// The copy's name. New each time: whoever unlocks at the same moment has a copy and a key of their own.
    session: String,
}

impl Unlock {
    /// A deadline further away than any that is set means that the clock was set back: that opens nothing.
    fn is_open(&self, now: Millis) -> bool {
        (1..=MINUTE * Millis::from(LONGEST)).contains(&self.until.saturating_sub(now))
    }
}

/// Copies in the session whose keys are gone, once the batch that removes the keys is committed.
#[derive(Debug, Default)]
#[must_use = "the copies are to be forgotten after the commit"]
pub struct Closed(Vec<String>);

impl Core {
    /// Opens a vault with its password. The key is staged: the vault is open once the caller has committed the batch
    /// together with what follows from it, and then forgets an earlier copy. A wrong password is counted here and now.
    pub async fn open_vault(
        &self,
        vault: &Vault,
        password: &SecretText,
        scope: Scope<'_>,
        batch: &mut Batch,
    ) -> Result<Closed, UnlockError> {
        let key = scope.key(vault.id());
        let (password, binding) = (password.clone(), key.clone());
        let request = |_: &Vault, sealed| Request::Unlock { sealed, password, binding };
        let (vault, reply) = self.with_password(vault.id(), request, batch).await?;
        let Reply::Opened { opened, resealed } = reply else {
            return Err(unexpected().into());
        };
        let vault_id = vault.record.id().to_owned();
        if let Some(sealed) = resealed {
            self.reseal(vault, sealed).await?;
        }
        let session = format!("vault/{key}/{}", self.ids.next());
        let host = &self.ports.host;
        host.set_secret(&session, Some(opened.sealed.expose())).await;
        if host.secret(&session).await.is_none() {
            return Err(UnlockError::SessionFull);
        }
        // Not before the commit: whoever loses against another window must not close what the other opened.
        let earlier = self.unlock(&key).await?.map(|unlock| unlock.session);
        let until = self.now() + MINUTE * Millis::from(scope.minutes());
        batch.put(Table::Unlocks, &key, &Unlock { key: opened.key, until, session });
        batch.note(noted("vault_unlocked", &vault_id));
        if matches!(scope, Scope::Minutes(_)) {
            batch.tell(&Event::VaultModified {});
        }
        Ok(Closed(earlier.into_iter().collect()))
    }

    /// Keeps a container that was sealed anew with more work, unless the vault changed meanwhile: the old one opens
    /// as well.
    async fn reseal(&self, vault: Stored<Vault>, sealed: String) -> Result<(), StoreError> {
        let Stored { text, record } = vault;
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Vaults, record.id(), Some(&text));
        batch.put(Table::Vaults, record.id(), &Vault { sealed: Some(sealed), ..record.clone() });
        match self.commit(batch).await {
            Err(StoreError::Conflict { .. }) => Ok(()),
            other => other,
        }
    }

    /// An opened secret that can be used now: the call's own, or else the vault's. With `fresh_only` only the call's:
    /// the password was given for this call and nothing else.
    pub async fn opened(
        &self,
        vault_id: &str,
        call_id: Option<&str>,
        fresh_only: bool,
    ) -> Result<Option<Opened>, StoreError> {
        if self.ports.store.get(Table::Vaults, vault_id).await?.is_none() {
            return Ok(None);
        }
        if let Some(call_id) = call_id
            && let Some((_, opened)) = self.live(&Scope::Call(call_id).key(vault_id)).await?
        {
            return Ok(Some(opened));
        }
        if fresh_only {
            return Ok(None);
        }
        Ok(self.live(vault_id).await?.map(|(_, opened)| opened))
    }

    /// Until when a vault is open.
    pub(super) async fn open_until(&self, vault_id: &str) -> Result<Option<Millis>, StoreError> {
        Ok(self.live(vault_id).await?.map(|(until, _)| until))
    }

    /// The deadline is held against the clock: an alarm that is late opens nothing.
    async fn live(&self, key: &str) -> Result<Option<(Millis, Opened)>, StoreError> {
        let Some(unlock) = self.unlock(key).await?.filter(|unlock| unlock.is_open(self.now())) else {
            return Ok(None);
        };
        let sealed = self.ports.host.secret(&unlock.session).await.map(SecretText::new);
        let opened = |sealed| Opened { sealed, key: unlock.key, binding: key.to_owned() };
        Ok(sealed.map(|sealed| (unlock.until, opened(sealed))))
    }

    async fn unlock(&self, key: &str) -> Result<Option<Unlock>, StoreError> {
        Ok(read::<Unlock>(&*self.ports.store, Table::Unlocks, key).await?.map(|stored| stored.record))
    }

    /// Locks a vault for everybody, calls included.
    pub async fn lock_vault(&self, vault_id: &str) -> Result<(), StoreError> {
        let mut batch = Batch::new(Durability::Strict);
        let closed = self.close_vault(vault_id, &mut batch).await?;
        if closed.0.is_empty() {
            return Ok(());
        }
        // Before the commit: a disk that is full keeps no vault open.
        self.forget(closed).await;
        batch.note(noted("vault_locked", vault_id));
        batch.tell(&Event::VaultModified {});
        self.commit(batch).await?;
        self.wake_after(Ok(())).await;
        Ok(())
    }

    /// Stages that a vault is open for nobody any more.
    pub(super) async fn close_vault(&self, vault_id: &str, batch: &mut Batch) -> Result<Closed, StoreError> {
        let rows = self.ports.store.scan(Table::Unlocks, Range::prefix(vault_id)).await?;
        let of_vault = |row: &Row| row.key.split('/').next() == Some(vault_id);
        let mut closed = Closed::default();
        for row in rows.into_iter().filter(of_vault) {
            batch.delete(Table::Unlocks, &row.key);
            closed.0.extend(readable(&row).map(|unlock| unlock.session));
        }
        Ok(closed)
    }

    /// Stages that a call no longer needs the password it was given. Then comes [`Core::forget`].
    pub async fn close_for_call(
        &self,
        vault_id: &str,
        call_id: &str,
        batch: &mut Batch,
    ) -> Result<Closed, StoreError> {
        let key = Scope::Call(call_id).key(vault_id);
        let Some(unlock) = self.unlock(&key).await? else {
            return Ok(Closed::default());
        };
        batch.delete(Table::Unlocks, &key);
        Ok(Closed(vec![unlock.session]))
    }

    /// Removes copies from the session.
    pub async fn forget(&self, closed: Closed) {
        for session in closed.0 {
            self.ports.host.set_secret(&session, None).await;
        }
    }

    /// Locks what has been open long enough, and tidies up after a browser that was closed.
    pub(crate) async fn expire_unlocks(&self) -> Result<(), StoreError> {
        for row in self.ports.store.scan(Table::Unlocks, Range::all()).await? {
            let unlock = readable(&row);
            if let Some(unlock) = &unlock {
                let held = self.ports.host.secret(&unlock.session).await.map(SecretText::new);
                if unlock.is_open(self.now()) && held.is_some() {
                    continue;
                }
            }
            let mut batch = Batch::new(Durability::Strict);
            batch.expect(Table::Unlocks, &row.key, Some(&row.text));
            batch.delete(Table::Unlocks, &row.key);
            if !row.key.contains('/') {
                batch.note(noted("vault_locked", &row.key));
                batch.tell(&Event::VaultModified {});
            }
            match self.commit(batch).await {
                // Unlocked again, or locked, in the meantime.
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
            self.forget(Closed(unlock.into_iter().map(|unlock| unlock.session).collect())).await;
        }
        Ok(())
    }

    /// When the next vault is to be locked.
    pub(crate) async fn next_lock(&self) -> Result<Option<Millis>, StoreError> {
        let rows = self.ports.store.scan(Table::Unlocks, Range::all()).await?;
        Ok(rows.iter().filter_map(readable).map(|unlock| unlock.until).min())
    }
}

/// A record that cannot be read opens nothing, and must not keep the others from being locked.
fn readable(row: &Row) -> Option<Unlock> {
    wire::json::from_text(&row.text).ok()
}
