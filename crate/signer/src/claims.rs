//! Compares what the sender claims of a step (`tx_details`) with all of its transactions.
//!
//! A step is one transaction, or an approval and the call that it is for, or a list. The claims are about what the step
//! does in the end: about the call and not its approval, about all of a list together. An approval can confirm how much
//! of what an unknown call takes, if the call itself is seen to move nothing; otherwise a true word about the approval
//! would hide a call that sends everything.

use chains::Explanation;
use chains::compare::{Claims, Comparison, Field, compare};
use chains::names::Names;
use chains::transaction::Role;
use wire::bundle::{Contradiction, StepRequest};

/// The result of checking a step's claims.
pub(crate) struct ClaimCheck {
    pub(crate) contradictions: Vec<Contradiction>,
    pub(crate) unverified: Vec<String>,
}

/// Compares the claims of a step with its last transaction and those before it.
pub(crate) fn check(
    step: &StepRequest,
    last: &Explanation,
    before: &[(Role, Explanation)],
    names: Names<'_>,
) -> ClaimCheck {
    let claims = claims(step);
    let of = |wanted: bool| {
        let is_wanted = move |(role, _): &&(Role, Explanation)| (*role == Role::Approval) == wanted;
        before.iter().filter(is_wanted).map(|(_, explanation)| explanation)
    };
    let whole = together(last, of(false));
    let mut comparison = compare(&whole, &claims, names);
    for approval in of(true).filter(|_| !whole.moves_something()) {
        let Comparison { contradictions, unverified } = compare(approval, &claims, names);
        let contradicted: Vec<Field> = contradictions.iter().map(|lie| lie.field).collect();
        let confirmed = |field: &Field| {
            let about_amount = matches!(field, Field::AmountHuman | Field::TokenSymbol);
            about_amount && !unverified.contains(field) && !contradicted.contains(field)
        };
        comparison.unverified.retain(|field| !confirmed(field));
    }
    let names = comparison.unverified.iter().map(|field| field.name());
    ClaimCheck {
        contradictions: comparison.contradictions.into_iter().map(contradiction).collect(),
        unverified: names.chain(contract_name(step)).map(str::to_owned).collect(),
    }
}

/// The contract's name is not in the bytes, so it is always unverified.
fn contract_name(step: &StepRequest) -> Option<&'static str> {
    let claim = step.details.contract_name.as_ref()?;
    (!claim.trim().is_empty()).then_some("contract_name")
}

fn contradiction(lie: chains::compare::Contradiction) -> Contradiction {
    Contradiction { field: lie.field.name().to_owned(), claimed: lie.claimed, actual: lie.actual }
}

/// One transaction with everything that a list does. What differs within the list is unknown.
fn together<'a>(last: &Explanation, others: impl Iterator<Item = &'a Explanation>) -> Explanation {
    let mut whole = last.clone();
    for other in others {
        whole.effects.extend(other.effects.iter().cloned());
        whole.target = whole.target.filter(|target| other.target.as_ref() == Some(target));
        whole.gas_limit = whole.gas_limit.filter(|limit| other.gas_limit == Some(*limit));
    }
    whole
}

fn claims(step: &StepRequest) -> Claims {
    let details = step.details.clone();
    Claims {
        chain: Some(step.chain.clone()),
        from: details.from,
        to: details.to,
        value: details.value,
        token_symbol: details.token_symbol,
        amount_human: details.amount_human,
        gas_limit: details.gas_limit,
    }
}
