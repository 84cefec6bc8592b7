//! How long a vault stays open. Its keys, sealed under a random key, are in the browser's session; the random key is in
//! the store, under the vault's id or under the vault's and a call's. One without the other opens nothing: the session's
//! copy goes with the browser, the random key at its deadline or when the vault is locked.

use super::{VAULTS, VaultError, Vaults, VaultsRight, noted, stage_change};
use crate::alarm::Due;
use crate::database::Database;
use crate::ports::Host;
use crate::store::{
    self, Batch, Durability, Expectation, One, Range, Reads, Row, Snapshot, StoreError, Stored, owned_tables,
};
use derive::Record;
use std::rc::Rc;
use wire::api::Millis;
use wire::event::Event;
use wire::secret::SecretText;
use wire::signer::{KeyRequest, Opened, Reply};
use wire::vault::Vault;

owned_tables! {
    /// Vault id, or vault id and call id → what opens the session's copy.
    UNLOCKS: UnlocksRight = Unlocks, UnlockRow;
}

const MINUTE: Millis = 60_000;
/// The longest that the user may keep a vault open, in minutes.
pub(crate) const LONGEST: u32 = 24 * 60;
/// A call that was given the password and has not ended by then must ask again.
const CALL_MINUTES: u32 = 30;

/// What a vault is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Everything that is approved within so many minutes.
    Minutes(u32),
    /// One call, by its id.
    Call(&'a str),
}

impl Scope<'_> {
    /// The row's key, which the opened copy is bound to.
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
pub(crate) struct UnlockRow {
    key: SecretText,
    until: Millis,
    /// The copy's name. New each time: two unlocks at the same moment have a copy and a key each.
    session: String,
}

/// Whether a deadline is not over. One further away than the longest means that the clock was set back: that opens
/// nothing.
fn is_open(until: Millis, now: Millis) -> bool {
    (1..=MINUTE * Millis::from(LONGEST)).contains(&until.saturating_sub(now))
}

/// What is read to find an opened secret.
pub(crate) struct Opening {
    vault: One<VaultsRight>,
    /// What a copy is bound to, and the row of its key; the call's own first.
    unlocks: Vec<(String, One<UnlocksRight>)>,
}

impl Opening {
    /// Declares the reads.
    pub(crate) fn read(reads: &mut Reads, vault_id: &str, call_id: Option<&str>, fresh_only: bool) -> Self {
        let own = call_id.map(|call_id| Scope::Call(call_id).key(vault_id));
        let keys = own.into_iter().chain((!fresh_only).then(|| vault_id.to_owned()));
        let vault = reads.get(VAULTS, vault_id);
        let unlocks = keys.map(|key| (key.clone(), reads.get(UNLOCKS, &key))).collect();
        Self { vault, unlocks }
    }

    /// The vault, if it is there.
    pub(crate) fn vault(&self, snapshot: &Snapshot) -> Result<Option<Vault>, StoreError> {
        Ok(snapshot.one(self.vault)?.map(|stored| *stored.record))
    }
}

/// What is read to close a vault for a call.
pub(crate) struct Closing {
    key: String,
    unlock: One<UnlocksRight>,
}

impl Closing {
    /// Declares the read.
    pub(crate) fn read(reads: &mut Reads, vault_id: &str, call_id: &str) -> Self {
        let key = Scope::Call(call_id).key(vault_id);
        Self { unlock: reads.get(UNLOCKS, &key), key }
    }

    /// As [`Vaults::close_for_call`], of rows that were read with others.
    pub(crate) fn stage(self, snapshot: &Snapshot, batch: &mut Batch) -> Result<Closed, StoreError> {
        let unlock = snapshot.one(self.unlock)?.map(|stored| stored.record);
        if unlock.is_some() {
            stage_removal(&self.key, unlock.as_deref(), batch);
        }
        Ok(Closed(unlock.into_iter().map(|unlock| unlock.session).collect()))
    }
}

/// A vault that is open.
#[derive(Clone)]
pub(crate) struct OpenVault {
    pub(crate) opened: Opened,
    until: Millis,
    /// The record that says so; it is deleted with the vault.
    pub(crate) record: Option<Expectation>,
}

impl OpenVault {
    /// Whether its time is not over.
    pub(crate) fn is_open(&self, now: Millis) -> bool {
        is_open(self.until, now)
    }
}

/// The session's copy of a sealed secret, by its name. Without its key, which is in the store, it opens nothing.
#[derive(Default)]
pub(crate) struct SessionCopy {
    name: String,
    sealed: SecretText,
}

/// Copies in the session whose keys are gone once the batch is committed.
#[derive(Debug, Default)]
#[must_use = "the copies are forgotten after the commit"]
pub struct Closed(Vec<String>);

