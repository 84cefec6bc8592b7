//! `set_goals`, `delete_goals`.

use super::super::shape::{Field, Kind, Shape};
use super::super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::super::{Output, RequestError, ToolError};
use super::{BY_ID, MAX_TEXT, MAX_TITLE, each, entries, owner, required, text};
use crate::call::CallRow;
use crate::later::later;
use crate::notes::{Goal, GoalStatus, MAX_GOALS};

/// Creating and changing.
pub(crate) static SET_GOALS: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "set_goals",
        description: "Creates goals of yours, or changes those whose id is given. They come with every request, as \
                      context.goals.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape {
            fields: &[Field::required("goals", entries(&GOAL), "Each is kept, or refused, by itself.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, set(call, context))
    },
};

/// Deleting.
pub(crate) static DELETE_GOALS: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "delete_goals",
        description: "Deletes goals of yours by their ids.",
        category: Category::Delete,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape {
            fields: &[Field::required("goals", entries(&BY_ID), "Each is deleted, or refused, by itself.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, delete(call, context))
    },
};

static GOAL: Shape = Shape {
    fields: &[
        Field::optional("id", Kind::Text, "Of the goal to change; a new one where absent."),
        Field::optional("title", Kind::Text, "At most 200 characters; a new goal needs one."),
        Field::optional("description", Kind::Text, "At most 4,000 characters."),
        Field::optional("status", Kind::OneOf(&["active", "paused", "done"]), "A new goal is active."),
    ],
};

/// T004-37: what is not given of a goal that is changed stays as it is.
async fn set(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let mut goals = context.wallet.core.notes.goals(&agent).await?;
    let (ids, now) = (context.ids, context.now);
    let output = each(call, "goals", |entry, row| {
        row.id = entry.given("id");
        row.title = entry.given("title");
        let known = match entry.word("id")? {
            Some(id) => Some(goals.get(id).cloned().ok_or(RequestError::NotFound)?),
            None if goals.rows().count() >= MAX_GOALS => {
                return Err(RequestError::TooManyNotes { most: MAX_GOALS, what: "goals" });
            }
            None => None,
        };
        let status = match entry.word("status")? {
            None => None,
            Some("active") => Some(GoalStatus::Active),
            Some("paused") => Some(GoalStatus::Paused),
            Some("done") => Some(GoalStatus::Done),
            Some(_) => return Err(entry.broken("status", "must be active, paused or done").into()),
        };
        let description = text(entry, "description", MAX_TEXT)?;
        let goal = match known {
            Some(known) => Goal {
                title: text(entry, "title", MAX_TITLE)?.unwrap_or(known.title),
                description: description.or(known.description),
                status: status.unwrap_or(known.status),
                updated_at: now,
                id: known.id,
            },
            None => Goal {
                title: required(entry, "title", MAX_TITLE)?,
                description,
                status: status.unwrap_or(GoalStatus::Active),
                updated_at: now,
                id: ids.next(),
            },
        };
        (row.id, row.title) = (Some(goal.id.clone()), Some(goal.title.clone()));
        goals.put(&goal.id.clone(), goal);
        Ok(())
    })?;
    goals.stage(&mut context.batch);
    Ok(output)
}

async fn delete(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let mut goals = context.wallet.core.notes.goals(&agent).await?;
    let output = each(call, "goals", |entry, row| {
        row.id = entry.given("id");
        let deleted = goals.remove(entry.required_word("id")?).ok_or(RequestError::NotFound)?;
        row.title = Some(deleted.title);
        Ok(())
    })?;
    goals.stage(&mut context.batch);
    Ok(output)
}
