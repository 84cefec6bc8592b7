//! Running: the calls of a lane, one after the other, each ended in one atomic batch with its effect.

use crate::Core;
use crate::agent::deliver;
use crate::bundle::{self, SIGN_TRANSACTION_BUNDLE};
use crate::call::CallRow;
use crate::call::arrival::{Sender, durability, read_action};
use crate::call::journal::{end_call, stage_looked};
use crate::coins::TokenFacts;
use crate::contacts;
use crate::policy::{Assessment, assess, blocked};
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::{self, Category, Context, Output, RequestError};
use crate::trim;
use crate::work::until_rest;
use serde_json::Value;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::CallState;
use wire::event::Event;
use wire::policy::Verdict;
use wire::prompt::Question;

/// How often a tool is run again because the records it had read changed under it.
const MAX_CONFLICTS: u32 = 20;

/// How far a call got.
pub(crate) enum Advance {
    /// To its end.
    Ended(Box<ActionResult>),
    /// Another worker ended it.
    EndedElsewhere,
    /// A step on; there is more to do at once.
    Further,
    /// It waits for a person.
    Waits,
}

/// What the policy makes of a call that is about to run.
enum Admission {
    /// It runs, and uses this up.
    Runs(Option<Box<Assessment>>),
    /// It got this far instead.
    Elsewhere(Advance),
}

/// Whether a call is a bundle to sign.
fn signs(call: &CallRow) -> bool {
    call.tool.as_deref() == Some(SIGN_TRANSACTION_BUNDLE.name)
}

/// Runs what can run in a lane, beside other work.
pub(crate) fn run_lane(core: &Rc<Core>, lane: &str) {
    let lane = lane.to_owned();
    core.spawn_single(format!("lane {lane}"), move |core| {
        let lane = lane.clone();
        async move {
            // A worker that is being replaced may still be running: only one of them may be in a lane.
            let _alone = core.ports.host.lock(&format!("lane/{lane}")).await;
            let outcome = until_rest(|| step(&core, &lane)).await;
            core.wake_after(outcome).await;
            deliver::deliver(&core, &lane);
            trim::when_due(&core);
        }
    });
}

/// Brings the lane's first call on; whether there may be more to do at once.
async fn step(core: &Rc<Core>, lane: &str) -> Result<bool, StoreError> {
    let Some(call) = core.journal.first_pending(lane).await? else {
        return Ok(false);
    };
    Ok(!matches!(advance(core, call).await?, Advance::Waits))
}

/// Runs calls that were journaled just now, in a lane that no other task knows yet, without looking them up
/// again; gives the results in hand, by call and in their order. The rest of the lane is run as any other.
pub(crate) async fn run_new(
    core: &Rc<Core>,
    lane: &str,
    calls: Vec<Stored<CallRow>>,
) -> Vec<(String, ActionResult)> {
    let mut results = Vec::new();
    for call in calls {
        let id = call.record.id.clone();
        let Ok(Advance::Ended(result)) = advance(core, call).await else {
            run_lane(core, lane);
            break;
        };
        results.push((id, *result));
    }
    results
}

/// Brings a call as far as it gets now.
async fn advance(core: &Rc<Core>, call: Stored<CallRow>) -> Result<Advance, StoreError> {
    match &call.record.state {
        CallState::Waiting { .. } | CallState::Done { .. } => Ok(Advance::Waits),
        CallState::Received if signs(&call.record) => Box::pin(bundle::review(core, call)).await,
        CallState::Approved if signs(&call.record) => Box::pin(bundle::run_bundle(core, call)).await,
        CallState::Received | CallState::Approved => Box::pin(execute(core, call)).await,
    }
}

/// Puts a call that has just arrived to the policy: what it uses up if it may run, or where it ended up instead.
async fn admit(core: &Rc<Core>, call: &Stored<CallRow>) -> Result<Admission, StoreError> {
    let Some(tool) = tool::definition(call.record.tool.as_deref()) else {
        return Ok(Admission::Runs(None));
    };
    if call.record.state != CallState::Received {
        return Ok(Admission::Runs(None));
    }
    let assessment = assess(core, &call.record, tool, None).await?;
    let mut batch = Batch::new(Durability::Strict);
    match &assessment.verdict {
        Verdict::Allow => Ok(Admission::Runs(Some(Box::new(assessment)))),
        Verdict::Ask { reasons } => {
            let shown = call.record.shown();
            assessment.stage_note(&call.record, &shown, &mut batch);
            let question = Question::ConfirmationRequired { call_id: call.record.id.clone() };
            let title = call.record.title.clone();
            let ask = Ask { question, title, reasons: reasons.clone(), subject: Some(shown) };
            let prompt = prompt::ask_for_call(core, call.clone(), ask, &mut batch);
            core.commit(batch).await?;
            prompt::notify(core, &prompt).await?;
            Ok(Admission::Elsewhere(Advance::Waits))
        }
        Verdict::Block { reasons } => {
            assessment.stage_note(&call.record, &call.record.shown(), &mut batch);
            let result = end_call(core, &mut batch, call.clone(), Output::failed(blocked(reasons))).await?;
            core.commit(batch).await?;
            Ok(Admission::Elsewhere(Advance::Ended(Box::new(result))))
        }
    }
}

