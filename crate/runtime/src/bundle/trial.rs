//! Before the approval: what the vault would have less and more of, as a node of each chain says after a trial run.
//!
//! It is run for every bundle, also where the sender asks to skip the approval: what a run finds is a reason to ask. The
//! chains run side by side, within the time that the checks before it left over.

use super::check::PERHAPS;
use crate::Core;
use crate::agent::within;
use crate::node::{query_nodes, together};
use crate::ports::NetError;
use wire::api::Millis;
use wire::bundle::{Step, StepRequest};
use wire::node::{CheckRequest, Finding, FindingCode, NodeQuery, NodeResult};
use wire::signer::TokenName;
use wire::trial::{NoTrialReason, TrialFailure, TrialGap, TrialOutcome, TrialRun};
use wire::vault::Vault;

/// Runs the transactions of each chain, in the order of the steps, until a time at the latest; and replaces what the
/// checks of single transactions found where the run of all of them knows better.
pub(super) async fn run_trials(
    core: &Core,
    vault: &Vault,
    (requests, tokens): (&[StepRequest], &[TokenName]),
    steps: &mut [Step],
    until: Millis,
) -> Vec<TrialRun> {
    let by_chain = transactions(vault, requests, steps);
    let runs = by_chain.into_iter().map(async |(chain, transactions)| {
        let tokens = tokens.iter().filter(|token| token.chain == chain).cloned().collect();
        let outcome = run(core, &chain, NodeQuery::TrialRun { transactions, tokens }, until).await;
        Ok::<_, NetError>(TrialRun { chain, outcome })
    });
    let mut runs = together(runs.collect()).await.unwrap_or_default();
    for run in &mut runs {
        settle(run, steps);
    }
    runs
}

/// The transactions of each chain in the order in which they run, chains in the order of the steps.
fn transactions(vault: &Vault, requests: &[StepRequest], steps: &[Step]) -> Vec<(String, Vec<CheckRequest>)> {
    let mut chains: Vec<(String, Vec<CheckRequest>)> = Vec::new();
    for (request, step) in requests.iter().zip(steps) {
        // Decoded above, so there is one.
        let Some(account) = vault.account(&request.chain) else { continue };
        let at = chains.iter().position(|(chain, _)| *chain == request.chain).unwrap_or(chains.len());
        if at == chains.len() {
            chains.push((request.chain.clone(), Vec::new()));
        }
        let Some((_, transactions)) = chains.get_mut(at) else { continue };
        for index in 0..step.transactions.len() {
            let ahead = u32::try_from(transactions.len()).unwrap_or(u32::MAX);
            let (account, step) = (account.clone(), request.clone());
            transactions.push(CheckRequest { account, step, index, ahead });
        }
    }
    chains
}

async fn run(core: &Core, chain: &str, query: NodeQuery, until: Millis) -> TrialOutcome {
    let not_run = |reason| TrialOutcome::NotRun { reason };
    let patience = until.saturating_sub(core.now());
    if patience == 0 {
        return not_run(NoTrialReason::NoAnswer);
    }
    let asked = async { Ok::<_, NetError>(query_nodes(core, chain, vec![query]).await) };
    match within(&*core.ports.host, patience, asked).await.map(|answers| answers.results.into_iter().next()) {
        Ok(Some(NodeResult::TrialRun(outcome))) => outcome,
        Ok(_) => not_run(NoTrialReason::Unreadable),
        Err(_) => not_run(NoTrialReason::NoAnswer),
    }
}

/// Puts what a run found in the place of what the checks of single transactions found.
fn settle(run: &mut TrialRun, steps: &mut [Step]) {
    let TrialOutcome::Ran { failure, transactions, .. } = &run.outcome else { return };
    drop_obsolete(&run.chain, *transactions, failure.is_none(), steps);
    let Some(failure) = failure else { return };
    let on_chain = |step: &Step| step.chain == run.chain;
    let failing = match failure.sequence {
        Some(sequence) => steps.iter().position(|step| step.sequence == sequence),
        // The node does not say which: any of them.
        None => steps.iter().rposition(on_chain),
    };
    let Some(failing) = failing else { return };
    let before = || steps.iter().take(failing);
    let elsewhere = before().any(|step| !on_chain(step));
    let finding = finding(&run.chain, failure, before().any(on_chain), elsewhere);
    let told = |found: &Finding| found.code == FindingCode::InsufficientBalance;
    let told = steps.iter().filter(|step| on_chain(step)).any(|step| step.findings.iter().any(told));
    let place = if failure.sequence.is_some() { Some(failing) } else { steps.iter().position(on_chain) };
    if let Some(step) = place.and_then(|place| steps.get_mut(place))
        && (failure.sequence.is_some() || !told)
    {
        step.findings.push(finding);
    }
    if elsewhere {
        end_before_failure(&mut run.outcome);
    }
}

/// What fails behind a step on another chain cannot be tried before that one has run: what was run before it counts.
fn end_before_failure(outcome: &mut TrialOutcome) {
    match outcome {
        TrialOutcome::Ran { failure, transactions: transactions @ 2.., gaps, .. } => {
            *failure = None;
            *transactions -= 1;
            gaps.push(TrialGap::AfterOtherChain);
        }
        _ => *outcome = TrialOutcome::NotRun { reason: NoTrialReason::AfterOtherChain },
    }
}

/// Drops what was found of single transactions, where so many were run on top of each other.
fn drop_obsolete(chain: &str, transactions: u32, worked: bool, steps: &mut [Step]) {
    let mut left = usize::try_from(transactions).unwrap_or(usize::MAX);
    for step in steps.iter_mut().filter(|step| step.chain == chain) {
        let Some(rest) = left.checked_sub(step.transactions.len()) else { return };
        left = rest;
        step.findings.retain(|found| match found.code {
            FindingCode::SimulationFailed => false,
            // On top of the steps before it there is enough.
            FindingCode::InsufficientBalance => !(worked && found.message.ends_with(PERHAPS)),
            FindingCode::Gapped | FindingCode::Unchecked => true,
        });
    }
}

/// What a step that fails is told. Where a step on another chain comes before it, what that one brings is not there
/// yet: an honest bridge and swap fails here, so that is no warning.
fn finding(chain: &str, failure: &TrialFailure, later: bool, elsewhere: bool) -> Finding {
    let reason = failure.reason.trim_end_matches('.');
    let what = match failure.sequence {
        Some(_) if elsewhere => "Run as a trial now, it fails".to_owned(),
        Some(_) if later => "Run as a trial after the steps before it, it fails".to_owned(),
        Some(_) => "Run as a trial, it fails".to_owned(),
        None => format!("Run as a trial, the steps on {chain} fail"),
    };
    let (code, rest) = if elsewhere {
        (FindingCode::Unchecked, ". What a step on another chain brings may be missing.")
    } else {
        (FindingCode::SimulationFailed, ".")
    };
    Finding { code, message: format!("{what}: {reason}{rest}") }
}
