//! Tools: put, switched, deleted.

use super::check::check_tool;
use super::metrics::Use;
use super::run::stage_tool_removed;
use super::{
    Change, DOCUMENTS, IDS, MAX_CONFLICTS, MAX_TOOLS, METRICS, Moment, STATE, SWITCHES, TOOLS, ToolKey,
    ToolStoreError, USES, built_in, bundles, busy, index,
};
use crate::Core;
use crate::mcp;
use crate::store::{Keyed, Range, Reads, StoreError};
use serde_json::Value;
use wire::tool_index::{Find, IndexReply, NamedDocument};
use wire::toolbox::ToolboxError;

/// Makes a tool. One of the same slug and version stays as it is (T002-59). Returns what will not be done as it is written.
pub(crate) async fn put_tool(
    core: &Core,
    key: &ToolKey,
    body: &Value,
) -> Result<Vec<ToolboxError>, ToolStoreError> {
    if built_in::is_bundle(&key.bundle) || mcp::is_server(core, key.bundle.as_str()).await? {
        return Err(ToolStoreError::ReadOnly);
    }
    let place = key.text();
    let mut made = None;
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, bundle) = (reads.get(STATE, ""), bundles::read(&key.bundle, &mut reads));
        let tool = reads.get(TOOLS, &place);
        let snapshot = reads.from(core.tools.database.store()).await?;
        bundle.open(&snapshot)?;
        if snapshot.text(tool).is_some() {
            return Err(ToolStoreError::ToolExists);
        }
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        change.add_tool()?;
        let (made, warnings) = match &made {
            Some(made) => made,
            None => made.insert(check_tool(core, key, body.clone()).await?),
        };
        // Both normalise slug and version in the same way.
        if made.key != place {
            return Err(ToolStoreError::ToolNotFound);
        }
        change.stage_tool(made);
        change.note("tool_created", &place);
        if change.commit(core).await? {
            return Ok(warnings.clone());
        }
    }
    Err(busy())
}

impl Change {
    /// Counts one more tool, if there may be one.
    pub(super) fn add_tool(&mut self) -> Result<(), ToolStoreError> {
        if self.after.tools >= MAX_TOOLS {
            return Err(ToolStoreError::TooManyTools);
        }
        self.after.tools += 1;
        Ok(())
    }

    /// Stages that a tool is gone, with everything about it but its approvals by name.
    pub(super) async fn remove_tool(
        &mut self,
        core: &Core,
        place: &str,
        record: &Value,
        uses: &[Keyed<Use>],
    ) -> Result<(), StoreError> {
        self.after.tools = self.after.tools.saturating_sub(1);
        self.batch.delete(TOOLS, place);
        self.batch.delete(DOCUMENTS, place);
        if let Some(id) = text(record, "id") {
            self.batch.delete(IDS, &id);
            self.batch.delete(METRICS, &id);
            stage_tool_removed(&id, &mut self.batch);
            core.secrets.stage_tool_removal(&id, &mut self.batch).await?;
            self.switch(&id, true);
            core.policy.stage_hosts_removal(&id, &mut self.batch).await?;
            for row in uses.iter().filter(|row| row.record.tool_id == id) {
                self.batch.delete(USES, &row.key);
            }
        }
        self.told.removed_tools.push(place.to_owned());
        Ok(())
    }

    /// Stages a tool that is not there.
    pub(super) fn stage_tool(&mut self, made: &NamedDocument) {
        let place = &made.key;
        self.batch.expect(TOOLS, place, None);
        self.batch.put_text(TOOLS, place, made.record.clone());
        self.batch.put_text(DOCUMENTS, place, made.text.clone());
        self.batch.put(IDS, &made.id, place);
        if !self.told.tools.is_empty() {
            self.told.tools.push('\n');
        }
        self.told.tools.push_str(&made.text);
        if !made.is_enabled {
            self.switch(&made.id, false);
        }
    }
}

/// Switches a tool; its record stays as it is (T002-44).
pub(crate) async fn switch_tool(core: &Core, key: &ToolKey, on: bool) -> Result<(), ToolStoreError> {
    let place = key.text();
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, bundle) = (reads.get(STATE, ""), bundles::read(&key.bundle, &mut reads));
        let (tool, switches) = (reads.get(TOOLS, &place), reads.scan(SWITCHES, Range::all()));
        let snapshot = reads.from(core.tools.database.store()).await?;
        let id = match built_in::is_bundle(&key.bundle) {
            true => built_in::id_of(key),
            false => snapshot.one(tool)?.and_then(|record| text(&record.record, "id")),
        };
        let id = id.ok_or(ToolStoreError::ToolNotFound)?;
        bundle.open(&snapshot)?;
        if snapshot.keys(switches).contains(&id) != on {
            return Ok(());
        }
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        change.switch(&id, on);
        change.note(if on { "tool_enabled" } else { "tool_disabled" }, &place);
        if change.commit(core).await? {
            return Ok(());
        }
    }
    Err(busy())
}

/// Deletes a tool for good, with everything about it but the audit log (T002-52).
pub(crate) async fn delete_tool(core: &Core, key: &ToolKey) -> Result<(), ToolStoreError> {
    if built_in::is_bundle(&key.bundle) || mcp::is_server(core, key.bundle.as_str()).await? {
        return Err(ToolStoreError::ReadOnly);
    }
    let place = key.text();
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, tool) = (reads.get(STATE, ""), reads.get(TOOLS, &place));
        let (document, uses) = (reads.get(DOCUMENTS, &place), reads.scan(USES, Range::all()));
        let snapshot = reads.from(core.tools.database.store()).await?;
        let record = snapshot.one(tool)?.ok_or(ToolStoreError::ToolNotFound)?;
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        change.remove_tool(core, &place, &record.record, &snapshot.many(uses)?).await?;
        // A damaged document names nothing.
        let document = snapshot.one(document).ok().flatten();
        if let Some(name) = document.and_then(|document| text(&document.record, "name"))
            && core.policy.has_tool_rule(&name).await?
            && is_last(core, &name).await?
        {
            core.policy.stage_approvals_removal(&[name], &mut change.batch).await?;
        }
        change.note("tool_deleted", &place);
        if change.commit(core).await? {
            return Ok(());
        }
    }
    Err(busy())
}

/// Whether no other tool has a name.
async fn is_last(core: &Core, name: &str) -> Result<bool, ToolStoreError> {
    let found = index::find(core, Find::Named { name: name.to_owned() }).await?;
    Ok(matches!(found, IndexReply::Tools { tools, .. } if tools.len() <= 1))
}

/// A text in a record.
pub(super) fn text(record: &Value, name: &str) -> Option<String> {
    record.get(name).and_then(Value::as_str).map(str::to_owned)
}
