//! The one way of every call: resolve → validate → gate → execute → validate result → record → deliver.
//!
//! [`bring_on`] is that way. It is walked again from its start whenever there is reason to: after the user's answer, after
//! a worker's death, when records that a tool had read changed under it. What must not happen twice is on disk before.

#[cfg(test)]
mod host_tests;
#[cfg(test)]
mod tests;

use super::CallRow;
use super::arrival::{Sender, read_action};
use super::cancel::Cancel;
use super::journal::{end_call, stage_looked, stage_state};
use crate::Core;
use crate::agent::forms;
use crate::contacts;
use crate::policy::{self, assess, blocked};
use crate::prompt::{self, Ask, DeclinedError};
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{self, Category, Context, Outcome, Output, Prepared, RequestError};
use crate::tool::{Schema, Shown, Tool, ToolResult};
use crate::tools;
use serde_json::Value;
use std::future::pending;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::CallState;
use wire::event::Event;
use wire::policy::Verdict;

/// How often a call is brought on again because records that it depends on changed meanwhile.
const MAX_CONFLICTS: u32 = 20;

/// How far a call got.
pub(crate) enum Advance {
    /// To its end.
    Ended(Box<ActionResult>),
    /// It was ended elsewhere: cancelled, or by another worker.
    EndedElsewhere,
    /// A step on; there is more to do at once.
    Further,
    /// It waits for a person or for a time.
    Waits,
}

/// Brings a call as far as it gets now.
pub(super) async fn advance(core: &Rc<Core>, call: Stored<CallRow>) -> Result<Advance, StoreError> {
    if matches!(call.record.state, CallState::Waiting { .. } | CallState::Done { .. }) {
        return Ok(Advance::Waits);
    }
    let under_way = core.cancels.begin(&call.record.id);
    for _ in 0..MAX_CONFLICTS {
        match Box::pin(bring_on(core, &call, &under_way.cancel)).await {
            Err(StoreError::Conflict { .. }) => match core.journal.call(&call.record.id).await? {
                Some(now) if now.text == call.text => {}
                _ => return Ok(Advance::EndedElsewhere),
            },
            other => return other,
        }
    }
    give_up(core, &call).await
}

/// The pipeline.
async fn bring_on(core: &Rc<Core>, call: &Stored<CallRow>, cancel: &Cancel) -> Result<Advance, StoreError> {
    let mut context = Context::new(core, &call.record, cancel.clone());
    let resolved = resolve(core, &call.record).await?;
    let tool = match &resolved {
        Resolved::Tool(tool) => *tool,
        Resolved::Answered(output) => {
            let result = ToolResult::of_call(&call.record, context.now, output.clone());
            return record_and_deliver(core, call, context, result).await;
        }
    };
    let refusal = match validate(tool, &call.record) {
        Err(error) => Some(tool.refused(error.into())),
        Ok(()) => match gate(core, tool, call, &mut context).await? {
            Gate::Opens => None,
            Gate::Refuses(output) => Some(output),
            Gate::Advances(advance) => return Ok(advance),
        },
    };
    let result = match refusal {
        Some(output) => context.result(tool.definition(), output),
        None => match execute(core, tool, call, &mut context).await? {
            Outcome::Ended(result) => {
                let result = validate_result(tool, result);
                count(core, &result, &mut context.batch);
                result
            }
            Outcome::Suspended => return Ok(Advance::Waits),
        },
    };
    record_and_deliver(core, call, context, result).await
}

