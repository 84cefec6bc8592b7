//! The owner of calls whose result comes from outside.

use super::row::PendingRow;
use crate::alarm::Due;
use crate::database::Database;
use crate::store::{Batch, Keyed, One, Range, Reads, Snapshot, StoreError, Stored, owned_tables, scan};
use std::rc::Rc;

owned_tables! {
    /// `open/` or `settled/` and the call's id → a call whose result comes from outside.
    CALLS: PendingCallsRight = PendingCalls, PendingRow;
}

const OPEN: &str = "open/";
const SETTLED: &str = "settled/";

/// Calls whose result comes from outside. The only writer of `pending_calls`.
pub(crate) struct PendingCalls {
    database: Rc<Database>,
}

/// Where a call is in a snapshot.
pub(crate) struct Slots {
    open: One<PendingCallsRight>,
    settled: One<PendingCallsRight>,
}

impl Slots {
    /// The call, open or not.
    pub(crate) fn row(&self, snapshot: &Snapshot) -> Result<Option<Stored<PendingRow>>, StoreError> {
        match snapshot.one(self.open)? {
            None => snapshot.one(self.settled),
            open => Ok(open),
        }
    }
}

/// Declares a read of a call.
pub(crate) fn read(reads: &mut Reads, id: &str) -> Slots {
    let mut get = |part: &str| reads.get(CALLS, &[part, id].concat());
    Slots { open: get(OPEN), settled: get(SETTLED) }
}

impl PendingCalls {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// A call, open or not.
    pub(crate) async fn get(&self, id: &str) -> Result<Option<Stored<PendingRow>>, StoreError> {
        let mut reads = Reads::new();
        let slots = read(&mut reads, id);
        slots.row(&reads.from(self.database.store()).await?)
    }

    /// Those without a result, oldest first.
    pub(crate) async fn open(&self) -> Result<Vec<Keyed<PendingRow>>, StoreError> {
        scan(self.database.store(), CALLS, Range::prefix(OPEN.to_owned())).await
    }

    /// Stages a new one, unless it is there.
    pub(crate) fn stage_new(&self, row: &PendingRow, batch: &mut Batch) {
        let id = &row.call.tool_call_id;
        batch.expect(CALLS, &[SETTLED, id].concat(), None);
        batch.expect(CALLS, &[OPEN, id].concat(), None);
        batch.put(CALLS, &[OPEN, id].concat(), row);
        batch.due(Due::PendingCall, id, None, row.state().due_at());
    }

    /// Stages a change of an open one, unless another came first.
    pub(super) fn stage_change(&self, before: &Stored<PendingRow>, row: &PendingRow, batch: &mut Batch) {
        let id = &row.call.tool_call_id;
        let open = [OPEN, id].concat();
        batch.expect(CALLS, &open, Some(&before.text));
        if row.is_open() {
            batch.put(CALLS, &open, row);
        } else {
            batch.delete(CALLS, &open);
            batch.put(CALLS, &[SETTLED, id].concat(), row);
        }
        batch.due(Due::PendingCall, id, before.record.state().due_at(), row.state().due_at());
    }

    /// Stages that a call is removed. One that takes a result still keeps its call.
    pub(crate) fn stage_trimmed(&self, id: &str, batch: &mut Batch) {
        batch.delete(CALLS, &[SETTLED, id].concat());
    }
}
