//! The requests of a call: sent until they have their answer, or must not be sent again.
//!
//! What a worker's death leaves is in [`Run`](super::row::Run): nothing sent yet, the call is run; a request that may be
//! repeated, the rest of its attempts in the rest of its time; any other, its outcome is unknown, and it is never repeated.

use super::attempt::{Answer, Outgoing};
use super::error::RunError;
use super::http::HttpTool;
use super::refused;
use super::retry::{Bounds, is_passing, next_attempt};
use super::row::{Kept, Sending};
use super::window::Window;
use crate::Core;
use crate::call::{self, CallRow, Cancel};
use crate::id::derived;
use crate::later::boxed_later;
use crate::policy::kill_switch_stops;
use crate::prompt::DeclinedError;
use crate::secrets::{self, FillError, ForTool};
use crate::store::{Batch, StoreError, Stored};
use crate::tool::{AnyTool, Context, Definition, Outcome, Output, cancelled};
use serde_json::{Map, Value};
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::failure::Failure;
use wire::toolbox::{ErrorMode, HttpPlan, Reply, Request, ToolboxError};

/// A call whose requests are sent.
pub(super) struct Sender<'a, 'c> {
    pub(super) call: &'a Stored<CallRow>,
    pub(super) context: &'a mut Context<'c>,
    pub(super) kept: Kept,
    /// When the time of the whole call is over.
    pub(super) ends_at: Millis,
}

/// Why a call does not go on.
pub(super) enum Halt {
    /// It ends with this.
    Failed(Failure),
    /// The user must give the password first.
    Locked,
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<RunError> for Halt {
    fn from(error: RunError) -> Self {
        Self::Failed(error.into())
    }
}

impl<'a, 'c> Sender<'a, 'c> {
    /// Takes a call up. Until its end is on disk no other task, here or in a worker that is being replaced, sends for it.
    pub(super) async fn begin(
        call: &'a Stored<CallRow>,
        context: &'a mut Context<'c>,
        definition: &Definition,
    ) -> Result<(Self, Result<(), Halt>), StoreError> {
        let core = context.wallet.core;
        context.alone = Some(core.ports.host.lock(&["call/", &call.record.id].concat()).await);
        let mut kept = Kept::read(core, &call.record.id).await?;
        if kept.run.started_at == 0 {
            kept.run.started_at = core.now();
        }
        let ends_at = kept.run.started_at.min(core.now()) + definition.timeout;
        let mut sender = Self { call, context, kept, ends_at };
        let may = sender.may_go_on(definition).await?;
        Ok((sender, may))
    }

    fn core(&self) -> &'c std::rc::Rc<Core> {
        self.context.wallet.core
    }

    async fn may_go_on(&mut self, definition: &Definition) -> Result<Result<(), Halt>, StoreError> {
        let sending = self.kept.run.sending.clone();
        if sending.is_in_flight() {
            note(&self.call.record, &sending, RunError::OUTCOME_UNKNOWN, &mut self.context.batch);
            if !sending.is_idempotent {
                return Ok(Err(RunError::outcome_unknown("the wallet was stopped meanwhile").into()));
            }
        }
        let stoppable = kill_switch_stops(definition, true, &self.call.record.source);
        if stoppable && self.core().policy.rules().await?.kill_switch {
            return Ok(Err(DeclinedError::KillSwitch.failure().into()));
        }
        Ok(Ok(()))
    }

    /// The value of one request. `step` names it among those of the call.
    pub(super) async fn value(
        &mut self,
        tool: &HttpTool,
        plan: &HttpPlan,
        step: &str,
    ) -> Result<Result<Value, Halt>, StoreError> {
        let answer = match self.attempts(tool, plan, step).await? {
            Ended::Answered(answer) => answer,
            Ended::Halted(halt) => return Ok(Err(halt)),
            // What a host did not give is `null` where the tool says so.
            Ended::NoAnswer(_) if plan.error_mode == ErrorMode::Empty => return Ok(Ok(Value::Null)),
            Ended::NoAnswer(error) => return Ok(Err(error.into())),
        };
        Ok(finish(self.core(), tool.record(), answer).await.map_err(Halt::Failed))
    }

