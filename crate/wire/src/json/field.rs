//! What is wrong with a record, and where.

use crate::secret::SecretText;
use derive::Code;
use serde_json::Value;
use std::borrow::Cow;

/// Why a record could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum FieldError {
    /// The text is not JSON, or nested too deep.
    #[error("not JSON at line {line} column {column}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// A field that must be there is not.
    #[error("missing field `{}`", name(.path))]
    #[code("missing_field")]
    Missing {
        /// Where, as a JSON pointer.
        path: String,
    },
    /// A field holds what it cannot hold.
    #[error("invalid value of field `{}`", name(.path))]
    #[code("invalid_field")]
    Invalid {
        /// Where, as a JSON pointer.
        path: String,
    },
    /// A field that has no meaning there.
    #[error("unknown field `{}`", name(.path))]
    #[code("unknown_field")]
    Unknown {
        /// Where, as a JSON pointer.
        path: String,
    },
    /// A field breaks a rule of its own.
    #[error("{path}{gap}{problem}", gap = if .path.is_empty() { "" } else { " " })]
    #[code("invalid_field")]
    Rule {
        /// Where, as a JSON pointer.
        path: String,
        /// What is wrong, with a verb first: `must be a string`.
        problem: Cow<'static, str>,
    },
}

impl FieldError {
    /// A rule of the field at a place.
    pub fn rule(path: impl Into<String>, problem: impl Into<Cow<'static, str>>) -> Self {
        Self::Rule { path: path.into(), problem: problem.into() }
    }

    /// Where, as a JSON pointer; empty for the record as a whole.
    pub fn path(&self) -> &str {
        match self {
            Self::NotJson { .. } => "",
            Self::Missing { path }
            | Self::Invalid { path }
            | Self::Unknown { path }
            | Self::Rule { path, .. } => path,
        }
    }

    /// What is wrong there, without the place.
    pub fn problem(&self) -> String {
        match self {
            Self::Rule { problem, .. } => problem.clone().into_owned(),
            other => other.to_string(),
        }
    }
}

/// A pointer as a name: that of a field of the record itself is its own.
fn name(path: &str) -> &str {
    path.strip_prefix('/').unwrap_or(path)
}

/// Wipes every text in a value: any may be a secret in the wrong place.
pub fn wipe(value: &mut Value) {
    match value {
        Value::String(text) => drop(SecretText::new(std::mem::take(text))),
        Value::Array(values) => values.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.values_mut().for_each(wipe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
