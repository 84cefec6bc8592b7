//! What was said and done in a conversation, in order: messages, and marks where calls stand.

use crate::Core;
use crate::agent::deliver;
use crate::agent::inputs;
use crate::agent::outbox::{self, Subject, Turn};
use crate::call::{self, CallRow};
use crate::database::Database;
use crate::http::{ApiError, RouteError};
use crate::notes;
use crate::spaces;
use crate::store::{
    Batch, Durability, Range, Reads, StoreError, Stored, Table, get, owned_tables, parse, scan,
};
use crate::tools;
use crate::trim::surplus;
use derive::Record;
use serde_json::Value;
use std::rc::Rc;
use wire::api::{
    self, Conversation, Message, MessageState, Millis, Role, Timeline, TimelineItem, ToolInput, ToolPart,
};
use wire::event::Event;

owned_tables! {
    /// Conversation id → conversation.
    CONVERSATIONS: ConversationsRight = Conversations, Record;
    /// Conversation id and item id → message, or the mark of a call.
    TIMELINE: TimelineRight = Timeline, Entry;
}

/// A conversation on disk: what pages see, who we are in it, and where it is at the backend.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) conversation: Conversation,
    /// Fixed at its beginning: a backend keeps a conversation under its owner's key.
    pub(crate) public_key: String,
    pub(crate) remote: Option<Remote>,
}

/// A conversation at a backend.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Remote {
    /// Which backend.
    pub(crate) backend_url: String,
    /// Its id there.
    pub(crate) id: String,
}

/// A message on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageRow {
    pub(crate) id: String,
    pub(crate) conversation_id: String,
    pub(crate) role: Role,
    pub(crate) content: String,
    pub(crate) state: MessageState,
    /// Why it failed, as `code: sentence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    pub(crate) created_at: Millis,
    /// The call of a visible tool that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<Box<ToolPart>>,
}

impl From<MessageRow> for Message {
    fn from(row: MessageRow) -> Self {
        let MessageRow { id, conversation_id, role, content, state, error, created_at, tool } = row;
        Self { id, conversation_id, role, content, state, error, created_at, tool }
    }
}

/// An entry of the timeline on disk.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    Message(MessageRow),
    Call(String),
}

/// What is in a conversation.
struct Entries {
    conversation: Conversation,
    entries: Vec<Entry>,
    inputs: Vec<ToolInput>,
}

/// Bytes of a message of a person, or of one that an agent sends to a space.
pub(crate) const MAX_CONTENT: usize = 100_000;
const MAX_TITLE: usize = 200;
/// No more messages and marks of calls than these are kept, except those of the last two days.
const MAX_ITEMS: usize = 20_000;
/// So many items are read in one go.
const PAGE: u32 = 500;
/// So many items are removed in one batch.
const CHUNK: usize = 500;

fn key(conversation_id: &str, item_id: &str) -> String {
    format!("{conversation_id}/{item_id}")
}

/// Marks where a call stands. Its id sorts by time, as a message's does.
pub(crate) fn mark_call(batch: &mut Batch, conversation_id: &str, call_id: &str) {
    batch.put(TIMELINE, &key(conversation_id, call_id), &Entry::Call(call_id.to_owned()));
}

/// Writes a message as it is now.
pub(crate) fn put_message(batch: &mut Batch, message: &MessageRow) {
    batch.put(TIMELINE, &key(&message.conversation_id, &message.id), &Entry::Message(message.clone()));
}

/// Stages the message that shows a call of a visible tool, in the space that it was made in (T004-28). Nothing for a call
/// that is shown nowhere.
pub(crate) fn show_tool(
    batch: &mut Batch,
    call: &CallRow,
    state: MessageState,
    output: Option<&Value>,
    error: Option<String>,
) {
    let Some(space) = &call.space else { return };
    let message = MessageRow {
        // Sorts by time, as every message's.
        id: call.id.clone(),
        conversation_id: space.id.clone(),
        role: Role::Agent,
        content: String::new(),
        state,
        error,
        created_at: call.received_at,
        tool: Some(Box::new(ToolPart {
            call_id: call.id.clone(),
            run_id: call.run_id.clone(),
            name: call.tool.clone().unwrap_or_default(),
            execution: space.execution,
            result_schema: space.result_schema.clone(),
            input: call.params.clone(),
            output: output.cloned(),
        })),
    };
    put_message(batch, &message);
    batch.tell(&Event::Message { message: message.into() });
}

