//! `/api/policy`: the person's own rules, read and replaced as a whole.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::judge::{put_policy, stored_policy};
use crate::policy::check;
use crate::store::{Batch, Durability};
use serde_json::Value;
use wire::policy::Policy;

impl Core {
    /// None until the person sets some.
    pub(super) async fn get_policy(&self) -> Result<Reply, ApiError> {
        Ok(Reply::json(200, &stored_policy(&*self.ports.store).await?.1))
    }

    /// Answers with the rules as they were taken: addresses and amounts in their canonical spelling.
    pub(super) async fn replace_policy(&self, body: &str) -> Result<Reply, ApiError> {
        let given: Policy = wire::json::from_value(Value::Object(object(body)?))
            .map_err(|error| ApiError::invalid(error.path(), error.problem()))?;
        let policy = check(given)
            .map_err(|error| ApiError::new(400, error.code(), error.to_string()).at(error.path()))?;
        let (before, _) = stored_policy(&*self.ports.store).await?;
        let mut batch = Batch::new(Durability::Strict);
        put_policy(&mut batch, before.as_deref(), &policy);
        self.commit(batch).await?;
        Ok(Reply::json(200, &policy))
    }
}