/// What a call means.
pub(super) enum Resolved {
    /// A tool runs.
    Tool(&'static dyn Tool),
    /// Its answer is known without one.
    Answered(Output),
}

/// Finds a call's tool. Says which type is unknown, and what of a malformed action was wrong.
pub(super) async fn resolve(core: &Core, call: &CallRow) -> Result<Resolved, StoreError> {
    if let Some(problem) = &call.problem {
        return Ok(Resolved::Answered(Output::failed(problem.clone())));
    }
    if let Some(output) = forms::became_of_ready(core, call).await? {
        return Ok(Resolved::Answered(output));
    }
    // A stored tool is found here, by `call.tool_id` or by name.
    let Some(tool) = call.tool.as_deref().and_then(tool::built_in) else {
        let unknown = RequestError::UnknownTool { kind: call.kind.clone() };
        return Ok(Resolved::Answered(Output::failed(unknown)));
    };
    // One that was approved may have begun: it goes on to its end.
    let disabled = match call.state {
        CallState::Received => tools::built_in_refusal(core, &tool.definition().name).await?,
        _ => None,
    };
    Ok(match disabled {
        Some(why) => Resolved::Answered(tool.refused(why.into())),
        None => Resolved::Tool(tool),
    })
}

/// Checks the arguments of a call that has just arrived against its tool's schema, before anybody is asked.
fn validate(tool: &dyn Tool, call: &CallRow) -> Result<(), RequestError> {
    match &tool.definition().schema {
        Schema::Shape(shape) if call.state == CallState::Received => Ok(shape.check(&call.params)?),
        // The toolbox checks a stored tool's.
        Schema::Shape(_) | Schema::Json(_) => Ok(()),
    }
}

/// What the gate says.
enum Gate {
    /// The tool runs now.
    Opens,
    /// It does not.
    Refuses(Output),
    /// The call got this far instead.
    Advances(Advance),
}

/// Puts a call that has just arrived to the policy: it runs, or the user is asked, or it is blocked. One that was approved
/// passes, unless everything was stopped since.
async fn gate(
    core: &Rc<Core>,
    tool: &dyn Tool,
    call: &Stored<CallRow>,
    context: &mut Context<'_>,
) -> Result<Gate, StoreError> {
    let (row, definition) = (&*call.record, tool.definition());
    if row.state != CallState::Received {
        // A tool that acts in steps looks at the switch before each of them.
        let stoppable =
            !tool.acts_in_steps() && policy::kill_switch_stops(definition, tool.reaches_out(), &row.source);
        return Ok(match stoppable && core.policy.rules().await?.kill_switch {
            true => Gate::Refuses(tool.refused(DeclinedError::KillSwitch.failure())),
            false => Gate::Opens,
        });
    }
    let cancel = context.cancel.clone();
    let prepared = match cancel.or(tool.prepare(row, context), pending()).await {
        Some(prepared) => prepared?,
        None => return Ok(Gate::Refuses(tool.refused(tool::cancelled()))),
    };
    let mut proposal = match prepared {
        Prepared::Plain => None,
        Prepared::Proposal(proposal) => Some(proposal),
        Prepared::Refused(output) => return Ok(Gate::Refuses(output)),
    };
    let to_sign = proposal.as_ref().and_then(|proposal| proposal.to_sign());
    let outbound = proposal.as_ref().map(|proposal| proposal.outbound()).unwrap_or_default();
    let assessment = assess(core, row, definition, to_sign, outbound).await?;
    let batch = &mut context.batch;
    if let Some(proposal) = &mut proposal {
        proposal.judged(&assessment, batch);
    }
    let shown = || proposal.as_ref().map_or_else(|| Shown::call(row), |proposal| proposal.shown(row));
    match &assessment.verdict {
        Verdict::Allow => {
            assessment.stage_uses(batch);
            if !tool.acts_in_steps() {
                return Ok(Gate::Opens);
            }
            stage_state(call.clone(), CallState::Approved, batch);
            core.commit(context.take_batch()).await?;
            Ok(Gate::Advances(Advance::Further))
        }
        Verdict::Ask { reasons } => {
            let Shown { question, title, subject, digest } = shown();
            assessment.stage_note(row, &digest, batch);
            let (reasons, hosts) = (reasons.clone(), assessment.new_hosts.clone());
            let ask = Ask { question, title, reasons, subject: Some(subject), hosts };
            let prompt = prompt::ask_for_call(core, call.clone(), ask, batch);
            core.commit(context.take_batch()).await?;
            prompt::notify(core, &prompt).await?;
            Ok(Gate::Advances(Advance::Waits))
        }
        Verdict::Block { reasons } => {
            assessment.stage_note(row, &shown().digest, batch);
            Ok(Gate::Refuses(tool.refused(blocked(reasons))))
        }
    }
}

/// Runs the tool, as long as the call is not cancelled and within the tool's time. A tool that is given up has written
/// nothing: its writes are staged only.
async fn execute(
    core: &Core,
    tool: &dyn Tool,
    call: &Stored<CallRow>,
    context: &mut Context<'_>,
) -> Result<Outcome, StoreError> {
    if tool.acts_in_steps() {
        return tool.execute(call, context).await;
    }
    let cancel = context.cancel.clone();
    let time_up = core.ports.host.sleep(tool.definition().timeout);
    if let Some(outcome) = cancel.or(tool.execute(call, context), time_up).await {
        return outcome;
    }
    context.discard();
    Ok(Outcome::Ended(context.result(tool.definition(), tool.refused(tool::cancelled()))))
}

/// Checks what a tool gave. A built-in's data are of a type; a stored tool's are checked here against its output schema.
fn validate_result(_tool: &dyn Tool, result: ToolResult) -> ToolResult {
    result
}

/// Stages that a tool was executed, in the batch that records what it gave.
fn count(core: &Core, result: &ToolResult, batch: &mut Batch) {
    let failed = matches!(result.output, Output::Failed { .. });
    tools::stage_built_in_use(core, batch, &result.tool, failed, result.fetched_at);
}

/// Commits the tool's effect, the result and its place in the outbox as one: a death before has done nothing, a death
/// after it has done everything. The lane sends what is in the outbox.
async fn record_and_deliver(
    core: &Rc<Core>,
    call: &Stored<CallRow>,
    context: Context<'_>,
    result: ToolResult,
) -> Result<Advance, StoreError> {
    let Context { mut batch, vault_modified, after, .. } = context;
    if vault_modified {
        batch.tell(&Event::VaultModified {});
    }
    let answer = end_call(core, &mut batch, call.clone(), result).await?;
    core.commit(batch).await?;
    if call.record.state != CallState::Received {
        core.journal.hand_over(call.record.id.clone(), answer.clone());
    }
    for task in after {
        task.await;
    }
    contacts::keep(core);
    Ok(Advance::Ended(Box::new(answer)))
}

/// Ends a call whose records changed again and again. One that acts in steps may have acted: it is taken up once more.
async fn give_up(core: &Rc<Core>, call: &Stored<CallRow>) -> Result<Advance, StoreError> {
    let output = match resolve(core, &call.record).await? {
        Resolved::Tool(tool) if tool.acts_in_steps() && call.record.state == CallState::Approved => {
            return Ok(Advance::Further);
        }
        Resolved::Tool(tool) => tool.refused(RequestError::Busy.into()),
        Resolved::Answered(output) => output,
    };
    let context = Context::new(core, &call.record, Cancel::default());
    let result = ToolResult::of_call(&call.record, context.now, output);
    record_and_deliver(core, call, context, result).await
}

/// The pipeline's short form. A page that merely looks is answered and recorded in one step: there is no effect that a
/// record would have to precede. `None` if it asks for more than that, or has asked before.
pub(crate) async fn look(
    core: &Rc<Core>,
    sender: &Sender<'_>,
    element: &Value,
) -> Result<Option<ActionResult>, StoreError> {
    let (key, row) = read_action(core, sender, 0, element);
    let Resolved::Tool(tool) = resolve(core, &row).await? else { return Ok(None) };
    if tool.definition().category != Category::Read || tool.reaches_out() || validate(tool, &row).is_err() {
        return Ok(None);
    }
    let assessment = assess(core, &row, tool.definition(), None, &[]).await?;
    if assessment.verdict != Verdict::Allow {
        return Ok(None);
    }
    let call = Stored { text: String::new(), record: Box::new(row) };
    let mut context = Context::new(core, &call.record, Cancel::default());
    let Outcome::Ended(result) = execute(core, tool, &call, &mut context).await? else { return Ok(None) };
    let (result, mut batch) = (validate_result(tool, result), context.batch);
    count(core, &result, &mut batch);
    let answer = result.into_answer(&call.record);
    assessment.stage_uses(&mut batch);
    let asked = (call.record.tool.clone(), call.record.params.clone());
    stage_looked(&mut batch, &key, *call.record, &answer, core.now());
    match core.commit(batch).await {
        Ok(()) => Ok(Some(answer)),
        // The same look once more has today's answer; what else has this id is answered from its record.
        Err(StoreError::Conflict { .. }) => {
            let known = core.journal.known_call(&key).await?;
            Ok(known.is_some_and(|known| (known.tool, known.params) == asked).then_some(answer))
        }
        Err(error) => Err(error),
    }
}
