//! Why a server of MCP cannot be used, and why it is not added or changed.

use crate::http::ApiError;
use crate::ports::NetError;
use crate::secrets::{FillError, SecretError};
use crate::store::StoreError;
use crate::tool::Refusal;
use crate::tools::ToolStoreError;
use crate::vault::VaultError;
use derive::Code;
use serde_json::Value;
use wire::api::Millis;
use wire::failure::Failure;

/// Why a request to a server has no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum McpError {
    /// The server is no longer there, or is not to be used.
    #[error("there is no such MCP server")]
    #[code("mcp_server_not_found")]
    ServerGone,
    /// The user does not want this tool of the server.
    #[error("this tool is not among those that are allowed of the server")]
    ToolNotAllowed,
    /// The server could not be reached, or the answer broke off.
    #[error("{0}")]
    #[code("host_unreachable")]
    Unreachable(NetError),
    /// The server answered with a redirect.
    #[error("the server redirects elsewhere, which is not followed")]
    RedirectRefused,
    /// A status without an answer.
    #[error("the server answered with status {status}")]
    #[code("http_status")]
    Status {
        /// The status.
        status: u16,
    },
    /// The server wants the user to sign in.
    #[error("the server wants you to sign in")]
    SignInRequired,
    /// The vault that holds the token is locked.
    #[error("the vault that holds the server's token is locked")]
    #[code("password_required")]
    Locked {
        /// Its id.
        vault_id: String,
        /// Its name.
        vault_name: String,
    },
    /// The server's token could not be refreshed or filled in.
    #[error(transparent)]
    #[code(transparent)]
    Token(FillError),
    /// The server refuses requests of browser extensions.
    #[error("the server refuses requests of browser extensions because of their Origin header")]
    OriginRefused,
    /// The session is not known to the server any more.
    #[error("the server does not know the session any more")]
    SessionLost,
    /// The server speaks no revision that we speak.
    #[error("the server speaks another version of MCP")]
    #[code("unsupported_version")]
    UnsupportedVersion,
    /// What came is not what MCP says.
    #[error("the server's answer cannot be used: {problem}")]
    InvalidAnswer {
        /// Why.
        problem: String,
    },
    /// The answer is larger than any may be (M17).
    #[error("the answer is larger than {limit} bytes")]
    #[code("response_too_large")]
    TooLarge {
        /// The most.
        limit: usize,
    },
    /// The stream ended before the answer.
    #[error("the answer broke off: {problem}")]
    #[code("host_unreachable")]
    Broken {
        /// How.
        problem: String,
    },
    /// No answer in time.
    #[error("no answer within {millis} ms")]
    TimedOut {
        /// The time.
        millis: Millis,
    },
    /// The server answered with an error of its own (JSON-RPC).
    #[error("{message} ({code})")]
    #[code("mcp_error")]
    Rpc {
        /// HTTP status.
        status: u16,
        /// The code.
        code: i64,
        /// The server's words.
        message: String,
        /// More of it.
        data: Value,
    },
    /// The tool itself says that it failed.
    #[error("{text}")]
    ToolFailed {
        /// The tool's words.
        text: String,
    },
    /// The result is not what the tool promises.
    #[error("the result is not what the tool promises: it has no structuredContent")]
    #[code("output_mismatch")]
    NoStructuredContent,
    /// The call may have been executed, and is not made again (M16).
    #[error("{why}: the server may have done it, and it is not called again")]
    OutcomeUnknown {
        /// What happened.
        why: String,
    },
    /// The tool is no longer what was allowed.
    #[error("the tool is no longer the one that was allowed: call it again")]
    DefinitionChanged,
    /// The server asked again and again.
    #[error("the server asked too many questions")]
    TooManyQuestions,
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl McpError {
    /// What came is not what MCP says.
    pub(super) fn invalid(problem: impl ToString) -> Self {
        Self::InvalidAnswer { problem: problem.to_string() }
    }

    /// Whether the request was surely not executed.
    pub(super) const fn is_refusal(&self) -> bool {
        match self {
            Self::Status { status } | Self::Rpc { status, .. } => *status >= 400 && *status < 500,
            Self::Unreachable(_)
            | Self::InvalidAnswer { .. }
            | Self::TooLarge { .. }
            | Self::Broken { .. }
            | Self::RedirectRefused
            | Self::TimedOut { .. } => false,
            _ => true,
        }
    }
}

impl From<NetError> for McpError {
    fn from(error: NetError) -> Self {
        if error.is_redirect() { Self::RedirectRefused } else { Self::Unreachable(error) }
    }
}

impl From<McpError> for Failure {
    fn from(error: McpError) -> Self {
        if let McpError::Token(error) = &error {
            return error.failure();
        }
        Self::of(error.code(), &error)
    }
}

impl From<McpError> for Refusal {
    fn from(error: McpError) -> Self {
        Failure::from(error).into()
    }
}

/// Why a server is not added, changed or used by a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum ServerError {
    /// There is no such server.
    #[error("there is no such MCP server")]
    #[code("mcp_server_not_found")]
    NotFound,
    /// The server has no such tool.
    #[error("the server has no such tool")]
    ToolNotFound,
    /// The definition that is allowed is not the tool's.
    #[error("the tool has another definition by now: look at it again")]
    #[code("stale_answer")]
    StaleDefinition,
    /// Another server has this name, or one that is spelled the same in the names of tools.
    #[error("another MCP server has this name")]
    ServerNameTaken,
    /// An extension cannot start programs.
    #[error(
        "a browser extension cannot start a program: run the server behind a local proxy that speaks Streamable HTTP, such as \
         mcp-proxy, and add its http://127.0.0.1 address"
    )]
    StdioUnsupported,
    /// There are as many servers as may be.
    #[error("there are {} MCP servers, which is the most", super::MAX_SERVERS)]
    TooManyServers,
    /// The records changed again and again.
    #[error("the records changed too often")]
    #[code("conflict")]
    Busy,
    /// The password is missing or wrong.
    #[error(transparent)]
    #[code(transparent)]
    Vault(#[from] VaultError),
    /// The client's secret is not saved.
    #[error(transparent)]
    #[code(transparent)]
    Secret(#[from] SecretError),
    /// The tool store refused.
    #[error(transparent)]
    #[code(transparent)]
    Tools(#[from] ToolStoreError),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<ServerError> for ApiError {
    fn from(error: ServerError) -> Self {
        let status = match error {
            ServerError::NotFound | ServerError::ToolNotFound => 404,
            ServerError::StaleDefinition | ServerError::ServerNameTaken | ServerError::Busy => 409,
            ServerError::StdioUnsupported => {
                return Self::new(400, error.code(), error.to_string()).at("/transport");
            }
            ServerError::TooManyServers => 422,
            ServerError::Vault(error) => return error.into(),
            ServerError::Secret(error) => return error.into(),
            ServerError::Tools(error) => return error.into(),
            ServerError::Store(error) => return error.into(),
        };
        Self::new(status, error.code(), error.to_string())
    }
}
