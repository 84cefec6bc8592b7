//! Reading a tool's parameters: every refusal names its place.

use super::{Params, ToolError};
use chains::Chain;
use serde_json::{Map, Value};

/// `invalid_params: <path> <problem>`.
pub(crate) fn invalid(path: &str, problem: &str) -> String {
    format!("invalid_params: {path} {problem}")
}

/// The entries of an array tool: at least one.
pub(crate) fn entries<'a>(params: &'a Params, name: &str) -> Result<&'a [Value], ToolError> {
    match params.get(name) {
        Some(Value::Array(entries)) if !entries.is_empty() => Ok(entries),
        Some(Value::Array(_)) => {
            Err(ToolError::Refused(invalid(&format!("/{name}"), "must have at least one entry")))
        }
        _ => Err(ToolError::Refused(invalid(&format!("/{name}"), "must be an array"))),
    }
}

/// An entry's text, trimmed; empty counts as absent.
pub(crate) fn text(fields: &Map<String, Value>, path: &str, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)),
        Some(_) => Err(invalid(&format!("{path}/{name}"), "must be a string")),
    }
}

/// An entry's text that must be there.
pub(crate) fn required(fields: &Map<String, Value>, path: &str, name: &str) -> Result<String, String> {
    text(fields, path, name)?.ok_or_else(|| invalid(&format!("{path}/{name}"), "must be a non-empty string"))
}

/// An entry's fields.
pub(crate) fn object<'a>(path: &str, entry: &'a Value) -> Result<&'a Map<String, Value>, String> {
    entry.as_object().ok_or_else(|| invalid(path, "must be an object"))
}

/// The chain of a name.
pub(crate) fn resolve(name: &str) -> Result<Chain, String> {
    Chain::parse(name).ok_or_else(|| format!("unknown_chain: {name:?}"))
}
