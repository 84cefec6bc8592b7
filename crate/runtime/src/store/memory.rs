//! The store in memory: for tests, and the model of what the other back end must do.

use super::{Batch, Query, Row, Store, StoreError, Table, Write, number_key};
use async_trait::async_trait;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type Tables = BTreeMap<Table, BTreeMap<String, String>>;

/// Tables in memory. Clones share them, as two workers share a disk.
#[derive(Debug, Clone, Default)]
pub struct Memory(Rc<RefCell<Tables>>);

impl Memory {
    /// No records.
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait(?Send)]
impl Store for Memory {
    async fn read(&self, queries: Vec<Query>) -> Result<Vec<Vec<Row>>, StoreError> {
        let tables = self.0.borrow();
        Ok(queries.iter().map(|query| answer(&tables, query)).collect())
    }

    async fn lines(&self, table: Table) -> Result<String, StoreError> {
        let tables = self.0.borrow();
        let texts: Vec<&str> =
            tables.get(&table).into_iter().flat_map(|records| records.values()).map(String::as_str).collect();
        Ok(texts.join("\n"))
    }

    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError> {
        let mut tables = self.0.borrow_mut();
        for (table, key, expected) in batch.expected() {
            let found = tables.get(table).and_then(|records| records.get(key));
            if found != expected.as_ref() {
                return Err(StoreError::conflict(table.name(), key));
            }
        }
        Ok(batch.writes().iter().filter_map(|write| apply(&mut tables, write.clone())).collect())
    }
}

fn answer(tables: &Tables, query: &Query) -> Vec<Row> {
    let Some(records) = tables.get(&query.table()) else {
        return Vec::new();
    };
    let range = match query {
        Query::Scan(_, range) => range,
        Query::Get(_, key) => {
            let row = |text: &String| Row { key: key.clone(), text: text.clone() };
            return records.get(key).map(row).into_iter().collect();
        }
    };
    let inside = records.iter().filter(|(key, _)| {
        key.starts_with(&range.prefix)
            && range.after.as_ref().is_none_or(|after| *key > after)
            && range.before.as_ref().is_none_or(|before| *key < before)
    });
    let rows = inside.map(|(key, text)| Row { key: key.clone(), text: text.clone() });
    let limit = range.limit.map_or(usize::MAX, |limit| limit as usize);
    if range.descending { rows.rev().take(limit).collect() } else { rows.take(limit).collect() }
}

fn apply(tables: &mut Tables, write: Write) -> Option<u64> {
    match write {
        Write::Put(table, key, text) => {
            tables.entry(table).or_default().insert(key, text);
            None
        }
        Write::Delete(table, key) => {
            tables.entry(table).or_default().remove(&key);
            None
        }
        Write::DeleteBefore(table, key) => {
            let records = tables.entry(table).or_default();
            *records = records.split_off(&key);
            None
        }
        Write::Append(table, text) => {
            let counter =
                tables.entry(Table::Counters).or_default().entry(table.name().to_owned()).or_default();
            let number = counter.parse::<u64>().unwrap_or(0) + 1;
            *counter = number.to_string();
            tables.entry(table).or_default().insert(number_key(number), text);
            Some(number)
        }
    }
}
