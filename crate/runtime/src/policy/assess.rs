//! A call put to the policy: reads what the rules look at in one snapshot, asks them, and stages what a call that runs
//! uses up.

use super::owner::{self, ProposalRow, Rows, make_room, put_consent, put_proposal, put_spending};
use super::{Conclusion, DefinitionStanding, History, Input, Outbound, Payee, Signing, Spent, conclude};
use crate::call::CallRow;
use crate::later::later;
use crate::settings::StoredSettings;
use crate::store::{Batch, Reads, StoreError};
use crate::tool::Definition;
use crate::{Core, connection, contacts, dapp, settings, vault};
use wire::api::{Millis, SkipApproval, Source};
use wire::audit::{AuditRecord, AuditVerdict};
use wire::bundle::Step;
use wire::explain::Standing;
use wire::failure::Failure;
use wire::json::Named as _;
use wire::message::MessageNotice;
use wire::policy::{Reason, Verdict};
use wire::trial::TrialRun;
use wire::vault::Vault;

/// What the policy says of a call, and what the call uses up if it runs.
pub(crate) struct Assessment {
    pub(crate) verdict: Verdict,
    at: Millis,
    uses: Vec<(String, Spent)>,
    /// The recipients, by the transaction that pays them.
    pub(crate) payees: Vec<Payee>,
    /// What the user has to do with each party, in the order of the steps.
    standings: Vec<Standing>,
    /// Where the call would send something and the user has not approved it yet.
    pub(crate) new_hosts: Vec<Outbound>,
    rows: Rows,
}

impl Assessment {
    /// Says of every party of the steps what the user has to do with it.
    pub(crate) fn name_parties(&self, steps: &mut [Step]) {
        let decoded = steps.iter_mut().flat_map(|step| &mut step.transactions);
        let parties = decoded.flat_map(|decoded| &mut decoded.explanation.parties);
        for (party, standing) in parties.zip(&self.standings) {
            party.standing = Some(standing.clone());
        }
    }

    /// Stages what the call uses up, in the batch that records the intent: two calls cannot both use the last of it.
    pub(crate) fn stage_uses(&self, batch: &mut Batch) {
        put_spending(&self.rows.spending, &self.uses, self.at, batch);
    }

    /// Stages that the user approved these bytes in a prompt.
    pub(crate) fn stage_consent(&self, prompt_id: &str, digest: &str, batch: &mut Batch) {
        put_consent(prompt_id, digest, self.at, batch);
    }

    /// Stages room for the recipients, who are written down one by one as they are paid.
    pub(crate) fn stage_room(&self, vault_id: &str, batch: &mut Batch) {
        make_room(vault_id, &self.rows.payees, &self.payees, batch);
    }

    /// Stages that a call proposes these bytes: the same bytes again within a while are asked about with a warning.
    pub(crate) fn stage_proposal(&self, digest: &str, call_id: &str, batch: &mut Batch) {
        let proposal = ProposalRow { call_id: call_id.to_owned(), at: self.at };
        put_proposal(&self.rows.proposals, digest, &proposal, batch);
    }

    /// Stages an entry of the audit log: that the user is asked, or that the call is blocked, and why.
    pub(crate) fn stage_note(&self, call: &CallRow, shown: &str, batch: &mut Batch) {
        let verdict = match &self.verdict {
            Verdict::Allow => return,
            Verdict::Ask { .. } => AuditVerdict::Ask,
            Verdict::Block { .. } => AuditVerdict::Block,
        };
        batch.note(AuditRecord::Verdict {
            call_id: call.id.clone(),
            source: call.source.clone(),
            tool: call.tool.clone().unwrap_or_default(),
            verdict,
            reasons: self.verdict.reasons().iter().map(|reason| reason.code).collect(),
            shown: shown.to_owned(),
        });
    }
}

/// The code of a call that is blocked without a reason.
pub(crate) const BLOCKED: &str = "blocked";

/// Why a call is blocked, as its sender is told: the first reason, which is the gravest.
pub(crate) fn blocked(reasons: &[Reason]) -> Failure {
    match reasons.first() {
        None => Failure::new(BLOCKED, "the wallet's policy does not allow it"),
        Some(reason) => {
            let step = reason.sequence.map(|sequence| format!("step {sequence}: ")).unwrap_or_default();
            Failure::new(reason.code.name(), format!("{step}{}", reason.message))
        }
    }
}

/// What is to be signed.
pub(crate) struct ToSign<'a> {
    pub(crate) vault: &'a Vault,
    pub(crate) steps: &'a [Step],
    pub(crate) trial: &'a [TrialRun],
    pub(crate) digest: &'a str,
    /// The sender's wish.
    pub(crate) skip_approval: bool,
    /// What a message warns of by itself.
    pub(crate) notices: &'a [MessageNotice],
}

