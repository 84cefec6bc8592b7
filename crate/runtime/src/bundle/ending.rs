//! The end of a bundle, in one batch: the one result with a row for every step that was begun, the accounts released,
//! the vault closed, and a record of what is still polled.

use super::engine::{Engine, TransmissionError, status};
use super::error::BundleError;
use super::late::{Watch, follow};
use super::owner::InUse;
use super::records::Records;
use super::rows::{self, BundleRow, Place, Run, Transmission};
use super::run::Running;
use super::{RUNS, definition};
use crate::Core;
use crate::call::{self, CallRow};
use crate::store::{Batch, Reads, StoreError, Stored};
use crate::tool::{Context, Outcome, Output};
use crate::vault::{Closed, Closing};
use derive::ToJson;
use std::rc::Rc;
use wire::bundle::Step;
use wire::failure::Failure;
use wire::run::StepStatus;

/// The result's data (specification 000 §1.2).
#[derive(Debug, ToJson)]
pub(super) struct BundleResult {
    pub(super) transactions: Vec<ResultRow>,
    pub(super) bundle_success: bool,
    /// Reported after the bundle's own result.
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

/// Ends a bundle that runs; `why` where the bundle was ended, not a step of it.
pub(super) async fn end_running(
    running: Running,
    why: Option<Failure>,
    context: &mut Context<'_>,
) -> Result<Outcome, StoreError> {
    let core = context.wallet.core;
    let Running { call, bundle, engine, records, .. } = running;
    records.write(core, &bundle, &mut context.batch).await?;
    let ended = close(core, &bundle, (&engine, &records), why, &mut context.batch).await?;
    Ok(end(&call.record, ended, context))
}

/// Ends a bundle's call that does not run.
pub(super) async fn end_bundle(
    call: &Stored<CallRow>,
    why: Option<Failure>,
    context: &mut Context<'_>,
) -> Result<Outcome, StoreError> {
    let core = context.wallet.core;
    let ended = close_bundle(core, &call.record, why, &mut context.batch).await?;
    Ok(end(&call.record, ended, context))
}

fn end(call: &CallRow, (output, closed): (Output, Closed), context: &mut Context<'_>) -> Outcome {
    let core = Rc::clone(context.wallet.core);
    context.after.push(Box::pin(async move {
        if after_bundle(&core, closed).await.is_err() {
            core.alarm.retry();
        }
    }));
    Outcome::Ended(context.result(definition(call), output))
}

/// Stages what the end of a bundle means beside the end of its call, and gives its result. After the commit comes
/// [`after_bundle`].
pub(crate) async fn close_bundle(
    core: &Core,
    call: &CallRow,
    why: Option<Failure>,
    batch: &mut Batch,
) -> Result<(Output, Closed), StoreError> {
    let Some(on_disk) = core.bundles.on_disk(&call.id).await? else {
        return Ok((refused(why.unwrap_or_else(|| BundleError::BundleGone.into())), Closed::default()));
    };
    let (engine, records) = on_disk.restore();
    close(core, &on_disk.bundle, (&engine, &records), why, batch).await
}

/// The same, of a bundle in hand.
async fn close(
    core: &Core,
    bundle: &BundleRow,
    (engine, records): (&Engine, &Records),
    why: Option<Failure>,
    batch: &mut Batch,
) -> Result<(Output, Closed), StoreError> {
    let mut reads = Reads::new();
    let closing = Closing::read(&mut reads, &bundle.vault_id, &bundle.id);
    let used = InUse::read(&mut reads, &bundle.id);
    let snapshot = reads.from(core.database.store()).await?;
    let closed = closing.stage(&snapshot, batch)?;
    let run = used.stage_free(&bundle.id, &snapshot, batch)?;
    let Some(run) = run.filter(|run| run.record.started_at.is_some()) else {
        return Ok((refused(why.unwrap_or_else(|| BundleError::BundleGone.into())), closed));
    };
    batch.put(RUNS, &bundle.id, &Run { ended: true, ..*run.record });
    records.stage_end(&bundle.id, batch);
    watch(core, bundle, engine, batch);
    Ok((result(bundle, engine, why), closed))
}

/// What follows the commit of a bundle's end: bundles that waited for its accounts go on.
pub(crate) async fn after_bundle(core: &Rc<Core>, closed: Closed) -> Result<(), StoreError> {
    core.vaults.forget(closed).await;
    for lane in core.journal.open_lanes().await? {
        call::run_lane(core, &lane);
    }
    follow(core);
    Ok(())
}

/// What is signed and not settled is polled in the background.
fn watch(core: &Core, bundle: &BundleRow, engine: &Engine, batch: &mut Batch) {
    for step in 0..bundle.steps.len() {
        for (index, transmission) in engine.transmissions(step).iter().enumerate() {
            // Also what the user ended in the middle of: a node may have signed bytes.
            let unsettled = !matches!(
                transmission.status,
                StepStatus::Queued | StepStatus::Signing | StepStatus::Confirmed | StepStatus::Failed
            );
            // What a page has is the page's to send.
            if unsettled && !bundle.for_page {
                let watch = Watch::new(core.now(), transmission.status != StepStatus::Pending);
                watch.stage(&rows::key(&bundle.id, Place { step, index }), None, batch);
            }
        }
    }
}

/// The result of a bundle that was refused or rejected before its first step (D17).
pub(crate) fn refused(why: Failure) -> Output {
    let data = BundleResult { transactions: Vec::new(), bundle_success: false, late: false };
    Output::with(&data, Some(why))
}

/// The result: a row for every step that was begun, none for those that were not (T000-47, T000-48).
fn result(bundle: &BundleRow, engine: &Engine, why: Option<Failure>) -> Output {
    let rows = rows(bundle, engine, why.as_ref().map(Failure::to_string).as_deref());
    let error = why
        .or_else(|| error(bundle, &rows, &[StepStatus::Confirmed, StepStatus::Pending, StepStatus::Signed]));
    let data = BundleResult { transactions: rows, bundle_success: error.is_none(), late: false };
    Output::with(&data, error)
}

/// A row for every step that was begun.
pub(super) fn rows(bundle: &BundleRow, engine: &Engine, why: Option<&str>) -> Vec<ResultRow> {
    let begun = bundle.steps.iter().enumerate().filter(|(place, _)| !engine.transmissions(*place).is_empty());
    begun.map(|(place, step)| row(step, engine.transmissions(place), why)).collect()
}

/// Why a bundle is no success: the error of the first step that is in none of these states, or that not every step was
/// begun.
pub(super) fn error(bundle: &BundleRow, rows: &[ResultRow], good: &[StepStatus]) -> Option<Failure> {
    let broken = rows.iter().find(|row| !good.contains(&row.status)).map(|row| {
        let unknown = || TransmissionError::TransactionFailed("the chain gave no reason".to_owned()).into();
        row.error.as_deref().map_or_else(unknown, Failure::parse)
    });
    let skipped = rows.len() < bundle.steps.len();
    broken.or_else(|| skipped.then(|| BundleError::Stopped.into()))
}

/// What a step came to. One that was left in the middle has failed, for the reason that the bundle was ended.
pub(super) fn row(step: &Step, transmissions: &[Transmission], why: Option<&str>) -> ResultRow {
    let hash = |one: &Transmission| one.signed.as_ref().map(|signed| signed.id.clone());
    let settled = match status(transmissions, step.transactions.len()) {
        StepStatus::Queued | StepStatus::Signing => None,
        // For a page it ends here.
        StepStatus::Signed if transmissions.last().is_some_and(|last| last.settled_at.is_some()) => {
            Some(StepStatus::Signed)
        }
        // A node may have signed bytes.
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
