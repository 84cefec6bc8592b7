//! Prompts: questions to the user. A prompt is a record: it survives the page, the worker and the browser, is answered
//! once, by its id, and expires.
//!
//! Open prompts are in `prompts`, settled ones in `settled_prompts`: a start reads the few that are open.

mod answer;
mod settle;

pub(crate) use answer::Answer;
pub(crate) use settle::{AnswerError, DeclinedError, answer, cancel, expire_due, refuse_open};

use crate::alarm::Due;
use crate::audit::digest;
use crate::call::CallRow;
use crate::database::Database;
use crate::id::{Ids, earliest};
use crate::mcp::Pin;
use crate::policy::Outbound;
use crate::store::{
    self, Batch, Durability, Range, Reads, StoreError, Stored, Table, json, owned_tables, parse,
};
use crate::{Core, call, policy};
use derive::Record;
use std::rc::Rc;
use wire::api::{CallState, Millis};
use wire::audit::AuditRecord;
use wire::event::{Event, PromptChange};
use wire::policy::Reason;
use wire::prompt::{self as api, Prompt, PromptOutcome, Question};

owned_tables! {
    /// Prompt id → an open prompt.
    PROMPTS: PromptsRight = Prompts, PromptRow;
    /// Prompt id → a settled prompt.
    SETTLED: SettledRight = SettledPrompts, PromptRow;
}

/// An open prompt expires after this.
const LIFETIME: Millis = 10 * 60 * 1000;
/// A settled prompt is kept this long, so that a late answer is told what became of it. The prompt that is settled next
/// removes the older ones.
const KEPT: Millis = 24 * 60 * 60 * 1000;

/// What to ask the user.
pub(crate) struct Ask {
    pub(crate) question: Question,
    /// In the sender's words.
    pub(crate) title: String,
    /// Why the user is asked.
    pub(crate) reasons: Vec<Reason>,
    /// Digest of the record that is shown with it.
    pub(crate) subject: Option<String>,
    /// What the call would send to, for the first time.
    pub(crate) hosts: Vec<Outbound>,
    /// The definition of a tool of others that is allowed with it.
    pub(crate) pin: Option<Pin>,
}

/// A prompt on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptRow {
    pub(crate) id: String,
    #[serde(flatten)]
    pub(crate) question: Question,
    title: String,
    reasons: Vec<Reason>,
    /// Digest of the record that is shown with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// Hosts that are approved with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<Outbound>,
    /// The definition that is allowed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pin: Option<Pin>,
    /// Of the row without itself and without the outcome.
    digest: String,
    created_at: Millis,
    pub(crate) expires_at: Millis,
    /// Absent while it is open.
    pub(crate) outcome: Option<PromptOutcome>,
}

impl PromptRow {
    /// Whether a server asks, and not we: no answer is an answer too, and the call goes on.
    const fn asks_for_server(&self) -> bool {
        matches!(self.question, Question::Elicitation { .. })
    }
}

impl From<PromptRow> for Prompt {
    fn from(row: PromptRow) -> Self {
        let PromptRow {
            id, question, title, reasons, subject, digest, created_at, expires_at, outcome, ..
        } = row;
        Self { id, question, title, reasons, subject, digest, created_at, expires_at, outcome }
    }
}

/// A prompt as it was read.
pub(crate) enum Found {
    /// It waits for its answer.
    Open(Stored<PromptRow>),
    /// It has its outcome.
    Settled(Box<PromptRow>),
}

/// The open prompts, and whether the one that is asked for is settled.
pub(crate) struct OpenAndSettled {
    open: Vec<Stored<PromptRow>>,
    settled: bool,
    /// Whether the kill switch is on: then nothing is approved.
    kill_switch: bool,
}

impl Found {
    /// The prompt as pages see it.
    pub(crate) fn view(self) -> Prompt {
        match self {
            Self::Open(prompt) => (*prompt.record).into(),
            Self::Settled(prompt) => (*prompt).into(),
        }
    }
}

/// Open prompts as pages see them, of their rows.
pub(crate) fn view_rows<'a>(rows: impl Iterator<Item = &'a str>) -> Result<api::Prompts, StoreError> {
    let prompts = rows.map(|text| parse::<PromptRow>(Table::Prompts, "", text).map(Prompt::from));
    Ok(api::Prompts { prompts: prompts.collect::<Result<_, _>>()? })
}

/// Questions to the user. The only writer of `prompts` and `settled_prompts`.
pub(crate) struct Prompts {
    database: Rc<Database>,
    ids: Rc<Ids>,
}

impl Prompts {
    pub(crate) fn new(database: &Rc<Database>, ids: &Rc<Ids>) -> Self {
        Self { database: Rc::clone(database), ids: Rc::clone(ids) }
    }

