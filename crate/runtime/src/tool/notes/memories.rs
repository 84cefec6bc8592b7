//! `set_memories`, `delete_memories`.

use super::super::shape::{Field, Kind, Shape};
use super::super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::super::{Output, RequestError, ToolError};
use super::{MAX_TEXT, MAX_TITLE, each, entries, owner, required};
use crate::call::CallRow;
use crate::later::later;
use crate::notes::{MAX_MEMORIES, Memory};

/// Creating and changing.
pub(crate) static SET_MEMORIES: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "set_memories",
        description: "Keeps what you want to know the next time, each under a key; the same key again replaces it. They come \
                      with every request, as context.memories. Never keep a secret here.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape {
            fields: &[Field::required("memories", entries(&MEMORY), "Each is kept, or refused, by itself.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, set(call, context))
    },
};

/// Deleting.
pub(crate) static DELETE_MEMORIES: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "delete_memories",
        description: "Deletes memories of yours by their keys.",
        category: Category::Delete,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape {
            fields: &[Field::required(
                "memories",
                entries(&BY_KEY),
                "Each is deleted, or refused, by itself.",
            )],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, delete(call, context))
    },
};

static MEMORY: Shape = Shape {
    fields: &[
        Field::required("key", Kind::Text, "At most 200 characters."),
        Field::required("value", Kind::Text, "At most 4,000 characters."),
    ],
};

static BY_KEY: Shape = Shape { fields: &[Field::required("key", Kind::Text, "")] };

/// T004-38: upsert by key; of two entries with the same key the later one stays.
async fn set(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let mut memories = context.wallet.core.notes.memories(&agent).await?;
    let now = context.now;
    let output = each(call, "memories", |entry, row| {
        row.key = entry.given("key");
        let key = required(entry, "key", MAX_TITLE)?;
        let value = required(entry, "value", MAX_TEXT)?;
        if memories.get(&key).is_none() && memories.rows().count() >= MAX_MEMORIES {
            return Err(RequestError::TooManyNotes { most: MAX_MEMORIES, what: "memories" });
        }
        row.key = Some(key.clone());
        memories.put(&key.clone(), Memory { key, value, updated_at: now });
        Ok(())
    })?;
    memories.stage(&mut context.batch);
    Ok(output)
}

async fn delete(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let mut memories = context.wallet.core.notes.memories(&agent).await?;
    let output = each(call, "memories", |entry, row| {
        row.key = entry.given("key");
        memories.remove(entry.required_word("key")?).ok_or(RequestError::NotFound)?;
        Ok(())
    })?;
    memories.stage(&mut context.batch);
    Ok(output)
}
