//! Tools of the store as tools of the pipeline.
//!
//! A call of one is resolved by name when it arrives, and by the tool's id from then on: a later version does not change
//! what a waiting call does.

mod attempt;
mod error;
mod http;
mod internal;
mod local;
mod retry;
mod row;
mod send;
mod steps;
mod trial;
mod visible;
mod waiting;
mod window;

pub(crate) use error::RunError;
pub(crate) use row::stage_ended;
pub(super) use steps::refused_step;
pub(crate) use trial::{draft, trial};
pub(crate) use window::stage_tool_removed;

use super::show::{Found, find, find_by_id, find_exact};
use super::{DisabledError, ToolKey, ToolStoreError, built_in, built_in_refusal, metrics};
use crate::Core;
use crate::call::CallRow;
use crate::http::ApiError;
use crate::later::later;
use crate::mcp::{self, McpTool};
use crate::store::{Batch, StoreError};
use crate::tool::{
    self, AnyTool, Category, Consequence, Definition, Refusal, RequestError, Schema, Tool, Words,
};
use derive::FromJson;
use http::HttpTool;
use internal::InternalTool;
use local::LocalTool;
use serde_json::{Map, Value};
use std::borrow::Cow;
use steps::StepsTool;
use visible::Visibility;
use waiting::WaitingTool;
use wire::api::{CallState, Millis};
use wire::failure::Failure;
use wire::json::from_value;
use wire::tool::Preview;
use wire::toolbox::{Reply, Request, ToolboxError, Violation};

/// The tool of a call, or why there is none that can be called. One that is compiled in needs no later part.
pub(crate) async fn resolve(
    core: &Core,
    call: &CallRow,
    built_in: Option<&'static dyn Tool>,
) -> Result<Result<AnyTool, Failure>, StoreError> {
    if let Some(tool) = built_in {
        // One that has begun to act goes on.
        let asks = call.state == CallState::Received || !tool.acts_in_steps();
        let disabled = if asks { built_in_refusal(core, &tool.definition().name).await? } else { None };
        return Ok(match disabled {
            Some(why) => Err(why.into()),
            None => Ok(AnyTool::BuiltIn(tool)),
        });
    }
    later(core, resolve_stored(core, call)).await
}

async fn resolve_stored(core: &Core, call: &CallRow) -> Result<Result<AnyTool, Failure>, StoreError> {
    if let Some(tool) = WaitingTool::of_waiting(core, call).await? {
        return Ok(Ok(AnyTool::Stored(Box::new(tool))));
    }
    let found = match &call.tool_id {
        Some(id) => find_by_id(core, id).await,
        None if core.tools.is_empty().await? => Ok(None),
        None => find(core, &call.kind).await,
    };
    let why = match found {
        Ok(Some(Found { reason: Some(reason), .. })) => DisabledError::new(reason).into(),
        Ok(Some(found)) => match stored(core, found, call.preview.as_ref()).await? {
            Ok(tool) => return Ok(Ok(tool)),
            Err(failure) => failure,
        },
        Ok(None) if call.tool_id.is_some() => ToolStoreError::ToolNotFound.failure(),
        Ok(None) => RequestError::UnknownTool { kind: call.kind.clone() }.into(),
        Err(ToolStoreError::Store(error)) => return Err(error),
        Err(error) => error.failure(),
    };
    // A request that was sent is not taken back by switching the tool off.
    let in_flight = row::Kept::read(core, &call.id).await?.run.sending.is_in_flight()
        || mcp::is_in_flight(core, &call.id).await?;
    Ok(Err(match in_flight {
        true => RunError::outcome_unknown("the tool cannot be called any more").into(),
        false => why,
    }))
}

