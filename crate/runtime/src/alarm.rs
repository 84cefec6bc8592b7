//! When the worker must be woken. Only an alarm can wake a stopped worker, so one is set for everything that is left to do.
//!
//! A deadline is a row of `deadlines`, staged by the owner of what is due in the batch that makes it due. Its key begins
//! with the time: the earliest is the first.

use crate::database::Database;
use crate::ports::Host;
use crate::store::{Batch, Durability, Range, Reads, StoreError, number_key, owned_tables};
use std::cell::Cell;
use std::rc::Rc;
use wire::api::Millis;

owned_tables! {
    /// Time, kind and id → nothing.
    DEADLINES: DeadlinesRight = Deadlines, ();
}

/// How long after a failure of the store, or a death in the middle of work, the work is taken up again.
const AFTER_FAILURE: Millis = 30_000;

/// What becomes due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// A prompt expires.
    Prompt,
    /// A vault is locked.
    Unlock,
    /// A turn may go out to the backend again.
    Delivery,
    /// A step of a running bundle is looked after.
    Step,
    /// A transaction is looked for after its bundle ended.
    Receipt,
    /// A deleted bundle of tools is removed.
    Reap,
    /// A call whose result comes from outside is no longer waited for, or expires.
    PendingCall,
    /// A plan of an agent is due.
    Plan,
    /// What the user granted a web page ends.
    Connection,
}

impl Due {
    const ALL: [Self; 9] = [
        Self::Prompt,
        Self::Unlock,
        Self::Delivery,
        Self::Step,
        Self::Receipt,
        Self::Reap,
        Self::PendingCall,
        Self::Plan,
        Self::Connection,
    ];

    /// As it stands in keys.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Unlock => "unlock",
            Self::Delivery => "delivery",
            Self::Step => "step",
            Self::Receipt => "receipt",
            Self::Reap => "reap",
            Self::PendingCall => "pending-call",
            Self::Plan => "plan",
            Self::Connection => "connection",
        }
    }

    /// When to ring for what is overdue at `now`: an attempt may be under way, which rings for itself.
    const fn overdue(self, now: Millis) -> Option<Millis> {
        match self {
            Self::Prompt | Self::Unlock => Some(now),
            Self::Receipt | Self::Reap | Self::PendingCall | Self::Plan | Self::Connection => {
                Some(now + AFTER_FAILURE)
            }
            Self::Delivery | Self::Step => None,
        }
    }
}

/// The key of a deadline; keys sort by time.
pub(crate) fn key(at: Millis, due: Due, id: &str) -> String {
    [number_key(at).as_str(), "/", due.name(), "/", id].concat()
}

/// A deadline that has passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passed {
    /// When.
    pub(crate) at: Millis,
    due: Due,
    /// Of what was due, as its owner names it.
    pub(crate) id: String,
}

impl Passed {
    fn read(key: &str) -> Option<Self> {
        let (at, rest) = key.split_once('/')?;
        let (kind, id) = rest.split_once('/')?;
        let due = Due::ALL.into_iter().find(|due| due.name() == kind)?;
        Some(Self { at: at.parse().ok()?, due, id: id.to_owned() })
    }
}

impl Batch {
    /// Removes a deadline that has passed, where its owner knows nothing of it.
    pub(crate) fn drop_deadline(&mut self, passed: &Passed) {
        self.delete(DEADLINES, &key(passed.at, passed.due, &passed.id));
    }

    /// Moves a deadline: from `old`, where it was, to `new`; `None` is no deadline.
    pub(crate) fn due(&mut self, due: Due, id: &str, old: Option<Millis>, new: Option<Millis>) {
        if old == new {
            return;
        }
        if let Some(old) = old {
            self.delete(DEADLINES, &key(old, due, id));
        }
        if let Some(new) = new {
            self.put(DEADLINES, &key(new, due, id), &());
        }
    }
}

/// The alarm. The only writer of `deadlines`.
pub(crate) struct Alarm {
    database: Rc<Database>,
    host: Rc<dyn Host>,
    /// The earliest deadline in the store.
    deadline: Cell<Option<Millis>>,
    /// While work is under way: a worker that dies in the middle of it must be started again.
    watch: Cell<Option<Millis>>,
    /// The store failed.
    retry: Cell<Option<Millis>>,
    /// What the browser was last told.
    set: Cell<Option<Millis>>,
}

