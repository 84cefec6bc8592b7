//! What pages read: lists, search, one tool.

use super::tool::text;
use super::{BundleId, IDS, TOOLS, ToolKey, ToolStoreError, built_in, index, metrics};
use crate::Core;
use crate::store::{Reads, StoreError, json};
use serde_json::Value;
use wire::tool_index::{Find, IndexReply, IndexedTool};
use wire::toolbox::ToolboxError;

/// GET `/tools`.
pub(crate) async fn list_tools(core: &Core, query: &str) -> Result<String, ToolStoreError> {
    page(core, Find::List { query: query.to_owned() }).await
}

/// GET `/tools/search`.
pub(crate) async fn search_tools(core: &Core, query: &str) -> Result<String, ToolStoreError> {
    page(core, Find::Search { query: query.to_owned() }).await
}

/// GET `/tools/bundles`.
pub(crate) async fn list_bundles(core: &Core, query: &str) -> Result<String, ToolStoreError> {
    let (bundles, next) = bundles(core, Find::Bundles { query: query.to_owned() }).await?;
    Ok(body("bundles", &bundles, next))
}

/// One bundle.
pub(crate) async fn get_bundle(core: &Core, id: &BundleId) -> Result<String, ToolStoreError> {
    let (bundles, _) = bundles(core, Find::Bundle { id: id.as_str().to_owned() }).await?;
    bundles.into_iter().next().ok_or(ToolStoreError::BundleNotFound)
}

/// One tool.
pub(crate) async fn get_tool(core: &Core, key: &ToolKey) -> Result<String, ToolStoreError> {
    let (found, _) = tools(core, Find::Tool { key: key.text() }).await?;
    render(core, &found).await?.into_iter().next().ok_or(ToolStoreError::ToolNotFound)
}

async fn page(core: &Core, find: Find) -> Result<String, ToolStoreError> {
    let (found, next) = tools(core, find).await?;
    Ok(body("tools", &render(core, &found).await?, next))
}

async fn bundles(core: &Core, find: Find) -> Result<(Vec<String>, Option<String>), ToolStoreError> {
    match index::find(core, find).await? {
        IndexReply::Bundles { bundles, next } => Ok((bundles, next)),
        _ => Err(ToolboxError::unavailable().into()),
    }
}

async fn tools(core: &Core, find: Find) -> Result<(Vec<IndexedTool>, Option<String>), ToolStoreError> {
    match index::find(core, find).await? {
        IndexReply::Tools { tools, next } => Ok((tools, next)),
        _ => Err(ToolboxError::unavailable().into()),
    }
}

fn body(name: &str, elements: &[String], next: Option<String>) -> String {
    [r#"{""#, name, r#"":["#, &elements.join(","), r#"],"nextPageToken":"#, &json(&next), "}"].concat()
}

/// The records of tools with what is computed. One that was deleted meanwhile is left out.
async fn render(core: &Core, found: &[IndexedTool]) -> Result<Vec<String>, StoreError> {
    let mut reads = Reads::new();
    let records: Vec<_> = found.iter().map(|tool| reads.get(TOOLS, &tool.key)).collect();
    let ids = || found.iter().map(|tool| tool.id.as_str());
    let metrics = metrics::read(ids(), &mut reads);
    let snapshot = reads.from(core.tools.database.store()).await?;
    let metrics = metrics.show(ids(), &snapshot)?;
    let mut rendered = Vec::new();
    for ((tool, record), metrics) in found.iter().zip(records).zip(metrics) {
        let record = match tool.is_built_in {
            true => built_in::record_of(&tool.id),
            false => snapshot.text(record).cloned(),
        };
        if let Some(record) = record.as_deref().and_then(|record| record.strip_suffix('}')) {
            rendered.push([record, ",", &tool.computed, r#","metrics":"#, &json(&metrics), "}"].concat());
        }
    }
    Ok(rendered)
}

/// A tool of the store, for a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The tool's id.
    pub(crate) id: String,
    /// What an agent calls it.
    pub(crate) name: String,
    /// Why it cannot be called; none if it can.
    pub(crate) reason: Option<String>,
    /// The record, without its switch.
    pub(crate) record: Value,
}

/// The tool that is called by a name: the newest that can be called, or the newest. None if there is none.
pub(crate) async fn find(core: &Core, name: &str) -> Result<Option<Found>, ToolStoreError> {
    found(core, Find::Named { name: name.to_owned() }).await
}

/// The tool of a bundle, slug and version.
pub(crate) async fn find_exact(core: &Core, key: &ToolKey) -> Result<Option<Found>, ToolStoreError> {
    found(core, Find::Tool { key: key.text() }).await
}

/// The tool of an id, which is always the same record.
pub(crate) async fn find_by_id(core: &Core, id: &str) -> Result<Option<Found>, ToolStoreError> {
    let mut reads = Reads::new();
    let key = reads.get(IDS, id);
    let key = reads.from(core.tools.database.store()).await?.one(key)?;
    match key {
        Some(key) => found(core, Find::Tool { key: *key.record }).await,
        None => Ok(None),
    }
}

async fn found(core: &Core, find: Find) -> Result<Option<Found>, ToolStoreError> {
    let Some(tool) = tools(core, find).await?.0.into_iter().next() else { return Ok(None) };
    let mut reads = Reads::new();
    let slot = reads.get(TOOLS, &tool.key);
    let snapshot = reads.from(core.tools.database.store()).await?;
    let record = match tool.is_built_in {
        true => built_in::record_of(&tool.id).and_then(|record| serde_json::from_str(&record).ok()),
        false => snapshot.one(slot)?.map(|stored| *stored.record),
    };
    let IndexedTool { id, name, reason, .. } = tool;
    // Another tool of the same key is not the one that was judged.
    let record = record.filter(|record| text(record, "id").as_ref() == Some(&id));
    Ok(record.map(|record| Found { id, name, reason, record }))
}
