//! From a response to a value.

use super::read;
use crate::bounds::VALUE_BYTES;
use crate::error::AnswerError;
use crate::record::HttpRecord;
use crate::{expression, schema};
use serde_json::Value;
use wire::json::to_text;
use wire::toolbox::{Encoding, ErrorMode};

/// The value of a response. Where `errorMode` is `empty`, a response that gives none gives `null`; one that breaks the
/// output's schema is an error all the same.
pub(crate) fn finish(
    tool: &Value,
    status: u16,
    body: &str,
    events: Option<&[String]>,
) -> Result<Value, AnswerError> {
    let record = read(tool, tool.get("argSchema").unwrap_or(&Value::Bool(true)))?;
    let value = match value(&record, status, body, events) {
        Ok(value) => value,
        Err(_) if record.error_mode == ErrorMode::Empty => return Ok(Value::Null),
        Err(error) => return Err(error),
    };
    if let Some(schema) = tool.get("outputSchema").filter(|schema| !schema.is_null())
        && let Some(violation) = schema::validate(schema, &value)?.into_iter().next()
    {
        return Err(AnswerError::OutputMismatch { path: violation.path, problem: violation.message });
    }
    Ok(value)
}

fn value(
    record: &HttpRecord,
    status: u16,
    body: &str,
    events: Option<&[String]>,
) -> Result<Value, AnswerError> {
    let is_success = match record.success_codes.as_slice() {
        [] => (200..300).contains(&status),
        codes => codes.contains(&status),
    };
    if !is_success {
        return Err(AnswerError::HttpStatus { status });
    }
    if body.len() > VALUE_BYTES {
        return Err(AnswerError::ValueTooLarge { problem: "too long" });
    }
    if let Some(events) = events {
        return stream(record, events);
    }
    // These have no body, whatever the encoding says.
    if body.is_empty() && (record.method == "HEAD" || matches!(status, 204 | 205 | 304)) {
        return Ok(Value::Null);
    }
    match (record.extract_expr.as_str(), record.response_encoding) {
        ("", Encoding::Json) => expression::read_json(body),
        ("", Encoding::Text) => Ok(Value::String(body.to_owned())),
        (expr, encoding) => expression::extract(expr, encoding, body)?.ok_or(AnswerError::NoMatch),
    }
}

/// T002-81: the value of a stream is the list of its events' data. Of JSON, what is none stays text: streams end in words
/// such as `[DONE]`.
fn stream(record: &HttpRecord, events: &[String]) -> Result<Value, AnswerError> {
    let encoding = record.response_encoding;
    let data = |event: &String| match encoding {
        Encoding::Json => expression::read_json(event).unwrap_or_else(|_| Value::from(event.as_str())),
        Encoding::Text => Value::from(event.as_str()),
    };
    let value = || Value::Array(events.iter().map(data).collect());
    match (record.extract_expr.as_str(), encoding) {
        ("", _) => Ok(value()),
        (expr, Encoding::Json) => {
            expression::extract(expr, encoding, &to_text(&value()))?.ok_or(AnswerError::NoMatch)
        }
        (expr, Encoding::Text) => {
            expression::extract(expr, encoding, &events.join("\n"))?.ok_or(AnswerError::NoMatch)
        }
    }
}