/// The conversations as pages see them, of their rows: newest first.
pub(crate) fn view_rows<'a>(
    rows: impl DoubleEndedIterator<Item = &'a str>,
) -> Result<api::Conversations, StoreError> {
    let conversations =
        rows.rev().map(|text| parse::<Record>(Table::Conversations, "", text).map(|row| row.conversation));
    Ok(api::Conversations { conversations: conversations.collect::<Result<_, _>>()? })
}

/// The conversations. The only writer of `conversations` and `timeline`.
pub(crate) struct Conversations {
    database: Rc<Database>,
}

impl Conversations {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Option<Stored<Record>>, StoreError> {
        get(self.database.store(), CONVERSATIONS, id).await
    }

    /// All of them, newest first.
    pub(crate) async fn list(&self) -> Result<Vec<Conversation>, StoreError> {
        let range = Range { descending: true, ..Range::all() };
        let rows = scan(self.database.store(), CONVERSATIONS, range).await?;
        Ok(rows.into_iter().map(|row| row.record.conversation).collect())
    }

    /// The owner's key in a conversation.
    pub(crate) async fn public_key(&self, id: &str) -> Result<Option<String>, StoreError> {
        Ok(self.get(id).await?.map(|stored| stored.record.public_key))
    }

    pub(crate) async fn begin(
        &self,
        id: String,
        title: Option<&str>,
        public_key: String,
    ) -> Result<Conversation, StoreError> {
        let title = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or("New conversation");
        let title = title.chars().take(MAX_TITLE).collect();
        let conversation = Conversation { id, title, created_at: self.database.now(), backend: None };
        let record = Record { conversation: conversation.clone(), public_key, remote: None };
        let mut batch = Batch::new(Durability::Strict);
        batch.put(CONVERSATIONS, &conversation.id, &record);
        batch.tell(&Event::Conversation { conversation: conversation.clone() });
        self.database.commit(batch).await?;
        Ok(conversation)
    }

    /// The agent named the conversation.
    pub(crate) async fn rename(&self, id: &str, title: &str) -> Result<(), StoreError> {
        let title: String = title.trim().chars().take(MAX_TITLE).collect();
        let Some(Stored { text, mut record }) = self.get(id).await? else {
            return Ok(());
        };
        if title.is_empty() || title == record.conversation.title {
            return Ok(());
        }
        record.conversation.title = title;
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(CONVERSATIONS, id, Some(&text));
        batch.put(CONVERSATIONS, id, &record);
        batch.tell(&Event::Conversation { conversation: record.conversation });
        self.database.commit(batch).await
    }

    /// Stages that a conversation is with the backend of its first message, for good; refused where it is with another.
    fn stage_backend(
        &self,
        Stored { text, record }: Stored<Record>,
        backend: String,
        batch: &mut Batch,
    ) -> Result<(), RouteError> {
        match &record.conversation.backend {
            Some(own) if *own == backend => return Ok(()),
            Some(_) => return Err(RouteError::OtherBackend),
            None => {}
        }
        let conversation = Conversation { backend: Some(backend), ..record.conversation };
        let record = Record { conversation, ..*record };
        batch.expect(CONVERSATIONS, &record.conversation.id, Some(&text));
        batch.put(CONVERSATIONS, &record.conversation.id, &record);
        Ok(())
    }

    /// The backend named its own id of the conversation.
    pub(crate) async fn set_remote(&self, stored: Stored<Record>, remote: Remote) -> Result<(), StoreError> {
        let Stored { text, record } = stored;
        let record = Record { remote: Some(remote), ..*record };
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(CONVERSATIONS, &record.conversation.id, Some(&text));
        batch.put(CONVERSATIONS, &record.conversation.id, &record);
        self.database.commit(batch).await
    }

