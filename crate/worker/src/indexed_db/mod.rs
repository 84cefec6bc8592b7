//! The store on IndexedDB: a table is an object store, a record is JSON text under a string key.
//!
//! A transaction lives only while its own requests are awaited: nothing else is awaited between its beginning and
//! its end.

mod migrate;
mod write;

use crate::js::describe;
use async_trait::async_trait;
use js_sys::{Array, JsString, Object, Promise, Reflect};
use migrate::migrate;
use runtime::store::migration::version;
use runtime::store::{Batch, Durability, Migration, Query, Range, Row, Store, StoreError, Table};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    DomException, IdbCursorDirection, IdbCursorWithValue, IdbDatabase, IdbFactory, IdbKeyRange,
    IdbObjectStore, IdbRequest, IdbRequestReadyState, IdbTransaction,
};
use write::write;

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
                Err(StoreError::too_new(version_on_disk(name).await?, known))
            }
            Err(error) => Err(unavailable(error.into())),
        }
    }

    /// Takes over a connection, if its database has the version that `steps` lead to; otherwise closes it.
    pub fn adopt(database: IdbDatabase, steps: &[Migration]) -> Option<Self> {
        if database.version() as u32 == version(steps) {
            return Some(Self { database: hold(database) });
        }
        database.close();
        None
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

    /// Commits a batch, or nothing of it. With `adding`, records that must be new are added without a look, and
    /// `None` says that one of them was there.
    async fn attempt(&self, batch: &Batch, adding: bool) -> Result<Option<Vec<u64>>, StoreError> {
        let transaction = self.transaction(&batch.tables(), "readwrite", batch.durability())?;
        let ended = ending(&transaction);
        match write(&transaction, batch, adding).await {
            Ok(appended) => match JsFuture::from(ended).await {
                Ok(_) => Ok(Some(appended)),
                Err(_) if adding && was_there(&transaction) => Ok(None),
                Err(_) => Err(aborted(&transaction)),
            },
            Err(error) => {
                let _ = transaction.abort();
                let _ = JsFuture::from(ended).await;
                Err(error)
            }
        }
    }

    fn reading(&self, table: Table) -> Result<IdbObjectStore, StoreError> {
        store(&self.transaction(&[table], "readonly", Durability::Relaxed)?, table)
    }
}

#[async_trait(?Send)]
impl Store for IndexedDb {
    /// One transaction for all queries; all are asked for before the first is waited for.
    async fn read(&self, queries: Vec<Query>) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut tables: Vec<Table> = Vec::new();
        for query in &queries {
            if !tables.contains(&query.table()) {
                tables.push(query.table());
            }
        }
        let transaction = self.transaction(&tables, "readonly", Durability::Relaxed)?;
        let asked: Vec<Asked> =
            queries.into_iter().map(|query| ask(&transaction, query)).collect::<Result<_, _>>()?;
        let mut answers = Vec::with_capacity(asked.len());
        for asked in asked {
            answers.push(asked.rows().await?);
        }
        Ok(answers)
    }

    async fn lines(&self, table: Table) -> Result<String, StoreError> {
        let request = self.reading(table)?.get_all().map_err(unavailable)?;
        Ok(joined(result(&request).await?))
    }

    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError> {
        if batch.tables().is_empty() {
            return Ok(Vec::new());
        }
        for adding in [true, false] {
            if let Some(appended) = self.attempt(&batch, adding).await? {
                return Ok(appended);
            }
            // A record that should be new was there: reading tells which, or that it is gone again.
        }
        Ok(Vec::new())
    }
}

fn store(transaction: &IdbTransaction, table: Table) -> Result<IdbObjectStore, StoreError> {
    transaction.object_store(table.name()).map_err(unavailable)
}

/// Whether a transaction was aborted because a record that was to be added is there.
fn was_there(transaction: &IdbTransaction) -> bool {
    transaction.error().is_some_and(|error| error.name() == "ConstraintError")
}

/// Joined on the other side: one long text crosses the border many times faster than many short ones.
fn joined(texts: JsValue) -> String {
    texts.unchecked_into::<Array>().join("\n").into()
}

/// A query that was handed to the database.
enum Asked {
    /// No key can be in its range.
    Nothing,
    One(String, IdbRequest),
    All {
        keys: IdbRequest,
        texts: IdbRequest,
    },
    /// Largest keys first: by a cursor, since `getAll` knows no direction.
    Descending(IdbRequest, u32),
}

fn ask(transaction: &IdbTransaction, query: Query) -> Result<Asked, StoreError> {
    let from = store(transaction, query.table())?;
    let range = match query {
        Query::Get(_, key) => {
            let request = from.get(&key.as_str().into()).map_err(unavailable)?;
            return Ok(Asked::One(key, request));
        }
        Query::Scan(_, range) => range,
    };
    let Some(keys) = key_range(&range)? else {
        return Ok(Asked::Nothing);
    };
    let limit = range.limit.unwrap_or(u32::MAX);
    if range.descending {
        let cursor = from.open_cursor_with_range_and_direction(&keys, IdbCursorDirection::Prev);
        return Ok(Asked::Descending(cursor.map_err(unavailable)?, limit));
    }
    Ok(Asked::All {
        keys: from.get_all_keys_with_key_and_limit(&keys, limit).map_err(unavailable)?,
        texts: from.get_all_with_key_and_limit(&keys, limit).map_err(unavailable)?,
    })
}

impl Asked {
    async fn rows(self) -> Result<Vec<Row>, StoreError> {
        let text = |value: JsValue| value.as_string().unwrap_or_default();
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::One(key, request) => {
                Ok(result(&request).await?.as_string().map(|text| Row { key, text }).into_iter().collect())
            }
            Self::All { keys, texts } => {
                let keys: Array = result(&keys).await?.unchecked_into();
                let texts: Array = result(&texts).await?.unchecked_into();
                let rows = keys.iter().zip(texts.iter());
                Ok(rows.map(|(key, value)| Row { key: text(key), text: text(value) }).collect())
            }
            Self::Descending(request, limit) => descending(&request, limit).await,
        }
    }
}

async fn descending(request: &IdbRequest, limit: u32) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    while (rows.len() as u32) < limit {
        let Ok(cursor) = result(request).await?.dyn_into::<IdbCursorWithValue>() else {
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

async fn version_on_disk(name: &str) -> Result<u32, StoreError> {
    let request = factory()?.open(name).map_err(unavailable)?;
    let database: IdbDatabase = result(&request).await?.unchecked_into();
    let found = database.version() as u32;
    database.close();
    Ok(found)
}

/// Lets go of the database when another connection wants to change or delete it, as the browser asks us to.
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
    if request.ready_state() == IdbRequestReadyState::Done {
        // Its event came while another request of the transaction was waited for.
        return match request.error() {
            Ok(Some(error)) => Err(error),
            _ => Ok(request.result().unwrap_or(JsValue::UNDEFINED)),
        };
    }
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
    StoreError::unavailable(reason)
}

fn unavailable(error: JsValue) -> StoreError {
    StoreError::unavailable(describe(&error))
}
