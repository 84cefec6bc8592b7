//! Tools of MCP servers: a bundle whose tools are what a server lists. Pages can switch them, and change nothing else.

use super::check::GivenBundle;
use super::tool::text;
use super::{
    BundleId, Change, MAX_CONFLICTS, Moment, STATE, SWITCHES, TOOLS, ToolStoreError, USES, bundles, busy,
    index,
};
use crate::Core;
use crate::store::{Batch, Keyed, Range, Reads, StoreError, json};
use serde_json::{Map, Value};
use wire::tool::iso_time;
use wire::tool_index::NamedDocument;
use wire::toolbox::ToolboxError;

/// Records of which documents are made at once.
const CHUNK: usize = 200;

/// A server as its bundle shows it.
pub(crate) struct ServedBundle<'a> {
    /// UUID version 7.
    pub(crate) id: &'a str,
    pub(crate) slug: String,
    pub(crate) display_name: String,
    pub(crate) description: String,
}

/// The records of a server's tools, and whether each is switched on.
pub(crate) async fn served_tools(core: &Core, id: &str) -> Result<Vec<(Value, bool)>, StoreError> {
    let mut reads = Reads::new();
    let tools = reads.scan(TOOLS, Range::prefix([id, "/"].concat()));
    let switches = reads.scan(SWITCHES, Range::all());
    let snapshot = reads.from(core.tools.database.store()).await?;
    let off = snapshot.keys(switches);
    let is_on = |record: &Value| text(record, "id").is_none_or(|id| !off.contains(&id));
    Ok(snapshot
        .many(tools)?
        .into_iter()
        .map(|row| (is_on(&row.record), row.record))
        .map(|(on, row)| (row, on))
        .collect())
}

/// Whether a server's bundle is switched on.
pub(crate) async fn served_is_on(core: &Core, id: &str) -> Result<bool, StoreError> {
    let mut reads = Reads::new();
    let switch = reads.get(SWITCHES, id);
    Ok(reads.from(core.tools.database.store()).await?.text(switch).is_none())
}

/// Makes these the tools of a server. A record that is there stays as it is. One
/// that replaces another of the same slug is switched as that one was; and what was allowed of it for good is not any more.
pub(crate) async fn replace_served(
    core: &Core,
    bundle: &ServedBundle<'_>,
    records: Vec<Map<String, Value>>,
) -> Result<(), ToolStoreError> {
    let id = BundleId::parse(bundle.id)?;
    let made = documents(core, records).await?;
    let given = GivenBundle {
        slug: bundle.slug.clone(),
        display_name: bundle.display_name.clone(),
        description: bundle.description.clone(),
        is_enabled: true,
    };
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, slots) = (reads.get(STATE, ""), bundles::read(&id, &mut reads));
        let tools = reads.scan(TOOLS, Range::prefix([id.as_str(), "/"].concat()));
        let (switches, uses) = (reads.scan(SWITCHES, Range::all()), reads.scan(USES, Range::all()));
        let snapshot = reads.from(core.tools.database.store()).await?;
        let (off, uses) = (snapshot.keys(switches), snapshot.many(uses)?);
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        let given = GivenBundle { is_enabled: slots.is_on(&snapshot), ..given.clone() };
        let is_same = slots.is_same(&snapshot, &given)?;
        if !is_same {
            slots.stage(&snapshot, &id, &given, core.now(), &mut change)?;
        }
        let there = snapshot.many(tools)?;
        if is_same && same_keys(&there, &made) {
            return Ok(());
        }
        let (mut replaced, mut names) = (Vec::new(), Vec::new());
        for row in there.iter().filter(|row| made.iter().all(|made| made.key != row.key)) {
            let was_off = text(&row.record, "id").is_some_and(|id| off.contains(&id));
            replaced.push((slug_of(&row.key).to_owned(), was_off));
            change.remove_tool(core, &row.key, &row.record, &uses).await?;
            names.extend(text(&row.record, "name"));
            change.note("tool_deleted", &row.key);
        }
        core.policy.stage_approvals_removal(&names, &mut change.batch).await?;
        for made in made.iter().filter(|made| there.iter().all(|row| row.key != made.key)) {
            change.add_tool()?;
            change.stage_tool(made);
            if replaced.iter().any(|(slug, was_off)| slug == slug_of(&made.key) && *was_off) {
                change.switch(&made.id, false);
            }
            change.note("tool_created", &made.key);
        }
        if change.commit(core).await? {
            core.wake_after(Ok(())).await;
            return Ok(());
        }
    }
    Err(busy())
}

/// Removes a server's bundle with its tools, together with what the caller stages.
pub(crate) async fn remove_served(
    core: &Core,
    id: &str,
    stage: &dyn Fn(&mut Batch),
) -> Result<(), ToolStoreError> {
    let id = BundleId::parse(id)?;
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, slots) = (reads.get(STATE, ""), bundles::read(&id, &mut reads));
        let tools = reads.scan(TOOLS, Range::prefix([id.as_str(), "/"].concat()));
        let uses = reads.scan(USES, Range::all());
        let snapshot = reads.from(core.tools.database.store()).await?;
        let uses = snapshot.many(uses)?;
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        let mut names = Vec::new();
        for row in snapshot.many(tools)? {
            change.remove_tool(core, &row.key, &row.record, &uses).await?;
            names.extend(text(&row.record, "name"));
        }
        core.policy.stage_approvals_removal(&names, &mut change.batch).await?;
        if slots.there(&snapshot).is_ok() {
            slots.stage_removed(&id, &mut change);
        }
        stage(&mut change.batch);
        if change.commit(core).await? {
            core.wake_after(Ok(())).await;
            return Ok(());
        }
    }
    Err(busy())
}

/// Whether the tools that there are, are those that there should be.
fn same_keys(there: &[Keyed<Value>], made: &[NamedDocument]) -> bool {
    there.len() == made.len() && there.iter().all(|row| made.iter().any(|made| made.key == row.key))
}

/// The slug in a key.
fn slug_of(key: &str) -> &str {
    key.rsplit('/').nth(1).unwrap_or_default()
}

/// The records with ids and times of their own, and their documents.
async fn documents(
    core: &Core,
    records: Vec<Map<String, Value>>,
) -> Result<Vec<NamedDocument>, ToolStoreError> {
    let now = iso_time(core.now());
    let mut made = Vec::with_capacity(records.len());
    for chunk in records.chunks(CHUNK) {
        let mut lines = Vec::with_capacity(chunk.len());
        for record in chunk {
            let mut record = record.clone();
            for (name, value) in
                [("id", core.ids.next()), ("createdAt", now.clone()), ("modifiedAt", now.clone())]
            {
                record.insert(name.to_owned(), Value::String(value));
            }
            lines.push(json(&record));
        }
        made.extend(index::documents(core, lines.join("\n")).await?);
    }
    if made.len() == records.len() { Ok(made) } else { Err(ToolboxError::unavailable().into()) }
}
