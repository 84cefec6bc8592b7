//! Anthropic's messages: the request, and the answer as events or as one message.
//!
//! Roles alternate: results of calls and the words that follow them are one message of the user, results first. Every
//! `tool_use` has its `tool_result` there.

use super::completion::{Block, Completion, Delta, Finish, StreamError, reported};
use super::history::{self, Entry, Tool};
use super::model::Ask;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The version of the API that this module speaks.
pub(super) const VERSION: &str = "2023-06-01";

/// The body of a request.
pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut messages = Messages::default();
    let mut called: Vec<&str> = Vec::new();
    for entry in ask.entries {
        match entry {
            Entry::User(text) => messages.push("user", text_block(text)),
            Entry::Assistant(blocks) => {
                blocks.iter().for_each(|block| messages.push("assistant", assistant(block)));
                for call in history::calls(blocks) {
                    messages.push("user", Some(result(call)));
                    called.push(&call.sent);
                }
            }
        }
    }
    let mut tools: Vec<Value> = ask.tools.iter().map(tool).collect();
    // A history with calls needs a list of tools, also when all of them were switched off.
    if tools.is_empty()
        && let Some(name) = called.last()
    {
        let gone = "This tool is switched off now. Do not call it.".to_owned();
        let schema = json!({"type": "object", "properties": {}});
        tools.push(tool(&Tool { name: (*name).to_owned(), description: gone, schema }));
    }
    let mut body = json!({"model": ask.model, "max_tokens": ask.tokens, "stream": true,
        "system": ask.system, "messages": messages.list});
    if let (Some(body), false) = (body.as_object_mut(), tools.is_empty()) {
        body.insert("tools".to_owned(), tools.into());
    }
    body
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema})
}

/// Messages whose roles alternate.
#[derive(Default)]
struct Messages {
    list: Vec<Value>,
}

impl Messages {
    fn push(&mut self, role: &str, block: Option<Value>) {
        let Some(block) = block else { return };
        let last = self.list.last_mut().filter(|last| last.get("role").and_then(Value::as_str) == Some(role));
        match last.and_then(|last| last.get_mut("content")).and_then(Value::as_array_mut) {
            Some(content) => content.push(block),
            None => self.list.push(json!({"role": role, "content": [block]})),
        }
    }
}

/// A text without anything to read is refused.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn assistant(block: &history::Block) -> Option<Value> {
    match block {
        history::Block::Text(text) => text_block(text),
        history::Block::Opaque(value) => Some(value.clone()),
        history::Block::Call(call) => {
            Some(json!({"type": "tool_use", "id": call.id, "name": call.sent, "input": call.input}))
        }
    }
}

fn result(call: &history::Call) -> Value {
    let outcome = call.outcome();
    json!({"type": "tool_result", "tool_use_id": call.id, "content": outcome.text, "is_error": outcome.is_error})
}

/// Reads events.
#[derive(Debug, Default)]
pub(super) struct Reader {
    blocks: BTreeMap<u64, Building>,
    calls: usize,
    stop: Option<String>,
    done: bool,
}

/// A block as far as it came.
#[derive(Debug)]
struct Building {
    kind: Kind,
    stopped: bool,
}

#[derive(Debug)]
enum Kind {
    Text(String),
    Call {
        call: usize,
        id: Option<String>,
        name: String,
        arguments: String,
        input: Value,
    },
    /// The block as it began; what its deltas say is added to it.
    Opaque(Value),
}

