//! Servers: added, changed, removed by the user; listed when asked, when the list is old, and when the server says so.

use super::error::{McpError, ServerError};
use super::exchange;
use super::link::{Link, save};
use super::oauth::{self, ServerAuth};
use super::pins;
use super::protocol::definition::Definition;
use super::protocol::list::Pages;
use super::records::{self, definition_of};
use super::row::{self, ServerRow, host_of};
use super::{MAX_SERVERS, PINS, SERVERS, view};
use crate::Core;
use crate::http::ApiError;
use crate::later::later;
use crate::loosening::LooseningKind;
use crate::secrets::{self, MAX_VALUE};
use crate::store::{self, Batch, Durability, Range, Reads, StoreError};
use crate::tools::{self, BundleId, ServedBundle};
use crate::vault::Proof;
use serde_json::Value;
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::failure::Failure;
use wire::json::{FieldError, Object};
use wire::mcp::{McpServer, McpState};
use wire::secret::SecretText;

/// The longest name of a server.
const MAX_NAME: usize = 64;
/// Letters of a server's name in the names of its tools.
const MAX_KEY: usize = 32;
/// The longest address.
const MAX_URL: usize = 2_000;
/// A list is not asked for again sooner than this by itself, also if the server says so.
const MIN_STALE: Millis = 60_000;
/// After how long a server that failed is asked again by itself.
const RETRY_AFTER: Millis = 5 * 60_000;

/// What the user says of a new server.
struct Given {
    name: String,
    key: String,
    url: String,
    allowed_tools: Option<Vec<String>>,
    without_origin: bool,
    client_id: Option<String>,
    client_secret: Option<SecretText>,
    client_metadata_url: Option<String>,
}

impl Given {
    fn read(fields: &Object<'_>) -> Result<Self, ApiError> {
        match fields.text("transport")? {
            None | Some("http") => {}
            Some("stdio") => return Err(ServerError::StdioUnsupported.into()),
            Some(_) => return Err(ApiError::invalid("/transport", "must be http")),
        }
        let (name, key) = read_name(fields.required_word("name")?)?;
        Ok(Self {
            name,
            key,
            url: read_url(fields.required_word("url")?)?,
            allowed_tools: allowed_tools(fields)?,
            without_origin: fields.flag("withoutOrigin")?,
            client_id: fields.word("clientId")?.map(str::to_owned),
            client_secret: client_secret(fields)?,
            client_metadata_url: fields.word("clientMetadataUrl")?.map(read_url).transpose()?,
        })
    }
}

/// A name, and the same in snake_case: what stands before the names of the server's tools.
fn read_name(name: &str) -> Result<(String, String), ApiError> {
    let mut key = String::new();
    for letter in name.chars() {
        match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => key.push(letter),
            _ if !key.is_empty() && !key.ends_with('_') => key.push('_'),
            _ => {}
        }
    }
    let key: String = key.trim_end_matches('_').chars().take(MAX_KEY).collect();
    let key = key.trim_end_matches('_').to_owned();
    let fits = name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    match fits && key.starts_with(|first: char| first.is_ascii_lowercase()) {
        true => Ok((name.to_owned(), key)),
        false => Err(ApiError::invalid("/name", "must begin with a letter from a to z, and have at most 64")),
    }
}

/// `https`, or `http` on this machine, without a user and a fragment.
fn read_url(url: &str) -> Result<String, ApiError> {
    let local = |rest: &str| {
        let host = |host: &str| {
            rest.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        };
        ["127.0.0.1", "localhost", "[::1]"].into_iter().any(host)
    };
    let scheme = match url.split_once("://") {
        Some(("https", _)) => true,
        Some(("http", rest)) => local(rest),
        _ => false,
    };
    let host = host_of(url);
    let clean = url.chars().all(|letter| letter.is_ascii_graphic() && !matches!(letter, '\\' | '#'));
    match scheme && clean && !host.is_empty() && !host.contains('@') && url.len() <= MAX_URL {
        true => Ok(url.to_owned()),
        false => Err(ApiError::invalid("/url", "must be an https:// address, or http:// on this machine")),
    }
}

fn allowed_tools(fields: &Object<'_>) -> Result<Option<Vec<String>>, FieldError> {
    if fields.get("allowedTools").is_none() {
        return Ok(None);
    }
    let names = fields.array("allowedTools")?;
    let name = |(place, name): (usize, &Value)| match name.as_str() {
        Some(name) if !name.is_empty() && name.len() <= 128 => Ok(name.to_owned()),
        _ => Err(FieldError::rule(fields.element("allowedTools", place), "must be the name of a tool")),
    };
    names.iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
}

fn client_secret(fields: &Object<'_>) -> Result<Option<SecretText>, ApiError> {
    match fields.secret("clientSecret")? {
        Some(secret) if secret.is_empty() || secret.expose().len() > MAX_VALUE => {
            Err(ApiError::invalid("/clientSecret", "must have from 1 to 16384 bytes"))
        }
        secret => Ok(secret),
    }
}

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
async fn alone(core: &Core, id: &str) -> crate::ports::Lock {
    core.ports.host.lock(&["mcp/", id].concat()).await
}

fn bundle_of(server: &ServerRow) -> ServedBundle<'_> {
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

