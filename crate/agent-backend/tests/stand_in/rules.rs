//! What the real servers refuse.

use super::KEY;
use agent_backend::llm::Api;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

type Checked = Result<(), (u16, String)>;

fn wrong<T>(reason: impl Into<String>) -> Result<T, (u16, String)> {
    Err((400, reason.into()))
}

pub(super) fn check(api: Api, headers: &[(String, String)], body: &Value) -> Checked {
    let header = |name: &str| headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str());
    if header("content-type") != Some("application/json") {
        return wrong("content-type must be application/json");
    }
    let Value::Object(body) = body else { return wrong("the body must be an object") };
    if body.get("stream") != Some(&Value::Bool(true)) {
        return wrong("stream: must be true");
    }
    if body.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        return wrong("model: field required");
    }
    match api {
        Api::OpenAi => {
            if header("authorization") != Some(&format!("Bearer {KEY}")) {
                return Err((401, format!("Incorrect API key provided: {KEY}")));
            }
            openai(body)
        }
        Api::Anthropic => {
            if header("x-api-key") != Some(KEY) {
                return Err((401, format!("invalid x-api-key {KEY}")));
            }
            if header("anthropic-version") != Some("2023-06-01") {
                return wrong("anthropic-version: header is required");
            }
            anthropic(body)
        }
    }
}

fn known(body: &Map<String, Value>, keys: &[&str]) -> Checked {
    match body.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => wrong(format!("Unrecognized request argument supplied: {key}")),
        None => Ok(()),
    }
}

fn is_name(name: &Value) -> bool {
    name.as_str().is_some_and(|name| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    })
}

fn schema(schema: &Value) -> Checked {
    if schema["type"] != "object" || !schema["properties"].is_object() {
        return wrong("schema must be a JSON Schema of 'type: \"object\"' with properties");
    }
    match ["oneOf", "anyOf", "allOf", "enum", "not", "$schema"].iter().find(|key| schema.get(**key).is_some())
    {
        Some(key) => wrong(format!("schema must not have '{key}' at the top level")),
        None => Ok(()),
    }
}

fn count(body: &Map<String, Value>, key: &str) -> Checked {
    match body.get(key).and_then(Value::as_u64) {
        Some(1..) => Ok(()),
        _ => wrong(format!("{key}: field required")),
    }
}

fn openai(body: &Map<String, Value>) -> Checked {
    known(body, &["model", "stream", "messages", "max_tokens", "tools"])?;
    count(body, "max_tokens")?;
    if let Some(tools) = body.get("tools") {
        let tools = tools.as_array().filter(|tools| (1..=128).contains(&tools.len()));
        let Some(tools) = tools else { return wrong("tools: must have 1 to 128 elements") };
        let mut names = BTreeSet::new();
        for tool in tools {
            let function = &tool["function"];
            if tool["type"] != "function" || !is_name(&function["name"]) {
                return wrong("tools.function.name: must match ^[a-zA-Z0-9_-]{1,64}$");
            }
            if !names.insert(function["name"].as_str()) {
                return wrong("tools: names must be unique");
            }
            if function["description"].as_str().is_none_or(|text| text.chars().count() > 1024) {
                return wrong("tools.function.description: at most 1024 characters");
            }
            schema(&function["parameters"])?;
        }
    }
    let Some(messages) = body.get("messages").and_then(Value::as_array) else {
        return wrong("messages: field required");
    };
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !missing.is_empty() {
            return wrong(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
            );
        }
        match role {
            "system" if at == 0 => text(&message["content"])?,
            "user" => text(&message["content"])?,
            "assistant" => {
                let calls =
                    message.get("tool_calls").map(|calls| calls.as_array().cloned().unwrap_or_default());
                match (&message["content"], &calls) {
                    (Value::String(_), _) | (Value::Null, Some(_)) => {}
                    _ => return wrong("assistant.content: must be a string unless tool_calls is given"),
                }
                if calls.as_ref().is_some_and(Vec::is_empty) {
                    return wrong("tool_calls: must not be empty");
                }
                for call in calls.unwrap_or_default() {
                    let id = call["id"].as_str().unwrap_or_default().to_owned();
                    if id.is_empty() || call["type"] != "function" || !is_name(&call["function"]["name"]) {
                        return wrong("tool_calls: id, type and a valid name are required");
                    }
                    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                    if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                        return wrong("tool_calls.function.arguments: must be a JSON object as text");
                    }
                    if !seen.insert(id.clone()) {
                        return wrong("tool_calls.id: must be unique");
                    }
                    missing.insert(id);
                }
            }
            "tool" => {
                text(&message["content"])?;
                if !missing.remove(message["tool_call_id"].as_str().unwrap_or_default()) {
                    return wrong(
                        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                    );
                }
            }
            _ => return wrong(format!("messages[{at}].role: {role}")),
        }
    }
    match (messages.last().map(|last| &last["role"]), missing.is_empty()) {
        (_, false) => wrong("tool_call_ids did not have response messages"),
        (Some(role), true) if role == "user" || role == "tool" => Ok(()),
        _ => wrong("messages: the last must be of the user or a tool"),
    }
}

