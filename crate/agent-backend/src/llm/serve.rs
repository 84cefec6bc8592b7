//! HTTP for an agent that asks a model. Only browser extensions and programs may use it: a web page that could would spend the
//! user's key.

use super::agent::LlmAgent;
use super::http::HttpTransport;
use super::model::LlmOptions;
use crate::agent::StartError;
use crate::server::{self, Server};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::StreamExt;
use std::io;
use std::sync::Arc;

/// A running agent on a port of 127.0.0.1. Dropping it stops it.
pub struct LlmServer {
    server: Server,
}

impl LlmServer {
    /// Starts an agent for a model that is reached by HTTP.
    pub async fn start(options: LlmOptions, port: u16) -> Result<Self, StartError> {
        Self::serve(LlmAgent::new(options, Arc::new(HttpTransport::new())), port).await
    }

    /// Serves an agent.
    pub async fn serve(agent: LlmAgent, port: u16) -> Result<Self, StartError> {
        let router = Router::new().route("/agent/{*path}", any(converse)).with_state(agent);
        let server =
            Server::start(port, router).await.map_err(|source| StartError::Listen { port, source })?;
        Ok(Self { server })
    }

    /// Its URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port)
    }
}

async fn converse(State(agent): State<LlmAgent>, request: HttpRequest) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    if !origin.as_ref().is_none_or(is_extension) {
        return (StatusCode::FORBIDDEN, "web pages may not use this agent").into_response();
    }
    let mut response = if request.method() == Method::OPTIONS {
        StatusCode::NO_CONTENT.into_response()
    } else {
        match server::received(request).await {
            Ok(request) => answered(&agent, request).await,
            Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        }
    };
    if let Some(origin) = origin {
        server::allow(response.headers_mut(), origin);
    }
    response
}

fn is_extension(origin: &HeaderValue) -> bool {
    let schemes = ["chrome-extension://", "moz-extension://", "safari-web-extension://"];
    origin.to_str().is_ok_and(|origin| schemes.iter().any(|scheme| origin.starts_with(scheme)))
}

async fn answered(agent: &LlmAgent, request: crate::Request) -> Response {
    let answer = agent.answer(request).await;
    let body =
        answer.body.map(|chunk| chunk.map(Bytes::from).map_err(|error| io::Error::other(error.to_string())));
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
