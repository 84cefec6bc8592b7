//! Why a request is refused.

use derive::Code;
use wire::toolbox::ToolboxError;

/// Why a request is refused. Nothing was done.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum AnswerError {
    /// Not a request.
    #[error("not a request to the toolbox")]
    #[code("malformed_request")]
    Malformed,
    /// A schema that is too long or nested too deep.
    #[error("the schema is too large: {problem}")]
    SchemaTooLarge {
        /// In which way.
        problem: &'static str,
    },
    /// Not a schema.
    #[error("not a JSON Schema: {problem}")]
    InvalidSchema {
        /// Where, as a JSON pointer into the schema.
        path: String,
        /// Why.
        problem: String,
    },
    /// A value or response that is too long or nested too deep.
    #[error("the value is too large: {problem}")]
    ValueTooLarge {
        /// In which way.
        problem: &'static str,
    },
    /// Not an extraction expression.
    #[error("not an extraction expression: {problem}")]
    InvalidExpression {
        /// Why.
        problem: String,
    },
    /// A response that should be JSON and is not.
    #[error("the response is not JSON: line {line} column {column}")]
    ResponseNotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// What an expression extracts is too long.
    #[error("the extracted value is too large")]
    ResultTooLarge,
}

impl AnswerError {
    /// The place it is about.
    fn path(&self) -> Option<&str> {
        match self {
            Self::InvalidSchema { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl From<AnswerError> for ToolboxError {
    fn from(error: AnswerError) -> Self {
        let path = error.path().map(str::to_owned);
        Self { code: error.code().to_owned(), message: error.to_string(), path }
    }
}
