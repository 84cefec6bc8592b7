//! Who gets something, or is put in a position to take it: every way out is held against what the user knows.

use super::Case;
use super::findings::{Findings, quote};
use super::transaction::{Concerned, Transaction};
use wire::explain::{PartyRole, Standing};
use wire::policy::ReasonCode;

/// Addresses are made to resemble one that the user knows, so that it is taken for that one.
pub(super) fn look_alike(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party) in foreign(case) {
        if let Some(other) = party.relation.alike {
            let message =
                format!("{} looks like {}, and is another.", quote(party.address.text), quote(other));
            findings.add(ReasonCode::LookAlike, Some(transaction.sequence), message);
        }
    }
}

/// A contact that is the same by name and another by address.
pub(super) fn replaced_contact(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party) in foreign(case) {
        if let Some(contact) = party.relation.agent_contact
            && let Some(before) = &contact.replaces
        {
            let (title, now) = (quote(&contact.title), quote(party.address.text));
            let message = format!("{title} had the address {} before, and has {now} now.", quote(before));
            findings.add(ReasonCode::ReplacedContact, Some(transaction.sequence), message);
        }
    }
}

/// A steered agent first saves an address under a name that is trusted, then pays to the name.
pub(super) fn agent_contact(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party) in foreign(case) {
        if let Some(contact) = party.relation.agent_contact.filter(|contact| contact.replaces.is_none()) {
            let (address, title) = (quote(party.address.text), quote(&contact.title));
            let message = format!("The agent saved {address} as {title}, and you have not confirmed it.");
            findings.add(ReasonCode::FreshContact, Some(transaction.sequence), message);
        }
    }
}

/// An allowance is as good as a payment, later.
pub(super) fn unknown_spender(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party) in strangers(case) {
        if party.role == PartyRole::Spender {
            let message =
                format!("Nothing is known of {}, which may take tokens.", quote(party.address.text));
            findings.add(ReasonCode::UnknownSpender, Some(transaction.sequence), message);
        }
    }
}

/// Neither an own account nor a contact, and never paid before.
pub(super) fn first_time_recipient(case: &Case<'_>, findings: &mut Findings) {
    for (transaction, party) in strangers(case) {
        let address = quote(party.address.text);
        let message = match party.role {
            // Said of spenders by their own rule, of contracts by those about what is not decoded.
            PartyRole::Spender | PartyRole::Contract | PartyRole::Router => continue,
            PartyRole::Recipient => format!("Nothing was sent to {address} before."),
            PartyRole::Destination => {
                format!("Nothing was sent to {address} before, which receives in the end.")
            }
            PartyRole::Refund => format!("What is left over goes to {address}, which is not yours."),
            PartyRole::FeePayee => format!("A fee goes to {address}, of which nothing is known."),
            PartyRole::Authority => format!("{address} may decide from now on, and nothing is known of it."),
        };
        findings.add(ReasonCode::FirstTimeRecipient, Some(transaction.sequence), message);
    }
}

/// What the user has to do with each party, in the order of the steps, their transactions and their parties.
pub(super) fn standings(case: &Case<'_>) -> Vec<Standing> {
    let steps = case.input.signing.as_ref().map(|signing| signing.steps).unwrap_or_default();
    let decoded = steps.iter().flat_map(|step| &step.transactions);
    let of = |decoded| case.transactions.iter().find(|found| std::ptr::eq(found.decoded, decoded));
    let mut standings = Vec::new();
    for decoded in decoded {
        match of(decoded) {
            Some(found) => standings.extend(found.parties.iter().map(standing)),
            // It could not be read, and so is blocked.
            None => standings.extend(decoded.explanation.parties.iter().map(|_| Standing::Stranger)),
        }
    }
    standings
}

fn standing(party: &Concerned<'_>) -> Standing {
    let relation = &party.relation;
    if relation.own {
        Standing::Own
    } else if let Some(contact) = relation.contact {
        Standing::Contact { title: contact.title.clone() }
    } else if party.known_contract {
        Standing::KnownContract
    } else if let Some(other) = relation.alike {
        Standing::LookAlike { other: other.to_owned() }
    } else if let Some(contact) = relation.agent_contact {
        Standing::AgentContact { title: contact.title.clone() }
    } else if relation.paid_before {
        Standing::SeenBefore
    } else {
        Standing::Stranger
    }
}

/// Parties that are no account of the user.
fn foreign<'c, 'a>(case: &'c Case<'a>) -> impl Iterator<Item = (&'c Transaction<'a>, &'c Concerned<'a>)> {
    let all =
        |transaction: &'c Transaction<'a>| transaction.parties.iter().map(move |party| (transaction, party));
    let is_foreign = |party: &Concerned<'_>| !party.relation.own && !party.known_contract;
    case.transactions.iter().flat_map(all).filter(move |(_, party)| is_foreign(party))
}

/// Parties that nothing vouches for. A contact that the agent saved has its own rule.
fn strangers<'c, 'a>(case: &'c Case<'a>) -> impl Iterator<Item = (&'c Transaction<'a>, &'c Concerned<'a>)> {
    foreign(case).filter(|(_, party)| {
        let relation = &party.relation;
        relation.contact.is_none() && relation.agent_contact.is_none() && !relation.paid_before
    })
}
