//! `/api/mcp/servers/{id}/sign-in`: signing an MCP server in to its authorization server, and out again.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::mcp;
use crate::mcp::oauth::authorize;
use std::rc::Rc;
use wire::json::Body;
use wire::mcp::McpSignInOrigins;

pub(super) async fn state(core: &Core, id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &authorize::state(core, &mcp::auth(core, id).await?).await?))
}

pub(super) async fn origins(core: &Core, id: &str) -> Result<Reply, ApiError> {
    let origins = authorize::origins(core, &mcp::auth(core, id).await?).await?;
    Ok(Reply::json(200, &McpSignInOrigins { origins }))
}

pub(super) async fn begin(core: &Core, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let redirect_uri = fields.required_text("redirectUri")?;
    fields.end()?;
    let server = mcp::auth(core, id).await?;
    Ok(Reply::json(200, &authorize::begin(core, &server, redirect_uri).await?))
}

/// The server's tools are listed with it.
pub(super) async fn finish(core: &Rc<Core>, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let redirect_url = fields.required_text("redirectUrl")?;
    let password = fields.secret("password")?.unwrap_or_default();
    fields.end()?;
    let server = mcp::auth(core, id).await?;
    let state = authorize::finish(core, &server, redirect_url, &password).await?;
    // What came of it is in the server's state.
    let _state = mcp::refresh(core, id).await;
    Ok(Reply::json(200, &state))
}

pub(super) async fn sign_out(core: &Core, id: &str) -> Result<Reply, ApiError> {
    authorize::sign_out(core, &mcp::auth(core, id).await?).await?;
    mcp::signed_out(core, id).await?;
    Ok(Reply { status: 204, body: String::new(), events_after: None })
}
