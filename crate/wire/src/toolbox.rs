//! Between the core and the toolbox: a module of its own that is loaded when a tool's schema, expression or template is
//! used. It holds the libraries that are too heavy for the core.
//!
//! The toolbox sees no secret. What it keeps between two requests it could make again from the next one.
//!
//! In JSON the name of a request or reply stands around its fields, as in [`crate::signer`].

use derive::Record;
use serde_json::Value;

/// What the toolbox is asked to do.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Request {
    /// Whether a schema is one. Answered with [`Reply::Done`].
    CheckSchema {
        /// A JSON Schema: 2020-12, or draft-07 where `$schema` says so.
        schema: Value,
    },
    /// Checks a value against a schema. Answered with [`Reply::Validated`].
    Validate {
        /// The schema.
        schema: Value,
        /// The value.
        value: Value,
    },
    /// Whether an extraction expression is one. Answered with [`Reply::Done`].
    CheckExpression {
        /// The expression.
        expr: String,
        /// What it is applied to.
        encoding: Encoding,
    },
    /// Extracts a value from a response. Answered with [`Reply::Extracted`] or [`Reply::NoMatch`].
    Extract {
        /// The expression: JSONPath for JSON, a regular expression for text.
        expr: String,
        /// How the response is read.
        encoding: Encoding,
        /// The response.
        body: String,
    },
}

/// How a response is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As JSON.
    Json,
    /// As text.
    Text,
}

/// What the toolbox answers.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Reply {
    /// What was asked holds.
    Done {},
    /// A value was checked.
    Validated {
        /// Where it breaks its schema; empty if nowhere.
        violations: Vec<Violation>,
    },
    /// A value was extracted.
    Extracted {
        /// The value.
        value: Value,
    },
    /// The expression fits nothing in the response.
    NoMatch {},
    /// The request was refused.
    Refused(ToolboxError),
}

/// Where a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct Violation {
    /// The place in the value, as a JSON pointer.
    pub path: String,
    /// What is wrong there, for a person.
    pub message: String,
}

/// Why the toolbox refused a request.
#[derive(Debug, Clone, PartialEq, Eq, Record, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ToolboxError {
    /// Stable, snake_case: `invalid_schema`, `too_expensive`, …
    pub code: String,
    /// For a person.
    pub message: String,
    /// The place it is about, as a JSON pointer into the checked schema, value or record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl ToolboxError {
    /// The code of a toolbox that could not be loaded, or crashed.
    pub const UNAVAILABLE: &'static str = "toolbox_unavailable";

    /// The toolbox gave no answer.
    pub fn unavailable() -> Self {
        let message = "the toolbox gave no answer".to_owned();
        Self { code: Self::UNAVAILABLE.to_owned(), message, path: None }
    }
}
