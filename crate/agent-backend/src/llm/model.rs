//! Asking the model: the request, the bounded retries, the turn as it streams.

use super::completion::{self, Completion, Delta, Reader, StreamError, reported, shown};
use super::endpoint::{Api, Endpoint, Key};
use super::history::{Entry, Tool};
use super::http::{Post, Received, Transport, TransportError};
use super::{anthropic, openai};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A document of a server that does not stream, or the text of an error.
const LARGEST_DOCUMENT: usize = 8 << 20;

/// Options of an agent that asks a model.
#[derive(Debug, Clone)]
pub struct LlmOptions {
    /// Where the model is.
    pub endpoint: Endpoint,
    /// Its key.
    pub key: Option<Key>,
    /// Its name.
    pub model: String,
    /// The system prompt; the wallet's own by default.
    pub system: Option<String>,
    /// The bearer token that clients must send; none by default.
    pub token: Option<String>,
    /// The bounds.
    pub limits: Limits,
}

impl LlmOptions {
    /// Options with the default bounds.
    pub fn new(endpoint: Endpoint, model: impl Into<String>) -> Self {
        Self { endpoint, key: None, model: model.into(), system: None, token: None, limits: Limits::DEFAULT }
    }
}

/// Bounds of a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Turns of the model for one message of the user.
    pub turns: u32,
    /// Tokens of one turn.
    pub tokens: u32,
    /// Time for one answer to the wallet, retries included.
    pub answer: Duration,
    /// Bytes of the history that is sent.
    pub history: usize,
    /// Bytes of one result or note.
    pub result: usize,
    /// How often a request that failed for now is made again.
    pub retries: u32,
    /// The wait before the first of them; it doubles.
    pub first_wait: Duration,
    /// The longest wait, also where the server asks for more.
    pub longest_wait: Duration,
}

impl Limits {
    /// Fits a model with a context of 64 000 tokens; an answer stays within the 30 minutes that the wallet gives it.
    pub const DEFAULT: Self = Self {
        turns: 25,
        tokens: 4096,
        answer: Duration::from_secs(10 * 60),
        history: 160 << 10,
        result: 32 << 10,
        retries: 4,
        first_wait: Duration::from_secs(1),
        longest_wait: Duration::from_secs(60),
    };
}

/// A question to the model.
pub(super) struct Ask<'a> {
    pub(super) model: &'a str,
    pub(super) system: &'a str,
    pub(super) entries: &'a [Entry],
    pub(super) tools: &'a [Tool],
    pub(super) tokens: u32,
    pub(super) is_openai: bool,
}

