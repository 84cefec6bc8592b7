//! Turns that the backend has not fully answered, on disk until it has.

use super::timeline::MessageRow;
use crate::alarm::Due;
use crate::database::Database;
use crate::id::{derived, digest};
use crate::notes::{self, ToldNotes};
use crate::store::{Batch, Keyed, Many, Range, Reads, StoreError, get, owned_tables, scan};
use crate::tools::Declared;
use derive::Record;
use serde_json::{Value, json};
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::Millis;

owned_tables! {
    /// Appended: turns that the backend has not fully answered.
    OUTBOX: OutboxRight = Outbox, Turn;
    /// Call id → the message that the answer to its result becomes.
    REPLIES: RepliesRight = Replies, String;
    /// Conversation id → digest of the tools that its backend was last told of.
    DECLARED: DeclaredToolsRight = DeclaredTools, String;
}

/// A turn on disk: what to send, the same bytes each time, and how far it got.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Turn {
    pub(crate) conversation_id: String,
    pub(crate) subject: Subject,
    /// The request's body; never rebuilt, so that the idempotency key always means the same.
    pub(crate) body: Value,
    pub(crate) idempotency_key: String,
    /// The message that the answer becomes.
    pub(crate) reply_id: String,
    /// The backend answered 2xx; what is left is to read the answer to its end.
    pub(crate) acknowledged: bool,
    /// Attempts since the last progress.
    pub(crate) attempts: u32,
    pub(crate) not_before: Millis,
    pub(crate) queued_at: Millis,
}

/// What a turn tells the backend.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    /// A person's message, by its id.
    Message(String),
    /// A call's result, by the call's id.
    Result(String),
    /// What became of a transaction after its call's result, by its transmission's key.
    Late(String),
    /// An item of the agent's inbox, by the item's id.
    Inbox(String),
}

/// A turn with its place in the queue.
#[derive(Debug, Clone)]
pub(crate) struct Queued {
    pub(crate) key: String,
    pub(crate) text: String,
    pub(crate) turn: Turn,
}

impl From<Keyed<Turn>> for Queued {
    fn from(Keyed { key, text, record }: Keyed<Turn>) -> Self {
        Self { key, text, turn: record }
    }
}

/// What the backend is still to be told. The only writer of `outbox`.
pub(crate) struct Outbox {
    database: Rc<Database>,
}

impl Outbox {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// Every turn, oldest first.
    pub(crate) async fn turns(&self) -> Result<Vec<Queued>, StoreError> {
        let rows = scan(self.database.store(), OUTBOX, Range::all()).await?;
        Ok(rows.into_iter().map(Queued::from).collect())
    }

    /// A turn as it is now.
    pub(crate) async fn turn(&self, key: &str) -> Result<Option<Queued>, StoreError> {
        let stored = get(self.database.store(), OUTBOX, key).await?;
        Ok(stored.map(|stored| Queued { key: key.to_owned(), text: stored.text, turn: *stored.record }))
    }

    /// Stages a person's message, with the tools that the agent may call; its answer becomes the message of `reply_id`.
    pub(crate) fn stage_message(
        &self,
        batch: &mut Batch,
        public_key: &str,
        message: &MessageRow,
        known: &Known,
        reply_id: String,
    ) {
        let body = json!({"public_key": public_key, "content": message.content, "context": known.context});
        batch.put(DECLARED, &message.conversation_id, &known.digest);
        let subject = Subject::Message(message.id.clone());
        self.stage(batch, &message.conversation_id, subject, body, message.id.clone(), reply_id);
    }

    /// Stages a call's result. One result a request (D1), always under the same key for the same call: its answer is the
    /// same then, and so is the message that the answer becomes.
    pub(crate) fn stage_result(&self, batch: &mut Batch, told: Told<'_>, reply_id: String) {
        let Told { conversation_id, public_key, subject, result, news } = told;
        let mut body = json!({"public_key": public_key, "action_result": result});
        if let (Some(known), Some(fields)) = (news, body.as_object_mut()) {
            fields.insert("context".to_owned(), known.context);
            batch.put(DECLARED, conversation_id, &known.digest);
        }
        batch.put(REPLIES, subject, &reply_id);
        let key = derived(&["result", subject]);
        self.stage(batch, conversation_id, Subject::Result(subject.to_owned()), body, key, reply_id);
    }

    /// Stages what became of a transaction after its call's result was told: once, under a key of its own.
    pub(crate) fn stage_late(&self, batch: &mut Batch, told: Told<'_>, reply_id: String) {
        let Told { conversation_id, public_key, subject, result, .. } = told;
        let body = json!({"public_key": public_key, "action_result": result});
        let key = derived(&["late", subject]);
        self.stage(batch, conversation_id, Subject::Late(subject.to_owned()), body, key, reply_id);
    }

