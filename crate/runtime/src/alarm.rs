//! When the worker must be woken. Only an alarm can wake a stopped worker, so one is set for everything that is left to do.
//!
//! A deadline is a row of `deadlines`, staged by the owner of what is due in the batch that makes it due. Its key begins
//! with the time: the earliest is the first.

use crate::database::Database;
use crate::ports::Host;
use crate::store::{Batch, Range, Reads, StoreError, number_key, owned_tables};
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
}

impl Due {
    const ALL: [Self; 5] = [Self::Prompt, Self::Unlock, Self::Delivery, Self::Step, Self::Receipt];

    /// As it stands in keys.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Unlock => "unlock",
            Self::Delivery => "delivery",
            Self::Step => "step",
            Self::Receipt => "receipt",
        }
    }

    /// When to ring for what is overdue at `now`: an attempt may be under way, which rings for itself.
    const fn overdue(self, now: Millis) -> Option<Millis> {
        match self {
            Self::Prompt | Self::Unlock => Some(now),
            Self::Receipt => Some(now + AFTER_FAILURE),
            Self::Delivery | Self::Step => None,
        }
    }
}

/// The key of a deadline; keys sort by time.
pub(crate) fn key(at: Millis, due: Due, id: &str) -> String {
    [number_key(at).as_str(), "/", due.name(), "/", id].concat()
}

impl Batch {
    /// Moves a deadline: from `old`, where it was, to `new`; `None` is no deadline.
    #[allow(dead_code, reason = "owners move to it one by one")]
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
            let seen = self.database.changed.version();
            let earliest = self.earliest().await?;
            // What was written meanwhile may be due sooner.
            if self.database.changed.version() == seen {
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

    /// When the first of the deadlines in the store is due.
    pub(crate) async fn earliest(&self) -> Result<Option<Millis>, StoreError> {
        let now = self.host.now();
        let next = number_key(now + 1);
        let mut reads = Reads::new();
        let overdue = reads.scan(DEADLINES, Range { before: Some(next.clone()), ..Range::all() });
        let coming = reads.scan(DEADLINES, Range { after: Some(next), ..Range::all() }.first(1));
        let snapshot = reads.from(self.database.store()).await?;
        let overdue = snapshot.keys(overdue);
        let kind = |key: &String| Due::ALL.into_iter().find(|due| key.split('/').nth(1) == Some(due.name()));
        let overdue = overdue.iter().filter_map(kind).filter_map(|due| due.overdue(now)).min();
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