    /// Open prompts, oldest first.
    pub(crate) async fn open(&self) -> Result<Vec<Stored<PromptRow>>, StoreError> {
        let rows = store::scan(self.database.store(), PROMPTS, Range::all()).await?;
        Ok(rows.into_iter().map(Stored::from).collect())
    }

    /// The number of open prompts.
    async fn count_open(&self) -> Result<usize, StoreError> {
        let mut reads = Reads::new();
        let open = reads.scan(PROMPTS, Range::all());
        Ok(reads.from(self.database.store()).await?.keys(open).len())
    }

    /// Open prompts, oldest first, and the prompt of this id if it is settled.
    pub(crate) async fn open_and_settled(&self, id: &str) -> Result<OpenAndSettled, StoreError> {
        let mut reads = Reads::new();
        let (open, settled) = (reads.scan(PROMPTS, Range::all()), reads.get(SETTLED, id));
        let rules = policy::read_rules(&mut reads);
        let snapshot = reads.from(self.database.store()).await?;
        let open = snapshot.many(open)?.into_iter().map(Stored::from).collect();
        let kill_switch = snapshot.one(rules)?.is_some_and(|rules| rules.record.kill_switch);
        Ok(OpenAndSettled { open, settled: snapshot.one(settled)?.is_some(), kill_switch })
    }

    /// A prompt by its id, open or settled.
    pub(crate) async fn get(&self, id: &str) -> Result<Option<Found>, StoreError> {
        let mut reads = Reads::new();
        let (open, settled) = (reads.get(PROMPTS, id), reads.get(SETTLED, id));
        let snapshot = reads.from(self.database.store()).await?;
        if let Some(open) = snapshot.one(open)? {
            return Ok(Some(Found::Open(open)));
        }
        Ok(snapshot.one(settled)?.map(|settled| Found::Settled(settled.record)))
    }

    /// Whether a prompt waits for its answer.
    pub(crate) async fn is_open(&self, id: &str) -> Result<bool, StoreError> {
        Ok(store::get(self.database.store(), PROMPTS, id).await?.is_some())
    }

