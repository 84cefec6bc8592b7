//! Requests of clients, and their refusals.

use crate::scripted::{Answer, Piece};
use serde_json::{Map, Value, json};

/// An HTTP request, without a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, without a query.
    pub path: String,
    /// The headers; names in any case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// When it came, in milliseconds since 1970. Only recorded and echoed, never compared.
    pub at_ms: u64,
}

impl Request {
    /// A POST of a JSON body, as a client that accepts a stream sends it.
    pub fn post(path: impl Into<String>, body: &Value) -> Self {
        Self {
            method: "POST".to_owned(),
            path: path.into(),
            headers: vec![
                ("Content-Type".to_owned(), "application/json".to_owned()),
                ("Accept".to_owned(), "text/event-stream".to_owned()),
            ],
            body: body.to_string().into_bytes(),
            at_ms: 0,
        }
    }

    /// The same with one more header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn takes_stream(&self) -> bool {
        self.get("accept").is_some_and(|accept| accept.contains("text/event-stream"))
    }

    /// The body as the record keeps it.
    pub(crate) fn recorded_body(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&self.body).into_owned()))
    }

    pub(crate) fn json(&self) -> Result<Map<String, Value>, RefusalError> {
        if self.get("content-type").is_some_and(|kind| !kind.contains("application/json")) {
            return Err(RefusalError::violation(
                415,
                "unsupported_media_type",
                "the body must be application/json",
            ));
        }
        match serde_json::from_slice(&self.body) {
            Ok(Value::Object(body)) => Ok(body),
            Ok(_) => Err(RefusalError::violation(400, "invalid_request", "the body must be a JSON object")),
            Err(error) => {
                Err(RefusalError::violation(400, "invalid_request", format!("the body is not JSON: {error}")))
            }
        }
    }
}

/// A message of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    Content(String),
    Result(ActionResult),
    Inbox(Vec<InboxItem>),
}

/// An item of the agent's inbox (spec 004): a late result of a tool, or a plan that became due.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InboxItem {
    pub(crate) id: String,
    pub(crate) kind: String,
    /// The whole item.
    pub(crate) item: Value,
}

/// The result of an action (spec 000).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ActionResult {
    pub(crate) action: String,
    pub(crate) action_id: String,
    pub(crate) success: bool,
    pub(crate) data: Option<Value>,
    pub(crate) error: Option<String>,
}

impl Message {
    pub(crate) fn read(body: &Map<String, Value>) -> Result<Self, RefusalError> {
        public_key(body)?;
        match (there(body, "content"), there(body, "action_result"), there(body, "inbox")) {
            (Some(Value::String(content)), None, None) => Ok(Self::Content(content.clone())),
            (Some(_), None, None) => {
                Err(RefusalError::violation(400, "invalid_request", "`content` must be a string"))
            }
            (None, Some(result), None) => ActionResult::read(result).map(Self::Result),
            (None, None, Some(items)) => InboxItem::read_all(items).map(Self::Inbox),
            _ => Err(RefusalError::violation(
                400,
                "invalid_request",
                "exactly one of `content`, `action_result` and `inbox` must be there",
            )),
        }
    }
}

impl InboxItem {
    fn read_all(items: &Value) -> Result<Vec<Self>, RefusalError> {
        let wrong = |reason: &str| RefusalError::violation(422, "invalid_inbox", reason);
        match items {
            Value::Array(items) if !items.is_empty() => {
                items.iter().map(|item| Self::read(item).map_err(wrong)).collect()
            }
            _ => Err(wrong("`inbox` must be a list with an item")),
        }
    }

    fn read(item: &Value) -> Result<Self, &'static str> {
        let text = |key: &str| item.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let id = text("id").ok_or("an item's `id` must be a non-empty string")?;
        let kind = text("type").ok_or("an item's `type` must be a non-empty string")?;
        match kind {
            "tool_result"
                if text("tool").is_none() || text("callId").is_none() || item.get("result").is_none() =>
            {
                return Err("a `tool_result` must have `tool`, `callId` and `result`");
            }
            "plan_due" if !item.get("plan").is_some_and(Value::is_object) => {
                return Err("a `plan_due` must have `plan`, an object");
            }
            _ => {}
        }
        Ok(Self { id: id.to_owned(), kind: kind.to_owned(), item: item.clone() })
    }
}

impl ActionResult {
    fn read(result: &Value) -> Result<Self, RefusalError> {
        let wrong = |reason: &str| RefusalError::violation(422, "invalid_action_result", reason);
        let Value::Object(result) = result else {
            return Err(wrong("`action_result` must be an object"));
        };
        let text = |key: &str| match result.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(wrong(&format!("`action_result.{key}` must be a string"))),
        };
        let (action, action_id) = (text("action")?, text("action_id")?);
        let Some(Value::Bool(success)) = result.get("success") else {
            return Err(wrong("`action_result.success` must be true or false"));
        };
        let error = match (success, there(result, "error")) {
            (true, None) => None,
            (true, Some(_)) => {
                return Err(wrong("`action_result.error` must be absent when `success` is true"));
            }
            (false, Some(Value::String(error))) if !error.is_empty() => Some(error.clone()),
            (false, _) => {
                return Err(wrong(
                    "`action_result.error` must be a non-empty string when `success` is false",
                ));
            }
        };
        Ok(Self { action, action_id, success: *success, data: there(result, "data").cloned(), error })
    }
}

