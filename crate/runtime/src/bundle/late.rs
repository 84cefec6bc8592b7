//! Receipt polling after the deadline, for 24 h: a transaction that was not settled when its bundle ended is polled in
//! the background, ever more rarely. The user is notified of the outcome; the backend too, if its result said `timeout`
//! (D4).

use super::ending::{BundleResult, error, row};
use super::engine::TransmissionError;
use super::owner::OnDisk;
use super::paid::stage_paid;
use super::perform::tx_status;
use super::rows::{self, Place, Transmission};
use super::{TRANSMISSIONS, WATCHED};
use crate::Core;
use crate::agent::deliver;
use crate::agent::outbox::Told;
use crate::alarm::Due;
use crate::later::later;
use crate::node::query_nodes;
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::work::until_rest;
use derive::Record;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::{Millis, Source};
use wire::event::Event;
use wire::failure::Failure;
use wire::node::{NodeQuery, NodeResult, Status};
use wire::run::StepStatus;

/// From the end of the bundle to the first poll; an alarm rings no sooner.
const FIRST: Millis = 30_000;
/// The longest pause between two polls.
const LONGEST: Millis = 30 * 60_000;
/// Polling ends after this.
const DAY: Millis = 24 * 60 * 60 * 1000;

/// When a transaction is polled, and whether the backend is notified.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct Watch {
    /// The next poll.
    at: Millis,
    /// From the last poll to the next.
    pause: Millis,
    /// The last poll.
    until: Millis,
    /// Whether the backend's result said `timeout`.
    report: bool,
}

impl Watch {
    pub(super) const fn new(now: Millis, report: bool) -> Self {
        Self { at: now + FIRST, pause: FIRST, until: now + DAY, report }
    }

    /// Stages when the transaction is polled next.
    pub(super) fn stage(&self, key: &str, before: Option<&Self>, batch: &mut Batch) {
        batch.put(WATCHED, key, self);
        batch.due(Due::Receipt, key, before.map(|watch| watch.at), Some(self.at));
    }

    /// Stages that it is polled no more.
    fn end(&self, key: &str, batch: &mut Batch) {
        batch.delete(WATCHED, key);
        batch.due(Due::Receipt, key, Some(self.at), None);
    }

    /// Half as long again; `None` when the day is over.
    fn later(&self, now: Millis, not_before: Millis) -> Option<Self> {
        let pause = (self.pause + self.pause / 2).min(LONGEST);
        let at = (now + pause).max(not_before);
        (now < self.until).then_some(Self { at: at.min(self.until), pause, ..self.clone() })
    }
}

/// Polls what is due, in a task of its own.
pub(crate) fn follow(core: &Rc<Core>) {
    core.spawn_single("late transactions".to_owned(), |core| async move {
        let _alone = core.ports.host.lock("late").await;
        let outcome = later(&core, until_rest(|| follow_next(&core))).await;
        core.wake_after(outcome).await;
    });
}

/// Polls one transaction that is due; whether there may be more.
async fn follow_next(core: &Rc<Core>) -> Result<bool, StoreError> {
    let Some(passed) = core.alarm.first_passed(Due::Receipt).await? else {
        return Ok(false);
    };
    let mut batch = Batch::new(Durability::Strict);
    match core.bundles.watch(&passed.id).await {
        Ok(Some(watch)) if watch.record.at == passed.at => {
            batch.expect(WATCHED, &passed.id, Some(&watch.text));
            look_late(core, &passed.id, &watch.record, &mut batch).await?;
        }
        // What says when to poll is gone, moved, or cannot be read: nothing is due.
        Ok(_) | Err(StoreError::Corrupt { .. }) => batch.drop_deadline(&passed),
        Err(error) => return Err(error),
    }
    core.commit(batch).await?;
    deliver::deliver_everything(core).await?;
    Ok(true)
}

