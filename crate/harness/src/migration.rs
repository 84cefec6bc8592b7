//! Changes of the schema on a real database: made whole, or not at all.

use crate::database::{delete, name, open, text};
use crate::version::{version_2, version_3, version_7, version_8, version_9, version_10, version_11};
use runtime::store::suite::{CaseFuture, Outcome};
use runtime::store::{Batch, Durability, Migration, Range, Row, Store, StoreError, Table, Write};
use wasm_bindgen::prelude::*;
use worker::indexed_db::IndexedDb;

/// A case: a name and what it does to a database that is not there yet.
pub(crate) type Case = (&'static str, fn(String) -> CaseFuture);

/// Every case, each to be run on a database of its own.
pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("a migration creates, rewrites, joins, derives, removes and drops", |name| Box::pin(whole(name))),
        ("a large table is not read as it was before", |name| Box::pin(large(name))),
        ("a database is made by all steps at once", |name| Box::pin(from_nothing(name))),
        ("a migration that fails leaves the old version whole", |name| Box::pin(failing(name))),
        ("a newer database is refused and unharmed", |name| Box::pin(too_new(name))),
        ("an open connection gives way to a newer version", |name| Box::pin(gives_way(name))),
        ("a strict batch is there after a reopening", |name| Box::pin(strict(name))),
        ("version 2 adds coins and keeps what version 1 held", |name| Box::pin(version_2(name))),
        ("version 3 adds vaults and asks again what version 2 asked", |name| Box::pin(version_3(name))),
        ("version 7 keeps open and settled prompts apart", |name| Box::pin(version_7(name))),
        ("version 8 gives conversations and actions to their backend", |name| Box::pin(version_8(name))),
        ("version 9 adds the tool store and keeps what version 8 held", |name| Box::pin(version_9(name))),
        ("version 10 adds the tool system and keeps what version 9 held", |name| Box::pin(version_10(name))),
        ("version 11 adds web pages and keeps what version 10 held", |name| Box::pin(version_11(name))),
    ]
}

const FIRST: Migration = Migration {
    version: 1,
    creates: &["contacts", "settings", "calls", "snapshots"],
    rewrites: &[],
    joins: &[],
    derives: &[],
    drops: &[],
};

/// Adds a table, doubles the contacts but for the one called `gone`, adds the setting to the calls, and drops the
/// settings.
const SECOND: Migration = Migration {
    version: 2,
    creates: &["prompts"],
    rewrites: &[("contacts", |key, text| (key != "gone").then(|| format!("{text}{text}")))],
    joins: &[("calls", ("settings", "s"), |text, setting| {
        (text != "alone").then(|| format!("{text} with {setting}"))
    })],
    derives: &[("contacts", "prompts", |key, text| {
        (key == "a").then(|| (format!("from {key}"), text.to_owned()))
    })],
    drops: &["settings"],
};

/// Does all that [`SECOND`] does, then drops what is not there.
const FAILING: Migration = Migration { drops: &["settings", "never made"], ..SECOND };

/// Stops in the middle of its records.
const PANICKING: Migration = Migration {
    rewrites: &[("contacts", |key, text| {
        #[expect(clippy::panic, reason = "it is what a test asks for")]
        if key == "b" {
            panic!("as asked");
        }
        Some(format!("{text}{text}"))
    })],
    ..SECOND
};

pub(crate) fn ensure(holds: bool, what: impl std::fmt::Debug) -> Outcome {
    if holds { Ok(()) } else { Err(format!("{what:?}")) }
}

pub(crate) fn put(table: Table, key: &str, text: &str) -> Write {
    Write::Put(table, key.to_owned(), text.to_owned())
}

pub(crate) async fn commit(store: &IndexedDb, durability: Durability, writes: Vec<Write>) -> Outcome {
    store.commit(Batch::unowned(durability, Vec::new(), writes)).await.map(|_| ()).map_err(text)
}

/// Makes a database of version 1 with three contacts and a setting, and closes it.
async fn old(name: &str) -> Outcome {
    let store = open(name, &[FIRST]).await?;
    let mut writes: Vec<Write> =
        ["a", "b", "gone"].map(|key| put(Table::Contacts, key, key)).into_iter().collect();
    writes.push(put(Table::Settings, "s", "1"));
    writes.extend([put(Table::Calls, "c", "call"), put(Table::Calls, "d", "alone")]);
    commit(&store, Durability::Strict, writes).await?;
    store.close();
    Ok(())
}

/// Whether the database is as [`old`] made it.
async fn is_old(name: &str) -> Outcome {
    let store = open(name, &[FIRST]).await?;
    let contacts = contacts(&store).await?;
    ensure(contacts == [row("a", "a"), row("b", "b"), row("gone", "gone")], contacts)?;
    let setting = store.get(Table::Settings, "s").await.map_err(text)?;
    ensure(setting.as_deref() == Some("1"), setting)?;
    let made = store.get(Table::Prompts, "p").await;
    ensure(matches!(made, Err(StoreError::Unavailable(_))), made)?;
    commit(&store, Durability::Strict, vec![put(Table::Calls, "still", "writable")]).await?;
    store.close();
    Ok(())
}

pub(crate) fn row(key: &str, text: &str) -> Row {
    Row { key: key.to_owned(), text: text.to_owned() }
}

