//! Errors between a test and the browser.

use std::time::Duration;

/// Why the browser did not do what a test asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The driver or the browser did not start.
    #[error("{0} (is it installed? `cargo xtask setup` installs Chromium and ChromeDriver)")]
    Start(String),
    /// The driver refused a command, or the page's script threw.
    #[error("{command}: {message}")]
    Command {
        /// The command.
        command: String,
        /// The driver's answer.
        message: String,
    },
    /// The browser refused a DevTools command, or the connection to it ended.
    #[error("{method}: {message}")]
    DevTools {
        /// The command.
        method: String,
        /// Its answer.
        message: String,
    },
    /// The extension's service worker is not running.
    #[error("the service worker is not running")]
    NoWorker,
    /// A wait timed out.
    #[error("waited {timeout:?} for {what}; last seen: {last}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        timeout: Duration,
        /// What was seen last.
        last: String,
    },
    /// The wallet refused a request.
    #[error("{request} was answered with {status}: {body}")]
    Answer {
        /// Method and path.
        request: String,
        /// The status.
        status: u16,
        /// The body.
        body: String,
    },
    /// The wallet refused a request of a page.
    #[error("{method}: {code} {message}")]
    Rpc {
        /// The method.
        method: String,
        /// The code, as EIP-1193, EIP-1474, EIP-5792 and the CAIPs have them.
        code: i64,
        /// The wallet's sentence.
        message: String,
        /// What the wallet says besides.
        data: serde_json::Value,
    },
    /// A node did not start, or refused.
    #[error(transparent)]
    Node(#[from] nodes::Error),
    /// Not ready yet, with what was seen instead. Made by [`crate::not_yet`].
    #[error("{0}")]
    NotYet(String),
    /// A file or an environment variable is invalid.
    #[error("{0}")]
    Input(String),
    /// The operating system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// The code with which the wallet refused a request of a page.
    pub fn rpc_code(&self) -> Option<i64> {
        match self {
            Self::Rpc { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Adds the command to an answer of the driver.
    pub(crate) fn command(command: impl Into<String>) -> impl FnOnce(fantoccini::error::CmdError) -> Self {
        let command = command.into();
        |error| Self::Command { command, message: error.to_string() }
    }

    /// Adds the command to an answer of the browser.
    pub(crate) fn devtools(method: &str, message: impl ToString) -> Self {
        Self::DevTools { method: method.to_owned(), message: message.to_string() }
    }
}
