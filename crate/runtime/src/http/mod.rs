//! The HTTP API that the worker serves to the extension's own pages: `/api/*`, JSON in and out.

mod routes;

use crate::store::StoreError;
use serde::Serialize;
use wire::api::{ErrorBody, ErrorDetail};

/// The largest body that is read.
const MAX_BODY: usize = 8 << 20;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// JSON text.
    pub body: String,
    /// Where set, the answer is a stream of events after this id, and the body is empty.
    pub events_after: Option<u64>,
}

impl Reply {
    fn json(status: u16, body: &impl Serialize) -> Self {
        Self { status, body: crate::store::json(body), events_after: None }
    }
}

/// Why a request was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status.
    pub status: u16,
    /// Stable code.
    pub code: &'static str,
    /// For a person.
    pub message: String,
    /// Where in the body.
    pub path: Option<String>,
}

impl ApiError {
    /// 400: what is wrong with the input, and where.
    pub fn invalid(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { status: 400, code: "invalid_request", message: problem.into(), path: Some(path.into()) }
    }

    /// 404: there is no such thing.
    pub fn not_found(code: &'static str, message: &str) -> Self {
        Self { status: 404, code, message: message.to_owned(), path: None }
    }

    fn reply(self) -> Reply {
        let detail = ErrorDetail { code: self.code.to_owned(), message: self.message, path: self.path };
        Reply::json(self.status, &ErrorBody { error: detail })
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let status = if matches!(error, StoreError::Conflict { .. }) { 409 } else { 503 };
        Self { status, code: error.code(), message: error.to_string(), path: None }
    }
}
