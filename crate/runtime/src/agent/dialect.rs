//! What a backend's answer says, whichever way it says it.
//!
//! Three ways to say the same: events by name (`event: text_delta`, `data: {"delta": …}`); events by the `type` in
//! their JSON and no name ("UI message stream": `text-delta`, `data-actions`, `finish`); one JSON body.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt::{self, Formatter};
use wire::sorted::SortedMap;

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
    /// More of the arguments of an action that is still to come.
    Input {
        /// The action's id.
        id: String,
        /// The action's type, where it is said.
        name: Option<String>,
        /// More JSON text of its `params`.
        delta: String,
    },
    /// The old response field `transactions` (`MpcTransaction[]`).
    Transactions(Vec<Value>),
    /// Results of calls whose tools the backend runs itself (specification 004), each still to be read.
    ToolResults(Vec<Value>),
    /// The old field or event `tx_ready`, not looked at yet.
    Ready(Value),
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
        return rescued(name, data);
    };
    match (name, value.get("type").and_then(Value::as_str)) {
        ("message", Some(kind)) => typed(kind, &value),
        _ => named(name, &value),
    }
}

/// Reads a whole answer in one JSON body; `None` if it is not an object.
pub fn body(text: &str) -> Option<Vec<Said>> {
    let fields: Fields<'_> = serde_json::from_str(text).ok()?;
    let said = |name: &str| {
        let field = fields.get(name)?.get();
        match serde_json::from_str::<Value>(field) {
            Ok(Value::Null) => None,
            Ok(value) => named(name, &one(name, value)),
            Err(_) => rescued(name, field),
        }
    };
    let names = ["title", "actions", "transactions", "tx_ready", "tool_results", "error", "message"];
    Some(names.into_iter().filter_map(said).collect())
}

/// An object with one field.
fn one(name: &str, value: Value) -> Value {
    let mut fields = Map::new();
    fields.insert(name.to_owned(), value);
    Value::Object(fields)
}

/// An object whose values have not been looked at.
#[derive(Default)]
struct Fields<'a>(SortedMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Fields::default();
        while let Some((name, value)) = entries.next_entry()? {
            fields.0.insert(name, value);
        }
        Ok(fields)
    }
}

/// Actions out of JSON that no value can hold: nested too deep, a number out of bounds, half a character. Each
/// element is read by itself, so that a bad one does not take its neighbours with it (T000-11). A `tx_ready` of that kind
/// is one that has nothing to sign, and is answered as such.
fn rescued(name: &str, data: &str) -> Option<Said> {
    let json: Option<&RawValue> = serde_json::from_str(data).ok();
    let fields: Fields<'_> = serde_json::from_str(data).unwrap_or_default();
    let kind = fields.get("type").and_then(|kind| serde_json::from_str::<&str>(kind.get()).ok());
    match (name, kind) {
        ("message", Some("data-actions")) => rescued("actions", fields.get("data")?.get()),
        ("message", Some("data-tx_ready")) => rescued("tx_ready", fields.get("data")?.get()),
        ("tx_ready", _) => json.map(|_| Said::Ready(Value::Bool(false))),
        ("actions", _) => {
            let list = fields.get("actions").map_or(data, RawValue::get);
            let elements: Vec<&RawValue> = serde_json::from_str(list).ok()?;
            Some(Said::Actions(elements.into_iter().map(|element| readable(element.get())).collect()))
        }
        _ => None,
    }
}

/// An element, or in its place one that is refused for its parameters and answered under the same id.
fn readable(element: &str) -> Value {
    serde_json::from_str(element).unwrap_or_else(|_| {
        let fields: Fields<'_> = serde_json::from_str(element).unwrap_or_default();
        let mut refused = Map::new();
        refused.insert("params".to_owned(), Value::Bool(false));
        for name in ["id", "type"] {
            let field = fields.get(name).and_then(|field| serde_json::from_str::<String>(field.get()).ok());
            if let Some(text) = field {
                refused.insert(name.to_owned(), Value::String(text));
            }
        }
        Value::Object(refused)
    })
}

