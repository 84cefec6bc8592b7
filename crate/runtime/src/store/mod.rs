//! Where records are: ordered tables of text, read in snapshots, changed in atomic batches with preconditions.
//!
//! One trait, two back ends (memory here, IndexedDB in `worker`), one test-suite for both ([`suite`]).
//! A record is JSON text under a string key; what it means is known to the module that owns the table
//! ([`owned_tables`]).

mod batch;
mod error;
pub mod memory;
pub mod migration;
mod migrations;
mod owned;
mod reads;
#[cfg(any(test, feature = "suite"))]
pub mod suite;
mod table;

pub use batch::{Batch, Durability, Expectation, Write};
pub use error::{Corruption, RecordPlace, StoreError, Versions};
pub use migration::{Migration, SCHEMA};
pub use owned::{Claimed, Owned};
pub(crate) use owned::{owned_tables, part};
pub(crate) use reads::{Keyed, Many, One, Reads, Snapshot, get, scan};
pub use table::Table;

use async_trait::async_trait;
use wire::json::{FromJson, ToJson};

/// A range of keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Range {
    /// Only keys that begin with this.
    pub prefix: String,
    /// Only keys after this one.
    pub after: Option<String>,
    /// Only keys before this one.
    pub before: Option<String>,
    /// Largest keys first.
    pub descending: bool,
    /// At most so many.
    pub limit: Option<u32>,
}

impl Range {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Keys that begin with `prefix`.
    pub fn prefix(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..Self::default() }
    }

    /// At most `limit`.
    pub fn first(self, limit: u32) -> Self {
        Self { limit: Some(limit), ..self }
    }
}

/// A record with its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Where it is.
    pub key: String,
    /// What it is.
    pub text: String,
}

/// What is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// One record.
    Get(Table, String),
    /// Records with their keys, in order of keys.
    Scan(Table, Range),
}

impl Query {
    /// The table it reads.
    pub const fn table(&self) -> Table {
        match self {
            Self::Get(table, _) | Self::Scan(table, _) => *table,
        }
    }
}

/// Ordered tables of text.
#[async_trait(?Send)]
pub trait Store {
    /// Reads at one moment; the rows of each query, in the order of the queries.
    async fn read(&self, queries: Vec<Query>) -> Result<Vec<Vec<Row>>, StoreError>;
    /// Every record of a table without its key, as lines: the fast way through a large table.
    async fn lines(&self, table: Table) -> Result<String, StoreError>;
    /// Changes everything or nothing; gives the numbers of what was appended, in order.
    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError>;

    /// One record.
    async fn get(&self, table: Table, key: &str) -> Result<Option<String>, StoreError> {
        let rows = self.read(vec![Query::Get(table, key.to_owned())]).await?;
        Ok(rows.into_iter().flatten().next().map(|row| row.text))
    }

    /// Records with their keys, in order of keys.
    async fn scan(&self, table: Table, range: Range) -> Result<Vec<Row>, StoreError> {
        let rows = self.read(vec![Query::Scan(table, range)]).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }
}

/// The key of an appended record: numbers that sort as text.
pub fn number_key(number: u64) -> String {
    format!("{number:016}")
}

/// The text of a record.
pub(crate) fn json(record: &dyn ToJson) -> String {
    wire::json::to_text(record)
}

/// A record as it was read, with the text that a precondition can name.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<T> {
    /// The text on disk.
    pub text: String,
    /// What it says. On the heap: records are large, and are handed on at every step of an operation.
    pub record: Box<T>,
}

/// Reads the text of a record.
pub fn parse<T: FromJson>(table: Table, key: &str, text: &str) -> Result<T, StoreError> {
    wire::json::from_text(text).map_err(|error| StoreError::corrupt(table.name(), key, error.to_string()))
}
