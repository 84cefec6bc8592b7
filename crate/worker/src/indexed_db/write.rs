//! Writing a batch, inside its own transaction.

use super::{result, store, unavailable};
use runtime::store::{Batch, StoreError, Table, Write, number_key};
use wasm_bindgen::prelude::*;
use web_sys::{IdbKeyRange, IdbRequest, IdbTransaction};

#[wasm_bindgen]
extern "C" {
    /// `IDBTransaction` with its `commit`, which the bindings have as if it were not standard.
    #[wasm_bindgen(extends = IdbTransaction)]
    type Transaction;

    #[wasm_bindgen(method, catch)]
    fn commit(this: &Transaction) -> Result<(), JsValue>;
}

/// Checks what the batch expects, then writes.
pub(super) async fn write(
    transaction: &IdbTransaction,
    batch: &Batch,
    adding: bool,
) -> Result<Vec<u64>, StoreError> {
    let added = if adding { added(batch) } else { 0 };
    // All are asked for before the first is waited for: one way to the database and back.
    let mut found = Vec::new();
    for (table, key, expected) in batch.expected().iter().skip(added) {
        let request = store(transaction, *table)?.get(&key.as_str().into()).map_err(unavailable)?;
        found.push((table, key, expected, request));
    }
    let last_numbers = last_numbers(transaction, batch)?;
    for (table, key, expected, request) in found {
        if result(&request).await?.as_string() != *expected {
            return Err(StoreError::conflict(table.name(), key));
        }
    }
    let mut counters: Vec<(Table, u64)> = Vec::new();
    for (table, request) in last_numbers {
        let text = result(&request).await?.as_string();
        counters.push((table, text.and_then(|text| text.parse().ok()).unwrap_or(0)));
    }
    let mut appended = Vec::new();
    for (index, change) in batch.writes().iter().enumerate() {
        let request = match change {
            Write::Put(table, key, text) => {
                let (store, text, key) =
                    (store(transaction, *table)?, text.as_str().into(), key.as_str().into());
                if index < added { store.add_with_key(&text, &key) } else { store.put_with_key(&text, &key) }
            }
            Write::Delete(table, key) => store(transaction, *table)?.delete(&key.as_str().into()),
            Write::DeleteBefore(table, key) => {
                let range = IdbKeyRange::upper_bound_with_open(&key.as_str().into(), true);
                store(transaction, *table)?.delete(&range.map_err(unavailable)?.into())
            }
            Write::Append(table, text) => {
                let Some((_, number)) = counters.iter_mut().find(|(counted, _)| counted == table) else {
                    return Err(StoreError::unavailable("a number was not asked for"));
                };
                *number += 1;
                appended.push(*number);
                store(transaction, *table)?.put_with_key(&text.as_str().into(), &number_key(*number).into())
            }
        };
        request.map_err(unavailable)?;
    }
    for (table, number) in counters {
        let text = number.to_string();
        store(transaction, Table::Counters)?
            .put_with_key(&text.into(), &table.name().into())
            .map_err(unavailable)?;
    }
    // By itself it would end only after the last answer has come back and nothing was asked for any more.
    transaction.unchecked_ref::<Transaction>().commit().map_err(unavailable)?;
    Ok(appended)
}

/// How many preconditions, from the first on, need no look: the record must not be there, and is the one that the
/// write at the same place puts. Adding it fails if it is there. Not where the batch removes records of that table
/// too: it might remove the very one.
fn added(batch: &Batch) -> usize {
    let Some((first, ..)) = batch.expected().first() else {
        return 0;
    };
    let removes = |write: &Write| matches!(write, Write::Delete(table, _) | Write::DeleteBefore(table, _) if table == first);
    if batch.writes().iter().any(removes) {
        return 0;
    }
    let pairs = batch.expected().iter().zip(batch.writes());
    let new = pairs.take_while(|((table, key, expected), write)| {
        table == first
            && expected.is_none()
            && matches!(write, Write::Put(to, at, _) if to == table && at == key)
    });
    new.count()
}

/// Asks for the last numbers of the tables that the batch appends to.
fn last_numbers(transaction: &IdbTransaction, batch: &Batch) -> Result<Vec<(Table, IdbRequest)>, StoreError> {
    let mut asked: Vec<(Table, IdbRequest)> = Vec::new();
    for write in batch.writes() {
        if let Write::Append(table, _) = write
            && asked.iter().all(|(known, _)| known != table)
        {
            let request = store(transaction, Table::Counters)?.get(&table.name().into());
            asked.push((*table, request.map_err(unavailable)?));
        }
    }
    Ok(asked)
}
