//! `set_plans`, `delete_plans`, `get_plans`.

use super::super::shape::{Field, Kind, Shape};
use super::super::{About, BuiltIn, Category, Consequence, Context, DEFAULT_TIMEOUT, Definition};
use super::super::{Output, RequestError, ToolError};
use super::{BY_ID, MAX_TEXT, MAX_TITLE, each, entries, owner, required, text};
use crate::alarm::Due;
use crate::call::CallRow;
use crate::later::later;
use crate::notes::{self, MAX_PLANS, Notebook, Plan, PlansRight, instant};
use crate::store::Batch;
use chains::order::sort_by;
use derive::ToJson;
use std::rc::Rc;
use wire::api::{Millis, Source};
use wire::json::Object;
use wire::tool::iso_time;

/// Creating and changing.
pub(crate) static SET_PLANS: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "set_plans",
        description: "Plans what you want to be told at a time, or changes the plans whose id is given. When a plan is due, \
                      this conversation gets an inbox item of the type plan_due, also if the browser was closed at that \
                      time.",
        category: Category::Write,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape {
            fields: &[Field::required("plans", entries(&PLAN), "Each is kept, or refused, by itself.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, set(call, context))
    },
};

/// Deleting.
pub(crate) static DELETE_PLANS: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "delete_plans",
        description: "Deletes plans of yours by their ids.",
        category: Category::Delete,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape {
            fields: &[Field::required("plans", entries(&BY_ID), "Each is deleted, or refused, by itself.")],
        },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, delete(call, context))
    },
};

/// Looking.
pub(crate) static GET_PLANS: BuiltIn = BuiltIn {
    definition: Definition::of_own_records(About {
        name: "get_plans",
        description: "Returns your plans, those that are due first at the top; those that were told are at the end.",
        category: Category::Read,
        consequence: Consequence::Low,
        requires_confirmation: false,
        timeout: DEFAULT_TIMEOUT,
        tags: &["notes"],
        arguments: &Shape { fields: &[] },
    }),
    run: |call, context| {
        let core = context.wallet.core;
        later(core, get(call, context))
    },
};

static PLAN: Shape = Shape {
    fields: &[
        Field::optional("id", Kind::Text, "Of the plan to change; a new one where absent."),
        Field::optional("title", Kind::Text, "At most 200 characters; a new plan needs one."),
        Field::optional("description", Kind::Text, "At most 4,000 characters."),
        Field::optional(
            "dueAt",
            Kind::Label,
            "ISO 8601 with a zone, or milliseconds since 1970; a new plan needs one.",
        ),
        Field::optional("everyMinutes", Kind::Whole(1, MOST_MINUTES), "Due again after so many minutes."),
    ],
};

/// A year.
const MOST_MINUTES: u32 = 366 * 24 * 60;
/// A plan is due within ten years.
const LATEST: Millis = 10 * 366 * 24 * 60 * 60 * 1000;

/// T004-39: a plan belongs to the conversation that set it last; a new time makes it due again.
async fn set(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let core = Rc::clone(context.wallet.core);
    let mut plans = core.notes.plans(&agent).await?;
    let conversation_id = match &call.source {
        Source::Agent { conversation_id } => Some(conversation_id.clone()),
        Source::User | Source::Dapp { .. } => None,
    };
    let (ids, now) = (context.ids, context.now);
    let batch = &mut context.batch;
    let output = each(call, "plans", |entry, row| {
        row.id = entry.given("id");
        row.title = entry.given("title");
        let mut plan = match entry.word("id")? {
            Some(id) => changed(entry, plans.get(id).ok_or(RequestError::NotFound)?, now)?,
            None => new(entry, ids.next(), now)?,
        };
        plan.conversation_id = conversation_id.clone();
        row.id = Some(plan.id.clone());
        row.title = Some(plan.title.clone());
        row.due_at = plan.due_at.map(iso_time);
        let before = plans.get(&plan.id).and_then(|before| before.due_at);
        if plans.get(&plan.id).is_none() && plans.rows().count() >= MAX_PLANS {
            make_room(&mut plans)?;
        }
        batch.due(Due::Plan, &plans.key(&plan.id), before, plan.due_at);
        plans.put(&plan.id.clone(), plan);
        Ok(())
    })?;
    plans.stage(batch);
    // The alarm is set to it; what is due already is told now.
    context.after.push(Box::pin(async move {
        notes::fire(&core);
        core.wake_after(Ok(())).await;
    }));
    Ok(output)
}

