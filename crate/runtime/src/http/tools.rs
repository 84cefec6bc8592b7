//! `/tools`: the tool store (specification 002, its table of routes).

use super::connections::unescaped;
use super::routes::{Answer, object};
use super::{ApiError, Reply, RouteError, invoke};
use crate::Core;
use crate::later::later;
use crate::store::json;
use crate::tools::{self, BundleId, ToolKey, ToolStoreError};
use serde_json::Value;
use std::rc::Rc;
use wire::api::ErrorDetail;
use wire::archive::{FileProblem, RefusedArchive};
use wire::toolbox::ToolboxError;

/// Configurations in one request.
const MAX_CONFIGS: usize = 100;

/// The answer of a route below `/tools`; none if there is no such route.
pub(super) fn route<'a>(
    core: &'a Rc<Core>,
    method: &'a str,
    path: &[&'a str],
    query: &'a str,
    body: &'a str,
) -> Option<Answer<'a>> {
    Some(match (method, path) {
        ("GET", [] | ["tools"]) => later(core, async { Ok(ok(tools::list_tools(core, query).await?)) }),
        ("GET", ["search"] | ["tools", "search"]) => {
            later(core, async { Ok(ok(tools::search_tools(core, query).await?)) })
        }
        ("POST", ["index", "rebuild"]) => later(core, rebuild(core)),
        ("POST", ["configs"]) => later(core, configs(core, body)),
        ("POST", ["import"]) => later(core, import(core, body)),
        ("GET", ["bundles", id, "export"]) => later(core, export(core, id)),
        ("GET", ["bundles"]) => later(core, async { Ok(ok(tools::list_bundles(core, query).await?)) }),
        ("PUT" | "PATCH" | "DELETE", ["bundles", id]) => later(core, bundle(core, method, id, body)),
        ("GET" | "PUT" | "PATCH" | "DELETE", ["bundles", id, "tools", slug, "version", version]) => {
            later(core, tool(core, method, [*id, *slug, *version], body))
        }
        ("POST", ["test"]) => later(core, invoke::test(core, body)),
        ("DELETE", ["test", id]) => later(core, invoke::cancel_test(core, id)),
        ("POST", ["draft"]) => later(core, invoke::draft(core, body)),
        ("POST", ["bundles", id, "tools", slug, "version", version, "invoke"]) => {
            let path = [*id, *slug, *version];
            later(core, async move { invoke::invoke(core, &key(path)?, body).await })
        }
        _ => return None,
    })
}

/// Whether another method has this path.
pub(super) fn is_route(path: &[&str]) -> bool {
    matches!(
        path,
        [] | ["tools" | "search" | "bundles" | "test" | "draft" | "import" | "configs"]
            | ["tools", "search"]
            | ["test", _]
            | ["index", "rebuild"]
            | ["bundles", _]
            | ["bundles", _, "export"]
            | ["bundles", _, "tools", _, "version", _]
            | ["bundles", _, "tools", _, "version", _, "invoke"]
    )
}

fn ok(body: String) -> Reply {
    Reply::text(200, body)
}

