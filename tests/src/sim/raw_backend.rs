//! A backend that answers with given bytes, and keeps the results it gets.

use super::{Backend, Rng};
use agent_backend::{Answer, Piece, Request};
use serde_json::Value;

/// Answers every message with the same bytes, and every result with an empty message.
#[derive(Debug)]
pub struct RawBackend {
    /// The `Content-Type` of the answer to a message.
    pub content_type: &'static str,
    /// The answer to a message.
    pub body: Vec<u8>,
    /// Splits the answer into chunks.
    pub rng: Rng,
    /// The results in order of arrival, with their keys.
    pub results: Vec<(String, Value)>,
}

impl RawBackend {
    /// A backend with this answer.
    pub fn new(content_type: &'static str, body: Vec<u8>, seed: u64) -> Self {
        Self { content_type, body, rng: Rng::new(seed), results: Vec::new() }
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = self.body.as_slice();
        while !rest.is_empty() {
            let longest = [3, 200, 100_000, 4 << 20][self.rng.below(4) as usize];
            let (piece, tail) = rest.split_at(rest.len().min(1 + self.rng.below(longest) as usize));
            pieces.push(Piece::Bytes(piece.to_vec()));
            rest = tail;
        }
        pieces
    }
}

impl Backend for RawBackend {
    fn answer(&mut self, request: Request) -> Answer {
        let body: Value = serde_json::from_slice(&request.body).expect("the core sends JSON");
        let json = |text: &str| ("application/json", vec![Piece::Bytes(text.as_bytes().to_vec())]);
        let (content_type, pieces) = if request.path == "/agent/conversations" {
            json(r#"{"id":"c"}"#)
        } else if let Some(result) = body.get("action_result") {
            let key = request.headers.iter().find(|(name, _)| name == "Idempotency-Key");
            self.results.push((key.expect("a key").1.clone(), result.clone()));
            json(r#"{"message":null}"#)
        } else {
            (self.content_type, self.pieces())
        };
        Answer {
            before_headers: None,
            status: 200,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: pieces,
        }
    }
}