fn new(entry: &Object<'_>, id: String, now: Millis) -> Result<Plan, RequestError> {
    Ok(Plan {
        title: required(entry, "title", MAX_TITLE)?,
        description: text(entry, "description", MAX_TEXT)?,
        due_at: Some(due_at(entry, now)?.ok_or_else(|| entry.broken("dueAt", "must be a time"))?),
        every_minutes: entry.number("everyMinutes", 1, MOST_MINUTES)?,
        conversation_id: None,
        told_at: None,
        updated_at: now,
        id,
    })
}

fn changed(entry: &Object<'_>, plan: &Plan, now: Millis) -> Result<Plan, RequestError> {
    let plan = plan.clone();
    Ok(Plan {
        title: text(entry, "title", MAX_TITLE)?.unwrap_or(plan.title),
        description: text(entry, "description", MAX_TEXT)?.or(plan.description),
        due_at: due_at(entry, now)?.or(plan.due_at),
        every_minutes: entry.number("everyMinutes", 1, MOST_MINUTES)?.or(plan.every_minutes),
        updated_at: now,
        ..plan
    })
}

fn due_at(entry: &Object<'_>, now: Millis) -> Result<Option<Millis>, RequestError> {
    let Some(value) = entry.get("dueAt") else { return Ok(None) };
    let problem = "must be ISO 8601 with a zone, or milliseconds since 1970, and within ten years";
    let at = instant(value).filter(|at| *at <= now + LATEST);
    at.map(Some).ok_or_else(|| entry.broken("dueAt", problem).into())
}

/// Removes the plan that was told first, if one is not due again.
fn make_room(plans: &mut Notebook<PlansRight>) -> Result<(), RequestError> {
    let told = plans.rows().filter(|plan| plan.due_at.is_none());
    let oldest = told.min_by_key(|plan| plan.told_at).map(|plan| plan.id.clone());
    let oldest = oldest.ok_or(RequestError::TooManyNotes { most: MAX_PLANS, what: "plans" })?;
    plans.remove(&oldest);
    Ok(())
}

async fn delete(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let mut plans = context.wallet.core.notes.plans(&agent).await?;
    let batch = &mut context.batch;
    let output = each(call, "plans", |entry, row| {
        row.id = entry.given("id");
        let deleted = plans.remove(entry.required_word("id")?).ok_or(RequestError::NotFound)?;
        stage_never_due(&plans, &deleted, batch);
        row.title = Some(deleted.title);
        Ok(())
    })?;
    plans.stage(batch);
    Ok(output)
}

fn stage_never_due(plans: &Notebook<PlansRight>, plan: &Plan, batch: &mut Batch) {
    batch.due(Due::Plan, &plans.key(&plan.id), plan.due_at, None);
}

/// A plan as its agent reads it.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct ReadPlan<'a> {
    id: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// When it is due, or due again.
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every_minutes: Option<u32>,
    /// When it was last told.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_at: Option<String>,
}

#[derive(ToJson)]
struct ReadPlans<'a> {
    plans: Vec<ReadPlan<'a>>,
    total: usize,
}

async fn get(call: &CallRow, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let agent = owner(call, context).await?;
    let plans = context.wallet.core.notes.plans(&agent).await?;
    let mut rows: Vec<&Plan> = plans.rows().collect();
    let order = |plan: &Plan| (plan.due_at.is_none(), plan.due_at, plan.told_at);
    sort_by(&mut rows, |one, other| order(one).cmp(&order(other)));
    let plans: Vec<ReadPlan<'_>> = rows
        .into_iter()
        .map(|plan| ReadPlan {
            id: &plan.id,
            title: &plan.title,
            description: plan.description.as_deref(),
            due_at: plan.due_at.map(iso_time),
            every_minutes: plan.every_minutes,
            told_at: plan.told_at.map(iso_time),
        })
        .collect();
    let total = plans.len();
    Ok(Output::done(&ReadPlans { plans, total }))
}
