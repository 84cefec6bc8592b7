//! The one way to the store: reads snapshots, commits batches, and says that something changed.

use crate::audit::Audit;
use crate::event;
use crate::ports::Host;
use crate::signal::Signal;
use crate::store::{Batch, Store, StoreError, Table};
use std::cell::Cell;
use std::rc::Rc;
use wire::api::Millis;

/// What says whether a bundle may sign.
const PERMITTING: [Table; 5] =
    [Table::Settings, Table::Runs, Table::Vaults, Table::Unlocks, Table::Connections];

/// The store with its audit log. Every owner reads and commits through it.
pub(crate) struct Database {
    store: Rc<dyn Store>,
    host: Rc<dyn Host>,
    /// What was asked, decided and done.
    pub(crate) audit: Audit,
    /// Events that were written since the oldest were last dropped.
    told: Cell<u64>,
    /// Raised after every commit.
    pub(crate) changed: Signal,
    /// Raised after every commit by which a call begins or ends.
    pub(crate) pending: Signal,
    /// Raised after every commit that changes a deadline.
    pub(crate) deadlines: Signal,
    /// Raised after every commit that may change whether a bundle may sign.
    pub(crate) permissions: Signal,
}

impl Database {
    pub(crate) fn new(store: Rc<dyn Store>, host: Rc<dyn Host>) -> Rc<Self> {
        let audit = Audit::new(Rc::clone(&store), Rc::clone(&host));
        let [changed, pending, deadlines, permissions] = std::array::from_fn(|_| Signal::default());
        let told = Cell::default();
        Rc::new(Self { store, host, audit, told, changed, pending, deadlines, permissions })
    }

    /// The store, to read from.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The wall clock.
    pub(crate) fn now(&self) -> Millis {
        self.host.now()
    }

    /// Commits a batch, with the entries of the audit log that it carries, and wakes those who wait for a change.
    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        let writes = |tables: &[Table]| batch.writes().iter().any(|write| tables.contains(&write.table()));
        let raised = [
            (&self.pending, writes(&[Table::Pending])),
            (&self.deadlines, writes(&[Table::Deadlines])),
            (&self.permissions, writes(&PERMITTING)),
            (&self.changed, true),
        ];
        let events = batch.writes().iter().filter(|write| write.table() == Table::Events).count() as u64;
        self.audit.commit(batch).await?;
        for (signal, raised) in raised {
            if raised {
                signal.raise();
            }
        }
        // However many events there are, and whether or not a page reads them, no more are kept than pages need. A trim that
        // fails is made up for by the next, or by the next start. On the heap, as it is seldom.
        self.told.set(self.told.get() + events);
        if self.told.get() >= event::SLACK && Box::pin(event::trim(&*self.store)).await.is_ok() {
            self.told.set(0);
        }
        Ok(())
    }
}