/// The tool of a key, if it can be called, and what people call it.
pub(crate) async fn callable(core: &Core, key: &ToolKey) -> Result<(AnyTool, String), ApiError> {
    if let Some((name, tool)) = built_in::name_of(key).and_then(|name| Some((name, tool::built_in(name)?))) {
        return match built_in_refusal(core, name).await? {
            Some(disabled) => Err(disabled.into()),
            None => Ok((AnyTool::BuiltIn(tool), built_in::title(name))),
        };
    }
    let found = find_exact(core, key).await?.ok_or(ToolStoreError::ToolNotFound)?;
    if let Some(reason) = found.reason {
        return Err(DisabledError::new(reason).into());
    }
    let title = found.record.get("displayName").and_then(Value::as_str).unwrap_or(&found.name).to_owned();
    match stored(core, found, None).await? {
        Ok(tool) => Ok((tool, title)),
        Err(failure) => Err(DisabledError::new(failure.to_string()).into()),
    }
}

/// What the pipeline needs of a record.
#[derive(FromJson)]
#[serde(rename_all = "camelCase")]
struct Facts {
    #[serde(rename = "type")]
    kind: String,
    version: String,
    description: String,
    arg_schema: Value,
    category: Category,
    consequence_level: Consequence,
    requires_confirmation: bool,
    timeout: Millis,
    #[record(default)]
    tags: Vec<String>,
    #[record(default)]
    depends_on: Vec<String>,
    #[record(default)]
    max_calls_per_minute: Option<u32>,
    #[record(default)]
    visible: Option<bool>,
}

/// What a record of any kind says.
struct About {
    kind: String,
    id: String,
    definition: Definition,
    /// How often it may be called in a minute.
    per_minute: Option<u32>,
    visibility: Visibility,
}

impl About {
    fn read(id: String, name: String, record: &Value) -> Result<Self, RunError> {
        let facts: Facts = from_value(record.clone()).map_err(|_| RunError::InvalidTool)?;
        let definition = Definition {
            name: Cow::Owned(name),
            description: Cow::Owned(facts.description),
            schema: Schema::Json(facts.arg_schema),
            category: facts.category,
            consequence: facts.consequence_level,
            requires_confirmation: facts.requires_confirmation,
            timeout: facts.timeout,
            tags: Words::Own(facts.tags),
            version: Some(Cow::Owned(facts.version)),
            depends_on: Words::Own(facts.depends_on),
            own_records: false,
        };
        let visibility = Visibility::of(&facts.kind, facts.visible, record);
        Ok(Self { kind: facts.kind, id, definition, per_minute: facts.max_calls_per_minute, visibility })
    }
}

/// A record as a tool of its kind.
enum Loaded {
    Http(HttpTool),
    Local(LocalTool),
    Steps(StepsTool),
    Internal(InternalTool),
    Waiting(WaitingTool),
    Mcp(McpTool),
}

/// Makes a tool of a record, with those that it calls: by name, or those that the user was shown.
async fn load(
    core: &Core,
    found: Found,
    shown: &[Preview],
    inside: &[&str],
) -> Result<Result<Loaded, Failure>, StoreError> {
    let Found { id, name, record, .. } = found;
    let about = match About::read(id, name, &record) {
        Ok(about) => about,
        Err(error) => return Ok(Err(error.into())),
    };
    Ok(match about.kind.as_str() {
        "http" => Ok(Loaded::Http(HttpTool::new(about, record))),
        "local" => LocalTool::new(about, record).map(Loaded::Local).map_err(Failure::from),
        "mcp" => {
            let About { id, definition, .. } = about;
            McpTool::new(id, definition, &record).map(Loaded::Mcp).ok_or_else(|| RunError::InvalidTool.into())
        }
        "steps" => StepsTool::load(core, about, record, shown, inside).await?.map(Loaded::Steps),
        "internal" => Ok(Loaded::Internal(InternalTool::new(about))),
        "external" | "space" => WaitingTool::new(about, record).map(Loaded::Waiting).map_err(Failure::from),
        _ => Err(RunError::InvalidTool.into()),
    })
}

