//! `set_goals`, `delete_goals`, `set_memories`, `delete_memories`, `set_plans`, `delete_plans`, `get_plans`: what an agent
//! keeps for itself (specification 004). Arrays in, one row for each entry out; an entry that is refused does not stop the
//! next.

mod goals;
mod memories;
mod plans;

pub(crate) use goals::{DELETE_GOALS, SET_GOALS};
pub(crate) use memories::{DELETE_MEMORIES, SET_MEMORIES};
pub(crate) use plans::{DELETE_PLANS, GET_PLANS, SET_PLANS};

use super::shape::{Field, Kind, Shape};
use super::{Context, Output, RequestError, ToolError};
use crate::call::CallRow;
use crate::notes::agent_of;
use derive::ToJson;
use wire::failure::Failure;
use wire::json::Object;

/// Characters of a title and of a memory's key.
const MAX_TITLE: usize = 200;
/// Characters of a description and of a memory's value.
const MAX_TEXT: usize = 4_000;
/// Entries of one call.
const MAX_ENTRIES: usize = 100;

/// What became of an entry.
#[derive(Debug, Default, ToJson)]
#[serde(rename_all = "camelCase")]
struct NoteRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<String>,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

#[derive(ToJson)]
struct NoteRows {
    results: Vec<NoteRow>,
}

const fn entries(entry: &'static Shape) -> Kind {
    Kind::Entries { what: "entry", most: Some((MAX_ENTRIES, "must have at most 100 entries")), entry }
}

static BY_ID: Shape = Shape { fields: &[Field::required("id", Kind::Text, "")] };

/// Whose notes the call is about.
async fn owner(call: &CallRow, context: &Context<'_>) -> Result<String, ToolError> {
    Ok(agent_of(context.wallet.core, &call.source).await?.ok_or(RequestError::NotFound)?)
}

/// Attempts every entry of an array.
fn each(
    call: &CallRow,
    name: &'static str,
    mut attempt: impl FnMut(&Object<'_>, &mut NoteRow) -> Result<(), RequestError>,
) -> Result<Output, ToolError> {
    let params = Object::new(&call.params);
    let mut results = Vec::new();
    for (index, entry) in params.some(name, "entry")?.iter().enumerate() {
        let mut row = NoteRow::default();
        let outcome = Object::at(params.element(name, index), entry)
            .map_err(RequestError::from)
            .and_then(|entry| attempt(&entry, &mut row));
        row.success = outcome.is_ok();
        row.error = outcome.err().map(Failure::from);
        results.push(row);
    }
    let rows = NoteRows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_ref())))
}

/// A text of an entry; absent where it is not given.
fn text(entry: &Object<'_>, name: &'static str, most: usize) -> Result<Option<String>, RequestError> {
    let Some(text) = entry.word(name)? else { return Ok(None) };
    if text.chars().count() > most {
        return Err(entry.broken(name, format!("must have at most {most} characters")).into());
    }
    Ok(Some(text.to_owned()))
}

/// A text that must be there.
fn required(entry: &Object<'_>, name: &'static str, most: usize) -> Result<String, RequestError> {
    text(entry, name, most)?.ok_or_else(|| entry.broken(name, "must be a non-empty string").into())
}
