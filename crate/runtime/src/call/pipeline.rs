//! The one way of every call: resolve → validate → gate → execute → validate result → record → deliver.
//!
//! [`bring_on`] is that way. It is walked again from its start whenever there is reason to: after the user's answer, after
//! a worker's death, when records that a tool had read changed under it. What must not happen twice is on disk before.

#[cfg(test)]
mod host_tests;
#[cfg(test)]
mod tests;

use super::CallRow;
use super::arrival::{Sender, durability, read_action};
use super::cancel::Cancel;
use super::journal::{end_call, end_deferred, own_key, stage_arrival, stage_looked, stage_state};
use super::lane::run_lane;
use crate::Core;
use crate::agent::forms;
use crate::contacts;
use crate::policy::{self, DefinitionStanding, assess, blocked};
use crate::prompt::{self, Ask, DeclinedError};
use crate::store::{Batch, StoreError, Stored, json};
use crate::tool::{
    self, Admission, AnyTool, Category, Context, Outcome, Output, Prepared, Refusal, RequestError,
};
use crate::tool::{Shown, Tool, ToolResult};
use crate::tools;
use serde_json::{Map, Value};
use std::future::pending;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::{CallState, Source};
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
        Resolved::Tool(tool) => &**tool,
        Resolved::Answered(output) => {
            let result = ToolResult::of_call(&call.record, context.now, output.clone());
            return record_and_deliver(core, call, context, result).await;
        }
    };
    // With what its tool adds to it; that is on disk with the call's next state.
    let mut call = call.clone();
    match validate(tool, &mut call.record, &mut context).await? {
        Ok(()) => go_on(core, tool, call, context).await,
        Err(refusal) => {
            let result = context.result(tool.definition(), tool.refused(refusal.failure));
            record_and_deliver(core, &call, context, result).await
        }
    }
}

/// The pipeline after the arguments are known to be right.
async fn go_on(
    core: &Rc<Core>,
    tool: &dyn Tool,
    mut call: Stored<CallRow>,
    mut context: Context<'_>,
) -> Result<Advance, StoreError> {
    let result = match gate(core, tool, &mut call, &mut context).await? {
        Gate::Refuses(output) => context.result(tool.definition(), output),
        Gate::Advances(advance) => return Ok(advance),
        // A built-in's data are of a type; a stored tool's are checked against its output schema.
        Gate::Opens => match execute(core, tool, &call, &mut context).await? {
            Outcome::Ended(result) => {
                stage_use(core, &mut context.batch, &call.record, &result);
                result
            }
            Outcome::Deferred(result) => {
                stage_use(core, &mut context.batch, &call.record, &result);
                return record(core, &call, context, result, true).await;
            }
            Outcome::Suspended => return Ok(Advance::Waits),
        },
    };
    record_and_deliver(core, &call, context, result).await
}

/// A page's call of a tool of the store. What is wrong with the arguments is said before there is a call; the call is
/// written down with its first state, which is mostly that its request is on its way.
pub(crate) async fn invoke(
    core: &Rc<Core>,
    tool: AnyTool,
    id: String,
    title: String,
    params: Map<String, Value>,
) -> Result<Result<ActionResult, Refusal>, StoreError> {
    let name = tool.definition().name.clone().into_owned();
    let lane = ["user-", &id].concat();
    let sender = Sender { source: Source::User, lane: &lane, turn: &id, inputs: None };
    let mut row = CallRow {
        action_id: id.clone(),
        kind: name.clone(),
        tool: Some(name),
        title,
        params,
        // That the user called it is the tap that a call may need.
        auto_execute: Some(true),
        ..CallRow::new(id.clone(), &sender, core.now())
    };
    let _working = core.working(&["call ", &id].concat());
    let under_way = core.cancels.begin(&id);
    let mut context = Context::new(core, &row, under_way.cancel.clone());
    if let Err(refusal) = validate(&*tool, &mut row, &mut context).await? {
        return Ok(Err(refusal));
    }
    let call = Stored { text: String::new(), record: Box::new(row.clone()) };
    match Box::pin(go_on(core, &*tool, call, context)).await {
        Ok(Advance::Ended(result)) => return Ok(Ok(*result)),
        Ok(_) => {}
        // Nothing was written: records that it rests on changed.
        Err(StoreError::Conflict { .. }) if core.journal.call(&id).await?.is_none() => {
            let mut batch = Batch::new(durability(&row));
            stage_arrival(&mut batch, &own_key(&row), &row);
            core.commit(batch).await?;
        }
        Err(StoreError::Conflict { .. }) => {}
        Err(error) => {
            // What is on disk of it is taken up as after a worker's death.
            run_lane(core, &lane);
            return Err(error);
        }
    }
    drop(under_way);
    run_lane(core, &lane);
    core.journal.wait_for_result(&id).await.map(Ok)
}

