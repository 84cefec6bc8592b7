//! What the policy keeps: the user's rules, and what happened before that the rules look at.
//!
//! Every table here is trimmed by the batch that adds to it, or lets something be added, so none grows with time:
//!
//! | table | a row goes |
//! |---|---|
//! | `settings/policy` | never; there is one |
//! | `consents` | a day after the approval ([`CONSENT_KEPT`]) |
//! | `proposals` | when it no longer counts ([`CONSENT_LASTS`]) |
//! | `spending` | when nothing of it counts within a day |
//! | `payees` | with its vault; beyond [`MAX_PAYEES`] those that were not paid for longest go |
//! | `counters/tool-host` | with its tool |

use super::{Consent, Outbound, Payee, Spent, loosens};
use crate::database::Database;
use crate::id::earliest;
use crate::loosening::Loosening;
use crate::store::{self, Batch, Many, One, Range, Reads, Snapshot, StoreError, Stored, owned_tables};
use crate::vault::{Proof, VaultError, Vaults};
use derive::Record;
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::policy::{Policy as Rules, ToolDecision, ToolRule};
use wire::sorted::{SortedMap, SortedSet};

owned_tables! {
    /// One row, under an empty key.
    RULES: RulesRight = Rules, Rules;
    /// Limit or tool rule → what was used of it.
    SPENDING: SpendingRight = Spending, Spent;
    /// Vault id, chain and address → when a payment was last confirmed.
    PAYEES: PayeesRight = Payees, Millis;
    /// Prompt id → what the user approved.
    CONSENTS: ConsentsRight = Consents, Consent;
    /// Digest of the bytes → when they were last proposed.
    PROPOSALS: ProposalsRight = Proposals, ProposalRow;
    /// Tool id and host → when the user approved the host for the tool.
    TOOL_HOSTS: ToolHostsRight = ToolHosts, Millis;
}

/// How long the user's consent to the same bytes counts (D3).
pub(crate) const CONSENT_LASTS: Millis = 10 * 60 * 1000;
/// How long a consent is kept.
const CONSENT_KEPT: Millis = 24 * 60 * 60 * 1000;
/// A vault's payees beyond this many are forgotten: the user is warned again when such a one is paid.
const MAX_PAYEES: usize = 5_000;

/// The last proposal of some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct ProposalRow {
    /// As which call.
    pub(crate) call_id: String,
    /// When.
    pub(crate) at: Millis,
}

impl ProposalRow {
    pub(super) const fn counts(&self, now: Millis) -> bool {
        now.saturating_sub(self.at) <= CONSENT_LASTS
    }
}

/// The user's rules and what they look at. The only writer of `spending`, `payees`, `consents`, `proposals`, the part
/// `policy` of `settings`, where the rules are, and the part `tool-host` of `counters`.
pub(crate) struct Policy {
    database: Rc<Database>,
}

impl Policy {
    pub(crate) fn new(database: &Rc<Database>) -> Self {
        Self { database: Rc::clone(database) }
    }

    /// The user's rules; none until the user sets some.
    pub(crate) async fn rules(&self) -> Result<Rules, StoreError> {
        Ok(self.stored_rules().await?.map(|stored| *stored.record).unwrap_or_default())
    }

    async fn stored_rules(&self) -> Result<Option<Stored<Rules>>, StoreError> {
        store::get(self.database.store(), RULES, "").await
    }

    /// The rules, with the text that a precondition names.
    async fn rules_for_change(&self) -> Result<(Option<String>, Rules), StoreError> {
        Ok(match self.stored_rules().await? {
            Some(Stored { text, record }) => (Some(text), *record),
            None => (None, Rules::default()),
        })
    }

    /// Replaces the rules, unless they change in the meantime. A change that loosens something needs the password.
    pub(crate) async fn replace_rules(
        &self,
        rules: &Rules,
        vaults: &Vaults,
        mut proof: Proof,
    ) -> Result<(), VaultError> {
        let (text, before) = self.rules_for_change().await?;
        let mut batch = proof.batch_for(vaults, loosens(&before, rules)).await?;
        put_rules(text, rules, &mut batch);
        Ok(self.database.commit(batch).await?)
    }

    /// Stages one more rule about a tool, which replaces an earlier one about the same tool and sender. Returns what that
    /// loosens.
    pub(crate) async fn stage_tool_rule(
        &self,
        rule: ToolRule,
        batch: &mut Batch,
    ) -> Result<Option<Loosening>, StoreError> {
        let (text, before) = self.rules_for_change().await?;
        let mut rules = before.clone();
        rules.tools.retain(|other| other.tool != rule.tool || other.who != rule.who);
        rules.tools.push(rule);
        put_rules(text, &rules, batch);
        Ok(loosens(&before, &rules))
    }

    /// Whether the user has a rule about a tool.
    pub(crate) async fn has_tool_rule(&self, tool: &str) -> Result<bool, StoreError> {
        Ok(self.rules().await?.tools.iter().any(|rule| rule.tool == tool))
    }