/// Why the model gave no answer. The codes are shown to the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ModelError {
    #[error("model_unreachable: the model's server cannot be reached ({0})")]
    Transport(#[from] TransportError),
    #[error("model_refused_key: the model's server does not accept the key ({status})")]
    Key { status: u16 },
    #[error("model_busy: the model's server has too much to do ({status}){}", after(.retry_after))]
    Busy { status: u16, retry_after: Option<Duration> },
    #[error("model_failed: the model's server answered {status}: {message}")]
    Status { status: u16, message: String },
    #[error("model_stream: {0}")]
    Stream(#[from] StreamError),
}

fn after(wait: &Option<Duration>) -> String {
    wait.map(|wait| format!("; it asks to wait {} s", wait.as_secs())).unwrap_or_default()
}

impl ModelError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Transport(_) | Self::Busy { .. } => true,
            Self::Key { .. } | Self::Status { .. } => false,
            Self::Stream(error) => match error {
                StreamError::Broken => true,
                StreamError::Server { transient, .. } => *transient,
                StreamError::Malformed(_) | StreamError::TooLarge | StreamError::Sse(_) => false,
            },
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// A model behind a transport.
pub(super) struct Model {
    pub(super) options: LlmOptions,
    transport: Arc<dyn Transport>,
}

impl Model {
    pub(super) fn new(options: LlmOptions, transport: Arc<dyn Transport>) -> Self {
        Self { options, transport }
    }

    /// Asks, and passes the pieces of the turn on as they come. A request that failed before the first piece is made
    /// again if the failure may pass; after it, what the wallet was told cannot be taken back.
    pub(super) async fn ask(
        &self,
        system: &str,
        entries: &[Entry],
        tools: &[Tool],
        sink: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Completion, ModelError> {
        let ask = Ask {
            model: &self.options.model,
            system,
            entries,
            tools,
            tokens: self.options.limits.tokens,
            is_openai: self.options.endpoint.is_openai(),
        };
        let body = match self.options.endpoint.api {
            Api::OpenAi => openai::body(&ask),
            Api::Anthropic => anthropic::body(&ask),
        };
        let body = body.to_string().into_bytes();
        let limits = &self.options.limits;
        let mut wait = limits.first_wait;
        let mut retries = 0;
        loop {
            let mut begun = false;
            let mut pass = |delta| {
                begun = true;
                sink(delta);
            };
            let error = match self.attempt(body.clone(), &mut pass).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            let due = error.retry_after().unwrap_or(wait);
            if begun || retries == limits.retries || !error.is_transient() || due > limits.longest_wait {
                return Err(error);
            }
            tokio::time::sleep(due).await;
            retries += 1;
            wait = (wait * 2).min(limits.longest_wait);
        }
    }

    async fn attempt(
        &self,
        body: Vec<u8>,
        sink: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Completion, ModelError> {
        let mut received = self.transport.post(self.post(body)).await?;
        if received.status != 200 {
            return Err(self.refused(received).await);
        }
        let api = self.options.endpoint.api;
        if received.header("content-type").is_some_and(|kind| kind.contains("application/json")) {
            let bytes = whole(&mut received).await?;
            let (deltas, completion) = completion::document(api, &bytes)?;
            deltas.into_iter().for_each(sink);
            return Ok(completion);
        }
        let mut reader = Reader::new(api);
        let mut deltas = Vec::new();
        while !reader.is_whole()
            && let Some(chunk) = received.body.next().await
        {
            // A connection that broke after the end of the turn took nothing from it.
            let Ok(chunk) = chunk else { break };
            let read = reader.push(&chunk, &mut deltas);
            deltas.drain(..).for_each(&mut *sink);
            read?;
        }
        Ok(reader.finish()?)
    }

    fn post(&self, body: Vec<u8>) -> Post {
        let LlmOptions { endpoint, key, .. } = &self.options;
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut headers = vec![
            header("content-type", "application/json"),
            header("accept", "text/event-stream, application/json"),
            header("user-agent", concat!("countersign-agent/", env!("CARGO_PKG_VERSION"))),
        ];
        if endpoint.api == Api::Anthropic {
            headers.push(header("anthropic-version", anthropic::VERSION));
        }
        if let Some(key) = key {
            headers.push(match endpoint.api {
                Api::OpenAi => header("authorization", &format!("Bearer {}", key.secret())),
                Api::Anthropic => header("x-api-key", key.secret()),
            });
        }
        Post { url: endpoint.url.clone(), headers, body }
    }

    async fn refused(&self, mut received: Received) -> ModelError {
        let status = received.status;
        match status {
            // Servers repeat parts of a wrong key: nothing of their text is shown.
            401 | 403 => return ModelError::Key { status },
            408 | 409 | 425 | 429 | 500..=599 => {
                return ModelError::Busy { status, retry_after: retry_after(&received) };
            }
            _ => {}
        }
        let bytes = whole(&mut received).await.unwrap_or_default();
        let document: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let message = match document.get("error").map(reported) {
            Some(StreamError::Server { message, .. }) => message,
            _ => shown(&String::from_utf8_lossy(&bytes)),
        };
        let message = self.options.key.as_ref().map_or(message.clone(), |key| key.hidden(&message));
        ModelError::Status { status, message }
    }
}

/// `retry-after-ms`, or `retry-after` in seconds. A date is not read: the back-off does as well.
fn retry_after(received: &Received) -> Option<Duration> {
    let number = |name: &str| received.header(name)?.trim().parse::<f64>().ok().filter(|value| *value >= 0.0);
    let seconds = number("retry-after-ms").map(|millis| millis / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

async fn whole(received: &mut Received) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = received.body.next().await {
        bytes.extend(chunk?);
        if bytes.len() > LARGEST_DOCUMENT {
            return Err(StreamError::TooLarge.into());
        }
    }
    Ok(bytes)
}
