//! The user stops a bundle: what is under way is brought to its end, and nothing more is begun.

use super::RUNS;
use super::rows::Run;
use crate::Core;
use crate::call;
use crate::http::{ApiError, RouteError};
use crate::store::{Batch, Durability, StoreError};
use std::rc::Rc;
use wire::api::CallState;
use wire::event::Event;
use wire::run::BundleView;

/// The same, by the user; gives the bundle as it is then.
pub(crate) async fn stop_by_user(core: &Rc<Core>, id: &str) -> Result<BundleView, ApiError> {
    core.bundles.get(id).await?.ok_or(RouteError::BundleNotFound)?;
    if !stop_bundle(core, id).await? {
        return Err(RouteError::BundleEnded.into());
    }
    Ok(core.bundles.view(id).await?.ok_or(RouteError::BundleNotFound)?)
}

/// Ends a bundle before its next step; whether there is anything to stop.
pub(crate) async fn stop_bundle(core: &Rc<Core>, id: &str) -> Result<bool, StoreError> {
    let lane = loop {
        let call = core.journal.call(id).await?;
        match call.as_ref().map(|call| &call.record.state) {
            Some(CallState::Approved | CallState::Waiting { .. }) => {}
            Some(CallState::Received) | None | Some(CallState::Done { .. }) => return Ok(false),
        }
        let stored = core.bundles.run(id).await?;
        let before = stored.as_ref().map(|stored| stored.text.as_str());
        let run = stored.as_ref().map(|stored| stored.record.clone()).unwrap_or_default();
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(RUNS, id, before);
        batch.put(RUNS, id, &Run { stop: true, ..*run });
        batch.tell(&Event::Bundle { bundle_id: id.to_owned() });
        match core.commit(batch).await {
            Err(StoreError::Conflict { .. }) => {}
            other => {
                other?;
                break call.map(|call| call.record.lane);
            }
        }
    };
    // One that waits for another bundle hears of it now.
    if let Some(lane) = lane {
        call::run_lane(core, &lane);
    }
    Ok(true)
}
