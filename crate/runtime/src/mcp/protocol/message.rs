//! JSON-RPC 2.0 messages and their ids.

use serde_json::{Map, Value, json};

/// What a server sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Incoming {
    /// The answer to a request.
    Response {
        /// Of the request.
        id: Value,
        /// What came of it.
        outcome: Result<Value, RpcError>,
    },
    /// It wants an answer.
    Request {
        /// To be repeated in the answer.
        id: Value,
        /// What is asked.
        method: String,
        /// With what.
        params: Value,
    },
    /// It wants none.
    Notification {
        /// What is said.
        method: String,
        /// With what.
        params: Value,
    },
}

/// The error of a response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcError {
    /// A code of JSON-RPC or of MCP.
    pub(crate) code: i64,
    /// The server's words.
    pub(crate) message: String,
    /// More of it.
    pub(crate) data: Value,
}

impl RpcError {
    /// The headers do not say what the body says.
    pub(crate) const HEADER_MISMATCH: i64 = -32_020;
    /// The server needs a capability that was not declared.
    pub(crate) const MISSING_CAPABILITY: i64 = -32_021;
    /// The server does not speak the version.
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32_022;
    /// There is no such method.
    pub(crate) const METHOD_NOT_FOUND: i64 = -32_601;
    /// The parameters are not as they must be.
    pub(crate) const INVALID_PARAMS: i64 = -32_602;

    fn read(value: Value) -> Option<Self> {
        let Value::Object(mut fields) = value else { return None };
        let code = fields.get("code")?.as_i64()?;
        let message = fields.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Self { code, message, data: fields.remove("data").unwrap_or_default() })
    }
}

impl Incoming {
    /// Reads one message; none if it is no message.
    pub(crate) fn read(value: Value) -> Option<Self> {
        let Value::Object(mut fields) = value else { return None };
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return None;
        }
        let mut take = |name: &str| fields.remove(name);
        let (id, method) = (take("id").filter(is_id), take("method"));
        match (id, method) {
            (Some(id), Some(Value::String(method))) => {
                Some(Self::Request { id, method, params: take("params").unwrap_or_default() })
            }
            (None, Some(Value::String(method))) => {
                Some(Self::Notification { method, params: take("params").unwrap_or_default() })
            }
            (Some(id), None) => {
                let outcome = match (take("result"), take("error")) {
                    (Some(result), None) => Ok(result),
                    (None, Some(error)) => Err(RpcError::read(error)?),
                    _ => return None,
                };
                Some(Self::Response { id, outcome })
            }
            _ => None,
        }
    }

    /// Reads a body or an event: one message, or several (2025-03-26). What is no message is left out.
    pub(crate) fn read_all(text: &str) -> Vec<Self> {
        match serde_json::from_str(text) {
            Ok(Value::Array(values)) => values.into_iter().filter_map(Self::read).collect(),
            Ok(value) => Self::read(value).into_iter().collect(),
            Err(_) => Vec::new(),
        }
    }
}

/// The error of a body, also where it has no id: a refusal before the request was read.
pub(crate) fn error_of(text: &str) -> Option<RpcError> {
    let value: Value = serde_json::from_str(text).ok()?;
    RpcError::read(value.get("error")?.clone())
}

/// A string or an integer, never `null`.
fn is_id(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        _ => false,
    }
}

/// A request. Ids are texts of ours that are never used twice.
pub(crate) fn request(id: &str, method: &str, params: Map<String, Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A notification.
pub(crate) fn notification(method: &str, params: Map<String, Value>) -> Value {
    match params.is_empty() {
        true => json!({ "jsonrpc": "2.0", "method": method }),
        false => json!({ "jsonrpc": "2.0", "method": method, "params": params }),
    }
}

/// The answer to a request of the server's.
pub(crate) fn response(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// The refusal of a request of the server's that we did not declare to support.
pub(crate) fn unsupported(id: &Value) -> Value {
    let error = json!({ "code": RpcError::METHOD_NOT_FOUND, "message": "Method not found" });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(value: Value) -> Option<Incoming> {
        Incoming::read(value)
    }

    /// M2: an id is a string or an integer; a response has a result or an error, and never both.
    #[test]
    fn messages() {
        let response = |id: Value| Incoming::Response { id, outcome: Ok(json!({})) };
        for id in [json!("a"), json!(7), json!(-1)] {
            assert_eq!(read(json!({"jsonrpc": "2.0", "id": id, "result": {}})), Some(response(id)));
        }
        for id in [json!(null), json!(1.5), json!({}), json!(true)] {
            assert_eq!(read(json!({"jsonrpc": "2.0", "id": id, "result": {}})), None, "{id}");
        }
        assert_eq!(read(json!({"jsonrpc": "1.0", "id": 1, "result": {}})), None);
        assert_eq!(read(json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1}})), None);
        assert_eq!(read(json!({"jsonrpc": "2.0", "id": 1, "error": {"message": "x"}})), None);
        let error = RpcError { code: -32_602, message: "m".to_owned(), data: json!([1]) };
        assert_eq!(
            read(json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "m", "data": [1]}})),
            Some(Incoming::Response { id: json!(1), outcome: Err(error) })
        );
        let batch =
            r#"[{"jsonrpc":"2.0","method":"a"},7,{"jsonrpc":"2.0","id":"x","method":"b","params":{}}]"#;
        let [first, second] = Incoming::read_all(batch).try_into().unwrap();
        assert_eq!(first, Incoming::Notification { method: "a".to_owned(), params: Value::Null });
        assert_eq!(second, Incoming::Request { id: json!("x"), method: "b".to_owned(), params: json!({}) });
    }

    proptest! {
        /// No text makes the reader panic.
        #[test]
        fn any_text(text in r#"(\PC{0,60}|\{"jsonrpc":"2.0",("id":[0-9a-z"]{0,4},)?"(method|result|error)":\PC{0,20}\})"#) {
            let _ = Incoming::read_all(&text);
            let _ = error_of(&text);
        }

        /// What we write is read as what it is.
        #[test]
        fn round_trip(id in "[a-z0-9-]{1,20}", method in "[a-z/]{1,20}") {
            let message = request(&id, &method, Map::new());
            let read = Incoming::read(message);
            prop_assert_eq!(read, Some(Incoming::Request { id: json!(id), method, params: json!({}) }));
        }
    }
}
