//! `/api/sites`: sites that asked for something, and the list of harmful ones that the user brought.

use super::connections::origin;
use super::routes::object;
use super::{ApiError, Reply};
use crate::connection::is_origin;
use crate::{Core, dapp};
use serde_json::Value;
use std::rc::Rc;
use wire::json::Object;

pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &dapp::list_sites(core).await?))
}

/// `{blocked?, letIn?}`.
pub(super) async fn patch(core: &Rc<Core>, segment: &str, body: &str) -> Result<Reply, ApiError> {
    let origin = origin(segment)?;
    if !is_origin(&origin) {
        return Err(ApiError::invalid("/origin", "must be the origin of a page"));
    }
    let body = object(body)?;
    let fields = Object::new(&body);
    let flag = |name: &'static str| match fields.get(name) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(fields.broken(name, "must be true or false")),
    };
    let (blocked, let_in) = (flag("blocked")?, flag("letIn")?);
    fields.end()?;
    Ok(Reply::json(200, &dapp::patch_site(core, &origin, blocked, let_in).await?))
}

pub(super) async fn get_list(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &dapp::view_list(core).await?))
}

/// `{text}`: lines of names, or the JSON of eth-phishing-detect.
pub(super) async fn put_list(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let body = object(body)?;
    let fields = Object::new(&body);
    let text = fields.required_text("text")?;
    fields.end()?;
    Ok(Reply::json(200, &dapp::put_list(core, text).await?))
}
