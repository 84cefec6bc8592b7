//! Elicitation: what a server wants to know of the person, and the person's answer.

use derive::Record;
use serde_json::{Map, Value, json};

/// Fields of a form.
const MAX_FIELDS: usize = 50;
/// The longest message that is shown.
const MAX_MESSAGE: usize = 4_000;
/// The longest address.
const MAX_URL: usize = 8 << 10;

/// What a server wants.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "mode")]
pub(crate) enum Wanted {
    /// A form to be filled in.
    Form {
        /// In the server's words.
        message: String,
        /// A flat object.
        schema: Value,
    },
    /// That the person goes to an address.
    Url {
        /// In the server's words.
        message: String,
        /// The address.
        url: String,
    },
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "action")]
pub(crate) enum Given {
    /// What was filled in; nothing where an address was opened.
    Accept {
        /// By the names of the form.
        content: Option<Map<String, Value>>,
    },
    /// The person said no.
    Decline,
    /// The person did not answer in time.
    Cancel,
}

impl Wanted {
    /// Reads the parameters of `elicitation/create`; none if they are of a kind that was not declared.
    pub(crate) fn read(params: &Value) -> Option<Self> {
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let message: String = text("message").unwrap_or_default().chars().take(MAX_MESSAGE).collect();
        match params.get("mode").map_or(Some("form"), Value::as_str)? {
            "form" => {
                let schema = params.get("requestedSchema")?;
                is_flat(schema).then(|| Self::Form { message, schema: schema.clone() })
            }
            "url" => {
                let url = text("url").filter(|url| is_web_address(url))?;
                Some(Self::Url { message, url: url.to_owned() })
            }
            _ => None,
        }
    }
}

impl Given {
    /// As the server gets it.
    pub(crate) fn result(&self) -> Value {
        match self {
            Self::Accept { content: Some(content) } => json!({ "action": "accept", "content": content }),
            Self::Accept { content: None } => json!({ "action": "accept" }),
            Self::Decline => json!({ "action": "decline" }),
            Self::Cancel => json!({ "action": "cancel" }),
        }
    }
}

/// Fields of texts, numbers, flags and choices, and nothing inside of them.
fn is_flat(schema: &Value) -> bool {
    let (Some("object"), Some(Value::Object(properties))) =
        (schema.get("type").and_then(Value::as_str), schema.get("properties"))
    else {
        return false;
    };
    let flat = |field: &Value| match field.get("type").and_then(Value::as_str) {
        Some("string" | "number" | "integer" | "boolean") => field.get("properties").is_none(),
        // A choice of several.
        Some("array") => field.get("items").is_some_and(|items| {
            items.get("enum").or(items.get("anyOf")).or(items.get("oneOf")).is_some_and(Value::is_array)
        }),
        _ => field.get("enum").or(field.get("oneOf")).is_some_and(Value::is_array),
    };
    properties.len() <= MAX_FIELDS && properties.values().all(flat)
}

/// `https`, or `http` on this machine; without a user, and in one line.
fn is_web_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| {
        let rest = url.strip_prefix("http://")?;
        let local = |host: &&str| {
            rest.strip_prefix(*host).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        };
        ["127.0.0.1", "localhost", "[::1]"].iter().any(local).then_some(rest)
    });
    let authority = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    url.len() <= MAX_URL
        && authority.is_some_and(|authority| !authority.is_empty() && !authority.contains(['@', '\\']))
        && url.chars().all(|letter| !letter.is_control() && !letter.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// M13: forms of flat objects and addresses; everything else is refused.
    #[test]
    fn kinds() {
        let form = |properties: Value| {
            Wanted::read(
                &json!({"message": "m", "requestedSchema": {"type": "object", "properties": properties}}),
            )
        };
        for good in [
            json!({}),
            json!({"a": {"type": "string", "format": "email", "default": "x"}, "b": {"type": "boolean"}}),
            json!({"a": {"type": "string", "enum": ["x"]}, "b": {"oneOf": [{"const": "x", "title": "X"}]}}),
            json!({"a": {"type": "array", "items": {"type": "string", "enum": ["x"]}}}),
        ] {
            assert!(form(good.clone()).is_some(), "{good}");
        }
        for bad in [
            json!({"a": {"type": "object", "properties": {}}}),
            json!({"a": {"type": "array", "items": {"type": "object"}}}),
            json!({"a": {"$ref": "https://evil.example/schema"}}),
            json!({"a": 7}),
        ] {
            assert_eq!(form(bad.clone()), None, "{bad}");
        }
        let url = |url: &str| {
            Wanted::read(&json!({"mode": "url", "message": "m", "url": url, "elicitationId": "e"}))
        };
        for good in ["https://a.example/x?y", "http://127.0.0.1:80/", "http://localhost"] {
            assert!(url(good).is_some(), "{good}");
        }
        for bad in [
            "http://a.example/",
            "javascript:alert(1)",
            "https://",
            "https://u@a.example/",
            "https://a b/",
            "chrome-extension://x/",
            "data:text/html,x",
            "http://127.0.0.1.evil.example/",
            "https://a.example\\@b/",
        ] {
            assert_eq!(url(bad), None, "{bad}");
        }
        assert_eq!(Wanted::read(&json!({"mode": "voice", "message": "m"})), None);
        assert_eq!(Wanted::read(&json!({"message": "m"})), None);
    }

    #[test]
    fn answers() {
        let content = json!({"name": "A"}).as_object().cloned();
        assert_eq!(Given::Accept { content }.result(), json!({"action": "accept", "content": {"name": "A"}}));
        assert_eq!(Given::Accept { content: None }.result(), json!({"action": "accept"}));
        assert_eq!(
            [Given::Decline.result(), Given::Cancel.result()],
            [json!({"action": "decline"}), json!({"action": "cancel"})]
        );
    }

    proptest! {
        /// No parameters make the reader panic.
        #[test]
        fn any_params(text in r#"\{"(mode|url|message|requestedSchema)":\PC{0,40}\}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = Wanted::read(&value);
            }
        }
    }
}
