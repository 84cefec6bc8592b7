//! The bundles on disk: what was asked for, how far it is, and which accounts are in use.

use super::rows::{self, BundleRow, Place, Run, Transmission};
use super::{ACCOUNTS, AccountsRight, BUNDLES, RUNS, RunsRight, TRANSMISSIONS, WATCHED};
use crate::call::{self, CallRow};
use crate::database::Database;
use crate::store::{
    self, Batch, Durability, Keyed, Many, One, Owned, Range, Reads, Snapshot, StoreError, Stored, json, parse,
};
use crate::vault;
use std::cell::RefCell;
use std::rc::Rc;
use wire::event::Event;
use wire::node::SignedBytes;
use wire::run::BundleView;
use wire::vault::Vault;

/// Bundles from their review to the last poll of their receipts. The only writer of `bundles`, `runs`, `transmissions`,
/// `accounts` and `watched`.
pub(crate) struct Bundles {
    database: Rc<Database>,
    /// The bundle that was approved last: it runs next, and says where its records are.
    approved: RefCell<Option<Rc<BundleRow>>>,
}

/// A call, and its bundle and the vault of that where it has one.
pub(crate) struct WithCall {
    pub(crate) call: Option<Stored<CallRow>>,
    pub(crate) bundle: Option<Rc<BundleRow>>,
    pub(crate) vault: Option<Vault>,
}

/// The places of a bundle's records in a snapshot.
pub(super) struct Slots {
    bundle: One<super::BundlesRight>,
    run: One<super::RunsRight>,
    transmissions: Many<super::TransmissionsRight>,
}

/// The records of a bundle, as they are at one moment.
pub(super) struct OnDisk {
    pub(super) bundle: BundleRow,
    pub(super) run: Option<Stored<Run>>,
    /// In the order in which they run.
    pub(super) transmissions: Vec<(Place, Stored<Transmission>)>,
}

impl OnDisk {
    /// Whether its first step was begun.
    pub(super) fn is_begun(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.record.started_at.is_some())
    }
}

/// The places of a bundle's run and of the accounts in use, of any bundle, in a snapshot.
pub(super) struct InUse {
    pub(super) run: One<RunsRight>,
    accounts: Many<AccountsRight>,
}

impl InUse {
    /// Declares the reads.
    pub(super) fn read(reads: &mut Reads, id: &str) -> Self {
        Self { run: reads.get(RUNS, id), accounts: reads.scan(ACCOUNTS, Range::all()) }
    }

    /// Whether no account is in use.
    pub(super) fn is_free(&self, snapshot: &Snapshot) -> bool {
        snapshot.rows(&self.accounts).is_empty()
    }

    /// How far the bundle is as a whole; stages that its accounts are free, where it has any. Compared as text: a damaged
    /// row of another bundle is no reason not to end.
    pub(super) fn stage_free(
        self,
        id: &str,
        snapshot: &Snapshot,
        batch: &mut Batch,
    ) -> Result<Option<Stored<Run>>, StoreError> {
        let own = json(&id.to_owned());
        for account in snapshot.rows(&self.accounts).iter().filter(|account| account.text == own) {
            batch.delete(ACCOUNTS, &account.key);
        }
        snapshot.one(self.run)
    }
}

/// The places of the records of a bundle that may be removed, in a snapshot.
pub(crate) struct Trimmed {
    transmissions: Many<super::TransmissionsRight>,
    watched: Many<super::WatchedRight>,
}

impl Trimmed {
    /// Declares the reads.
    pub(crate) fn read(reads: &mut Reads, id: &str) -> Self {
        let of_bundle = Range::prefix(format!("{id}/"));
        Self {
            transmissions: reads.scan(TRANSMISSIONS, of_bundle.clone()),
            watched: reads.scan(WATCHED, of_bundle),
        }
    }

