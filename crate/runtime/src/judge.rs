//! Gathers what the policy looks at, asks it, and stages what a call that runs uses up.

use crate::Core;
use crate::contacts;
use crate::id::earliest;
use crate::policy::{self, Consent, History, Input, Signing, Spent};
use crate::store::{Batch, Range, Store, StoreError, Table, parse, read};
use crate::tool::Definition;
use derive::Record;
use std::collections::BTreeMap;
use wire::api::{Call, CallState, Millis, SkipApproval, Source};
use wire::audit::{AuditRecord, AuditVerdict};
use wire::bundle::Step;
use wire::json::Named as _;
use wire::policy::{Policy, Reason, Verdict};
use wire::run::Run;
use wire::vault::Vault;

/// Where the rules are among the settings.
const POLICY: &str = "policy";
/// How long a person's consent to the very same bytes counts (D3).
pub(crate) const CONSENT_LASTS: Millis = 10 * 60 * 1000;

/// That somebody proposed some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct Proposal {
    /// As which call.
    pub(crate) call_id: String,
    /// When.
    pub(crate) at: Millis,
}

/// What would be signed.
pub(crate) struct ToSign<'a> {
    pub(crate) vault: &'a Vault,
    pub(crate) steps: &'a [Step],
    pub(crate) digest: &'a str,
    /// The sender's wish.
    pub(crate) skip_approval: bool,
    pub(crate) setting: SkipApproval,
}

/// What the policy says of a call, and what the call uses up if it runs.
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Key, the record as it was read, the record as it will be.
    uses: Vec<(String, Option<String>, Spent)>,
    /// Chain and address of those who receive.
    payees: Vec<(String, String)>,
}

impl Judgement {
    /// Counts what is used, in the batch that records the intent: two calls cannot both have the last of it.
    pub(crate) fn stage_uses(&self, batch: &mut Batch) {
        for (key, before, after) in &self.uses {
            batch.expect(Table::Spending, key, before.as_deref());
            batch.put(Table::Spending, key, after);
        }
    }

    /// Whoever receives is known from now on.
    pub(crate) fn stage_payees(&self, vault_id: &str, at: Millis, batch: &mut Batch) {
        for (chain, address) in &self.payees {
            batch.put(Table::Payees, &format!("{vault_id}/{chain}/{address}"), &at);
        }
    }
}

/// A refusal as the sender reads it: the code of the first reason, which is the gravest, and its sentence.
pub(crate) fn blocked(reasons: &[Reason]) -> String {
    reasons.first().map_or_else(
        || "blocked: the wallet's policy does not allow it".to_owned(),
        |reason| {
            let code = reason.code.name();
            let step = reason.sequence.map(|sequence| format!("step {sequence}: ")).unwrap_or_default();
            format!("{code}: {step}{}", reason.message)
        },
    )
}

/// Into the log: that a person is asked, or that it does not run, and why.
pub(crate) fn note_verdict(batch: &mut Batch, call: &Call, verdict: &Verdict, shown: &str) {
    let said = match verdict {
        Verdict::Allow => return,
        Verdict::Ask { .. } => AuditVerdict::Ask,
        Verdict::Block { .. } => AuditVerdict::Block,
    };
    batch.note(AuditRecord::Verdict {
        call_id: call.id.clone(),
        source: call.source.clone(),
        tool: call.tool.clone().unwrap_or_default(),
        verdict: said,
        reasons: verdict.reasons().iter().map(|reason| reason.code).collect(),
        shown: shown.to_owned(),
    });
}

/// The person's rules, and their text.
pub(crate) async fn stored_policy(store: &dyn Store) -> Result<(Option<String>, Policy), StoreError> {
    let stored = read::<Policy>(store, Table::Settings, POLICY).await?;
    Ok(stored.map_or_else(Default::default, |stored| (Some(stored.text), stored.record)))
}

/// Writes the rules, unless they changed since they were read.
pub(crate) fn put_policy(batch: &mut Batch, before: Option<&str>, policy: &Policy) {
    batch.expect(Table::Settings, POLICY, before);
    batch.put(Table::Settings, POLICY, policy);
    batch.note(AuditRecord::Change { what: "policy_changed".to_owned(), subject: None });
}

