//! `/api/mcp/servers`: servers of the Model Context Protocol.

use super::connections::unescaped;
use super::routes::{Answer, object, object_with_password};
use super::{ApiError, Reply, RouteError, mcp_sign_in};
use crate::Core;
use crate::later::later;
use crate::mcp;
use serde_json::Value;
use std::rc::Rc;
use wire::json::Body;

/// The answer of a route below `/api/mcp/servers`; none if there is no such route.
pub(super) fn route<'a>(
    core: &'a Rc<Core>,
    method: &'a str,
    path: &[&'a str],
    body: &'a str,
) -> Option<Answer<'a>> {
    Some(match (method, path) {
        ("GET", []) => later(core, list(core)),
        ("POST", []) => later(core, add(core, body)),
        ("GET", [id]) => later(core, get(core, id)),
        ("PATCH", [id]) => later(core, patch(core, id, body)),
        ("DELETE", [id]) => later(core, remove(core, id)),
        ("POST", [id, "refresh"]) => later(core, refresh(core, id)),
        ("GET", [id, "sign-in"]) => later(core, mcp_sign_in::state(core, id)),
        ("POST", [id, "sign-in"]) => later(core, mcp_sign_in::begin(core, id, body)),
        ("POST", [id, "sign-in", "origins"]) => later(core, mcp_sign_in::origins(core, id)),
        ("POST", [id, "sign-in", "finish"]) => later(core, mcp_sign_in::finish(core, id, body)),
        ("DELETE", [id, "sign-in"]) => later(core, mcp_sign_in::sign_out(core, id)),
        ("POST", [id, "tools", name, "allow"]) => later(core, allow(core, [id, name], body)),
        _ => return None,
    })
}

/// Whether another method has this path.
pub(super) fn is_route(path: &[&str]) -> bool {
    matches!(
        path,
        [] | [_]
            | [_, "refresh" | "sign-in"]
            | [_, "sign-in", "origins" | "finish"]
            | [_, "tools", _, "allow"]
    )
}

/// Those whose list is old are asked again meanwhile.
async fn list(core: &Rc<Core>) -> Result<Reply, ApiError> {
    mcp::refresh_stale(core);
    Ok(Reply::json(200, &mcp::list(core).await?))
}

async fn get(core: &Core, id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &mcp::get(core, id).await?))
}

async fn add(core: &Rc<Core>, body: &str) -> Result<Reply, ApiError> {
    let (fields, password) = object_with_password(body)?;
    let body = Body::new(fields);
    Ok(Reply::json(201, &mcp::add(core, &body.object(), password).await?))
}

async fn patch(core: &Rc<Core>, id: &str, body: &str) -> Result<Reply, ApiError> {
    let (fields, password) = object_with_password(body)?;
    let every_tool = fields.get("allowedTools") == Some(&Value::Null);
    let body = Body::new(fields);
    Ok(Reply::json(200, &mcp::patch(core, id, &body.object(), every_tool, &password).await?))
}

async fn remove(core: &Rc<Core>, id: &str) -> Result<Reply, ApiError> {
    mcp::remove(core, id).await?;
    Ok(Reply { status: 204, body: String::new(), events_after: None })
}

/// What came of it is in the server's state.
async fn refresh(core: &Rc<Core>, id: &str) -> Result<Reply, ApiError> {
    mcp::get(core, id).await?;
    let _state = mcp::refresh(core, id).await;
    Ok(Reply::json(200, &mcp::get(core, id).await?))
}

/// `{digest}`: of the definition that was shown.
async fn allow(core: &Rc<Core>, [id, name]: [&str; 2], body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let digest = fields.required_text("digest")?;
    fields.end()?;
    let Some(name) = unescaped(name) else {
        let message = "the path is not escaped as it must be";
        return Err(ApiError::new(400, RouteError::InvalidRequest.code(), message));
    };
    Ok(Reply::json(200, &mcp::allow(core, id, &name, digest).await?))
}
