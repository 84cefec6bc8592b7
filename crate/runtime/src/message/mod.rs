//! `sign_message`: a message that a web page asks to have signed. Nothing is sent: the signature is the result.
//!
//! The signer reads the message and says what it allows ([`review`]); the policy judges that as it judges a transaction; the
//! user approves what is bound to a digest of the bytes; then the vault is opened, the message signed ([`sign`]), and the
//! signature recorded together with the call's result, in one batch. A worker that stops before has signed nothing that
//! anyone has; the one after it makes the same signature.

pub(crate) mod error;
mod review;
mod row;
mod sign;
mod tool;

pub(crate) use review::{check, consent};
pub(crate) use row::MessageRow;
pub(crate) use tool::SignMessage;

use crate::call;
use crate::database::Database;
use crate::store::{self, Batch, Reads, StoreError, Stored, owned_tables};
use crate::tool::shape::{Field, Kind, Shape};
use crate::tool::{About, Category, Consequence, DEFAULT_TIMEOUT, Definition};
use std::rc::Rc;
use wire::message::MessageView;

owned_tables! {
    /// Call id → a message that a web page asked to have signed, explained.
    MESSAGES: MessagesRight = Messages, MessageRow;
}

static ARGUMENTS: Shape = Shape {
    fields: &[
        Field::required("chain", Kind::Text, "The chain's name."),
        Field::required("form", Kind::OneOf(&["personal", "typed_data", "solana", "sui"]), ""),
        Field::required("content", Kind::Text, "The JSON of typed data; hex of anything else."),
    ],
};

/// Signing a message.
pub(crate) static SIGN_MESSAGE: Definition = Definition::built_in(About {
    name: "sign_message",
    description: "Signs a message for a web page. The user sees what it allows and approves it.",
    category: Category::SideEffect,
    consequence: Consequence::High,
    requires_confirmation: true,
    timeout: DEFAULT_TIMEOUT,
    tags: &["signing"],
    arguments: &ARGUMENTS,
});

/// Stages the removal of the message of a call.
pub(crate) fn stage_trimmed(call_id: &str, batch: &mut Batch) {
    batch.delete(MESSAGES, call_id);
}

/// Messages that pages asked to have signed. The only writer of `messages`.
pub(crate) struct Messages {
    database: Rc<Database>,
}

impl Messages {
    pub(crate) fn new(database: &Rc<Database>) -> Self {
        Self { database: Rc::clone(database) }
    }

    /// The message of a call.
    async fn get(&self, id: &str) -> Result<Option<Stored<MessageRow>>, StoreError> {
        store::get(self.database.store(), MESSAGES, id).await
    }

    /// A message as pages see it.
    pub(crate) async fn view(&self, id: &str) -> Result<Option<MessageView>, StoreError> {
        let mut reads = Reads::new();
        let (message, call) = (reads.get(MESSAGES, id), call::read(&mut reads, id));
        let snapshot = reads.from(self.database.store()).await?;
        let call = snapshot.one(call)?;
        let message = snapshot.one(message)?;
        Ok(message.map(|message| message.record.view(call.as_ref().map(|call| &*call.record))))
    }
}
