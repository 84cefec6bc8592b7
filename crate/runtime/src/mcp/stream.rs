//! The messages of an answer, one by one: a JSON body, or a stream of events.

use super::error::McpError;
use super::protocol::message::Incoming;
use crate::ports::{Body, NetResponse};
use std::collections::VecDeque;
use wire::api::Millis;
use wire::sse::{Decoder, Limits};

/// The largest body (M17).
pub(super) const MAX_BODY: usize = 8 << 20;
/// The largest event of a stream (M17).
const MAX_EVENT: usize = 2 << 20;
/// The longest id of an event that is kept.
const MAX_ID: usize = 4 << 10;

/// An answer that is being read.
pub(super) struct Messages {
    source: Source,
    queue: VecDeque<Incoming>,
    /// Where messages go, on a stream of HTTP+SSE.
    endpoint: Option<String>,
    read: usize,
    last_id: String,
    retry: Option<Millis>,
}

enum Source {
    Json(Box<dyn Body>),
    Stream(Box<dyn Body>, Box<Decoder>),
    Ended,
}

/// What comes next of an answer.
pub(super) enum Next {
    /// A message.
    Message(Incoming),
    /// No message, but an id from which the stream can be taken up again.
    Position,
    /// Nothing.
    End,
}

impl Messages {
    /// Of an answer that is a success.
    pub(super) fn of(response: NetResponse) -> Self {
        let NetResponse { status, content_type, body, .. } = response;
        let source = match content_type.trim_start().get(..17).map(str::to_ascii_lowercase).as_deref() {
            _ if matches!(status, 202 | 204) => Source::Ended,
            Some("text/event-stream") => {
                Source::Stream(body, Box::new(Decoder::new(Limits { line: MAX_EVENT, event: MAX_EVENT })))
            }
            _ => Source::Json(body),
        };
        let (queue, last_id) = (VecDeque::new(), String::new());
        Self { source, queue, endpoint: None, read: 0, last_id, retry: None }
    }

    /// The id of the last event, where the server gives ids.
    pub(super) fn last_id(&self) -> Option<&str> {
        Some(self.last_id.as_str()).filter(|id| !id.is_empty())
    }

    /// After how long the server wants the stream to be taken up again.
    pub(super) const fn retry(&self) -> Option<Millis> {
        self.retry
    }

    /// Whether it is a stream.
    pub(super) const fn is_stream(&self) -> bool {
        matches!(self.source, Source::Stream(..))
    }

    /// What comes next.
    pub(super) async fn next(&mut self) -> Result<Next, McpError> {
        loop {
            if let Some(message) = self.queue.pop_front() {
                return Ok(Next::Message(message));
            }
            let before = self.last_id.clone();
            if !self.read_more().await? {
                return Ok(Next::End);
            }
            if self.queue.is_empty() && self.last_id != before {
                return Ok(Next::Position);
            }
        }
    }

    /// Where messages go: the first event of a stream of HTTP+SSE.
    pub(super) async fn endpoint(&mut self) -> Result<Option<String>, McpError> {
        while self.endpoint.is_none() && self.read_more().await? {}
        Ok(self.endpoint.take())
    }

    /// Reads on; whether there may be more.
    async fn read_more(&mut self) -> Result<bool, McpError> {
        match &mut self.source {
            Source::Ended => Ok(false),
            Source::Json(body) => {
                let text = text_of(body.as_mut()).await?;
                self.source = Source::Ended;
                self.queue.extend(Incoming::read_all(&text));
                Ok(true)
            }
            Source::Stream(body, decoder) => {
                let Some(chunk) = body.chunk().await? else {
                    self.source = Source::Ended;
                    return Ok(false);
                };
                self.read = self.read.saturating_add(chunk.len());
                if self.read > MAX_BODY {
                    return Err(McpError::TooLarge { limit: MAX_BODY });
                }
                let (queue, endpoint) = (&mut self.queue, &mut self.endpoint);
                let decoded = decoder.push(&chunk, &mut |event| match event.name {
                    "endpoint" if endpoint.is_none() => *endpoint = Some(event.data.to_owned()),
                    // An event without data only says where the stream is (M1).
                    _ if event.data.is_empty() => {}
                    _ => queue.extend(Incoming::read_all(event.data)),
                });
                if decoder.last_id().len() <= MAX_ID {
                    decoder.last_id().clone_into(&mut self.last_id);
                }
                self.retry = decoder.retry();
                decoded.map_err(|_| McpError::TooLarge { limit: MAX_EVENT })?;
                Ok(true)
            }
        }
    }
}

/// A body, whole.
pub(super) async fn text_of(body: &mut dyn Body) -> Result<String, McpError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await? {
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(McpError::TooLarge { limit: MAX_BODY });
        }
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
