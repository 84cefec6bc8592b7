//! What the first answer of a started worker reads: as much from a database of years as from a new one.
#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use runtime::plain::PlainRead;
use runtime::store::{Table, Write, number_key};

const READ: &str = "/api/contacts?limit=100";

/// Reads and bytes of a worker's first answer, with so many contacts, calls and events, and ten times the log entries.
async fn first_answer(size: usize) -> (usize, usize) {
    let world = World::new().await;
    let put = |table, key: String, text: String| Write::Put(table, key, text);
    let mut writes = Vec::new();
    for number in 0..size {
        let id = format!("018f0000-0000-7000-8000-{number:012x}");
        let title = format!("Contact {:05}", (number * 7_919) % 10_000);
        writes.push(put(
            Table::Contacts,
            id.clone(),
            format!(
                r#"{{"id":"{id}","title":"{title}","address":"{ALICE}","chain":"Ethereum","addedBy":"user"}}"#
            ),
        ));
        writes.push(put(Table::Calls, id, "{}".to_owned()));
        writes.push(Write::Append(Table::Events, r#"{"event":"vaultModified","data":{}}"#.to_owned()));
    }
    writes.extend(
        (0..10 * size).map(|number| put(Table::Audit, number_key(number as u64 + 1), "{}".to_owned())),
    );
    world.tamper(writes).await;
    // An earlier worker kept the book.
    world.restart().await;
    world.settle().await;
    world.reopen().await;
    let before = world.browser.traffic();
    let body = world.get(READ).await;
    assert_eq!(
        (&body["total"], body["contacts"].as_array().map(Vec::len)),
        (&size.into(), Some(size.min(100)))
    );
    let after = world.browser.traffic();
    assert_eq!(after.commits, before.commits, "a read writes nothing");
    (after.reads - before.reads, after.bytes_read - before.bytes_read)
}

/// Ten thousand contacts, calls and events, and a hundred thousand log entries, cost the first answer nothing.
#[tokio::test(start_paused = true)]
async fn first_answer_reads_do_not_grow() {
    let (small, large) = (first_answer(200).await, first_answer(10_000).await);
    assert!(large.0 <= small.0 && large.1 <= small.1 * 2, "{small:?} with 200, {large:?} with 10 000");
    let needs = PlainRead::parse(READ).map(|read| read.needs()).unwrap_or_default();
    let rows: u32 = needs.lines().map(|line| line.split('\t').nth(2).unwrap().parse::<u32>().unwrap()).sum();
    assert!(rows <= 300, "{rows} rows");
}
