//! Trimming: what ended long ago is removed, once a day, so that a database of years is no larger than one of months.
//!
//! Nothing goes that is open, undelivered, unfinished, or by which a repeated action is recognised within [`KEPT`]. The
//! rules are listed in `ARCHITECTURE.md`; owners that trim in the batch that adds have theirs in their own module.

use crate::Core;
use crate::agent::timeline;
use crate::audit;
use crate::bundle;
use crate::call;
use crate::dapp;
use crate::id::earliest;
use crate::later::later;
use crate::message;
use crate::pending;
use crate::store::{self, Batch, Durability, Reads, StoreError, owned_tables};
use crate::tools;
use chains::order::sort_by;
use std::cell::Cell;
use std::rc::Rc;
use wire::api::Millis;

owned_tables! {
    /// When everything was last trimmed.
    TRIMMED: TrimmedRight = Trimmed, Millis;
}

const HOUR: Millis = 60 * 60 * 1000;
const DAY: Millis = 24 * HOUR;
/// Ended calls, with their bundles, and messages are kept this long.
const KEPT: Millis = 180 * DAY;
/// Nothing younger goes, however much there is: late results and repeated actions still need it.
const LEAST: Millis = 2 * DAY;
/// So many calls are removed in one batch.
const CHUNK: usize = 100;

/// When the next attempt is made, as far as this worker knows.
#[derive(Debug, Default)]
pub(crate) struct Trimming {
    next: Cell<Millis>,
}

/// What is too old or too much: older than [`KEPT`], or not among the newest `most`. An entry is an id that sorts by time,
/// and what belongs to it.
pub(crate) fn surplus<T>(mut entries: Vec<(String, T)>, most: usize, now: Millis) -> Vec<(String, T)> {
    sort_by(&mut entries, |(one, _), (other, _)| one.cmp(other));
    let (old, young) = (earliest(now.saturating_sub(KEPT)), earliest(now.saturating_sub(LEAST)));
    let too_old = entries.partition_point(|(id, _)| *id < old);
    let not_young = entries.partition_point(|(id, _)| *id < young);
    let too_many = entries.len().saturating_sub(most).min(not_young);
    entries.truncate(too_old.max(too_many));
    entries
}

/// Trims in the background, if the last time was a day ago, or if the audit log is full before. Called after what adds records, never by a start: a worker
/// that is started for a read writes nothing.
pub(crate) fn when_due(core: &Rc<Core>) {
    tools::fold_soon(core);
    let now = core.now();
    if now < core.trimming.next.get() && !core.database.audit.is_full() {
        return;
    }
    // What fails is tried again then.
    core.trimming.next.set(now + HOUR);
    core.spawn_single("trimming".to_owned(), |core| async move {
        let _alone = core.ports.host.lock("trimming").await;
        if let Ok(trimmed_at) = trim(&core).await {
            core.trimming.next.set(trimmed_at + DAY);
        }
    });
}

/// Trims, unless that was done within a day; when it was done.
async fn trim(core: &Rc<Core>) -> Result<Millis, StoreError> {
    let now = core.now();
    core.database.audit.trim(audit::KEPT).await?;
    let last = store::get(core.database.store(), TRIMMED, "").await?.map(|stored| *stored.record);
    if let Some(last) = last.filter(|last| (*last..*last + DAY).contains(&now)) {
        return Ok(last);
    }
    later(core, trim_all(core, now)).await
}

/// Trims what is not trimmed as it grows.
async fn trim_all(core: &Rc<Core>, now: Millis) -> Result<Millis, StoreError> {
    trim_calls(core, now).await?;
    timeline::trim(core, now).await?;
    core.events.trim(core.events.last_id().await?).await?;
    let mut batch = Batch::new(Durability::Relaxed);
    core.prompts.stage_trimmed(&mut batch);
    core.page_requests.stage_trimmed(&mut batch).await?;
    dapp::forget_old_sites(core, &mut batch).await?;
    batch.put(TRIMMED, "", &now);
    core.database.commit(batch).await?;
    Ok(now)
}

/// Removes ended calls with everything that is about them.
async fn trim_calls(core: &Core, now: Millis) -> Result<(), StoreError> {
    let surplus = core.journal.surplus(now).await?;
    for some in surplus.chunks(CHUNK) {
        let mut reads = Reads::new();
        let mut read = |id: &str| {
            (call::read(&mut reads, id), bundle::Trimmed::read(&mut reads, id), pending::read(&mut reads, id))
        };
        let slots: Vec<_> = some.iter().map(|(id, _)| read(id)).collect();
        let snapshot = reads.from(core.database.store()).await?;
        let mut batch = Batch::new(Durability::Relaxed);
        for (ended, (call, bundle, pending)) in some.iter().zip(slots) {
            // One that still takes a result stays.
            if pending.row(&snapshot)?.is_some_and(|row| row.record.is_open()) {
                continue;
            }
            if core.journal.stage_trimmed(ended, snapshot.one(call)?.as_ref(), &mut batch) {
                core.outbox.stage_trimmed(&ended.0, &mut batch);
                core.pending.stage_trimmed(&ended.0, &mut batch);
                bundle.stage(&ended.0, &snapshot, &mut batch);
                message::stage_trimmed(&ended.0, &mut batch);
            }
        }
        core.database.commit(batch).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surplus_is_old_or_too_much_and_never_young() {
        let now = 1_700_000_000_000;
        let ids = |ages: &[Millis]| ages.iter().map(|age| (earliest(now - age), *age)).collect::<Vec<_>>();
        let ages = |most: usize, given: &[Millis]| -> Vec<Millis> {
            surplus(ids(given), most, now).into_iter().map(|(_, age)| age).collect()
        };
        let mixed = [DAY, KEPT + DAY, 3 * DAY, KEPT + 1, 100 * DAY];
        assert_eq!(ages(10, &mixed), [KEPT + DAY, KEPT + 1]);
        assert_eq!(ages(2, &mixed), [KEPT + DAY, KEPT + 1, 100 * DAY]);
        assert_eq!(ages(0, &mixed), [KEPT + DAY, KEPT + 1, 100 * DAY, 3 * DAY]);
        assert_eq!(ages(0, &[]), [0; 0]);
    }
}
