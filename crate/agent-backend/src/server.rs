//! HTTP for a scripted agent: routes, headers for browsers, and bodies that stall or break off as the answer says.
//!
//! `/agent/*` is the protocol. `/control/*` is for the program that started the agent: what was received, and faults.
//! Only the first may be read by web pages.

use crate::agent::{State, release};
use crate::fault::Fault;
use crate::request::Request;
use crate::scripted::{Answer, Piece};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request as HttpRequest, State as Shared};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use futures_util::stream;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tower::ServiceExt;

type States = Arc<watch::Sender<State>>;

/// More than any correct client sends.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// A listener and its connections. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    stop: oneshot::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(port: u16, router: Router) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        let (stop, stopped) = oneshot::channel();
        let accepting = tokio::spawn(accept(listener, router, stopped));
        Ok(Self { port, stop, accepting })
    }

    /// Returns when the port is closed and every connection has ended.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        let _ = self.accepting.await;
    }
}

async fn accept(listener: TcpListener, router: Router, mut stopped: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    // Chunks are sent as they are written, without Nagle's algorithm.
                    let _ = stream.set_nodelay(true);
                    connections.spawn(serve(stream, router.clone()));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    connections.shutdown().await;
}

async fn serve(stream: tokio::net::TcpStream, router: Router) {
    let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let router = router.clone();
        async move {
            let Ok(response) = router.oneshot(request.map(Body::new)).await;
            match response.extensions().get::<CutBeforeHeaders>() {
                Some(_) => Err(broken()),
                None => Ok(response),
            }
        }
    });
    // A broken connection, on either side, is ignored.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

/// Marks a response that must not be sent.
#[derive(Clone)]
struct CutBeforeHeaders;

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the agent was asked to break off here")
}

/// The routes of a scripted agent.
pub(crate) fn router(states: States) -> Router {
    Router::new()
        .route("/control/results", get(|states| async { listed(states, |state| state.results().to_vec()) }))
        .route("/control/requests", get(|states| async { listed(states, |state| state.requests().to_vec()) }))
        .route(
            "/control/violations",
            get(|states| async { listed(states, |state| state.violations().to_vec()) }),
        )
        .route("/control/tools", get(|states| async { listed(states, |state| state.tools().to_vec()) }))
        .route("/control/inbox", get(|states| async { listed(states, |state| state.inbox().to_vec()) }))
        .route("/control/held", get(|states| async { listed(states, State::held) }))
        .route("/control/fault", post(set_fault))
        .route("/control/release", post(|Shared(states): Shared<States>| async move { release(&states) }))
        .route("/control/clear", post(clear))
        .route("/agent/{*path}", any(converse))
        .with_state(states)
}

fn listed<T: Serialize>(Shared(states): Shared<States>, list: impl Fn(&State) -> T) -> Response {
    let value = serde_json::to_value(list(&states.borrow())).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

async fn clear(Shared(states): Shared<States>) {
    states.send_modify(|state| state.scripted.clear_faults());
}

async fn set_fault(Shared(states): Shared<States>, body: Bytes) -> Response {
    match serde_json::from_slice::<Fault>(&body) {
        Ok(fault) => {
            states.send_modify(|state| state.scripted.set_fault(fault));
            StatusCode::OK.into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

async fn converse(Shared(states): Shared<States>, request: HttpRequest) -> Response {
    let mut response = if request.method() == Method::OPTIONS {
        StatusCode::NO_CONTENT.into_response()
    } else {
        match received(request).await {
            Ok(request) => answered(&states, request).await,
            Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        }
    };
    allow_pages(response.headers_mut());
    response
}

/// Allows any origin: an extension's is not known beforehand, and nothing here is confidential.
fn allow_pages(headers: &mut HeaderMap) {
    allow(headers, HeaderValue::from_static("*"));
}

/// Allows an origin to read the answer.
pub(crate) fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    for (name, value) in [
        ("access-control-allow-methods", "GET, POST, OPTIONS"),
        // `*` does not cover Authorization.
        ("access-control-allow-headers", "Authorization, Content-Type, Accept, Idempotency-Key"),
        ("access-control-allow-private-network", "true"),
        ("access-control-expose-headers", "Retry-After, Content-Type"),
        ("access-control-max-age", "600"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

pub(crate) async fn received(request: HttpRequest) -> Result<Request, axum::Error> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MAX_BODY).await?;
    Ok(Request {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        headers: parts
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
        body: body.to_vec(),
        at_ms: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
    })
}

async fn answered(states: &States, request: Request) -> Response {
    let mut taken = None;
    states.send_modify(|state| taken = Some((state.scripted.answer(request), state.released)));
    let Some((answer, released)) = taken else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let holder = Holder { states: Arc::clone(states), released };
    match answer.before_headers {
        Some(Piece::Cut) => return (axum::Extension(CutBeforeHeaders), ()).into_response(),
        Some(Piece::Stall) => holder.hold().await,
        _ => {}
    }
    response(answer, holder)
}

fn response(answer: Answer, holder: Holder) -> Response {
    let mut response = Response::new(body(answer.body, holder));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn body(pieces: Vec<Piece>, holder: Holder) -> Body {
    Body::from_stream(stream::unfold((pieces.into_iter(), holder), |(mut pieces, holder)| async move {
        loop {
            let chunk = match pieces.next()? {
                Piece::Bytes(bytes) => Ok(Bytes::from(bytes)),
                Piece::Pause(duration) => {
                    tokio::time::sleep(duration).await;
                    continue;
                }
                Piece::Stall => {
                    holder.hold().await;
                    continue;
                }
                Piece::Cut => Err(broken()),
            };
            // Flushes what is ready: otherwise chunks would be joined, and those before a cut lost.
            tokio::task::yield_now().await;
            return Some((chunk, (pieces, holder)));
        }
    }))
}

/// Holds an answer until the agent is released.
struct Holder {
    states: States,
    /// The number of releases when the request was accepted: a later release counts, even before the answer reaches
    /// its stall.
    released: u64,
}

impl Holder {
    async fn hold(&self) {
        let mut changes = self.states.subscribe();
        let _held = Held::new(Arc::clone(&self.states));
        let _ = changes.wait_for(|state| state.released > self.released).await;
    }
}

/// Counted as held while it exists; a client that disconnects drops it.
struct Held(States);

impl Held {
    fn new(states: States) -> Self {
        states.send_modify(|state| state.held += 1);
        Self(states)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.send_modify(|state| state.held = state.held.saturating_sub(1));
    }
}
