//! How often a tool was called: counted without a loss, and without a wait.
//!
//! The batch that ends a call appends a *use*. Uses are added to the metrics in the background, and removed in the same
//! batch; a read counts both.

use super::{IDS, METRICS, USES, built_in};
use crate::Core;
use crate::later::later;
use crate::store::{self, Batch, Durability, Many, One, Range, Reads, Snapshot, StoreError};
use crate::work::until_rest;
use derive::{Record, ToJson};
use std::rc::Rc;
use wire::api::Millis;
use wire::tool::iso_time;

/// So many uses are left as they are.
const FEW: u32 = 32;
/// So many are added up at once.
const MANY: u32 = 500;

/// A call that ended.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Use {
    pub(super) tool_id: String,
    failed: bool,
    at: Millis,
}

/// The calls of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metrics {
    call_count: u64,
    failure_count: u64,
    last_called_at: Option<Millis>,
}

impl Metrics {
    fn add(&mut self, used: &Use) {
        self.call_count += 1;
        self.failure_count += u64::from(used.failed);
        self.last_called_at = self.last_called_at.max(Some(used.at));
    }
}

/// Metrics in an answer.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownMetrics {
    call_count: u64,
    failure_count: u64,
    last_called_at: Option<String>,
}

/// Stages that a call of a tool ended, in the batch that ends it.
pub(crate) fn stage_use(core: &Core, batch: &mut Batch, tool_id: &str, failed: bool, at: Millis) {
    batch.append(USES, &Use { tool_id: tool_id.to_owned(), failed, at });
    let counted = core.tools.uses.get();
    core.tools.uses.set(counted.map(|count| count + 1));
}

/// Where the metrics of some tools are in a snapshot.
pub(super) struct MetricsSlots {
    rows: Vec<One<super::ToolMetricsRight>>,
    uses: Many<super::ToolUsesRight>,
}

/// Declares a read of the metrics of tools.
pub(super) fn read<'a>(ids: impl Iterator<Item = &'a str>, reads: &mut Reads) -> MetricsSlots {
    MetricsSlots {
        rows: ids.map(|id| reads.get(METRICS, id)).collect(),
        uses: reads.scan(USES, Range::all()),
    }
}

impl MetricsSlots {
    /// The metrics of the same tools, with the uses that are not among them yet.
    pub(super) fn show<'a>(
        self,
        ids: impl Iterator<Item = &'a str>,
        snapshot: &Snapshot,
    ) -> Result<Vec<ShownMetrics>, StoreError> {
        let uses = snapshot.many(self.uses)?;
        let mut shown = Vec::new();
        for (slot, id) in self.rows.into_iter().zip(ids) {
            let mut metrics = snapshot.one(slot)?.map(|stored| *stored.record).unwrap_or_default();
            uses.iter().filter(|used| used.record.tool_id == id).for_each(|used| metrics.add(&used.record));
            shown.push(ShownMetrics {
                call_count: metrics.call_count,
                failure_count: metrics.failure_count,
                last_called_at: metrics.last_called_at.map(iso_time),
            });
        }
        Ok(shown)
    }
}

/// Adds up uses in the background, once there are many: those of this worker, and those that an earlier one left.
pub(crate) fn fold_soon(core: &Rc<Core>) {
    if core.tools.uses.get().is_none_or(|count| count >= FEW) {
        core.tools.uses.set(Some(0));
        core.spawn_single("tool metrics".to_owned(), |core| async move {
            // What fails is tried again with the next uses.
            if are_many(&core).await.unwrap_or_default() {
                let _ = later(&core, until_rest(|| fold(&core))).await;
            }
        });
    }
}

/// Whether there are uses to add up. Every worker looks once: without the later part.
async fn are_many(core: &Core) -> Result<bool, StoreError> {
    let mut reads = Reads::new();
    let uses = reads.scan(USES, Range::all().first(FEW));
    let snapshot = reads.from(core.tools.database.store()).await?;
    Ok(snapshot.rows(&uses).len() >= FEW as usize)
}

/// Adds up the oldest uses, if there are many; whether there may be more.
async fn fold(core: &Core) -> Result<bool, StoreError> {
    let store = core.tools.database.store();
    let oldest = || Range::all().first(MANY);
    let uses = store::scan(store, USES, oldest()).await?;
    if uses.len() < FEW as usize {
        return Ok(false);
    }
    let mut ids: Vec<String> = Vec::new();
    for used in uses {
        if !ids.contains(&used.record.tool_id) {
            ids.push(used.record.tool_id);
        }
    }
    // What is added up is read once more with what it is added to: another worker may have done so meanwhile.
    let mut reads = Reads::new();
    let slots: Vec<_> = ids.iter().map(|id| (reads.get(METRICS, id), reads.get(IDS, id))).collect();
    let uses = reads.scan(USES, oldest());
    let snapshot = reads.from(store).await?;
    let uses = snapshot.many(uses)?;
    let mut batch = Batch::new(Durability::Relaxed);
    for (id, (metrics, key)) in ids.iter().zip(slots) {
        let mut sum = snapshot.one(metrics)?.map(|stored| *stored.record).unwrap_or_default();
        for used in uses.iter().filter(|used| used.record.tool_id == *id) {
            sum.add(&used.record);
            batch.delete(USES, &used.key);
        }
        // A tool that was deleted while it was called has no metrics.
        let is_there = built_in::has(id) || snapshot.text(key).is_some();
        batch.expect_all(snapshot.expectation(key).as_slice());
        batch.expect_all(snapshot.expectation(metrics).as_slice());
        if is_there {
            batch.put(METRICS, id, &sum);
        }
    }
    core.tools.database.commit(batch).await?;
    Ok(true)
}
