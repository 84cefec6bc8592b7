//! `/api/descriptors`: packs of descriptors of contracts.

use super::routes::object;
use super::{ApiError, Reply};
use crate::{Core, descriptors};
use wire::json::from_value;

pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &descriptors::list(core).await?))
}

/// 201 where the pack is in use now, 200 where it is only shown.
pub(super) async fn add(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let added = descriptors::add(core, from_value(object(body)?.into())?).await?;
    Ok(Reply::json(if added.taken { 201 } else { 200 }, &added))
}

pub(super) async fn remove(core: &Core, id: &str) -> Result<Reply, ApiError> {
    descriptors::remove(core, id).await?;
    Ok(Reply { status: 204, body: String::new(), events_after: None })
}
