//! Bundles: put, switched, deleted.

use super::check::{GivenBundle, check_bundle};
use super::{
    BUNDLES, BundleId, Change, MAX_BUNDLES, MAX_CONFLICTS, Moment, REAPED_AFTER, STATE, SWITCHES, TOOLS,
    ToolBundlesRight, ToolStoreError, ToolSwitchesRight, built_in, busy,
};
use crate::Core;
use crate::alarm::Due;
use crate::mcp;
use crate::store::{One, Range, Reads, Snapshot, Stored, json};
use serde_json::Value;
use wire::api::Millis;
use wire::tool_index::BundleRow;

/// Where a bundle is in a snapshot.
pub(super) struct BundleSlots {
    row: One<ToolBundlesRight>,
    switch: One<ToolSwitchesRight>,
    built_in: bool,
}

/// Declares a read of a bundle.
pub(super) fn read(id: &BundleId, reads: &mut Reads) -> BundleSlots {
    let (row, switch) = (reads.get(BUNDLES, id.as_str()), reads.get(SWITCHES, id.as_str()));
    BundleSlots { row, switch, built_in: built_in::is_bundle(id) }
}

impl BundleSlots {
    pub(super) fn is_on(&self, snapshot: &Snapshot) -> bool {
        snapshot.text(self.switch).is_none()
    }

    fn row(&self, snapshot: &Snapshot) -> Result<Option<Stored<BundleRow>>, ToolStoreError> {
        Ok(snapshot.one(self.row)?)
    }

    /// That there is such a bundle, and that it is not deleted.
    pub(super) fn there(&self, snapshot: &Snapshot) -> Result<(), ToolStoreError> {
        if self.built_in {
            return Ok(());
        }
        let row = self.row(snapshot)?.ok_or(ToolStoreError::BundleNotFound)?;
        if row.record.soft_deleted_at.is_some() { Err(ToolStoreError::BundleDeleted) } else { Ok(()) }
    }

    /// That what is in it may be put and switched: not in a bundle that is switched off or deleted (T002-67).
    pub(super) fn open(&self, snapshot: &Snapshot) -> Result<(), ToolStoreError> {
        self.there(snapshot)?;
        if self.is_on(snapshot) { Ok(()) } else { Err(ToolStoreError::BundleDisabled) }
    }

    /// Stages the bundle as it was given; whether there was none of its id, deleted or not.
    pub(super) fn stage(
        &self,
        snapshot: &Snapshot,
        id: &BundleId,
        given: &GivenBundle,
        now: Millis,
        change: &mut Change,
    ) -> Result<bool, ToolStoreError> {
        let before = self.row(snapshot)?.map(|stored| *stored.record);
        let deleted_at = before.as_ref().and_then(|before| before.soft_deleted_at);
        if before.is_none() || deleted_at.is_some() {
            if change.after.bundles >= MAX_BUNDLES {
                return Err(ToolStoreError::TooManyBundles);
            }
            change.after.bundles += 1;
        }
        let is_new = before.is_none();
        let mut row = BundleRow {
            id: id.as_str().to_owned(),
            slug: given.slug.clone(),
            display_name: given.display_name.clone(),
            description: given.description.clone(),
            created_at: now,
            modified_at: now,
            soft_deleted_at: None,
        };
        if let Some(before) = before {
            row.created_at = before.created_at;
            let same = |text: fn(&BundleRow) -> &String| text(&row) == text(&before);
            if same(|row| &row.slug) && same(|row| &row.display_name) && same(|row| &row.description) {
                row.modified_at = before.modified_at;
            }
        }
        let text = json(&row);
        change.batch.put_text(BUNDLES, id.as_str(), text.clone());
        change.told.bundles = text;
        change.batch.due(Due::Reap, id.as_str(), deleted_at.map(|at| at + REAPED_AFTER), None);
        if self.is_on(snapshot) != given.is_enabled {
            change.switch(id.as_str(), given.is_enabled);
        }
        change.note(if is_new { "tool_bundle_created" } else { "tool_bundle_replaced" }, id.as_str());
        Ok(is_new)
    }
}

