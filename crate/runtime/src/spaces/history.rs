//! What was said in a space, as an agent reads it: pages from the newest, each from its oldest message to its newest.

use crate::Core;
use crate::agent::timeline::MessageRow;
use crate::store::{StoreError, json};
use derive::ToJson;
use serde_json::{Map, Value};
use wire::api::{MessageState, Role};
use wire::tool::iso_time;

/// Bytes of a message's text, and of what a tool gave, that an agent reads.
const LONGEST: usize = 8 << 10;

/// Messages of a space.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
pub(crate) struct History {
    space_id: String,
    title: String,
    /// From the oldest to the newest.
    messages: Vec<ReadMessage>,
    /// How many there are in the space.
    total: usize,
}

impl History {
    /// Of which space.
    pub(crate) fn space_id(&self) -> &str {
        &self.space_id
    }
}

/// A message as an agent reads it.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct ReadMessage {
    id: String,
    role: Role,
    content: String,
    state: MessageState,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<ReadTool>,
    /// Whether something of it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

/// The call that a message shows.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct ReadTool {
    call_id: String,
    name: String,
    input: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
}

/// At most `limit` messages of a space, before the newest `offset` of them; none if there is no such space.
pub(crate) async fn history(
    core: &Core,
    space_id: &str,
    offset: usize,
    limit: usize,
) -> Result<Option<History>, StoreError> {
    let Some((conversation, messages)) = core.conversations.said(space_id).await? else { return Ok(None) };
    let total = messages.len();
    let end = total.saturating_sub(offset);
    let page = messages.into_iter().take(end).skip(end.saturating_sub(limit));
    Ok(Some(History {
        space_id: conversation.id,
        title: conversation.title,
        messages: page.map(ReadMessage::from).collect(),
        total,
    }))
}

impl From<MessageRow> for ReadMessage {
    fn from(row: MessageRow) -> Self {
        let MessageRow { id, role, mut content, state, error, created_at, tool, .. } = row;
        let mut truncated = content.len() > LONGEST;
        if truncated {
            content.truncate(content.floor_char_boundary(LONGEST));
        }
        let tool = tool.map(|tool| {
            let mut read =
                ReadTool { call_id: tool.call_id, name: tool.name, input: tool.input, output: tool.output };
            if json(&read.input).len() > LONGEST {
                (read.input, truncated) = (Map::new(), true);
            }
            if read.output.as_ref().is_some_and(|output| json(output).len() > LONGEST) {
                (read.output, truncated) = (None, true);
            }
            read
        });
        let truncated = truncated.then_some(true);
        Self { id, role, content, state, created_at: iso_time(created_at), error, tool, truncated }
    }
}