impl Reader {
    pub(super) fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), StreamError> {
        if data.trim().is_empty() || self.done {
            return Ok(());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|_| StreamError::Malformed("an event is not JSON".to_owned()))?;
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "content_block_start" => {
                let kind = self.begun(event.get("content_block").unwrap_or(&Value::Null), deltas);
                self.blocks.insert(index, Building { kind, stopped: false });
            }
            "content_block_delta" => {
                if let (Some(block), Some(delta)) = (self.blocks.get_mut(&index), event.get("delta")) {
                    grow(&mut block.kind, delta, deltas);
                }
            }
            "content_block_stop" => {
                if let Some(block) = self.blocks.get_mut(&index) {
                    block.stopped = true;
                }
            }
            "message_delta" => {
                if let Some(stop) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.stop = Some(stop.to_owned());
                }
            }
            "message_stop" => self.done = true,
            "error" => return Err(reported(event.get("error").unwrap_or(&Value::Null))),
            // `message_start`, `ping`, and what later versions add.
            _ => {}
        }
        Ok(())
    }

    fn begun(&mut self, block: &Value, deltas: &mut Vec<Delta>) -> Kind {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match text("type").as_str() {
            "text" => {
                let text = text("text");
                if !text.is_empty() {
                    deltas.push(Delta::Text(text.clone()));
                }
                Kind::Text(text)
            }
            "tool_use" => {
                let (call, name) = (self.calls, text("name"));
                self.calls += 1;
                deltas.push(Delta::CallStart { call, name: name.clone() });
                let id = Some(text("id")).filter(|id| !id.is_empty());
                let input = block.get("input").cloned().unwrap_or_default();
                Kind::Call { call, id, name, arguments: String::new(), input }
            }
            _ => Kind::Opaque(block.clone()),
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.done
    }

    pub(super) fn finish(self) -> Result<Completion, StreamError> {
        let finish = match self.stop.as_deref() {
            None => return Err(StreamError::Broken),
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("refusal") => Finish::Refused,
            Some(_) => Finish::Stop,
        };
        let blocks = self.blocks.into_values().filter_map(|Building { kind, stopped }| match kind {
            Kind::Text(text) => (!text.is_empty()).then_some(Block::Text(text)),
            Kind::Call { id, name, arguments, input, .. } => {
                let arguments =
                    if arguments.is_empty() && input.is_object() { input.to_string() } else { arguments };
                Some(Block::Call { id, name, arguments, whole: stopped && finish == Finish::Stop })
            }
            Kind::Opaque(value) => stopped.then_some(Block::Opaque(value)),
        });
        Ok(Completion { blocks: blocks.collect(), finish })
    }
}

fn grow(kind: &mut Kind, delta: &Value, deltas: &mut Vec<Delta>) {
    let piece = |key: &str| delta.get(key).and_then(Value::as_str).filter(|piece| !piece.is_empty());
    match kind {
        Kind::Text(text) => {
            if let Some(piece) = piece("text") {
                text.push_str(piece);
                deltas.push(Delta::Text(piece.to_owned()));
            }
        }
        Kind::Call { call, arguments, .. } => {
            if let Some(piece) = piece("partial_json") {
                arguments.push_str(piece);
                deltas.push(Delta::CallInput { call: *call, delta: piece.to_owned() });
            }
        }
        Kind::Opaque(Value::Object(block)) => {
            for key in ["thinking", "signature"] {
                if let Some(piece) = piece(key) {
                    let before = block.get(key).and_then(Value::as_str).unwrap_or_default();
                    block.insert(key.to_owned(), format!("{before}{piece}").into());
                }
            }
        }
        Kind::Opaque(_) => {}
    }
}

/// The answer of a server that does not stream.
pub(super) fn document(document: &Value) -> Result<Completion, StreamError> {
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(reported(error));
    }
    let Some(Value::Array(content)) = document.get("content") else {
        return Err(StreamError::Malformed("there is no `content`".to_owned()));
    };
    let mut reader = Reader::default();
    for (index, block) in (0..).zip(content) {
        let kind = reader.begun(block, &mut Vec::new());
        reader.blocks.insert(index, Building { kind, stopped: true });
    }
    let stop = document.get("stop_reason").and_then(Value::as_str).unwrap_or("end_turn");
    reader.stop = Some(stop.to_owned());
    reader.finish()
}