impl BundleSlots {
    /// Whether the bundle is there, and called what is given.
    pub(super) fn is_same(&self, snapshot: &Snapshot, given: &GivenBundle) -> Result<bool, ToolStoreError> {
        Ok(self.row(snapshot)?.is_some_and(|row| {
            let BundleRow { slug, display_name, description, soft_deleted_at, .. } = &*row.record;
            soft_deleted_at.is_none()
                && (slug, display_name, description) == (&given.slug, &given.display_name, &given.description)
        }))
    }

    /// Stages that the bundle is gone for good, at once.
    pub(super) fn stage_removed(&self, id: &BundleId, change: &mut Change) {
        change.after.bundles = change.after.bundles.saturating_sub(1);
        change.batch.delete(BUNDLES, id.as_str());
        change.switch(id.as_str(), true);
        change.told.removed_bundles.push(id.as_str().to_owned());
        change.note("tool_bundle_deleted", id.as_str());
    }
}

/// Makes a bundle, or replaces one; whether it is new. A deleted one is there again.
pub(crate) async fn put_bundle(core: &Core, id: &BundleId, body: Value) -> Result<bool, ToolStoreError> {
    if built_in::is_bundle(id) || mcp::is_server(core, id.as_str()).await? {
        return Err(ToolStoreError::ReadOnly);
    }
    let given = check_bundle(core, id, body).await?;
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, slots) = (reads.get(STATE, ""), read(id, &mut reads));
        let snapshot = reads.from(core.tools.database.store()).await?;
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        let is_new = slots.stage(&snapshot, id, &given, core.now(), &mut change)?;
        if change.commit(core).await? {
            core.wake_after(Ok(())).await;
            return Ok(is_new);
        }
    }
    Err(busy())
}

/// Switches a bundle. Its tools keep their own switches.
pub(crate) async fn switch_bundle(core: &Core, id: &BundleId, on: bool) -> Result<(), ToolStoreError> {
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, slots) = (reads.get(STATE, ""), read(id, &mut reads));
        let snapshot = reads.from(core.tools.database.store()).await?;
        slots.there(&snapshot)?;
        if slots.is_on(&snapshot) == on {
            return Ok(());
        }
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        change.switch(id.as_str(), on);
        change.note(if on { "tool_bundle_enabled" } else { "tool_bundle_disabled" }, id.as_str());
        if change.commit(core).await? {
            return Ok(());
        }
    }
    Err(busy())
}

/// Deletes a bundle that has no tools (D10). It is removed for good after two days.
pub(crate) async fn delete_bundle(core: &Core, id: &BundleId) -> Result<(), ToolStoreError> {
    if built_in::is_bundle(id) || mcp::is_server(core, id.as_str()).await? {
        return Err(ToolStoreError::ReadOnly);
    }
    for _ in 0..MAX_CONFLICTS {
        let mut reads = Reads::new();
        let (state, slots) = (reads.get(STATE, ""), read(id, &mut reads));
        let tools = reads.scan(TOOLS, inside(id.as_str()));
        let snapshot = reads.from(core.tools.database.store()).await?;
        slots.there(&snapshot)?;
        if !snapshot.rows(&tools).is_empty() {
            return Err(ToolStoreError::BundleNotEmpty);
        }
        let Some(mut row) = slots.row(&snapshot)? else { return Err(ToolStoreError::BundleNotFound) };
        let now = core.now();
        row.record.soft_deleted_at = Some(now);
        let mut change = Change::new(Moment::of(&snapshot, state)?);
        change.after.bundles = change.after.bundles.saturating_sub(1);
        let text = json(&*row.record);
        change.batch.put_text(BUNDLES, id.as_str(), text.clone());
        change.told.bundles = text;
        change.batch.due(Due::Reap, id.as_str(), None, Some(now + REAPED_AFTER));
        change.note("tool_bundle_deleted", id.as_str());
        if change.commit(core).await? {
            core.wake_after(Ok(())).await;
            return Ok(());
        }
    }
    Err(busy())
}

/// The first tool of a bundle.
pub(super) fn inside(id: &str) -> Range {
    Range::prefix([id, "/"].concat()).first(1)
}