    /// A message of the timeline.
    pub(crate) async fn message(
        &self,
        conversation_id: &str,
        id: &str,
    ) -> Result<Option<MessageRow>, StoreError> {
        let entry = get(self.database.store(), TIMELINE, &key(conversation_id, id)).await?;
        Ok(entry.and_then(|entry| match *entry.record {
            Entry::Message(message) => Some(message),
            Entry::Call(_) => None,
        }))
    }

    /// The id and the key of every item, a page at a time: messages are long.
    async fn item_keys(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut items: Vec<(String, String)> = Vec::new();
        loop {
            let after = items.last().map(|(_, key)| key.clone());
            let mut reads = Reads::new();
            let page = reads.scan(TIMELINE, Range { after, ..Range::all() }.first(PAGE));
            let keys = reads.from(self.database.store()).await?.keys(page);
            let more = keys.len() == PAGE as usize;
            let item = |key: String| (key.rsplit('/').next().unwrap_or_default().to_owned(), key);
            items.extend(keys.into_iter().map(item));
            if !more {
                return Ok(items);
            }
        }
    }

    /// A conversation and its entries, oldest first, with the arguments that are on their way, as they are at one moment.
    async fn entries(&self, id: &str) -> Result<Option<Entries>, StoreError> {
        let mut reads = Reads::new();
        let conversation = reads.get(CONVERSATIONS, id);
        let entries = reads.scan(TIMELINE, Range::prefix(format!("{id}/")));
        let inputs = inputs::read(id, &mut reads);
        let snapshot = reads.from(self.database.store()).await?;
        let Some(stored) = snapshot.one(conversation)? else {
            return Ok(None);
        };
        let entries = snapshot.many(entries)?.into_iter().map(|row| row.record).collect();
        let inputs = inputs::view(&snapshot, inputs)?;
        Ok(Some(Entries { conversation: stored.record.conversation, entries, inputs }))
    }
}

impl Conversations {
    /// A conversation and what was said in it, oldest first, without the marks of calls.
    pub(crate) async fn said(&self, id: &str) -> Result<Option<(Conversation, Vec<MessageRow>)>, StoreError> {
        let said = |entry: Entry| match entry {
            Entry::Message(message) => Some(message),
            Entry::Call(_) => None,
        };
        let found = self.entries(id).await?;
        Ok(found.map(|found| (found.conversation, found.entries.into_iter().filter_map(said).collect())))
    }
}

/// Removes what is too old or too much of the conversations, and conversations of which nothing is left. What the
/// outbox, an open call or a plan still needs stays.
pub(crate) async fn trim(core: &Core, now: Millis) -> Result<(), StoreError> {
    let mut reads = Reads::new();
    let (turns, pending) = (outbox::read(&mut reads), call::read_pending(&mut reads));
    let conversations = reads.scan(CONVERSATIONS, Range::all());
    let (active, plans) = (spaces::read(&mut reads), notes::read_plans(&mut reads));
    let snapshot = reads.from(core.database.store()).await?;
    let (active, planned) = (spaces::rows(&snapshot, active)?, notes::planned(&snapshot, plans)?);
    let (turns, pending) = (snapshot.many(turns)?, snapshot.keys(pending));
    let conversations = snapshot.keys(conversations).into_iter().map(|id| (id, String::new())).collect();
    let needed = |item: &str| {
        let told = |turn: &Turn| {
            turn.reply_id == item || matches!(&turn.subject, Subject::Message(id) if id == item)
        };
        turns.iter().any(|row| told(&row.record))
            || pending.iter().any(|key| key.split_once('/').is_some_and(|(_, call_id)| call_id == item))
    };
    let mut items = core.conversations.item_keys().await?;
    let mut removed = surplus(items.clone(), MAX_ITEMS, now);
    removed.retain(|(item, _)| !needed(item));
    for some in removed.chunks(CHUNK) {
        let mut batch = Batch::new(Durability::Relaxed);
        some.iter().for_each(|(_, key)| batch.delete(TIMELINE, key));
        core.commit(batch).await?;
    }
    items.retain(|item| removed.binary_search(item).is_err());
    let mut batch = Batch::new(Durability::Relaxed);
    for (id, _) in surplus(conversations, usize::MAX, now) {
        let holds =
            items.iter().any(|(_, key)| key.strip_prefix(&id).is_some_and(|rest| rest.starts_with('/')));
        if !holds && !planned.contains(&id) && turns.iter().all(|row| row.record.conversation_id != id) {
            batch.delete(CONVERSATIONS, &id);
            core.journal.stage_conversation_trimmed(&id, &mut batch);
            core.outbox.stage_conversation_trimmed(&id, &mut batch);
            core.spaces.stage_conversation_trimmed(&id, &active, &mut batch);
        }
    }
    core.commit(batch).await
}