    /// Stages that what was allowed of tools is no longer. What was denied stays: to take it back is for the user.
    pub(crate) async fn stage_approvals_removal(
        &self,
        tools: &[String],
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let (text, mut rules) = self.rules_for_change().await?;
        let count = rules.tools.len();
        rules.tools.retain(|rule| !tools.contains(&rule.tool) || rule.decision == ToolDecision::Deny);
        if rules.tools.len() < count {
            put_rules(text, &rules, batch);
        }
        Ok(())
    }

    /// Stages that a tool is gone: no host is approved for it.
    pub(crate) async fn stage_hosts_removal(
        &self,
        tool_id: &str,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let hosts = Range::prefix(format!("{tool_id}/"));
        for row in store::scan(self.database.store(), TOOL_HOSTS, hosts).await? {
            batch.delete(TOOL_HOSTS, &row.key);
        }
        Ok(())
    }

    /// Stages the removal of a vault's payees.
    pub(crate) async fn stage_payees_removal(
        &self,
        vault_id: &str,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let range = Range::prefix(format!("{vault_id}/"));
        for row in store::scan(self.database.store(), PAYEES, range).await? {
            batch.delete(PAYEES, &row.key);
        }
        Ok(())
    }
}

fn put_rules(before: Option<String>, rules: &Rules, batch: &mut Batch) {
    batch.expect(RULES, "", before.as_deref());
    batch.put(RULES, "", rules);
    batch.note(AuditRecord::Change { what: "policy_changed".to_owned(), subject: None });
}

/// Declares a read of the rules.
pub(crate) fn read_rules(reads: &mut Reads) -> One<RulesRight> {
    reads.get(RULES, "")
}

/// Where the policy's rows are in a snapshot.
pub(super) struct Places {
    rules: One<RulesRight>,
    spending: Many<SpendingRight>,
    /// Of what is signed: the vault's payees, consents and proposals.
    signing: Option<(Many<PayeesRight>, Many<ConsentsRight>, Many<ProposalsRight>)>,
}

/// Declares the reads of an assessment; of more rows where a vault is to sign.
pub(super) fn declare(reads: &mut Reads, vault_id: Option<&str>, now: Millis) -> Places {
    let rules = read_rules(reads);
    let spending = reads.scan(SPENDING, Range::all());
    let signing = vault_id.map(|vault_id| {
        // A prompt is older than its answer, by at most the time that it stays open.
        let since = earliest(now.saturating_sub(2 * CONSENT_LASTS));
        (
            reads.scan(PAYEES, Range::prefix(format!("{vault_id}/"))),
            reads.scan(CONSENTS, Range { after: Some(since), ..Range::all() }),
            reads.scan(PROPOSALS, Range::all()),
        )
    });
    Places { rules, spending, signing }
}

/// The policy's rows as they were read.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) rules: Rules,
    pub(super) spending: SortedMap<String, Stored<Spent>>,
    /// Chain and address, and when a payment was last confirmed.
    pub(super) payees: SortedMap<(String, String), Millis>,
    pub(super) consents: Vec<Consent>,
    /// By digest.
    pub(super) proposals: SortedMap<String, ProposalRow>,
}

/// Takes the policy's rows out of a snapshot.
pub(super) fn rows(snapshot: &Snapshot, places: Places) -> Result<Rows, StoreError> {
    let rules = snapshot.one(places.rules)?.map(|stored| *stored.record).unwrap_or_default();
    let spending = snapshot.many(places.spending)?.into_iter();
    let spending =
        spending.map(|row| (row.key, Stored { text: row.text, record: Box::new(row.record) })).collect();
    let mut rows = Rows { rules, spending, ..Rows::default() };
    if let Some((payees, consents, proposals)) = places.signing {
        for row in snapshot.many(payees)? {
            let mut parts = row.key.splitn(3, '/').skip(1).map(str::to_owned);
            rows.payees.extend(parts.next().zip(parts.next()).map(|payee| (payee, row.record)));
        }
        rows.consents = snapshot.many(consents)?.into_iter().map(|row| row.record).collect();
        rows.proposals = snapshot.many(proposals)?.into_iter().map(|row| (row.key, row.record)).collect();
    }
    Ok(rows)
}

fn host_key(outbound: &Outbound) -> String {
    format!("{}/{}", outbound.tool_id, outbound.host)
}

/// Declares reads of whether the user approved the hosts of a call.
pub(super) fn read_hosts(outbound: &[Outbound], reads: &mut Reads) -> Vec<One<ToolHostsRight>> {
    outbound.iter().map(|outbound| reads.get(TOOL_HOSTS, &host_key(outbound))).collect()
}

/// Stages that the user approved a host for a tool, in the batch that settles the prompt.
pub(crate) fn stage_host(outbound: &Outbound, at: Millis, batch: &mut Batch) {
    batch.put(TOOL_HOSTS, &host_key(outbound), &at);
}

/// Stages that the user approved some bytes in a prompt.
pub(super) fn put_consent(prompt_id: &str, digest: &str, now: Millis, batch: &mut Batch) {
    batch.delete_before(CONSENTS, &earliest(now.saturating_sub(CONSENT_KEPT)));
    batch.put(CONSENTS, prompt_id, &Consent { digest: digest.to_owned(), at: now });
}

