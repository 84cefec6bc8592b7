//! A bundle as pages see it: what was asked for, and how far each step is.

use super::owner::OnDisk;
use super::rows::{Run, Transmission};
use crate::call::CallRow;
use chains::Chain;
use wire::api::CallState;
use wire::bundle::Step;
use wire::run::{BundleState, BundleView, StepProgress, StepStatus, TransactionProgress};

/// A bundle with everything that is known of its way.
pub(super) fn view(on_disk: OnDisk, call: Option<&CallRow>) -> BundleView {
    let OnDisk { bundle, run, transmissions } = on_disk;
    let mut progress = Vec::with_capacity(bundle.steps.len());
    let mut sent = transmissions.into_iter().peekable();
    for (place, step) in bundle.steps.iter().enumerate() {
        let mut transmissions = Vec::new();
        while let Some((_, stored)) = sent.next_if(|(at, _)| at.step == place) {
            transmissions.push(*stored.record);
        }
        progress.push(step_progress(step, &transmissions));
    }
    let (success, error) = match call.map(|call| &call.state) {
        Some(CallState::Done { result, .. }) => (Some(result.success), result.error.clone()),
        _ => (None, None),
    };
    let run = run.map(|stored| stored.record).unwrap_or_default();
    BundleView {
        state: state(call, &run),
        progress,
        behind: run.behind,
        stopping: run.stop && success.is_none(),
        success,
        error,
        bundle: bundle.into(),
    }
}

/// The states before the first step are the call's own.
fn state(call: Option<&CallRow>, run: &Run) -> BundleState {
    match call.map(|call| &call.state) {
        None | Some(CallState::Done { .. }) => BundleState::Done,
        Some(CallState::Received) => BundleState::Checked,
        Some(CallState::Waiting { .. }) => BundleState::Asking,
        Some(CallState::Approved) if run.started_at.is_some() => BundleState::Running,
        Some(CallState::Approved) => BundleState::Approved,
    }
}

fn step_progress(step: &Step, transmissions: &[Transmission]) -> StepProgress {
    let transactions = step.transactions.iter().enumerate().map(|(index, decoded)| {
        let transmission = transmissions.get(index);
        let tx_hash = transmission.and_then(hash);
        let url = |id: &String| Chain::parse(&step.chain).map(|chain| chain.transaction_url(id));
        TransactionProgress {
            role: decoded.role,
            status: transmission.map_or(StepStatus::Queued, |one| one.status),
            explorer_url: tx_hash.as_ref().and_then(url),
            tx_hash,
            signed_at: transmission.and_then(|one| one.signed_at),
            sent_at: transmission.and_then(|one| one.sent_at),
            deadline: transmission.and_then(|one| one.deadline),
            settled_at: transmission.and_then(|one| one.settled_at),
            late: transmission.is_some_and(|one| one.late),
        }
    });
    StepProgress {
        sequence: step.sequence,
        status: super::engine::status(transmissions, step.transactions.len()),
        tx_hash: transmissions.iter().rev().find_map(hash),
        error: transmissions.last().and_then(|one| one.error.clone()),
        transactions: transactions.collect(),
    }
}

fn hash(transmission: &Transmission) -> Option<String> {
    transmission.signed.as_ref().map(|signed| signed.id.clone())
}