impl Closed {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Stages the removal of a key; its copy is forgotten with the others.
    pub(super) fn add(&mut self, key: &str, unlock: Option<UnlockRow>, batch: &mut Batch) {
        stage_removal(key, unlock.as_ref(), batch);
        self.0.extend(unlock.map(|unlock| unlock.session));
    }
}

impl Vaults {
    /// Opens a vault with its password. The key is staged: the vault is open once the caller has committed the batch;
    /// then comes [`Vaults::forget`] for the earlier copy. A wrong password is counted at once.
    pub async fn open(
        &self,
        vault_id: &str,
        password: &SecretText,
        scope: Scope<'_>,
        batch: &mut Batch,
    ) -> Result<Closed, VaultError> {
        let key = scope.key(vault_id);
        let (password, binding) = (password.clone(), key.clone());
        let request = |_: &Vault, sealed| KeyRequest::Unlock { sealed, password, binding };
        let (vault, reply) = self.ask_with_password(vault_id, Box::new(request), batch).await?;
        let Reply::Opened { opened, resealed } = reply else {
            return Err(VaultError::UnexpectedReply);
        };
        if let Some(sealed) = resealed {
            self.reseal(vault, sealed).await?;
        }
        let session = format!("vault/{key}/{}", self.ids.next());
        self.host.set_secret(&session, Some(opened.sealed.expose())).await;
        if self.host.secret(&session).await.is_none() {
            return Err(VaultError::SessionFull);
        }
        // Forgotten after the commit: an unlock that loses against another must not close the other's copy.
        let earlier = self.unlock(&key).await?;
        let until = self.host.now() + MINUTE * Millis::from(scope.minutes());
        batch.put(UNLOCKS, &key, &UnlockRow { key: opened.key, until, session });
        batch.due(Due::Unlock, &key, earlier.as_ref().map(|unlock| unlock.until), Some(until));
        batch.note(noted("vault_unlocked", vault_id));
        if matches!(scope, Scope::Minutes(_)) {
            batch.tell(&Event::VaultModified {});
        }
        Ok(Closed(earlier.into_iter().map(|unlock| unlock.session).collect()))
    }

    /// Opens a vault with its password for what is done at once: nothing of it is kept. A wrong password is counted at once;
    /// that a right one was given is staged.
    pub(crate) async fn open_once(
        &self,
        vault_id: &str,
        password: &SecretText,
        batch: &mut Batch,
    ) -> Result<Opened, VaultError> {
        let (password, binding) = (password.clone(), [vault_id, "/once"].concat());
        let request = |_: &Vault, sealed| KeyRequest::Unlock { sealed, password, binding };
        match self.ask_with_password(vault_id, Box::new(request), batch).await?.1 {
            Reply::Opened { opened, .. } => Ok(opened),
            _ => Err(VaultError::UnexpectedReply),
        }
    }

