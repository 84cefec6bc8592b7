//! A trial run: a tool that need not be stored sends its request, and every stage of it is shown. It is the user's own,
//! leaves nothing but its entries in the audit log, and ends with the worker.

use super::attempt::{Answer, Outgoing};
use super::http::HttpTool;
use super::retry::{Bounds, is_passing, next_attempt};
use super::row::Sending;
use super::send::{Time, chance, finish, is_success};
use super::{About, RunError};
use crate::Core;
use crate::call::Cancel;
use crate::http::ApiError;
use crate::later::boxed_later;
use crate::secrets::{self, ForTool};
use crate::store::{Batch, Durability};
use crate::tool::{Client, Refusal, built_in_definitions, cancelled};
use crate::tools::{ToolStoreError, built_in};
use derive::ToJson;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::failure::Failure;
use wire::tool::Preview;
use wire::toolbox::{ErrorMode, HttpPlan, Reply, Request, ToolboxError, Violation};

/// Every stage of a trial run, as far as it came.
#[derive(Default, ToJson)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trial {
    /// As it goes out, with names in the place of secrets.
    request: Option<Preview>,
    attempts: Vec<Attempt>,
    response: Option<Response>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extracted: Option<Value>,
    /// Where what was extracted breaks the schema of the output.
    validation: Vec<Violation>,
    /// What could be better, for the person who writes the tool.
    warnings: Vec<ToolboxError>,
    result: Invoked,
}

#[derive(ToJson)]
struct Attempt {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    millis: Millis,
}

#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Response {
    status: u16,
    content_type: Option<String>,
    body: String,
}

/// What a call of the tool would give.
#[derive(Default, ToJson)]
struct Invoked {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

impl Trial {
    fn failed(mut self, error: impl Into<Failure>) -> Self {
        self.result = Invoked { ok: false, value: None, error: Some(error.into()) };
        self
    }