async fn rebuild(core: &Core) -> Result<Reply, ApiError> {
    let count = tools::rebuild(core).await?;
    Ok(ok([r#"{"tools":"#, &count.to_string(), "}"].concat()))
}

async fn export(core: &Core, id: &str) -> Result<Reply, ApiError> {
    Ok(match tools::export_bundle(core, &BundleId::parse(id)?).await? {
        Ok(packed) => Reply::json(200, &packed),
        Err(problems) => refused_archive(422, problems),
    })
}

/// One configuration of specification 004, or `{tools: […]}`.
async fn configs(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let mut fields = object(body)?;
    let configs = match fields.remove("tools") {
        None => vec![(String::new(), Value::Object(fields))],
        Some(Value::Array(configs)) if configs.len() <= MAX_CONFIGS => {
            let at = |(place, config)| (format!("/tools/{place}"), config);
            configs.into_iter().enumerate().map(at).collect()
        }
        Some(_) => {
            let problem = format!("must be a list of at most {MAX_CONFIGS} configurations");
            return Err(ApiError::invalid("/tools", problem));
        }
    };
    let (is_new, records) = tools::import_configs(core, configs).await?;
    let body = [r#"{"tools":["#, &records.join(","), "]}"].concat();
    Ok(Reply::text(if is_new { 201 } else { 200 }, body))
}

/// `{base64, skipExisting?}`.
async fn import(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let mut fields = object(body)?;
    let Some(Value::String(base64)) = fields.remove("base64") else {
        return Err(ApiError::invalid("/base64", "must be a text"));
    };
    let skip_existing = match fields.get("skipExisting") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(skip)) => *skip,
        Some(_) => return Err(ApiError::invalid("/skipExisting", "must be true or false")),
    };
    Ok(match tools::import_bundle(core, base64, skip_existing).await? {
        Ok(result) if result.imported.is_empty() && !result.skipped.is_empty() => Reply::json(200, &result),
        Ok(result) => Reply::json(201, &result),
        Err(problems) => {
            let is_conflict =
                |problem: &FileProblem| matches!(problem.code.as_str(), "tool_exists" | "name_taken");
            let status = if problems.iter().all(is_conflict) { 409 } else { 400 };
            refused_archive(status, problems)
        }
    })
}

/// All problems; the first one stands where every error stands.
fn refused_archive(status: u16, problems: Vec<FileProblem>) -> Reply {
    let (code, message) = problems.first().map_or_else(Default::default, |first| {
        let file = first.file.iter().flat_map(|file| [file.as_str(), ": "]).chain([first.message.as_str()]);
        (first.code.clone(), file.collect())
    });
    let error = ErrorDetail { code, message, path: None, retry_after_millis: None };
    Reply::json(status, &RefusedArchive { error, problems })
}

async fn bundle(core: &Rc<Core>, method: &str, id: &str, body: &str) -> Result<Reply, ApiError> {
    let id = BundleId::parse(id)?;
    let status = match method {
        "PUT" => {
            let body = Value::Object(object(body)?);
            if tools::put_bundle(core, &id, body).await? { 201 } else { 200 }
        }
        "PATCH" => {
            tools::switch_bundle(core, &id, switch(body, tools::is_built_in(&id))?).await?;
            200
        }
        _ => {
            tools::delete_bundle(core, &id).await?;
            return Ok(Reply::text(204, String::new()));
        }
    };
    Ok(Reply::text(status, tools::get_bundle(core, &id).await?))
}

async fn tool(core: &Rc<Core>, method: &str, path: [&str; 3], body: &str) -> Result<Reply, ApiError> {
    let key = key(path)?;
    let status = match method {
        "PUT" => {
            let body = Value::Object(object(body)?);
            let warnings = tools::put_tool(core, &key, &body).await?;
            let record = tools::get_tool(core, &key).await?;
            return Ok(Reply::text(201, with_warnings(record, &warnings)));
        }
        "PATCH" => {
            tools::switch_tool(core, &key, switch(body, tools::is_built_in(&key.bundle))?).await?;
            200
        }
        "GET" => 200,
        _ => {
            tools::delete_tool(core, &key).await?;
            return Ok(Reply::text(204, String::new()));
        }
    };
    Ok(Reply::text(status, tools::get_tool(core, &key).await?))
}

/// The record, with what will not be done as it is written beside it.
fn with_warnings(record: String, warnings: &[ToolboxError]) -> String {
    match record.strip_suffix('}') {
        Some(fields) if !warnings.is_empty() => [fields, r#","warnings":"#, &json(&warnings), "}"].concat(),
        _ => record,
    }
}

/// Bundle, slug and version, each one segment of the path with its reserved characters escaped.
fn key([bundle, slug, version]: [&str; 3]) -> Result<ToolKey, ApiError> {
    let bundle = BundleId::parse(bundle)?;
    let (Some(slug), Some(version)) = (unescaped(slug), unescaped(version)) else {
        let message = "the path is not escaped as it must be";
        return Err(ApiError::new(400, RouteError::InvalidRequest.code(), message));
    };
    Ok(ToolKey::new(bundle, &slug, &version)?)
}

/// The body `{isEnabled}`, and nothing else. Of what is compiled in nothing else could be changed at all.
fn switch(body: &str, read_only: bool) -> Result<bool, ApiError> {
    let fields = object(body)?;
    match (fields.get("isEnabled"), fields.len()) {
        (Some(Value::Bool(on)), 1) => Ok(*on),
        _ if read_only => Err(ToolStoreError::ReadOnly.into()),
        (Some(Value::Bool(_)), _) => {
            let other = fields.keys().find(|name| *name != "isEnabled").map_or("", String::as_str);
            Err(ApiError::invalid(["/", other].concat(), "cannot be changed"))
        }
        _ => Err(ApiError::invalid("/isEnabled", "must be true or false")),
    }
}
