//! Deadlines: calls that are no longer waited for, and calls that no longer take a result.
//!
//! A deadline is in the store, and the alarm is set to it. While the worker lives a timer is more exact.

use super::engine::Event;
use super::owner::read;
use super::row::PendingRow;
use super::transition::stage;
use crate::Core;
use crate::alarm::{Due, Passed};
use crate::call::{self, CallRow};
use crate::later::{boxed_later, later};
use crate::store::{Batch, Durability, Reads, StoreError, Stored};
use std::rc::Rc;
use std::task::Poll;
use wire::api::{Millis, Source};
use wire::pending::PendingStatus;

/// So many calls expire in one batch.
const CHUNK: usize = 50;
/// How often the deadlines are looked at again because calls changed meanwhile.
const MAX_CONFLICTS: u32 = 20;
/// A worker is kept alive for a wait of at most this long; a longer one is left to the alarm.
const LONGEST_TIMER: Millis = 30_000;

/// Deals with every deadline that has passed, beside other work.
pub(crate) fn expire(core: &Rc<Core>) {
    core.spawn_single("pending calls".to_owned(), |core| async move {
        let outcome = later(&core, expire_due(&core)).await;
        core.wake_after(outcome).await;
    });
}

/// Deals with every deadline that has passed.
async fn expire_due(core: &Rc<Core>) -> Result<(), StoreError> {
    let mut conflicts = 0;
    loop {
        let passed = core.alarm.some_passed(Due::PendingCall, CHUNK).await?;
        if passed.is_empty() {
            return Ok(());
        }
        match expire_some(core, &passed).await {
            Err(conflict @ StoreError::Conflict { .. }) => {
                conflicts += 1;
                if conflicts > MAX_CONFLICTS {
                    return Err(conflict);
                }
            }
            other => other?,
        }
    }
}

/// Deals with some deadlines. What only expires is written in one batch; a call that ends has one of its own.
async fn expire_some(core: &Rc<Core>, passed: &[Passed]) -> Result<(), StoreError> {
    let mut reads = Reads::new();
    let slots: Vec<_> =
        passed.iter().map(|due| (read(&mut reads, &due.id), call::read(&mut reads, &due.id))).collect();
    let snapshot = reads.from(core.database.store()).await?;
    let mut batch = Batch::new(Durability::Strict);
    let mut ends = Vec::new();
    for (due, (row, call)) in passed.iter().zip(slots) {
        // A row that cannot be read has nothing that could become of it.
        let row = row.row(&snapshot).ok().flatten().filter(|row| row.record.state().due_at() == Some(due.at));
        let Some(row) = row else {
            batch.drop_deadline(due);
            continue;
        };
        let call = snapshot.one(call).ok().flatten();
        match row.record.call.status {
            PendingStatus::Waiting => ends.push((row, call)),
            _ => {
                if let Ok(next) = row.record.state().on(Event::Expire, core.now()) {
                    stage(core, row, call, next, None, &mut batch).await?;
                }
            }
        }
    }
    if !batch.writes().is_empty() {
        core.commit(batch).await?;
    }
    for (row, call) in ends {
        pass(core, row, call).await?;
    }
    Ok(())
}

/// Does what is due of one call.
pub(super) async fn pass(
    core: &Rc<Core>,
    row: Stored<PendingRow>,
    call: Option<Stored<CallRow>>,
) -> Result<(), StoreError> {
    let (state, now) = (row.record.state(), core.now());
    let Some(next) = state.due(now).and_then(|event| state.on(event, now).ok()) else { return Ok(()) };
    let mut batch = Batch::new(Durability::Strict);
    let after = stage(core, row, call, next, None, &mut batch).await?;
    core.commit(batch).await?;
    after.follow(core);
    Ok(())
}

/// Ends a call's wait when its time is over, as long as this worker lives.
pub(crate) fn watch(core: &Rc<Core>, id: &str, until: Millis) {
    let left = until.saturating_sub(core.now());
    if left <= LONGEST_TIMER {
        let id = id.to_owned();
        core.spawn_single(format!("wait {id}"), move |core| {
            let id = id.clone();
            boxed_later(async move { wait(&core, &id, until).await })
        });
        return;
    }
    // Without a name of its own it keeps nothing alive.
    let (own, id) = (Rc::clone(core), id.to_owned());
    core.ports.host.spawn(boxed_later(async move { wait(&own, &id, until).await }));
}

/// Waits until a time, or until the call no longer waits.
async fn wait(core: &Rc<Core>, id: &str, until: Millis) {
    let mut slept = Box::pin(core.ports.host.sleep(until.saturating_sub(core.now())));
    loop {
        let seen = core.database.pending.version();
        let row = core.pending.get(id).await;
        let waits = |row: &Stored<PendingRow>| row.record.call.status == PendingStatus::Waiting;
        if !matches!(&row, Ok(Some(row)) if waits(row)) {
            return;
        }
        let mut changed = Box::pin(core.database.pending.changed_since(seen));
        let over = std::future::poll_fn(|context| match slept.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => changed.as_mut().poll(context).map(|()| false),
        });
        if over.await {
            return expire(core);
        }
    }
}

/// The kill switch: what others wait for is cancelled.
pub(crate) async fn cancel_waiting(core: &Rc<Core>) -> Result<(), StoreError> {
    for row in core.pending.open().await? {
        let id = &row.record.call.tool_call_id;
        let Some(call) = core.journal.call(id).await? else { continue };
        if row.record.call.status == PendingStatus::Waiting && call.record.source != Source::User {
            // One that cannot be cancelled has ended.
            let _ = call::cancel_call(core, id).await;
        }
    }
    Ok(())
}