    fn gave(mut self, value: Value) -> Self {
        self.result = Invoked { ok: true, value: Some(value), error: None };
        self
    }
}

/// Runs a draft once. It can be cancelled by its id.
pub(crate) async fn trial(
    core: &Rc<Core>,
    id: &str,
    draft: Value,
    args: Map<String, Value>,
) -> Result<Trial, ApiError> {
    let _working = core.working("trial");
    let under_way = core.cancels.begin_trial(id);
    let (mut record, warnings) = check(core, draft).await?;
    let output_schema = record.get_mut("outputSchema").map(Value::take).unwrap_or_default();
    let tool = match About::read(String::new(), String::new(), &record) {
        Ok(about) if about.kind == "http" => HttpTool::new(about, record),
        _ => return Ok(Trial::default().failed(RunError::InvalidTool)),
    };
    let plan = match tool.plan(core, &args).await? {
        Ok(plan) => plan,
        Err(Refusal { failure, path: Some(path), .. }) => {
            let message = failure.message().unwrap_or_default().to_owned();
            return Err(ApiError::new(400, failure.code().to_owned(), message).at(["/args", &path].concat()));
        }
        Err(refusal) => return Ok(Trial::default().failed(refusal.failure)),
    };
    let mut trial = Trial { request: Some(tool.preview(&plan)), warnings, ..Trial::default() };
    let hides = plan.error_mode == ErrorMode::Empty;
    let sent = send(core, &tool, &plan, &under_way.cancel, &mut trial).await?;
    if under_way.cancel.is_raised() {
        return Ok(trial.failed(cancelled()));
    }
    let answer = match sent {
        Ok(answer) => answer,
        Err(error) if hides && error.code() != RunError::OUTCOME_UNKNOWN => {
            return Ok(trial.gave(Value::Null));
        }
        Err(error) => return Ok(trial.failed(error)),
    };
    let content_type = Some(answer.content_type.clone()).filter(|kind| !kind.is_empty());
    let body = answer.events.as_ref().map_or_else(|| answer.body.clone(), |events| events.join("\n"));
    trial.response = Some(Response { status: answer.status, content_type, body });
    let value = match finish(core, tool.record(), answer).await {
        Ok(value) => value,
        Err(failure) => return Ok(trial.failed(failure)),
    };
    trial.extracted = Some(value.clone());
    if !output_schema.is_null() {
        let request = Request::Validate { schema: output_schema, value: value.clone() };
        if let Reply::Validated { violations } =
            core.ports.toolbox.ask(request).await.map_err(ToolStoreError::from)?
        {
            trial.validation = violations;
        }
    }
    Ok(match trial.validation.first().cloned() {
        None => trial.gave(value),
        Some(Violation { path, message }) => {
            trial.failed(RunError::OutputMismatch { path, problem: message })
        }
    })
}

/// The record of a draft, checked as one that is put. It needs no bundle, and may have a name that is taken.
async fn check(core: &Core, mut draft: Value) -> Result<(Value, Vec<ToolboxError>), ApiError> {
    if let Some(fields) = draft.as_object_mut() {
        fields.remove("bundleID");
    }
    let text = |name: &str, otherwise: &str| {
        let text = draft.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.unwrap_or(otherwise).to_owned()
    };
    let request = Request::CheckTool {
        bundle_id: built_in::BUNDLE.to_owned(),
        slug: text("slug", "draft"),
        version: text("version", "v1"),
        functions: built_in_definitions().map(|tool| tool.name.clone().into_owned()).collect(),
        reserved: Vec::new(),
        body: draft,
    };
    let wrong = match core.ports.toolbox.ask(request).await.map_err(ToolStoreError::from)? {
        Reply::Tool(checked) => return Ok((Value::Object(checked.record), checked.warnings)),
        Reply::Rejected { errors } => errors.into_iter().next(),
        _ => None,
    };
    let ToolboxError { code, message, path } = wrong.unwrap_or_else(ToolboxError::unavailable);
    Err(ApiError::new(400, code, message).at(["/tool", &path.unwrap_or_default()].concat()))
}

/// Sends as a call would, with nothing on disk.
async fn send(
    core: &Rc<Core>,
    tool: &HttpTool,
    plan: &HttpPlan,
    cancel: &Cancel,
    trial: &mut Trial,
) -> Result<Result<Answer, RunError>, ApiError> {
    let time = Time::new(plan, core.now(), core.now() + tool.definition.timeout);
    let bounds = Bounds { max_retries: plan.max_retries, ends_at: time.ends_at };
    let client = Client::new(core, vec![plan.host.clone()]);
    let mut run = Sending { is_idempotent: plan.is_idempotent, ..Sending::default() };
    let mut batch = Batch::new(Durability::Strict);
    let idempotency_key = core.ids.next();
    let ended = loop {
        let for_tool = ForTool { call_id: None, tool_id: &tool.id, server: plan.oauth.as_ref() };
        let filled = match secrets::fill(core, for_tool, plan.request.clone()).await {
            Ok(filled) => filled,
            Err(error) => {
                let failure = error.failure();
                let message = failure.message().unwrap_or_default().to_owned();
                return Err(ApiError::new(403, failure.code().to_owned(), message));
            }
        };
        if filled.body_bytes() as u64 > plan.max_request_bytes {
            return Ok(Err(RunError::RequestTooLarge));
        }
        run.attempts += 1;
        let began = core.ports.host.monotonic();
        let outgoing =
            Outgoing { plan, filled: &filled, idempotency_key: idempotency_key.clone(), call_id: None };
        let time_up = core.ports.host.sleep(time.ends_at.saturating_sub(core.now()));
        let sent = cancel.or(boxed_later(outgoing.send(core, &client)), time_up).await;
        let sent = sent.unwrap_or(Err(RunError::TimedOut { millis: time.limit }));
        let (status, error) = match &sent {
            Ok(answer) => (Some(answer.status), None),
            Err(error) => (None, Some(error.code())),
        };
        batch.note(AuditRecord::ToolRequest {
            call_id: None,
            tool: String::new(),
            host: plan.host.clone(),
            method: plan.method.clone(),
            attempt: run.attempts,
            outcome: error.map_or_else(|| status.unwrap_or_default().to_string(), str::to_owned),
        });
        let millis = core.ports.host.monotonic().saturating_sub(began);
        trial.attempts.push(Attempt { status, error: error.map(str::to_owned), millis });
        let retry_after = match &sent {
            Ok(answer) if is_success(plan, answer.status) || !is_passing(answer.status) => break sent,
            Ok(answer) => answer.retry_after,
            Err(RunError::Unreachable(_)) => None,
            Err(_) => break sent,
        };
        let Some(at) = next_attempt(&run, bounds, retry_after, core.now(), chance(core)) else { break sent };
        let pause = Box::pin(core.ports.host.sleep(at.saturating_sub(core.now())));
        if cancel.or(pause, std::future::pending()).await.is_none() {
            break sent;
        }
    };
    core.commit(batch).await?;
    Ok(ended)
}

/// A tool made of a `curl` command: fields of its body, with the names of the secrets that it needs and notes for a person.
pub(crate) async fn draft(core: &Core, line: String) -> Result<Value, ToolStoreError> {
    match core.ports.toolbox.ask(Request::ParseCurl { line }).await? {
        Reply::Draft { mut tool, secrets, notes } => {
            tool.insert("secrets".to_owned(), secrets.into());
            tool.insert("notes".to_owned(), notes.into());
            Ok(Value::Object(tool))
        }
        _ => Err(ToolboxError::unavailable().into()),
    }
}
