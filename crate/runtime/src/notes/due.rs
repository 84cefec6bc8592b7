//! A plan that is due: it is told once, in the conversation that set it, also if no worker was there at its time.

use super::{PLANS, Plan, PlansRight};
use crate::Core;
use crate::agent::deliver::deliver;
use crate::agent::timeline::{MessageRow, put_message};
use crate::alarm::{Due, Passed};
use crate::later::later;
use crate::store::{Batch, Durability, Many, Range, Reads, Snapshot, StoreError, Stored, get};
use crate::work::until_rest;
use serde_json::{Value, json};
use std::rc::Rc;
use wire::api::{MessageState, Millis, Role};
use wire::event::Event;
use wire::tool::iso_time;

const MINUTE: Millis = 60_000;

/// Tells the plans that are due, in the background.
pub(crate) fn fire(core: &Rc<Core>) {
    core.spawn_single("plans".to_owned(), |core| async move {
        let outcome = later(&core, until_rest(|| fire_first(&core))).await;
        core.wake_after(outcome).await;
    });
}

/// Tells the first plan that is due; whether there may be another. The plan moves on in the batch that tells it: a death
/// before has told nothing, a death after it has told it, and another worker finds the plan changed.
async fn fire_first(core: &Rc<Core>) -> Result<bool, StoreError> {
    let Some(passed) = core.alarm.first_passed(Due::Plan).await? else { return Ok(false) };
    let stored = get(core.database.store(), PLANS, &passed.id).await?;
    let mut batch = Batch::new(Durability::Strict);
    batch.expect(PLANS, &passed.id, stored.as_ref().map(|stored| stored.text.as_str()));
    let told_in = match stored.filter(|stored| stored.record.due_at == Some(passed.at)) {
        Some(plan) => tell(core, &passed, plan, &mut batch).await?,
        None => {
            batch.drop_deadline(&passed);
            None
        }
    };
    core.commit(batch).await?;
    if let Some(conversation_id) = told_in {
        deliver(core, &conversation_id);
    }
    Ok(true)
}

/// Stages that a plan is told, and when it is due again; the conversation that is told.
async fn tell(
    core: &Core,
    passed: &Passed,
    plan: Stored<Plan>,
    batch: &mut Batch,
) -> Result<Option<String>, StoreError> {
    let now = core.now();
    let plan = *plan.record;
    let next = plan.every_minutes.map(|minutes| after(passed.at, Millis::from(minutes) * MINUTE, now));
    batch.put(PLANS, &passed.id, &Plan { due_at: next, told_at: Some(now), ..plan.clone() });
    batch.due(Due::Plan, &passed.id, Some(passed.at), next);
    // One that a page set has no agent; of one whose conversation is gone nothing is left to tell.
    let Some(conversation_id) = &plan.conversation_id else { return Ok(None) };
    let Some(public_key) = core.conversations.public_key(conversation_id).await? else { return Ok(None) };
    let message = MessageRow {
        id: core.ids.next(),
        conversation_id: conversation_id.clone(),
        role: Role::Wallet,
        content: plan.title.clone(),
        state: MessageState::Done,
        error: None,
        created_at: now,
        tool: None,
    };
    put_message(batch, &message);
    batch.tell(&Event::Message { message: message.into() });
    let item = json!({
        "id": format!("plan:{}:{}", plan.id, passed.at),
        "type": "plan_due",
        "plan": told(&plan, passed.at, next),
    });
    core.outbox.stage_inbox(batch, conversation_id, Some(&public_key), &item, core.ids.next());
    Ok(Some(conversation_id.clone()))
}

/// A plan that is due, as its agent is told of it.
fn told(plan: &Plan, due_at: Millis, next: Option<Millis>) -> Value {
    let mut told = json!({"id": plan.id, "title": plan.title, "dueAt": iso_time(due_at)});
    let description = plan.description.clone().map(Value::String);
    let every = plan.every_minutes.map(Value::from);
    let next = next.map(|next| Value::String(iso_time(next)));
    for (name, value) in [("description", description), ("everyMinutes", every), ("nextDueAt", next)] {
        if let (Some(value), Some(fields)) = (value, told.as_object_mut()) {
            fields.insert(name.to_owned(), value);
        }
    }
    told
}

/// Declares a read of all plans.
pub(crate) fn read_plans(reads: &mut Reads) -> Many<PlansRight> {
    reads.scan(PLANS, Range::all())
}

/// The conversations in which a plan is to be told.
pub(crate) fn planned(snapshot: &Snapshot, slot: Many<PlansRight>) -> Result<Vec<String>, StoreError> {
    let waiting = snapshot.many(slot)?.into_iter().filter(|row| row.record.due_at.is_some());
    Ok(waiting.filter_map(|row| row.record.conversation_id).collect())
}

/// The first time of a repeated plan that is after now: those that were missed are not made up for.
const fn after(due_at: Millis, every: Millis, now: Millis) -> Millis {
    let missed = now.saturating_sub(due_at) / every;
    due_at + (missed + 1) * every
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T004-39: a repeated plan goes on at its own times, after now.
    #[test]
    fn next_time() {
        assert_eq!(after(100, 60, 100), 160);
        assert_eq!(after(100, 60, 159), 160);
        assert_eq!(after(100, 60, 160), 220);
        assert_eq!(after(100, 60, 1_000), 1_060);
        assert_eq!(after(100, 60, 0), 160);
    }
}
