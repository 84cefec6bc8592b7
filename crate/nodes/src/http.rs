//! The HTTP client: one connection for every request, so that no request is silently sent twice.

use crate::Error;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::CONTENT_TYPE;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

/// Sends requests; clones share no connection.
#[derive(Debug, Clone)]
pub(crate) struct Http(Client<HttpConnector, Full<Bytes>>);

impl Http {
    pub(crate) fn new() -> Self {
        let mut client = Client::builder(TokioExecutor::new());
        Self(client.pool_max_idle_per_host(0).retry_canceled_requests(false).build_http())
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, Error> {
        let url = request.uri().to_string();
        let response = self.0.request(request).await.map_err(|error| Error::http(&url, words(&error)))?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.map_err(|error| Error::http(&url, error))?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    }

    /// A JSON-RPC call; an error of the node is an `Err`.
    pub(crate) async fn rpc(&self, url: &str, method: &str, params: &Value) -> Result<Value, Error> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let request = Request::post(url).header(CONTENT_TYPE, "application/json").body(Full::from(body));
        let response = self.send(request.map_err(|error| Error::http(url, error))?).await?;
        let answer: Value =
            serde_json::from_slice(response.body()).map_err(|error| Error::http(url, error))?;
        match (answer.get("error"), answer.get("result")) {
            (None | Some(Value::Null), Some(result)) => Ok(result.clone()),
            (error, _) => {
                let error = error.unwrap_or(&answer);
                let message = error.get("message").and_then(Value::as_str);
                let message = message.map_or_else(|| error.to_string(), str::to_owned);
                Err(Error::Refused { method: method.to_owned(), message })
            }
        }
    }
}

/// An error with its causes: the outermost alone says too little.
fn words(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
