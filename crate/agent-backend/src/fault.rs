//! The agent's faults on request: in a script's turn (`[[turn.fault]]`), or at run time.
//!
//! ```toml
//! [[turn.fault]]
//! kind = "cut"          # the connection ends in the middle of the second event …
//! inside_event = 2
//! times = 1             # … once; the repeat of the request is answered in full
//! ```
//!
//! Events are counted from 1; `after_event = 0` is after the headers and before the first event. A fault that does
//! not apply to an answer (the third event of two) is kept for the next one.

use crate::sse::LineEnds;
use serde::Deserialize;

/// A fault, its scope, and how often it applies.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Fault {
    /// What goes wrong.
    pub kind: Kind,
    /// The requests it applies to.
    pub on: Scope,
    /// How many times; unlimited if absent.
    pub times: Option<u32>,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The connection is dropped.
    Cut(At),
    /// Nothing more is sent until the agent is released, or the client disconnects.
    Stall(At),
    /// The answer is this status. In a turn, the request was accepted before the answer failed; at run time, it is
    /// refused before reading. A client sends it again in both cases, and only in the first does it arrive twice.
    Status {
        /// The HTTP status.
        status: u16,
        /// Seconds in the `Retry-After` header.
        retry_after: Option<u64>,
    },
    /// An action (counted from 0), or all of them, is sent a second time in the same answer.
    RepeatActions {
        /// The action; all if absent.
        action: Option<usize>,
    },
    /// Bytes between two events that are not an event.
    Garbage {
        /// After which event.
        after_event: usize,
        /// The bytes.
        text: String,
    },
    /// An `actions` event with broken JSON between two events.
    GarbageJson {
        /// After which event.
        after_event: usize,
    },
    /// A `text_delta` event with bytes that are not UTF-8 between two events.
    InvalidUtf8 {
        /// After which event.
        after_event: usize,
    },
    /// An event with this many bytes of label between two events.
    Huge {
        /// After which event.
        after_event: usize,
        /// How many bytes.
        bytes: usize,
    },
    /// Line endings.
    LineEnds(LineEnds),
    /// The body in chunks of this size, or of 1 to 7 bytes in turn.
    TinyChunks {
        /// Bytes in each piece.
        size: Option<usize>,
    },
    /// The stream ends properly, without `message` and `done`.
    NoMessage,
}

/// A position in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Before the status line.
    BeforeHeaders,
    /// After this many bytes of the body.
    AfterBytes(usize),
    /// Between this event and the next.
    AfterEvent(usize),
    /// In the middle of this event.
    InsideEvent(usize),
}

/// The requests that a fault applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All of them.
    #[default]
    All,
    /// Messages with an `action_result`.
    Results,
    /// Messages with the user's text.
    Messages,
    /// Messages with items of the inbox.
    Inbox,
}

impl Fault {
    /// A fault on every request, unlimited; narrow it with [`Fault::on_results`], [`Fault::times`].
    pub fn new(kind: Kind) -> Self {
        Self { kind, on: Scope::All, times: None }
    }

    /// Answers this status.
    pub fn status(status: u16) -> Self {
        Self::new(Kind::Status { status, retry_after: None })
    }

    /// Drops the connection at a position.
    pub fn cut(at: At) -> Self {
        Self::new(Kind::Cut(at))
    }

    /// Stalls at a position until released.
    pub fn stall(at: At) -> Self {
        Self::new(Kind::Stall(at))
    }

    /// Holds every result before its headers until released: the agent has the result, the client does not know.
    pub fn hold_results() -> Self {
        Self::stall(At::BeforeHeaders).on_results()
    }

    /// Only for messages with an `action_result`.
    pub fn on_results(self) -> Self {
        Self { on: Scope::Results, ..self }
    }

    /// Only for messages the user wrote.
    pub fn on_messages(self) -> Self {
        Self { on: Scope::Messages, ..self }
    }

    /// Only for messages with items of the inbox.
    pub fn on_inbox(self) -> Self {
        Self { on: Scope::Inbox, ..self }
    }

    /// Only this many times.
    pub fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }

    /// Whether the fault applies to requests of this kind.
    pub(crate) fn concerns(&self, sort: Scope) -> bool {
        self.on == Scope::All || self.on == sort
    }
}

/// Why a fault could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The kind is unknown.
    #[error(
        "unknown fault kind `{0}`; known: cut, stall, status, repeat_actions, garbage, garbage_json, invalid_utf8, \
         huge, line_ends, tiny_chunks, no_message"
    )]
    UnknownKind(String),
    /// A key that the kind does not take.
    #[error("fault `{kind}` does not take `{key}`")]
    UnexpectedKey {
        /// The fault's kind.
        kind: String,
        /// The key.
        key: &'static str,
    },
    /// A missing key.
    #[error("fault `{kind}` needs `{key}`")]
    MissingKey {
        /// The fault's kind.
        kind: String,
        /// The key.
        key: &'static str,
    },
    /// A value out of range.
    #[error("fault `{kind}`: `{key}` must be {must}")]
    BadValue {
        /// The fault's kind.
        kind: String,
        /// The key.
        key: &'static str,
        /// What it must be.
        must: &'static str,
    },
}

