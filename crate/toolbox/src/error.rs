//! Why a request is refused.

use crate::curl::CurlError;
use crate::index::IndexError;
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
    /// What an expression extracts, or a template becomes, is too long.
    #[error("the result is too large")]
    ResultTooLarge,
    /// Something that would take too long.
    #[error("{what} would take too long")]
    TooExpensive {
        /// What.
        what: &'static str,
    },
    /// A stored tool that cannot be run.
    #[error("the tool cannot be run: {problem}")]
    InvalidTool {
        /// Where, as a JSON pointer into the record.
        path: String,
        /// Why.
        problem: String,
    },
    /// A tool without an OAuth 2 server.
    #[error("the tool does not sign in anywhere")]
    #[code("sign_in_unsupported")]
    NoSignIn,
    /// An address that a request cannot go to.
    #[error("{problem}")]
    InvalidUrl {
        /// Why.
        problem: &'static str,
    },
    /// A host that is not on the list.
    #[error("{host} is not among the allowed hosts")]
    HostNotAllowed {
        /// With its port.
        host: String,
    },
    /// A request that is longer than the tool allows.
    #[error("the request is too large")]
    RequestTooLarge,
    /// A status that does not mean success.
    #[error("the server answered with status {status}")]
    HttpStatus {
        /// The status.
        status: u16,
    },
    /// The expression fits nothing in the response.
    #[error("the response has nothing where the tool looks for its value")]
    NoMatch,
    /// A value that breaks the schema of the tool's output.
    #[error("the response is not what the tool promises: {path} {problem}")]
    OutputMismatch {
        /// Where, as a JSON pointer into the value.
        path: String,
        /// Why.
        problem: String,
    },
    /// A placeholder for something that is not there.
    #[error("there is no value for {path}")]
    MissingValue {
        /// Where it would be, as a JSON pointer.
        path: String,
    },
    /// A command that cannot be read.
    #[error(transparent)]
    #[code(transparent)]
    Curl(#[from] CurlError),
    /// From the index of tools.
    #[error(transparent)]
    #[code(transparent)]
    Index(#[from] IndexError),
}

impl AnswerError {
    /// The place it is about.
    fn path(&self) -> Option<String> {
        match self {
            Self::InvalidSchema { path, .. }
            | Self::InvalidTool { path, .. }
            | Self::OutputMismatch { path, .. }
            | Self::MissingValue { path } => Some(path.clone()),
            Self::Index(error) => error.path(),
            _ => None,
        }
    }
}

impl From<AnswerError> for ToolboxError {
    fn from(error: AnswerError) -> Self {
        let path = error.path();
        Self { code: error.code().to_owned(), message: error.to_string(), path }
    }
}
