//! Templates of JSON: the arguments of a step, and what a tool of several steps gives.

use crate::bounds::{RESULT_BYTES, VALUE_DEPTH, is_deeper};
use crate::error::AnswerError;
use crate::template::{Part, parse, text_of};
use serde_json::{Map, Value};
use wire::json::to_text;

/// Fills a template. A member of an object that is an argument which was not given is left out; anything else that is not
/// there is an error.
pub(crate) fn expand(template: &Value, scope: &Value) -> Result<Value, AnswerError> {
    let Value::Object(scope) = scope else { return Err(AnswerError::Malformed) };
    if is_deeper(template, VALUE_DEPTH) {
        return Err(AnswerError::ValueTooLarge { problem: "nested too deep" });
    }
    let mut left = RESULT_BYTES;
    fill(template, scope, &mut left)?.map_err(|path| AnswerError::MissingValue { path })
}

/// The value, or where an argument is that was not given.
type Filled = Result<Value, String>;

fn fill(template: &Value, scope: &Map<String, Value>, left: &mut usize) -> Result<Filled, AnswerError> {
    match template {
        Value::String(text) => self::text(text, scope, left),
        Value::Array(values) => {
            let mut filled = Vec::new();
            for value in values {
                match fill(value, scope, left)? {
                    Ok(value) => filled.push(value),
                    Err(path) => return Err(AnswerError::MissingValue { path }),
                }
            }
            Ok(Ok(filled.into()))
        }
        Value::Object(fields) => {
            let mut filled = Map::new();
            for (name, value) in fields {
                match fill(value, scope, left)? {
                    Ok(value) => drop(filled.insert(name.clone(), value)),
                    Err(path) if path.starts_with("/args/") => {}
                    Err(path) => return Err(AnswerError::MissingValue { path }),
                }
            }
            Ok(Ok(filled.into()))
        }
        other => Ok(Ok(other.clone())),
    }
}

fn text(text: &str, scope: &Map<String, Value>, left: &mut usize) -> Result<Filled, AnswerError> {
    let invalid = |problem: String| AnswerError::InvalidTool { path: String::new(), problem };
    let parts = parse(text).map_err(|error| invalid(error.to_string()))?;
    let mut spend = |bytes: usize| -> Result<(), AnswerError> {
        *left = left.checked_sub(bytes).ok_or(AnswerError::ResultTooLarge)?;
        Ok(())
    };
    if let [Part::Hole(hole)] = parts.as_slice() {
        let Some(value) = hole.find(scope) else { return Ok(Err(hole.pointer())) };
        spend(to_text(value).len())?;
        return Ok(Ok(value.clone()));
    }
    let mut filled = String::new();
    for part in &parts {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Hole(hole) => {
                let value = hole.find(scope).and_then(text_of);
                let value = value.ok_or_else(|| AnswerError::MissingValue { path: hole.pointer() })?;
                spend(value.len())?;
                filled.push_str(&value);
            }
        }
    }
    Ok(Ok(Value::String(filled)))
}
