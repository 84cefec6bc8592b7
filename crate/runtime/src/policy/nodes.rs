//! What the chains' nodes found in the transactions before the user is asked, and whether they were proposed before.

use super::Case;
use super::findings::Findings;
use wire::node::FindingCode;
use wire::policy::ReasonCode;

/// Warnings from the nodes, in their order.
pub(super) fn checks(case: &Case<'_>, findings: &mut Findings) {
    let steps = case.input.signing.as_ref().map(|signing| signing.steps).unwrap_or_default();
    for step in steps {
        for found in &step.findings {
            let code = match found.code {
                FindingCode::SimulationFailed => ReasonCode::SimulationFailed,
                FindingCode::InsufficientBalance => ReasonCode::InsufficientBalance,
                FindingCode::Gapped => ReasonCode::NonceGap,
                FindingCode::Unchecked => ReasonCode::NotChecked,
            };
            findings.add(code, Some(step.sequence), found.message.clone());
        }
    }
}

/// The same bytes under another id: a backend repeats itself, or hopes for a second approval.
pub(super) fn repeated(case: &Case<'_>, findings: &mut Findings) {
    if case.input.history.repeated {
        let message = "The same transactions were asked for within the last ten minutes.".to_owned();
        findings.add(ReasonCode::DuplicateBundle, None, message);
    }
}