    /// Adds a reason to open prompts of which something became known since they were asked. Their digest changes with it: an
    /// answer that was given without it is stale. Those that were settled meanwhile are left alone.
    pub(crate) async fn add_reason(
        &self,
        reason: &Reason,
        is_meant: impl Fn(&PromptRow) -> bool,
    ) -> Result<(), StoreError> {
        for Stored { text, mut record } in self.open().await? {
            if !is_meant(&record) || record.reasons.iter().any(|known| known.code == reason.code) {
                continue;
            }
            record.reasons.insert(0, reason.clone());
            record.digest = String::new();
            record.digest = digest(&json(&*record));
            let mut batch = Batch::new(Durability::Strict);
            batch.expect(PROMPTS, &record.id, Some(&text));
            batch.put(PROMPTS, &record.id, &record);
            let call_id = record.question.call_id().map(str::to_owned);
            let prompt = PromptChange { id: record.id.clone(), call_id, outcome: None };
            batch.tell(&Event::PromptChanged { prompt });
            match self.database.commit(batch).await {
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether the user gave the password for a call before.
    pub(crate) async fn password_given(&self, call_id: &str) -> Result<bool, StoreError> {
        // Ids sort by time: a prompt about a call is younger than the call.
        let since = Range { after: Some(call_id.to_owned()), ..Range::all() };
        let settled = store::scan(self.database.store(), SETTLED, since).await?;
        Ok(settled.iter().any(|prompt| {
            matches!(prompt.record.question, Question::PasswordRequired { .. })
                && prompt.record.question.call_id() == Some(call_id)
                && prompt.record.outcome == Some(PromptOutcome::Approved)
        }))
    }

    /// Stages a new prompt that no call waits for. After the commit comes [`notify`].
    pub(crate) fn stage(&self, ask: Ask, batch: &mut Batch) -> PromptRow {
        let prompt = self.stage_row(ask, batch);
        tell(&prompt, None, batch);
        prompt
    }

    /// Stages the removal of the prompts that were settled more than a day ago.
    pub(crate) fn stage_trimmed(&self, batch: &mut Batch) {
        batch.delete_before(SETTLED, &earliest(self.database.now().saturating_sub(KEPT)));
    }

    fn stage_row(&self, ask: Ask, batch: &mut Batch) -> PromptRow {
        let now = self.database.now();
        let Ask { question, title, reasons, subject, hosts, pin } = ask;
        let mut prompt = PromptRow {
            id: self.ids.next(),
            question,
            title,
            reasons,
            subject,
            hosts,
            pin,
            digest: String::new(),
            created_at: now,
            expires_at: now + LIFETIME,
            outcome: None,
        };
        prompt.digest = digest(&json(&prompt));
        batch.put(PROMPTS, &prompt.id, &prompt);
        batch.due(Due::Prompt, &prompt.id, None, Some(prompt.expires_at));
        prompt
    }

    /// Stages the outcome of an open prompt, unless it was settled since it was read. After that comes [`tell`].
    fn stage_outcome(
        &self,
        prompt: Stored<PromptRow>,
        outcome: PromptOutcome,
        batch: &mut Batch,
    ) -> PromptRow {
        let Stored { text, record } = prompt;
        let prompt = PromptRow { outcome: Some(outcome), ..*record };
        batch.expect(PROMPTS, &prompt.id, Some(&text));
        batch.delete(PROMPTS, &prompt.id);
        batch.due(Due::Prompt, &prompt.id, Some(prompt.expires_at), None);
        self.stage_trimmed(batch);
        batch.put(SETTLED, &prompt.id, &prompt);
        prompt
    }
}

/// Stages the event about a prompt that was asked or settled, with the call as it is now.
fn tell(prompt: &PromptRow, call: Option<&CallRow>, batch: &mut Batch) {
    let question = &prompt.question;
    let call_id = question.call_id().map(str::to_owned);
    let prompt = PromptChange { id: prompt.id.clone(), call_id, outcome: prompt.outcome };
    let call = call.map(|call| call.change(Some(call.state.clone()), None));
    let event = match (question, call) {
        (Question::TxBundleApproval { .. }, Some(call)) => Event::TxBundleApproval { prompt, call },
        (Question::PasswordRequired { .. }, Some(call)) => Event::PasswordRequired { prompt, call },
        (Question::ConfirmationRequired { .. }, Some(call)) => Event::ConfirmationRequired { prompt, call },
        (Question::MessageApproval { .. }, Some(call)) => Event::MessageApproval { prompt, call },
        (Question::Elicitation { .. }, Some(call)) => Event::Elicitation { prompt, call },
        (Question::ConnectDapp { .. }, _) => Event::ConnectDapp { prompt },
        // The call is gone: no page shows it any more.
        (_, None) => return,
    };
    batch.tell(&event);
}

/// Stages a prompt and that a call waits for its answer.
pub(crate) fn ask_for_call(core: &Core, call: Stored<CallRow>, ask: Ask, batch: &mut Batch) -> PromptRow {
    let prompt = core.prompts.stage_row(ask, batch);
    let call = call::stage_state(call, CallState::Waiting { prompt_id: prompt.id.clone() }, batch);
    tell(&prompt, Some(&call), batch);
    prompt
}

/// Stages that a prompt is replaced by another of the same call, which has other bytes: `next` is the call, with its text on
/// disk.
pub(crate) fn replace(
    core: &Core,
    old: Stored<PromptRow>,
    (before, next): (&str, CallRow),
    ask: Ask,
    batch: &mut Batch,
) -> PromptRow {
    let old = core.prompts.stage_outcome(old, PromptOutcome::Replaced, batch);
    let prompt = core.prompts.stage_row(ask, batch);
    let state = CallState::Waiting { prompt_id: prompt.id.clone() };
    let call = call::stage_filled(before, next, state, batch);
    tell(&old, Some(&call), batch);
    tell(&prompt, Some(&call), batch);
    batch.note(AuditRecord::Decision {
        prompt_id: old.id.clone(),
        call_id: Some(call.id.clone()),
        question: old.question.name().to_owned(),
        shown: old.digest,
        outcome: PromptOutcome::Replaced,
    });
    prompt
}

/// Notifies the user of a committed prompt.
pub(crate) async fn notify(core: &Rc<Core>, prompt: &PromptRow) -> Result<(), StoreError> {
    core.ports.host.summon(&prompt.id, &prompt.title);
    show_attention(core).await?;
    core.alarm.schedule().await
}

/// Notifies the user of every open prompt: an earlier worker may have been stopped before it did. The host does so once for each.
pub(crate) async fn notify_open(core: &Core) -> Result<(), StoreError> {
    let open = core.prompts.open().await?;
    for Stored { record, .. } in &open {
        core.ports.host.summon(&record.id, &record.title);
    }
    core.ports.host.attention(open.len());
    Ok(())
}

/// Shows on the badge how many prompts are open.
pub(crate) async fn show_attention(core: &Core) -> Result<(), StoreError> {
    core.ports.host.attention(core.prompts.count_open().await?);
    Ok(())
}

/// Waits until a prompt is settled; `None` if it is no longer known.
pub(crate) async fn wait_for_outcome(core: &Core, id: &str) -> Result<Option<PromptOutcome>, StoreError> {
    loop {
        let seen = core.database.changed.version();
        match core.prompts.get(id).await? {
            Some(Found::Open(_)) => core.database.changed.changed_since(seen).await,
            Some(Found::Settled(prompt)) => return Ok(prompt.outcome),
            None => return Ok(None),
        }
    }
}
