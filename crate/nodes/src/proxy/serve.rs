//! Connections, and the handling of requests.

use super::call::{Answer, Call, CallerOutcome, read};
use super::fault::Fault;
use super::{Shared, State};
use crate::gate::{Decision, Gate, When};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONNECTION, CONTENT_LENGTH,
    CONTENT_TYPE, HOST, RETRY_AFTER, TRANSFER_ENCODING,
};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

type Reply = Response<Full<Bytes>>;

pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(serve(stream, Arc::clone(&shared)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        // In its own task: a caller that disconnects does not cancel a request in transit.
        let reply = tokio::spawn(async move { pass(&shared, request).await });
        async move { reply.await.ok().flatten().ok_or_else(dropped) }
    });
    // A broken connection, on either side, is ignored.
    let _ = http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), service).await;
}

fn dropped() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the proxy was asked to drop this connection")
}

/// Handles a request; without a reply its connection is dropped.
async fn pass(shared: &Shared, request: Request<Incoming>) -> Option<Reply> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    if parts.method == Method::OPTIONS {
        // A CORS preflight; the node answers it.
        return forward(shared, &parts, body).await.map(|response| response.map(Full::new));
    }
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let call = Call::new(parts.method.as_str(), path, &body);
    let mut index = 0;
    shared.state.send_modify(|state| {
        index = state.calls.len();
        state.calls.push(call);
    });
    let reply = through(shared, index, &parts, body).await;
    if reply.is_none() {
        shared.update(index, |call| call.outcome = CallerOutcome::Dropped);
    }
    reply
}

async fn through(shared: &Shared, index: usize, parts: &Parts, body: Bytes) -> Option<Reply> {
    shared.gate(index, When::Before).await?;
    let mut fault = None;
    shared.state.send_modify(|state| {
        let State { calls, script, .. } = state;
        fault = calls.get(index).and_then(|call| script.take(call));
    });
    let lost = fault == Some(Fault::LoseAnswer);
    let (reply, outcome) = match made_up(fault.as_ref(), &body) {
        Some(reply) => (reply, CallerOutcome::MadeUpAnswer),
        None => {
            match fault {
                Some(Fault::Refuse) => return None,
                Some(Fault::Delay(time)) => tokio::time::sleep(time).await,
                _ => {}
            }
            let response = forward(shared, parts, body).await?;
            let answer = Answer { status: response.status().as_u16(), body: read(response.body()) };
            shared.update(index, |call| call.answer = Some(answer));
            (response.map(Full::new), CallerOutcome::NodeAnswer)
        }
    };
    shared.gate(index, When::After).await?;
    if lost {
        return None;
    }
    shared.update(index, |call| call.outcome = outcome);
    Some(reply)
}

impl Shared {
    fn update(&self, index: usize, change: impl FnOnce(&mut Call)) {
        self.state.send_modify(|state| {
            if let Some(call) = state.calls.get_mut(index) {
                change(call);
            }
        });
    }

    /// Waits if a test holds the request; `None` if its connection is to be dropped.
    async fn gate(&self, index: usize, when: When) -> Option<()> {
        let mut found = None;
        self.state.send_modify(|state| {
            let State { calls, gates, .. } = state;
            found = calls
                .get(index)
                .and_then(|call| Gate::take(gates, call, when).map(|gate| (gate, call.clone())));
        });
        let Some((gate, call)) = found else { return Some(()) };
        (gate.pass(call).await == Decision::GoOn).then_some(())
    }
}

/// The answer of a fault that does not involve the node.
fn made_up(fault: Option<&Fault>, body: &Bytes) -> Option<Reply> {
    let (status, retry_after, body) = match fault? {
        Fault::Refuse | Fault::LoseAnswer | Fault::Delay(_) => return None,
        Fault::Status(status, retry_after) => (*status, *retry_after, String::new()),
        Fault::Body(text) => (200, None, text.clone()),
        Fault::Huge(bytes) => (200, None, result(body, &Value::String("0".repeat(*bytes)))),
        Fault::Answer(answer) => (200, None, result(body, answer)),
    };
    let mut reply = Response::new(Full::from(body));
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, hyper::header::HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, hyper::header::HeaderValue::from_static("Retry-After"));
    if let Some(seconds) = retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    Some(reply)
}

/// A result in the shape of the request: as JSON-RPC with the request's id, or as it is.
fn result(request: &[u8], result: &Value) -> String {
    let answer = |call: &Value| json!({ "jsonrpc": "2.0", "id": call.get("id"), "result": result });
    match read(request) {
        Value::Array(batch) => Value::Array(batch.iter().map(answer).collect()).to_string(),
        call if call.get("method").is_some() => answer(&call).to_string(),
        _ => result.to_string(),
    }
}

/// Asks the node; `None` if it does not answer, which the caller sees as a dropped connection.
async fn forward(shared: &Shared, parts: &Parts, body: Bytes) -> Option<Response<Bytes>> {
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = parts.method.clone();
    *request.uri_mut() = format!("{}{path}", shared.target).parse().ok()?;
    *request.headers_mut() = parts.headers.clone();
    // Hop-by-hop headers; and a compressed answer could not be read in the record.
    for header in [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, ACCEPT_ENCODING] {
        request.headers_mut().remove(header);
    }
    let mut response = shared.http.send(request).await.ok()?;
    for header in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
        response.headers_mut().remove(header);
    }
    Some(response)
}
