//! Servers: added, changed, removed by the user; listed when asked, when the list is old, and when the server says so.

use super::error::{McpError, ServerError};
use super::given::{Given, allowed_tools, client_secret, read_name, read_url};
use super::link::save;
use super::oauth::{self, ServerAuth};
use super::pins;
use super::protocol::definition::Definition;
use super::records::{self, definition_of};
use super::refresh::refresh;
use super::row::{self, ServerRow, host_of};
use super::{MAX_SERVERS, PINS, SERVERS, view};
use crate::Core;
use crate::http::ApiError;
use crate::loosening::LooseningKind;
use crate::secrets;
use crate::store::{self, Batch, Durability, Range, Reads, StoreError};
use crate::tools::{self, BundleId, ServedBundle};
use crate::vault::Proof;
use serde_json::Value;
use std::rc::Rc;
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::json::Object;
use wire::mcp::{McpServer, McpState};
use wire::secret::SecretText;

/// Saves what proves who we are at the authorization server of a server.
async fn save_client_secret(
    core: &Core,
    id: &str,
    secret: Option<SecretText>,
    password: &SecretText,
) -> Result<(), ServerError> {
    if let Some(secret) = secret {
        secrets::save(core, &ServerAuth::secret_name(id), secret, password).await?;
    }
    Ok(())
}

/// Adds a server, and asks it for its tools. One on a host that no server has yet needs the password.
pub(crate) async fn add(
    core: &Rc<Core>,
    fields: &Object<'_>,
    password: SecretText,
) -> Result<McpServer, ApiError> {
    let mut given = Given::read(fields)?;
    fields.end()?;
    let has_client_secret = given.client_secret.is_some();
    let mut proof = Proof::new(password.clone());
    let id = core.ids.next();
    loop {
        let mut reads = Reads::new();
        let all = reads.scan(SERVERS, Range::all());
        let servers = reads.from(core.database.store()).await?.many(all)?;
        if servers.len() >= MAX_SERVERS {
            return Err(ServerError::TooManyServers.into());
        }
        if servers.iter().any(|server| server.record.key == given.key) {
            return Err(ApiError::from(ServerError::ServerNameTaken).at("/name"));
        }
        save_client_secret(core, &id, given.client_secret.take(), &password).await?;
        let known = servers.iter().any(|server| server.record.host() == host_of(&given.url));
        let loosening = (!known).then(|| LooseningKind::NewHost.at("/url"));
        let mut batch = proof.batch_for(&core.vaults, loosening).await?;
        let row = ServerRow {
            id: id.clone(),
            name: given.name.clone(),
            key: given.key.clone(),
            url: given.url.clone(),
            allowed_tools: given.allowed_tools.clone(),
            without_origin: given.without_origin,
            client_id: given.client_id.clone(),
            has_client_secret,
            client_metadata_url: given.client_metadata_url.clone(),
            state: McpState::New,
            era: None,
            listed_at: None,
            stale_at: None,
            server_info: None,
            problems: Vec::new(),
        };
        for server in &servers {
            batch.expect(SERVERS, &server.key, Some(&server.text));
        }
        batch.expect(SERVERS, &id, None);
        batch.put(SERVERS, &id, &row);
        batch.note(changed("mcp_server_added", &row));
        batch.tell(&Event::ToolsModified {});
        match core.commit(batch).await {
            Err(StoreError::Conflict { .. }) => {}
            outcome => break outcome?,
        }
    }
    // What came of it is in the server's state.
    let _state = refresh(core, &id).await;
    Ok(view::get(core, &id).await?)
}

fn changed(what: &str, server: &ServerRow) -> AuditRecord {
    let subject = [server.name.as_str(), " ", server.host()].concat();
    AuditRecord::Change { what: what.to_owned(), subject: Some(subject) }
}

/// Changes what a body names of a server: `name`, `allowedTools`, `isEnabled`, `withoutOrigin`, `clientId`, `clientSecret`,
/// `clientMetadataUrl`. An empty text removes the last three; without a choice of tools every one is offered.
pub(crate) async fn patch(
    core: &Rc<Core>,
    id: &str,
    fields: &Object<'_>,
    every_tool: bool,
    password: &SecretText,
) -> Result<McpServer, ApiError> {
    let name = fields.word("name")?.map(read_name).transpose()?;
    let tools = fields.get("allowedTools").is_some().then(|| allowed_tools(fields)).transpose()?;
    let enabled = fields.get("isEnabled").is_some().then(|| fields.flag("isEnabled")).transpose()?;
    let origin = fields.get("withoutOrigin").is_some().then(|| fields.flag("withoutOrigin")).transpose()?;
    let client_id = fields.text("clientId")?.map(str::trim);
    let document = fields.text("clientMetadataUrl")?.map(str::trim);
    let document =
        document.filter(|url| !url.is_empty()).map(read_url).transpose()?.or(document.map(str::to_owned));
    let client_secret = client_secret(fields)?;
    fields.end()?;
    row::server(core, id).await?.ok_or(ServerError::NotFound)?;
    let servers = store::scan(core.database.store(), SERVERS, Range::all()).await?;
    let taken = |key: &str| servers.iter().any(|server| server.key != id && server.record.key == key);
    if name.as_ref().is_some_and(|(_, key)| taken(key)) {
        return Err(ApiError::from(ServerError::ServerNameTaken).at("/name"));
    }
    let has_client_secret = client_secret.is_some();
    save_client_secret(core, id, client_secret, password).await?;
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let renames = name.is_some() || tools.is_some() || every_tool;
    let change = |server: &mut ServerRow| {
        if let Some((name, key)) = &name {
            (server.name, server.key) = (name.clone(), key.clone());
        }
        if let Some(tools) = &tools {
            server.allowed_tools.clone_from(tools);
        }
        if every_tool {
            server.allowed_tools = None;
        }
        server.without_origin = origin.unwrap_or(server.without_origin);
        if let Some(client_id) = client_id {
            server.client_id = given(client_id);
            server.has_client_secret &= server.client_id.is_some();
        }
        server.has_client_secret |= has_client_secret;
        if let Some(url) = &document {
            server.client_metadata_url = given(url);
        }
    };
    let row = save(core, id, change).await.map_err(stored)?.ok_or(ServerError::NotFound)?;
    let mut batch = Batch::new(Durability::Strict);
    batch.note(changed("mcp_server_changed", &row));
    batch.tell(&Event::ToolsModified {});
    core.commit(batch).await?;
    if renames {
        keep_listed(core, &row).await?;
    }
    if let Some(on) = enabled
        && row.listed_at.is_some()
    {
        tools::switch_bundle(core, &BundleId::parse(id)?, on).await?;
    }
    if renames || origin.is_some() {
        let _state = refresh(core, id).await;
    }
    Ok(view::get(core, id).await?)
}