impl Core {
    /// What the policy says of a call.
    pub(crate) async fn judge(
        &self,
        call: &Call,
        tool: &Definition,
        to_sign: Option<ToSign<'_>>,
    ) -> Result<Judgement, StoreError> {
        let store = &*self.ports.store;
        let (_, rules) = stored_policy(store).await?;
        let mut history = History::default();
        let texts = match rules.limits.is_empty() && rules.tools.is_empty() {
            true => BTreeMap::new(),
            false => spending(store, &mut history).await?,
        };
        if let Source::Dapp { origin } = &call.source
            && store.get(Table::Connections, origin).await?.is_some()
        {
            history.connected.insert(origin.clone());
        }
        if let Some(to_sign) = &to_sign {
            remembered(store, to_sign.vault, self.now(), &mut history).await?;
            history.repeated = repeated(store, &call.id, to_sign.digest, self.now()).await?;
        }
        let signing = to_sign.map(|ToSign { vault, steps, digest, skip_approval, setting }| Signing {
            vault,
            steps,
            digest,
            skip_approval,
            setting,
        });
        let input = Input {
            tool,
            auto_execute: call.auto_execute,
            source: &call.source,
            signing,
            rules: &rules,
            history: &history,
            now: self.now(),
        };
        let used = |(key, after): (String, Spent)| {
            let before = texts.get(&key).cloned();
            (key, before, after)
        };
        Ok(Judgement {
            verdict: policy::evaluate(&input),
            uses: policy::uses(&input).into_iter().map(used).collect(),
            payees: policy::payees(&input),
        })
    }
}

/// Whether another call proposed the same bytes lately, and did not end before anything was begun.
async fn repeated(store: &dyn Store, call_id: &str, digest: &str, now: Millis) -> Result<bool, StoreError> {
    let Some(proposal) = read::<Proposal>(store, Table::Proposals, digest).await? else {
        return Ok(false);
    };
    let Proposal { call_id: other, at } = proposal.record;
    if other == call_id || now.saturating_sub(at) > CONSENT_LASTS {
        return Ok(false);
    }
    let open = read::<Call>(store, Table::Calls, &other).await?;
    let open = open.is_some_and(|call| !matches!(call.record.state, CallState::Done { .. }));
    let begun = read::<Run>(store, Table::Runs, &other).await?;
    Ok(open || begun.is_some_and(|run| run.record.started_at.is_some()))
}

/// What was used of limits and bounds; the records' texts.
async fn spending(store: &dyn Store, history: &mut History) -> Result<BTreeMap<String, String>, StoreError> {
    let mut texts = BTreeMap::new();
    for row in store.scan(Table::Spending, Range::all()).await? {
        let spent: Spent = parse(Table::Spending, &row.key, &row.text)?;
        history.spent.insert(row.key.clone(), spent);
        texts.insert(row.key, row.text);
    }
    Ok(texts)
}

/// Whom the person knows, and what they approved lately.
async fn remembered(
    store: &dyn Store,
    vault: &Vault,
    now: Millis,
    history: &mut History,
) -> Result<(), StoreError> {
    let prefix = format!("{}/", vault.id());
    for row in store.scan(Table::Payees, Range::prefix(&prefix)).await? {
        let payee = row.key.strip_prefix(&prefix).and_then(|rest| rest.split_once('/'));
        history.payees.extend(payee.map(|(chain, address)| (chain.to_owned(), address.to_owned())));
    }
    for row in store.scan(Table::Vaults, Range::all()).await? {
        let own: Vault = parse(Table::Vaults, &row.key, &row.text)?;
        history.own.extend(own.accounts.into_iter().map(|account| (account.chain, account.address)));
    }
    let since = Range { after: Some(earliest(now.saturating_sub(2 * CONSENT_LASTS))), ..Range::all() };
    for row in store.scan(Table::Consents, since).await? {
        history.consents.push(parse::<Consent>(Table::Consents, &row.key, &row.text)?);
    }
    history.contacts = contacts::known(store).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::blocked;
    use wire::policy::{Reason, ReasonCode, Severity};

    /// Reasons come gravest first, and of the same gravity in the order of the rules: the switch before any limit.
    #[test]
    fn the_first_reason_is_told() {
        let reason = |code, sequence, message: &str| Reason {
            code,
            severity: Severity::Block,
            message: message.to_owned(),
            sequence,
        };
        let limit = reason(ReasonCode::OverDailyLimit, Some(2), "Too much.");
        assert_eq!(blocked(std::slice::from_ref(&limit)), "over_daily_limit: step 2: Too much.");
        let both = [reason(ReasonCode::KillSwitch, None, "Everything is stopped."), limit];
        assert_eq!(blocked(&both), "kill_switch: Everything is stopped.");
        assert_eq!(blocked(&[]), "blocked: the wallet's policy does not allow it");
    }
}
