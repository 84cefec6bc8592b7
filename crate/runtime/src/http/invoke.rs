//! `POST …/invoke`: a page calls a tool of the store, built in or not.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::call;
use crate::store::json;
use crate::tool::{Refusal, RequestError};
use crate::tools::{self, ToolKey};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::action::ActionResult;
use wire::api::CallState;
use wire::json::Body;

/// `{args, id?}` → `{ok, value}` or `{ok, error}` (T002-72). The same id again is the same call: it is answered with what
/// came of it, and is not made again.
pub(super) async fn invoke(core: &Rc<Core>, key: &ToolKey, body: &str) -> Result<Reply, ApiError> {
    let mut body = object(body)?;
    let args = arguments(body.remove("args"))?;
    let (tool, title) = tools::callable(core, key).await?;
    let id = match body.remove("id") {
        None | Some(Value::Null) => core.ids.next(),
        Some(Value::String(id)) => match core.journal.call(&id).await? {
            Some(known) if known.record.kind == tool.definition().name => {
                let CallState::Done { result, .. } = known.record.state else {
                    return Ok(invoked(core.journal.wait_for_result(&id).await?));
                };
                return Ok(invoked(result));
            }
            None if core.ids.is_recent(&id) => id,
            _ => return Err(ApiError::invalid("/id", "must be a new UUID of version 7")),
        },
        Some(_) => return Err(ApiError::invalid("/id", "must be a UUID of version 7")),
    };
    match call::invoke(core, tool, id, title, args).await? {
        Ok(result) => Ok(invoked(result)),
        Err(refusal) => refused(refusal),
    }
}

/// POST `/tools/test` `{tool, args, id?}`: a trial run.
pub(super) async fn test(core: &Rc<Core>, body: &str) -> Result<Reply, ApiError> {
    let mut body = object(body)?;
    let args = arguments(body.remove("args"))?;
    let id = match body.remove("id") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(id)) => id,
        Some(_) => return Err(ApiError::invalid("/id", "must be a text")),
    };
    match body.remove("tool") {
        Some(tool @ Value::Object(_)) => Ok(Reply::json(200, &tools::trial(core, &id, tool, args).await?)),
        _ => Err(ApiError::invalid("/tool", "must be an object")),
    }
}

/// DELETE `/tools/test/{id}`: stops a trial run, with its request.
pub(super) async fn cancel_test(core: &Core, id: &str) -> Result<Reply, ApiError> {
    core.cancels.cancel_trial(id);
    Ok(Reply::text(204, String::new()))
}

/// POST `/tools/draft` `{curl}`: fields of a tool's body.
pub(super) async fn draft(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let line = body.object().required_text("curl")?;
    Ok(Reply::json(200, &tools::draft(core, line.to_owned()).await?))
}

/// The arguments in a body; none are an empty object.
pub(super) fn arguments(args: Option<Value>) -> Result<Map<String, Value>, ApiError> {
    match args {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(args)) => Ok(args),
        Some(_) => Err(ApiError::new(400, RequestError::INVALID_PARAMS, "must be an object").at("/args")),
    }
}

/// What a call gave, and nothing else at the top.
fn invoked(result: ActionResult) -> Reply {
    let (ok, name, value) = match result.error {
        None => ("true", "value", result.data.unwrap_or_default()),
        Some(error) => ("false", "error", Value::String(error)),
    };
    Reply::text(200, [r#"{"ok":"#, ok, r#",""#, name, r#"":"#, &json(&value), "}"].concat())
}

/// Why there was no call.
fn refused(Refusal { failure, path, retry_after }: Refusal) -> Result<Reply, ApiError> {
    let message = failure.message().unwrap_or_default().to_owned();
    match (path, failure.code()) {
        (Some(path), code) => Err(ApiError::new(400, code.to_owned(), message).at(["/args", &path].concat())),
        (None, code) if retry_after.is_some() => {
            Err(ApiError::new(429, code.to_owned(), message).after(retry_after))
        }
        (None, _) => {
            let error = json(&failure.to_string());
            Ok(Reply::text(200, [r#"{"ok":false,"error":"#, &error, "}"].concat()))
        }
    }
}