/// A fault as written in TOML or JSON: flat, so that it is easy to write and an error can name the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    kind: String,
    #[serde(default)]
    on: Scope,
    times: Option<u32>,
    before_headers: Option<bool>,
    after_bytes: Option<usize>,
    after_event: Option<usize>,
    inside_event: Option<usize>,
    status: Option<u16>,
    retry_after: Option<u64>,
    action: Option<usize>,
    text: Option<String>,
    bytes: Option<usize>,
    ends: Option<LineEnds>,
    size: Option<usize>,
}

impl TryFrom<Written> for Fault {
    type Error = FaultError;

    fn try_from(mut written: Written) -> Result<Self, FaultError> {
        let missing = |key| FaultError::MissingKey { kind: written.kind.clone(), key };
        let bad = |key, must| FaultError::BadValue { kind: written.kind.clone(), key, must };
        let kind = match written.kind.as_str() {
            "cut" | "stall" => {
                let place = match (
                    written.before_headers.take(),
                    written.after_bytes.take(),
                    written.after_event.take(),
                    written.inside_event.take(),
                ) {
                    (Some(true), None, None, None) => At::BeforeHeaders,
                    (None, Some(bytes), None, None) => At::AfterBytes(bytes),
                    (None, None, Some(event), None) => At::AfterEvent(event),
                    (None, None, None, Some(event)) if event > 0 => At::InsideEvent(event),
                    (None, None, None, Some(_)) => return Err(bad("inside_event", "1 or more")),
                    (None, None, None, None) => {
                        return Err(missing(
                            "before_headers = true, after_bytes, after_event or inside_event",
                        ));
                    }
                    _ => {
                        return Err(bad(
                            "before_headers, after_bytes, after_event, inside_event",
                            "one place",
                        ));
                    }
                };
                if written.kind == "cut" { Kind::Cut(place) } else { Kind::Stall(place) }
            }
            "status" => {
                let status = written.status.take().ok_or_else(|| missing("status"))?;
                if !(400..=599).contains(&status) {
                    return Err(bad("status", "from 400 to 599"));
                }
                Kind::Status { status, retry_after: written.retry_after.take() }
            }
            "repeat_actions" => Kind::RepeatActions { action: written.action.take() },
            "garbage" => Kind::Garbage {
                after_event: written.after_event.take().unwrap_or(0),
                text: written.text.take().unwrap_or_else(|| "%%% \u{1}\u{2} this is no event\n".to_owned()),
            },
            "garbage_json" => Kind::GarbageJson { after_event: written.after_event.take().unwrap_or(0) },
            "invalid_utf8" => Kind::InvalidUtf8 { after_event: written.after_event.take().unwrap_or(0) },
            "huge" => Kind::Huge {
                after_event: written.after_event.take().unwrap_or(0),
                bytes: written.bytes.take().ok_or_else(|| missing("bytes"))?,
            },
            "line_ends" => Kind::LineEnds(written.ends.take().ok_or_else(|| missing("ends"))?),
            "tiny_chunks" => {
                let size = written.size.take();
                if size == Some(0) {
                    return Err(bad("size", "1 or more"));
                }
                Kind::TinyChunks { size }
            }
            "no_message" => Kind::NoMessage,
            unknown => return Err(FaultError::UnknownKind(unknown.to_owned())),
        };
        let left = [
            ("before_headers", written.before_headers.is_some()),
            ("after_bytes", written.after_bytes.is_some()),
            ("after_event", written.after_event.is_some()),
            ("inside_event", written.inside_event.is_some()),
            ("status", written.status.is_some()),
            ("retry_after", written.retry_after.is_some()),
            ("action", written.action.is_some()),
            ("text", written.text.is_some()),
            ("bytes", written.bytes.is_some()),
            ("ends", written.ends.is_some()),
            ("size", written.size.is_some()),
        ];
        match left.into_iter().find(|(_, there)| *there) {
            Some((key, _)) => Err(FaultError::UnexpectedKey { kind: written.kind, key }),
            None => Ok(Self { kind, on: written.on, times: written.times }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Fault, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn faults_are_parsed() {
        assert_eq!(
            read(r#"{"kind":"status","status":429,"retry_after":3,"on":"results","times":2}"#),
            Ok(Fault::new(Kind::Status { status: 429, retry_after: Some(3) }).on_results().times(2))
        );
        assert_eq!(read(r#"{"kind":"cut","inside_event":2}"#), Ok(Fault::cut(At::InsideEvent(2))));
        assert_eq!(
            read(r#"{"kind":"stall","before_headers":true,"on":"results"}"#),
            Ok(Fault::hold_results())
        );
        assert_eq!(
            read(r#"{"kind":"line_ends","ends":"crlf"}"#),
            Ok(Fault::new(Kind::LineEnds(LineEnds::Crlf)))
        );
    }

    #[test]
    fn errors_name_the_mistake() {
        let message = |json| read(json).unwrap_err();
        assert!(message(r#"{"kind":"cat"}"#).contains("unknown fault kind `cat`"));
        assert!(message(r#"{"kind":"huge"}"#).contains("fault `huge` needs `bytes`"));
        assert!(message(r#"{"kind":"no_message","status":500}"#).contains("does not take `status`"));
        assert!(message(r#"{"kind":"status","status":200}"#).contains("`status` must be from 400 to 599"));
        assert!(message(r#"{"kind":"cut","after_bytes":1,"after_event":1}"#).contains("one place"));
        assert!(message(r#"{"kind":"cut","aftr_event":1}"#).contains("aftr_event"));
    }
}
