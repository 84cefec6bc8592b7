//! An answer to the wallet: a log that grows while the model speaks, read by every request with its key from the beginning.

use super::http::Bytes;
use crate::sse::{Event, Writer};
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The wallet gives up a stream that is silent for two minutes.
const PING: Duration = Duration::from_secs(15);

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    ToolInput { id: String, kind: String, delta: String },
    Actions(Vec<Value>),
    Error(String),
    End { id: String },
}

#[derive(Debug, Default)]
struct Log {
    parts: Vec<Part>,
}

impl Log {
    fn is_ended(&self) -> bool {
        matches!(self.parts.last(), Some(Part::End { .. }))
    }

    fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    fn message(&self, id: &str) -> Value {
        json!({"id": id, "role": "assistant", "content": self.text(), "content_type": "text"})
    }

    /// The events of a part, in the named dialect.
    fn events(&self, part: &Part) -> Vec<Event> {
        let event = |name: &str, data: Value| Event::named(name, data.to_string());
        match part {
            Part::Text(delta) => vec![event("text_delta", json!({"delta": delta}))],
            Part::ToolInput { id, kind, delta } => {
                vec![event("tool_input", json!({"id": id, "type": kind, "delta": delta}))]
            }
            Part::Actions(actions) => vec![event("actions", json!({"actions": actions}))],
            Part::Error(error) => vec![event("error", json!({"error": error}))],
            Part::End { id } => {
                vec![event("message", json!({"message": self.message(id)})), event("done", json!({}))]
            }
        }
    }
}

/// An answer, growing or whole. Clones are the same answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    log: Arc<watch::Sender<Log>>,
}

impl Answer {
    /// An answer, and the one writer of it.
    pub(super) fn new(message_id: String) -> (Self, AnswerWriter) {
        let log = Arc::new(watch::Sender::new(Log::default()));
        (Self { log: Arc::clone(&log) }, AnswerWriter { log, message_id })
    }

    /// The whole answer as a stream of named events, from its beginning.
    pub(super) fn stream(&self) -> Bytes {
        let reader = self.log.subscribe();
        Box::pin(stream::unfold(
            (reader, 0, Writer::default()),
            |(mut reader, told, mut writer)| async move {
                let more = |log: &Log| log.parts.len() > told || log.is_ended();
                let Ok(waited) = tokio::time::timeout(PING, reader.wait_for(more)).await else {
                    return Some((Ok(b": ping\n\n".to_vec()), (reader, told, writer)));
                };
                let (bytes, told) = {
                    let log = waited.ok()?;
                    let events = log.parts.iter().skip(told).flat_map(|part| log.events(part));
                    let bytes: Vec<u8> = events.flat_map(|event| writer.write(&event)).collect();
                    (bytes, log.parts.len())
                };
                (!bytes.is_empty()).then_some((Ok(bytes), (reader, told, writer)))
            },
        ))
    }

    /// The whole answer as one document, when it is there.
    pub(super) async fn document(&self) -> Value {
        let mut reader = self.log.subscribe();
        let Ok(log) = reader.wait_for(Log::is_ended).await else { return Value::Null };
        let mut document = Map::from_iter([("actions".to_owned(), json!([]))]);
        for part in &log.parts {
            let (key, value) = match part {
                Part::Actions(actions) => ("actions", json!(actions)),
                Part::Error(error) => ("error", json!(error)),
                Part::End { id } => ("message", log.message(id)),
                Part::Text(_) | Part::ToolInput { .. } => continue,
            };
            document.insert(key.to_owned(), value);
        }
        Value::Object(document)
    }
}

/// Writes an answer. Dropped before its end, it ends the answer with an error: no reader waits in vain.
#[derive(Debug)]
pub(super) struct AnswerWriter {
    log: Arc<watch::Sender<Log>>,
    message_id: String,
}

impl AnswerWriter {
    fn push(&self, part: Part) {
        self.log.send_modify(|log| {
            if !log.is_ended() {
                log.parts.push(part);
            }
        });
    }

    pub(super) fn text(&self, delta: String) {
        self.push(Part::Text(delta));
    }

    pub(super) fn tool_input(&self, id: String, kind: String, delta: String) {
        self.push(Part::ToolInput { id, kind, delta });
    }

    pub(super) fn actions(&self, actions: Vec<Value>) {
        self.push(Part::Actions(actions));
    }

    pub(super) fn error(&self, error: String) {
        self.push(Part::Error(error));
    }

    pub(super) fn end(&self) {
        self.push(Part::End { id: self.message_id.clone() });
    }
}

impl Drop for AnswerWriter {
    fn drop(&mut self) {
        if !self.log.borrow().is_ended() {
            self.error("agent_failed: the agent stopped in the middle of its answer".to_owned());
            self.end();
        }
    }
}
