//! The end of a bundle, in one batch: the one result with a row for every step that was begun, the accounts free, the
//! vault closed, and a note of what is still to be looked for.

use super::engine::{Engine, status};
use super::late::Watch;
use super::rows::{self, Place};
use super::run::{restore, unrun};
use crate::Core;
use crate::call::{self, Advance};
use crate::store::{Batch, Durability, StoreError, Stored, Table, read};
use crate::tool::Output;
use crate::vault::Closed;
use derive::ToJson;
use std::rc::Rc;
use wire::api::Call;
use wire::bundle::{Bundle, Step};
use wire::run::{Run, StepStatus, Transmission};

/// The result's data (specification 000 §1.2).
#[derive(Debug, ToJson)]
pub(super) struct BundleResult {
    pub(super) transactions: Vec<ResultRow>,
    pub(super) bundle_success: bool,
    /// Told after the bundle's own result.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) late: bool,
}

/// What became of a step that was begun.
#[derive(Debug, ToJson)]
pub(super) struct ResultRow {
    id: String,
    sequence: u32,
    chain: String,
    tx_hash: Option<String>,
    pub(super) status: StepStatus,
    pub(super) error: Option<String>,
    /// Of the approval, in a step that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_tx_hash: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the writer hands it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl Core {
    /// Ends a bundle's call; `why` where the bundle was ended, not a step of it.
    pub(super) async fn end_bundle(
        self: &Rc<Self>,
        call: Stored<Call>,
        why: Option<String>,
    ) -> Result<Advance, StoreError> {
        let mut batch = Batch::new(Durability::Strict);
        let (output, closed) = self.close_bundle(&call.record, why, &mut batch).await?;
        let result = call::end_call(self, &mut batch, call, output).await?;
        self.commit(batch).await?;
        self.after_bundle(closed).await?;
        Ok(Advance::Ended(Box::new(result)))
    }

    /// Stages what the end of a bundle means beside the end of its call, and gives its result. After the commit comes
    /// [`Core::after_bundle`].
    pub(crate) async fn close_bundle(
        &self,
        call: &Call,
        why: Option<String>,
        batch: &mut Batch,
    ) -> Result<(Output, Closed), StoreError> {
        let store = &*self.ports.store;
        let Some(Stored { record: bundle, .. }) = read::<Bundle>(store, Table::Bundles, &call.id).await?
        else {
            return Ok((unrun(why), Closed::default()));
        };
        let closed = self.vaults.close_for_call(&bundle.vault_id, &call.id, batch).await?;
        let run = read::<Run>(store, Table::Runs, &call.id).await?;
        let Some(run) = run.filter(|run| run.record.started_at.is_some()) else {
            return Ok((unrun(why), closed));
        };
        batch.put(Table::Runs, &call.id, &Run { ended: true, ..run.record });
        if let Some(vault) = self.vaults.get(&bundle.vault_id).await? {
            self.free_accounts(&bundle, &vault.record, batch).await?;
        }
        let (engine, _) = restore(store, &bundle).await?;
        self.watch(&bundle, &engine, batch);
        Ok((result(&bundle, &engine, why), closed))
    }

    /// What follows the commit of a bundle's end: whoever waited for its accounts goes on.
    pub(crate) async fn after_bundle(self: &Rc<Self>, closed: Closed) -> Result<(), StoreError> {
        self.vaults.forget(closed).await;
        for lane in self.journal.open_lanes().await? {
            call::run_lane(self, &lane);
        }
        self.follow();
        Ok(())
    }

    /// Whatever is on its way and not settled is looked for in the background.
    fn watch(&self, bundle: &Bundle, engine: &Engine, batch: &mut Batch) {
        for step in 0..bundle.steps.len() {
            for (index, transmission) in engine.transmissions(step).iter().enumerate() {
                // Also what a person ended in the middle of: signed bytes may be anywhere.
                let unsettled = !matches!(
                    transmission.status,
                    StepStatus::Queued | StepStatus::Signing | StepStatus::Confirmed | StepStatus::Failed
                );
                if unsettled {
                    let watch = Watch::new(self.now(), transmission.status != StepStatus::Pending);
                    batch.put(Table::Watched, &rows::key(&bundle.id, Place { step, index }), &watch);
                }
            }
        }
    }
}

/// The result: a row for every step that was begun, none for those that were not (T000-47, T000-48).
fn result(bundle: &Bundle, engine: &Engine, why: Option<String>) -> Output {
    let begun = bundle.steps.iter().enumerate().filter(|(place, _)| !engine.transmissions(*place).is_empty());
    let rows: Vec<ResultRow> =
        begun.map(|(place, step)| row(step, engine.transmissions(place), why.as_deref())).collect();
    let ran = |row: &ResultRow| matches!(row.status, StepStatus::Confirmed | StepStatus::Pending);
    let broken = rows.iter().find(|row| !ran(row)).map(|row| {
        let unknown = || "transaction_failed: the chain gave no reason".to_owned();
        row.error.clone().unwrap_or_else(unknown)
    });
    let skipped = rows.len() < bundle.steps.len();
    let unbegun = || "stopped: not every step was begun".to_owned();
    let error = why.or(broken).or_else(|| skipped.then(unbegun));
    let data = BundleResult { transactions: rows, bundle_success: error.is_none(), late: false };
    Output::with(&data, error)
}

/// What a step came to. One that was left in the middle has failed, for the reason that the bundle was ended.
pub(super) fn row(step: &Step, transmissions: &[Transmission], why: Option<&str>) -> ResultRow {
    let hash = |one: &Transmission| one.signed.as_ref().map(|signed| signed.id.clone());
    let settled = match status(transmissions, step.transactions.len()) {
        StepStatus::Queued | StepStatus::Signing => None,
        // Signed bytes may be anywhere.
        StepStatus::Signed | StepStatus::Sent => Some(StepStatus::Timeout),
        settled => Some(settled),
    };
    let error = transmissions.last().and_then(|last| last.error.clone());
    let approval = transmissions.first().filter(|_| transmissions.len() > 1);
    ResultRow {
        id: step.id.clone(),
        sequence: step.sequence,
        chain: step.chain.clone(),
        tx_hash: transmissions.iter().rev().find_map(hash),
        status: settled.unwrap_or(StepStatus::Failed),
        error: if settled.is_some() { error } else { why.map(str::to_owned).or(error) },
        approval_tx_hash: approval.and_then(hash),
    }
}
