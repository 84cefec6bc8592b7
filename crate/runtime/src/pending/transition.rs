//! A transition with all that follows from it, staged into one batch.

use super::engine::{Effect, Event, NoTransitionError, State};
use super::row::PendingRow;
use crate::Core;
use crate::agent::{deliver, timeline};
use crate::call::{self, CallRow};
use crate::store::{Batch, StoreError, Stored, json};
use crate::tool::{Output, ToolResult};
use crate::tools;
use serde_json::{Value, json as value};
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::MessageState;
use wire::event::Event as News;
use wire::failure::Failure;

/// The largest result that every page is told of; a larger one is in the call's record.
const LARGEST_TOLD: usize = 16 << 10;

/// What follows the commit of a transition.
#[derive(Debug, Default)]
pub(super) struct After {
    /// The call that ended.
    ended: Option<(String, String, ActionResult)>,
    /// The conversation whose inbox has something new.
    inbox: Option<String>,
}

impl After {
    /// Goes on with what the transition made possible.
    pub(super) fn follow(self, core: &Rc<Core>) {
        if let Some((id, lane, answer)) = self.ended {
            core.journal.hand_over(id, answer);
            call::run_lane(core, &lane);
        }
        if let Some(conversation_id) = self.inbox {
            deliver::deliver(core, &conversation_id);
        }
    }
}

/// Stages a transition. A call that was trimmed has nothing left to end or to show.
pub(super) async fn stage(
    core: &Core,
    before: Stored<PendingRow>,
    call: Option<Stored<CallRow>>,
    (state, effect): (State, Effect),
    result: Option<Value>,
    batch: &mut Batch,
) -> Result<After, StoreError> {
    let mut row = (*before.record).clone().with(state);
    if let Some(result) = &result {
        row.call.result = Some(result.clone());
        row.call.resolved_at = Some(core.now());
    }
    core.pending.stage_change(&before, &row, batch);
    let Some(call) = call else { return Ok(After::default()) };
    match effect {
        Effect::EndWithResult => end(core, call, Output::Data(result.unwrap_or_default()), batch).await,
        Effect::EndTimedOut => end(core, call, Output::failed(timed_out(&row)), batch).await,
        // Who cancels ends the call.
        Effect::EndCancelled => Ok(After::default()),
        Effect::PushToInbox => {
            let result = result.unwrap_or_default();
            if !row.is_told() {
                let result = Some(result.clone()).filter(|result| json(result).len() <= LARGEST_TOLD);
                batch.tell(&News::ToolDone { call_id: call.record.id.clone(), result });
            }
            timeline::show_tool(batch, &call.record, MessageState::Done, Some(&result), None);
            push(core, &row, &result, batch).await
        }
        Effect::ShowExpired => {
            let error = super::SubmitError::Expired;
            let error = Failure::of(error.code(), &error).to_string();
            if !row.is_told() {
                batch.tell(&News::ToolError { call_id: call.record.id.clone(), error: error.clone() });
            }
            timeline::show_tool(batch, &call.record, MessageState::Expired, None, Some(error));
            Ok(After::default())
        }
    }
}

/// T004-43: the text is the specification's.
fn timed_out(row: &PendingRow) -> Failure {
    Failure::bare(format!("Tool timed out after {}ms", row.timeout.unwrap_or_default()))
}

async fn end(
    core: &Core,
    call: Stored<CallRow>,
    output: Output,
    batch: &mut Batch,
) -> Result<After, StoreError> {
    let (id, lane) = (call.record.id.clone(), call.record.lane.clone());
    tools::stage_use_of(core, batch, &call.record, matches!(output, Output::Failed { .. }));
    let result = ToolResult::of_call(&call.record, core.now(), output);
    let answer = call::end_call(core, batch, call, result).await?;
    Ok(After { ended: Some((id, lane, answer)), inbox: None })
}

/// T004-55: the agent is told once, by an item that has the call's id. A page's call has no agent: its result is in the row.
async fn push(core: &Core, row: &PendingRow, result: &Value, batch: &mut Batch) -> Result<After, StoreError> {
    let Some(conversation_id) = row.conversation_id.clone() else { return Ok(After::default()) };
    let public_key = core.conversations.public_key(&conversation_id).await?;
    let call = &row.call;
    let item = value!({
        "id": format!("tr:{}", call.tool_call_id),
        "type": "tool_result",
        "tool": call.tool_name,
        "callId": call.tool_call_id,
        "result": result,
    });
    core.outbox.stage_inbox(batch, &conversation_id, public_key.as_deref(), &item, core.ids.next());
    Ok(After { ended: None, inbox: Some(conversation_id) })
}

/// Stages that a call is cancelled that waits for its result; the call is ended in the same batch.
pub(crate) async fn stage_cancelled(core: &Core, id: &str, batch: &mut Batch) -> Result<(), StoreError> {
    let Some(row) = core.pending.get(id).await? else { return Ok(()) };
    match row.record.state().on(Event::Cancel, core.now()) {
        Ok(next) => stage(core, row, None, next, None, batch).await.map(|_| ()),
        Err(NoTransitionError::AlreadyResolved | NoTransitionError::Expired | NoTransitionError::NotDue) => {
            Ok(())
        }
    }
}
