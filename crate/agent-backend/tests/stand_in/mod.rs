//! A stand-in for a model's server: it says what a test tells it to, and is as strict about requests as the real servers are.
//!
//! Rules of chat completions: <https://platform.openai.com/docs/api-reference/chat/create>; of messages:
//! <https://platform.claude.com/docs/en/api/messages>, "Handle tool calls" and "Errors" there.

#![allow(dead_code, reason = "every suite uses its own part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's helper fails the test"
)]

mod rules;
mod speech;

pub(crate) use speech::{Turn, anthropic, openai};

use agent_backend::llm::{Api, Post, Received, Transport, TransportError};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// The key that the stand-in demands.
pub(crate) const KEY: &str = "sk-stand-in-0123456789";

/// What the stand-in does with a request that keeps to the rules.
#[derive(Clone)]
pub(crate) enum Say {
    /// A turn, streamed in the format of the API.
    Turn(Turn),
    /// The same as one JSON document.
    Document(Turn),
    /// These bytes of this content type; then the connection breaks, or ends.
    Bytes { kind: &'static str, bytes: Vec<u8>, breaks: bool },
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// No connection.
    Down,
    /// Nothing until the test lets go.
    Held(Arc<Notify>, Box<Self>),
}

/// A strict server of one API.
#[derive(Clone)]
pub(crate) struct StandIn {
    pub(crate) api: Api,
    /// How many bytes arrive together.
    pub(crate) chunk: usize,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    says: VecDeque<Say>,
    asked: Vec<Value>,
    broken: Vec<String>,
}

impl StandIn {
    pub(crate) fn new(api: Api, says: impl IntoIterator<Item = Say>) -> Self {
        let state = State { says: says.into_iter().collect(), ..State::default() };
        Self { api, chunk: 11, state: Arc::new(Mutex::new(state)) }
    }

    /// What it says after everything else.
    pub(crate) fn then(&self, say: Say) {
        self.state.lock().unwrap().says.push_back(say);
    }

    /// The bodies of all requests.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.state.lock().unwrap().asked.clone()
    }

    /// The rules that requests broke.
    pub(crate) fn broken(&self) -> Vec<String> {
        self.state.lock().unwrap().broken.clone()
    }

    /// The answer to a request: status, headers, body, and whether the connection breaks after it.
    pub(crate) async fn answer(&self, headers: &[(String, String)], body: &[u8]) -> Option<Spoken> {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut say = {
            let mut state = self.state.lock().unwrap();
            state.asked.push(body.clone());
            match rules::check(self.api, headers, &body) {
                Ok(()) => state.says.pop_front().unwrap_or_else(|| Say::Turn(Turn::said("(nothing more)"))),
                Err((status, reason)) => {
                    state.broken.push(reason.clone());
                    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": reason}});
                    Say::Status(status, Vec::new(), error.to_string())
                }
            }
        };
        while let Say::Held(gate, next) = say {
            gate.notified().await;
            say = *next;
        }
        let spoken = |kind: &'static str, bytes: Vec<u8>| Spoken {
            status: 200,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body: bytes,
            breaks: false,
        };
        Some(match say {
            Say::Turn(turn) => spoken("text/event-stream; charset=utf-8", self.stream(&turn)),
            Say::Document(turn) => spoken("application/json", self.document(&turn).to_string().into_bytes()),
            Say::Bytes { kind, bytes, breaks } => Spoken { breaks, ..spoken(kind, bytes) },
            Say::Status(status, more, body) => {
                let mut spoken = spoken("application/json", body.into_bytes());
                spoken.status = status;
                spoken.headers.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
                spoken
            }
            Say::Down | Say::Held(..) => return None,
        })
    }

    /// A turn as the API streams it.
    pub(crate) fn stream(&self, turn: &Turn) -> Vec<u8> {
        match self.api {
            Api::OpenAi => openai(turn),
            Api::Anthropic => anthropic(turn),
        }
    }

    fn document(&self, turn: &Turn) -> Value {
        match self.api {
            Api::OpenAi => speech::openai_document(turn),
            Api::Anthropic => speech::anthropic_document(turn),
        }
    }
}

/// An answer of the stand-in.
pub(crate) struct Spoken {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) breaks: bool,
}

#[async_trait]
impl Transport for StandIn {
    async fn post(&self, request: Post) -> Result<Received, TransportError> {
        let down = || TransportError("connection refused".to_owned());
        let Spoken { status, headers, body, breaks } =
            self.answer(&request.headers, &request.body).await.ok_or_else(down)?;
        let mut chunks: Vec<_> = body.chunks(self.chunk).map(|chunk| Ok(chunk.to_vec())).collect();
        if breaks {
            chunks.push(Err(TransportError("connection reset".to_owned())));
        }
        Ok(Received::new(status, headers, chunks))
    }
}
