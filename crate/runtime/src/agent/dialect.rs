//! What a backend's answer says, whichever way it says it.
//!
//! Three ways to say the same: events by name (`event: text_delta`, `data: {"delta": …}`); events by the `type` in
//! their JSON and no name ("UI message stream": `text-delta`, `data-actions`, `finish`); one JSON body.

use serde_json::{Map, Value};

/// One thing an answer says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// More text.
    Text(String),
    /// The text so far is void; this stands in its place.
    Replace(String),
    /// A title for the conversation.
    Title(String),
    /// Elements of `actions`, each still to be read by itself.
    Actions(Vec<Value>),
    /// The old response field `transactions` (`MpcTransaction[]`).
    Transactions(Vec<Value>),
    /// The complete message; ends an answer.
    Message(Option<String>),
    /// The backend's own error, in its words.
    Error(String),
    /// The end.
    Done,
}

/// Reads one event. Garbage and events that do not concern us say nothing.
pub fn event(name: &str, data: &str) -> Option<Said> {
    let Ok(value) = serde_json::from_str::<Value>(data) else {
        return None;
    };
    match (name, value.get("type").and_then(Value::as_str)) {
        ("message", Some(kind)) => typed(kind, &value),
        _ => named(name, &value),
    }
}

/// Reads a whole answer in one JSON body; `None` if it is not an object.
pub fn body(text: &str) -> Option<Vec<Said>> {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(text) else {
        return None;
    };
    let object = Value::Object(fields);
    let order = ["title", "actions", "transactions", "error", "message"];
    let said = order.iter().filter(|name| object.get(**name).is_some_and(|value| !value.is_null()));
    Some(said.filter_map(|name| named(name, &object)).collect())
}

fn named(name: &str, value: &Value) -> Option<Said> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(match name {
        "text_delta" => Said::Text(text("delta")?),
        "title" => Said::Title(text("title")?),
        "actions" => Said::Actions(array(value, "actions")?),
        "transactions" => Said::Transactions(array(value, "transactions")?),
        "message" => Said::Message(content(value.get("message").unwrap_or(value))),
        "error" => Said::Error(
            text("error").or_else(|| text("errorText")).unwrap_or_else(|| "no reason given".into()),
        ),
        "done" => Said::Done,
        _ => return None,
    })
}

fn typed(kind: &str, value: &Value) -> Option<Said> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    match kind {
        "text-delta" => text("delta").map(Said::Text),
        "text-replace" => text("text").map(Said::Replace),
        "finish" => Some(Said::Done),
        "error" => named("error", value),
        _ => named(kind.strip_prefix("data-")?, value.get("data").unwrap_or(&Value::Object(Map::new()))),
    }
}

/// The array under a name, or the value itself where it is the array.
fn array(value: &Value, name: &str) -> Option<Vec<Value>> {
    value.get(name).unwrap_or(value).as_array().cloned()
}

fn content(message: &Value) -> Option<String> {
    message.get("content").unwrap_or(message).as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// T000-1: actions are taken from `actions` in either dialect and from a plain body; text that merely looks
    /// like an action is text.
    #[test]
    fn three_ways_to_say_the_same() {
        let actions = json!([{"id": "1", "type": "t"}]);
        let named_event = event("actions", &json!({"actions": actions}).to_string());
        let typed_event =
            event("message", &json!({"type": "data-actions", "data": {"actions": actions}}).to_string());
        let bare_event = event("message", &json!({"type": "data-actions", "data": actions}).to_string());
        let expected = Some(Said::Actions(vec![json!({"id": "1", "type": "t"})]));
        assert_eq!((&named_event, &typed_event, &bare_event), (&expected, &expected, &expected));
        assert_eq!(
            body(&json!({"message": {"content": "hi"}, "actions": actions, "title": "T"}).to_string()),
            Some(vec![
                Said::Title("T".into()),
                Said::Actions(vec![json!({"id": "1", "type": "t"})]),
                Said::Message(Some("hi".into()))
            ])
        );
        let text = json!({"delta": "{\"actions\":[{\"id\":\"9\",\"type\":\"add_chain\"}]}"}).to_string();
        assert!(matches!(event("text_delta", &text), Some(Said::Text(_))));
        assert_eq!(event("tool_progress", &json!({"actions": actions}).to_string()), None);
    }

    #[test]
    fn every_event_that_concerns_us() {
        let cases = [
            ("text_delta", json!({"delta": "a"}), Some(Said::Text("a".into()))),
            ("title", json!({"title": "T"}), Some(Said::Title("T".into()))),
            (
                "transactions",
                json!([{"sequence": 0}]),
                Some(Said::Transactions(vec![json!({"sequence": 0})])),
            ),
            (
                "message",
                json!({"message": {"role": "assistant", "content": "c"}}),
                Some(Said::Message(Some("c".into()))),
            ),
            ("message", json!({"message": {}}), Some(Said::Message(None))),
            ("error", json!({"error": "e"}), Some(Said::Error("e".into()))),
            ("done", json!({}), Some(Said::Done)),
            ("suggestions", json!({}), None),
            ("message", json!({"type": "text-delta", "id": "0", "delta": "a"}), Some(Said::Text("a".into()))),
            (
                "message",
                json!({"type": "text-replace", "replaces": "0", "text": "b"}),
                Some(Said::Replace("b".into())),
            ),
            ("message", json!({"type": "error", "errorText": "e"}), Some(Said::Error("e".into()))),
            ("message", json!({"type": "finish"}), Some(Said::Done)),
            ("message", json!({"type": "data-title", "data": {"title": "T"}}), Some(Said::Title("T".into()))),
            (
                "message",
                json!({"type": "data-message", "data": {"content": "c"}}),
                Some(Said::Message(Some("c".into()))),
            ),
            ("message", json!({"type": "text-start", "id": "0"}), None),
        ];
        for (name, data, said) in cases {
            assert_eq!(event(name, &data.to_string()), said, "{name} {data}");
        }
        assert_eq!(event("actions", "[DONE"), None);
    }
}
