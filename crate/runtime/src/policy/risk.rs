//! What the user should look at twice: always asked about.

use super::Case;
use super::findings::{Findings, quote};
use super::party::{Party, Relation};
use super::transaction::{Transaction, Way, weighed};
use wire::explain::Effect;
use wire::policy::ReasonCode;

/// A spender without a limit can take later deposits too.
pub(super) fn unlimited_approval(case: &Case<'_>, findings: &mut Findings) {
    for transaction in &case.transactions {
        for moved in transaction.moves.iter().filter(|moved| moved.unlimited()) {
            let Way::Allowed { spender, .. } = moved.way else { continue };
            let message = format!("{} may take as much as it likes, now and later.", quote(spender));
            findings.add(ReasonCode::UnlimitedApproval, Some(transaction.sequence), message);
        }
    }
}

/// Neither an own account nor a contact, and never paid before.
pub(super) fn first_time_recipient(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party, relation) in strangers(case) {
        if !relation.known {
            let message = format!("Nothing was sent to {} before.", quote(party.text));
            findings.add(ReasonCode::FirstTimeRecipient, Some(transaction.sequence), message);
        }
    }
}

/// Addresses are made to resemble one that the user knows, so that it is taken for that one.
pub(super) fn look_alike(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party, relation) in strangers(case) {
        if let Some(other) = relation.alike {
            let message = format!("{} looks like {}, and is another.", quote(party.text), quote(other));
            findings.add(ReasonCode::LookAlike, Some(transaction.sequence), message);
        }
    }
}

/// A steered agent first saves an address under a name that is trusted, then pays to the name.
pub(super) fn fresh_contact(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party, relation) in strangers(case) {
        if let Some(title) = relation.fresh {
            let (address, title) = (quote(party.text), quote(title));
            let message = format!("The agent saved {address} as {title} less than a day ago.");
            findings.add(ReasonCode::FreshContact, Some(transaction.sequence), message);
        }
    }
}

/// Bytes of a contract call that no decoder reads.
pub(super) fn unknown_calldata(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        let message = match effect {
            Effect::UnknownCall { contract, bytes, .. } => {
                format!("What {} is told in {bytes} bytes could not be decoded.", quote(contract))
            }
            Effect::Unknown { what, bytes } => {
                format!("{bytes} bytes could not be decoded: {}.", quote(what))
            }
            _ => continue,
        };
        findings.add(ReasonCode::UnknownCalldata, Some(transaction.sequence), message);
    }
}

/// Decoded, but of a form that says nothing of what is given away.
pub(super) fn unweighed_effect(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        if let Effect::Other { name, .. } = effect
            && !weighed(effect)
        {
            let message = format!("What {} gives away is for a person to judge.", quote(name));
            findings.add(ReasonCode::UnweighedEffect, Some(transaction.sequence), message);
        }
    }
}

/// Code that runs as it is created.
pub(super) fn contract_creation(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, effect) in effects(case) {
        if let Effect::Create { bytes, .. } = effect {
            let message = format!("A contract of {bytes} bytes is created.");
            findings.add(ReasonCode::ContractCreation, Some(transaction.sequence), message);
        }
    }
}

/// Recipients that are no account of the user.
fn strangers<'c, 'a>(
    case: &'c Case<'a>,
) -> impl Iterator<Item = (&'c Transaction<'a>, &'c Party<'a>, &'c Relation<'a>)> {
    let all = |transaction: &'c Transaction<'a>| {
        transaction.recipients.iter().map(move |(party, relation)| (transaction, party, relation))
    };
    case.transactions.iter().flat_map(all).filter(|(_, _, relation)| !relation.own)
}

pub(super) fn effects<'c, 'a>(case: &'c Case<'a>) -> impl Iterator<Item = (&'c Transaction<'a>, &'a Effect)> {
    case.transactions.iter().flat_map(|transaction| {
        transaction.decoded.explanation.effects.iter().map(move |effect| (transaction, effect))
    })
}
