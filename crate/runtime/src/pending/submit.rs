//! Results from outside: who may submit them, and what becomes of them.

use super::engine::{Effect, Event};
use super::error::{MAX_RESULT, SubmitError};
use super::expire::pass;
use super::outside::is_token_of;
use super::row::PendingRow;
use super::transition::stage;
use super::{owner, row};
use crate::Core;
use crate::call::{self};
use crate::store::{Batch, Durability, Reads, StoreError, json};
use derive::FromJson;
use serde_json::Value;
use std::rc::Rc;
use wire::api::ExecutionType;
use wire::audit::AuditRecord;
use wire::json::from_value;
use wire::pending::{PendingStatus, ResultWay, SubmittedResult};
use wire::toolbox::{Reply, Request};

/// How often a result is tried again because the call changed meanwhile.
const MAX_CONFLICTS: u32 = 20;
/// Results in one answer of the backend; what is more is not taken.
const MAX_RESULTS: usize = 100;

/// Who submits a result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Submitter<'a> {
    /// A page of the extension.
    Page,
    /// The agent's backend, in a conversation.
    Agent {
        /// Which.
        conversation_id: &'a str,
    },
    /// A web page or another extension.
    Outside {
        /// As the browser names it.
        origin: &'a str,
        /// What it was given with the call.
        token: &'a str,
    },
}

impl Submitter<'_> {
    /// Whether it may submit the result of a call. What a person is asked for is not the agent's to answer.
    fn may_submit(self, row: &PendingRow) -> bool {
        match self {
            Self::Page => true,
            Self::Agent { conversation_id } => {
                row.execution != ExecutionType::Space
                    && row.conversation_id.as_deref() == Some(conversation_id)
            }
            Self::Outside { origin, token } => is_token_of(row, origin, token),
        }
    }

    /// As the audit log names it.
    const fn name(self) -> &'static str {
        match self {
            Self::Page => "tool_result_by_user",
            Self::Agent { .. } => "tool_result_by_agent",
            Self::Outside { .. } => "tool_result_from_outside",
        }
    }
}

/// A result for a call of a run.
#[derive(Debug, Clone)]
pub(crate) struct Submission<'a> {
    pub(crate) run_id: &'a str,
    pub(crate) call_id: &'a str,
    pub(crate) result: Value,
}

/// Takes a result. The first one counts.
pub(crate) async fn submit(
    core: &Rc<Core>,
    by: Submitter<'_>,
    given: Submission<'_>,
) -> Result<SubmittedResult, SubmitError> {
    if json(&given.result).len() > MAX_RESULT {
        return Err(SubmitError::TooLarge);
    }
    for _ in 0..MAX_CONFLICTS {
        match attempt(core, by, &given).await {
            Err(SubmitError::Store(StoreError::Conflict { .. })) => {}
            other => return other,
        }
    }
    Err(StoreError::conflict("pending_calls", given.call_id).into())
}

async fn attempt(
    core: &Rc<Core>,
    by: Submitter<'_>,
    given: &Submission<'_>,
) -> Result<SubmittedResult, SubmitError> {
    let mut reads = Reads::new();
    let (slots, call) = (owner::read(&mut reads, given.call_id), call::read(&mut reads, given.call_id));
    let snapshot = reads.from(core.database.store()).await?;
    let row = slots.row(&snapshot)?.ok_or(SubmitError::UnknownCall)?;
    if row.record.call.run_id != given.run_id {
        return Err(SubmitError::WrongRun);
    }
    if !by.may_submit(&row.record) {
        return Err(SubmitError::NotAllowed);
    }
    let (now, call) = (core.now(), snapshot.one(call)?);
    if row.record.state().due(now).is_some() {
        // What its time has come for comes first.
        pass(core, row, call).await?;
        return Err(StoreError::conflict("pending_calls", given.call_id).into());
    }
    let next = row.record.state().on(Event::Submit, now)?;
    check(core, &row.record, &given.result).await?;
    let delivered_by = if next.1 == Effect::EndWithResult { ResultWay::Inline } else { ResultWay::Inbox };
    let mut batch = Batch::new(Durability::Strict);
    batch.note(AuditRecord::Change {
        what: by.name().to_owned(),
        subject: Some(match by {
            Submitter::Outside { origin, .. } => [given.call_id, " ", origin].concat(),
            _ => given.call_id.to_owned(),
        }),
    });
    let after = stage(core, row, call, next, Some(given.result.clone()), &mut batch).await?;
    core.commit(batch).await?;
    after.follow(core);
    core.wake_after(Ok(())).await;
    Ok(SubmittedResult { call_id: given.call_id.to_owned(), status: PendingStatus::Resolved, delivered_by })
}

/// The result is what the tool promises.
async fn check(core: &Core, row: &row::PendingRow, result: &Value) -> Result<(), SubmitError> {
    let Some(schema) = row.result_schema.clone() else { return Ok(()) };
    let request = Request::Validate { schema, value: result.clone() };
    match core.ports.toolbox.ask(request).await {
        Ok(Reply::Validated { violations }) => match violations.into_iter().next() {
            None => Ok(()),
            Some(first) => Err(SubmitError::field(["/result", &first.path].concat(), first.message)),
        },
        Ok(_) => Err(SubmitError::field("/result", "cannot be checked at the moment")),
        Err(error) => Err(SubmitError::field("/result", error.message)),
    }
}

/// An element of `tool_results` in an answer of the backend. It names the call by our id, which it learns of a pending answer,
/// or by its own id of the action; a run is named to be held against the call's.
#[derive(FromJson)]
struct Element {
    #[record(default)]
    run_id: Option<String>,
    #[record(default)]
    call_id: Option<String>,
    #[record(default)]
    action_id: Option<String>,
}

impl Element {
    /// The call that it means, and the run that it belongs to; none if the conversation has no such call.
    async fn call(self, core: &Core, conversation_id: &str) -> Result<Option<(String, String)>, StoreError> {
        let call_id = match (self.call_id, self.action_id) {
            (Some(call_id), _) => Some(call_id),
            (None, Some(action_id)) => core.journal.call_of_action(conversation_id, &action_id).await?,
            (None, None) => None,
        };
        let Some(call_id) = call_id else { return Ok(None) };
        let run_id = match self.run_id {
            Some(run_id) => Some(run_id),
            None => core.pending.get(&call_id).await?.map(|row| row.record.call.run_id),
        };
        Ok(run_id.map(|run_id| (run_id, call_id)))
    }
}

/// Takes the results in an answer of the backend. There is no way to tell the backend of one that is not taken, and an
/// answer may be read twice: such a one changes nothing.
pub(crate) async fn submit_from_agent(
    core: &Rc<Core>,
    conversation_id: &str,
    elements: Vec<Value>,
) -> Result<(), StoreError> {
    for mut element in elements.into_iter().take(MAX_RESULTS) {
        let Some(result) = element.as_object_mut().and_then(|fields| fields.remove("result")) else {
            continue;
        };
        let Ok(element) = from_value::<Element>(element) else { continue };
        let Some((run_id, call_id)) = element.call(core, conversation_id).await? else { continue };
        let given = Submission { run_id: &run_id, call_id: &call_id, result };
        if let Err(SubmitError::Store(error)) =
            submit(core, Submitter::Agent { conversation_id }, given).await
        {
            return Err(error);
        }
    }
    Ok(())
}
