//! The store in memory: for tests, and the model of what the other back end must do.

use super::{Batch, Range, Row, Store, StoreError, Table, Write, number_key};
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
    async fn get(&self, table: Table, key: &str) -> Result<Option<String>, StoreError> {
        Ok(self.0.borrow().get(&table).and_then(|records| records.get(key)).cloned())
    }

    async fn scan(&self, table: Table, range: Range) -> Result<Vec<Row>, StoreError> {
        let tables = self.0.borrow();
        let Some(records) = tables.get(&table) else {
            return Ok(Vec::new());
        };
        let inside = records.iter().filter(|(key, _)| {
            key.starts_with(&range.prefix)
                && range.after.as_ref().is_none_or(|after| *key > after)
                && range.before.as_ref().is_none_or(|before| *key < before)
        });
        let rows = inside.map(|(key, text)| Row { key: key.clone(), text: text.clone() });
        let limit = range.limit.map_or(usize::MAX, |limit| limit as usize);
        Ok(if range.descending { rows.rev().take(limit).collect() } else { rows.take(limit).collect() })
    }

    async fn lines(&self, table: Table) -> Result<String, StoreError> {
        let tables = self.0.borrow();
        let texts: Vec<&str> =
            tables.get(&table).into_iter().flat_map(|records| records.values()).map(String::as_str).collect();
        Ok(texts.join("\n"))
    }

    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError> {
        let mut tables = self.0.borrow_mut();
        for (table, key, expected) in &batch.expected {
            let found = tables.get(table).and_then(|records| records.get(key));
            if found != expected.as_ref() {
                return Err(StoreError::Conflict { table: table.name(), key: key.clone() });
            }
        }
        Ok(batch.writes.into_iter().filter_map(|write| apply(&mut tables, write)).collect())
    }
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