/// Takes a person's message: it is on disk and in the outbox when this returns.
pub(crate) async fn say(core: &Rc<Core>, conversation_id: &str, content: &str) -> Result<Message, ApiError> {
    let content = content.trim();
    if content.is_empty() || content.len() > MAX_CONTENT {
        return Err(ApiError::invalid("/content", "must be a text of at most 100 000 bytes"));
    }
    let stored = core.conversations.get(conversation_id).await?.ok_or_else(no_conversation)?;
    let mut batch = Batch::new(Durability::Strict);
    let message = stage_said(core, stored, content, &mut batch).await??;
    core.commit(batch).await?;
    deliver::deliver(core, conversation_id);
    Ok(message.into())
}

/// Stages a person's message, on its way to the agent.
pub(crate) async fn stage_said(
    core: &Core,
    stored: Stored<Record>,
    content: &str,
    batch: &mut Batch,
) -> Result<Result<MessageRow, RouteError>, StoreError> {
    let Some(backend) = core.settings.read().await?.backend() else { return Ok(Err(RouteError::NoBackend)) };
    let public_key = stored.record.public_key.clone();
    let message = MessageRow {
        id: core.ids.next(),
        conversation_id: stored.record.conversation.id.clone(),
        role: Role::User,
        content: content.to_owned(),
        state: MessageState::Sending,
        error: None,
        created_at: core.now(),
        tool: None,
    };
    let known = core.outbox.known(&backend, &*tools::declared(core).await?).await?;
    if let Err(refused) = core.conversations.stage_backend(stored, backend, batch) {
        return Ok(Err(refused));
    }
    put_message(batch, &message);
    core.outbox.stage_message(batch, &public_key, &message, &known, core.ids.next());
    batch.tell(&Event::Message { message: message.clone().into() });
    Ok(Ok(message))
}

/// What was said and done in a conversation, and the event to go on from.
pub(crate) async fn timeline(core: &Core, conversation_id: &str) -> Result<Timeline, ApiError> {
    // Before the items: an event that is told twice does no harm, one that is missed would.
    let last_event_id = core.events.last_id().await?;
    let Entries { conversation, entries, inputs } =
        core.conversations.entries(conversation_id).await?.ok_or_else(no_conversation)?;
    let ids = entries.iter().filter_map(|entry| match entry {
        Entry::Call(id) => Some(id.as_str()),
        Entry::Message(_) => None,
    });
    let mut calls = core.journal.calls(ids).await?.into_iter();
    let items = entries.into_iter().filter_map(|entry| match entry {
        Entry::Message(message) => Some(TimelineItem::Message { message: message.into() }),
        Entry::Call(_) => calls.next()?.map(|call| TimelineItem::Call { call: Box::new(call.into()) }),
    });
    let here = core.settings.read().await?.backend();
    let other_backend = conversation.backend.clone().filter(|backend| here.as_ref() != Some(backend));
    Ok(Timeline { conversation, items: items.collect(), inputs, other_backend, last_event_id })
}

pub(crate) fn no_conversation() -> ApiError {
    RouteError::ConversationNotFound.into()
}
