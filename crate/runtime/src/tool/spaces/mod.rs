//! `enter_space`, `leave_space`, `send_message`, `read_messages`, `skip`: an agent among the conversations of its backend
//! (specification 004).

mod messages;

pub(crate) use messages::{READ_MESSAGES, SEND_MESSAGE, SKIP};

use super::shape::{Field, Kind, Shape};
use super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::{Output, RequestError, ToolError};
use crate::call::CallRow;
use crate::later::later;
use crate::spaces::{History, history, reachable};
use derive::ToJson;
use wire::json::Object;

/// Messages that are read where no number is given, and with entering.
const DEFAULT_PAGE: u32 = 50;

/// Entering.
pub(crate) static ENTER_SPACE: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "enter_space",
        description: "Enters a space and returns its latest messages. A space is a conversation; without spaceId it is the \
                      one that this call comes from. What visible tools show, and send_message, appear in the space \
                      that was entered last.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["spaces"],
        arguments: &Shape {
            fields: &[Field::optional("spaceId", Kind::Text, "The conversation's id; its own where absent.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, enter(call, context))
    },
};

/// Leaving.
pub(crate) static LEAVE_SPACE: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "leave_space",
        description: "Leaves the space that was entered. Visible tools and send_message need another enter_space first.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["spaces"],
        arguments: &Shape { fields: &[] },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, leave(call, context))
    },
};

#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Left {
    left: String,
}

/// T004-32: the space is the active one from now on, and its history is the result.
async fn enter(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let wanted = Object::new(&call.params).word("spaceId")?;
    let history = open(call, context, wanted, 0, DEFAULT_PAGE).await?;
    context.wallet.core.spaces.stage_enter(&call.source, history.space_id(), &mut context.batch);
    Ok(Output::done(&history))
}

/// T004-33: outside of a space this is an error.
async fn leave(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let left = active(call, context).await?;
    context.wallet.core.spaces.stage_leave(&call.source, &mut context.batch);
    Ok(Output::done(&Left { left }))
}

/// The space that the caller is in.
async fn active(call: &CallRow, context: &Context<'_>) -> Result<String, ToolError> {
    let active = context.wallet.core.spaces.active(&call.source).await?;
    Ok(active.ok_or(RequestError::NotInSpace)?)
}

/// Messages of a space that the caller may enter.
async fn open(
    call: &CallRow,
    context: &Context<'_>,
    wanted: Option<&str>,
    offset: u32,
    limit: u32,
) -> Result<History, ToolError> {
    let core = context.wallet.core;
    let space = reachable(core, &call.source, wanted).await?.ok_or(RequestError::NotFound)?;
    let found = history(core, &space.record.conversation.id, offset as usize, limit as usize).await?;
    Ok(found.ok_or(RequestError::NotFound)?)
}
