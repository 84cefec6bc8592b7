//! Chat completions: the request, and the answer as `chat.completion.chunk`s or as one `chat.completion`.
//!
//! Servers differ in what they stream of a call. OpenAI: `index` on every fragment, `id` and `name` on the first. Ollama: whole
//! calls, `index` 0 on all of them or absent, sometimes no `id`, arguments as an object in older versions. A fragment therefore
//! continues a call only if nothing says that it begins another.

use super::completion::{Block, Completion, Delta, Finish, StreamError, reported};
use super::history::{self, Entry, Tool};
use super::model::Ask;
use serde_json::{Map, Value, json};

/// OpenAI takes no more.
const MAX_TOOLS: usize = 128;
const MAX_DESCRIPTION: usize = 1024;

/// The body of a request.
pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut messages = vec![json!({"role": "system", "content": ask.system})];
    for entry in ask.entries {
        match entry {
            Entry::User(text) => messages.push(json!({"role": "user", "content": text})),
            Entry::Assistant(blocks) => messages.extend(turn(blocks)),
        }
    }
    let mut body = json!({"model": ask.model, "stream": true, "messages": messages});
    if let Some(body) = body.as_object_mut() {
        // Reasoning models of OpenAI refuse the older name; other servers know only that.
        let bound = if ask.is_openai { "max_completion_tokens" } else { "max_tokens" };
        body.insert(bound.to_owned(), ask.tokens.into());
        if !ask.tools.is_empty() {
            body.insert("tools".to_owned(), ask.tools.iter().take(MAX_TOOLS).map(tool).collect());
        }
    }
    body
}

fn tool(tool: &Tool) -> Value {
    let description: String = tool.description.chars().take(MAX_DESCRIPTION).collect();
    json!({"type": "function", "function": {"name": tool.name, "description": description, "parameters": tool.schema}})
}

/// A turn of the model, and a message for the result of each call in it.
fn turn(blocks: &[history::Block]) -> Vec<Value> {
    let text: String = blocks
        .iter()
        .filter_map(|block| match block {
            history::Block::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let calls: Vec<&history::Call> = history::calls(blocks).collect();
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), if text.is_empty() { Value::Null } else { json!(text) });
    if !calls.is_empty() {
        let written = calls.iter().map(|call| {
            json!({"id": call.id, "type": "function",
                   "function": {"name": call.sent, "arguments": call.input.to_string()}})
        });
        message.insert("tool_calls".to_owned(), written.collect());
    }
    let mut messages = vec![Value::Object(message)];
    messages.extend(
        calls
            .iter()
            .map(|call| json!({"role": "tool", "tool_call_id": call.id, "content": call.outcome().text})),
    );
    messages
}

/// Reads chunks.
#[derive(Debug, Default)]
pub(super) struct Reader {
    text: String,
    refusal: String,
    calls: Vec<Fragments>,
    finish: Option<String>,
    done: bool,
}

/// A call as far as it came.
#[derive(Debug, Default)]
struct Fragments {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Reader {
    pub(super) fn event(&mut self, data: &str, deltas: &mut Vec<Delta>) -> Result<(), StreamError> {
        let data = data.trim();
        if data.is_empty() || self.done {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|_| StreamError::Malformed("a chunk is not JSON".to_owned()))?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(()) };
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.delta(delta, deltas);
        }
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(finish.to_owned());
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Value, deltas: &mut Vec<Delta>) {
        let text = delta.get("content").map(text_of).unwrap_or_default();
        let refusal = delta.get("refusal").and_then(Value::as_str).unwrap_or_default();
        for (piece, whole) in [(text.as_str(), &mut self.text), (refusal, &mut self.refusal)] {
            if !piece.is_empty() {
                whole.push_str(piece);
                deltas.push(Delta::Text(piece.to_owned()));
            }
        }
        if let Some(Value::Array(fragments)) = delta.get("tool_calls") {
            for fragment in fragments {
                self.fragment(fragment, deltas);
            }
        }
    }

    fn fragment(&mut self, fragment: &Value, deltas: &mut Vec<Delta>) {
        let text = |at: &str| fragment.pointer(at).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (id, name) = (text("/id"), text("/function/name"));
        let index = fragment.get("index").and_then(Value::as_u64);
        let arguments = match fragment.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(object @ Value::Object(_)) => object.to_string(),
            _ => String::new(),
        };
        let call = match self.continued(index, id, name) {
            Some(call) => call,
            None => {
                self.calls.push(Fragments { index, ..Fragments::default() });
                self.calls.len() - 1
            }
        };
        let Some(known) = self.calls.get_mut(call) else { return };
        if known.id.is_none() {
            known.id = id.map(str::to_owned);
        }
        if let Some(name) = name
            && known.name.is_empty()
        {
            known.name = name.to_owned();
            deltas.push(Delta::CallStart { call, name: name.to_owned() });
        }
        if !arguments.is_empty() {
            known.arguments.push_str(&arguments);
            deltas.push(Delta::CallInput { call, delta: arguments });
        }
    }

    /// The call that a fragment continues; none if it begins another.
    fn continued(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let known = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        }?;
        let call = self.calls.get(known)?;
        let another = match (id, &call.id) {
            (Some(id), Some(known)) => id != known,
            // Without ids a name after whole arguments, or without an index after another name, begins a call.
            _ => {
                name.is_some()
                    && !call.name.is_empty()
                    && (index.is_none() || serde_json::from_str::<Value>(&call.arguments).is_ok())
            }
        };
        (!another).then_some(known)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.done
    }

    pub(super) fn finish(self) -> Result<Completion, StreamError> {
        // `[DONE]` may be missing after the reason, and the reason before `[DONE]`. Without both it broke off.
        let finish = match (self.finish.as_deref(), self.done) {
            (None, false) => return Err(StreamError::Broken),
            (Some("length"), _) => Finish::Length,
            (Some("content_filter"), _) => Finish::Refused,
            _ => Finish::Stop,
        };
        let mut blocks = Vec::new();
        if !self.text.is_empty() {
            blocks.push(Block::Text(self.text));
        }
        // The model's words in place of an answer: nothing beside them is done.
        if !self.refusal.is_empty() {
            blocks.push(Block::Text(self.refusal));
            return Ok(Completion { blocks, finish });
        }
        blocks.extend(self.calls.into_iter().map(|call| Block::Call {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
            whole: finish == Finish::Stop,
        }));
        Ok(Completion { blocks, finish })
    }
}

/// `content`: a text, or a list of parts with texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// The answer of a server that does not stream: the message is a delta that has everything.
pub(super) fn document(document: &Value) -> Result<Completion, StreamError> {
    if let Some(error) = document.get("error").filter(|error| !error.is_null()) {
        return Err(reported(error));
    }
    if document.pointer("/choices/0/message").is_none() {
        return Err(StreamError::Malformed("there is no `choices[0].message`".to_owned()));
    }
    let mut reader = Reader::default();
    reader.event(&document.to_string(), &mut Vec::new())?;
    reader.done = true;
    reader.finish()
}
