//! The network: the backend (a scripted agent or a function) and the chains' nodes, with a log of requests.

use super::browser::Browser;
use super::{OTHER_URL, START, URL};
use agent_backend::llm::LlmAgent;
use agent_backend::{Piece, Request, ScriptedAgent};
use async_trait::async_trait;
use runtime::ports::{Body, HEADERS, Net, NetError, NetRequest, NetResponse};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use wire::api::Millis;

/// An answer of a backend or node that a test defines.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A status with a body of a content type.
    Http(u16, &'static str, String),
    /// A status with a `Retry-After` in seconds.
    RetryAfter(u16, u64),
    /// No connection.
    Down,
    /// A connection without any data.
    Silent,
    /// This answer after a delay in milliseconds.
    Slow(u64, Box<Self>),
    /// A stream in these chunks, each after a delay in milliseconds.
    Drip(Vec<(u64, String)>),
    /// 200 with these bytes.
    Bytes(&'static str, Vec<u8>),
    /// A redirect, which the browser does not follow.
    Redirect,
    /// An answer with headers of its own.
    With(Vec<(&'static str, String)>, Box<Self>),
    /// A stream that a test feeds while it is read.
    Live(Rc<Channel>),
}

/// A body that a test feeds.
#[derive(Debug, Default)]
pub struct Channel {
    chunks: RefCell<VecDeque<Result<String, ()>>>,
    closed: Cell<bool>,
    fed: tokio::sync::Notify,
}

impl Channel {
    /// More of the body.
    pub fn feed(&self, text: &str) {
        self.chunks.borrow_mut().push_back(Ok(text.to_owned()));
        self.fed.notify_one();
    }

    /// The end of the body.
    pub fn close(&self) {
        self.closed.set(true);
        self.fed.notify_one();
    }

    /// A connection that breaks.
    pub fn cut(&self) {
        self.chunks.borrow_mut().push_back(Err(()));
        self.fed.notify_one();
    }
}

struct LiveBody(Rc<Channel>);

#[async_trait(?Send)]
impl Body for LiveBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        loop {
            let next = self.0.chunks.borrow_mut().pop_front();
            match next {
                Some(Ok(text)) => return Ok(Some(text.into_bytes())),
                Some(Err(())) => return Err(NetError("connection reset".to_owned())),
                None if self.0.closed.get() => return Ok(None),
                None => self.0.fed.notified().await,
            }
        }
    }
}

impl Answer {
    /// 200 with JSON.
    pub fn json(body: &Value) -> Self {
        Self::Http(200, "application/json", body.to_string())
    }

    /// A status with an empty JSON body.
    pub fn status(status: u16) -> Self {
        Self::Http(status, "application/json", "{}".to_owned())
    }

    /// A stream of named events with its final `message` and `done`.
    pub fn events(events: &[(&str, Value)]) -> Self {
        Self::stream(events, true)
    }

    /// A stream of named events that breaks off.
    pub fn broken(events: &[(&str, Value)]) -> Self {
        Self::stream(events, false)
    }

    fn stream(events: &[(&str, Value)], complete: bool) -> Self {
        let mut text: String =
            events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect();
        if complete {
            text.push_str(
                "event: message\ndata: {\"message\":{\"content\":\"\"}}\n\nevent: done\ndata: {}\n\n",
            );
        }
        Self::Http(200, "text/event-stream", text)
    }
}

/// A request as the backend received it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// When, since the world's start.
    pub at: Millis,
    /// The backend's URL: [`URL`] or [`OTHER_URL`].
    pub backend: &'static str,
    /// Path.
    pub path: String,
    /// The `Idempotency-Key` header.
    pub key: String,
    /// The bearer token.
    pub token: Option<String>,
    /// The body.
    pub body: Value,
}

/// A request as a chain's node, or any other host that is not the backend, received it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCall {
    /// When, since the world's start.
    pub at: Millis,
    /// Upper case.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// Names as they were sent.
    pub headers: Vec<(String, String)>,
    /// The posted body; a text where it is not JSON, `null` for a GET.
    pub body: Value,
}

