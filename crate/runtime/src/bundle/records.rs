//! The records of a running bundle: what is on disk, and what is to be stored with the next commit.

use super::TRANSMISSIONS;
use super::engine::{Change, Storing};
use super::paid::stage_paid;
use super::rows::{self, BundleRow, Place, Transmission};
use crate::Core;
use crate::alarm::Due;
use crate::store::{Batch, StoreError, json};
use wire::api::Millis;
use wire::event::Event;
use wire::run::{StepStatus, TxStatus};

/// The transmissions of a bundle as they are on disk, and changes that are not stored yet.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The records on disk.
    stored: Vec<(Place, Kept)>,
    /// The records to be stored.
    staged: Vec<(Place, Kept)>,
    /// What pages are notified of.
    events: Vec<TxStatus>,
}

/// A record's text, when it is due, and when its transaction was confirmed.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    text: String,
    due: Option<Millis>,
    confirmed: Option<Millis>,
}

impl Kept {
    pub(super) fn new(text: String, record: &Transmission) -> Self {
        let confirmed = record.settled_at.filter(|_| record.status == StepStatus::Confirmed);
        Self { text, due: due(record), confirmed }
    }
}

/// When a transaction that is not settled is polled next.
pub(super) fn due(record: &Transmission) -> Option<Millis> {
    Some(record.next_look).filter(|at| *at > 0 && record.settled_at.is_none())
}

impl Records {
    /// With these on disk.
    pub(super) const fn new(stored: Vec<(Place, Kept)>) -> Self {
        Self { stored, staged: Vec::new(), events: Vec::new() }
    }

    /// Whether something is to be stored.
    pub(super) const fn is_staged(&self) -> bool {
        !self.staged.is_empty()
    }

    /// Stages a change, and the event about it.
    pub(super) fn stage(&mut self, change: &Change, event: Option<TxStatus>) {
        if change.store == Storing::Never {
            return;
        }
        replace(&mut self.staged, change.at, Kept::new(json(&change.record), &change.record));
        self.events.extend(event.filter(|_| change.news));
    }

    /// Stages that no record is due any more, because the bundle ends. After [`Records::write`].
    pub(super) fn stage_end(&self, bundle_id: &str, batch: &mut Batch) {
        let latest = self.stored.iter().filter(|(at, _)| !self.staged.iter().any(|(place, _)| place == at));
        for (at, kept) in latest.chain(&self.staged) {
            batch.due(Due::Step, &rows::key(bundle_id, *at), kept.due, None);
        }
    }

    /// Adds what is staged to a batch, on condition that the records on disk are still as they were; and with a
    /// confirmation who was paid.
    pub(super) async fn write(
        &self,
        core: &Core,
        bundle: &BundleRow,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        for (at, next) in &self.staged {
            let key = rows::key(&bundle.id, *at);
            let before = self.stored.iter().find(|(place, _)| place == at).map(|(_, kept)| kept);
            batch.expect(TRANSMISSIONS, &key, before.map(|kept| kept.text.as_str()));
            batch.put_text(TRANSMISSIONS, &key, next.text.clone());
            batch.due(Due::Step, &key, before.and_then(|kept| kept.due), next.due);
            if let Some(confirmed) = next.confirmed {
                Box::pin(stage_paid(core, bundle, *at, confirmed, batch)).await?;
            }
        }
        for event in &self.events {
            batch.tell(&Event::TxStatus(event.clone()));
        }
        Ok(())
    }

    /// The batch was committed.
    pub(super) fn written(&mut self) {
        for (at, kept) in std::mem::take(&mut self.staged) {
            replace(&mut self.stored, at, kept);
        }
        self.events.clear();
    }
}

fn replace(records: &mut Vec<(Place, Kept)>, at: Place, kept: Kept) {
    match records.iter_mut().rev().find(|(place, _)| *place == at) {
        Some((_, known)) => *known = kept,
        None => records.push((at, kept)),
    }
}