fn stored(error: McpError) -> ServerError {
    match error {
        McpError::Store(error) => error.into(),
        _ => ServerError::Busy,
    }
}

/// What was listed before under the server's name and choice of tools as they are now.
async fn keep_listed(core: &Rc<Core>, server: &ServerRow) -> Result<(), ServerError> {
    let _alone = alone(core, &server.id).await;
    let listed = tools::served_tools(core, &server.id).await?;
    let definitions: Vec<Definition> =
        listed.iter().filter_map(|(record, _)| definition_of(record)).collect();
    if server.listed_at.is_none() {
        return Ok(());
    }
    let made = records::make(core, server, definitions).await.map_err(tools::ToolStoreError::from)?;
    Ok(tools::replace_served(core, &bundle_of(server), made.records).await?)
}

/// One task at a time changes what is listed of a server, in all workers.
pub(super) async fn alone(core: &Core, id: &str) -> crate::ports::Lock {
    core.ports.host.lock(&["mcp/", id].concat()).await
}

pub(super) fn bundle_of(server: &ServerRow) -> ServedBundle<'_> {
    ServedBundle {
        id: &server.id,
        slug: server.key.replace('_', "-"),
        display_name: server.name.clone(),
        description: ["Tools of the MCP server at ", server.host(), "."].concat(),
    }
}

/// Removes a server with its tools, and what was allowed of them.
pub(crate) async fn remove(core: &Rc<Core>, id: &str) -> Result<(), ServerError> {
    let _alone = alone(core, id).await;
    let server = row::server(core, id).await?.ok_or(ServerError::NotFound)?;
    let pins = store::scan(core.database.store(), PINS, Range::prefix([id, "/"].concat())).await?;
    let mut removal = Batch::new(Durability::Strict);
    oauth::stage_removal(core, id, &mut removal).await?;
    core.commit(removal).await?;
    tools::remove_served(core, id, &|batch| {
        batch.delete(SERVERS, id);
        pins.iter().for_each(|pin| batch.delete(PINS, &pin.key));
        batch.note(changed("mcp_server_removed", &server.record));
    })
    .await?;
    core.mcp_streams.asides.close(id);
    Ok(())
}

/// What signing in to a server needs.
pub(crate) async fn auth(core: &Core, id: &str) -> Result<ServerAuth, ServerError> {
    Ok(row::server(core, id).await?.ok_or(ServerError::NotFound)?.record.auth())
}

/// The user signed out of a server.
pub(crate) async fn signed_out(core: &Core, id: &str) -> Result<(), ServerError> {
    save(core, id, |server| server.state = McpState::SignInRequired).await.map(drop).map_err(stored)
}

/// Whether a server still lists this definition.
pub(super) async fn has(core: &Core, id: &str, definition: &Definition) -> Result<bool, StoreError> {
    let listed = tools::served_tools(core, id).await?;
    let same = |(record, _): &(Value, bool)| {
        definition_of(record).is_some_and(|listed| listed.digest() == definition.digest())
    };
    Ok(listed.iter().any(same))
}

/// The user allows a definition that a page shows.
pub(crate) async fn allow(
    core: &Rc<Core>,
    id: &str,
    tool: &str,
    digest: &str,
) -> Result<McpServer, ServerError> {
    row::server(core, id).await?.ok_or(ServerError::NotFound)?;
    let listed = tools::served_tools(core, id).await?;
    let mut definitions = listed.iter().filter_map(|(record, _)| definition_of(record));
    let definition =
        definitions.find(|definition| definition.name() == tool).ok_or(ServerError::ToolNotFound)?;
    if definition.digest() != digest {
        return Err(ServerError::StaleDefinition);
    }
    let mut batch = Batch::new(Durability::Strict);
    pins::stage_allowed(id, &definition, &mut batch);
    batch.tell(&Event::ToolsModified {});
    core.commit(batch).await?;
    view::get(core, id).await
}
