//! An answer as bytes on a connection, true to HTTP or not.

use serde_json::Value;
use std::time::Duration;

/// An answer, or how it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status; without one the connection ends before the head.
    pub status: Option<u16>,
    /// The headers, without those of the length.
    pub headers: Vec<(String, String)>,
    /// What the head says about the length of the body.
    pub length: Length,
    /// The body.
    pub body: Vec<Piece>,
    /// The time before the head.
    pub delay: Duration,
}

/// What a head says about the length of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// The length of the pieces.
    True,
    /// Another one.
    Says(u64),
    /// None: the body comes in chunks.
    Chunked,
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A pause.
    Pause(Duration),
    /// The same bytes again and again with a pause after each, until the caller leaves.
    Endless(Vec<u8>, Duration),
    /// The connection ends here. Always the last.
    Cut,
}

impl Answer {
    /// JSON with status 200.
    pub fn json(value: &Value) -> Self {
        Self::of(200, "application/json", value.to_string())
    }

    /// Text with status 200.
    pub fn text(text: &str) -> Self {
        Self::of(200, "text/plain; charset=utf-8", text)
    }

    /// A body with a media type.
    pub fn of(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let answer = Self::empty(status).header("content-type", media_type);
        Self { body: vec![Piece::Bytes(body.into())], ..answer }
    }

    /// A status without a body.
    pub fn empty(status: u16) -> Self {
        Self {
            status: Some(status),
            headers: Vec::new(),
            length: Length::True,
            body: Vec::new(),
            delay: Duration::ZERO,
        }
    }

    /// The connection ends without an answer.
    pub fn dropped() -> Self {
        Self { status: None, ..Self::empty(0) }
    }

    /// A body in chunks.
    pub fn chunked(media_type: &str, body: Vec<Piece>) -> Self {
        Self { length: Length::Chunked, body, ..Self::of(200, media_type, "") }
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with another status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// The same after a delay.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The same with another `Content-Length`.
    #[must_use]
    pub fn says(self, length: u64) -> Self {
        Self { length: Length::Says(length), ..self }
    }

    /// The head; `None` if the connection ends before it.
    pub(super) fn head(&self) -> Option<String> {
        let status = self.status?;
        // The reason is for people; clients ignore it.
        let mut head = format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n");
        let length = match self.length {
            Length::Says(length) => Some(length),
            // Neither may say anything about a body.
            Length::True if status == 204 || status == 304 => None,
            Length::True => Some(self.body.iter().map(Piece::len).sum::<usize>() as u64),
            Length::Chunked => {
                head.push_str("transfer-encoding: chunked\r\n");
                None
            }
        };
        if let Some(length) = length {
            head.push_str(&format!("content-length: {length}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Some(head)
    }

    /// Bytes of the body as they go onto the connection.
    pub(super) fn framed(&self, bytes: &[u8]) -> Vec<u8> {
        if self.length != Length::Chunked {
            return bytes.to_vec();
        }
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        chunk
    }

    /// What follows the last piece.
    pub(super) fn end(&self) -> &'static [u8] {
        if self.length == Length::Chunked { b"0\r\n\r\n" } else { b"" }
    }
}

impl Piece {
    /// Text as a piece.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Bytes(text.into().into_bytes())
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Pause(_) | Self::Endless(..) | Self::Cut => 0,
        }
    }
}