    /// Stages the removal of everything that is known of the bundle.
    pub(crate) fn stage(self, id: &str, snapshot: &Snapshot, batch: &mut Batch) {
        batch.delete(BUNDLES, id);
        batch.delete(RUNS, id);
        for key in snapshot.keys(self.transmissions) {
            batch.delete(TRANSMISSIONS, &key);
        }
        for key in snapshot.keys(self.watched) {
            batch.delete(WATCHED, &key);
        }
    }
}

/// Declares a read of everything that is known of a bundle.
pub(super) fn read(reads: &mut Reads, id: &str) -> Slots {
    Slots {
        bundle: reads.get(BUNDLES, id),
        run: reads.get(RUNS, id),
        transmissions: reads.scan(TRANSMISSIONS, Range::prefix(format!("{id}/"))),
    }
}

impl Slots {
    /// What was read; `None` if there is no such bundle.
    pub(super) fn found(self, snapshot: &Snapshot) -> Result<Option<OnDisk>, StoreError> {
        let Some(Stored { record: bundle, .. }) = snapshot.one(self.bundle)? else { return Ok(None) };
        let run = snapshot.one(self.run)?;
        let transmissions = placed(snapshot.many(self.transmissions)?)?;
        Ok(Some(OnDisk { bundle: *bundle, run, transmissions }))
    }
}

/// Transmissions with their places.
fn placed(rows: Vec<Keyed<Transmission>>) -> Result<Vec<(Place, Stored<Transmission>)>, StoreError> {
    let place = |Keyed { key, text, record }: Keyed<Transmission>| {
        let corrupt = || {
            let reason = "names no place in a bundle".to_owned();
            StoreError::corrupt(super::TransmissionsRight::TABLE.name(), &key, reason)
        };
        let (_, at) = rows::read_key(&key).ok_or_else(corrupt)?;
        Ok((at, Stored { text, record: Box::new(record) }))
    };
    rows.into_iter().map(place).collect()
}

