//! Changes that happen together or not at all.

use super::{Owned, Table, json};
use wire::audit::AuditRecord;

/// When a batch counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Handed to the operating system: enough for what can be had again.
    Relaxed,
    /// On the medium: for every record that precedes an effect.
    Strict,
}

/// One change of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Writes a record, new or not.
    Put(Table, String, String),
    /// Removes a record, there or not.
    Delete(Table, String),
    /// Writes a record under the table's next number; numbers are never used twice.
    Append(Table, String),
    /// Removes the records whose keys sort before this one.
    DeleteBefore(Table, String),
}

impl Write {
    /// The table it changes.
    pub(crate) const fn table(&self) -> Table {
        match self {
            Self::Put(table, ..)
            | Self::Delete(table, _)
            | Self::Append(table, _)
            | Self::DeleteBefore(table, _) => *table,
        }
    }
}

/// Changes that happen together or not at all. What is written, and what must hold, is staged by the tables' owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch(Box<Staged>);

/// What is in a batch. On the heap: a batch is handed on at every step of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Staged {
    expected: Vec<Expectation>,
    writes: Vec<Write>,
    notes: Vec<AuditRecord>,
    durability: Durability,
}

/// What must hold: the text under a key, or its absence.
pub type Expectation = (Table, String, Option<String>);

impl Batch {
    /// An empty batch.
    pub fn new(durability: Durability) -> Self {
        Self(Box::new(Staged { expected: Vec::new(), writes: Vec::new(), notes: Vec::new(), durability }))
    }

    /// A batch that writes past every owner, for suites that test back ends or damage records.
    #[cfg(any(test, feature = "suite"))]
    pub fn unowned(durability: Durability, expected: Vec<Expectation>, writes: Vec<Write>) -> Self {
        Self(Box::new(Staged { expected, writes, notes: Vec::new(), durability }))
    }

    /// What must hold.
    pub fn expected(&self) -> &[Expectation] {
        &self.0.expected
    }

    /// What changes, in order.
    pub fn writes(&self) -> &[Write] {
        &self.0.writes
    }

    /// When it counts as done.
    pub fn durability(&self) -> Durability {
        self.0.durability
    }

    /// Only if the record is still as it was read (`None`: still absent).
    pub(crate) fn expect<T: Owned>(&mut self, table: T, key: &str, text: Option<&str>) {
        self.0.expected.push((T::TABLE, table.key(key), text.map(str::to_owned)));
    }

    /// Only if records are still as they were read.
    pub(crate) fn expect_all(&mut self, records: &[Expectation]) {
        self.0.expected.extend_from_slice(records);
    }

    /// Writes a record.
    pub(crate) fn put<T: Owned>(&mut self, table: T, key: &str, record: &T::Row) {
        self.put_text(table, key, json(record));
    }

    /// Writes a record whose text is made already.
    pub(crate) fn put_text<T: Owned>(&mut self, table: T, key: &str, text: String) {
        self.0.writes.push(Write::Put(T::TABLE, table.key(key), text));
    }

    /// Removes a record.
    pub(crate) fn delete<T: Owned>(&mut self, table: T, key: &str) {
        self.0.writes.push(Write::Delete(T::TABLE, table.key(key)));
    }

    /// Appends a record.
    pub(crate) fn append<T: Owned>(&mut self, _table: T, record: &T::Row) {
        self.0.writes.push(Write::Append(T::TABLE, json(record)));
    }

    /// Removes the records whose keys sort before this one.
    pub(crate) fn delete_before<T: Owned>(&mut self, table: T, key: &str) {
        self.0.writes.push(Write::DeleteBefore(T::TABLE, table.key(key)));
    }

    /// What the audit log is to tell of it, taken out: it is sealed into writes on the way to the store.
    pub(crate) fn take_notes(&mut self) -> Vec<AuditRecord> {
        std::mem::take(&mut self.0.notes)
    }

    /// Puts it into the audit log, if and when the batch is committed by `Database::commit`.
    pub(crate) fn note(&mut self, record: AuditRecord) {
        self.0.notes.push(record);
    }

    /// Whether the audit log is to tell of it.
    pub(crate) fn is_noted(&self) -> bool {
        !self.0.notes.is_empty()
    }

    /// The tables this batch touches, each once.
    pub fn tables(&self) -> Vec<Table> {
        let touched = |table: &Table| {
            self.0.expected.iter().any(|(expected, ..)| expected == table)
                || self.0.writes.iter().any(|write| {
                    // The next number of an append is in the counters.
                    let counts = matches!(write, Write::Append(..)) && *table == Table::Counters;
                    counts || write.table() == *table
                })
        };
        Table::ALL.into_iter().filter(touched).collect()
    }
}