/// The bundle of a transmission and its place; `None` if either is gone or cannot be read.
async fn watched(core: &Core, key: &str) -> Result<Option<(OnDisk, Place)>, StoreError> {
    let Some((id, at)) = rows::read_key(key) else { return Ok(None) };
    match core.bundles.on_disk(id).await {
        Ok(on_disk) => Ok(on_disk.map(|on_disk| (on_disk, at))),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Stages the outcome of a poll, or the time of the next.
async fn look_late(core: &Core, key: &str, watch: &Watch, batch: &mut Batch) -> Result<(), StoreError> {
    let Some((on_disk, at)) = watched(core, key).await? else {
        watch.end(key, batch);
        return Ok(());
    };
    let transmission = on_disk.transmissions.iter().find(|(place, _)| *place == at).map(|(_, stored)| stored);
    let signed = transmission.and_then(|stored| stored.record.signed.as_ref());
    let (Some(step), Some(transmission), Some(signed)) =
        (on_disk.bundle.steps.get(at.step), transmission, signed)
    else {
        watch.end(key, batch);
        return Ok(());
    };
    let query = NodeQuery::Status { id: signed.id.clone() };
    let answers = query_nodes(core, &step.chain, vec![query]).await;
    let (status, error) = match answers.results.into_iter().next() {
        Some(NodeResult::Status(Status::Confirmed { .. })) => (StepStatus::Confirmed, None),
        Some(NodeResult::Status(Status::Failed { reason })) => {
            let failure = Failure::from(TransmissionError::TransactionFailed(reason));
            (StepStatus::Failed, Some(failure.to_string()))
        }
        _ => {
            match watch.later(core.now(), answers.not_before) {
                Some(later) => later.stage(key, Some(watch), batch),
                None => watch.end(key, batch),
            }
            return Ok(());
        }
    };
    let settled_at = Some(core.now());
    let settled = Transmission { status, error, settled_at, late: true, ..(*transmission.record).clone() };
    batch.expect(TRANSMISSIONS, key, Some(&transmission.text));
    batch.put(TRANSMISSIONS, key, &settled);
    watch.end(key, batch);
    if let (StepStatus::Confirmed, Some(confirmed)) = (status, settled_at) {
        Box::pin(stage_paid(core, &on_disk.bundle, at, confirmed, batch)).await?;
    }
    batch.tell(&Event::TxStatus(tx_status(&on_disk.bundle.id, step, at, &settled)));
    if watch.report {
        report_late(core, &on_disk, at, &settled, batch).await?;
    }
    Ok(())
}

/// Reports the outcome of a step to the backend, after its bundle's own result. The bundle is a success if by now
/// every step is confirmed and none was skipped (D12).
async fn report_late(
    core: &Core,
    OnDisk { bundle, transmissions, .. }: &OnDisk,
    at: Place,
    settled: &Transmission,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let Some(Stored { record: call, .. }) = core.journal.call(&bundle.id).await? else {
        return Ok(());
    };
    let (Source::Agent { conversation_id }, Some(step)) = (&call.source, bundle.steps.get(at.step)) else {
        return Ok(());
    };
    let mut by_step: Vec<Vec<Transmission>> = vec![Vec::new(); bundle.steps.len()];
    for (place, stored) in transmissions {
        if let Some(transmissions) = by_step.get_mut(place.step) {
            transmissions.push(if *place == at { settled.clone() } else { (*stored.record).clone() });
        }
    }
    let half = "confirmed too late, and the rest of the step was not sent";
    let half = Failure::from(TransmissionError::ReceiptTimeout(half.to_owned())).to_string();
    let half = Some(half.as_str());
    let begun = bundle.steps.iter().zip(&by_step).filter(|(_, transmissions)| !transmissions.is_empty());
    let rows: Vec<_> = begun.map(|(step, transmissions)| row(step, transmissions, half)).collect();
    let error = error(bundle, &rows, &[StepStatus::Confirmed]);
    let own = by_step.get(at.step).map(|transmissions| row(step, transmissions, half));
    let success = error.is_none();
    let data = BundleResult { transactions: own.into_iter().collect(), bundle_success: success, late: true };
    let result = ActionResult {
        action: call.kind.clone(),
        action_id: call.action_id.clone(),
        success,
        data: Some(wire::json::to_value(&data)),
        error: error.map(|error| error.to_string()),
    };
    let public_key = core.conversations.public_key(conversation_id).await?;
    let subject = &rows::key(&bundle.id, at);
    let told = Told { conversation_id, public_key, subject, result: &result, news: None };
    core.outbox.stage_late(batch, told, core.ids.next());
    Ok(())
}
