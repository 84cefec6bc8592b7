//! Servers as pages see them.

use super::error::ServerError;
use super::pins;
use super::protocol::era::{Era, MODERN};
use super::records::{callable_as, definition_of};
use super::row::{self, ServerRow};
use super::{PINS, SERVERS};
use crate::Core;
use crate::store::{self, Range, StoreError};
use crate::tools;
use wire::mcp::{McpServer, McpServers, McpTool};

/// Every server, in the order in which they were added.
pub(crate) async fn list(core: &Core) -> Result<McpServers, StoreError> {
    let mut servers = Vec::new();
    for row in store::scan(core.database.store(), SERVERS, Range::all()).await? {
        servers.push(view(core, row.record).await?);
    }
    Ok(McpServers { servers })
}

/// One server.
pub(crate) async fn get(core: &Core, id: &str) -> Result<McpServer, ServerError> {
    let server = row::server(core, id).await?.ok_or(ServerError::NotFound)?;
    Ok(view(core, *server.record).await?)
}

async fn view(core: &Core, row: ServerRow) -> Result<McpServer, StoreError> {
    let pins = store::scan(core.database.store(), PINS, Range::prefix([&row.id, "/"].concat())).await?;
    let pin_of =
        |tool: &str| pins.iter().find(|pin| pin.key.split_once('/').map(|(_, name)| name) == Some(tool));
    let mut tools = Vec::new();
    for (record, _) in tools::served_tools(core, &row.id).await? {
        let Some(definition) = definition_of(&record) else { continue };
        tools.push(McpTool {
            name: definition.name().to_owned(),
            callable_as: Some(callable_as(&row, definition.name())),
            title: definition.title().map(str::to_owned),
            description: definition.description().to_owned(),
            digest: definition.digest(),
            standing: pins::shown(pin_of(definition.name()).map(|pin| &pin.record), &definition),
            problem: None,
        });
    }
    tools.extend(row.problems.iter().cloned().map(|problem| McpTool {
        name: problem.name,
        callable_as: None,
        title: None,
        description: problem.description,
        digest: problem.digest,
        standing: wire::mcp::McpStanding::New,
        problem: Some(problem.problem),
    }));
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    let protocol_version = row.era.as_ref().and_then(|era| match era {
        Era::Modern => Some(MODERN.to_owned()),
        Era::Legacy { session } => session.as_ref().map(|session| session.version.clone()),
        Era::Sse => Some("2024-11-05".to_owned()),
    });
    Ok(McpServer {
        is_enabled: tools::served_is_on(core, &row.id).await?,
        bundle_id: row.id.clone(),
        id: row.id,
        name: row.name,
        url: row.url,
        transport: "http".to_owned(),
        allowed_tools: row.allowed_tools,
        without_origin: row.without_origin,
        state: row.state,
        tools,
        listed_at: row.listed_at,
        stale_at: row.stale_at,
        protocol_version,
        server_info: row.server_info,
    })
}
