//! An agent's action and our answer to it (specification 000, Transport).

use crate::failure::Failure;
use derive::Record;
use serde_json::{Map, Value};

/// One tool invocation as an agent's backend sent it.
///
/// Fields that are not named here are ignored: a newer backend may send more (T000-10).
#[derive(Debug, Clone, PartialEq, Record)]
pub struct Action {
    /// Unique per invocation; the key of idempotency.
    pub id: String,
    /// Which tool; may be a legacy name.
    #[serde(rename = "type")]
    pub kind: String,
    /// Shown to the user while the action runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// More detail for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tool's input; absent means empty.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The backend's hint that no approval is needed. The user's policy decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_execute: Option<bool>,
}

/// An element of `actions` that is not an action. It is answered like one, and its neighbours go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}{gap}{problem}", gap = if .path.is_empty() { "" } else { " " })]
pub struct MalformedActionError {
    /// The element's id, where it has a usable one.
    pub id: Option<String>,
    /// The element's type, where it has a usable one.
    pub kind: Option<String>,
    /// Where the error is, as a JSON pointer from the action.
    pub path: &'static str,
    /// What is wrong there.
    pub problem: &'static str,
}

impl MalformedActionError {
    /// The code that programs read; it does not change.
    pub const CODE: &str = "malformed_action";

    /// As the answer to the element says it.
    pub fn failure(&self) -> Failure {
        Failure::of(Self::CODE, self)
    }
}

/// The longest action id that is taken; ids are keys in the store.
pub const MAX_ID_LENGTH: usize = 256;

/// How deep an action's parameters may nest. A call's record and the events that tell of it wrap them further, and
/// must stay within what a JSON parser takes.
pub const MAX_DEPTH: usize = 64;

impl Action {
    /// Reads one element of an `actions` array.
    ///
    /// Only what is needed to run and to answer can make an element malformed: an object with an `id`, a
    /// `type` and `params` that are an object (or absent). A title of a wrong type is treated as absent.
    pub fn parse(element: &Value) -> Result<Self, MalformedActionError> {
        let Value::Object(fields) = element else {
            return Err(MalformedActionError { id: None, kind: None, path: "", problem: "is not an object" });
        };
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("id").filter(|id| !id.is_empty() && id.len() <= MAX_ID_LENGTH);
        let kind = text("type").filter(|kind| !kind.is_empty());
        let malformed =
            |path, problem| MalformedActionError { id: id.clone(), kind: kind.clone(), path, problem };
        let Some(valid_id) = id.clone() else {
            return Err(malformed("/id", "must be a non-empty string of at most 256 bytes"));
        };
        let Some(valid_kind) = kind.clone() else {
            return Err(malformed("/type", "must be a non-empty string"));
        };
        let params = match fields.get("params") {
            None | Some(Value::Null) => Map::new(),
            Some(params) if deeper_than(MAX_DEPTH, params) => {
                return Err(malformed("/params", "is nested too deep"));
            }
            Some(Value::Object(params)) => params.clone(),
            Some(_) => return Err(malformed("/params", "must be an object")),
        };
        Ok(Self {
            id: valid_id,
            kind: valid_kind,
            title: text("title"),
            description: text("description"),
            params,
            auto_execute: fields.get("auto_execute").and_then(Value::as_bool),
        })
    }
}

fn deeper_than(depth: usize, value: &Value) -> bool {
    let Some(left) = depth.checked_sub(1) else {
        return value.is_array() || value.is_object();
    };
    match value {
        Value::Array(values) => values.iter().any(|value| deeper_than(left, value)),
        Value::Object(fields) => fields.values().any(|value| deeper_than(left, value)),
        _ => false,
    }
}

/// The answer to one action: exactly one for each.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ActionResult {
    /// The type as the backend sent it: a legacy name stays a legacy name.
    pub action: String,
    /// The action's id; empty only where the action had none.
    pub action_id: String,
    /// Whether the tool did its work (for array tools: for at least one entry).
    pub success: bool,
    /// The tool's output; present on partial failure too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub data: Option<Value>,
    /// A stable code, optionally followed by `: ` and a sentence; present exactly when `success` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// T000-5: a description is kept when present and absent is fine. T000-6: missing params equal `{}`.
    /// T000-10: unknown fields are ignored.
    #[test]
    fn optional_fields_and_unknown_ones() {
        let bare = Action::parse(&json!({"id": "1", "type": "t", "later": {"x": 1}})).unwrap();
        assert_eq!(
            bare,
            Action {
                id: "1".into(),
                kind: "t".into(),
                title: None,
                description: None,
                params: Map::new(),
                auto_execute: None
            }
        );
        let full = json!({"id": "1", "type": "t", "title": "T", "description": "D", "params": {"a": 1, "b": null},
            "auto_execute": false});
        assert_eq!(serde_json::to_value(Action::parse(&full).unwrap()).unwrap(), full);
    }

    fn nested(depth: usize) -> Value {
        (1..depth).fold(json!({}), |inner, _| json!({"x": inner}))
    }

    #[test]
    fn parameters_nest_as_deep_as_they_may() {
        let action = json!({"id": "1", "type": "t", "params": nested(MAX_DEPTH)});
        assert!(Action::parse(&action).is_ok());
    }

    /// T000-11: what makes an element malformed is named with its path, and what it did say is kept.
    #[test]
    fn malformed_elements_say_where() {
        let cases = [
            (json!(7), None, None, ""),
            (json!({"type": "t"}), None, Some("t"), "/id"),
            (json!({"id": "", "type": "t"}), None, Some("t"), "/id"),
            (json!({"id": 5, "type": "t"}), None, Some("t"), "/id"),
            (json!({"id": "x".repeat(257), "type": "t"}), None, Some("t"), "/id"),
            (json!({"id": "1"}), Some("1"), None, "/type"),
            (json!({"id": "1", "type": ["t"]}), Some("1"), None, "/type"),
            (json!({"id": "1", "type": "t", "params": []}), Some("1"), Some("t"), "/params"),
            (
                json!({"id": "1", "type": "t", "params": nested(MAX_DEPTH + 1)}),
                Some("1"),
                Some("t"),
                "/params",
            ),
        ];
        for (element, id, kind, path) in cases {
            let error = Action::parse(&element).unwrap_err();
            assert_eq!(
                (error.id.as_deref(), error.kind.as_deref(), error.path),
                (id, kind, path),
                "{element}"
            );
        }
    }

    proptest! {
        /// Any JSON at all is either an action or a named malformation; never a panic.
        #[test]
        fn any_json_is_answered(text in ".{0,200}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = Action::parse(&value);
            }
            let _ = Action::parse(&json!({"id": text.clone(), "type": text.clone(), "params": {text.clone(): text}}));
        }
    }
}