/// Asks a server for its tools, and keeps what came of it.
pub(crate) async fn refresh(core: &Rc<Core>, id: &str) -> Result<(), McpError> {
    let _working = core.working("mcp");
    let _alone = alone(core, id).await;
    let server = row::server(core, id).await?.ok_or(McpError::ServerGone)?;
    let mut link = Link::new(core, *server.record, None);
    let outcome = match exchange::list(&mut link).await {
        Ok(pages) => adopt(core, &mut link, pages).await,
        Err(error) => Err(error),
    };
    if let Err(error) = &outcome {
        note_refusal(&mut link, error).await;
    }
    outcome
}

/// Makes a list the server's tools.
async fn adopt(core: &Rc<Core>, link: &mut Link<'_>, pages: Pages) -> Result<(), McpError> {
    let unavailable = |error: wire::toolbox::ToolboxError| McpError::invalid(error.message);
    let ttl = pages.ttl.unwrap_or_default();
    let made = records::make(core, &link.server, pages.tools).await.map_err(unavailable)?;
    match tools::replace_served(core, &bundle_of(&link.server), made.records).await {
        Ok(()) => {}
        Err(tools::ToolStoreError::Store(error)) => return Err(error.into()),
        Err(error) => return Err(McpError::invalid(error)),
    }
    let now = core.now();
    link.save(|server| {
        server.state = McpState::Ready;
        server.problems.clone_from(&made.problems);
        (server.listed_at, server.stale_at) = (Some(now), Some(now + ttl));
    })
    .await
}

/// Keeps why a server could not be used.
pub(super) async fn note_refusal(link: &mut Link<'_>, error: &McpError) {
    let state = match error {
        McpError::Store(_) | McpError::ServerGone | McpError::Locked { .. } => return,
        McpError::SignInRequired => McpState::SignInRequired,
        McpError::OriginRefused => McpState::OriginRefused,
        other => McpState::Failed { error: Failure::from(other.clone()).to_string() },
    };
    let again = link.core.now() + RETRY_AFTER;
    let _kept = link
        .save(|server| {
            server.state = state.clone();
            server.stale_at = Some(again);
        })
        .await;
}

/// M4: the server said that its tools changed. They are listed again in the background.
pub(super) async fn mark_stale(core: &Rc<Core>, id: &str) {
    let now = core.now();
    let _kept = save(core, id, |server| server.stale_at = Some(now)).await;
    refresh_soon(core, id.to_owned());
}

fn refresh_soon(core: &Rc<Core>, id: String) {
    core.spawn_single(["mcp ", &id].concat(), move |core| {
        let id = id.clone();
        async move {
            let _state = later(&core, async { refresh(&core, &id).await }).await;
        }
    });
}

/// Lists the tools of every server again whose list is old, in the background.
pub(crate) fn refresh_stale(core: &Rc<Core>) {
    core.spawn_single("mcp servers".to_owned(), |core| async move {
        // Most users have none: then nothing is loaded.
        let mut reads = Reads::new();
        let servers = reads.scan(SERVERS, Range::all().first(1));
        let found =
            reads.from(core.database.store()).await.is_ok_and(|found| !found.keys(servers).is_empty());
        if found {
            let _retried = later(&core, find_stale(&core)).await;
        }
    });
}

async fn find_stale(core: &Rc<Core>) -> Result<(), StoreError> {
    let mut reads = Reads::new();
    let servers = reads.scan(SERVERS, Range::all());
    let servers = reads.from(core.database.store()).await?.many(servers)?;
    let now = core.now();
    let is_stale = |server: &ServerRow| {
        let listed = server.listed_at.unwrap_or_default();
        server.stale_at.is_none_or(|at| at <= now) && now >= listed + MIN_STALE
    };
    for server in servers.into_iter().filter(|server| is_stale(&server.record)) {
        refresh_soon(core, server.key);
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// M5: tools are named by the user's name for the server.
    #[test]
    fn names() {
        let key = |name: &str| read_name(name).ok().map(|(_, key)| key);
        for (name, expected) in
            [("GitHub Tools", "github_tools"), ("  a--b  ", "a_b"), ("Server 2", "server_2"), ("x!!", "x")]
        {
            assert_eq!(key(name.trim()).as_deref(), Some(expected), "{name}");
        }
        for name in ["", "!!", "2 fast", "日本", &"x".repeat(65)] {
            assert_eq!(key(name), None, "{name}");
        }
        assert_eq!(key(&"x".repeat(64)).map(|key| key.len()), Some(MAX_KEY));
    }

    /// T004-70: addresses of Streamable HTTP.
    #[test]
    fn addresses() {
        for url in [
            "https://mcp.example/mcp",
            "http://127.0.0.1:38471/mcp",
            "http://localhost/",
            "http://[::1]:1/x?y=1",
        ] {
            assert_eq!(read_url(url).ok().as_deref(), Some(url));
        }
        for url in [
            "http://mcp.example/",
            "ftp://a/",
            "https://",
            "https://u@a.example/",
            "https://a.example/#x",
            "stdio:ls",
            "http://127.0.0.1.evil.example/",
            "https://a.example/a b",
            "https://a.example\\@b/",
        ] {
            assert!(read_url(url).is_err(), "{url}");
        }
    }
}