/// Ends a call that changes nothing else.
pub(crate) async fn end_with(
    core: &Rc<Core>,
    call: Stored<CallRow>,
    output: Output,
) -> Result<Advance, StoreError> {
    let mut batch = Batch::new(Durability::Strict);
    let result = end_call(core, &mut batch, call, output).await?;
    core.commit(batch).await?;
    Ok(Advance::Ended(Box::new(result)))
}

/// Runs the tool and commits its effect, the result and the delivery as one: a death before the commit has
/// done nothing, a death after it has done everything.
async fn execute(core: &Rc<Core>, call: Stored<CallRow>) -> Result<Advance, StoreError> {
    for _ in 0..MAX_CONFLICTS {
        let uses = match admit(core, &call).await? {
            Admission::Runs(uses) => uses,
            Admission::Elsewhere(advance) => return Ok(advance),
        };
        let (mut batch, output) = run_tool(core, &call.record).await?;
        if let Some(uses) = uses {
            uses.stage_uses(&mut batch);
        }
        let result = end_call(core, &mut batch, call.clone(), output).await?;
        match core.commit(batch).await {
            Err(StoreError::Conflict { .. }) => {
                match core.journal.call(&call.record.id).await? {
                    Some(now) if now.text == call.text => {}
                    // The call itself moved on: another worker ended it.
                    _ => return Ok(Advance::EndedElsewhere),
                }
            }
            other => {
                other?;
                contacts::keep(core);
                return Ok(Advance::Ended(Box::new(result)));
            }
        }
    }
    end_with(core, call, Output::failed(RequestError::Busy)).await
}

/// What the tool wants written, and what it gives.
async fn run_tool(core: &Core, call: &CallRow) -> Result<(Batch, Output), StoreError> {
    let mut context = Context {
        store: &*core.ports.store,
        signer: &*core.ports.signer,
        contacts: &core.contacts,
        coins: &core.coins,
        facts: TokenFacts::new(core),
        ids: &core.ids,
        added_by: tool::added_by(&call.source),
        now: core.now(),
        batch: Batch::new(durability(call)),
        vault_modified: false,
    };
    let output = match tool::run(call, &mut context).await {
        Ok(output) => output,
        Err(tool::ToolError::Store(error)) => return Err(error),
        Err(tool::ToolError::Malformed(failure)) => Output::failed(failure),
        Err(tool::ToolError::Refused(error)) => Output::failed(error),
    };
    let Context { mut batch, vault_modified, .. } = context;
    if vault_modified {
        batch.tell(&Event::VaultModified {});
    }
    Ok((batch, output))
}

/// A page that merely looks is answered and recorded in one step: there is no effect that a record would have
/// to precede. `None` if it asks for more than that, or has asked before.
pub(crate) async fn look(
    core: &Core,
    sender: &Sender<'_>,
    element: &Value,
) -> Result<Option<ActionResult>, StoreError> {
    let (key, call) = read_action(core, sender, 0, element);
    let tool = tool::definition(call.tool.as_deref()).filter(|tool| tool.category == Category::Read);
    let Some(tool) = tool else {
        return Ok(None);
    };
    let assessment = assess(core, &call, tool, None).await?;
    if assessment.verdict != Verdict::Allow {
        return Ok(None);
    }
    let (mut batch, output) = run_tool(core, &call).await?;
    let result = output.into_result(&call);
    assessment.stage_uses(&mut batch);
    stage_looked(&mut batch, &key, call.clone(), &result, core.now());
    match core.commit(batch).await {
        Ok(()) => Ok(Some(result)),
        // The same look once more has today's answer; what else has this id is answered from its record.
        Err(StoreError::Conflict { .. }) => {
            let known = core.journal.known_call(&key).await?;
            let same = known.is_some_and(|known| known.tool == call.tool && known.params == call.params);
            Ok(same.then_some(result))
        }
        Err(error) => Err(error),
    }
}
