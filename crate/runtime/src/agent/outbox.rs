//! Turns that the backend has not fully answered, on disk until it has.

use crate::Core;
use crate::id::derived;
use crate::store::{Batch, Range, StoreError, Table, parse, read};
use derive::Record;
use serde_json::{Value, json};
use wire::action::ActionResult;
use wire::api::{Message, Millis};

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
}

/// A turn with its place in the queue.
#[derive(Debug, Clone)]
pub(crate) struct Queued {
    pub(crate) key: String,
    pub(crate) text: String,
    pub(crate) turn: Turn,
}

impl Core {
    /// Every turn, oldest first.
    pub(crate) async fn outbox(&self) -> Result<Vec<Queued>, StoreError> {
        let rows = self.ports.store.scan(Table::Outbox, Range::all()).await?;
        rows.into_iter()
            .map(|row| {
                let turn = parse(Table::Outbox, &row.key, &row.text)?;
                Ok(Queued { key: row.key, text: row.text, turn })
            })
            .collect()
    }

    pub(crate) fn enqueue_message(&self, batch: &mut Batch, public_key: &str, message: &Message) {
        let body = json!({"public_key": public_key, "content": message.content});
        let subject = Subject::Message(message.id.clone());
        self.enqueue(batch, &message.conversation_id, subject, body, message.id.clone(), self.ids.next());
    }

    /// One result a request (D1), always under the same key for the same call. Its answer is the same then, and so
    /// is the message that the answer becomes.
    pub(crate) async fn enqueue_result(
        &self,
        batch: &mut Batch,
        conversation_id: &str,
        call_id: &str,
        result: &ActionResult,
        again: bool,
    ) -> Result<(), StoreError> {
        let public_key = self.conversation(conversation_id).await?.map(|stored| stored.record.public_key);
        let body = json!({"public_key": public_key, "action_result": result});
        let key = derived(&["result", call_id]);
        let reply_key = format!("reply/{call_id}");
        let reply_id = if again {
            read::<String>(&*self.ports.store, Table::Counters, &reply_key).await?.map(|known| known.record)
        } else {
            None
        };
        let reply_id = reply_id.unwrap_or_else(|| self.ids.next());
        batch.put(Table::Counters, &reply_key, &reply_id);
        self.enqueue(batch, conversation_id, Subject::Result(call_id.to_owned()), body, key, reply_id);
        Ok(())
    }

    /// What became of a transaction after its call's result was told: once, under a key of its own.
    pub(crate) async fn enqueue_late(
        &self,
        batch: &mut Batch,
        conversation_id: &str,
        transmission: &str,
        result: &ActionResult,
    ) -> Result<(), StoreError> {
        let public_key = self.conversation(conversation_id).await?.map(|stored| stored.record.public_key);
        let body = json!({"public_key": public_key, "action_result": result});
        let subject = Subject::Late(transmission.to_owned());
        let key = derived(&["late", transmission]);
        self.enqueue(batch, conversation_id, subject, body, key, self.ids.next());
        Ok(())
    }

    fn enqueue(
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
            queued_at: self.now(),
        };
        batch.append(Table::Outbox, &turn);
    }

    /// When the first turn that waits for its time may go out. One whose time has come waits no more: an alarm for
    /// it would ring at once, and again for as long as its attempt takes.
    pub(crate) async fn next_delivery(&self) -> Result<Option<Millis>, StoreError> {
        let now = self.now();
        Ok(self.outbox().await?.iter().map(|queued| queued.turn.not_before).filter(|time| *time > now).min())
    }
}
