//! Records as JSON, by tables and shared code.
//!
//! What serde derives for a record is code of its own for each type. The core is loaded all day and its size is its
//! latency, so records are read and written by a few functions that all types share: [`derive::Record`] writes the list
//! of a type's fields and nothing else. Writing cannot fail. Reading goes over a [`Value`], parsed once, whose depth the
//! parser bounds; an error names its place as a JSON pointer.
//!
//! The attributes are serde's (`#[serde(rename_all = "camelCase")]`, …), and so is every byte that is written. Records
//! implement serde's traits as well, for crates where size does not matter.

mod field;
mod object;
mod read;
mod write;

pub use field::{FieldError, wipe};
pub use object::{Body, Object};
pub use read::{Fields, FromFields, FromJson, Reader};
pub use serde;
pub use serde_json::Value;
pub use write::{Raw, ToFields, ToJson, Writer};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// An enum whose variants are names alone.
pub trait Named: Copy {
    /// The names, in the order of the variants.
    const NAMES: &'static [&'static str];

    /// Its name.
    fn name(self) -> &'static str;
}

/// Writes a record.
pub fn to_text(record: &dyn ToJson) -> String {
    let mut out = Writer::default();
    record.to_json(&mut out);
    out.finish()
}

/// A record as a value.
pub fn to_value(record: &dyn ToJson) -> Value {
    // Text that was just written is JSON; nested too deep for the parser, it is nothing.
    serde_json::from_str(&to_text(record)).unwrap_or_default()
}

/// Reads a record.
pub fn from_text<T: FromJson>(text: &str) -> Result<T, FieldError> {
    from_value(parse(text)?)
}

/// Reads JSON.
pub fn parse(text: &str) -> Result<Value, FieldError> {
    serde_json::from_str(text)
        .map_err(|error| FieldError::NotJson { line: error.line(), column: error.column() })
}

/// Reads a record from a value.
pub fn from_value<T: FromJson>(value: Value) -> Result<T, FieldError> {
    let mut reader = Reader::default();
    let record = T::from_json(value, &mut reader);
    match reader.finish() {
        None => Ok(record),
        Some(error) => Err(error),
    }
}

/// What `Serialize` does for a record: its text, as it is.
pub fn serialize<S: Serializer>(record: &dyn ToJson, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(to_text(record)).map_err(S::Error::custom)?.serialize(serializer)
}

/// What `Deserialize` does for a record.
pub fn deserialize<'de, T: FromJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}