impl Bundles {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database, approved: RefCell::new(None) }
    }

    /// The bundle of this id, if it was approved last.
    pub(super) fn approved(&self, id: &str) -> Option<Rc<BundleRow>> {
        self.approved.borrow().clone().filter(|bundle| bundle.id == id)
    }

    /// What was asked for, by the id of its call.
    pub(crate) async fn get(&self, id: &str) -> Result<Option<BundleRow>, StoreError> {
        Ok(store::get(self.database.store(), BUNDLES, id).await?.map(|stored| *stored.record))
    }

    /// A call that the user answers for.
    pub(crate) async fn with_call(&self, id: &str) -> Result<WithCall, StoreError> {
        let mut reads = Reads::new();
        let (call, bundle) = (call::read(&mut reads, id), reads.get(BUNDLES, id));
        let vaults = vault::read_all(&mut reads);
        let snapshot = reads.from(self.database.store()).await?;
        let bundle = snapshot.one(bundle)?.map(|stored| Rc::new(*stored.record));
        self.approved.replace(bundle.clone());
        let vault = match &bundle {
            Some(bundle) => vault::find(&snapshot, &vaults, &bundle.vault_id)?,
            None => None,
        };
        Ok(WithCall { call: snapshot.one(call)?, bundle, vault })
    }

    /// At most `limit` bundles before one, newest first.
    pub(crate) async fn newest(
        &self,
        before: Option<String>,
        limit: u32,
    ) -> Result<Vec<BundleRow>, StoreError> {
        let range = Range { before, descending: true, limit: Some(limit), ..Range::all() };
        let rows = store::scan(self.database.store(), BUNDLES, range).await?;
        Ok(rows.into_iter().map(|row| row.record).collect())
    }

    /// Everything that is known of a bundle.
    pub(super) async fn on_disk(&self, id: &str) -> Result<Option<OnDisk>, StoreError> {
        let mut reads = Reads::new();
        let slots = read(&mut reads, id);
        slots.found(&reads.from(self.database.store()).await?)
    }

    /// The signed bytes of every transaction of a bundle, in order.
    pub(crate) async fn signed(&self, id: &str) -> Result<Vec<SignedBytes>, StoreError> {
        let transmissions = self.on_disk(id).await?.map(|on_disk| on_disk.transmissions);
        let signed = transmissions.into_iter().flatten().filter_map(|(_, stored)| stored.record.signed);
        Ok(signed.collect())
    }

    /// A bundle as pages see it.
    pub(crate) async fn view(&self, id: &str) -> Result<Option<BundleView>, StoreError> {
        let mut reads = Reads::new();
        let (slots, call) = (read(&mut reads, id), call::read(&mut reads, id));
        let snapshot = reads.from(self.database.store()).await?;
        let call = snapshot.one(call)?.map(|stored| stored.record);
        Ok(slots.found(&snapshot)?.map(|bundle| super::view::view(bundle, call.as_deref())))
    }

    /// How far a bundle is as a whole.
    pub(super) async fn run(&self, id: &str) -> Result<Option<Stored<Run>>, StoreError> {
        store::get(self.database.store(), RUNS, id).await
    }

    /// Whether the first step of a bundle was begun.
    pub(crate) async fn is_begun(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.run(id).await?.is_some_and(|run| run.record.started_at.is_some()))
    }

    /// Takes all accounts of a bundle, or none and records which bundle has one of them. Whether it may run.
    pub(super) async fn take_accounts(
        &self,
        bundle: &BundleRow,
        vault: &Vault,
        used: InUse,
        snapshot: &Snapshot,
    ) -> Result<bool, StoreError> {
        let stored = snapshot.one(used.run)?;
        let before = stored.as_ref().map(|stored| stored.text.clone());
        let run = stored.map(|stored| stored.record).unwrap_or_default();
        if run.started_at.is_some() {
            return Ok(true);
        }
        // Lost in a power failure, it is taken again; a later strict commit keeps it.
        let mut batch = Batch::new(Durability::Relaxed);
        let mut others = Vec::new();
        for key in account_keys(bundle, vault) {
            let user = snapshot.rows(&used.accounts).iter().find(|user| user.key == key);
            batch.expect(ACCOUNTS, &key, user.map(|user| user.text.as_str()));
            batch.put(ACCOUNTS, &key, &bundle.id);
            if let Some(user) = user {
                let user: String = parse(AccountsRight::TABLE, &key, &user.text)?;
                others.extend((user != bundle.id).then_some(user));
            }
        }
        let behind = self.last_open(others).await?;
        let free = behind.is_none();
        if !free && run.behind == behind {
            return Ok(false);
        }
        let run = match free {
            true => Run { started_at: Some(self.database.now()), behind: None, ..*run },
            false => {
                batch = Batch::new(Durability::Relaxed);
                Run { behind, ..*run }
            }
        };
        batch.expect(RUNS, &bundle.id, before.as_deref());
        batch.put(RUNS, &bundle.id, &run);
        batch.tell(&Event::Bundle { bundle_id: bundle.id.clone() });
        self.database.commit(batch).await?;
        Ok(free)
    }

    /// The last of these bundles whose call has not ended.
    async fn last_open(&self, mut ids: Vec<String>) -> Result<Option<String>, StoreError> {
        let mut reads = Reads::new();
        let calls: Vec<_> = ids.iter().map(|id| call::read(&mut reads, id)).collect();
        let snapshot = reads.from(self.database.store()).await?;
        let mut open = None;
        for (place, call) in calls.into_iter().enumerate() {
            if snapshot.one(call)?.is_some_and(|call| call.record.is_open()) {
                open = Some(place);
            }
        }
        Ok(open.map(|place| ids.swap_remove(place)))
    }

    /// When and how a transaction is polled after its bundle's end.
    pub(super) async fn watch(&self, key: &str) -> Result<Option<Stored<super::Watch>>, StoreError> {
        store::get(self.database.store(), WATCHED, key).await
    }
}

/// The keys of the accounts that a bundle uses.
fn account_keys(bundle: &BundleRow, vault: &Vault) -> Vec<String> {
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