    async fn attempts(&mut self, tool: &HttpTool, plan: &HttpPlan, step: &str) -> Result<Ended, StoreError> {
        let core = self.core();
        let row = &*self.call.record;
        let is_first = self.kept.run.sending.attempts == 0;
        let known = Some(self.kept.run.sending.begun_at).filter(|at| !is_first && *at > 0);
        let began = known.unwrap_or(core.now()).min(core.now());
        let time = Time::new(plan, began, self.ends_at);
        let bounds = Bounds { max_retries: plan.max_retries, ends_at: time.ends_at };
        self.context.client.allowed_hosts = vec![plan.host.clone()];
        let for_tool = ForTool { call_id: Some(&row.id), tool_id: &tool.id, server: plan.oauth.as_ref() };
        // The request whose token the host did not take: it is sent once more, with another.
        let (mut refused, mut renewed) = (None, false);
        loop {
            let pause = self.kept.run.sending.next_at.map_or(0, |at| at.saturating_sub(core.now()));
            if pause > 0 && !self.context.pause(pause).await || core.now() >= time.ends_at {
                return Ok(time.over(&self.context.cancel, None));
            }
            let filled = match refused.take() {
                Some(refused) => secrets::refill(core, for_tool, plan.request.clone(), &refused).await,
                None => secrets::fill(core, for_tool, plan.request.clone()).await.map(Some),
            };
            let filled = match filled {
                Ok(Some(filled)) => filled,
                // There is no other token, since there was none.
                Ok(None) => return Ok(RunError::InvalidTool.into()),
                Err(FillError::Store(error)) => return Err(error),
                Err(FillError::Locked { vault_id, vault_name }) => {
                    self.stop_clock().await?;
                    secrets::ask_for_password(core, self.call.clone(), (vault_id, vault_name)).await?;
                    return Ok(Ended::Halted(Halt::Locked));
                }
                Err(error) => return Ok(error.failure().into()),
            };
            if filled.body_bytes() as u64 > plan.max_request_bytes {
                return Ok(RunError::RequestTooLarge.into());
            }
            if self.context.cancel.is_raised() {
                return Ok(cancelled().into());
            }
            if let Err(error) = self.commit_attempt(tool, plan, began).await? {
                return Ok(error.into());
            }
            let outgoing = Outgoing {
                plan,
                filled: &filled,
                idempotency_key: derived(&["tool request", &row.id, step]),
                call_id: Some(&row.id),
            };
            let left = time.ends_at.saturating_sub(core.now());
            let (cancel, client) = (self.context.cancel.clone(), &self.context.client);
            let sent = cancel.or(boxed_later(outgoing.send(core, client)), core.ports.host.sleep(left)).await;
            let (outcome, retry_after, ended) = judge(plan, &time, &cancel, sent);
            note(row, &self.kept.run.sending, &outcome, &mut self.context.batch);
            let next = retry_after.and_then(|seconds| {
                next_attempt(&self.kept.run.sending, bounds, seconds, core.now(), chance(core))
            });
            let at = match (next, &ended) {
                (Some(at), _) => at,
                (None, Ended::Answered(Answer { status: 401, .. })) if plan.oauth.is_some() && !renewed => {
                    (renewed, refused) = (true, Some(filled));
                    core.now()
                }
                (None, _) => return Ok(ended),
            };
            self.kept.run.sending.next_at = Some(at);
            self.commit().await?;
        }
    }