/// Stages what a call uses of limits and tool rules, unless another call used some in the meantime; rows of which
/// nothing counts any more go.
pub(super) fn put_spending(
    spending: &SortedMap<String, Stored<Spent>>,
    uses: &[(String, Spent)],
    now: Millis,
    batch: &mut Batch,
) {
    for (key, after) in uses {
        batch.expect(SPENDING, key, spending.get(key).map(|stored| stored.text.as_str()));
        batch.put(SPENDING, key, after);
    }
    let used = |key: &String| uses.iter().any(|(used, _)| used == key);
    for (key, stored) in spending.iter() {
        if !uses.is_empty() && !used(key) && stored.record.is_over(now) {
            batch.expect(SPENDING, key, Some(&stored.text));
            batch.delete(SPENDING, key);
        }
    }
}

fn payee_key(vault_id: &str, chain: &str, address: &str) -> String {
    format!("{vault_id}/{chain}/{address}")
}

/// Stages that a vault paid someone, in the batch that records the confirmation of the transaction.
pub(crate) fn stage_payee(vault_id: &str, payee: &Payee, at: Millis, batch: &mut Batch) {
    batch.put(PAYEES, &payee_key(vault_id, &payee.chain, &payee.address), &at);
}

/// Stages that those who were not paid for longest go, so that a vault has at most [`MAX_PAYEES`] when these are paid.
pub(super) fn make_room(
    vault_id: &str,
    known: &SortedMap<(String, String), Millis>,
    coming: &[Payee],
    batch: &mut Batch,
) {
    let coming: SortedSet<_> =
        coming.iter().map(|payee| (payee.chain.clone(), payee.address.clone())).collect();
    let added = coming.iter().filter(|payee| !known.contains_key(*payee)).count();
    let surplus = (known.len() + added).saturating_sub(MAX_PAYEES);
    if surplus > 0 {
        let mut others: Vec<_> = known.iter().filter(|(payee, _)| !coming.contains(payee)).collect();
        // A call pays few, so few go.
        for _ in 0..surplus.min(others.len()) {
            let oldest = (0..).zip(&others).min_by_key(|(_, (_, at))| **at).map_or(0, |(place, _)| place);
            let (chain, address) = others.remove(oldest).0;
            batch.delete(PAYEES, &payee_key(vault_id, chain, address));
        }
    }
}

/// Stages that a call proposes some bytes; proposals that no longer count go.
pub(super) fn put_proposal(
    proposals: &SortedMap<String, ProposalRow>,
    digest: &str,
    proposal: &ProposalRow,
    batch: &mut Batch,
) {
    for (other, _) in proposals.iter().filter(|(_, row)| !row.counts(proposal.at)) {
        batch.delete(PROPOSALS, other);
    }
    batch.put(PROPOSALS, digest, proposal);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::Memory;
    use crate::store::{Durability, Store, Table};
    use chains::Amount;

    const DAY: Millis = 24 * 60 * 60 * 1000;
    const START: Millis = 1_700_000_000_000;

    async fn read(store: &Memory, now: Millis) -> Rows {
        let mut reads = Reads::new();
        let places = declare(&mut reads, Some("v"), now);
        rows(&reads.from(store).await.unwrap(), places).unwrap()
    }

    fn payee(number: u64) -> Payee {
        Payee { step: 0, index: 0, chain: "Ethereum".to_owned(), address: format!("0x{number}") }
    }

    /// A year with a proposal, a consent, a new limit and twenty new payees a day: no table grows past its rule.
    #[tokio::test]
    async fn a_year_of_use_stays_bounded() {
        let store = Memory::new();
        for day in 0..365 {
            let now = START + day * DAY;
            let before = read(&store, now).await;
            let mut batch = Batch::new(Durability::Relaxed);
            put_consent(&earliest(now), "digest", now, &mut batch);
            let proposal = ProposalRow { call_id: day.to_string(), at: now };
            put_proposal(&before.proposals, &format!("digest {day}"), &proposal, &mut batch);
            let spent = Spent::default().add(now, Amount::from(1));
            put_spending(&before.spending, &[(format!("limit/{day}"), spent)], now, &mut batch);
            let paid: Vec<_> = (day * 20..day * 20 + 20).map(payee).collect();
            make_room("v", &before.payees, &paid, &mut batch);
            paid.iter().for_each(|payee| stage_payee("v", payee, now, &mut batch));
            store.commit(batch).await.unwrap();
        }
        let mut counts = Vec::new();
        for table in [Table::Consents, Table::Proposals, Table::Spending, Table::Payees] {
            counts.push(store.scan(table, Range::all()).await.unwrap().len());
        }
        assert_eq!(counts, [2, 1, 2, MAX_PAYEES]);
        let last = read(&store, START + 365 * DAY).await.payees;
        let known = |number| last.contains_key(&("Ethereum".to_owned(), payee(number).address));
        assert!(known(365 * 20 - 1) && !known(0));
    }
}
