//! JSON Schema: 2020-12 by default, draft-07 where `$schema` says so.
//!
//! A schema refers to itself and to the meta-schemas; nothing is ever fetched. Patterns run in linear time: one with
//! look-around or a back-reference is refused.

use crate::bounds::{
    REGEX_BYTES, SCHEMA_BYTES, SCHEMA_DEPTH, SCHEMAS_KEPT, VALUE_BYTES, VALUE_DEPTH, VIOLATIONS, is_deeper,
};
use crate::error::AnswerError;
use crate::template::child;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use wire::json::to_text;
use wire::toolbox::Violation;

/// Fails if a schema is none.
pub(crate) fn check(schema: &Value) -> Result<(), AnswerError> {
    compiled(schema).map(drop)
}

/// Where a value breaks a schema.
pub(crate) fn validate(schema: &Value, value: &Value) -> Result<Vec<Violation>, AnswerError> {
    let validator = compiled(schema)?;
    check_value(value)?;
    if validator.is_valid(value) {
        return Ok(Vec::new());
    }
    Ok(validator.iter_errors(value).flat_map(violations).take(VIOLATIONS).collect())
}

/// Checks arguments. Those that are absent get the defaults of the schema's own properties, after the check (D11).
pub(crate) fn arguments(
    schema: &Value,
    args: &Value,
) -> Result<Result<Map<String, Value>, Vec<Violation>>, AnswerError> {
    let violations = validate(schema, args)?;
    let Value::Object(args) = args else {
        let problem = Violation { path: String::new(), message: "must be an object".to_owned() };
        return Ok(Err(vec![problem]));
    };
    if !violations.is_empty() {
        return Ok(Err(violations));
    }
    let mut args = args.clone();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(default) = property.get("default").filter(|_| !args.contains_key(name)) {
            args.insert(name.clone(), default.clone());
        }
    }
    Ok(Ok(args))
}

fn check_value(value: &Value) -> Result<(), AnswerError> {
    if is_deeper(value, VALUE_DEPTH) {
        return Err(AnswerError::ValueTooLarge { problem: "nested too deep" });
    }
    if to_text(value).len() > VALUE_BYTES {
        return Err(AnswerError::ValueTooLarge { problem: "too long" });
    }
    Ok(())
}

/// A violation at the field it is about: a field that is missing, or should not be there, is named by its own place.
fn violations(error: ValidationError<'_>) -> Vec<Violation> {
    let place = error.instance_path().to_string();
    let at = |path: String, message: String| Violation { path, message };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![at(child(&place, name), "is required".to_owned())]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let unknown = |name: &String| at(child(&place, name), "is not a known field".to_owned());
            unexpected.iter().take(VIOLATIONS).map(unknown).collect()
        }
        // The value itself may be long, and may be private.
        _ => vec![at(place, error.masked().to_string())],
    }
}

thread_local! {
    /// Compiled schemas by their text, the last used first.
    static COMPILED: RefCell<Vec<(String, Rc<Validator>)>> = const { RefCell::new(Vec::new()) };
}

/// The compiled schema, from the cache where it is there.
fn compiled(schema: &Value) -> Result<Rc<Validator>, AnswerError> {
    let text = to_text(schema);
    let known = COMPILED.with_borrow_mut(|kept| {
        let at = kept.iter().position(|(known, _)| *known == text)?;
        let used = kept.remove(at);
        kept.insert(0, used);
        kept.first().map(|(_, validator)| Rc::clone(validator))
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let validator = Rc::new(compile(schema, text.len())?);
    COMPILED.with_borrow_mut(|kept| {
        kept.insert(0, (text, Rc::clone(&validator)));
        kept.truncate(SCHEMAS_KEPT);
    });
    Ok(validator)
}

fn compile(schema: &Value, length: usize) -> Result<Validator, AnswerError> {
    if length > SCHEMA_BYTES {
        return Err(AnswerError::SchemaTooLarge { problem: "too long" });
    }
    if is_deeper(schema, SCHEMA_DEPTH) {
        return Err(AnswerError::SchemaTooLarge { problem: "nested too deep" });
    }
    let patterns = PatternOptions::regex().size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES);
    jsonschema::options()
        .with_draft(draft(schema)?)
        .with_pattern_options(patterns)
        .offline()
        .build(schema)
        .map_err(|error| AnswerError::InvalidSchema {
            path: error.instance_path().to_string(),
            problem: error.masked().to_string(),
        })
}

/// The draft that a schema names.
fn draft(schema: &Value) -> Result<Draft, AnswerError> {
    let named = match schema {
        Value::Object(fields) => fields.get("$schema"),
        Value::Bool(_) => None,
        _ => return Err(invalid("", "must be an object, true or false")),
    };
    match named {
        None => Ok(Draft::Draft202012),
        Some(Value::String(uri)) => match uri.trim_end_matches('#') {
            "https://json-schema.org/draft/2020-12/schema" => Ok(Draft::Draft202012),
            "http://json-schema.org/draft-07/schema" => Ok(Draft::Draft7),
            _ => Err(invalid("/$schema", "is neither 2020-12 nor draft-07")),
        },
        Some(_) => Err(invalid("/$schema", "must be a text")),
    }
}

fn invalid(path: &str, problem: &str) -> AnswerError {
    AnswerError::InvalidSchema { path: path.to_owned(), problem: problem.to_owned() }
}
