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
/// Bytes of a compiled pattern of a schema, and of the states it may keep while it runs.
pub const SCHEMA_REGEX_BYTES: usize = 64 << 10;
/// How many schemas a schema may be made of, with all that it refers to.
pub const SCHEMA_PARTS: usize = 4096;
/// Steps that the check of a value may take.
pub const VALIDATION_STEPS: u64 = 5_000_000;
/// Steps of a check up to which all violations are told: an error is kept for each.
pub const ALL_VIOLATIONS_STEPS: u64 = 20_000;
/// How many schemas may be applied inside of one another: each is a few frames of the stack.
pub const CHAIN_LENGTH: u64 = 256;
/// Bytes of a compiled expression, and of the longest text that it is applied to.
pub const REGEX_TIERS: &[(usize, usize)] =
    &[(8 << 10, VALUE_BYTES), (64 << 10, VALUE_BYTES >> 3), (256 << 10, VALUE_BYTES >> 5)];
/// How deep brackets and parentheses of a JSONPath may be nested.
pub const PATH_NESTING: usize = 8;
/// Steps that a JSONPath may take.
pub const PATH_STEPS: u64 = 10_000_000;
/// Bytes of a compiled pattern of a JSONPath.
pub const PATH_REGEX_BYTES: usize = 64 << 10;
/// Bytes of texts that the patterns of a JSONPath may be applied to; compiling them counts too.
pub const PATH_REGEX_STEPS: u64 = 1 << 20;
/// How many violations are told.
pub const VIOLATIONS: usize = 32;
/// How many compiled schemas are kept.
pub const SCHEMAS_KEPT: usize = 32;

/// How many letters a slug, a version or a tag may have.
pub const NAME_LETTERS: usize = 64;
/// How many letters a display name may have.
pub const DISPLAY_NAME_LETTERS: usize = 128;
/// Bytes of a description.
pub const DESCRIPTION_BYTES: usize = 4 << 10;
/// Bytes of an address, as a template and as it is sent.
pub const URL_BYTES: usize = 8 << 10;
/// Bytes of the template of a header.
pub const HEADER_BYTES: usize = 4 << 10;
/// Bytes of the template of a body.
pub const BODY_BYTES: usize = 64 << 10;
/// How many tags, headers, dependencies or scopes there may be.
pub const LIST_LENGTH: usize = 32;
/// How many steps a tool may have.
pub const STEPS: usize = 16;
/// The longest time for a call, in milliseconds.
pub const TIMEOUT_MS: u64 = 300_000;
/// The most attempts after the first.
pub const RETRIES: u64 = 10;
/// The most bytes that a tool may send.
pub const REQUEST_BYTES: u64 = 1 << 20;
/// The most bytes that a tool may receive.
pub const RESPONSE_BYTES: u64 = VALUE_BYTES as u64;
/// The most calls in a minute that can be asked for.
pub const CALLS_PER_MINUTE: u64 = 6_000;
/// How many errors of a record are told.
pub const RECORD_ERRORS: usize = 32;
/// Bytes of a `curl` command.
pub const CURL_BYTES: usize = 64 << 10;

/// Bytes of an archive.
pub const ARCHIVE_BYTES: usize = 4 << 20;
/// How many files and folders an archive may have: a thousand tools, their bundle, and what systems add.
pub const ARCHIVE_ENTRIES: usize = 1_024;
/// Bytes of a file of an archive.
pub const FILE_BYTES: usize = 512 << 10;
/// Bytes of all files of an archive.
pub const UNPACKED_BYTES: usize = 8 << 20;
/// How many times as long a file may be outside of the archive, if it is longer than [`DENSE_BYTES`].
pub const INFLATE_RATIO: usize = 100;
/// A file up to this length may be packed as densely as it can.
pub const DENSE_BYTES: usize = 64 << 10;
/// Bytes of the path of a file in an archive.
pub const FILE_NAME_BYTES: usize = 512;
/// How many problems of an archive are told.
pub const ARCHIVE_PROBLEMS: usize = 64;

/// Bytes of a value's text, a little less where texts have escapes or numbers many digits.
pub(crate) fn text_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 1,
        Value::String(text) => text.len() + 2,
        Value::Array(values) => values.iter().map(|value| text_bytes(value) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| name.len() + text_bytes(value) + 4).sum::<usize>() + 2
        }
    }
}

/// Whether a value is nested deeper than this.
pub(crate) fn is_deeper(value: &Value, depth: usize) -> bool {
    let Some(left) = depth.checked_sub(1) else { return true };
    match value {
        Value::Array(values) => values.iter().any(|value| is_deeper(value, left)),
        Value::Object(fields) => fields.values().any(|value| is_deeper(value, left)),
        _ => false,
    }
}