/// What a call means.
pub(super) enum Resolved {
    /// A tool runs.
    Tool(AnyTool),
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
    let built_in = call.tool.as_deref().filter(|_| call.tool_id.is_none()).and_then(tool::built_in);
    Ok(match tools::resolve(core, call, built_in).await? {
        Ok(tool) => Resolved::Tool(tool),
        Err(failure) => Resolved::Answered(Output::failed(failure)),
    })
}

/// Checks the arguments of a call that has just arrived, before anybody is asked.
async fn validate(
    tool: &dyn Tool,
    call: &mut CallRow,
    context: &mut Context<'_>,
) -> Result<Admission, StoreError> {
    match call.state {
        CallState::Received => tool.validate(call, context).await,
        _ => Ok(Ok(())),
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
    call: &mut Stored<CallRow>,
    context: &mut Context<'_>,
) -> Result<Gate, StoreError> {
    let (row, definition) = (&*call.record, tool.definition());
    if row.state != CallState::Received {
        // A tool that acts in steps looks at the switch before each of them.
        let stoppable =
            !tool.acts_in_steps() && policy::kill_switch_stops(definition, tool.reaches_out(), &row.source);
        if stoppable && core.policy.rules().await?.kill_switch {
            return Ok(Gate::Refuses(tool.refused(DeclinedError::KillSwitch.failure())));
        }
        // A page that was disconnected after the approval gets nothing of it.
        if let (Source::Dapp { origin }, false) = (&row.source, tool.acts_in_steps())
            && core.connections.grant(origin).await?.is_none()
        {
            return Ok(Gate::Refuses(tool.refused(DeclinedError::NotConnected.failure())));
        }
        return Ok(Gate::Opens);
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
    let standing = proposal.as_ref().map(|proposal| proposal.standing()).unwrap_or_default();
    let assessment = assess(core, row, definition, to_sign, outbound, standing).await?;
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
            let approved = stage_state(call.clone(), CallState::Approved, batch);
            if tool.reaches_out() {
                *call = Stored { text: json(&approved), record: Box::new(approved) };
                return Ok(Gate::Opens);
            }
            core.commit(context.take_batch()).await?;
            Ok(Gate::Advances(Advance::Further))
        }
        Verdict::Ask { reasons } => {
            let Shown { question, title, subject, digest } = shown();
            assessment.stage_note(row, &digest, batch);
            let (reasons, hosts) = (reasons.clone(), assessment.new_hosts.clone());
            let pin = proposal.as_ref().and_then(|proposal| proposal.pin());
            let ask = Ask { question, title, reasons, subject: Some(subject), hosts, pin };
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

/// Stages that a tool was used, for its metrics.
fn stage_use(core: &Core, batch: &mut Batch, call: &CallRow, result: &ToolResult) {
    let failed = matches!(result.output, Output::Failed { .. });
    tools::stage_use_of(core, batch, call, failed);
}

/// Commits the tool's effect, the result and its place in the outbox as one: a death before has done nothing, a death
/// after it has done everything. The lane sends what is in the outbox.
async fn record_and_deliver(
    core: &Rc<Core>,
    call: &Stored<CallRow>,
    context: Context<'_>,
    result: ToolResult,
) -> Result<Advance, StoreError> {
    record(core, call, context, result, false).await
}

/// The same; the pages are told of the end of a tool whose result is deferred when that comes.
async fn record(
    core: &Rc<Core>,
    call: &Stored<CallRow>,
    context: Context<'_>,
    result: ToolResult,
    is_deferred: bool,
) -> Result<Advance, StoreError> {
    let Context { mut batch, vault_modified, after, .. } = context;
    if vault_modified {
        batch.tell(&Event::VaultModified {});
    }
    let answer = match is_deferred {
        true => end_deferred(core, &mut batch, call.clone(), result).await?,
        false => end_call(core, &mut batch, call.clone(), result).await?,
    };
    core.commit(batch).await?;
    if call.record.state != CallState::Received {
        core.journal.hand_over(call.record.id.clone(), answer.clone());
    }
    for task in after {
        task.await;
    }
    contacts::keep(core);
    tools::fold_soon(core);
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
    let (key, mut row) = read_action(core, sender, 0, element);
    let Resolved::Tool(tool) = resolve(core, &row).await? else { return Ok(None) };
    let tool = &*tool;
    if tool.definition().category != Category::Read || tool.acts_in_steps() {
        return Ok(None);
    }
    let mut context = Context::new(core, &row, Cancel::default());
    if validate(tool, &mut row, &mut context).await?.is_err() || row.visible == Some(true) {
        return Ok(None);
    }
    let assessment = assess(core, &row, tool.definition(), None, &[], DefinitionStanding::Own).await?;
    if assessment.verdict != Verdict::Allow {
        return Ok(None);
    }
    let call = Stored { text: String::new(), record: Box::new(row) };
    let Outcome::Ended(result) = execute(core, tool, &call, &mut context).await? else { return Ok(None) };
    stage_use(core, &mut context.batch, &call.record, &result);
    let answer = result.into_answer(&call.record);
    let mut batch = context.batch;
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