impl Alarm {
    pub(crate) fn new(database: Rc<Database>, host: Rc<dyn Host>) -> Rc<Self> {
        let none = || Cell::new(None);
        Rc::new(Self { database, host, deadline: none(), watch: none(), retry: none(), set: none() })
    }

    /// The alarm may be the one that has just rung: it is set anew with the next change.
    pub(crate) fn rang(&self) {
        self.set.set(None);
        self.retry.set(None);
    }

    /// Wakes the worker if it dies in the middle of the work that begins or goes on.
    pub(crate) fn watch(&self, busy: bool) {
        self.watch.set(busy.then(|| self.host.now() + AFTER_FAILURE));
        self.tell_browser();
    }

    /// The store failed: what was to be done is tried again soon.
    pub(crate) fn retry(&self) {
        self.retry.set(Some(self.host.now() + AFTER_FAILURE));
        self.tell_browser();
    }

    /// Sets the alarm to the earliest deadline in the store.
    pub(crate) async fn schedule(&self) -> Result<(), StoreError> {
        loop {
            let seen = self.database.deadlines.version();
            let earliest = self.earliest().await?;
            // What was written meanwhile may be due sooner.
            if self.database.deadlines.version() == seen {
                self.set_deadline(earliest);
                return Ok(());
            }
        }
    }

    /// The next time that something in the store is due.
    pub(crate) fn set_deadline(&self, earliest: Option<Millis>) {
        self.deadline.set(earliest);
        self.tell_browser();
    }

    /// The deadlines up to a time, earliest first.
    async fn passed(&self, until: Millis) -> Result<Vec<Passed>, StoreError> {
        let mut reads = Reads::new();
        let passed = reads.scan(DEADLINES, Range { before: Some(number_key(until + 1)), ..Range::all() });
        let keys = reads.from(self.database.store()).await?.keys(passed);
        Ok(keys.iter().filter_map(|key| Passed::read(key)).collect())
    }

    /// The kinds of deadlines that have passed.
    pub(crate) async fn passed_now(&self) -> Result<Vec<Due>, StoreError> {
        Ok(self.passed(self.host.now()).await?.into_iter().map(|passed| passed.due).collect())
    }

    /// The first deadlines of a kind that have passed, earliest first.
    pub(crate) async fn some_passed(&self, due: Due, most: usize) -> Result<Vec<Passed>, StoreError> {
        let passed = self.passed(self.host.now()).await?;
        Ok(passed.into_iter().filter(|passed| passed.due == due).take(most).collect())
    }

    /// The first deadline of a kind that has passed.
    pub(crate) async fn first_passed(&self, due: Due) -> Result<Option<Passed>, StoreError> {
        let passed = self.passed(self.host.now()).await?;
        Ok(passed.into_iter().find(|passed| passed.due == due))
    }

    /// Drops the deadlines that had passed when the owners began to act on them and are still there. Otherwise the alarm
    /// would ring for them at once, for ever: the record that was due is gone, or cannot be read.
    pub(crate) async fn drop_ignored(&self, began: Millis) -> Result<(), StoreError> {
        let mut batch = Batch::new(Durability::Relaxed);
        let mut ignored = self.passed(began).await?;
        ignored.retain(|passed| matches!(passed.due, Due::Prompt | Due::Unlock));
        ignored.iter().for_each(|passed| batch.drop_deadline(passed));
        match ignored.is_empty() {
            true => Ok(()),
            false => self.database.commit(batch).await,
        }
    }

    /// When the first of the deadlines in the store is due.
    pub(crate) async fn earliest(&self) -> Result<Option<Millis>, StoreError> {
        let now = self.host.now();
        let next = number_key(now + 1);
        let mut reads = Reads::new();
        let overdue = reads.scan(DEADLINES, Range { before: Some(next.clone()), ..Range::all() });
        let coming = reads.scan(DEADLINES, Range { after: Some(next), ..Range::all() }.first(1));
        let snapshot = reads.from(self.database.store()).await?;
        let overdue = snapshot.keys(overdue);
        let overdue = overdue
            .iter()
            .filter_map(|key| Passed::read(key))
            .filter_map(|passed| passed.due.overdue(now))
            .min();
        let coming = snapshot.keys(coming).first().and_then(|key| key.split('/').next()?.parse().ok());
        Ok([overdue, coming].into_iter().flatten().min())
    }

    fn tell_browser(&self) {
        let earliest = [&self.deadline, &self.watch, &self.retry].into_iter().filter_map(Cell::get).min();
        if earliest != self.set.replace(earliest) {
            self.host.wake_at(earliest);
        }
    }
}
