//! Reading: an operation declares what it needs, one transaction reads it, and the answers have their types.
//!
//! ```text
//! let mut reads = Reads::new();
//! let call = reads.get(CALLS, id);
//! let pending = reads.scan(PENDING, Range::prefix(lane));
//! let snapshot = reads.from(&*store).await?;      // one transaction
//! let (call, pending) = (snapshot.one(call)?, snapshot.many(pending)?);
//! ```

use super::{Expectation, Owned, Query, Range, Row, Store, StoreError, Stored, parse};
use std::marker::PhantomData;

/// What an operation reads, in one transaction.
#[derive(Debug, Default)]
pub(crate) struct Reads(Vec<Query>);

/// The place of one record in a [`Snapshot`].
#[derive(Debug)]
pub(crate) struct One<T> {
    place: usize,
    table: PhantomData<T>,
}

impl<T> Clone for One<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for One<T> {}

/// The place of some records in a [`Snapshot`].
#[derive(Debug)]
pub(crate) struct Many<T> {
    place: usize,
    table: PhantomData<T>,
}

/// A record with its key, as its owner spells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Keyed<T> {
    /// Without the part's prefix.
    pub(crate) key: String,
    /// The text on disk.
    pub(crate) text: String,
    /// What it says.
    pub(crate) record: T,
}

impl<T> From<Keyed<T>> for Stored<T> {
    fn from(Keyed { text, record, .. }: Keyed<T>) -> Self {
        Self { text, record: Box::new(record) }
    }
}

impl Reads {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// One record.
    pub(crate) fn get<T: Owned>(&mut self, table: T, key: &str) -> One<T> {
        self.0.push(Query::Get(T::TABLE, table.key(key)));
        One { place: self.0.len() - 1, table: PhantomData }
    }

    /// Records in order of keys.
    pub(crate) fn scan<T: Owned>(&mut self, table: T, range: Range) -> Many<T> {
        let full = |key: Option<String>| key.map(|key| table.key(&key));
        let Range { prefix, after, before, descending, limit } = range;
        let range =
            Range { prefix: table.key(&prefix), after: full(after), before: full(before), descending, limit };
        self.0.push(Query::Scan(T::TABLE, range));
        Many { place: self.0.len() - 1, table: PhantomData }
    }

    /// Reads all of it at one moment.
    pub(crate) async fn from(self, store: &dyn Store) -> Result<Snapshot, StoreError> {
        if self.0.is_empty() {
            return Ok(Snapshot { rows: Vec::new(), queries: Vec::new() });
        }
        let queries = self.0.clone();
        Ok(Snapshot { rows: store.read(self.0).await?, queries })
    }
}

/// What was read, at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Of each query.
    rows: Vec<Vec<Row>>,
    queries: Vec<Query>,
}

impl Snapshot {
    fn at(&self, place: usize) -> &[Row] {
        self.rows.get(place).map_or(&[], Vec::as_slice)
    }

    /// That a record is still as it was read, there or not: for a batch that relies on it.
    pub(crate) fn expectation<T: Owned>(&self, slot: One<T>) -> Option<Expectation> {
        let Some(Query::Get(table, key)) = self.queries.get(slot.place) else { return None };
        Some((*table, key.clone(), self.text(slot).cloned()))
    }

    /// The rows as they are on disk, for an owner that reads damaged ones too.
    pub(crate) fn rows<T: Owned>(&self, slot: &Many<T>) -> &[Row] {
        self.at(slot.place)
    }

    /// The text of a record, if there is one.
    pub(crate) fn text<T: Owned>(&self, slot: One<T>) -> Option<&String> {
        self.at(slot.place).first().map(|row| &row.text)
    }

    /// The record, if there is one.
    pub(crate) fn one<T: Owned>(&self, slot: One<T>) -> Result<Option<Stored<T::Row>>, StoreError> {
        match self.at(slot.place).first() {
            Some(Row { key, text }) => {
                let record = Box::new(parse(T::TABLE, key, text)?);
                Ok(Some(Stored { text: text.clone(), record }))
            }
            None => Ok(None),
        }
    }

    /// The records, in order of keys.
    pub(crate) fn many<T: Owned>(&self, slot: Many<T>) -> Result<Vec<Keyed<T::Row>>, StoreError> {
        let mut records = Vec::with_capacity(self.at(slot.place).len());
        for Row { key, text } in self.at(slot.place) {
            let record = parse(T::TABLE, key, text)?;
            let key = key.strip_prefix(T::PREFIX).unwrap_or(key).to_owned();
            records.push(Keyed { key, text: text.clone(), record });
        }
        Ok(records)
    }

    /// The keys alone, for tables whose keys say it all.
    pub(crate) fn keys<T: Owned>(&self, slot: Many<T>) -> Vec<String> {
        let own = |row: &Row| row.key.strip_prefix(T::PREFIX).unwrap_or(&row.key).to_owned();
        self.at(slot.place).iter().map(own).collect()
    }
}

/// Reads one record.
pub(crate) async fn get<T: Owned>(
    store: &dyn Store,
    table: T,
    key: &str,
) -> Result<Option<Stored<T::Row>>, StoreError> {
    let mut reads = Reads::new();
    let slot = reads.get(table, key);
    reads.from(store).await?.one(slot)
}

/// Reads some records, in order of keys.
pub(crate) async fn scan<T: Owned>(
    store: &dyn Store,
    table: T,
    range: Range,
) -> Result<Vec<Keyed<T::Row>>, StoreError> {
    let mut reads = Reads::new();
    let slot = reads.scan(table, range);
    reads.from(store).await?.many(slot)
}
