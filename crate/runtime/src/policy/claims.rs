//! What the sender says of a transaction, held against what its bytes say.

use super::findings::{Findings, quote};
use super::{Case, Signing, transaction};
use chains::Chain;
use wire::bundle::{Decoded, Step};
use wire::policy::ReasonCode;

/// A claim that the bytes contradict: the sender is mistaken or lies.
pub(super) fn contradiction(case: &Case<'_>, findings: &mut Findings) {
    for (step, decoded) in each(case) {
        for found in &decoded.contradictions {
            let (field, claimed) = (quote(&found.field), quote(&found.claimed));
            let message =
                format!("The sender claims {claimed} as {field}, the bytes say {}.", quote(&found.actual));
            findings.add(ReasonCode::Contradiction, Some(step.sequence), message);
        }
    }
}

/// The transaction is for the chain that the step names.
pub(super) fn chain(case: &Case<'_>, findings: &mut Findings) {
    for (step, decoded) in each(case) {
        let found = &decoded.explanation.chain;
        match transaction::chain(&step.chain) {
            Ok(chain) if Chain::parse(found) == Some(chain) => {}
            Ok(chain) => {
                let message = format!("The step is on {chain}, its transaction is for {}.", quote(found));
                findings.add(ReasonCode::ChainMismatch, Some(step.sequence), message);
            }
            Err(error) => findings.add(ReasonCode::RuleError, Some(step.sequence), error.to_string()),
        }
    }
}

/// The vault pays from its own account.
pub(super) fn owner(case: &Case<'_>, findings: &mut Findings) {
    let Some(Signing { vault, .. }) = &case.input.signing else { return };
    for transaction in &case.transactions {
        let (chain, from) = (transaction.chain, &transaction.decoded.explanation.from);
        let mut accounts = vault.accounts.iter().filter(|account| account.chain == chain.name());
        if !accounts.any(|account| transaction.party(from).is(chain, &account.address)) {
            let message = format!("The vault has no account {} on {chain}.", quote(from));
            findings.add(ReasonCode::NotOwned, Some(transaction.sequence), message);
        }
    }
}

/// Claims that nothing in the bytes can confirm.
pub(super) fn unverified(case: &Case<'_>, findings: &mut Findings) {
    for (step, decoded) in each(case).filter(|(_, decoded)| !decoded.unverified.is_empty()) {
        let message = format!("The bytes cannot confirm {}.", quote(&decoded.unverified.join(", ")));
        findings.add(ReasonCode::Unverified, Some(step.sequence), message);
    }
}

/// Every transaction, those that could not be read too.
fn each<'a>(case: &Case<'a>) -> impl Iterator<Item = (&'a Step, &'a Decoded)> {
    let steps = case.input.signing.as_ref().map(|signing| signing.steps).unwrap_or_default();
    steps.iter().flat_map(|step| step.transactions.iter().map(move |decoded| (step, decoded)))
}

/// What a message warns of by itself: how long it lasts, for which chain, what its text hides.
pub(super) fn notices(case: &Case<'_>, findings: &mut Findings) {
    let notices = case.input.signing.as_ref().map(|signing| signing.notices).unwrap_or_default();
    for notice in notices {
        findings.add(notice.code, None, notice.message.clone());
    }
}
