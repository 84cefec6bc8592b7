//! Extraction from a response: JSONPath (RFC 9535) from JSON, a regular expression from text.
//!
//! A path of names and indices only gives its node. Any other gives the node if there is one, and an array if there are
//! several. A regular expression gives its first group, or the whole match if it has none.

use crate::bounds::{EXPRESSION_BYTES, REGEX_BYTES, RESULT_BYTES, VALUE_BYTES, VALUE_DEPTH, is_deeper};
use crate::error::AnswerError;
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use serde_json_path::JsonPath;
use wire::json::to_text;
use wire::toolbox::Encoding;

/// An expression that was read.
enum Expression {
    Path { path: JsonPath, singular: bool },
    Pattern(Regex),
}

/// Fails if an expression is none.
pub(crate) fn check(expr: &str, encoding: Encoding) -> Result<(), AnswerError> {
    parse(expr, encoding).map(drop)
}

/// What an expression finds in a response.
pub(crate) fn extract(expr: &str, encoding: Encoding, body: &str) -> Result<Option<Value>, AnswerError> {
    let expression = parse(expr, encoding)?;
    if body.len() > VALUE_BYTES {
        return Err(AnswerError::ValueTooLarge { problem: "too long" });
    }
    let found = match expression {
        Expression::Path { path, singular } => nodes(&path, singular, &read_json(body)?),
        Expression::Pattern(pattern) => matched(&pattern, body),
    };
    match found {
        Some(value) if to_text(&value).len() > RESULT_BYTES => Err(AnswerError::ResultTooLarge),
        found => Ok(found),
    }
}

/// Reads a response as JSON.
pub(crate) fn read_json(body: &str) -> Result<Value, AnswerError> {
    let value: Value = serde_json::from_str(body)
        .map_err(|error| AnswerError::ResponseNotJson { line: error.line(), column: error.column() })?;
    match is_deeper(&value, VALUE_DEPTH) {
        true => Err(AnswerError::ValueTooLarge { problem: "nested too deep" }),
        false => Ok(value),
    }
}

fn parse(expr: &str, encoding: Encoding) -> Result<Expression, AnswerError> {
    if expr.is_empty() {
        return Err(invalid("it is empty"));
    }
    if expr.len() > EXPRESSION_BYTES {
        return Err(invalid("it is too long"));
    }
    match encoding {
        Encoding::Json if !expr.starts_with('$') => Err(invalid("a JSONPath begins with $")),
        Encoding::Json => {
            let path = JsonPath::parse(expr).map_err(|error| invalid(&error.to_string()))?;
            Ok(Expression::Path { path, singular: is_singular(expr) })
        }
        Encoding::Text => RegexBuilder::new(expr)
            .size_limit(REGEX_BYTES)
            .dfa_size_limit(REGEX_BYTES)
            .build()
            .map(Expression::Pattern)
            .map_err(|error| invalid(&error.to_string())),
    }
}

/// Whether a valid path can only ever have one node. RFC 9535 allows such paths alone as operands of a comparison.
fn is_singular(expr: &str) -> bool {
    JsonPath::parse(&format!("$[?{expr}==0]")).is_ok()
}

fn nodes(path: &JsonPath, singular: bool, value: &Value) -> Option<Value> {
    let mut found = path.query(value).all();
    match found.len() {
        0 => None,
        1 => found.pop().cloned(),
        _ if singular => found.into_iter().next().cloned(),
        _ => Some(found.into_iter().cloned().collect()),
    }
}

/// The first group; the whole match where there is none. A group that took no part is no match.
fn matched(pattern: &Regex, body: &str) -> Option<Value> {
    let group = usize::from(pattern.captures_len() > 1);
    let text = pattern.captures(body)?.get(group)?.as_str();
    Some(Value::String(text.to_owned()))
}

fn invalid(problem: &str) -> AnswerError {
    AnswerError::InvalidExpression { problem: problem.to_owned() }
}
