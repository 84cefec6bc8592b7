//! A page that gives the results of calls of the tools that name it.

use super::error::RpcError;
use super::page::Page;
use super::params::only_object;
use crate::Core;
use crate::http::ApiError;
use crate::pending;
use serde_json::Value;
use std::rc::Rc;
use wire::failure::Failure;

/// `countersign_externalCalls`.
pub(super) async fn external_calls(core: &Rc<Core>, page: &Page) -> Result<Value, RpcError> {
    Ok(pending::external_calls(core, &page.origin).await?)
}

/// `countersign_submitToolResult`, with `{runId, callId, token, result}`.
pub(super) async fn submit(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    let fields = only_object(&params)?.0.clone();
    Ok(pending::submit_result(core, &page.origin, fields).await?)
}

impl From<ApiError> for RpcError {
    fn from(error: ApiError) -> Self {
        let message = error.message.clone();
        match error.status {
            400 => Self::invalid(error.path.clone().unwrap_or_default(), message),
            403 => Self::Unauthorized(message),
            _ => Self::Failed(Failure::new(error.code.clone(), message)),
        }
    }
}
