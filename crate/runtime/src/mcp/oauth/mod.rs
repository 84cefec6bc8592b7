//! OAuth 2.1 of MCP servers: the token that goes with a request.

use super::McpError;
use super::row::ServerRow;
use crate::Core;
use wire::secret::SecretText;

/// Why a server refused a request: what it says of how to sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// 401, or 403 where the token lacks a scope.
    pub(crate) status: u16,
    /// The header `WWW-Authenticate`.
    pub(crate) www_authenticate: Option<String>,
}

/// The token for a request to a server, for a call whose password may have been given; another one than was refused.
pub(crate) async fn bearer(
    _core: &Core,
    _server: &ServerRow,
    _call_id: Option<&str>,
    _refused: Option<&Challenge>,
) -> Result<Option<SecretText>, McpError> {
    Ok(None)
}
