//! The suite that memory passes natively, on IndexedDB, each case on a database of its own.

use crate::{database, migration};
use runtime::store::suite::{Case, Outcome, cases};
use runtime::store::{SCHEMA, Store};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// Runs every case of the store's suite, then those of the migrations. A JSON array of `{name, error}`, where
/// `error` is null for a case that passed.
#[wasm_bindgen]
pub async fn run_store_suite() -> String {
    let mut report = Vec::new();
    for (name, case) in cases() {
        report.push(row(name, run((name, case)).await));
    }
    for (name, case) in migration::cases() {
        let database = database::name(name);
        let outcome = match database::delete(&database).await {
            Ok(()) => case(database.clone()).await,
            error => error,
        };
        let deleted = database::delete(&database).await;
        report.push(row(name, outcome.and(deleted)));
    }
    Value::Array(report).to_string()
}

async fn run((name, case): Case) -> Outcome {
    let name = database::name(name);
    database::delete(&name).await?;
    // A case holds its store for ever, so it is given one.
    let store: &'static dyn Store = Box::leak(Box::new(database::open(&name, SCHEMA).await?));
    let outcome = case(store).await;
    // The store closes when the browser says that it is to be deleted.
    database::delete(&name).await?;
    outcome
}

fn row(name: &str, outcome: Outcome) -> Value {
    json!({ "name": name, "error": outcome.err() })
}