    /// Keeps a container that the signer sealed anew with more work, unless the vault changed: the old one opens as
    /// well.
    async fn reseal(&self, vault: Stored<Vault>, sealed: String) -> Result<(), StoreError> {
        let Stored { text, record } = vault;
        let mut batch = Batch::new(Durability::Strict);
        stage_change(&text, &Vault { sealed: Some(sealed), ..*record }, &mut batch);
        match self.database.commit(batch).await {
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
        let mut reads = Reads::new();
        let opening = Opening::read(&mut reads, vault_id, call_id, fresh_only);
        let snapshot = reads.from(self.database.store()).await?;
        let open = self.open_copy(opening, &snapshot, &mut SessionCopy::default()).await?;
        Ok(open.map(|open| open.opened))
    }

    /// The same, of rows that were read with others. The copy in the session never changes under its name, so one that is
    /// at hand is not fetched again; whether it may still be used is decided by the rows.
    pub(crate) async fn open_copy(
        &self,
        opening: Opening,
        snapshot: &Snapshot,
        copy: &mut SessionCopy,
    ) -> Result<Option<OpenVault>, StoreError> {
        if snapshot.text(opening.vault).is_none() {
            return Ok(None);
        }
        for (binding, place) in opening.unlocks {
            if let Some(unlock) = snapshot.one(place)?
                && self.is_held(&unlock.record, copy).await
            {
                let UnlockRow { key, until, .. } = *unlock.record;
                let opened = Opened { sealed: copy.sealed.clone(), key, binding };
                return Ok(Some(OpenVault { opened, until, record: snapshot.expectation(place) }));
            }
        }
        Ok(None)
    }

    /// Whether there is a copy that a key opens; then `copy` is it. The deadline is compared with the clock: a late alarm
    /// keeps no vault open.
    async fn is_held(&self, unlock: &UnlockRow, copy: &mut SessionCopy) -> bool {
        if !is_open(unlock.until, self.host.now()) {
            return false;
        }
        if copy.name != unlock.session {
            let Some(sealed) = self.host.secret(&unlock.session).await else { return false };
            *copy = SessionCopy { name: unlock.session.clone(), sealed: SecretText::new(sealed) };
        }
        true
    }

    /// Until when a vault is open.
    pub(super) async fn open_until(&self, vault_id: &str) -> Result<Option<Millis>, StoreError> {
        let Some(unlock) = self.unlock(vault_id).await? else { return Ok(None) };
        Ok(self.is_held(&unlock, &mut SessionCopy::default()).await.then_some(unlock.until))
    }

    async fn unlock(&self, key: &str) -> Result<Option<UnlockRow>, StoreError> {
        Ok(store::get(self.database.store(), UNLOCKS, key).await?.map(|stored| *stored.record))
    }

    /// The rows under a prefix of their keys; those that cannot be read too.
    pub(super) async fn unlocks(&self, prefix: &str) -> Result<Vec<(Row, Option<UnlockRow>)>, StoreError> {
        let mut reads = Reads::new();
        let unlocks = reads.scan(UNLOCKS, Range::prefix(prefix));
        let snapshot = reads.from(self.database.store()).await?;
        let rows = snapshot.rows(&unlocks).iter().cloned();
        Ok(rows.map(|row| (row.clone(), wire::json::from_text(&row.text).ok())).collect())
    }

    /// Stages that a vault is closed, for calls too. After the commit comes [`Vaults::forget`].
    pub(super) async fn stage_close(&self, vault_id: &str, batch: &mut Batch) -> Result<Closed, StoreError> {
        let mut closed = Closed::default();
        for (row, unlock) in self.unlocks(vault_id).await? {
            if row.key.split('/').next() == Some(vault_id) {
                closed.add(&row.key, unlock, batch);
            }
        }
        Ok(closed)
    }

    /// Stages that a call no longer needs the password it was given. After the commit comes [`Vaults::forget`].
    pub async fn close_for_call(
        &self,
        vault_id: &str,
        call_id: &str,
        batch: &mut Batch,
    ) -> Result<Closed, StoreError> {
        let mut reads = Reads::new();
        let closing = Closing::read(&mut reads, vault_id, call_id);
        closing.stage(&reads.from(self.database.store()).await?, batch)
    }

    /// Stages that a call which ends no longer needs the password it was given, whichever vault it was for. The copies are
    /// removed from the session once their keys are gone; without a key they open nothing.
    pub(crate) async fn close_with_call(&self, call_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
        let mut closed = Closed::default();
        for (row, unlock) in self.unlocks("").await? {
            if row.key.split_once('/').is_some_and(|(_, call)| call == call_id) {
                closed.add(&row.key, unlock, batch);
            }
        }
        if !closed.is_empty() {
            let (host, database) = (Rc::clone(&self.host), Rc::clone(&self.database));
            self.host.spawn(Box::pin(forget_unused(host, database, closed)));
        }
        Ok(())
    }

    /// Removes copies from the session.
    pub async fn forget(&self, closed: Closed) {
        for session in closed.0 {
            self.host.set_secret(&session, None).await;
        }
    }

    /// Locks the vaults that are due, and removes keys whose copies went with a closed browser. A key that cannot be
    /// read opens nothing, and must not keep the others from being locked.
    pub(crate) async fn lock_due(&self) -> Result<(), StoreError> {
        for (row, unlock) in self.unlocks("").await? {
            if let Some(unlock) = &unlock
                && self.is_held(unlock, &mut SessionCopy::default()).await
            {
                continue;
            }
            let mut batch = Batch::new(Durability::Strict);
            batch.expect(UNLOCKS, &row.key, Some(&row.text));
            stage_removal(&row.key, unlock.as_ref(), &mut batch);
            if !row.key.contains('/') {
                batch.note(noted("vault_locked", &row.key));
                batch.tell(&Event::VaultModified {});
            }
            match self.database.commit(batch).await {
                // Unlocked again, or locked, in the meantime.
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
            self.forget(Closed(unlock.into_iter().map(|unlock| unlock.session).collect())).await;
        }
        Ok(())
    }
}

/// How long a commit may take.
const COMMITTED: Millis = 1_000;

/// Removes copies that no key opens any more.
async fn forget_unused(host: Rc<dyn Host>, database: Rc<Database>, closed: Closed) {
    host.sleep(COMMITTED).await;
    let Ok(rows) = store::scan(database.store(), UNLOCKS, Range::all()).await else { return };
    for session in closed.0 {
        if !rows.iter().any(|row| row.record.session == session) {
            host.set_secret(&session, None).await;
        }
    }
}

fn stage_removal(key: &str, unlock: Option<&UnlockRow>, batch: &mut Batch) {
    batch.delete(UNLOCKS, key);
    batch.due(Due::Unlock, key, unlock.map(|unlock| unlock.until), None);
}
