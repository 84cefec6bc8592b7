//! Databases that are there for one case and gone after it.

use js_sys::{Promise, Reflect};
use runtime::store::suite::Outcome;
use runtime::store::{Migration, StoreError};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::IdbFactory;
use worker::indexed_db::IndexedDb;

/// The name of a case's database.
pub(crate) fn name(case: &str) -> String {
    format!("harness: {case}")
}

/// Opens, with the error as text.
pub(crate) async fn open(name: &str, steps: &'static [Migration]) -> Result<IndexedDb, String> {
    IndexedDb::open(name, steps).await.map_err(text)
}

/// The store's error as text.
pub(crate) fn text(error: StoreError) -> String {
    error.to_string()
}

/// Deletes a database, whether it is there or not; connections that are open to it are asked to go.
pub(crate) async fn delete(name: &str) -> Outcome {
    let factory =
        Reflect::get(&js_sys::global(), &"indexedDB".into()).map_err(|error| format!("{error:?}"))?;
    let request =
        factory.unchecked_into::<IdbFactory>().delete_database(name).map_err(|error| format!("{error:?}"))?;
    let deleted = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(deleted).await.map(|_| ()).map_err(|error| format!("{error:?}"))
}
