//! The token that goes with a request of the client.

use super::challenge::{Next, authorization, challenge};
use super::{AuthError, ServerAuth};
use crate::Core;
use crate::mcp::McpError;
use crate::secrets::{self, FillError, Filled, ForTool, SecretError, SignInError};
use crate::vault::VaultError;
use wire::pieces::RequestPieces;

/// Why a server refused a request: what it says of how to sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// 401, or 403 where the token lacks a scope.
    pub(crate) status: u16,
    /// The header `WWW-Authenticate`.
    pub(crate) www_authenticate: Option<String>,
}

/// A token on its way out. Prints as nothing.
#[derive(Debug)]
pub(crate) struct Bearer(Filled);

impl Bearer {
    /// The header that has it.
    pub(crate) fn header(&self) -> Option<(String, String)> {
        self.0.request("POST").headers.into_iter().next()
    }

    /// A text of the server's without it: a server may repeat what it was sent.
    pub(crate) fn masked(&self, text: String) -> String {
        self.0.masked(text)
    }
}

/// The token for a request to a server, refreshed if need be; `None` if it is not signed in. For a call whose password may
/// have been given.
pub(crate) async fn bearer(
    core: &Core,
    server: &ServerAuth,
    call_id: Option<&str>,
) -> Result<Option<Bearer>, McpError> {
    let Some(request) = request(core, server).await? else { return Ok(None) };
    match secrets::fill(core, for_server(server, call_id), request).await {
        Ok(filled) => Ok(Some(Bearer(filled))),
        Err(FillError::TokensMissing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Another token than the one that was refused. An error says what the user must do; for a request that was sent `again`
/// with another token, always.
pub(crate) async fn renewed(
    core: &Core,
    (server, call_id): (&ServerAuth, Option<&str>),
    refused: Option<Bearer>,
    (asked, again): (&Challenge, bool),
) -> Result<Bearer, McpError> {
    let header = (asked.status, asked.www_authenticate.as_deref());
    let mut next = challenge(core, server, header, again).await?;
    if next == Next::Renew {
        let other = match (refused, request(core, server).await?) {
            (Some(Bearer(refused)), Some(request)) => {
                secrets::refill(core, for_server(server, call_id), request, &refused).await
            }
            // The user signed in meanwhile.
            (None, Some(request)) => {
                secrets::fill(core, for_server(server, call_id), request).await.map(Some)
            }
            (_, None) => Ok(None),
        };
        match other {
            Ok(Some(filled)) => return Ok(Bearer(filled)),
            Ok(None) | Err(FillError::TokensMissing) => {}
            Err(error) => return Err(error.into()),
        }
        next = challenge(core, server, header, true).await?;
    }
    Err(match next {
        Next::Refused => McpError::Status { status: asked.status },
        Next::SignIn { .. } | Next::Renew => McpError::SignInRequired,
    })
}

/// A request with the token's header alone.
async fn request(core: &Core, server: &ServerAuth) -> Result<Option<RequestPieces>, McpError> {
    let header = authorization(core, server).await?;
    Ok(header.map(|header| RequestPieces { headers: vec![header], ..RequestPieces::default() }))
}

const fn for_server<'a>(server: &'a ServerAuth, call_id: Option<&'a str>) -> ForTool<'a> {
    ForTool { call_id, tool_id: server.id.as_str(), server: None }
}

impl From<FillError> for McpError {
    fn from(error: FillError) -> Self {
        match error {
            FillError::Locked { vault_id, vault_name } => Self::Locked { vault_id, vault_name },
            FillError::Store(error) => Self::Store(error),
            FillError::TokensMissing => Self::SignInRequired,
            other => Self::Token(other),
        }
    }
}

impl From<AuthError> for McpError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::SignIn(SignInError::Secret(SecretError::Vault(VaultError::Store(error)))) => {
                Self::Store(error)
            }
            _ => Self::SignInRequired,
        }
    }
}
