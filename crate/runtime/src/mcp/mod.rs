//! The client of the Model Context Protocol (specification 004, rules M1 to M17): tools that are discovered on servers.
//!
//! ```text
//! refresh.rs ── list ──▶ records.rs ──▶ the tool store: a bundle of the server's, under the same switches, policy and audit
//! call/      ── call ──▶ exchange.rs ──▶ link.rs ──▶ the port `Net`
//! protocol/  what is sent and how answers are read, without I/O
//! ```
//!
//! What a server says is text. A tool is what its definition says: the user allows one by its digest ([`pins`]), and is asked
//! again when it is another. All of this is code of the later part.

mod aside;
mod call;
mod error;
mod exchange;
mod given;
mod link;
pub mod oauth;
mod pins;
mod protocol;
mod records;
mod refresh;
mod row;
mod servers;
mod settle;
mod stream;
mod view;

pub(crate) use call::McpTool;
pub(crate) use error::{McpError, ServerError};
pub(crate) use pins::{Pin, stage as stage_pin};
pub(crate) use protocol::definition::DefinitionError;
pub(crate) use refresh::{refresh, refresh_stale};
pub(crate) use row::{is_in_flight, stage_ended};
pub(crate) use servers::{add, allow, auth, patch, remove, signed_out};
pub(crate) use settle::{Reaction, check_content, stage_given};
pub(crate) use view::{get, list};

use crate::Core;
use crate::store::{StoreError, owned_tables};
use row::{PinRow, RunRow, ServerRow};

owned_tables! {
    /// Server id → an MCP server. The bundle of its tools has the same id.
    SERVERS: McpServersRight = McpServers, ServerRow;
    /// Server id and name of a tool → the definition that the user allowed.
    PINS: McpPinsRight = McpPins, PinRow;
    /// Call id → how far a call of an MCP tool is.
    RUNS: McpRunsRight = McpRuns, RunRow;
}

/// Answers of servers that wait for a person, in this worker.
pub(crate) type OpenStreams = call::Parked;

/// Servers that the user may have.
pub(crate) const MAX_SERVERS: usize = 50;

/// Whether a bundle of tools is a server's.
pub(crate) async fn is_server(core: &Core, bundle_id: &str) -> Result<bool, StoreError> {
    Ok(row::server(core, bundle_id).await?.is_some())
}