    /// Writes down that an attempt is made, before it is: with the approval of the call, if that is staged, and with the
    /// call's place in the tool's minute.
    async fn commit_attempt(
        &mut self,
        tool: &HttpTool,
        plan: &HttpPlan,
        began: Millis,
    ) -> Result<Result<(), RunError>, StoreError> {
        let core = self.core();
        let mut window = None;
        if let Some(most) = tool.per_minute.filter(|_| self.kept.run.sending.attempts == 0) {
            let open = Window::open(core, &tool.id).await?;
            if let Err(error) = open.check(most, core.now()) {
                return Ok(Err(error));
            }
            window = Some(open);
        }
        let mut batch = self.context.take_batch();
        // An approval that is staged says the same of the call.
        if batch.writes().is_empty() {
            call::expect_unchanged(self.call, &mut batch);
        }
        let _counted = window.map(|window| window.stage(&tool.id, core.now(), &mut batch));
        let sending = &mut self.kept.run.sending;
        *sending = Sending {
            host: plan.host.clone(),
            method: plan.method.clone(),
            begun_at: began,
            attempts: sending.attempts + 1,
            next_at: None,
            is_idempotent: plan.is_idempotent,
        };
        self.kept.stage(&self.call.record.id, &mut batch);
        core.commit(batch).await?;
        Ok(Ok(()))
    }

    /// The time in which the user is asked is not the call's.
    async fn stop_clock(&mut self) -> Result<(), StoreError> {
        (self.kept.run.started_at, self.kept.run.sending.begun_at) = (0, 0);
        match self.kept.is_new() {
            true => commit_approval(self.context).await,
            false => self.commit().await,
        }
    }

    /// Writes down what a step gave; what was inside it is done with it.
    pub(super) async fn step_done(&mut self, place: String, value: Value) -> Result<(), StoreError> {
        let inside = [&place, "/"].concat();
        self.kept.run.done.retain(|done, _| !done.starts_with(&inside));
        self.kept.run.done.insert(place, value);
        self.kept.run.sending = Sending::default();
        self.commit().await
    }

    /// Calls a function that only reads.
    pub(super) async fn call_function(
        &mut self,
        function: &AnyTool,
        args: Map<String, Value>,
    ) -> Result<Output, StoreError> {
        let mut call = self.call.clone();
        call.record.params = args;
        if let Err(refusal) = function.validate(&mut call.record, self.context).await? {
            return Ok(Output::failed(refusal.failure));
        }
        let left = self.ends_at.saturating_sub(self.core().now());
        let (cancel, time_up) = (self.context.cancel.clone(), self.core().ports.host.sleep(left));
        Ok(match cancel.or(function.execute(&call, self.context), time_up).await {
            Some(outcome) => match outcome? {
                Outcome::Ended(result) => result.output,
                Outcome::Deferred(_) | Outcome::Suspended => Output::failed(RunError::InvalidTool),
            },
            None => Output::failed(cancelled()),
        })
    }

    /// Writes down how far the call got.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        let mut batch = self.context.take_batch();
        if batch.writes().is_empty() {
            call::expect_unchanged(self.call, &mut batch);
        }
        self.kept.stage(&self.call.record.id, &mut batch);
        self.core().commit(batch).await
    }

    /// What the call ends with; none if the user must give the password first.
    pub(super) async fn end(self, ended: Result<Value, Halt>) -> Result<Option<Output>, StoreError> {
        let output = match ended {
            Ok(value) => Output::Data(value),
            Err(Halt::Failed(failure)) => Output::failed(failure),
            Err(Halt::Locked) => return Ok(None),
        };
        commit_approval(self.context).await?;
        Ok(Some(output))
    }
}

/// How the attempts of a request ended.
enum Ended {
    /// With an answer, good or not.
    Answered(Answer),
    /// Without one.
    NoAnswer(RunError),
    /// In a way that no `errorMode` hides.
    Halted(Halt),
}

impl<T: Into<Halt>> From<T> for Ended {
    fn from(halt: T) -> Self {
        Self::Halted(halt.into())
    }
}

