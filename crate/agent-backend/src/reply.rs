//! The agent's answers, first as data, then as bytes with the faults that apply.

use crate::fault::{At, Kind};
use crate::script::Dialect;
use crate::scripted::Piece;
use crate::sse::{Event, LineEnds, Writer};
use serde_json::{Value, json};
use std::time::Duration;

/// An answer as data. It is stored under its key; every repeat is written from it again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// The index of the script's turn, if one answered.
    pub(crate) turn: Option<usize>,
    pub(crate) dialect: Dialect,
    pub(crate) text: String,
    pub(crate) delay_ms: u64,
    pub(crate) title: Option<String>,
    pub(crate) actions: Vec<String>,
    pub(crate) actions_per_event: Option<usize>,
    pub(crate) events: Vec<Extra>,
    /// The `message`, as JSON.
    pub(crate) message: String,
}

/// An event beyond text, actions and message, filled in.
#[derive(Debug, Clone)]
pub(crate) enum Extra {
    Event(Event),
    /// A piece of an action's `params`.
    ToolInput {
        id: String,
        kind: String,
        delta: String,
    },
    /// Results of pending calls, as JSON texts.
    ToolResults(Vec<String>),
}

/// An event and how long to wait before it.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    pub(crate) event: Event,
    pub(crate) pause_ms: u64,
}

impl From<Event> for Timed {
    fn from(event: Event) -> Self {
        Self { event, pause_ms: 0 }
    }
}

impl Reply {
    /// Ids and types of the actions in it, as far as they can be parsed.
    pub(crate) fn proposed(&self) -> Vec<(String, Option<String>)> {
        let listed = serde_json::from_str::<Vec<Value>>(&format!("[{}]", self.actions.join(",")));
        // One broken element makes the list unreadable; the others are parsed one by one.
        let listed = listed.unwrap_or_else(|_| {
            self.actions.iter().filter_map(|action| serde_json::from_str(action).ok()).collect()
        });
        let extra = self.events.iter().flat_map(|extra| match extra {
            Extra::Event(event) => actions_in(event),
            _ => Vec::new(),
        });
        listed
            .into_iter()
            .chain(extra)
            .filter_map(|action| {
                let id = action.get("id")?.as_str().filter(|id| !id.is_empty())?.to_owned();
                Some((id, action.get("type").and_then(Value::as_str).map(str::to_owned)))
            })
            .collect()
    }

