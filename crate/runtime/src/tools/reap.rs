//! Reaping: a deleted bundle is removed for good two days later, if it is still empty.

use super::{BUNDLES, Change, Moment, REAPED_AFTER, STATE, TOOLS, bundles};
use crate::Core;
use crate::alarm::Due;
use crate::later::later;
use crate::store::{Batch, Durability, Reads, StoreError};
use crate::work::until_rest;
use std::rc::Rc;
use wire::api::Millis;

/// When a bundle that is not empty is looked at again.
const AGAIN_AFTER: Millis = 24 * 60 * 60 * 1000;

/// Removes the bundles that are due, in the background.
pub(crate) fn reap(core: &Rc<Core>) {
    core.spawn_single("tool bundles".to_owned(), |core| async move {
        let outcome = later(&core, until_rest(|| reap_first(&core))).await;
        core.wake_after(outcome).await;
    });
}

/// Removes the first bundle that is due; whether there may be another.
async fn reap_first(core: &Rc<Core>) -> Result<bool, StoreError> {
    let Some(passed) = core.alarm.first_passed(Due::Reap).await? else { return Ok(false) };
    let id = passed.id.as_str();
    let mut reads = Reads::new();
    let (state, bundle) = (reads.get(STATE, ""), reads.get(BUNDLES, id));
    let tools = reads.scan(TOOLS, bundles::inside(id));
    let snapshot = reads.from(core.tools.database.store()).await?;
    let deleted_at = snapshot.one(bundle)?.and_then(|stored| stored.record.soft_deleted_at);
    let is_due = deleted_at.is_some_and(|at| at + REAPED_AFTER <= core.now());
    if is_due && snapshot.rows(&tools).is_empty() {
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        change.batch.drop_deadline(&passed);
        change.batch.delete(BUNDLES, id);
        change.switch(id, true);
        change.told.removed_bundles.push(id.to_owned());
        change.note("tool_bundle_reaped", id);
        change.commit(core).await?;
        return Ok(true);
    }
    // One that is there again is not due, and one that still holds tools is looked at again.
    let mut batch = Batch::new(Durability::Strict);
    batch.expect_all(snapshot.expectation(bundle).as_slice());
    batch.drop_deadline(&passed);
    batch.due(Due::Reap, id, None, is_due.then(|| core.now() + AGAIN_AFTER));
    core.tools.database.commit(batch).await?;
    Ok(true)
}
