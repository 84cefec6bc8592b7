//! Before the approval: what the chains' nodes say of every transaction of a bundle.
//!
//! One that can no longer be sent refuses the bundle; what else they say is shown, also that they do not agree. Nodes that do not answer do not
//! delay the approval for long: each transaction is checked again before it is signed.

use super::error::BundleError;
use crate::Core;
use crate::agent::within;
use crate::node::query_nodes;
use crate::ports::NetError;
use wire::api::Millis;
use wire::bundle::{Step, StepRequest};
use wire::node::{CheckRequest, Checked, Finding, FindingCode, NodeQuery, NodeResult};
use wire::vault::Vault;

/// The user is asked after this long, checked or not.
const PATIENCE: Millis = 8_000;

/// Adds to each step what its chain's nodes say of it; the error refuses the bundle.
pub(super) async fn check_steps(
    core: &Core,
    vault: &Vault,
    requests: &[StepRequest],
    steps: &mut [Step],
) -> Result<(), BundleError> {
    let until = core.now() + PATIENCE;
    // By chain: how many transactions go out before the next, and whether its nodes have answered so far.
    let mut chains: Vec<(&str, u32, bool)> = Vec::new();
    for (place, (request, step)) in requests.iter().zip(steps).enumerate() {
        let at = chains.iter().position(|(chain, ..)| *chain == request.chain).unwrap_or(chains.len());
        if at == chains.len() {
            chains.push((&request.chain, 0, true));
        }
        let Some((_, ahead, answers)) = chains.get_mut(at) else { continue };
        // Decoded above, so there is one.
        let Some(account) = vault.account(&request.chain) else { continue };
        for index in 0..step.transactions.len() {
            let account = account.clone();
            let check = CheckRequest { account, step: request.clone(), index, ahead: *ahead };
            let patience = until.saturating_sub(core.now());
            let checked = match *answers && patience > 0 {
                true => checked(core, &request.chain, check, patience).await,
                false => Checked::Unclear { reason: "no node was asked".to_owned() },
            };
            *answers &= !matches!(checked, Checked::Unclear { .. });
            *ahead += 1;
            let first = place == 0 && index == 0;
            step.findings.extend(findings(checked, step.sequence, first)?);
        }
        step.findings.dedup();
    }
    Ok(())
}

async fn checked(core: &Core, chain: &str, check: CheckRequest, patience: Millis) -> Checked {
    let queries = vec![NodeQuery::Check(Box::new(check))];
    let asked = async { Ok(query_nodes(core, chain, queries).await) };
    match within(&*core.ports.host, patience, asked).await {
        Ok(answers) => match answers.results.into_iter().next() {
            Some(NodeResult::Checked(checked)) => checked,
            _ => Checked::Unclear { reason: "the nodes' answer made no sense".to_owned() },
        },
        Err(NetError(reason)) => Checked::Unclear { reason },
    }
}

/// What a check found. What fails now may work when the steps before it have run.
fn findings(checked: Checked, sequence: u32, first: bool) -> Result<Vec<Finding>, BundleError> {
    let perhaps = |mut finding: Finding| {
        let depends =
            matches!(finding.code, FindingCode::SimulationFailed | FindingCode::InsufficientBalance);
        if depends && !first {
            finding.message.push_str(" A step before it may change that.");
        }
        finding
    };
    match checked {
        Checked::Sendable { findings } => Ok(findings.into_iter().map(perhaps).collect()),
        Checked::Stale { reason } => Err(BundleError::StaleTransaction { sequence, reason }),
        Checked::WrongNetwork { reason } => Err(BundleError::WrongNetwork { sequence, reason }),
        Checked::Unclear { reason } => {
            let message = format!("No node could say whether it can be sent: {reason}.");
            Ok(vec![Finding { code: FindingCode::Unchecked, message }])
        }
        Checked::Disputed { reason } => {
            Ok(vec![Finding { code: FindingCode::Unchecked, message: format!("{reason}.") }])
        }
    }
}
