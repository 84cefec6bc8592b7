//! `/api/messages`: what web pages asked to have signed, explained.

use super::{ApiError, Reply, RouteError};
use crate::Core;

/// By the id of its call.
pub(super) async fn get(core: &Core, id: &str) -> Result<Reply, ApiError> {
    let view = core.messages.view(id).await?;
    Ok(Reply::json(200, &view.ok_or(RouteError::MessageNotFound)?))
}
