//! Errors of a node on this machine.

use std::time::Duration;

/// Why a node did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The node did not start.
    #[error("{node} did not start: {problem} (`cargo xtask setup` installs it)")]
    Start {
        /// The node.
        node: String,
        /// Why.
        problem: String,
    },
    /// The node refused, with its own message.
    #[error("{method}: {message}")]
    Refused {
        /// The request.
        method: String,
        /// The node's answer.
        message: String,
    },
    /// No answer, or an invalid one.
    #[error("{url}: {problem}")]
    Http {
        /// The URL.
        url: String,
        /// What was seen.
        problem: String,
    },
    /// An answer with an unexpected shape.
    #[error("{what} is not as expected: {found}")]
    Shape {
        /// What was read.
        what: String,
        /// What was found.
        found: String,
    },
    /// There is no contract of that name.
    #[error("there is no contract `{0}` in contracts.json")]
    NoContract(String),
    /// A wait timed out.
    #[error("waited {timeout:?} for {what}; {seen}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        timeout: Duration,
        /// What was seen last.
        seen: String,
    },
    /// The operating system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// The stable code of the error.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Start { .. } => "start",
            Self::Refused { .. } => "refused",
            Self::Http { .. } => "http",
            Self::Shape { .. } => "shape",
            Self::NoContract(_) => "no_contract",
            Self::Timeout { .. } => "timeout",
            Self::Io(_) => "io",
        }
    }

    pub(crate) fn http(url: &str, problem: impl ToString) -> Self {
        Self::Http { url: url.to_owned(), problem: problem.to_string() }
    }

    pub(crate) fn shape(what: impl Into<String>, found: impl ToString) -> Self {
        Self::Shape { what: what.into(), found: found.to_string() }
    }
}
