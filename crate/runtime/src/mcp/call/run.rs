//! A call under way: sent once, read to its end, suspended while a person is asked.
//!
//! What a worker's death leaves is in [`RunRow`](crate::mcp::row::RunRow): nothing sent yet, the call is made; a request on a
//! stream that can be taken up, the stream is taken up; any other, its outcome is unknown, and it is never made again (M16).

mod questions;

use super::{McpTool, OUTCOME_UNKNOWN, note};
use crate::Core;
use crate::call::{self, CallRow};
use crate::later::boxed_later;
use crate::mcp::aside::Asides;
use crate::mcp::error::McpError;
use crate::mcp::exchange::{Exchange, Heard};
use crate::mcp::link::{Link, Outgoing};
use crate::mcp::protocol::content::Content;
use crate::mcp::protocol::era::Era;
use crate::mcp::protocol::header;
use crate::mcp::protocol::message::{self, RpcError};
use crate::mcp::row::{Kept, QuestionRow, SentRow, responses};
use crate::mcp::{refresh, servers};
use crate::policy::kill_switch_stops;
use crate::prompt::DeclinedError;
use crate::secrets;
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::{Context, Output, cancelled};
use crate::tools::check_output;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use wire::api::Millis;
use wire::event::{Event, Progress};

/// How long a call may take without a word of progress (M12).
const SOFT: Millis = 60_000;
/// How often a server may ask in one call.
const MAX_ROUNDS: u32 = 10;
/// Progress is told no more often than this (M11).
const PROGRESS_EVERY: Millis = 250;
/// A server that only wants to be asked again is asked after this.
const ROUND_PAUSE: Millis = 1_000;

/// Answers that wait for a person, and streams between calls, in this worker.
#[derive(Default)]
pub(crate) struct Parked {
    calls: RefCell<Vec<(String, Exchange)>>,
    pub(in crate::mcp) asides: Asides,
}

impl Parked {
    fn put(&self, call_id: &str, exchange: Exchange) {
        self.drop_call(call_id);
        self.calls.borrow_mut().push((call_id.to_owned(), exchange));
    }

    fn take(&self, call_id: &str) -> Option<Exchange> {
        let mut parked = self.calls.borrow_mut();
        let place = parked.iter().position(|(id, _)| id == call_id)?;
        Some(parked.swap_remove(place).1)
    }

    /// Closes the answer of a call that has ended.
    pub(crate) fn drop_call(&self, call_id: &str) {
        self.calls.borrow_mut().retain(|(id, _)| id != call_id);
    }
}

/// A call under way.
pub(super) struct Runner<'a, 'c> {
    tool: &'a McpTool,
    call: &'a Stored<CallRow>,
    context: &'a mut Context<'c>,
    kept: Kept,
    /// When progress was last told.
    told_at: Millis,
    /// What the person answered, of the request that is on its way: it may have to be sent again.
    answers: (Vec<QuestionRow>, Option<String>),
    /// Whether the tools were listed again because the server wanted other headers (M7).
    refreshed: bool,
}

/// How far a call got.
enum Step {
    /// To its end.
    Ended(Output),
    /// The server wants to know something.
    Asks,
    /// It is to be sent again.
    Again,
    /// The vault that holds the token must be opened.
    Locked(String, String),
}

impl From<McpError> for Step {
    fn from(error: McpError) -> Self {
        match error {
            McpError::Locked { vault_id, vault_name } => Self::Locked(vault_id, vault_name),
            error => Self::Ended(Output::failed(error)),
        }
    }
}

impl<'a, 'c> Runner<'a, 'c> {
    /// Takes a call up. Until its end is on disk no other task sends for it.
    pub(super) async fn begin(
        tool: &'a McpTool,
        call: &'a Stored<CallRow>,
        context: &'a mut Context<'c>,
    ) -> Result<Self, StoreError> {
        let core = context.wallet.core;
        context.alone = Some(core.ports.host.lock(&["call/", &call.record.id].concat()).await);
        let mut kept = Kept::read(core, &call.record.id).await?;
        if kept.run.started_at == 0 {
            kept.run.started_at = core.now();
        }
        Ok(Self { tool, call, context, kept, told_at: 0, answers: (Vec::new(), None), refreshed: false })
    }