fn text(content: &Value) -> Checked {
    if content.is_string() { Ok(()) } else { wrong("content: must be a string") }
}

fn anthropic(body: &Map<String, Value>) -> Checked {
    known(body, &["model", "stream", "messages", "max_tokens", "tools", "system"])?;
    count(body, "max_tokens")?;
    if body.get("system").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
        return wrong("system: must be text");
    }
    let tools = body.get("tools").and_then(Value::as_array);
    let mut names = BTreeSet::new();
    for tool in tools.into_iter().flatten() {
        if !is_name(&tool["name"]) || !names.insert(tool["name"].as_str()) {
            return wrong("tools.name: must be unique and match ^[a-zA-Z0-9_-]{1,64}$");
        }
        schema(&tool["input_schema"])?;
    }
    let Some(messages) = body.get("messages").and_then(Value::as_array) else {
        return wrong("messages: field required");
    };
    let mut called: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut uses_tools = false;
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != role {
            return wrong(
                "messages: roles must alternate between \"user\" and \"assistant\", starting with \"user\"",
            );
        }
        let Some(content) = message["content"].as_array().filter(|content| !content.is_empty()) else {
            return wrong("messages.content: must be a list with a block");
        };
        let mut results = Vec::new();
        let mut calls = Vec::new();
        let mut others = false;
        for block in content {
            match (role, block["type"].as_str().unwrap_or_default()) {
                (_, "text") => {
                    others = true;
                    if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
                        return wrong("messages: text content blocks must contain non-whitespace text");
                    }
                }
                ("user", "tool_result") if others => {
                    return wrong("messages: tool_result blocks must come before any text");
                }
                ("user", "tool_result") => {
                    text(&block["content"])?;
                    results.push(block["tool_use_id"].as_str().unwrap_or_default().to_owned());
                }
                ("assistant", "tool_use") => {
                    let id = block["id"].as_str().unwrap_or_default().to_owned();
                    let valid =
                        id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
                    if id.is_empty() || !valid || !is_name(&block["name"]) || !block["input"].is_object() {
                        return wrong("messages: tool_use needs a valid id, name and input");
                    }
                    if !seen.insert(id.clone()) {
                        return wrong("messages: `tool_use` ids must be unique");
                    }
                    calls.push(id);
                }
                ("assistant", "thinking") if block["signature"].is_string() => {}
                (role, kind) => return wrong(format!("messages: a {role} message cannot have a {kind}")),
            }
        }
        uses_tools |= !calls.is_empty();
        let same = results.iter().collect::<BTreeSet<_>>() == called.iter().collect::<BTreeSet<_>>();
        if role == "user" && (!same || results.len() != called.len()) {
            return wrong(
                "`tool_use` ids were found without `tool_result` blocks immediately after, or the reverse",
            );
        }
        called = calls;
    }
    if messages.len() % 2 == 0 || !called.is_empty() {
        return wrong("messages: the last must be of the user");
    }
    match uses_tools && names.is_empty() {
        true => wrong("Requests which include `tool_use` or `tool_result` blocks must define tools"),
        false => Ok(()),
    }
}
