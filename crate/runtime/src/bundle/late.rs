//! Receipt polling after the deadline, for 24 h: a transaction that was not settled when its bundle ended is polled in
//! the background, ever more rarely. The user is notified of the outcome; the backend too, if its result said `timeout`
//! (D4).

use super::ending::{BundleResult, error, row};
use super::engine::TransmissionError;
use super::perform::tx_status;
use super::rows;
use super::{TRANSMISSIONS, WATCHED};
use crate::Core;
use crate::agent::deliver;
use crate::agent::outbox::Told;
use crate::alarm::Due;
use crate::store::{Batch, Durability, Range, StoreError, Stored, Table, parse, read};
use derive::Record;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::{Call, Millis, Source};
use wire::bundle::Bundle;
use wire::event::Event;
use wire::failure::Failure;
use wire::node::{NodeQuery, NodeResult, Status};
use wire::run::{StepStatus, Transmission};

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

impl Core {
    /// Polls what is due, in a task of its own.
    pub(crate) fn follow(self: &Rc<Self>) {
        self.spawn_single("late transactions".to_owned(), |core| async move {
            let _alone = core.ports.host.lock("late").await;
            let outcome = core.until_rest(|| core.follow_next()).await;
            core.wake_after(outcome).await;
        });
    }

    /// When the next poll is due.
    pub(crate) async fn next_watch(&self) -> Result<Option<Millis>, StoreError> {
        let rows = self.ports.store.scan(Table::Watched, Range::all()).await?;
        let due = rows.iter().filter_map(|row| wire::json::from_text::<Watch>(&row.text).ok());
        Ok(due.map(|watch| watch.at).min())
    }

    /// Polls one transaction that is due; whether there may be more.
    async fn follow_next(self: &Rc<Self>) -> Result<bool, StoreError> {
        let now = self.now();
        for row in self.ports.store.scan(Table::Watched, Range::all()).await? {
            let watch: Watch = parse(Table::Watched, &row.key, &row.text)?;
            if watch.at <= now {
                let mut batch = Batch::new(Durability::Strict);
                batch.expect(WATCHED, &row.key, Some(&row.text));
                self.look_late(&row.key, &watch, &mut batch).await?;
                self.commit(batch).await?;
                deliver::deliver_everything(self).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Stages the outcome of a poll, or the time of the next.
    async fn look_late(&self, key: &str, watch: &Watch, batch: &mut Batch) -> Result<(), StoreError> {
        let store = &*self.ports.store;
        let transmission = read::<Transmission>(store, Table::Transmissions, key).await?;
        let bundle = match rows::read_key(key) {
            Some((id, _)) => read::<Bundle>(store, Table::Bundles, id).await?,
            None => None,
        };
        let (Some(transmission), Some(bundle), Some((_, at))) = (transmission, bundle, rows::read_key(key))
        else {
            watch.end(key, batch);
            return Ok(());
        };
        let (Some(step), Some(signed)) = (bundle.record.steps.get(at.step), &transmission.record.signed)
        else {
            watch.end(key, batch);
            return Ok(());
        };
        let query = NodeQuery::Status { id: signed.id.clone() };
        let answers = self.query_nodes(&step.chain, vec![query]).await;
        let (status, error) = match answers.results.into_iter().next() {
            Some(NodeResult::Status(Status::Confirmed { .. })) => (StepStatus::Confirmed, None),
            Some(NodeResult::Status(Status::Failed { reason })) => {
                let failure = Failure::from(TransmissionError::TransactionFailed(reason));
                (StepStatus::Failed, Some(failure.to_string()))
            }
            _ => {
                match watch.later(self.now(), answers.not_before) {
                    Some(later) => later.stage(key, Some(watch), batch),
                    None => watch.end(key, batch),
                }
                return Ok(());
            }
        };
        let Stored { text, record } = transmission;
        let settled_at = Some(self.now());
        let settled = Transmission { status, error, settled_at, late: true, ..record };
        batch.expect(TRANSMISSIONS, key, Some(&text));
        batch.put(TRANSMISSIONS, key, &settled);
        watch.end(key, batch);
        batch.tell(&Event::TxStatus(tx_status(&bundle.record.id, step, at, &settled)));
        if watch.report {
            self.report_late(&bundle.record, at, settled, batch).await?;
        }
        Ok(())
    }

    /// Reports the outcome of a step to the backend, after its bundle's own result. The bundle is a success if by now
    /// every step is confirmed and none was skipped (D12).
    async fn report_late(
        &self,
        bundle: &Bundle,
        at: rows::Place,
        settled: Transmission,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let store = &*self.ports.store;
        let Some(Stored { record: call, .. }) = read::<Call>(store, Table::Calls, &bundle.id).await? else {
            return Ok(());
        };
        let (Source::Agent { conversation_id }, Some(step)) = (&call.source, bundle.steps.get(at.step))
        else {
            return Ok(());
        };
        let mut by_step: Vec<Vec<Transmission>> = vec![Vec::new(); bundle.steps.len()];
        for (place, stored) in rows::load(store, &bundle.id).await? {
            if let Some(transmissions) = by_step.get_mut(place.step) {
                transmissions.push(if place == at { settled.clone() } else { stored.record });
            }
        }
        let half = "receipt_timeout: confirmed too late, and the rest of the step was not sent";
        let begun = bundle.steps.iter().zip(&by_step).filter(|(_, transmissions)| !transmissions.is_empty());
        let rows: Vec<_> = begun.map(|(step, transmissions)| row(step, transmissions, Some(half))).collect();
        let error = error(bundle, &rows, &[StepStatus::Confirmed]);
        let own = by_step.get(at.step).map(|transmissions| row(step, transmissions, Some(half)));
        let success = error.is_none();
        let data =
            BundleResult { transactions: own.into_iter().collect(), bundle_success: success, late: true };
        let result = ActionResult {
            action: call.kind.clone(),
            action_id: call.action_id.clone(),
            success,
            data: Some(wire::json::to_value(&data)),
            error,
        };
        let public_key = self.conversations.public_key(conversation_id).await?;
        let subject = &rows::key(&bundle.id, at);
        let told = Told { conversation_id, public_key, subject, result: &result };
        self.outbox.stage_late(batch, told, self.ids.next());
        Ok(())
    }
}
