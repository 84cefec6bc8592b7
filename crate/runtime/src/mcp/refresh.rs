//! Lists of tools: asked for when they are old, and when the server says that they changed.

use super::SERVERS;
use super::error::McpError;
use super::exchange;
use super::link::{Link, save};
use super::protocol::list::Pages;
use super::records;
use super::row::{self, ServerRow};
use super::servers::{alone, bundle_of};
use crate::Core;
use crate::later::later;
use crate::store::{Range, Reads, StoreError};
use crate::tools;
use std::rc::Rc;
use wire::api::Millis;
use wire::failure::Failure;
use wire::mcp::McpState;

/// A list is not asked for again sooner than this by itself, also if the server says so.
const MIN_STALE: Millis = 60_000;
/// After how long a server that failed is asked again by itself.
const RETRY_AFTER: Millis = 5 * 60_000;

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
