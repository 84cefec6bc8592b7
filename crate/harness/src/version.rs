//! The released versions of the schema on a real database: each keeps what the one before it held.

use crate::database::{open, text};
use crate::migration::{commit, ensure, put, row};
use runtime::store::suite::Outcome;
use runtime::store::{Durability, Migration, Range, Row, SCHEMA, Store, StoreError, Table};
use worker::indexed_db::IndexedDb;

/// The steps up to a version.
fn steps(version: usize) -> Result<&'static [Migration], String> {
    SCHEMA.get(..version).ok_or_else(|| format!("version {version} is gone"))
}

/// The tables that a version has, without those that hold only copies.
fn tables(version: usize) -> Result<Vec<Table>, String> {
    let steps = steps(version)?;
    let made = |table: &Table| steps.iter().any(|step| step.creates.contains(&table.name()));
    Ok(Table::ALL.into_iter().filter(|table| made(table) && *table != Table::Snapshots).collect())
}

/// Fills every table of a version with a record, except some, and closes it; none of a newer version's is there.
async fn filled(name: &str, version: usize, except: &[Table]) -> Outcome {
    let store = open(name, steps(version)?).await?;
    let old = tables(version)?;
    for table in tables(version + 1)?.into_iter().filter(|table| !old.contains(table)) {
        let missing = store.get(table, "r").await;
        ensure(matches!(missing, Err(StoreError::Unavailable(_))), (table, missing))?;
    }
    let kept = old.into_iter().filter(|table| !except.contains(table));
    commit(&store, Durability::Strict, kept.map(|table| put(table, "kept", table.name())).collect()).await?;
    store.close();
    Ok(())
}

/// Whether the next version has those records, and tables of its own that can be written.
async fn kept(name: &str, version: usize, except: &[Table]) -> Result<IndexedDb, String> {
    let store = open(name, steps(version + 1)?).await?;
    unchanged(&store, version, except).await?;
    let old = tables(version)?;
    for table in tables(version + 1)?.into_iter().filter(|table| !old.contains(table)) {
        commit(&store, Durability::Strict, vec![put(table, "r", "new")]).await?;
        let made = rows(&store, table).await?;
        ensure(made == [row("r", "new")], (table, made))?;
    }
    Ok(store)
}

/// Whether every table of a version has the record of [`filled`] and no other.
async fn unchanged(store: &IndexedDb, version: usize, except: &[Table]) -> Outcome {
    for table in tables(version)?.into_iter().filter(|table| !except.contains(table)) {
        let rows = rows(store, table).await?;
        ensure(rows == [row("kept", table.name())], (table, rows))?;
    }
    Ok(())
}

async fn rows(store: &IndexedDb, table: Table) -> Result<Vec<Row>, String> {
    store.scan(table, Range::all()).await.map_err(text)
}

/// From the released version 1 to 2 with a record in each of its tables.
pub(crate) async fn version_2(name: String) -> Outcome {
    filled(&name, 1, &[]).await?;
    kept(&name, 1, &[]).await?.close();
    Ok(())
}

const WAITING: &str = r#"{"id":"waits","state":{"name":"waiting","promptId":"p"}}"#;
const ASKED_AGAIN: &str = r#"{"id":"waits","state":{"name":"received"}}"#;
const DONE: &str = r#"{"id":"done","state":{"name":"done","at":1}}"#;

/// From the released version 2 to 3: questions go, the calls that wait for them are received anew, and all else stays.
pub(crate) async fn version_3(name: String) -> Outcome {
    let changed = [Table::Prompts, Table::Calls];
    filled(&name, 2, &changed).await?;
    let store = open(&name, steps(2)?).await?;
    let writes = vec![
        put(Table::Prompts, "p", r#"{"id":"p"}"#),
        put(Table::Calls, "done", DONE),
        put(Table::Calls, "waits", WAITING),
    ];
    commit(&store, Durability::Strict, writes).await?;
    store.close();
    let store = kept(&name, 2, &changed).await?;
    let (prompts, calls) = (rows(&store, Table::Prompts).await?, rows(&store, Table::Calls).await?);
    store.close();
    ensure(prompts.is_empty(), prompts)?;
    ensure(calls == [row("done", DONE), row("waits", ASKED_AGAIN)], calls)
}

const ASKED: &str = r#"{"id":"asked","outcome":null}"#;
const ANSWERED: &str = r#"{"id":"answered","outcome":"approved"}"#;

/// From version 5 to 7: settled prompts move, and all else stays.
pub(crate) async fn version_7(name: String) -> Outcome {
    let changed = [Table::Prompts];
    filled(&name, 5, &changed).await?;
    let store = open(&name, steps(5)?).await?;
    let writes = vec![put(Table::Prompts, "asked", ASKED), put(Table::Prompts, "answered", ANSWERED)];
    commit(&store, Durability::Strict, writes).await?;
    store.close();
    let store = open(&name, steps(7)?).await?;
    for (table, expected) in
        [(Table::Prompts, row("asked", ASKED)), (Table::SettledPrompts, row("answered", ANSWERED))]
    {
        let found = rows(&store, table).await?;
        ensure(found == [expected], (table, found))?;
    }
    unchanged(&store, 5, &changed).await?;
    store.close();
    Ok(())
}

const BEFORE: [(Table, &str, &str); 5] = [
    (Table::Settings, "settings", r#"{"backendUrl":"https://agent.example/v1"}"#),
    (Table::Conversations, "c1", r#"{"conversation":{"id":"c1"},"remote":null}"#),
    (Table::Calls, "call", r#"{"actionId":"a","source":{"conversationId":"c1","kind":"agent"}}"#),
    (Table::Actions, "agent/id/a", r#""call""#),
    (Table::Actions, "user/id/a", r#""other""#),
];

/// From version 7 to 8: conversations get their backend, actions of the agent are known by their conversation, and all
/// else stays.
pub(crate) async fn version_8(name: String) -> Outcome {
    let changed = [Table::Settings, Table::Conversations, Table::Calls, Table::Actions];
    filled(&name, 7, &changed).await?;
    let store = open(&name, steps(7)?).await?;
    commit(&store, Durability::Strict, BEFORE.map(|(table, key, text)| put(table, key, text)).into()).await?;
    store.close();
    let store = kept(&name, 7, &changed).await?;
    let conversation = r#"{"conversation":{"backend":"https://agent.example","id":"c1"},"remote":null}"#;
    let found = rows(&store, Table::Conversations).await?;
    ensure(found == [row("c1", conversation)], found)?;
    let found = rows(&store, Table::Actions).await?;
    store.close();
    ensure(found == [row("agent:c1/id/a", r#""call""#), row("user/id/a", r#""other""#)], found)
}

/// From version 8 to 9: the tables of the tool store are there, and all else stays.
pub(crate) async fn version_9(name: String) -> Outcome {
    filled(&name, 8, &[]).await?;
    kept(&name, 8, &[]).await?.close();
    Ok(())
}

/// From version 9 to 10: the tables of the tool system are there, and all else stays.
pub(crate) async fn version_10(name: String) -> Outcome {
    filled(&name, 9, &[]).await?;
    kept(&name, 9, &[]).await?.close();
    Ok(())
}

/// From version 10 to 11: the tables of web pages are there, and all else stays.
pub(crate) async fn version_11(name: String) -> Outcome {
    filled(&name, 10, &[]).await?;
    kept(&name, 10, &[]).await?.close();
    Ok(())
}
