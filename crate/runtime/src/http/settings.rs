//! `/api/settings`: the user's settings, read and changed in part.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::agent::deliver;
use std::rc::Rc;

pub(super) async fn get(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &core.settings.view().await?))
}

pub(super) async fn patch(core: &Rc<Core>, body: &str) -> Result<Reply, ApiError> {
    core.settings.change(&object(body)?).await?;
    // What waited for another address or token goes out now.
    deliver::deliver_now(core).await?;
    get(core).await
}
