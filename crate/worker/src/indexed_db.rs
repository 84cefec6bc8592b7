//! The store on IndexedDB: a table is an object store, a record is JSON text under a string key.
//!
//! A transaction lives only while its own requests are awaited: nothing else is awaited between its beginning and
//! its end.

use crate::js::describe;
use async_trait::async_trait;
use js_sys::{Array, JsString, Object, Promise, Reflect};
use runtime::store::migration::{Rewrite, version};
use runtime::store::{Batch, Durability, Migration, Range, Row, Store, StoreError, Table, Write, number_key};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    DomException, IdbCursorDirection, IdbCursorWithValue, IdbDatabase, IdbFactory, IdbKeyRange,
    IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction,
};

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase` with the durability option, which the bindings do not have yet.
    #[wasm_bindgen(extends = IdbDatabase)]
    type Database;

    #[wasm_bindgen(method, catch)]
    fn transaction(
        this: &Database,
        tables: &Array,
        mode: &str,
        options: &Object,
    ) -> Result<IdbTransaction, JsValue>;
}

/// The store on IndexedDB.
pub struct IndexedDb {
    database: IdbDatabase,
}

impl IndexedDb {
    /// Opens the database and brings it to the newest version of `steps`, in one transaction or not at all. One
    /// that a newer version of the extension wrote is left as it is.
    pub async fn open(name: &str, steps: &'static [Migration]) -> Result<Self, StoreError> {
        let known = version(steps);
        let request = factory()?.open_with_u32(name, known).map_err(unavailable)?;
        let failed: Rc<RefCell<Option<StoreError>>> = Rc::default();
        let upgrade = {
            let (request, failed) = (request.clone(), Rc::clone(&failed));
            Closure::once(move |event: JsValue| {
                let from = Reflect::get(&event, &"oldVersion".into())
                    .ok()
                    .and_then(|old| old.as_f64())
                    .unwrap_or(0.0);
                spawn_local(async move {
                    if let Err(error) = migrate(&request, from as u32, steps).await {
                        *failed.borrow_mut() = Some(error);
                        request.transaction().map(|transaction| transaction.abort());
                    }
                });
            })
        };
        request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
        let opened = done(&request).await;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        match opened {
            Ok(database) => Ok(Self { database: hold(database.unchecked_into()) }),
            Err(error) if error.name() == "VersionError" => {
                Err(StoreError::SchemaTooNew { found: version_on_disk(name).await?, known })
            }
            Err(error) => Err(unavailable(error.into())),
        }
    }

    /// Closes the connection.
    pub fn close(&self) {
        self.database.close();
    }

    fn transaction(
        &self,
        tables: &[Table],
        mode: &str,
        durability: Durability,
    ) -> Result<IdbTransaction, StoreError> {
        let names: Array = tables.iter().map(|table| JsValue::from_str(table.name())).collect();
        let durability = match durability {
            Durability::Strict => "strict",
            Durability::Relaxed => "relaxed",
        };
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &durability.into()).map_err(unavailable)?;
        self.database.unchecked_ref::<Database>().transaction(&names, mode, &options).map_err(unavailable)
    }

    fn reading(&self, table: Table) -> Result<IdbObjectStore, StoreError> {
        let transaction = self.transaction(&[table], "readonly", Durability::Relaxed)?;
        transaction.object_store(table.name()).map_err(unavailable)
    }
}

#[async_trait(?Send)]
impl Store for IndexedDb {
    async fn get(&self, table: Table, key: &str) -> Result<Option<String>, StoreError> {
        let request = self.reading(table)?.get(&key.into()).map_err(unavailable)?;
        Ok(result(&request).await?.as_string())
    }

    async fn scan(&self, table: Table, range: Range) -> Result<Vec<Row>, StoreError> {
        let Some(keys) = key_range(&range)? else {
            return Ok(Vec::new());
        };
        let store = self.reading(table)?;
        if range.descending {
            return descending(&store, &keys, range.limit.unwrap_or(u32::MAX)).await;
        }
        let limit = range.limit.unwrap_or(u32::MAX);
        let keys_request = store.get_all_keys_with_key_and_limit(&keys, limit).map_err(unavailable)?;
        let texts_request = store.get_all_with_key_and_limit(&keys, limit).map_err(unavailable)?;
        let keys: Array = result(&keys_request).await?.unchecked_into();
        let texts: Array = result(&texts_request).await?.unchecked_into();
        let text = |value: JsValue| value.as_string().unwrap_or_default();
        Ok(keys
            .iter()
            .zip(texts.iter())
            .map(|(key, value)| Row { key: text(key), text: text(value) })
            .collect())
    }

    async fn lines(&self, table: Table) -> Result<String, StoreError> {
        let request = self.reading(table)?.get_all().map_err(unavailable)?;
        let texts: Array = result(&request).await?.unchecked_into();
        // Joined on the other side: one long text crosses the border many times faster than many short ones.
        Ok(texts.join("\n").into())
    }

    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError> {
        let tables = batch.tables();
        if tables.is_empty() {
            return Ok(Vec::new());
        }
        let transaction = self.transaction(&tables, "readwrite", batch.durability)?;
        let ended = ending(&transaction);
        match write(&transaction, batch).await {
            Ok(appended) => {
                JsFuture::from(ended).await.map_err(|_| aborted(&transaction))?;
                Ok(appended)
            }
            Err(error) => {
                let _ = transaction.abort();
                let _ = JsFuture::from(ended).await;
                Err(error)
            }
        }
    }
}

/// Checks what the batch expects, then writes.
async fn write(transaction: &IdbTransaction, batch: Batch) -> Result<Vec<u64>, StoreError> {
    let store = |table: Table| transaction.object_store(table.name()).map_err(unavailable);
    let mut found = Vec::with_capacity(batch.expected.len());
    for (table, key, _) in &batch.expected {
        found.push(store(*table)?.get(&key.as_str().into()).map_err(unavailable)?);
    }
    for ((table, key, expected), request) in batch.expected.iter().zip(found) {
        if result(&request).await?.as_string() != *expected {
            return Err(StoreError::Conflict { table: table.name(), key: key.clone() });
        }
    }
    let mut counters = counters(transaction, &batch).await?;
    let mut appended = Vec::new();
    for change in batch.writes {
        let request = match change {
            Write::Put(table, key, text) => store(table)?.put_with_key(&text.into(), &key.into()),
            Write::Delete(table, key) => store(table)?.delete(&key.into()),
            Write::DeleteBefore(table, key) => {
                let range = IdbKeyRange::upper_bound_with_open(&key.into(), true).map_err(unavailable)?;
                store(table)?.delete(&range)
            }
            Write::Append(table, text) => {
                let number = counters.entry(table).or_default();
                *number += 1;
                appended.push(*number);
                store(table)?.put_with_key(&text.into(), &number_key(*number).into())
            }
        };
        request.map_err(unavailable)?;
    }
    for (table, number) in counters {
        let text = number.to_string();
        store(Table::Counters)?.put_with_key(&text.into(), &table.name().into()).map_err(unavailable)?;
    }
    Ok(appended)
}

/// The last numbers of the tables that the batch appends to.
async fn counters(transaction: &IdbTransaction, batch: &Batch) -> Result<BTreeMap<Table, u64>, StoreError> {
    let mut counters = BTreeMap::new();
    for write in &batch.writes {
        if let Write::Append(table, _) = write
            && !counters.contains_key(table)
        {
            let store = transaction.object_store(Table::Counters.name()).map_err(unavailable)?;
            let request = store.get(&table.name().into()).map_err(unavailable)?;
            let text = result(&request).await?.as_string();
            counters.insert(*table, text.and_then(|text| text.parse().ok()).unwrap_or(0));
        }
    }
    Ok(counters)
}

/// Largest keys first: by a cursor, since `getAll` knows no direction.
async fn descending(store: &IdbObjectStore, keys: &JsValue, limit: u32) -> Result<Vec<Row>, StoreError> {
    let request =
        store.open_cursor_with_range_and_direction(keys, IdbCursorDirection::Prev).map_err(unavailable)?;
    let mut rows = Vec::new();
    while (rows.len() as u32) < limit {
        let Ok(cursor) = result(&request).await?.dyn_into::<IdbCursorWithValue>() else {
            break;
        };
        let text = |value: Result<JsValue, JsValue>| {
            value.ok().and_then(|value| value.as_string()).unwrap_or_default()
        };
        rows.push(Row { key: text(cursor.key()), text: text(cursor.value()) });
        cursor.continue_().map_err(unavailable)?;
    }
    Ok(rows)
}

/// The keys of a range; `None` where there can be none.
fn key_range(range: &Range) -> Result<Option<JsValue>, StoreError> {
    let (lower, lower_open) = match &range.after {
        Some(after) if *after >= range.prefix => (after.clone(), true),
        _ => (range.prefix.clone(), false),
    };
    let end = format!("{}\u{ffff}", range.prefix);
    let (upper, upper_open) = match &range.before {
        Some(before) if *before < end => (before.clone(), true),
        _ => (end, false),
    };
    if lower > upper || (lower == upper && (lower_open || upper_open)) {
        return Ok(None);
    }
    IdbKeyRange::bound_with_lower_open_and_upper_open(&lower.into(), &upper.into(), lower_open, upper_open)
        .map(|range| Some(range.into()))
        .map_err(unavailable)
}

/// Performs the steps after `from`, inside the upgrade's own transaction.
async fn migrate(request: &IdbOpenDbRequest, from: u32, steps: &[Migration]) -> Result<(), StoreError> {
    let database: IdbDatabase = request.result().map_err(unavailable)?.unchecked_into();
    let transaction =
        request.transaction().ok_or_else(|| StoreError::Unavailable("no upgrade".to_owned()))?;
    for step in steps.iter().filter(|step| step.version > from) {
        for name in step.creates {
            database.create_object_store(name).map_err(unavailable)?;
        }
        for (name, rewrite) in step.rewrites {
            rewrite_all(&transaction.object_store(name).map_err(unavailable)?, *rewrite).await?;
        }
        for name in step.drops {
            database.delete_object_store(name).map_err(unavailable)?;
        }
    }
    Ok(())
}

/// Rewrites every record of a table, in the very event that brings them: what is thrown there aborts the
/// transaction, a panic too. From a task it would not, and the migration would be committed half done.
async fn rewrite_all(store: &IdbObjectStore, rewrite: Rewrite) -> Result<(), StoreError> {
    let keys = store.get_all_keys().map_err(unavailable)?;
    // Asked for second, so that the keys are there when the texts are.
    let texts = store.get_all().map_err(unavailable)?;
    let outcome = Rc::new(RefCell::new(Ok(())));
    let arrived = {
        let (store, texts, outcome) = (store.clone(), texts.clone(), Rc::clone(&outcome));
        Closure::once(move || *outcome.borrow_mut() = put_rewritten(&store, &keys, &texts, rewrite))
    };
    texts
        .add_event_listener_with_callback("success", arrived.as_ref().unchecked_ref())
        .map_err(unavailable)?;
    result(&texts).await?;
    outcome.replace(Ok(()))
}

fn put_rewritten(
    store: &IdbObjectStore,
    keys: &IdbRequest,
    texts: &IdbRequest,
    rewrite: Rewrite,
) -> Result<(), StoreError> {
    let array = |request: &IdbRequest| request.result().map(JsCast::unchecked_into::<Array>);
    let (keys, texts) = (array(keys).map_err(unavailable)?, array(texts).map_err(unavailable)?);
    let text = |value: &JsValue| value.as_string().unwrap_or_default();
    for (key, old) in keys.iter().zip(texts.iter()) {
        let request = match rewrite(&text(&key), &text(&old)) {
            Some(new) => store.put_with_key(&new.into(), &key),
            None => store.delete(&key),
        };
        request.map_err(unavailable)?;
    }
    Ok(())
}

async fn version_on_disk(name: &str) -> Result<u32, StoreError> {
    let request = factory()?.open(name).map_err(unavailable)?;
    let database: IdbDatabase = result(&request).await?.unchecked_into();
    let found = database.version() as u32;
    database.close();
    Ok(found)
}

/// Lets go of the database when somebody wants to change or delete it, as the browser asks us to.
fn hold(database: IdbDatabase) -> IdbDatabase {
    let closing = database.clone();
    let close = Closure::<dyn Fn()>::new(move || closing.close());
    database.set_onversionchange(Some(close.into_js_value().unchecked_ref()));
    database
}

fn factory() -> Result<IdbFactory, StoreError> {
    let factory = Reflect::get(&js_sys::global(), &JsString::from("indexedDB")).map_err(unavailable)?;
    factory.dyn_into().map_err(unavailable)
}

/// The result of a request.
async fn result(request: &IdbRequest) -> Result<JsValue, StoreError> {
    done(request).await.map_err(|error| unavailable(error.into()))
}

/// Waits for a request. The promise's reaction runs before the transaction can end by itself.
async fn done(request: &IdbRequest) -> Result<JsValue, DomException> {
    let ended = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    match (JsFuture::from(ended).await, request.error()) {
        (Err(_), Ok(Some(error))) => Err(error),
        _ => Ok(request.result().unwrap_or(JsValue::UNDEFINED)),
    }
}

/// Resolves when the transaction is complete, rejects when it was aborted.
fn ending(transaction: &IdbTransaction) -> Promise {
    Promise::new(&mut |resolve, reject| {
        transaction.set_oncomplete(Some(&resolve));
        transaction.set_onabort(Some(&reject));
    })
}

fn aborted(transaction: &IdbTransaction) -> StoreError {
    let reason =
        transaction.error().map_or_else(|| "the transaction was aborted".to_owned(), |error| error.message());
    StoreError::Unavailable(reason)
}

fn unavailable(error: JsValue) -> StoreError {
    StoreError::Unavailable(describe(&error))
}
