//! `/api/policy`: the user's own rules, read and replaced as a whole.

use super::error::RouteError;
use super::routes::object_with_password;
use super::{ApiError, Reply};
use crate::policy::{PolicyError, addresses, check};
use crate::vault::Proof;
use crate::{Core, address, call, pending, prompt};
use serde_json::Value;
use std::rc::Rc;
use wire::policy::Policy as Rules;

/// None until the user sets some.
pub(super) async fn get(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &core.policy.rules().await?))
}

/// Answers with the rules as they are kept: addresses and amounts in canonical spelling. Addresses that were kept before
/// are not checked again: the kill switch works without the signer. It refuses what is open. What loosens something needs
/// the password beside it.
pub(super) async fn replace(core: &Rc<Core>, body: &str) -> Result<Reply, ApiError> {
    let (fields, password) = object_with_password(body)?;
    let given: Rules = wire::json::from_value(Value::Object(fields))
        .map_err(|error| ApiError::invalid(error.path(), error.problem()))?;
    let before = core.policy.rules().await?;
    let kept: Vec<_> = addresses(&before).collect();
    let new = addresses(&given).filter(|address| !kept.contains(address));
    let checked = address::check(&*core.ports.signer, new).await;
    let checked = checked.map_err(|_| RouteError::SignerUnavailable)?.with_kept(&kept);
    let rules = check(given, &checked)?;
    core.policy.replace_rules(&rules, &core.vaults, Proof::new(password)).await?;
    if rules.kill_switch {
        prompt::refuse_open(core).await?;
        call::cancel_under_way(core).await?;
        pending::cancel_waiting(core).await?;
    }
    Ok(Reply::json(200, &rules))
}

impl From<PolicyError> for ApiError {
    fn from(error: PolicyError) -> Self {
        Self::new(400, error.code(), error.to_string()).at(error.path())
    }
}