/// What came of an attempt: the word of the audit log, whether another may help (and when the host asks for it, in
/// seconds), and how it ends if there is no other.
fn judge(
    plan: &HttpPlan,
    time: &Time,
    cancel: &Cancel,
    sent: Option<Result<Answer, RunError>>,
) -> (String, Option<Option<u64>>, Ended) {
    match sent {
        None => (given_up(plan.is_idempotent).to_owned(), None, time.over(cancel, Some(plan.is_idempotent))),
        Some(Ok(answer)) => {
            let passes = !is_success(plan, answer.status) && is_passing(answer.status);
            (answer.status.to_string(), passes.then_some(answer.retry_after), Ended::Answered(answer))
        }
        Some(Err(error @ RunError::Unreachable(_))) if !plan.is_idempotent => {
            let unknown = RunError::outcome_unknown(&error.to_string());
            (RunError::OUTCOME_UNKNOWN.to_owned(), None, unknown.into())
        }
        Some(Err(error)) => {
            let passes = matches!(error, RunError::Unreachable(_));
            (error.code().to_owned(), passes.then_some(None), Ended::NoAnswer(error))
        }
    }
}

/// The time that a request has for all of its attempts.
pub(super) struct Time {
    pub(super) ends_at: Millis,
    /// All of its own.
    pub(super) limit: Millis,
    /// Whether it is the request's own, which is over before the call's (T003-8: each at its own layer).
    is_own: bool,
}

impl Time {
    pub(super) fn new(plan: &HttpPlan, began: Millis, call_ends_at: Millis) -> Self {
        let own = began + plan.timeout_ms;
        Self { ends_at: own.min(call_ends_at), limit: plan.timeout_ms, is_own: own <= call_ends_at }
    }

    /// How a call ends whose time is over, or that is cancelled; while a request that may be repeated, or may not, is under
    /// way, or none is.
    fn over(&self, cancel: &Cancel, under_way: Option<bool>) -> Ended {
        if !self.is_own || cancel.is_raised() {
            return cancelled().into();
        }
        let error = RunError::TimedOut { millis: self.limit };
        match under_way {
            Some(false) => RunError::outcome_unknown(&error.to_string()).into(),
            _ => Ended::NoAnswer(error),
        }
    }
}

/// What the audit log says of a request that was given up while it was under way.
pub(super) const fn given_up(is_idempotent: bool) -> &'static str {
    if is_idempotent { "cancelled" } else { RunError::OUTCOME_UNKNOWN }
}

pub(super) fn is_success(plan: &HttpPlan, status: u16) -> bool {
    match plan.success_codes.as_slice() {
        [] => (200..300).contains(&status),
        codes => codes.contains(&status),
    }
}

pub(super) fn chance(core: &Core) -> u16 {
    let mut bytes = [0; 2];
    core.ports.host.random(&mut bytes);
    u16::from_be_bytes(bytes)
}

/// Makes the value of an answer, as the record says.
pub(super) async fn finish(core: &Core, record: &Value, answer: Answer) -> Result<Value, Failure> {
    let Answer { status, content_type, body, events, .. } = answer;
    let request = Request::Finish { tool: record.clone(), status, content_type, body, events };
    match core.ports.toolbox.ask(request).await {
        Ok(Reply::Finished { value }) => Ok(value),
        Ok(_) => Err(refused(ToolboxError::unavailable())),
        Err(error) => Err(refused(error)),
    }
}

/// Commits an approval that is staged, where nothing was sent with which it would be committed.
async fn commit_approval(context: &mut Context<'_>) -> Result<(), StoreError> {
    if context.batch.writes().is_empty() {
        return Ok(());
    }
    let core = context.wallet.core;
    core.commit(context.take_batch()).await
}

/// One entry of the audit log for each attempt.
pub(super) fn note(call: &CallRow, sending: &Sending, outcome: &str, batch: &mut Batch) {
    batch.note(AuditRecord::ToolRequest {
        call_id: Some(call.id.clone()),
        tool: call.tool.clone().unwrap_or_default(),
        host: sending.host.clone(),
        method: sending.method.clone(),
        attempt: sending.attempts,
        outcome: outcome.to_owned(),
    });
}
