//! What is on disk of a call that sends requests.

use crate::Core;
use crate::call::CallRow;
use crate::mcp;
use crate::store::{self, Batch, StoreError, owned_tables};
use derive::Record;
use serde_json::{Map, Value};
use wire::api::Millis;

owned_tables! {
    /// Call id → its requests.
    RUNS: ToolRunsRight = ToolRuns, Run;
}

/// The requests of a call. An attempt is on disk before it is made.
#[derive(Debug, Clone, PartialEq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    /// When the call was begun.
    pub(super) started_at: Millis,
    /// What steps gave that are done, by their ids; of a step inside another, with the other's in front.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) done: Map<String, Value>,
    /// The request of the moment.
    pub(super) sending: Sending,
}

/// A request, from its first attempt to its last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sending {
    /// Where to.
    pub(super) host: String,
    pub(super) method: String,
    /// When the first attempt was made: the time for all of them runs from there.
    pub(super) begun_at: Millis,
    /// Attempts that were begun.
    pub(super) attempts: u32,
    /// When the next one is due. None while it is not known what became of the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) next_at: Option<Millis>,
    /// Whether a request that may have reached the host can be sent again.
    pub(super) is_idempotent: bool,
}

impl Sending {
    /// Whether it is not known what became of the last attempt.
    pub(super) const fn is_in_flight(&self) -> bool {
        self.attempts > 0 && self.next_at.is_none()
    }
}

/// The requests of a call, with their text on disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) run: Run,
    /// None if none was sent.
    text: Option<String>,
}

impl Kept {
    /// What is known of a call's requests.
    pub(super) async fn read(core: &Core, call_id: &str) -> Result<Self, StoreError> {
        let stored = store::get(core.database.store(), RUNS, call_id).await?;
        Ok(stored.map_or_else(Self::default, |stored| Self { run: *stored.record, text: Some(stored.text) }))
    }

    /// Whether nothing of it is on disk.
    pub(super) const fn is_new(&self) -> bool {
        self.text.is_none()
    }

    /// Stages a change of it, unless another worker was faster.
    pub(super) fn stage(&mut self, call_id: &str, batch: &mut Batch) {
        let text = store::json(&self.run);
        batch.expect(RUNS, call_id, self.text.as_deref());
        batch.put_text(RUNS, call_id, text.clone());
        self.text = Some(text);
    }
}

/// Stages that a call ended.
pub(crate) fn stage_ended(call: &CallRow, batch: &mut Batch) {
    if call.tool_id.is_some() {
        batch.delete(RUNS, &call.id);
        mcp::stage_ended(&call.id, batch);
    }
}
