//! Running: the calls of a lane, one after the other, each ended in one atomic batch with its effect.

use crate::Core;
use crate::audit::digest;
use crate::bundle::SIGN_TRANSACTION_BUNDLE;
use crate::call::journal::{Sender, durability, record_end};
use crate::policy::{Assessment, assess, blocked};
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, Range, StoreError, Stored, Table, json, read};
use crate::tool::{self, Category, Context, Output};
use serde_json::Value;
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::{Call, CallState};
use wire::event::Event;
use wire::policy::Verdict;
use wire::prompt::Question;

/// How often a tool is run again because the records it had read changed under it.
const MAX_CONFLICTS: u32 = 20;

/// How far a call got.
pub(crate) enum Advance {
    /// To its end.
    Ended(Box<ActionResult>),
    /// Somebody else brought it to its end.
    EndedElsewhere,
    /// A step on; there is more to do at once.
    Further,
    /// It waits for a person.
    Waits,
}

/// What the policy makes of a call that is about to run.
enum Admission {
    /// It runs, and uses this up.
    Runs(Option<Assessment>),
    /// It got this far instead.
    Elsewhere(Advance),
}

/// Whether a call is a bundle to sign.
fn signs(call: &Call) -> bool {
    call.tool.as_deref() == Some(SIGN_TRANSACTION_BUNDLE.name)
}

impl Core {
    /// Runs what can run in a lane, beside whatever else is going on.
    pub(crate) fn run_lane(self: &Rc<Self>, lane: &str) {
        let lane = lane.to_owned();
        self.spawn_single(format!("lane {lane}"), move |core| {
            let lane = lane.clone();
            async move {
                // A worker that is being replaced may still be running: only one of them may be in a lane.
                let _alone = core.ports.host.lock(&format!("lane/{lane}")).await;
                let outcome = core.until_rest(|| core.step(&lane)).await;
                core.wake_after(outcome).await;
                core.deliver(&lane);
            }
        });
    }

    /// Brings the lane's first call on; whether there may be more to do at once.
    async fn step(self: &Rc<Self>, lane: &str) -> Result<bool, StoreError> {
        let pending =
            self.ports.store.scan(Table::Pending, Range::prefix(format!("{lane}/")).first(1)).await?;
        let Some(id) = pending.first().and_then(|row| row.key.split_once('/')).map(|(_, id)| id.to_owned())
        else {
            return Ok(false);
        };
        let Some(call) = read::<Call>(&*self.ports.store, Table::Calls, &id).await? else {
            return Err(StoreError::Corrupt { table: "calls", key: id, reason: "is missing".to_owned() });
        };
        Ok(!matches!(self.advance(call).await?, Advance::Waits))
    }

    /// Runs calls that were journaled just now, in a lane that nobody else knows yet, without looking them up
    /// again; gives the results in hand, by call and in their order. Whatever is left of the lane is run as any other.
    pub(crate) async fn run_new(
        self: &Rc<Self>,
        lane: &str,
        calls: Vec<Stored<Call>>,
    ) -> Vec<(String, ActionResult)> {
        let mut results = Vec::new();
        for call in calls {
            let id = call.record.id.clone();
            let Ok(Advance::Ended(result)) = self.advance(call).await else {
                self.run_lane(lane);
                break;
            };
            results.push((id, *result));
        }
        results
    }

    /// Brings a call as far as it gets now.
    async fn advance(self: &Rc<Self>, call: Stored<Call>) -> Result<Advance, StoreError> {
        match &call.record.state {
            CallState::Waiting { .. } | CallState::Done { .. } => Ok(Advance::Waits),
            CallState::Received if signs(&call.record) => self.review(call).await,
            CallState::Approved if signs(&call.record) => self.run_bundle(call).await,
            CallState::Received | CallState::Approved => self.execute(call).await,
        }
    }