    /// Stages an item of the agent's inbox: a result that came after its call had ended, or that a plan is due. The item's id
    /// is told in it as `id`; its key is made of that, so that the same item is told once.
    pub(crate) fn stage_inbox(
        &self,
        batch: &mut Batch,
        conversation_id: &str,
        public_key: Option<&str>,
        item: &Value,
        reply_id: String,
    ) {
        let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
        let body = json!({"public_key": public_key, "inbox": [item]});
        let key = derived(&["inbox", id]);
        self.stage(batch, conversation_id, Subject::Inbox(id.to_owned()), body, key, reply_id);
    }

    /// What the agent knows with a message: the tools that it may call, and its notes.
    pub(crate) async fn known(&self, agent: &str, tools: &Declared) -> Result<Known, StoreError> {
        let mut reads = Reads::new();
        let slots = notes::read(agent, &mut reads);
        let notes = ToldNotes::of(&reads.from(self.database.store()).await?, &slots);
        Ok(Known::new(tools, notes))
    }

    /// What a conversation's agent is to be told with a result of the tools that it may call, and of its notes: nothing if it
    /// was told the same.
    pub(crate) async fn news(
        &self,
        conversation_id: &str,
        agent: Option<&str>,
        tools: &Declared,
    ) -> Result<Option<Known>, StoreError> {
        let mut reads = Reads::new();
        let told = reads.get(DECLARED, conversation_id);
        let slots = agent.map(|agent| notes::read(agent, &mut reads));
        let snapshot = reads.from(self.database.store()).await?;
        let notes = slots.map(|slots| ToldNotes::of(&snapshot, &slots)).unwrap_or_default();
        let told = snapshot.one(told)?;
        let is_told = told.is_some_and(|told| *told.record == digest_of(tools, &notes));
        Ok((!is_told).then(|| Known::new(tools, notes)))
    }

    /// Stages that a conversation is removed.
    pub(crate) fn stage_conversation_trimmed(&self, conversation_id: &str, batch: &mut Batch) {
        batch.delete(DECLARED, conversation_id);
    }

    /// Stages that a call is removed.
    pub(crate) fn stage_trimmed(&self, call_id: &str, batch: &mut Batch) {
        batch.delete(REPLIES, call_id);
    }

    /// The message that the answer to a call's result became before.
    pub(crate) async fn reply_id(&self, call_id: &str) -> Result<Option<String>, StoreError> {
        Ok(get(self.database.store(), REPLIES, call_id).await?.map(|stored| *stored.record))
    }

    /// Stages that a turn got further, unless it changed since it was read.
    pub(crate) fn stage_update(&self, batch: &mut Batch, queued: &Queued, turn: &Turn) {
        batch.expect(OUTBOX, &queued.key, Some(&queued.text));
        batch.put(OUTBOX, &queued.key, turn);
        batch.due(Due::Delivery, &queued.key, deadline(&queued.turn), deadline(turn));
    }

    /// Stages that a turn leaves the outbox.
    pub(crate) fn stage_removal(&self, batch: &mut Batch, queued: &Queued) {
        batch.delete(OUTBOX, &queued.key);
        batch.due(Due::Delivery, &queued.key, deadline(&queued.turn), None);
    }

    fn stage(
        &self,
        batch: &mut Batch,
        conversation_id: &str,
        subject: Subject,
        body: Value,
        key: String,
        reply_id: String,
    ) {
        let turn = Turn {
            conversation_id: conversation_id.to_owned(),
            subject,
            body,
            idempotency_key: key,
            reply_id,
            acknowledged: false,
            attempts: 0,
            not_before: 0,
            queued_at: self.database.now(),
        };
        batch.append(OUTBOX, &turn);
    }
}

/// Declares a read of every turn.
pub(super) fn read(reads: &mut Reads) -> Many<OutboxRight> {
    reads.scan(OUTBOX, Range::all())
}

/// A result for the backend.
pub(crate) struct Told<'a> {
    pub(crate) conversation_id: &'a str,
    pub(crate) public_key: Option<String>,
    /// The call's id, or the transmission's key.
    pub(crate) subject: &'a str,
    pub(crate) result: &'a ActionResult,
    /// What the agent knows, if it is news to it.
    pub(crate) news: Option<Known>,
}

/// What an agent knows of the wallet: `context` of a request.
pub(crate) struct Known {
    context: Value,
    /// Of the same.
    digest: String,
}

impl Known {
    fn new(tools: &Declared, notes: ToldNotes) -> Self {
        let digest = digest_of(tools, &notes);
        let mut context = tools.context.clone();
        if let Some(fields) = context.as_object_mut() {
            fields.extend(notes.fields().map(|(name, value)| (name.to_owned(), value)));
        }
        Self { context, digest }
    }
}

/// The digest of what an agent knows.
fn digest_of(tools: &Declared, notes: &ToldNotes) -> String {
    match notes.is_empty() {
        true => tools.digest.clone(),
        false => digest(&[&tools.digest, &notes.text()]),
    }
}

/// When a turn may go out again; none while it waits for nothing.
fn deadline(turn: &Turn) -> Option<Millis> {
    Some(turn.not_before).filter(|at| *at > 0)
}