fn named(name: &str, value: &Value) -> Option<Said> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(match name {
        "text_delta" => Said::Text(text("delta")?),
        "title" => Said::Title(text("title")?),
        "actions" => Said::Actions(array(value, "actions")?),
        "tool_input" => {
            Said::Input { id: text("id")?, name: text("type"), delta: text("delta").unwrap_or_default() }
        }
        "transactions" => Said::Transactions(array(value, "transactions")?),
        "tool_results" => Said::ToolResults(array(value, "tool_results")?),
        "tx_ready" => Said::Ready(Some(value.get(name).unwrap_or(value)).filter(|it| !it.is_null())?.clone()),
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
        "tool-input-start" => {
            Some(Said::Input { id: text("toolCallId")?, name: text("toolName"), delta: String::new() })
        }
        "tool-input-delta" => {
            Some(Said::Input { id: text("toolCallId")?, name: None, delta: text("inputTextDelta")? })
        }
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

    /// T000-11: what cannot be read does not take its neighbours with it, and keeps its id.
    #[test]
    fn an_element_that_no_value_can_hold() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        for bad in [deep.as_str(), "1e999", r#""\ud800""#] {
            let list =
                format!(r#"[{{"id":"1","type":"t"}},{{"params":{{"x":{bad}}},"type":"t","id":"2"}},{bad}]"#);
            let expected = Some(Said::Actions(vec![
                json!({"id": "1", "type": "t"}),
                json!({"id": "2", "type": "t", "params": false}),
                json!({"params": false}),
            ]));
            assert_eq!(event("actions", &list), expected);
            assert_eq!(event("actions", &format!(r#"{{"actions":{list}}}"#)), expected);
            assert_eq!(
                event("message", &format!(r#"{{"type":"data-actions","data":{{"actions":{list}}}}}"#)),
                expected
            );
            assert_eq!(body(&format!(r#"{{"actions":{list}}}"#)), expected.map(|said| vec![said]));
            assert_eq!(event("text_delta", &list), None);
            let unreadable = Some(Said::Ready(json!(false)));
            assert_eq!(event("tx_ready", &format!(r#"{{"amount":{bad}}}"#)), unreadable);
            let typed = format!(r#"{{"type":"data-tx_ready","data":{{"amount":{bad}}}}}"#);
            assert_eq!(event("message", &typed), unreadable);
            assert_eq!(body(&format!(r#"{{"tx_ready":{bad}}}"#)), unreadable.map(|said| vec![said]));
        }
    }

    /// T004-63: arguments that are on their way, in both dialects; and every other event.
    #[test]
    fn every_event_that_concerns_us() {
        let input = |name: Option<&str>, delta: &str| Said::Input {
            id: "1".to_owned(),
            name: name.map(str::to_owned),
            delta: delta.to_owned(),
        };
        let cases = [
            ("text_delta", json!({"delta": "a"}), Some(Said::Text("a".into()))),
            ("title", json!({"title": "T"}), Some(Said::Title("T".into()))),
            (
                "transactions",
                json!([{"sequence": 0}]),
                Some(Said::Transactions(vec![json!({"sequence": 0})])),
            ),
            (
                "tool_results",
                json!([{"call_id": "c", "result": 1}]),
                Some(Said::ToolResults(vec![json!({"call_id": "c", "result": 1})])),
            ),
            (
                "message",
                json!({"type": "data-tool_results", "data": {"tool_results": [7]}}),
                Some(Said::ToolResults(vec![json!(7)])),
            ),
            ("tx_ready", json!({"amount": "1"}), Some(Said::Ready(json!({"amount": "1"})))),
            ("tx_ready", json!({"tx_ready": {"amount": "1"}}), Some(Said::Ready(json!({"amount": "1"})))),
            ("tx_ready", json!([7]), Some(Said::Ready(json!([7])))),
            ("tx_ready", json!(null), None),
            (
                "message",
                json!({"type": "data-tx_ready", "data": {"amount": "1"}}),
                Some(Said::Ready(json!({"amount": "1"}))),
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
            ("tool_input", json!({"id": "1", "type": "t", "delta": "{\""}), Some(input(Some("t"), "{\""))),
            ("tool_input", json!({"id": "1", "type": "t"}), Some(input(Some("t"), ""))),
            ("tool_input", json!({"type": "t"}), None),
            (
                "message",
                json!({"type": "tool-input-start", "toolCallId": "1", "toolName": "t"}),
                Some(input(Some("t"), "")),
            ),
            (
                "message",
                json!({"type": "tool-input-delta", "toolCallId": "1", "inputTextDelta": "{}"}),
                Some(input(None, "{}")),
            ),
            ("message", json!({"type": "tool-input-delta", "toolCallId": "1"}), None),
        ];
        for (name, data, said) in cases {
            assert_eq!(event(name, &data.to_string()), said, "{name} {data}");
        }
        assert_eq!(event("actions", "[DONE"), None);
        assert_eq!(event("tx_ready", "{\"amount"), None);
        assert_eq!(body(r#"{"tx_ready":null}"#), Some(vec![]));
    }
}
