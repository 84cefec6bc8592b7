//! What a request may cost. What is larger is refused with a code of its own.

use serde_json::Value;

/// Bytes of a schema's text.
pub const SCHEMA_BYTES: usize = 64 << 10;
/// How deep a schema may be nested.
pub const SCHEMA_DEPTH: usize = 64;
/// Bytes of a value's text, or of a response.
pub const VALUE_BYTES: usize = 4 << 20;
/// How deep a value may be nested.
pub const VALUE_DEPTH: usize = 64;
/// Bytes of an extraction expression.
pub const EXPRESSION_BYTES: usize = 1 << 10;
/// Bytes of what an expression extracts.
pub const RESULT_BYTES: usize = 1 << 20;
/// Bytes of a compiled regular expression, and of the states it may keep while it runs.
pub const REGEX_BYTES: usize = 1 << 20;
/// How many violations are told.
pub const VIOLATIONS: usize = 32;
/// How many compiled schemas are kept.
pub const SCHEMAS_KEPT: usize = 32;

/// Whether a value is nested deeper than this.
pub(crate) fn is_deeper(value: &Value, depth: usize) -> bool {
    let Some(left) = depth.checked_sub(1) else { return true };
    match value {
        Value::Array(values) => values.iter().any(|value| is_deeper(value, left)),
        Value::Object(fields) => fields.values().any(|value| is_deeper(value, left)),
        _ => false,
    }
}
