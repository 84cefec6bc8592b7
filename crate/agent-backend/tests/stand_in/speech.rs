//! Turns of a model in the formats of the APIs.

use serde_json::{Value, json};

/// What a model says in one turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    pub(crate) text: String,
    /// Id, name and arguments of each call; the arguments are streamed as this text.
    pub(crate) calls: Vec<(String, String, String)>,
    /// The reason in the API's own words; what follows from the turn if empty.
    pub(crate) finish: String,
}

impl Turn {
    pub(crate) fn said(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(crate) fn call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls.push((id.to_owned(), name.to_owned(), arguments.to_owned()));
        self
    }

    pub(crate) fn finish(mut self, finish: &str) -> Self {
        self.finish = finish.to_owned();
        self
    }

    fn finish_or<'a>(&'a self, calls: &'a str, none: &'a str) -> &'a str {
        match (self.finish.as_str(), self.calls.is_empty()) {
            ("", false) => calls,
            ("", true) => none,
            (finish, _) => finish,
        }
    }
}

/// Pieces of a text, cut within words and arguments.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
    let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [choice]});
    format!("data: {chunk}\n\n")
}

/// `chat.completion.chunk`s: the id and name of a call on its first fragment only, the index on each.
pub(crate) fn openai(turn: &Turn) -> Vec<u8> {
    let mut out = chunk(&json!({"role": "assistant", "content": ""}), None);
    for piece in pieces(&turn.text, 5) {
        out.push_str(&chunk(&json!({"content": piece}), None));
    }
    for (index, (id, name, arguments)) in turn.calls.iter().enumerate() {
        let first = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        out.push_str(&chunk(&json!({"tool_calls": [first]}), None));
        for piece in pieces(arguments, 4) {
            let next = json!({"index": index, "function": {"arguments": piece}});
            out.push_str(&chunk(&json!({"tool_calls": [next]}), None));
        }
    }
    out.push_str(&chunk(&json!({}), Some(turn.finish_or("tool_calls", "stop"))));
    out.push_str(
        "data: {\"id\":\"chatcmpl-1\",\"choices\":[],\"usage\":{\"total_tokens\":9}}\n\ndata: [DONE]\n\n",
    );
    out.into_bytes()
}

pub(crate) fn openai_document(turn: &Turn) -> Value {
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|(id, name, arguments)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}))
        .collect();
    let mut message = json!({"role": "assistant", "content": turn.text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({"id": "chatcmpl-1", "object": "chat.completion", "choices": [
        {"index": 0, "message": message, "finish_reason": turn.finish_or("tool_calls", "stop")}]})
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

/// Events of messages: blocks with an index, arguments as `input_json_delta`, a ping in between.
pub(crate) fn anthropic(turn: &Turn) -> Vec<u8> {
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m",
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
    let mut out = event(&json!({"type": "message_start", "message": message}));
    out.push_str(&event(&json!({"type": "ping"})));
    let mut index = 0;
    let mut block = |out: &mut String, start: Value, deltas: Vec<Value>| {
        out.push_str(&event(&json!({"type": "content_block_start", "index": index, "content_block": start})));
        for delta in deltas {
            out.push_str(&event(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        out.push_str(&event(&json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    if !turn.text.is_empty() {
        let deltas =
            pieces(&turn.text, 5).into_iter().map(|text| json!({"type": "text_delta", "text": text}));
        block(&mut out, json!({"type": "text", "text": ""}), deltas.collect());
    }
    for (id, name, arguments) in &turn.calls {
        let deltas = [String::new()]
            .into_iter()
            .chain(pieces(arguments, 4))
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        block(&mut out, json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas.collect());
    }
    let stop = json!({"stop_reason": turn.finish_or("tool_use", "end_turn"), "stop_sequence": null});
    out.push_str(&event(&json!({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}})));
    out.push_str(&event(&json!({"type": "message_stop"})));
    out.into_bytes()
}

pub(crate) fn anthropic_document(turn: &Turn) -> Value {
    let mut content = Vec::new();
    if !turn.text.is_empty() {
        content.push(json!({"type": "text", "text": turn.text}));
    }
    content.extend(turn.calls.iter().map(|(id, name, arguments)| {
        json!({"type": "tool_use", "id": id, "name": name, "input": serde_json::from_str::<Value>(arguments).unwrap()})
    }));
    json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content,
        "stop_reason": turn.finish_or("tool_use", "end_turn")})
}