/// Puts a call to the policy.
pub(crate) async fn assess(
    core: &Core,
    call: &CallRow,
    tool: &Definition,
    to_sign: Option<ToSign<'_>>,
    outbound: &[Outbound],
    definition: DefinitionStanding,
) -> Result<Assessment, StoreError> {
    let now = core.now();
    let mut reads = Reads::new();
    let hosts = owner::read_hosts(outbound, &mut reads);
    let places = owner::declare(&mut reads, to_sign.as_ref().map(|to_sign| to_sign.vault.id()), now);
    let connected = match &call.source {
        Source::Dapp { origin } => Some((origin, connection::read(origin, &mut reads))),
        Source::Agent { .. } | Source::User => None,
    };
    let own = to_sign
        .as_ref()
        .map(|_| (settings::read(&mut reads), vault::read_all(&mut reads), contacts::read(&mut reads)));
    let snapshot = reads.from(core.database.store()).await?;

    let rows = owner::rows(&snapshot, places)?;
    let spent = rows.spending.iter().map(|(key, stored)| (key.clone(), (*stored.record).clone()));
    let mut history = History {
        spent: spent.collect(),
        payees: rows.payees.iter().map(|(payee, _)| payee.clone()).collect(),
        consents: rows.consents.clone(),
        ..History::default()
    };
    for (outbound, approved) in outbound.iter().zip(hosts) {
        if snapshot.one(approved)?.is_some() {
            history.hosts.insert((outbound.tool_id.clone(), outbound.host.clone()));
        }
    }
    if let Some((origin, connected)) = connected
        && connection::is_connected(&snapshot, connected, now)?
    {
        history.connected.insert(origin.clone());
    }
    if let Source::Dapp { origin } = &call.source {
        history.site = later(core, dapp::site_reasons(core, origin)).await?;
    }
    let mut setting = SkipApproval::default();
    if let Some((settings, vaults, book)) = own {
        setting = StoredSettings::from(snapshot.one(settings)?).row.skip_approval;
        let accounts = snapshot.many(vaults)?.into_iter().flat_map(|vault| vault.record.accounts);
        history.own = accounts.map(|account| (account.chain, account.address)).collect();
        history.contacts = contacts::known(book, &snapshot, core.database.store()).await?;
    }
    if let Some(ToSign { digest, .. }) = to_sign
        && let Some(earlier) = rows.proposals.get(digest)
        && earlier.call_id != call.id
        && earlier.counts(now)
    {
        history.repeated = open_or_begun(core, &earlier.call_id).await?;
    }
    let signing = to_sign.map(|ToSign { vault, steps, trial, digest, skip_approval, notices }| Signing {
        vault,
        steps,
        trial,
        digest,
        skip_approval,
        notices,
        setting,
    });
    let (source, auto_execute) = (&call.source, call.auto_execute);
    let (arguments, rules) = (&call.params, &rows.rules);
    let input = Input {
        tool,
        auto_execute,
        source,
        arguments,
        signing,
        outbound,
        definition,
        rules,
        history: &history,
        now,
    };
    let Conclusion { verdict, uses, payees, standings } = conclude(&input);
    let new_hosts = outbound.iter().filter(|outbound| outbound.is_new(source, &history)).cloned().collect();
    Ok(Assessment { verdict, at: now, uses, payees, standings, new_hosts, rows })
}

/// Whether a call waits still, or ended after something of it was begun.
async fn open_or_begun(core: &Core, call_id: &str) -> Result<bool, StoreError> {
    let open = core.journal.call(call_id).await?.is_some_and(|call| call.record.is_open());
    Ok(open || core.bundles.is_begun(call_id).await?)
}

#[cfg(test)]
mod tests {
    use super::blocked;
    use wire::policy::{Reason, ReasonCode, Severity};

    /// Reasons come gravest first, and of the same gravity in the order of the rules: the switch before any limit.
    #[test]
    fn first_reason_is_told() {
        let reason = |code, sequence, message: &str| Reason {
            code,
            severity: Severity::Block,
            message: message.to_owned(),
            sequence,
        };
        let said = |reasons: &[Reason]| blocked(reasons).to_string();
        let limit = reason(ReasonCode::OverDailyLimit, Some(2), "Too much.");
        assert_eq!(said(std::slice::from_ref(&limit)), "over_daily_limit: step 2: Too much.");
        let both = [reason(ReasonCode::KillSwitch, None, "Everything is stopped."), limit];
        assert_eq!(said(&both), "kill_switch: Everything is stopped.");
        assert_eq!(said(&[]), "blocked: the wallet's policy does not allow it");
    }
}
