//! `/api/oauth/{toolId}`: signing a tool in to its OAuth 2 server, and out again.

use super::routes::object;
use super::{ApiError, Reply};
use crate::tools::{self, ToolStoreError};
use crate::{Core, secrets};
use wire::json::Body;
use wire::secrets::SignInAddress;

pub(super) async fn state(core: &Core, tool_id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &secrets::state(core, tool_id).await?))
}

pub(super) async fn begin(core: &Core, tool_id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let redirect_uri = fields.required_text("redirectUri")?;
    fields.end()?;
    let tool = tools::find_by_id(core, tool_id).await?.ok_or(ToolStoreError::ToolNotFound)?;
    let authorization_url = secrets::begin(core, tool_id, tool.record, redirect_uri).await?;
    Ok(Reply::json(200, &SignInAddress { authorization_url }))
}

pub(super) async fn finish(core: &Core, tool_id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let redirect_url = fields.required_text("redirectUrl")?;
    let password = fields.secret("password")?.unwrap_or_default();
    fields.end()?;
    Ok(Reply::json(200, &secrets::finish(core, tool_id, redirect_url, &password).await?))
}

pub(super) async fn sign_out(core: &Core, tool_id: &str) -> Result<Reply, ApiError> {
    secrets::sign_out(core, tool_id).await?;
    Ok(Reply { status: 204, body: String::new(), events_after: None })
}
