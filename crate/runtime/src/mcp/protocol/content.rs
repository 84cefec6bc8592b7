//! Results of `tools/call`: the one place that reads them. A new shape of results is announced; it will be read here.

use super::elicit::Wanted;
use serde_json::{Map, Value};

/// Questions that a server may ask at once.
const MAX_QUESTIONS: usize = 8;
/// The longest `requestState`.
const MAX_STATE: usize = 256 << 10;

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallResult {
    /// Its end.
    Complete(Content),
    /// The server wants to know something first (MRTR).
    InputRequired {
        /// What, by the server's keys.
        questions: Vec<(String, Wanted)>,
        /// To be sent back as it is.
        state: Option<String>,
    },
}

/// Content of a tool's result. It is text for the agent, and never an instruction to the wallet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    /// Items of `text`, `image`, `audio`, `resource_link`, `resource`, and of types that are not known.
    pub(crate) items: Vec<Value>,
    /// What `outputSchema` describes.
    pub(crate) structured: Option<Value>,
    /// Whether the tool itself says that it failed.
    pub(crate) is_error: bool,
}

/// Why a result is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResultError {
    /// Not an object.
    #[error("the result is not an object")]
    NotAnObject,
    /// A type of result that is not known.
    #[error("the result is of a type that is not known: {0}")]
    UnknownType(String),
    /// Neither content nor a structured result.
    #[error("the result has no content")]
    NoContent,
    /// A question that was not declared, or none at all.
    #[error("the server asks for something that is not supported")]
    UnsupportedQuestion,
}

impl CallResult {
    /// Reads a result.
    pub(crate) fn read(result: Value) -> Result<Self, ResultError> {
        let Value::Object(mut fields) = result else { return Err(ResultError::NotAnObject) };
        match fields.get("resultType") {
            None | Some(Value::Null) => {}
            Some(Value::String(name)) if name == "complete" => {}
            Some(Value::String(name)) if name == "input_required" => return input_required(&mut fields),
            Some(other) => {
                return Err(ResultError::UnknownType(other.to_string().chars().take(60).collect()));
            }
        }
        let is_error = fields.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let structured = fields.remove("structuredContent").filter(|value| !value.is_null());
        let items = match fields.remove("content") {
            Some(Value::Array(items)) => items,
            None | Some(Value::Null) if structured.is_some() => Vec::new(),
            _ => return Err(ResultError::NoContent),
        };
        Ok(Self::Complete(Content { items, structured, is_error }))
    }
}

fn input_required(fields: &mut Map<String, Value>) -> Result<CallResult, ResultError> {
    let state = match fields.remove("requestState") {
        None | Some(Value::Null) => None,
        Some(Value::String(state)) if state.len() <= MAX_STATE => Some(state),
        Some(_) => return Err(ResultError::UnsupportedQuestion),
    };
    let requests = match fields.remove("inputRequests") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(requests)) if requests.len() <= MAX_QUESTIONS => requests,
        Some(_) => return Err(ResultError::UnsupportedQuestion),
    };
    if requests.is_empty() && state.is_none() {
        return Err(ResultError::UnsupportedQuestion);
    }
    let mut questions = Vec::with_capacity(requests.len());
    for (key, request) in requests {
        let method = request.get("method").and_then(Value::as_str);
        let wanted = match method {
            Some("elicitation/create") => request.get("params").and_then(Wanted::read),
            _ => None,
        };
        questions.push((key, wanted.ok_or(ResultError::UnsupportedQuestion)?));
    }
    Ok(CallResult::InputRequired { questions, state })
}

impl Content {
    /// What the agent gets: the structured result where there is one, and the items beside it.
    pub(crate) fn into_data(self) -> Value {
        let mut data = Map::new();
        data.insert("content".to_owned(), Value::Array(self.items));
        if let Some(structured) = self.structured {
            data.insert("structuredContent".to_owned(), structured);
        }
        Value::Object(data)
    }

    /// The first text, for a person or a log.
    pub(crate) fn first_text(&self) -> Option<&str> {
        let text = |item: &Value| item.get("type").and_then(Value::as_str) == Some("text");
        self.items.iter().find(|item| text(item))?.get("text")?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// M8: items of every type, known or not, are passed on as they are; a result without content is none.
    #[test]
    fn contents() {
        let items = json!([{"type": "text", "text": "a", "annotations": {"audience": ["user"]}},
            {"type": "image", "data": "AA==", "mimeType": "image/png"}, {"type": "hologram", "x": 1}]);
        let result = CallResult::read(json!({"content": items, "structuredContent": {"a": 1}})).unwrap();
        let CallResult::Complete(content) = result else { panic!("complete") };
        assert_eq!((content.first_text(), content.is_error), (Some("a"), false));
        assert_eq!(content.into_data(), json!({"content": items, "structuredContent": {"a": 1}}));
        assert_eq!(CallResult::read(json!({})), Err(ResultError::NoContent));
        assert_eq!(CallResult::read(json!({"content": "text"})), Err(ResultError::NoContent));
        assert_eq!(CallResult::read(json!([])), Err(ResultError::NotAnObject));
        let any = CallResult::read(json!({"resultType": "complete", "structuredContent": [1]})).unwrap();
        assert!(matches!(any, CallResult::Complete(Content { structured: Some(_), .. })));
        let other = CallResult::read(json!({"resultType": "task", "content": []}));
        assert!(matches!(other, Err(ResultError::UnknownType(_))));
    }

    /// M13: the state is kept byte for byte; what was not declared is not asked.
    #[test]
    fn input() {
        let state = "\u{0} \\ \"é\u{1f600}";
        let request = json!({"method": "elicitation/create", "params": {"message": "Who?",
            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}});
        let result =
            json!({"resultType": "input_required", "inputRequests": {"q": request}, "requestState": state});
        let CallResult::InputRequired { questions, state: kept } = CallResult::read(result).unwrap() else {
            panic!("input");
        };
        assert_eq!((questions.len(), kept.as_deref()), (1, Some(state)));
        for requests in [
            json!({"q": {"method": "sampling/createMessage", "params": {}}}),
            json!({"q": {"method": "roots/list"}}),
            json!({"q": 7}),
            json!([]),
        ] {
            let result = json!({"resultType": "input_required", "inputRequests": requests});
            assert_eq!(CallResult::read(result), Err(ResultError::UnsupportedQuestion), "{requests}");
        }
        let again = json!({"resultType": "input_required", "requestState": "s"});
        assert!(matches!(CallResult::read(again), Ok(CallResult::InputRequired { .. })));
        assert!(CallResult::read(json!({"resultType": "input_required"})).is_err());
    }

    proptest! {
        /// No result makes the reader panic.
        #[test]
        fn any_result(text in r#"\{"(content|resultType|inputRequests|requestState)":\PC{0,30}\}"#) {
            if let Ok(value) = serde_json::from_str(&text) {
                let _ = CallResult::read(value);
            }
        }
    }
}
