//! Lists of allowed recipients and contracts. Where there is a list, an address that is not in it is blocked,
//! what could not be decoded too; the user's own accounts are in every list.

use super::Case;
use super::findings::{Findings, quote};
use super::party::Party;
use super::transaction::{Transaction, weighed};
use chains::Chain;
use wire::explain::{Effect, Quantity};
use wire::policy::{ListedAddress, ReasonCode};

/// Recipients, and all that may take: a router, a spender, a contract that coins go to.
pub(super) fn recipients(case: &Case<'_>, findings: &mut Findings) {
    let Some(listed) = &case.input.rules.recipients else { return };
    let list = List { listed, code: ReasonCode::RecipientNotAllowed, name: "recipients", everywhere: true };
    for transaction in &case.transactions {
        let concerned = transaction.decoded.explanation.effects.iter().map(receivers);
        list.hold(case, transaction, concerned, findings);
    }
}

/// Contracts that are called or get an allowance.
pub(super) fn contracts(case: &Case<'_>, findings: &mut Findings) {
    let Some(listed) = &case.input.rules.contracts else { return };
    let list = List { listed, code: ReasonCode::ContractNotAllowed, name: "contracts", everywhere: false };
    for transaction in &case.transactions {
        let explanation = &transaction.decoded.explanation;
        let target = Concerned::Addresses([explanation.target.as_deref(), None]);
        list.hold(case, transaction, explanation.effects.iter().map(called).chain([target]), findings);
    }
}

struct List<'a> {
    listed: &'a [ListedAddress],
    code: ReasonCode,
    name: &'static str,
    /// Who holds an address on one EVM chain holds it on all; at the address of a contract there may be another one.
    everywhere: bool,
}

impl List<'_> {
    fn hold<'a>(
        &self,
        case: &Case<'a>,
        transaction: &Transaction<'a>,
        concerned: impl Iterator<Item = Concerned<'a>>,
        findings: &mut Findings,
    ) {
        for found in concerned {
            let Concerned::Addresses(addresses) = found else {
                let message = format!("What happens cannot be held against the list of {}.", self.name);
                findings.add(self.code, Some(transaction.sequence), message);
                continue;
            };
            for address in addresses.into_iter().flatten() {
                let party = transaction.party(address);
                if !self.has(transaction.chain, &party) && !case.known.relation(&party).own {
                    let message = format!("{} is not in the list of {}.", quote(address), self.name);
                    findings.add(self.code, Some(transaction.sequence), message);
                }
            }
        }
    }

    fn has(&self, chain: Chain, party: &Party<'_>) -> bool {
        self.listed.iter().any(|entry| {
            Chain::parse(&entry.chain)
                .is_some_and(|on| (self.everywhere || on == chain) && party.is(on, &entry.address))
        })
    }
}

/// Whom an effect has to do with, as a list sees it.
enum Concerned<'a> {
    Addresses([Option<&'a str>; 2]),
    /// That cannot be said.
    Unknown,
}

fn receivers(effect: &Effect) -> Concerned<'_> {
    Concerned::Addresses(match effect {
        Effect::Transfer { to, .. } | Effect::TransferFrom { to, .. } => [Some(to), None],
        Effect::Swap { router, recipient, .. } => [Some(router), recipient.as_deref()],
        Effect::Approve { spender, .. } => [Some(spender), None],
        Effect::ApproveAll { operator, approved: true, .. } => [Some(operator), None],
        Effect::Call { contract, value, .. } | Effect::UnknownCall { contract, value, .. } => {
            [pays(value).then_some(contract), None]
        }
        Effect::Create { value, .. } if pays(value) => return Concerned::Unknown,
        effect if !weighed(effect) => return Concerned::Unknown,
        _ => [None, None],
    })
}

fn called(effect: &Effect) -> Concerned<'_> {
    Concerned::Addresses(match effect {
        Effect::Call { contract, .. } | Effect::UnknownCall { contract, .. } => [Some(contract), None],
        Effect::Swap { router, .. } => [Some(router), None],
        Effect::Approve { spender, .. } => [Some(spender), None],
        Effect::ApproveAll { operator, approved: true, .. } => [Some(operator), None],
        Effect::Create { .. } => return Concerned::Unknown,
        effect if !weighed(effect) => return Concerned::Unknown,
        _ => [None, None],
    })
}

/// Whether anything goes with a call. What cannot be read is blocked elsewhere.
fn pays(value: &Quantity) -> bool {
    value.units.bytes().any(|digit| digit != b'0')
}
