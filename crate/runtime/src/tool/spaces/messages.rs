//! `send_message`, `read_messages`, `skip`.

use super::super::shape::{Field, Kind, Shape};
use super::super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::super::{Output, RequestError, ToolError};
use super::{DEFAULT_PAGE, active, open};
use crate::agent::deliver::deliver;
use crate::agent::timeline::{self, MessageRow, put_message};
use crate::call::CallRow;
use crate::later::later;
use derive::ToJson;
use std::rc::Rc;
use wire::api::{MessageState, Role, Source};
use wire::event::Event;
use wire::failure::Failure;
use wire::json::Object;

/// Messages of one page.
const LARGEST_PAGE: u32 = 200;

/// Speaking.
pub(crate) static SEND_MESSAGE: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "send_message",
        description: "Sends a message to the space that was entered with enter_space. The people there read it.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["spaces"],
        arguments: &Shape { fields: &[Field::required("content", Kind::Text, "At most 100,000 bytes.")] },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, send(call, context))
    },
};

/// Reading.
pub(crate) static READ_MESSAGES: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "read_messages",
        description: "Reads messages of a space, from the newest backwards; each page is sorted from its oldest message to \
                      its newest. Without spaceId the space that was entered is read.",
        category: Category::Read,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["spaces"],
        arguments: &Shape {
            fields: &[
                Field::optional("spaceId", Kind::Text, "The conversation's id."),
                Field::optional("offset", Kind::Whole(0, 1_000_000), "How many of the newest are left out."),
                Field::optional("limit", Kind::Whole(1, LARGEST_PAGE), "How many are read; 50 where absent."),
            ],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, read(call, context))
    },
};

/// Doing nothing.
pub(crate) static SKIP: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "skip",
        description: "Does nothing: there is nothing to do this time.",
        category: Category::Read,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["spaces"],
        arguments: &Shape { fields: &[] },
    }),
    run: |_, _| Box::pin(async { Ok(Output::done(&Skipped { skipped: true })) }),
};

#[derive(ToJson)]
struct Skipped {
    skipped: bool,
}

#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Sent {
    message_id: String,
    space_id: String,
}

/// T004-34, T004-40: the message itself is shown, and no card beside it. It wakes no agent: all that may be in a space are
/// of the backend that sends it. What a page sends is said by the user, to the agent of that conversation.
async fn send(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(&call.params);
    let content = params.required_word("content")?;
    if content.len() > timeline::MAX_CONTENT {
        return Err(params.broken("content", "must have at most 100,000 bytes").into());
    }
    let space_id = active(call, context).await?;
    let core = Rc::clone(context.wallet.core);
    let space = core.conversations.get(&space_id).await?.ok_or(RequestError::NotFound)?;
    if call.source == Source::User {
        let said = match timeline::stage_said(&core, space, content, &mut context.batch).await? {
            Ok(said) => said,
            Err(error) => return Ok(Output::failed(Failure::of(error.code(), &error))),
        };
        let sent = Sent { message_id: said.id, space_id: space_id.clone() };
        context.after.push(Box::pin(async move { deliver(&core, &space_id) }));
        return Ok(Output::done(&sent));
    }
    let message = MessageRow {
        id: core.ids.next(),
        conversation_id: space_id.clone(),
        role: Role::Agent,
        content: content.to_owned(),
        state: MessageState::Done,
        error: None,
        created_at: context.now,
        tool: None,
    };
    put_message(&mut context.batch, &message);
    let sent = Sent { message_id: message.id.clone(), space_id };
    context.batch.tell(&Event::Message { message: message.into() });
    Ok(Output::done(&sent))
}

/// T004-35.
async fn read(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(&call.params);
    let offset = params.number("offset", 0, 1_000_000)?.unwrap_or(0);
    let limit = params.number("limit", 1, LARGEST_PAGE)?.unwrap_or(DEFAULT_PAGE);
    let wanted = match params.word("spaceId")? {
        Some(wanted) => wanted.to_owned(),
        None => active(call, context).await?,
    };
    Ok(Output::done(&open(call, context, Some(&wanted), offset, limit).await?))
}
