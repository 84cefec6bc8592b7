//! `/api/mcp/servers/{id}/sign-in`: signing an MCP server in to its authorization server, and out again.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::mcp::oauth::{ServerAuth, authorize};
use wire::json::Body;
use wire::mcp::McpSignInOrigins;

pub(super) async fn state(core: &Core, server: &ServerAuth) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &authorize::state(core, server).await?))
}

pub(super) async fn origins(core: &Core, server: &ServerAuth) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &McpSignInOrigins { origins: authorize::origins(core, server).await? }))
}

pub(super) async fn begin(core: &Core, server: &ServerAuth, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let redirect_uri = fields.required_text("redirectUri")?;
    fields.end()?;
    Ok(Reply::json(200, &authorize::begin(core, server, redirect_uri).await?))
}

pub(super) async fn finish(core: &Core, server: &ServerAuth, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let redirect_url = fields.required_text("redirectUrl")?;
    let password = fields.secret("password")?.unwrap_or_default();
    fields.end()?;
    Ok(Reply::json(200, &authorize::finish(core, server, redirect_url, &password).await?))
}

pub(super) async fn sign_out(core: &Core, server: &ServerAuth) -> Result<Reply, ApiError> {
    authorize::sign_out(core, server).await?;
    Ok(Reply { status: 204, body: String::new(), events_after: None })
}
