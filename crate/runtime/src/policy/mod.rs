//! Whether a call may run, a person is asked, or it is blocked. Pure: everything it looks at is handed in.
//!
//! A sender proposes; its hints are wishes. The rules below look at what the bytes say, at what the user decided and
//! at what happened before, and each says what it finds. The gravest finding decides: one that blocks ends the call,
//! one that warns is shown to the user against the sender's wish. Where nothing blocks, the sender's hints and
//! the user's settings decide whether a person is asked.

mod assess;
mod bounds;
mod check;
mod claims;
mod consent;
mod fee;
mod findings;
mod limits;
mod lists;
mod loosen;
mod nodes;
mod owner;
mod parties;
mod party;
mod risk;
mod spent;
#[cfg(test)]
mod tests;
mod tools;
mod transaction;
mod trial;

pub use crate::address::AddressError;
pub(crate) use assess::{Assessment, BLOCKED, ToSign, assess, blocked};
pub(crate) use bounds::{RULE as BOUND_RULE, unusable as unusable_bound};
pub use check::PolicyError;
pub(crate) use check::{addresses, check};
pub(crate) use findings::severity;
pub use loosen::loosens;
pub(crate) use owner::{Policy, RulesRight, read_rules, stage_host, stage_payee};
pub use spent::Spent;
pub(crate) use tools::kill_switch_stops;

use crate::tool::Definition;
use derive::Record;
use findings::Findings;
use party::Known;
use serde_json::{Map, Value};
use transaction::{Fault, Transaction};
use wire::api::{Millis, SkipApproval, Source};
use wire::bundle::Step;
use wire::explain::Standing;
use wire::message::MessageNotice;
use wire::policy::{Policy as Rules, Reason, ReasonCode, Severity, Verdict};
use wire::sorted::{SortedMap, SortedSet};
use wire::trial::TrialRun;
use wire::vault::Vault;

/// Everything that a verdict depends on.
pub struct Input<'a> {
    /// What is called.
    pub tool: &'a Definition,
    /// The sender's hint.
    pub auto_execute: Option<bool>,
    /// Who calls.
    pub source: &'a Source,
    /// What it is called with.
    pub arguments: &'a Map<String, Value>,
    /// What would be signed, for a tool that signs.
    pub signing: Option<Signing<'a>>,
    /// Where it would send something; of a tool with steps, each of them.
    pub outbound: &'a [Outbound],
    /// What the user decided about the tool's definition, where others wrote it.
    pub definition: DefinitionStanding,
    /// The user's own rules.
    pub rules: &'a Rules,
    /// What happened before.
    pub history: &'a History,
    /// The time of the call.
    pub now: Millis,
}

/// What would be signed.
pub struct Signing<'a> {
    /// By whom.
    pub vault: &'a Vault,
    /// Decoded.
    pub steps: &'a [Step],
    /// What the chains' nodes say of a trial run.
    pub trial: &'a [TrialRun],
    /// Of the vault and of every byte that would be signed, in order.
    pub digest: &'a str,
    /// Whether the sender wishes that the user is not asked.
    pub skip_approval: bool,
    /// What a message warns of by itself.
    pub notices: &'a [MessageNotice],
    /// What the user thinks of such wishes.
    pub setting: SkipApproval,
}

/// What the user decided about a definition that others wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefinitionStanding {
    /// Nothing needs to be decided: it is ours, or the user's own.
    #[default]
    Own,
    /// Nothing yet.
    New,
    /// Another one was allowed.
    Changed,
    /// It was allowed.
    Allowed,
}

/// A host that a call would send something to.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct Outbound {
    /// Of the tool's exact record: another version is another tool.
    pub tool_id: String,
    /// With the port where it is not the usual one.
    pub host: String,
    /// Names of the secrets that go with it.
    pub secrets: Vec<String>,
}

impl Outbound {
    /// Whether the user has yet to approve the host for this tool: once, before something of others is sent there. A page
    /// on which the user calls a tool shows the request by itself.
    fn is_new(&self, source: &Source, history: &History) -> bool {
        *source != Source::User && !history.hosts.contains(&(self.tool_id.clone(), self.host.clone()))
    }
}

/// What happened before, as far as it counts.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// What was used of limits and tool rules, by the keys of [`Conclusion::uses`].
    pub spent: SortedMap<String, Spent>,
    /// Chain and address of every recipient of a confirmed payment.
    pub payees: SortedSet<(String, String)>,
    /// Saved addresses.
    pub contacts: Vec<KnownContact>,
    /// Chain and address of every account of every vault.
    pub own: Vec<(String, String)>,
    /// What the user approved lately.
    pub consents: Vec<Consent>,
    /// Id of a tool and host that the user approved for it.
    pub hosts: SortedSet<(String, String)>,
    /// What is to be said of the site that asks.
    pub site: Vec<Reason>,
    /// Origins of the pages that may ask.
    pub connected: SortedSet<String>,
    /// Whether another call proposed the same bytes within ten minutes, and still waits or was begun.
    pub repeated: bool,
}

