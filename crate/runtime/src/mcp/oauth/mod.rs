//! Authorization of MCP servers: OAuth 2.1 as revision 2026-07-28 has it, and as those before it had it.
//!
//! ```text
//! 401 WWW-Authenticate ─▶ challenge ─▶ SignIn                       what the server asks for is kept
//! page: begin ─▶ resource metadata (RFC 9728) ─▶ authorization server (RFC 8414, OpenID Connect) ─▶ client id ─▶ address
//! page: finish ─▶ state, iss (RFC 9207) ─▶ code, verifier, resource (RFC 8707) ─▶ tokens, sealed under the server's id
//! request: authorization ─▶ header with a hole ─▶ the signer fills it; 401 again ─▶ Renew ─▶ refresh, once
//! ```
//!
//! All documents here are the words of servers. They decide where requests go, so each address in them is checked
//! ([`address`]), and what one document says of itself must be what led to it: a resource's metadata name the MCP server,
//! an authorization server's metadata name their issuer, an answer names its issuer.
//!
//! | revision | here |
//! |---|---|
//! | 2025-03-26 | no resource metadata: the server's origin is the authorization server, with the usual paths if it has no metadata |
//! | 2025-06-18 | resource metadata, `resource` |
//! | 2025-11-25 | OpenID Connect discovery, `S256` must be advertised, client id metadata documents, `scope` in challenges |
//! | 2026-07-28 | `iss`, registrations bound to an issuer, the union of scopes, `application_type` |

mod address;
pub mod authorize;
mod bearer;
mod challenge;
mod client;
mod discover;
mod error;
mod fetch;
mod header;
mod metadata;
mod scope;

pub(crate) use bearer::{Bearer, Challenge, bearer, renewed};
pub use challenge::{Next, authorization, challenge};
pub use error::{AuthError, NotRegistered};

use crate::Core;
use crate::store::{Batch, StoreError, owned_tables};
use challenge::ChallengeRow;

owned_tables! {
    /// Server id → what it last said of the sign-in that it wants.
    CHALLENGES: ChallengesRight = McpChallenges, ChallengeRow;
}

/// What signing in to an MCP server needs of its settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerAuth {
    /// Ours; its tokens are kept under it.
    pub id: String,
    /// Its address.
    pub url: String,
    /// The revision of the protocol that it speaks, once that is known.
    pub protocol_version: Option<String>,
    /// Who we are at its authorization server, if the user registered us there.
    pub client_id: Option<String>,
    /// The name of the user's secret that proves it.
    pub client_secret_name: Option<String>,
    /// The address of a client id metadata document, where the user has one.
    pub client_metadata_url: Option<String>,
}

impl ServerAuth {
    /// The name under which a client's secret is saved that came with the settings of a server.
    pub fn secret_name(server_id: &str) -> String {
        let id = server_id.bytes().filter(u8::is_ascii_alphanumeric).take(48);
        let id: String = id.map(|byte| char::from(byte.to_ascii_uppercase())).collect();
        ["MCP_CLIENT_", &id].concat()
    }
}

/// Stages the removal of what is kept for a server that is removed: its tokens, who we are at its authorization server, the
/// client's secret, and what it asked for.
pub async fn stage_removal(core: &Core, server_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
    batch.delete(CHALLENGES, server_id);
    core.secrets.stage_secret_removal(&ServerAuth::secret_name(server_id), batch).await?;
    core.secrets.stage_tool_removal(server_id, batch).await
}