    fn core(&self) -> &'c Rc<Core> {
        self.context.wallet.core
    }

    /// Runs the call to its end; none if it is suspended.
    pub(super) async fn run(mut self) -> Result<Option<Output>, StoreError> {
        let output = loop {
            match self.step().await? {
                Step::Ended(output) => break output,
                Step::Again => {}
                Step::Asks => {
                    self.suspend().await?;
                    return Ok(None);
                }
                Step::Locked(vault_id, vault_name) => {
                    self.stop_clock();
                    self.commit().await?;
                    secrets::ask_for_password(self.core(), self.call.clone(), (vault_id, vault_name)).await?;
                    return Ok(None);
                }
            }
        };
        self.core().mcp_streams.drop_call(&self.call.record.id);
        // An approval that is staged is on disk before the end, as for every tool that reaches out.
        if !self.context.batch.writes().is_empty() {
            let batch = self.context.take_batch();
            self.core().commit(batch).await?;
        }
        Ok(Some(output))
    }

    async fn step(&mut self) -> Result<Step, StoreError> {
        if self.kept.run.questions.iter().any(|question| question.given.is_none()) {
            return Ok(Step::Asks);
        }
        let stops = kill_switch_stops(self.tool.tool_definition(), true, &self.call.record.source);
        if stops && self.core().policy.rules().await?.kill_switch {
            return Ok(Step::Ended(Output::failed(DeclinedError::KillSwitch.failure())));
        }
        if self.context.cancel.is_raised() {
            return Ok(Step::Ended(Output::failed(cancelled())));
        }
        let server = match self.tool.server(self.core()).await? {
            Ok(server) => server,
            Err(error) => return Ok(self.unless_sent(error).into()),
        };
        let core = self.core();
        let call_id = self.call.record.id.clone();
        let mut link = Link::new(core, server, Some(&call_id));
        let exchange = match self.open(&mut link).await? {
            Ok(exchange) => exchange,
            Err(error) => return Ok(self.ended_by(&mut link, error).await),
        };
        self.hear(&mut link, exchange).await
    }

    /// What an error means for a call: one that may have been executed has an outcome that is not known.
    fn unless_sent(&mut self, error: McpError) -> McpError {
        match &error {
            _ if self.kept.run.sent.is_none()
                || error.is_refusal() && !matches!(error, McpError::Store(_)) =>
            {
                error
            }
            _ => McpError::OutcomeUnknown { why: error.to_string() },
        }
    }

    async fn ended_by(&mut self, link: &mut Link<'_>, error: McpError) -> Step {
        if matches!(error, McpError::SignInRequired | McpError::OriginRefused) {
            refresh::note_refusal(link, &error).await;
        }
        let outcome = match (&error, error.is_refusal() || self.kept.run.sent.is_none()) {
            (_, true) => error.code(),
            (_, false) => OUTCOME_UNKNOWN,
        };
        if self.kept.run.attempts > 0 {
            note(&self.call.record, self.kept.run.attempts, outcome, &mut self.context.batch);
        }
        if matches!(error, McpError::Locked { .. }) {
            self.take_back();
            return error.into();
        }
        if matches!(error, McpError::Rpc { code: RpcError::HEADER_MISMATCH, .. }) && !self.refreshed {
            return self.list_again(error).await;
        }
        self.unless_sent(error).into()
    }

    /// The request was not executed: it is as if it had not been sent.
    fn take_back(&mut self) {
        let run = &mut self.kept.run;
        run.sent = None;
        (run.questions, run.request_state) = std::mem::take(&mut self.answers);
    }

    /// M7: the server wants other headers than its list said. The call is sent once more if the tool is still the same.
    async fn list_again(&mut self, error: McpError) -> Step {
        self.refreshed = true;
        let core = self.core();
        if refresh::refresh(core, &self.tool.server_id).await.is_err() {
            return error.into();
        }
        match servers::has(core, &self.tool.server_id, &self.tool.served).await {
            Ok(true) => {
                self.take_back();
                Step::Again
            }
            Ok(false) => McpError::DefinitionChanged.into(),
            Err(_) => error.into(),
        }
    }

    /// The answer to be read: of a request that is sent now, that waited for the person, or of a worker that was stopped.
    async fn open(&mut self, link: &mut Link<'_>) -> Result<Result<Exchange, McpError>, StoreError> {
        let call_id = &self.call.record.id;
        if let Some(sent) = self.kept.run.sent.clone() {
            let parked = self.core().mcp_streams.take(call_id);
            let exchange = match parked.filter(|exchange| exchange.id == sent.id) {
                Some(exchange) => Ok(exchange),
                None => Exchange::resume(link, &sent).await,
            };
            return match exchange {
                Ok(exchange) => self.answer(link).await.map(|()| Ok(exchange)),
                Err(error) => Ok(Err(error)),
            };
        }
        let request = self.request(link);
        self.commit_attempt(link, &request).await?;
        let core = self.core();
        let (cancel, left) = (self.context.cancel.clone(), self.left().min(SOFT));
        let began = boxed_later(Exchange::call(link, &request));
        Ok(match cancel.or(began, core.ports.host.sleep(left)).await {
            Some(Ok(exchange)) => {
                self.note_session(link);
                Ok(exchange)
            }
            Some(Err(error)) => Err(error),
            None => Err(McpError::TimedOut { millis: left }),
        })
    }

    /// The request of the call, with what the person answered.
    fn request(&mut self, link: &Link<'_>) -> Outgoing {
        let args = &self.call.record.params;
        let mut params = Map::new();
        params.insert("name".to_owned(), self.tool.served.name().into());
        params.insert("arguments".to_owned(), Value::Object(args.clone()));
        let answers = responses(&self.kept.run.questions);
        if !answers.is_empty() {
            params.insert("inputResponses".to_owned(), Value::Object(answers));
        }
        if let Some(state) = &self.kept.run.request_state {
            params.insert("requestState".to_owned(), state.clone().into());
        }
        let schema = self.tool.served.input_schema().unwrap_or(&Value::Null);
        let declared = header::declared(schema).unwrap_or_default();
        let mut request = link.outgoing(super::METHOD, params);
        request.name = Some(self.tool.served.name().to_owned());
        request.headers = header::of_arguments(&declared, args);
        request.params.insert("_meta".to_owned(), json!({ "progressToken": request.id }));
        request
    }

    /// Writes down that the call is made, before it is: with its approval, if that is staged.
    async fn commit_attempt(&mut self, link: &Link<'_>, request: &Outgoing) -> Result<(), StoreError> {
        let session = match &link.server.era {
            Some(Era::Legacy { session }) => session.clone(),
            _ => None,
        };
        let run = &mut self.kept.run;
        run.sent = Some(SentRow { id: request.id.clone(), session, last_event: None, retry: None });
        run.attempts += 1;
        self.answers = (std::mem::take(&mut run.questions), run.request_state.take());
        self.commit().await
    }

    /// The session may have been opened for this request.
    fn note_session(&mut self, link: &Link<'_>) {
        if let (Some(sent), Some(Era::Legacy { session })) = (&mut self.kept.run.sent, &link.server.era) {
            sent.session.clone_from(session);
        }
    }

    /// Hands the person's answer to a legacy server, whose stream is open.
    async fn answer(&mut self, link: &mut Link<'_>) -> Result<(), StoreError> {
        let questions = std::mem::take(&mut self.kept.run.questions);
        if questions.is_empty() {
            return Ok(());
        }
        for QuestionRow { key, given, .. } in questions {
            let Some(given) = given else { continue };
            // A server that does not take it says so on the stream.
            let _unheard = link.post_message(&message::response(&key, &given.result())).await;
            self.kept.run.answered.push(key);
        }
        self.commit().await
    }

    /// Reads the answer to its end, or to a question.
    async fn hear(&mut self, link: &mut Link<'_>, mut exchange: Exchange) -> Result<Step, StoreError> {
        loop {
            let core = self.core();
            let (cancel, left) = (self.context.cancel.clone(), self.left().min(SOFT));
            let heard = boxed_later(exchange.hear(link));
            let heard = cancel.or(heard, core.ports.host.sleep(left)).await;
            match heard {
                None => {
                    self.give_up(link, &exchange);
                    let raised = self.context.cancel.is_raised();
                    let error = McpError::TimedOut { millis: self.kept.spent(core.now()) };
                    let step = self.ended_by(link, error).await;
                    return Ok(if raised { Step::Ended(Output::failed(cancelled())) } else { step });
                }
                Some(Err(error)) => return Ok(self.ended_by(link, error).await),
                Some(Ok(Heard::Position)) => self.keep_position(&exchange).await?,
                Some(Ok(Heard::Progress(progress))) => {
                    self.tell(progress).await;
                    self.keep_position(&exchange).await?;
                }
                Some(Ok(Heard::Question { id, .. })) if self.kept.run.answered.contains(&id) => {}
                Some(Ok(Heard::Question { id, wanted })) => {
                    if let Some(step) = self.asked(link, &mut exchange, id, wanted).await? {
                        core.mcp_streams.put(&self.call.record.id, exchange);
                        return Ok(step);
                    }
                }
                Some(Ok(Heard::Answer(outcome))) => {
                    if exchange.list_changed {
                        refresh::mark_stale(core, &self.tool.server_id).await;
                    }
                    let status = exchange.status();
                    exchange.leave(link);
                    return self.answered(link, status, outcome).await;
                }
            }
        }
    }

    /// M8, M9: the tool's own failure is output for the agent; a success is what the tool promises.
    async fn output(&self, content: Content) -> Output {
        if content.is_error {
            let text = content.first_text().unwrap_or("the tool failed").chars().take(500).collect();
            let error = McpError::ToolFailed { text }.into();
            return Output::Failed { error, report: Some(content.into_data()) };
        }
        let Some(schema) = self.tool.served.output_schema() else { return Output::Data(content.into_data()) };
        let Some(structured) = content.structured.clone() else {
            return Output::failed(McpError::NoStructuredContent);
        };
        match check_output(self.core(), schema, structured).await {
            Ok(_) => Output::Data(content.into_data()),
            Err(failure) => Output::failed(failure),
        }
    }

    /// All the time that the call has.
    fn limit(&self) -> Millis {
        self.tool.tool_definition().timeout
    }

    /// What is left of it: progress does not make it longer (M12).
    fn left(&self) -> Millis {
        self.limit().saturating_sub(self.kept.spent(self.core().now()))
    }

    /// Tells a legacy server that its answer is not waited for (M12); a modern one sees the stream close.
    fn give_up(&self, link: &Link<'_>, exchange: &Exchange) {
        if matches!(link.server.era, Some(Era::Modern) | None) {
            return;
        }
        let (core, server, id) = (Rc::clone(self.core()), link.server.clone(), exchange.id.clone());
        self.core().ports.host.spawn(boxed_later(async move {
            let params = json!({ "requestId": id, "reason": "the wallet does not wait any longer" });
            let params = if let Value::Object(params) = params { params } else { Map::new() };
            let mut link = Link::new(&core, server, None);
            let notice = message::notification("notifications/cancelled", params);
            let _unheard = link.post_message(&notice).await;
        }));
    }

    /// M11: shows pages how far the tool is, not too often.
    async fn tell(&mut self, progress: Progress) {
        let now = self.core().now();
        if now.saturating_sub(self.told_at) < PROGRESS_EVERY {
            return;
        }
        self.told_at = now;
        let mut batch = Batch::new(Durability::Relaxed);
        batch.tell(&Event::ToolStreaming {
            call_id: self.call.record.id.clone(),
            data: String::new(),
            args: None,
            progress: Some(progress),
        });
        let _missed = self.core().commit(batch).await;
    }

    fn take_position(&mut self, exchange: &Exchange) {
        if let Some(sent) = &mut self.kept.run.sent {
            (sent.last_event, sent.retry) = exchange.position();
        }
    }

    /// Writes down from where the stream can be taken up, once: what comes after it is repeated.
    async fn keep_position(&mut self, exchange: &Exchange) -> Result<(), StoreError> {
        let known = self.kept.run.sent.as_ref().is_some_and(|sent| sent.last_event.is_some());
        if known || exchange.position().0.is_none() {
            return Ok(());
        }
        self.take_position(exchange);
        self.commit().await
    }

    /// The time in which a person is asked is not the call's.
    fn stop_clock(&mut self) {
        self.kept.run.spent = self.kept.spent(self.core().now());
        self.kept.run.started_at = 0;
    }

    /// Writes down how far the call got.
    async fn commit(&mut self) -> Result<(), StoreError> {
        let mut batch = self.context.take_batch();
        if batch.writes().is_empty() {
            call::expect_unchanged(self.call, &mut batch);
        }
        self.kept.stage(&self.call.record.id, &mut batch);
        self.core().commit(batch).await
    }
}

impl McpTool {
    fn tool_definition(&self) -> &crate::tool::Definition {
        &self.definition
    }
}
