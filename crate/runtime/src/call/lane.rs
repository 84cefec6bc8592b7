//! Lanes: the calls of one are brought on one after the other, in the order in which they arrived.

use super::pipeline::{Advance, advance};
use crate::Core;
use crate::agent::deliver;
use crate::call::CallRow;
use crate::store::{StoreError, Stored};
use crate::trim;
use crate::work::until_rest;
use std::rc::Rc;
use wire::action::ActionResult;

/// Runs what can run in a lane, beside other work.
pub(crate) fn run_lane(core: &Rc<Core>, lane: &str) {
    let lane = lane.to_owned();
    core.spawn_single(format!("lane {lane}"), move |core| {
        let lane = lane.clone();
        async move {
            // A worker that is being replaced may still be running: only one of them may be in a lane.
            let _alone = core.ports.host.lock(&format!("lane/{lane}")).await;
            let outcome = until_rest(|| step(&core, &lane)).await;
            core.wake_after(outcome).await;
            deliver::deliver(&core, &lane);
            trim::when_due(&core);
        }
    });
}

/// Brings the lane's first call on; whether there may be more to do at once.
async fn step(core: &Rc<Core>, lane: &str) -> Result<bool, StoreError> {
    let Some(call) = core.journal.first_pending(lane).await? else {
        return Ok(false);
    };
    Ok(!matches!(advance(core, call).await?, Advance::Waits))
}

/// Runs calls that were journaled just now, in a lane that no other task knows yet, without looking them up
/// again; gives the results in hand, by call and in their order. The rest of the lane is run as any other.
pub(crate) async fn run_new(
    core: &Rc<Core>,
    lane: &str,
    calls: Vec<Stored<CallRow>>,
) -> Vec<(String, ActionResult)> {
    let mut results = Vec::new();
    for call in calls {
        let id = call.record.id.clone();
        let Ok(Advance::Ended(result)) = advance(core, call).await else {
            run_lane(core, lane);
            break;
        };
        results.push((id, *result));
    }
    results
}
