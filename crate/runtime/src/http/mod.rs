//! The HTTP API that the worker serves to the extension's own pages: `/api/*`, JSON in and out.

mod audit;
mod bundles;
mod coins;
mod connections;
mod contacts;
mod descriptors;
mod error;
mod invoke;
mod mcp;
mod mcp_sign_in;
mod messages;
mod oauth;
mod pending;
mod policy;
mod prompts;
mod routes;
mod secrets;
mod settings;
mod sites;
mod tools;
mod vaults;

pub(crate) use connections::unescaped;
pub(crate) use contacts::filter as contacts_filter;
pub(crate) use error::RouteError;

use crate::store::StoreError;
use std::borrow::Cow;
use std::ops::Deref;
use wire::api::{ErrorBody, ErrorDetail, Millis};
use wire::json::ToJson;

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
    fn json(status: u16, body: &dyn ToJson) -> Self {
        Self::text(status, crate::store::json(body))
    }

    /// With a body that is JSON already, or empty.
    const fn text(status: u16, body: String) -> Self {
        Self { status, body, events_after: None }
    }
}

/// Why a request was refused. Nothing was changed.
///
/// One word, since every route hands it on at every step: copies of what is in it weighed kilobytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError(Box<Refused>);

/// What is said of a refused request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// HTTP status.
    pub status: u16,
    /// Stable code.
    pub code: Cow<'static, str>,
    /// For a person.
    pub message: String,
    /// Where in the body.
    pub path: Option<String>,
    /// After how long another attempt makes sense.
    pub retry_after: Option<Millis>,
}

impl ApiError {
    /// A refusal that is not about a place in the body.
    pub fn new(status: u16, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::with(status, code.into(), message.into())
    }

    fn with(status: u16, code: Cow<'static, str>, message: String) -> Self {
        Self(Box::new(Refused { status, code, message, path: None, retry_after: None }))
    }

    /// 400: what is wrong with the input, and where.
    pub fn invalid(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(400, RouteError::InvalidRequest.code(), problem).at(path)
    }

    /// 404: there is no such thing.
    pub fn not_found(code: &'static str, message: &str) -> Self {
        Self::new(404, code, message)
    }

    /// The same, about a place in the body.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.0.path = Some(path.into());
        self
    }

    /// The same, with the time after which another attempt makes sense.
    pub fn after(mut self, retry_after: Option<Millis>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    fn reply(self) -> Reply {
        let Refused { status, code, message, path, retry_after } = *self.0;
        let detail = ErrorDetail { code: code.into_owned(), message, path, retry_after_millis: retry_after };
        Reply::json(status, &ErrorBody { error: detail })
    }
}

impl Deref for ApiError {
    type Target = Refused;

    fn deref(&self) -> &Refused {
        &self.0
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let status = if matches!(error, StoreError::Conflict { .. }) { 409 } else { 503 };
        Self::new(status, error.code(), error.to_string())
    }
}
