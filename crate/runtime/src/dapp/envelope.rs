//! A web page's request as the content script hands it on: `{id, method, params}`.

use super::error::RpcError;
use serde_json::Value;

/// The longest request.
pub(super) const MAX_TEXT: usize = 1 << 20;
/// The longest id, and the longest name of a method.
const MAX_NAME: usize = 128;

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Envelope {
    /// Made by the content script: its document's nonce and a number.
    pub(super) id: String,
    pub(super) method: String,
    /// `null` where there are none.
    pub(super) params: Value,
}

impl Envelope {
    pub(super) fn parse(text: &str) -> Result<Self, RpcError> {
        if text.len() > MAX_TEXT {
            return Err(RpcError::invalid("", "is longer than 1 MiB"));
        }
        let Ok(value) = serde_json::from_str::<Value>(text) else { return Err(RpcError::Parse) };
        let Value::Object(mut fields) = value else {
            return Err(RpcError::InvalidRequest("is not an object"));
        };
        let id = name(fields.remove("id")).ok_or(RpcError::InvalidRequest("has no usable id"))?;
        let method = name(fields.remove("method")).ok_or(RpcError::InvalidRequest("names no method"))?;
        let params = fields.remove("params").unwrap_or_default();
        match params {
            Value::Null | Value::Array(_) | Value::Object(_) => Ok(Self { id, method, params }),
            _ => Err(RpcError::invalid("", "must be an array or an object")),
        }
    }
}

fn name(value: Option<Value>) -> Option<String> {
    match value {
        Some(Value::String(text)) if !text.is_empty() && text.len() <= MAX_NAME => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_names_itself_and_a_method() {
        let good = r#"{"id":"a-1","method":"eth_call","params":[1]}"#;
        assert_eq!(Envelope::parse(good).unwrap().method, "eth_call");
        assert_eq!(Envelope::parse(r#"{"id":"a","method":"m"}"#).unwrap().params, Value::Null);
        for (bad, code) in [
            ("", -32_700),
            ("{", -32_700),
            ("7", -32_600),
            ("[]", -32_600),
            (r#"{"method":"m"}"#, -32_600),
            (r#"{"id":7,"method":"m"}"#, -32_600),
            (r#"{"id":"","method":"m"}"#, -32_600),
            (r#"{"id":"a"}"#, -32_600),
            (r#"{"id":"a","method":"m","params":"x"}"#, -32_602),
        ] {
            assert_eq!(Envelope::parse(bad).unwrap_err().code(), code, "{bad}");
        }
        let long = format!(r#"{{"id":"a","method":"m","params":["{}"]}}"#, "x".repeat(MAX_TEXT));
        assert_eq!(Envelope::parse(&long).unwrap_err().code(), -32_602);
    }

    proptest! {
        #[test]
        fn any_text_is_a_request_or_refused(text in ".{0,200}") {
            let _ = Envelope::parse(&text);
        }
    }
}
