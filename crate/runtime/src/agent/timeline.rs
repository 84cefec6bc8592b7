//! What was said and done in a conversation, in order: messages, and marks where calls stand.

use crate::Core;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, Range, StoreError, Stored, Table, parse};
use derive::Record;
use std::rc::Rc;
use wire::api::{Call, Conversation, Message, MessageState, Role, Timeline, TimelineItem};
use wire::event::Event;

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

/// An entry of the timeline on disk.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case")]
enum Entry {
    Message(Message),
    Call(String),
}

const MAX_CONTENT: usize = 100_000;
const MAX_TITLE: usize = 200;

fn key(conversation_id: &str, item_id: &str) -> String {
    format!("{conversation_id}/{item_id}")
}

/// Marks where a call stands. Its id sorts by time, as a message's does.
pub(crate) fn mark_call(batch: &mut Batch, conversation_id: &str, call_id: &str) {
    batch.put(Table::Timeline, &key(conversation_id, call_id), &Entry::Call(call_id.to_owned()));
}

/// Writes a message as it is now.
pub(crate) fn put_message(batch: &mut Batch, message: &Message) {
    batch.put(Table::Timeline, &key(&message.conversation_id, &message.id), &Entry::Message(message.clone()));
}

impl Core {
    pub(crate) async fn conversation(&self, id: &str) -> Result<Option<Stored<Record>>, StoreError> {
        store::read(&*self.ports.store, Table::Conversations, id).await
    }

    pub(crate) async fn conversations(&self) -> Result<Vec<Conversation>, StoreError> {
        let range = Range { descending: true, ..Range::all() };
        let rows = self.ports.store.scan(Table::Conversations, range).await?;
        rows.iter()
            .map(|row| {
                parse::<Record>(Table::Conversations, &row.key, &row.text).map(|record| record.conversation)
            })
            .collect()
    }

    pub(crate) async fn begin_conversation(&self, title: Option<&str>) -> Result<Conversation, ApiError> {
        let title = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or("New conversation");
        let conversation = Conversation {
            id: self.ids.next(),
            title: title.chars().take(MAX_TITLE).collect(),
            created_at: self.now(),
        };
        let public_key = self.settings.public_key().await?;
        let record = Record { conversation: conversation.clone(), public_key, remote: None };
        let mut batch = Batch::new(Durability::Strict);
        batch.put(Table::Conversations, &conversation.id, &record);
        batch.tell(&Event::Conversation { conversation: conversation.clone() });
        self.commit(batch).await?;
        Ok(conversation)
    }

    /// Takes a person's message: it is on disk and in the outbox when this returns.
    pub(crate) async fn say(
        self: &Rc<Self>,
        conversation_id: &str,
        content: &str,
    ) -> Result<Message, ApiError> {
        let content = content.trim();
        if content.is_empty() || content.len() > MAX_CONTENT {
            return Err(ApiError::invalid("/content", "must be a text of at most 100 000 bytes"));
        }
        let public_key =
            self.conversation(conversation_id).await?.ok_or_else(no_conversation)?.record.public_key;
        if self.settings.read().await?.backend_url.is_empty() {
            let message = "no agent is set: enter its address in the settings";
            return Err(ApiError::new(409, "no_backend", message));
        }
        let message = Message {
            id: self.ids.next(),
            conversation_id: conversation_id.to_owned(),
            role: Role::User,
            content: content.to_owned(),
            state: MessageState::Sending,
            error: None,
            created_at: self.now(),
        };
        let mut batch = Batch::new(Durability::Strict);
        put_message(&mut batch, &message);
        self.enqueue_message(&mut batch, &public_key, &message);
        batch.tell(&Event::Message { message: message.clone() });
        self.commit(batch).await?;
        self.deliver(conversation_id);
        Ok(message)
    }

    pub(crate) async fn timeline(&self, conversation_id: &str) -> Result<Timeline, ApiError> {
        // Before the items: an event that is told twice does no harm, one that is missed would.
        let last_event_id = self.events.last_id().await?;
        let record = self.conversation(conversation_id).await?.ok_or_else(no_conversation)?.record;
        let rows =
            self.ports.store.scan(Table::Timeline, Range::prefix(format!("{conversation_id}/"))).await?;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            match parse::<Entry>(Table::Timeline, &row.key, &row.text)? {
                Entry::Message(message) => items.push(TimelineItem::Message { message }),
                Entry::Call(id) => {
                    if let Some(call) = store::read::<Call>(&*self.ports.store, Table::Calls, &id).await? {
                        items.push(TimelineItem::Call { call: Box::new(call.record) });
                    }
                }
            }
        }
        Ok(Timeline { conversation: record.conversation, items, last_event_id })
    }

    /// A message of the timeline.
    pub(crate) async fn message(
        &self,
        conversation_id: &str,
        id: &str,
    ) -> Result<Option<Message>, StoreError> {
        let entry =
            store::read::<Entry>(&*self.ports.store, Table::Timeline, &key(conversation_id, id)).await?;
        Ok(entry.and_then(|entry| match entry.record {
            Entry::Message(message) => Some(message),
            Entry::Call(_) => None,
        }))
    }

    /// The agent named the conversation.
    pub(crate) async fn rename(&self, conversation_id: &str, title: &str) -> Result<(), StoreError> {
        let title: String = title.trim().chars().take(MAX_TITLE).collect();
        let Some(Stored { text, mut record }) = self.conversation(conversation_id).await? else {
            return Ok(());
        };
        if title.is_empty() || title == record.conversation.title {
            return Ok(());
        }
        record.conversation.title = title;
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(Table::Conversations, conversation_id, Some(&text));
        batch.put(Table::Conversations, conversation_id, &record);
        batch.tell(&Event::Conversation { conversation: record.conversation });
        self.commit(batch).await
    }
}

pub(crate) fn no_conversation() -> ApiError {
    ApiError::not_found("conversation_not_found", "there is no such conversation")
}
