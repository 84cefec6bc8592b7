//! What the backend is told of its agent's notes: `context.goals` and `context.memories` of a request.

use super::{GOALS, GoalsRight, MEMORIES, MemoriesRight};
use crate::store::{Many, Owned, Range, Reads, Row, Snapshot, json};
use chains::order::sort_by;
use serde_json::Value;

/// Bytes of goals and of memories that are told: the newest that fit.
const MAX_GOALS: usize = 8 << 10;
const MAX_MEMORIES: usize = 24 << 10;

/// Where an agent's notes are in a snapshot.
pub(crate) struct NoteSlots {
    goals: Many<GoalsRight>,
    memories: Many<MemoriesRight>,
}

/// Declares a read of an agent's notes.
pub(crate) fn read(agent: &str, reads: &mut Reads) -> NoteSlots {
    let range = || Range::prefix([agent, "/"].concat());
    NoteSlots { goals: reads.scan(GOALS, range()), memories: reads.scan(MEMORIES, range()) }
}

/// Notes as they are told.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    goals: Vec<Value>,
    memories: Vec<Value>,
}

impl Notes {
    /// Of a snapshot.
    pub(crate) fn of(snapshot: &Snapshot, slots: &NoteSlots) -> Self {
        Self {
            goals: newest(rows(snapshot, &slots.goals), MAX_GOALS),
            memories: newest(rows(snapshot, &slots.memories), MAX_MEMORIES),
        }
    }

    /// Whether there are none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.goals.is_empty() && self.memories.is_empty()
    }

    /// All of them as one text.
    pub(crate) fn text(&self) -> String {
        json(&vec![Value::Array(self.goals.clone()), Value::Array(self.memories.clone())])
    }

    /// The fields of a request's `context`: none where there are no notes.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, Value)> {
        let fields = [("goals", self.goals), ("memories", self.memories)].into_iter();
        fields.filter(|(_, notes)| !notes.is_empty()).map(|(name, notes)| (name, Value::Array(notes)))
    }
}

fn rows<'a, T: Owned>(snapshot: &'a Snapshot, slot: &Many<T>) -> &'a [Row] {
    snapshot.rows(slot)
}

/// The notes that were changed last, as many as fit. One that cannot be read is left out.
fn newest(rows: &[Row], most: usize) -> Vec<Value> {
    let changed = |note: &Value| note.get("updatedAt").and_then(Value::as_u64);
    let note = |row: &Row| Some((row.text.len(), serde_json::from_str::<Value>(&row.text).ok()?));
    let mut notes: Vec<(usize, Value)> = rows.iter().filter_map(note).collect();
    sort_by(&mut notes, |(_, one), (_, other)| changed(other).cmp(&changed(one)));
    let mut left = most;
    notes.retain(|(length, _)| match left.checked_sub(*length) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    notes.into_iter().map(|(_, note)| note).collect()
}
