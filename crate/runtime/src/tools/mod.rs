//! The tool store (specification 002): bundles and tools as records, their switches and their metrics.
//!
//! A tool's record is a text that the toolbox checked and wrote. It never changes: a change is another version. What can
//! change of a tool or a bundle is its switch, which is a row of its own. Built-in tools are compiled in, and have nothing
//! but a switch here, so that it survives every update of theirs.
//!
//! Every change rests on the state that it read ([`State`]) and writes the next one: of two changes at the same time one
//! reads again and decides again. That makes a pair of slug and version unique in all workers, keeps counts right, and
//! names the state that the toolbox's index holds ([`index`]).

mod archive;
mod built_in;
mod bundles;
mod check;
mod configs;
mod declare;
mod error;
mod index;
mod metrics;
mod normal;
mod reap;
mod run;
mod served;
mod show;
mod tool;

pub(crate) use archive::{export_bundle, import_bundle};
pub(crate) use bundles::{delete_bundle, put_bundle, switch_bundle};
pub(crate) use configs::import_configs;
pub(crate) use declare::{Declared, declared};
pub(crate) use error::{DisabledError, ToolStoreError};
pub(crate) use index::rebuild;
pub(crate) use metrics::fold_soon;
pub(crate) use normal::{BundleId, ToolKey};
pub(crate) use reap::reap;
pub(crate) use run::{
    RunError, callable, check_arguments, check_arguments_of, check_output, draft, resolve, stage_ended,
    stage_use_of, trial,
};
pub(crate) use served::{ServedBundle, remove_served, replace_served, served_is_on, served_tools};
pub(crate) use show::{find_by_id, get_bundle, get_tool, list_bundles, list_tools, search_tools};
pub(crate) use tool::{delete_tool, put_tool, switch_tool};

use crate::Core;
use crate::database::Database;
use crate::store::{self, Batch, Durability, One, Reads, Snapshot, StoreError, owned_tables};
use derive::Record;
use metrics::{Metrics, Use};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::event::Event;
use wire::tool_index::{BundleRow, IndexChange};

owned_tables! {
    /// Bundle id → a bundle of tools.
    BUNDLES: ToolBundlesRight = ToolBundles, BundleRow;
    /// Bundle id, slug and version → a tool's record, without its switch.
    TOOLS: ToolsRight = Tools, Value;
    /// Bundle id, slug and version → what the toolbox's index keeps of the record.
    DOCUMENTS: ToolDocumentsRight = ToolDocuments, Value;
    /// Tool id → bundle id, slug and version.
    IDS: ToolIdsRight = ToolIds, String;
    /// Id of a bundle or tool that is switched off → nothing.
    SWITCHES: ToolSwitchesRight = ToolSwitches, ();
    /// Tool id → its calls, up to a moment.
    METRICS: ToolMetricsRight = ToolMetrics, Metrics;
    /// Appended: calls that are not in the metrics yet.
    USES: ToolUsesRight = ToolUses, Use;
    /// One row, under an empty key.
    STATE: ToolStateRight = ToolState, State;
}

/// Tools that the user may have.
pub(crate) const MAX_TOOLS: u32 = 10_000;
/// Bundles that the user may have.
pub(crate) const MAX_BUNDLES: u32 = 1_000;
/// How often a change is decided again because another came first.
const MAX_CONFLICTS: u32 = 20;
/// A deleted bundle is removed after this.
const REAPED_AFTER: Millis = 2 * 24 * 60 * 60 * 1000;

/// The state that a change rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
pub(crate) struct State {
    /// One more with each change.
    generation: u64,
    /// How many tools there are.
    tools: u32,
    /// How many bundles there are that are not deleted.
    bundles: u32,
}

/// The tool store of a worker. The only writer of its tables.
pub(crate) struct ToolStore {
    database: Rc<Database>,
    /// The stamp that the toolbox's index has, as far as is known.
    indexed: RefCell<Option<String>>,
    /// Calls that ended since the uses were last looked at; none were looked at yet by a new worker.
    uses: Cell<Option<u32>>,
    /// What was last declared to the agent.
    declared: RefCell<Option<Rc<Declared>>>,
}

