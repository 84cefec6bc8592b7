//! Late truth: a transaction whose receipt nobody waits for any more is looked for in the background, ever more seldom,
//! for a day. The person learns what became of it; the backend too, if it was told that nobody knew (D4).

use super::ending::{BundleResult, row};
use super::rows;
use super::send::told;
use crate::Core;
use crate::agent::deliver;
use crate::agent::outbox::Told;
use crate::store::{Batch, Durability, Range, StoreError, Stored, Table, parse, read};
use derive::Record;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::{Call, Millis, Source};
use wire::bundle::Bundle;
use wire::event::Event;
use wire::node::{NodeQuery, NodeResult, Status};
use wire::run::{StepStatus, Transmission};

/// From the end of the bundle to the first look; an alarm rings no sooner.
const FIRST: Millis = 30_000;
/// The longest pause between two looks.
const LONGEST: Millis = 30 * 60_000;
/// After this nobody looks any more.
const DAY: Millis = 24 * 60 * 60 * 1000;

/// When a transaction is looked for, and who is told.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(super) struct Watch {
    /// The next look.
    at: Millis,
    /// From the last look to the next.
    pause: Millis,
    /// The last look.
    until: Millis,
    /// Whether the backend was told that nobody knew.
    report: bool,
}

impl Watch {
    pub(super) const fn new(now: Millis, report: bool) -> Self {
        Self { at: now + FIRST, pause: FIRST, until: now + DAY, report }
    }

    /// Half as long again; `None` when the day is over.
    fn later(&self, now: Millis, not_before: Millis) -> Option<Self> {
        let pause = (self.pause + self.pause / 2).min(LONGEST);
        let at = (now + pause).max(not_before);
        (now < self.until).then_some(Self { at: at.min(self.until), pause, ..self.clone() })
    }
}

impl Core {
    /// Looks for what is due, beside whatever else is going on.
    pub(crate) fn follow(self: &Rc<Self>) {
        self.spawn_single("late transactions".to_owned(), |core| async move {
            let _alone = core.ports.host.lock("late").await;
            let outcome = core.until_rest(|| core.follow_next()).await;
            core.wake_after(outcome).await;
        });
    }

    /// When the next look is due.
    pub(crate) async fn next_watch(&self) -> Result<Option<Millis>, StoreError> {
        let rows = self.ports.store.scan(Table::Watched, Range::all()).await?;
        let due = rows.iter().filter_map(|row| wire::json::from_text::<Watch>(&row.text).ok());
        Ok(due.map(|watch| watch.at).min())
    }

    /// Looks for one transaction that is due; whether there may be more.
    async fn follow_next(self: &Rc<Self>) -> Result<bool, StoreError> {
        let now = self.now();
        for row in self.ports.store.scan(Table::Watched, Range::all()).await? {
            let watch: Watch = parse(Table::Watched, &row.key, &row.text)?;
            if watch.at <= now {
                let mut batch = Batch::new(Durability::Strict);
                batch.expect(Table::Watched, &row.key, Some(&row.text));
                self.look_late(&row.key, &watch, &mut batch).await?;
                self.commit(batch).await?;
                // Nobody else knows that there is something new to tell.
                deliver::deliver_everything(self).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Stages what a look says: the outcome, or the next look.
    async fn look_late(&self, key: &str, watch: &Watch, batch: &mut Batch) -> Result<(), StoreError> {
        let store = &*self.ports.store;
        let transmission = read::<Transmission>(store, Table::Transmissions, key).await?;
        let bundle = match rows::read_key(key) {
            Some((id, _)) => read::<Bundle>(store, Table::Bundles, id).await?,
            None => None,
        };
        let (Some(transmission), Some(bundle), Some((_, at))) = (transmission, bundle, rows::read_key(key))
        else {
            batch.delete(Table::Watched, key);
            return Ok(());
        };
        let (Some(step), Some(signed)) = (bundle.record.steps.get(at.step), &transmission.record.signed)
        else {
            batch.delete(Table::Watched, key);
            return Ok(());
        };
        let asked = self.query_nodes(&step.chain, &NodeQuery::Status { id: signed.id.clone() }).await;
        let (status, error) = match asked.result {
            NodeResult::Status(Status::Confirmed { .. }) => (StepStatus::Confirmed, None),
            NodeResult::Status(Status::Failed { reason }) => {
                (StepStatus::Failed, Some(format!("transaction_failed: {reason}")))
            }
            _ => {
                match watch.later(self.now(), asked.not_before) {
                    Some(later) => batch.put(Table::Watched, key, &later),
                    None => batch.delete(Table::Watched, key),
                }
                return Ok(());
            }
        };
        let Stored { text, record } = transmission;
        let settled_at = Some(self.now());
        let settled = Transmission { status, error, settled_at, late: true, ..record };
        batch.expect(Table::Transmissions, key, Some(&text));
        batch.put(Table::Transmissions, key, &settled);
        batch.delete(Table::Watched, key);
        batch.tell(&Event::TxStatus(told(&bundle.record.id, step, at, &settled)));
        if watch.report {
            self.report_late(&bundle.record, at, settled, batch).await?;
        }
        Ok(())
    }

    /// Tells the backend what became of a step, after its bundle's own result.
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
        let mut transmissions: Vec<Transmission> = Vec::new();
        for (place, stored) in rows::load(store, &bundle.id).await? {
            if place.step == at.step {
                transmissions.push(if place == at { settled.clone() } else { stored.record });
            }
        }
        let half = "receipt_timeout: confirmed too late, and the rest of the step was not sent";
        let row = row(step, &transmissions, Some(half));
        let (success, error) = (row.status == StepStatus::Confirmed, row.error.clone());
        let data = BundleResult { transactions: vec![row], bundle_success: false, late: true };
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
