//! Whether a call may run, a person is asked, or it is blocked. Pure: everything it looks at is handed in.
//!
//! A sender proposes; its hints are wishes. The rules below look at what the bytes say, at what the user decided and
//! at what happened before, and each says what it finds. The gravest finding decides: one that blocks ends the call,
//! one that warns is shown to the user against the sender's wish. Where nothing blocks, the sender's hints and
//! the user's settings decide whether a person is asked.

mod assess;
mod check;
mod claims;
mod consent;
mod fee;
mod findings;
mod limits;
mod lists;
mod nodes;
mod owner;
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
pub use check::PolicyError;
pub(crate) use check::{addresses, check};
pub(crate) use owner::{Policy, RulesRight, read_rules};
pub use spent::Spent;

use crate::tool::Definition;
use derive::Record;
use findings::Findings;
use party::Known;
use transaction::{Fault, Transaction};
use wire::api::{Millis, SkipApproval, Source};
use wire::bundle::Step;
use wire::policy::{Policy as Rules, ReasonCode, Severity, Verdict};
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
    /// What would be signed, for a tool that signs.
    pub signing: Option<Signing<'a>>,
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
    /// What the user thinks of such wishes.
    pub setting: SkipApproval,
}

/// What happened before, as far as it counts.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// What was used of limits and tool rules, by the keys of [`Conclusion::uses`].
    pub spent: SortedMap<String, Spent>,
    /// Chain and address of every recipient of an approved payment.
    pub payees: SortedSet<(String, String)>,
    /// Saved addresses.
    pub contacts: Vec<KnownContact>,
    /// Chain and address of every account of every vault.
    pub own: Vec<(String, String)>,
    /// What the user approved lately.
    pub consents: Vec<Consent>,
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
    /// When it was saved, unless the user did that.
    pub by_agent_at: Option<Millis>,
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
const RULES: [Rule; 21] = [
    // Whether the sender is heard at all.
    tools::kill_switch,
    tools::connected,
    tools::denied,
    // Whether the bytes are what was said of them.
    claims::contradiction,
    claims::chain,
    claims::owner,
    // The user's bounds.
    limits::limits,
    lists::recipients,
    lists::contracts,
    // Risks.
    risk::look_alike,
    risk::fresh_contact,
    risk::first_time_recipient,
    risk::unlimited_approval,
    risk::unknown_calldata,
    risk::unweighed_effect,
    risk::contract_creation,
    fee::high_fee,
    nodes::repeated,
    nodes::checks,
    trial::trial_runs,
    claims::unverified,
];

/// What the rules say of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Whether it runs, the user is asked, or it is blocked.
    pub verdict: Verdict,
    /// What it uses of limits and of tool rules' bounds if it runs: the row's key, and the row afterwards. To be
    /// written in the batch that records the intent.
    pub uses: Vec<(String, Spent)>,
    /// Chain and address of every recipient that is known from now on, if the user approves.
    pub payees: Vec<(String, String)>,
}

/// Puts a call to the rules.
pub fn conclude(input: &Input<'_>) -> Conclusion {
    let case = Case::new(input);
    Conclusion { verdict: verdict(&case), uses: uses(&case), payees: payees(&case) }
}

fn verdict(case: &Case<'_>) -> Verdict {
    let mut findings = Findings::default();
    for Fault { sequence, message } in &case.faults {
        findings.add(ReasonCode::RuleError, *sequence, message.clone());
    }
    for rule in RULES {
        rule(case, &mut findings);
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

fn payees(case: &Case<'_>) -> Vec<(String, String)> {
    let paid = case.transactions.iter().flat_map(|transaction| {
        let strangers = transaction.recipients.iter().filter(|(_, relation)| !relation.own);
        strangers.map(|(party, _)| (transaction.chain.name().to_owned(), party.spelling().to_owned()))
    });
    let once: SortedSet<_> = paid.collect();
    once.into_vec()
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