impl ToolStore {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database, indexed: RefCell::new(None), uses: Cell::new(None), declared: RefCell::new(None) }
    }

    /// Whether the user has no tools: then no name needs to be looked up.
    pub(crate) async fn is_empty(&self) -> Result<bool, StoreError> {
        let state = store::get(self.database.store(), STATE, "").await?;
        Ok(state.is_none_or(|state| state.record.tools == 0))
    }
}

/// A state as it was read, with the text that a precondition names.
#[derive(Debug, Clone, Default)]
struct Moment {
    text: Option<String>,
    state: State,
}

impl Moment {
    fn of(snapshot: &Snapshot, slot: One<ToolStateRight>) -> Result<Self, StoreError> {
        Ok(snapshot
            .one(slot)?
            .map_or_else(Self::default, |stored| Self { text: Some(stored.text), state: *stored.record }))
    }

    async fn read(core: &Core) -> Result<Self, StoreError> {
        let mut reads = Reads::new();
        let slot = reads.get(STATE, "");
        Self::of(&reads.from(core.tools.database.store()).await?, slot)
    }
}

/// A change that is about to be committed.
struct Change {
    batch: Batch,
    /// The state that it rests on.
    before: Moment,
    /// Tools and bundles afterwards.
    after: State,
    /// What the index is told.
    told: IndexChange,
}

impl Change {
    fn new(before: Moment) -> Self {
        let after = before.state;
        Self { batch: Batch::new(Durability::Strict), before, after, told: IndexChange::default() }
    }

    /// Says in the audit log what changed.
    fn note(&mut self, what: &str, subject: &str) {
        self.batch.note(AuditRecord::Change { what: what.to_owned(), subject: Some(subject.to_owned()) });
    }

    /// Switches a bundle or a tool.
    fn switch(&mut self, id: &str, on: bool) {
        let told = if on { &mut self.told.enabled } else { &mut self.told.disabled };
        told.push(id.to_owned());
        match on {
            true => self.batch.delete(SWITCHES, id),
            false => self.batch.put(SWITCHES, id, &()),
        }
    }

    /// Whether nothing would change.
    fn is_empty(&self) -> bool {
        self.batch.writes().is_empty()
    }

    /// Commits it; `false` if another change came first, and it must be decided again.
    async fn commit(self, core: &Core) -> Result<bool, StoreError> {
        let Self { mut batch, before, mut after, told } = self;
        after.generation = before.state.generation + 1;
        batch.expect(STATE, "", before.text.as_deref());
        batch.put(STATE, "", &after);
        batch.tell(&Event::ToolsModified {});
        match core.commit(batch).await {
            Ok(()) => {
                index::follow(core, before.state.generation, after.generation, told).await;
                Ok(true)
            }
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Whether a bundle is compiled in.
pub(crate) fn is_built_in(id: &BundleId) -> bool {
    built_in::is_bundle(id)
}

/// Why a built-in tool cannot be called; none if it can.
pub(crate) async fn built_in_refusal(core: &Core, name: &str) -> Result<Option<DisabledError>, StoreError> {
    let Some(id) = built_in::id_of_name(name) else { return Ok(None) };
    let mut reads = Reads::new();
    let (bundle, tool) = (reads.get(SWITCHES, built_in::BUNDLE), reads.get(SWITCHES, &id));
    let snapshot = reads.from(core.tools.database.store()).await?;
    Ok(match (snapshot.text(bundle), snapshot.text(tool)) {
        (Some(_), _) => Some(DisabledError::new("bundle_disabled")),
        (None, Some(_)) => Some(DisabledError::new("tool_disabled")),
        (None, None) => None,
    })
}

/// That a change was decided again too often.
fn busy() -> ToolStoreError {
    StoreError::conflict(store::Table::Counters.name(), "tool-state").into()
}