impl NodeCall {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

pub(super) type Respond = Box<dyn FnMut(&Sent) -> Answer>;

pub(super) type Nodes = Box<dyn FnMut(&NodeCall) -> Answer>;

pub(super) enum Backend {
    Scripted(Box<ScriptedAgent>),
    Llm(LlmAgent),
    Custom(Respond),
}

/// The network to the backend and to the chains' nodes, and a log of all requests.
pub struct Network {
    pub(super) browser: Rc<Browser>,
    pub(super) backend: RefCell<Backend>,
    pub(super) down: Cell<bool>,
    pub(super) log: RefCell<Vec<Sent>>,
    pub(super) nodes: RefCell<Nodes>,
    pub(super) node_log: RefCell<Vec<NodeCall>>,
}

#[async_trait(?Send)]
impl Net for Network {
    async fn send(&self, request: NetRequest) -> Result<NetResponse, NetError> {
        tokio::task::yield_now().await;
        let at = self.browser.now() - START;
        let text = request.body.as_deref().unwrap_or("null");
        let body = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        let backend =
            [URL, OTHER_URL].into_iter().find_map(|url| Some((url, request.url.strip_prefix(url)?)));
        let Some((backend, path)) = backend else {
            // Any other URL is a node, or a tool's host.
            let NetRequest { method, url, headers, .. } = request;
            let call = NodeCall { at, method, url, headers, body };
            self.node_log.borrow_mut().push(call.clone());
            let answer = (self.nodes.borrow_mut())(&call);
            return respond(answer).await;
        };
        let header =
            |name: &str| request.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value);
        let sent = Sent {
            at,
            backend,
            path: path.to_owned(),
            key: header("Idempotency-Key").cloned().unwrap_or_default(),
            token: header("Authorization").map(|value| value.replacen("Bearer ", "", 1)),
            body,
        };
        self.log.borrow_mut().push(sent.clone());
        if self.down.get() {
            return Err(NetError("connection refused".to_owned()));
        }
        let request = Request {
            method: request.method,
            path: sent.path.clone(),
            headers: request.headers,
            body: request.body.unwrap_or_default().into_bytes(),
            at_ms: self.browser.now(),
        };
        let asked = match &mut *self.backend.borrow_mut() {
            Backend::Custom(respond) => Ok(to_agent_answer(respond(&sent))),
            Backend::Scripted(scripted) => Ok(scripted.answer(request)),
            Backend::Llm(agent) => Err((agent.clone(), request)),
        };
        match asked {
            Ok(answer) => deliver(answer).await,
            Err((agent, request)) => deliver(agent.answer(request).await.whole().await).await,
        }
    }
}

/// Gives the worker an answer of a node or a tool's host.
async fn respond(answer: Answer) -> Result<NetResponse, NetError> {
    match answer {
        Answer::Redirect => Err(NetError::redirected()),
        Answer::With(headers, answer) => {
            let mut response = Box::pin(respond(*answer)).await?;
            response.headers.extend(headers.into_iter().filter(|(name, _)| HEADERS.contains(name)));
            Ok(response)
        }
        Answer::Live(channel) => Ok(NetResponse {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            retry_after: None,
            headers: Vec::new(),
            body: Box::new(LiveBody(channel)),
        }),
        answer => deliver(to_agent_answer(answer)).await,
    }
}

/// Delivers an answer to the worker.
async fn deliver(answer: agent_backend::Answer) -> Result<NetResponse, NetError> {
    match answer.before_headers {
        Some(Piece::Stall) => std::future::pending().await,
        Some(Piece::Pause(pause)) => tokio::time::sleep(pause).await,
        Some(_) => return Err(NetError("connection reset".to_owned())),
        None => {}
    }
    let header =
        |name: &str| answer.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.clone());
    Ok(NetResponse {
        status: answer.status,
        content_type: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after").and_then(|seconds| seconds.parse().ok()),
        headers: Vec::new(),
        body: Box::new(Pieces(answer.body.into())),
    })
}

/// The answer as the scripted agent represents it.
pub(crate) fn to_agent_answer(answer: Answer) -> agent_backend::Answer {
    let mut headers = Vec::new();
    let (before_headers, status, kind, body) = match answer {
        Answer::Http(status, kind, body) => (None, status, kind, Piece::Bytes(body.into_bytes())),
        Answer::RetryAfter(status, seconds) => {
            headers.push(("retry-after".to_owned(), seconds.to_string()));
            (None, status, "application/json", Piece::Bytes(b"{}".to_vec()))
        }
        Answer::Bytes(kind, bytes) => (None, 200, kind, Piece::Bytes(bytes)),
        Answer::Down | Answer::Redirect | Answer::Live(_) => (Some(Piece::Cut), 0, "", Piece::Cut),
        Answer::With(_, answer) => return to_agent_answer(*answer),
        Answer::Silent => (None, 200, "text/event-stream", Piece::Stall),
        Answer::Drip(chunks) => {
            let pieces = |(millis, text): (u64, String)| {
                [Piece::Pause(Duration::from_millis(millis)), Piece::Bytes(text.into_bytes())]
            };
            headers.push(("content-type".to_owned(), "text/event-stream".to_owned()));
            let body = chunks.into_iter().flat_map(pieces).collect();
            return agent_backend::Answer { before_headers: None, status: 200, headers, body };
        }
        Answer::Slow(millis, answer) => {
            let pause = Some(Piece::Pause(Duration::from_millis(millis)));
            return agent_backend::Answer { before_headers: pause, ..to_agent_answer(*answer) };
        }
    };
    headers.push(("content-type".to_owned(), kind.to_owned()));
    agent_backend::Answer { before_headers, status, headers, body: vec![body] }
}

struct Pieces(VecDeque<Piece>);

#[async_trait(?Send)]
impl Body for Pieces {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        loop {
            tokio::task::yield_now().await;
            match self.0.pop_front() {
                None => return Ok(None),
                Some(Piece::Bytes(bytes)) => return Ok(Some(bytes)),
                Some(Piece::Pause(pause)) => tokio::time::sleep(pause).await,
                Some(Piece::Stall) => std::future::pending().await,
                Some(Piece::Cut) => return Err(NetError("connection reset".to_owned())),
            }
        }
    }
}