pub(crate) fn public_key(body: &Map<String, Value>) -> Result<(), RefusalError> {
    match body.get("public_key") {
        Some(Value::String(key)) if !key.is_empty() => Ok(()),
        _ => Err(RefusalError::violation(400, "invalid_request", "`public_key` must be a non-empty string")),
    }
}

/// A field that is present and not null.
pub(crate) fn there<'a>(body: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    body.get(key).filter(|value| !value.is_null())
}

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusalError {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) retry_after: Option<u64>,
    /// Whether the client violated the protocol, as opposed to a fault or a wrong token.
    pub(crate) violation: bool,
}

impl RefusalError {
    pub(crate) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None, violation: false }
    }

    pub(crate) fn violation(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { violation: true, ..Self::new(status, code, message) }
    }

    pub(crate) fn answer(&self) -> Answer {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(self.retry_after.map(|seconds| ("retry-after".to_owned(), seconds.to_string())));
        let body = json!({"error": {"code": self.code, "message": self.message}});
        Answer {
            before_headers: None,
            status: self.status,
            headers,
            body: vec![Piece::Bytes(body.to_string().into_bytes())],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: Value) -> (u16, String) {
        let refusal = Message::read(body.as_object().unwrap()).unwrap_err();
        assert!(refusal.violation);
        (refusal.status, refusal.message)
    }

    #[test]
    fn exactly_one_of_content_and_result() {
        assert_eq!(refused(json!({"content": "a"})).0, 400);
        assert_eq!(refused(json!({"public_key": "k"})).0, 400);
        assert_eq!(refused(json!({"public_key": "k", "content": 7})).0, 400);
        let result = json!({"action": "a", "action_id": "1", "success": true});
        assert_eq!(refused(json!({"public_key": "k", "content": "a", "action_result": result})).0, 400);
    }

    #[test]
    fn inbox_items_are_checked() {
        let due = json!({"id": "plan:1:5", "type": "plan_due", "plan": {"id": "1"}});
        for (inbox, says) in [
            (json!({}), "list"),
            (json!([]), "list"),
            (json!([due, 7]), "`id`"),
            (json!([{"id": "a"}]), "`type`"),
            (json!([{"id": "a", "type": "tool_result", "tool": "t", "callId": "c"}]), "`result`"),
            (json!([{"id": "a", "type": "plan_due"}]), "`plan`"),
        ] {
            let (status, message) = refused(json!({"public_key": "k", "inbox": inbox}));
            assert_eq!(status, 422);
            assert!(message.contains(says), "{message}");
        }
        assert_eq!(refused(json!({"public_key": "k", "content": "a", "inbox": [due]})).0, 400);
        let result = json!({"id": "tr:c", "type": "tool_result", "tool": "t", "callId": "c", "result": null});
        let good = json!({"public_key": "k", "inbox": [due, result]});
        let Ok(Message::Inbox(items)) = Message::read(good.as_object().unwrap()) else { panic!("an inbox") };
        assert_eq!((items.len(), items[1].kind.as_str(), &items[1].item), (2, "tool_result", &result));
    }

    /// T000-12, T000-15: the shape of a result; `error` is present and not empty exactly if it failed.
    #[test]
    fn results_are_checked() {
        for (result, says) in [
            (json!([]), "object"),
            (json!({"action_id": "1", "success": true}), "`action_result.action`"),
            (json!({"action": "a", "action_id": 1, "success": true}), "`action_result.action_id`"),
            (json!({"action": "a", "action_id": "1", "success": "true"}), "success"),
            (json!({"action": "a", "action_id": "1", "success": false}), "non-empty"),
            (json!({"action": "a", "action_id": "1", "success": false, "error": ""}), "non-empty"),
            (json!({"action": "a", "action_id": "1", "success": true, "error": "x"}), "absent"),
        ] {
            let (status, message) = refused(json!({"public_key": "k", "action_result": result}));
            assert_eq!(status, 422);
            assert!(message.contains(says), "{message}");
        }
        let good = json!({"public_key": "k", "content": null,
            "action_result": {"action": "a", "action_id": "1", "success": true, "error": null, "data": {"x": 1}}});
        assert_eq!(
            Message::read(good.as_object().unwrap()).unwrap(),
            Message::Result(ActionResult {
                action: "a".into(),
                action_id: "1".into(),
                success: true,
                data: Some(json!({"x": 1})),
                error: None,
            })
        );
    }
}
