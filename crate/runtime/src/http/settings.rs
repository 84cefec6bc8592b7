//! `/api/settings`: the user's settings, read and changed in part.

use super::routes::object_with_password;
use super::{ApiError, Reply};
use crate::Core;
use crate::agent::deliver;
use crate::vault::{self, Proof};
use std::rc::Rc;

pub(super) async fn get(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &core.settings.view().await?))
}

/// What loosens something needs the password beside it.
pub(super) async fn patch(core: &Rc<Core>, body: &str) -> Result<Reply, ApiError> {
    let (patch, password) = object_with_password(body)?;
    core.settings.change(&patch, &core.vaults, Proof::new(password)).await?;
    vault::watch_presence(core).await?;
    // What waited for another address or token goes out now.
    deliver::deliver_now(core).await?;
    get(core).await
}
