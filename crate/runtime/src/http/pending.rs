//! `/api/runs/{runId}/tool-results` and `/api/pending-calls`: results that come from outside.

use super::routes::object;
use super::{ApiError, Reply};
use crate::Core;
use crate::pending::{Submission, Submitter, submit};
use serde_json::Value;
use std::rc::Rc;
use wire::pending::PendingCalls;

/// Those without a result, oldest first.
pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    let open = core.pending.open().await?;
    let pending_calls = open.into_iter().map(|row| row.record.call).collect();
    Ok(Reply::json(200, &PendingCalls { pending_calls }))
}

/// `{callId, result}`. The result may be `null`, and must be there (T004-53).
pub(super) async fn post(core: &Rc<Core>, run_id: &str, body: &str) -> Result<Reply, ApiError> {
    let mut body = object(body)?;
    let call_id = match body.remove("callId") {
        Some(Value::String(id)) if !id.is_empty() => id,
        None => return Err(ApiError::invalid("/callId", "is missing")),
        Some(_) => return Err(ApiError::invalid("/callId", "must be a text")),
    };
    let result = body.remove("result").ok_or_else(|| ApiError::invalid("/result", "is missing"))?;
    let given = Submission { run_id, call_id: &call_id, result };
    Ok(Reply::json(200, &submit(core, Submitter::Page, given).await?))
}