    /// The events, or the one JSON document, of the answer. `shape` may repeat actions or omit the end.
    pub(crate) fn events(&self, dialect: Dialect, shape: &[Kind]) -> Vec<Timed> {
        let ends = !shape.contains(&Kind::NoMessage);
        let again: Vec<&str> = shape
            .iter()
            .flat_map(|kind| match kind {
                Kind::RepeatActions { action: Some(at) } => self.actions.get(*at..=*at).unwrap_or_default(),
                Kind::RepeatActions { action: None } => self.actions.as_slice(),
                _ => &[],
            })
            .map(String::as_str)
            .collect();
        if dialect == Dialect::Json {
            return vec![Event::Raw(self.document(ends, &again).into_bytes()).into()];
        }
        let ui = dialect == Dialect::UiMessageStream;
        let event = |name: &str, payload: String| -> Timed {
            if ui {
                Event::unnamed(format!(r#"{{"type":"data-{name}","data":{payload}}}"#)).into()
            } else {
                Event::named(name, payload).into()
            }
        };
        let part = |value: Value| -> Timed { Event::unnamed(value.to_string()).into() };

        let mut events = Vec::new();
        if ui {
            events.push(part(json!({"type": "start"})));
        }
        events.extend(self.title.iter().map(|title| event("title", json!({"title": title}).to_string())));
        if !self.text.is_empty() {
            if ui {
                events.push(part(json!({"type": "text-start", "id": "text"})));
            }
            for word in self.text.split_inclusive(' ') {
                let delta = if ui {
                    part(json!({"type": "text-delta", "id": "text", "delta": word}))
                } else {
                    event("text_delta", json!({"delta": word}).to_string())
                };
                events.push(Timed { pause_ms: self.delay_ms, ..delta });
            }
            if ui {
                events.push(part(json!({"type": "text-end", "id": "text"})));
            }
        }
        let mut begun: Vec<&str> = Vec::new();
        for extra in &self.events {
            match extra {
                Extra::Event(extra) => events.push(extra.clone().into()),
                Extra::ToolResults(results) => {
                    events.push(event(
                        "tool_results",
                        format!(r#"{{"tool_results":[{}]}}"#, results.join(",")),
                    ));
                }
                Extra::ToolInput { id, kind, delta } if ui => {
                    if !begun.contains(&id.as_str()) {
                        begun.push(id);
                        events.push(part(
                            json!({"type": "tool-input-start", "toolCallId": id, "toolName": kind}),
                        ));
                    }
                    events.push(part(
                        json!({"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": delta}),
                    ));
                }
                Extra::ToolInput { id, kind, delta } => {
                    let input = json!({"id": id, "type": kind, "delta": delta});
                    events.push(event("tool_input", input.to_string()));
                }
            }
        }
        let listed = |actions: String| event("actions", format!(r#"{{"actions":[{actions}]}}"#));
        let at_once = self.actions_per_event.unwrap_or(usize::MAX);
        events.extend(self.actions.chunks(at_once).map(|actions| listed(actions.join(","))));
        if !again.is_empty() {
            events.push(listed(again.join(",")));
        }
        if ends {
            events.push(event("message", format!(r#"{{"message":{}}}"#, self.message)));
            if ui {
                events.push(part(json!({"type": "finish"})));
                events.push(Event::unnamed("[DONE]").into());
            } else {
                events.push(event("done", "{}".to_owned()));
            }
        }
        events
    }

    /// `SendMessageResponse`. Written as text, since an action may be broken on purpose.
    fn document(&self, ends: bool, again: &[&str]) -> String {
        let message = if ends { format!(r#""message":{},"#, self.message) } else { String::new() };
        let title = self.title.as_ref().map(|title| format!(r#""title":{},"#, Value::from(title.as_str())));
        let actions: Vec<&str> =
            self.actions.iter().map(String::as_str).chain(again.iter().copied()).collect();
        let results: Vec<&str> = self
            .events
            .iter()
            .filter_map(|extra| match extra {
                Extra::ToolResults(results) => Some(results),
                _ => None,
            })
            .flatten()
            .map(String::as_str)
            .collect();
        let results = if results.is_empty() {
            String::new()
        } else {
            format!(r#""tool_results":[{}],"#, results.join(","))
        };
        format!(r#"{{{message}{}{results}"actions":[{}]}}"#, title.unwrap_or_default(), actions.join(","))
    }
}

fn actions_in(event: &Event) -> Vec<Value> {
    let data = match event {
        Event::Named { data, .. } => String::from_utf8_lossy(data).into_owned(),
        Event::Raw(bytes) => String::from_utf8_lossy(bytes)
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    let data: Value = serde_json::from_str(&data).unwrap_or_default();
    match data.get("actions").or_else(|| data.pointer("/data/actions")) {
        Some(Value::Array(actions)) => actions.clone(),
        _ => Vec::new(),
    }
}

/// Whether a fault applies to an answer with these events. Shapes and statuses are decided elsewhere.
pub(crate) fn has_place(kind: &Kind, events: &[Timed]) -> bool {
    match kind {
        Kind::Cut(at) | Kind::Stall(at) => match at {
            At::BeforeHeaders => true,
            At::AfterEvent(event) | At::InsideEvent(event) => *event <= events.len(),
            At::AfterBytes(bytes) => {
                let mut writer = Writer::default();
                *bytes <= events.iter().map(|timed| writer.write(&timed.event).len()).sum()
            }
        },
        Kind::Garbage { after_event, .. }
        | Kind::GarbageJson { after_event }
        | Kind::InvalidUtf8 { after_event }
        | Kind::Huge { after_event, .. } => *after_event <= events.len(),
        Kind::LineEnds(_) | Kind::TinyChunks { .. } => true,
        Kind::Status { .. } | Kind::RepeatActions { .. } | Kind::NoMessage => false,
    }
}

/// The body of an answer, and what happens before its headers.
pub(crate) fn pieces(events: &[Timed], dialect: Dialect, faults: &[Kind]) -> (Option<Piece>, Vec<Piece>) {
    let mut writer = Writer::new(
        faults
            .iter()
            .find_map(|kind| match kind {
                Kind::LineEnds(ends) => Some(*ends),
                _ => None,
            })
            .unwrap_or(LineEnds::Lf),
    );
    let mut body = Body::default();
    body.insert(0, dialect, faults, &mut writer);
    for (at, timed) in events.iter().enumerate() {
        if timed.pause_ms > 0 {
            body.marks.push((body.bytes.len(), Piece::Pause(Duration::from_millis(timed.pause_ms))));
        }
        let start = body.bytes.len();
        body.append(&writer.write(&timed.event));
        let end = body.bytes.len();
        body.interrupt(At::AfterEvent(at + 1), end, faults);
        body.interrupt(At::InsideEvent(at + 1), start + (end - start) / 2, faults);
        body.insert(at + 1, dialect, faults, &mut writer);
    }
    for kind in faults {
        if let Kind::Cut(At::AfterBytes(bytes)) | Kind::Stall(At::AfterBytes(bytes)) = kind {
            body.marks.extend(interruption(kind).map(|piece| (*bytes, piece)));
        }
    }
    let size = faults.iter().find_map(|kind| match kind {
        Kind::TinyChunks { size } => Some(*size),
        _ => None,
    });
    let before = faults
        .iter()
        .find(|kind| matches!(kind, Kind::Cut(At::BeforeHeaders) | Kind::Stall(At::BeforeHeaders)));
    (before.and_then(interruption), body.cut_up(size))
}

fn interruption(kind: &Kind) -> Option<Piece> {
    match kind {
        Kind::Cut(_) => Some(Piece::Cut),
        Kind::Stall(_) => Some(Piece::Stall),
        _ => None,
    }
}

/// A body under construction: the bytes, where chunks end, and what happens at which offset.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    marks: Vec<(usize, Piece)>,
}

impl Body {
    fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    fn interrupt(&mut self, here: At, offset: usize, faults: &[Kind]) {
        for kind in faults {
            if matches!(kind, Kind::Cut(at) | Kind::Stall(at) if *at == here) {
                self.marks.extend(interruption(kind).map(|piece| (offset, piece)));
            }
        }
    }

    /// Inserts what comes after the event with this number and belongs to none.
    fn insert(&mut self, after: usize, dialect: Dialect, faults: &[Kind], writer: &mut Writer) {
        if after == 0 {
            self.interrupt(At::AfterEvent(0), 0, faults);
        }
        let ui = dialect == Dialect::UiMessageStream;
        for kind in faults {
            let event = match kind {
                Kind::Garbage { after_event, text } if *after_event == after => {
                    Event::Raw(text.clone().into_bytes())
                }
                Kind::GarbageJson { after_event } if *after_event == after => {
                    if ui {
                        Event::unnamed(r#"{"type":"data-actions","data":{"actions":[{"id":"#)
                    } else {
                        Event::named("actions", r#"{"actions":[{"id":"#)
                    }
                }
                Kind::InvalidUtf8 { after_event } if *after_event == after => {
                    if ui {
                        Event::unnamed(
                            *b"{\"type\":\"text-delta\",\"id\":\"text\",\"delta\":\"\xff\xfe\xc3(\"}",
                        )
                    } else {
                        Event::named("text_delta", *b"{\"delta\":\"\xff\xfe\xc3(\"}")
                    }
                }
                Kind::Huge { after_event, bytes } if *after_event == after => {
                    let progress = json!({"tool": "huge", "status": "running", "label": "x".repeat(*bytes)});
                    if ui {
                        Event::unnamed(json!({"type": "data-tool_progress", "data": progress}).to_string())
                    } else {
                        Event::named("tool_progress", progress.to_string())
                    }
                }
                _ => continue,
            };
            let bytes = writer.write(&event);
            self.append(&bytes);
        }
    }

    fn cut_up(mut self, tiny: Option<Option<usize>>) -> Vec<Piece> {
        if let Some(size) = tiny {
            let mut sizes = (1..=7).cycle();
            let mut end = 0;
            while end < self.bytes.len() {
                end += size.or_else(|| sizes.next()).unwrap_or(1);
                self.ends.push(end.min(self.bytes.len()));
            }
        }
        self.marks.sort_by_key(|(offset, _)| *offset);
        self.ends.extend(self.marks.iter().map(|(offset, _)| (*offset).min(self.bytes.len())));
        self.ends.sort_unstable();
        self.ends.dedup();

        let mut pieces = Vec::new();
        let mut marks = self.marks.into_iter().peekable();
        let mut start = 0;
        for end in std::iter::once(0).chain(self.ends) {
            if let Some(bytes) = self.bytes.get(start..end).filter(|bytes| !bytes.is_empty()) {
                pieces.push(Piece::Bytes(bytes.to_vec()));
            }
            start = end;
            while let Some((_, mark)) = marks.next_if(|(offset, _)| *offset <= end) {
                let cut = mark == Piece::Cut;
                pieces.push(mark);
                if cut {
                    return pieces;
                }
            }
        }
        pieces
    }
}