    /// Puts a call that has just arrived to the policy: what it uses up if it may run, or where it ended up instead.
    async fn admit(self: &Rc<Self>, call: &Stored<Call>) -> Result<Admission, StoreError> {
        let Some(tool) = tool::definition(call.record.tool.as_deref()) else {
            return Ok(Admission::Runs(None));
        };
        if call.record.state != CallState::Received {
            return Ok(Admission::Runs(None));
        }
        let assessment = assess(self, &call.record, tool, None).await?;
        let shown = digest(&json(&call.record.params));
        let mut batch = Batch::new(Durability::Strict);
        match &assessment.verdict {
            Verdict::Allow => Ok(Admission::Runs(Some(assessment))),
            Verdict::Ask { reasons } => {
                assessment.stage_note(&call.record, &shown, &mut batch);
                let question = Question::ConfirmationRequired { call_id: call.record.id.clone() };
                let title = call.record.title.clone();
                let ask = Ask { question, title, reasons: reasons.clone(), digest: shown };
                let prompt = prompt::ask_for_call(self, call.clone(), ask, &mut batch);
                self.commit(batch).await?;
                prompt::notify(self, &prompt).await?;
                Ok(Admission::Elsewhere(Advance::Waits))
            }
            Verdict::Block { reasons } => {
                assessment.stage_note(&call.record, &shown, &mut batch);
                let result =
                    self.end_call(&mut batch, call.clone(), Output::failed(blocked(reasons))).await?;
                self.commit(batch).await?;
                Ok(Admission::Elsewhere(Advance::Ended(Box::new(result))))
            }
        }
    }

    /// Ends a call that changes nothing else.
    pub(crate) async fn end_with(
        self: &Rc<Self>,
        call: Stored<Call>,
        output: Output,
    ) -> Result<Advance, StoreError> {
        let mut batch = Batch::new(Durability::Strict);
        let result = self.end_call(&mut batch, call, output).await?;
        self.commit(batch).await?;
        Ok(Advance::Ended(Box::new(result)))
    }

    /// Runs the tool and commits its effect, the result and the delivery as one: a death before the commit has
    /// done nothing, a death after it has done everything.
    async fn execute(self: &Rc<Self>, call: Stored<Call>) -> Result<Advance, StoreError> {
        for _ in 0..MAX_CONFLICTS {
            let uses = match self.admit(&call).await? {
                Admission::Runs(uses) => uses,
                Admission::Elsewhere(advance) => return Ok(advance),
            };
            let (mut batch, output) = self.run_tool(&call.record).await?;
            if let Some(uses) = uses {
                uses.stage_uses(&mut batch);
            }
            let result = self.end_call(&mut batch, call.clone(), output).await?;
            match self.commit(batch).await {
                Err(StoreError::Conflict { .. }) => {
                    match read::<Call>(&*self.ports.store, Table::Calls, &call.record.id).await? {
                        Some(now) if now.text == call.text => {}
                        // The call itself moved on: somebody else ended it.
                        _ => return Ok(Advance::EndedElsewhere),
                    }
                }
                other => {
                    other?;
                    self.keep_contacts();
                    return Ok(Advance::Ended(Box::new(result)));
                }
            }
        }
        self.end_with(call, Output::failed("busy: the records changed too often".to_owned())).await
    }

    /// What the tool wants written, and what it gives.
    async fn run_tool(&self, call: &Call) -> Result<(Batch, Output), StoreError> {
        let mut context = Context {
            store: &*self.ports.store,
            contacts: &self.contacts,
            ids: &self.ids,
            added_by: tool::added_by(&call.source),
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
        &self,
        sender: &Sender<'_>,
        element: &Value,
    ) -> Result<Option<ActionResult>, StoreError> {
        let (key, call) = self.new_call(sender, 0, element);
        let tool = tool::definition(call.tool.as_deref()).filter(|tool| tool.category == Category::Read);
        let Some(tool) = tool else {
            return Ok(None);
        };
        let assessment = assess(self, &call, tool, None).await?;
        if assessment.verdict != Verdict::Allow {
            return Ok(None);
        }
        let (mut batch, output) = self.run_tool(&call).await?;
        let result = output.into_result(&call);
        assessment.stage_uses(&mut batch);
        batch.expect(Table::Actions, &key, None);
        batch.put(Table::Actions, &key, &call.id);
        record_end(&mut batch, call, result.clone(), self.now());
        match self.commit(batch).await {
            Ok(()) => Ok(Some(result)),
            Err(StoreError::Conflict { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
