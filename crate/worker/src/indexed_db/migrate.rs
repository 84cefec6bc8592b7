//! Bringing a database to a newer version, inside the upgrade's own transaction.

use super::{result, store, unavailable};
use js_sys::Array;
use runtime::store::migration::{Derive, Join, Rewrite};
use runtime::store::{Migration, StoreError, Table};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest};

/// Performs the steps after `from`, inside the upgrade's own transaction.
pub(super) async fn migrate(
    request: &IdbOpenDbRequest,
    from: u32,
    steps: &[Migration],
) -> Result<(), StoreError> {
    let database: IdbDatabase = request.result().map_err(unavailable)?.unchecked_into();
    let transaction = request.transaction().ok_or_else(|| StoreError::unavailable("no upgrade"))?;
    for step in steps.iter().filter(|step| step.version > from) {
        for name in step.creates {
            database.create_object_store(name).map_err(unavailable)?;
        }
        for (name, rewrite) in step.rewrites {
            let table = transaction.object_store(name).map_err(unavailable)?;
            each_record(&table, put_rewritten(table.clone(), *rewrite)).await?;
        }
        for (name, (other, key), join) in step.joins {
            let other = transaction.object_store(other).map_err(unavailable)?;
            let found = result(&other.get(&JsValue::from_str(key)).map_err(unavailable)?).await?;
            let table = transaction.object_store(name).map_err(unavailable)?;
            each_record(&table, put_joined(table.clone(), found.as_string().unwrap_or_default(), *join))
                .await?;
        }
        for (from, to, derive) in step.derives {
            let [from, to] = [from, to].map(|name| transaction.object_store(name).map_err(unavailable));
            each_record(&from?, put_derived(to?, *derive)).await?;
        }
        for name in step.drops {
            database.delete_object_store(name).map_err(unavailable)?;
        }
    }
    // What they were made from may have been rewritten.
    if database.object_store_names().contains(Table::Snapshots.name()) {
        store(&transaction, Table::Snapshots)?.clear().map_err(unavailable)?;
    }
    Ok(())
}

/// What is done with a record: its key as it is, its key and its text as text.
type Visit = Box<dyn Fn(&JsValue, &str, &str) -> Result<(), StoreError>>;

/// Visits every record of a table, in the very event that brings them: what is thrown there aborts the transaction, a
/// panic too. From a task it would not, and the migration would be committed half done.
async fn each_record(store: &IdbObjectStore, visit: Visit) -> Result<(), StoreError> {
    let keys = store.get_all_keys().map_err(unavailable)?;
    // Asked for second, so that the keys are there when the texts are.
    let texts = store.get_all().map_err(unavailable)?;
    let outcome = Rc::new(RefCell::new(Ok(())));
    let arrived = {
        let (texts, outcome) = (texts.clone(), Rc::clone(&outcome));
        Closure::once(move || *outcome.borrow_mut() = visit_all(&keys, &texts, &visit))
    };
    texts
        .add_event_listener_with_callback("success", arrived.as_ref().unchecked_ref())
        .map_err(unavailable)?;
    result(&texts).await?;
    outcome.replace(Ok(()))
}

fn visit_all(keys: &IdbRequest, texts: &IdbRequest, visit: &Visit) -> Result<(), StoreError> {
    let array = |request: &IdbRequest| request.result().map(JsCast::unchecked_into::<Array>);
    let (keys, texts) = (array(keys).map_err(unavailable)?, array(texts).map_err(unavailable)?);
    let text = |value: &JsValue| value.as_string().unwrap_or_default();
    for (key, value) in keys.iter().zip(texts.iter()) {
        visit(&key, &text(&key), &text(&value))?;
    }
    Ok(())
}

fn put_rewritten(store: IdbObjectStore, rewrite: Rewrite) -> Visit {
    Box::new(move |at, key, text| {
        let request = match rewrite(key, text) {
            Some(new) => store.put_with_key(&new.into(), at),
            None => store.delete(at),
        };
        request.map(|_| ()).map_err(unavailable)
    })
}

fn put_joined(store: IdbObjectStore, other: String, join: Join) -> Visit {
    Box::new(move |at, _, text| match join(text, &other) {
        Some(new) => store.put_with_key(&new.into(), at).map(|_| ()).map_err(unavailable),
        None => Ok(()),
    })
}

fn put_derived(store: IdbObjectStore, derive: Derive) -> Visit {
    Box::new(move |_, key, text| match derive(key, text) {
        Some((key, text)) => store.put_with_key(&text.into(), &key.into()).map(|_| ()).map_err(unavailable),
        None => Ok(()),
    })
}
