//! `/api/policy`: the user's own rules, read and replaced as a whole.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::policy::{PolicyError, check};
use serde_json::Value;
use wire::policy::Policy as Rules;

/// None until the user sets some.
pub(super) async fn get(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &core.policy.rules().await?))
}

/// Answers with the rules as they are kept: addresses and amounts in canonical spelling.
pub(super) async fn replace(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let given: Rules = wire::json::from_value(Value::Object(object(body)?))
        .map_err(|error| ApiError::invalid(error.path(), error.problem()))?;
    let rules = check(given)?;
    core.policy.replace_rules(&rules).await?;
    Ok(Reply::json(200, &rules))
}

impl From<PolicyError> for ApiError {
    fn from(error: PolicyError) -> Self {
        Self::new(400, error.code(), error.to_string()).at(error.path())
    }
}