async fn contacts(store: &IndexedDb) -> Result<Vec<Row>, String> {
    store.scan(Table::Contacts, Range::all()).await.map_err(text)
}

async fn whole(name: String) -> Outcome {
    old(&name).await?;
    for round in ["migrated", "opened again"] {
        let store = open(&name, &[FIRST, SECOND]).await?;
        let contacts = contacts(&store).await?;
        ensure(contacts == [row("a", "aa"), row("b", "bb")], (round, contacts))?;
        let joined = store.scan(Table::Calls, Range::all()).await.map_err(text)?;
        ensure(joined == [row("c", "call with 1"), row("d", "alone")], (round, joined))?;
        let derived = store.get(Table::Prompts, "from a").await;
        ensure(derived == Ok(Some("aa".to_owned())), (round, derived))?;
        let dropped = store.get(Table::Settings, "s").await;
        ensure(matches!(dropped, Err(StoreError::Unavailable(_))), (round, dropped))?;
        commit(&store, Durability::Relaxed, vec![put(Table::Prompts, "p", round)]).await?;
        let made = store.get(Table::Prompts, "p").await;
        ensure(made == Ok(Some(round.to_owned())), (round, made))?;
        store.close();
    }
    Ok(())
}

async fn large(name: String) -> Outcome {
    let store = open(&name, &[FIRST]).await?;
    let writes = (0..500).map(|n| put(Table::Contacts, &format!("{n:03}"), "x")).collect();
    commit(&store, Durability::Strict, writes).await?;
    let before = store.lines(Table::Contacts).await.map_err(text)?;
    store.close();
    let store = open(&name, &[FIRST, SECOND]).await?;
    let after = store.lines(Table::Contacts).await.map_err(text)?;
    store.close();
    let lines = |text: &str, line: &str| text.lines().filter(|found| *found == line).count();
    ensure((lines(&before, "x"), lines(&after, "xx")) == (500, 500), after)
}

async fn from_nothing(name: String) -> Outcome {
    let store = open(&name, &[FIRST, SECOND]).await?;
    let writes = vec![put(Table::Contacts, "a", "a"), put(Table::Prompts, "p", "p")];
    commit(&store, Durability::Strict, writes).await?;
    let contacts = contacts(&store).await?;
    ensure(contacts == [row("a", "a")], contacts)?;
    store.close();
    Ok(())
}

async fn failing(name: String) -> Outcome {
    old(&name).await?;
    for _ in 0..2 {
        let outcome = IndexedDb::open(&name, &[FIRST, FAILING]).await.map(|_| ());
        ensure(matches!(outcome, Err(StoreError::Unavailable(_))), outcome)?;
        is_old(&name).await?;
    }
    whole_after_failure(&name).await
}

/// The mended step goes through.
async fn whole_after_failure(name: &str) -> Outcome {
    let store = open(name, &[FIRST, SECOND]).await?;
    let contacts = contacts(&store).await?;
    ensure(contacts == [row("a", "aa"), row("b", "bb")], contacts)?;
    store.close();
    Ok(())
}

async fn too_new(name: String) -> Outcome {
    old(&name).await?;
    open(&name, &[FIRST, SECOND]).await?.close();
    let refused = IndexedDb::open(&name, &[FIRST]).await.map(|_| ());
    ensure(refused == Err(StoreError::too_new(2, 1)), refused)?;
    let store = open(&name, &[FIRST, SECOND]).await?;
    let contacts = contacts(&store).await?;
    ensure(contacts == [row("a", "aa"), row("b", "bb")], contacts)?;
    commit(&store, Durability::Strict, vec![put(Table::Prompts, "p", "p")]).await?;
    store.close();
    Ok(())
}

async fn gives_way(name: String) -> Outcome {
    old(&name).await?;
    let before = open(&name, &[FIRST]).await?;
    let after = open(&name, &[FIRST, SECOND]).await?;
    let late = commit(&before, Durability::Strict, vec![put(Table::Contacts, "late", "late")]).await;
    ensure(late.is_err(), late)?;
    let contacts = contacts(&after).await?;
    ensure(contacts == [row("a", "aa"), row("b", "bb")], contacts)?;
    after.close();
    Ok(())
}

async fn strict(name: String) -> Outcome {
    let first = open(&name, &[FIRST]).await?;
    commit(&first, Durability::Strict, vec![put(Table::Contacts, "a", "a")]).await?;
    first.close();
    let second = open(&name, &[FIRST]).await?;
    let contacts = contacts(&second).await?;
    ensure(contacts == [row("a", "a")], contacts)?;
    second.close();
    Ok(())
}

const PANICKED: &str = "a migration that panics";

/// Panics in the middle of a migration: the module is of no more use. Never ends.
#[wasm_bindgen]
pub async fn panic_in_a_migration() -> Result<(), String> {
    let name = name(PANICKED);
    delete(&name).await?;
    old(&name).await?;
    open(&name, &[FIRST, PANICKING]).await?.close();
    Err("the migration went through".to_owned())
}

/// In a new module: what [`panic_in_a_migration`] left must be the old version, whole.
#[wasm_bindgen]
pub async fn after_the_panic() -> Result<(), String> {
    let name = name(PANICKED);
    is_old(&name).await?;
    whole_after_failure(&name).await?;
    delete(&name).await
}
