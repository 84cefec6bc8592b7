//! Lists of allowed recipients and contracts. Where there is a list, an address that is not in it is blocked,
//! what could not be decoded too; the user's own accounts are in every list.

use super::Case;
use super::findings::{Findings, quote};
use super::party::Party;
use super::transaction::{Concerned, Transaction, weighed};
use chains::Chain;
use wire::explain::{Effect, PartyRole, Quantity};
use wire::policy::{ListedAddress, ReasonCode};

/// Recipients, and all that may take: every way out but a contract that is called without coins.
pub(super) fn recipients(case: &Case<'_>, findings: &mut Findings) {
    let Some(listed) = &case.input.rules.recipients else { return };
    let list = List { listed, code: ReasonCode::RecipientNotAllowed, name: "recipients", everywhere: true };
    for transaction in &case.transactions {
        let effects = &transaction.decoded.explanation.effects;
        let pays = |party: &&Concerned<'_>| match party.role {
            PartyRole::Contract => effects.iter().any(|effect| pays(effect, party.address.text)),
            _ => true,
        };
        list.hold(transaction, transaction.parties.iter().filter(pays), findings);
        list.hold_effects(transaction, effects.iter().all(weighed), findings);
    }
}

/// Contracts that are called, take what is sold, or get an allowance.
pub(super) fn contracts(case: &Case<'_>, findings: &mut Findings) {
    let Some(listed) = &case.input.rules.contracts else { return };
    let list = List { listed, code: ReasonCode::ContractNotAllowed, name: "contracts", everywhere: false };
    for transaction in &case.transactions {
        let explanation = &transaction.decoded.explanation;
        let target = explanation.target.as_deref().map(|target| {
            let address = transaction.party(target);
            let relation = case.known.relation(&address);
            Concerned { address, role: PartyRole::Contract, known_contract: false, relation }
        });
        let is_contract = |party: &&Concerned<'_>| {
            matches!(party.role, PartyRole::Contract | PartyRole::Router | PartyRole::Spender)
        };
        let parties = transaction.parties.iter().filter(is_contract);
        list.hold(transaction, parties.chain(target.as_ref()), findings);
        let read = |effect: &Effect| match effect {
            Effect::Call { .. } | Effect::UnknownCall { .. } => true,
            // Which token or collection it is does not matter to the list: its contract is the target.
            Effect::Transfer { .. }
            | Effect::TransferFrom { .. }
            | Effect::Approve { .. }
            | Effect::ApproveAll { .. }
            | Effect::Swap { .. } => true,
            effect => weighed(effect),
        };
        list.hold_effects(transaction, explanation.effects.iter().all(read), findings);
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
    fn hold<'c, 'a: 'c>(
        &self,
        transaction: &Transaction<'a>,
        parties: impl Iterator<Item = &'c Concerned<'a>>,
        findings: &mut Findings,
    ) {
        for party in parties.filter(|party| !party.relation.own) {
            if !self.has(transaction.chain, &party.address) {
                let message = format!("{} is not in the list of {}.", quote(party.address.text), self.name);
                findings.add(self.code, Some(transaction.sequence), message);
            }
        }
    }

    /// What was not read may concern an address that is not in the list.
    fn hold_effects(&self, transaction: &Transaction<'_>, read: bool, findings: &mut Findings) {
        if !read {
            let message = format!("What happens cannot be held against the list of {}.", self.name);
            findings.add(self.code, Some(transaction.sequence), message);
        }
    }

    fn has(&self, chain: Chain, party: &Party<'_>) -> bool {
        self.listed.iter().any(|entry| {
            Chain::parse(&entry.chain)
                .is_some_and(|on| (self.everywhere || on == chain) && party.is(on, &entry.address))
        })
    }
}

/// Whether coins go to this contract with a call.
fn pays(effect: &Effect, address: &str) -> bool {
    match effect {
        Effect::Call { contract, value, .. } | Effect::UnknownCall { contract, value, .. } => {
            contract == address && is_some(value)
        }
        _ => false,
    }
}

/// Whether it is more than nothing. What cannot be read is blocked elsewhere.
fn is_some(value: &Quantity) -> bool {
    value.units.bytes().any(|digit| digit != b'0')
}