/// A saved address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownContact {
    /// Canonical name of the chain.
    pub chain: String,
    /// In canonical spelling.
    pub address: String,
    /// Under which name it is saved.
    pub title: String,
    /// Whether the user saved or confirmed it; otherwise the agent or a page did.
    pub confirmed: bool,
    /// The address that it took the place of, where the user has not confirmed that.
    pub replaces: Option<String>,
}

/// That a person approved something, by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct Consent {
    /// Of the vault and of every byte that would be signed, in order.
    pub digest: String,
    /// When.
    pub at: Millis,
}

/// A rule looks at the case and says what it finds.
type Rule = fn(&Case<'_>, &mut Findings);

/// Every rule, in the order in which findings of the same gravity are read. How grave each finding is stands in
/// `findings.rs`.
const RULES: [Rule; 32] = [
    // Whether the sender is heard at all.
    tools::kill_switch,
    tools::connected,
    tools::site,
    tools::denied,
    // Whether the bytes are what was said of them.
    claims::contradiction,
    claims::chain,
    claims::owner,
    // The user's bounds.
    limits::limits,
    lists::recipients,
    lists::contracts,
    tools::outside_bounds,
    // Risks.
    tools::new_host,
    tools::definition,
    risk::unlimited_approval,
    parties::look_alike,
    parties::replaced_contact,
    parties::agent_contact,
    parties::unknown_spender,
    parties::first_time_recipient,
    risk::unknown_calldata,
    risk::unweighed_effect,
    risk::unknown_token,
    risk::unknown_bought,
    risk::contract_creation,
    risk::low_minimum,
    fee::high_fee,
    fee::unknown_fee,
    nodes::repeated,
    nodes::checks,
    trial::trial_runs,
    claims::unverified,
    claims::notices,
];

/// What the rules say of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Whether it runs, the user is asked, or it is blocked.
    pub verdict: Verdict,
    /// What it uses of limits and of tool rules' bounds if it runs: the row's key, and the row afterwards. To be
    /// written in the batch that records the intent.
    pub uses: Vec<(String, Spent)>,
    /// Every recipient that is no account of the user's: known once the transaction that pays it is confirmed.
    pub payees: Vec<Payee>,
    /// What the user has to do with each party, in the order of the steps, their transactions and their parties.
    pub standings: Vec<Standing>,
}

/// Someone whom a transaction pays.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct Payee {
    /// Which of the steps, counted from 0 in the order in which they run.
    pub step: usize,
    /// Which transaction of the step, counted from 0.
    pub index: usize,
    /// Canonical name of the chain.
    pub chain: String,
    /// In canonical spelling.
    pub address: String,
}

/// Puts a call to the rules.
pub fn conclude(input: &Input<'_>) -> Conclusion {
    let case = Case::new(input);
    let standings = parties::standings(&case);
    Conclusion { verdict: verdict(&case), uses: uses(&case), payees: payees(&case), standings }
}

fn verdict(case: &Case<'_>) -> Verdict {
    let mut findings = Findings::default();
    for Fault { sequence, message } in &case.faults {
        findings.add(ReasonCode::RuleError, *sequence, message.clone());
    }
    for rule in RULES {
        rule(case, &mut findings);
    }
    if findings.warnings() > findings::MAX_REASONS {
        let message = format!(
            "There are {} warnings, and no more than {} can be shown.",
            findings.warnings(),
            findings::MAX_REASONS
        );
        findings.add(ReasonCode::TooManyRisks, None, message);
    }
    match findings.gravest() {
        Some(Severity::Block) => Verdict::Block { reasons: findings.into_reasons() },
        _ => consent::consent(case, findings),
    }
}

fn uses(case: &Case<'_>) -> Vec<(String, Spent)> {
    let mut uses = limits::uses(case);
    if let tools::Standing::Allowed(key, spent) = consent::permission(case) {
        uses.push((key, spent));
    }
    uses
}

fn payees(case: &Case<'_>) -> Vec<Payee> {
    let mut payees = Vec::new();
    for transaction in &case.transactions {
        let (step, index) = transaction.place;
        for party in transaction.parties.iter().filter(|party| party.is_paid() && !party.relation.own) {
            let (chain, address) = (transaction.chain.name().to_owned(), party.address.spelling().to_owned());
            let payee = Payee { step, index, chain, address };
            if !payees.contains(&payee) {
                payees.push(payee);
            }
        }
    }
    payees
}

/// The input, read.
struct Case<'a> {
    input: &'a Input<'a>,
    known: Known<'a>,
    transactions: Vec<Transaction<'a>>,
    faults: Vec<Fault>,
}

impl<'a> Case<'a> {
    fn new(input: &'a Input<'a>) -> Self {
        let known = Known::new(input);
        let (transactions, faults) = transaction::read(input, &known);
        Self { input, known, transactions, faults }
    }

    /// What was used under a key.
    fn spent(&self, key: &str) -> Spent {
        self.input.history.spent.get(key).cloned().unwrap_or_default()
    }
}
