//! `/api/secrets`: what tools send and no page reads. A value goes from the body into [`wire::secret::SecretText`] and from
//! there to the signer; no answer holds one.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::secrets::{self, MAX_VALUE, SecretError};
use wire::json::Body;
use wire::pieces::is_secret_name;
use wire::secrets::Secrets;

pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &Secrets { secrets: secrets::list(core).await? }))
}

pub(super) async fn save(core: &Core, name: &str, body: &str) -> Result<Reply, ApiError> {
    if !is_secret_name(name) {
        return Err(SecretError::InvalidName.into());
    }
    let body = Body::new(object(body)?);
    let fields = body.object();
    let value = fields.required_secret("value")?;
    let password = fields.secret("password")?.unwrap_or_default();
    fields.end()?;
    if value.is_empty() || value.expose().len() > MAX_VALUE {
        return Err(ApiError::invalid("/value", "must have from 1 to 16384 bytes"));
    }
    let (is_new, view) = secrets::save(core, name, value, &password).await?;
    Ok(Reply::json(if is_new { 201 } else { 200 }, &view))
}

pub(super) async fn delete(core: &Core, name: &str) -> Result<Reply, ApiError> {
    secrets::delete(core, name).await?;
    Ok(Reply { status: 204, body: String::new(), events_after: None })
}