/// A record as a tool of the pipeline.
async fn stored(
    core: &Core,
    found: Found,
    shown: Option<&Preview>,
) -> Result<Result<AnyTool, Failure>, StoreError> {
    let shown = shown.map(|shown| shown.steps.as_slice()).unwrap_or_default();
    Ok(load(core, found, shown, &[]).await?.map(|loaded| {
        AnyTool::Stored(match loaded {
            Loaded::Http(tool) => Box::new(tool),
            Loaded::Local(tool) => Box::new(tool),
            Loaded::Steps(tool) => Box::new(tool),
            Loaded::Internal(tool) => Box::new(tool),
            Loaded::Waiting(tool) => Box::new(tool),
            Loaded::Mcp(tool) => Box::new(tool),
        })
    }))
}

/// Checks arguments against a tool's schema, and fills in defaults (D11).
pub(crate) async fn check_arguments(
    core: &Core,
    definition: &Definition,
    args: Map<String, Value>,
) -> Result<Map<String, Value>, Refusal> {
    let (schema, args) = (definition.schema.json(), Value::Object(args));
    match core.ports.toolbox.ask(Request::CheckArguments { schema, args }).await {
        Ok(Reply::Arguments { args }) => Ok(args),
        Ok(Reply::Validated { violations }) => Err(violated(violations)),
        Ok(_) => Err(refused(ToolboxError::unavailable()).into()),
        Err(error) => Err(refused(error).into()),
    }
}

/// Checks values against a schema, and fills in defaults; the first that breaks it.
pub(crate) async fn check_arguments_of(
    core: &Core,
    schema: &Value,
    args: Map<String, Value>,
) -> Result<Map<String, Value>, Violation> {
    let (schema, args) = (schema.clone(), Value::Object(args));
    match core.ports.toolbox.ask(Request::CheckArguments { schema, args }).await {
        Ok(Reply::Arguments { args }) => Ok(args),
        Ok(Reply::Validated { violations }) => Err(violations
            .into_iter()
            .next()
            .unwrap_or_else(|| Violation { path: String::new(), message: String::new() })),
        Ok(_) => Err(Violation { path: String::new(), message: ToolboxError::unavailable().message }),
        Err(error) => Err(Violation { path: String::new(), message: error.message }),
    }
}

/// T002-71: what a tool gave, if it is what the tool promises.
pub(crate) async fn check_output(core: &Core, schema: &Value, value: Value) -> Result<Value, Failure> {
    if schema.is_null() {
        return Ok(value);
    }
    let request = Request::Validate { schema: schema.clone(), value: value.clone() };
    match core.ports.toolbox.ask(request).await {
        Ok(Reply::Validated { violations }) => match violations.into_iter().next() {
            None => Ok(value),
            Some(first) => Err(RunError::OutputMismatch { path: first.path, problem: first.message }.into()),
        },
        Ok(_) => Err(refused(ToolboxError::unavailable())),
        Err(error) => Err(refused(error)),
    }
}

/// Stages that a call's tool was used.
pub(crate) fn stage_use_of(core: &Core, batch: &mut Batch, call: &CallRow, failed: bool) {
    let id = match &call.tool_id {
        Some(id) => Some(id.clone()),
        None => call.tool.as_deref().and_then(built_in::id_of_name),
    };
    if let Some(id) = id {
        metrics::stage_use(core, batch, &id, failed, core.now());
    }
}

/// Where arguments break the schema of their tool.
fn violated(violations: Vec<Violation>) -> Refusal {
    let mut violations = violations.into_iter();
    let Violation { path, message } =
        violations.next().unwrap_or_else(|| Violation { path: String::new(), message: String::new() });
    let mut problem = message;
    for other in violations {
        problem.extend(["; ", &other.path, " ", &other.message]);
    }
    RequestError::InvalidParams { path, problem: problem.into() }.into()
}

/// The toolbox's refusal as a result has it.
fn refused(error: ToolboxError) -> Failure {
    Failure::new(error.code, error.message)
}
