//! The audit log: a hash chain that reveals every change, that concurrent workers do not fork, and that holds no
//! secret.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's support fails the test"
)]

use agent_backend::Dialect;
use countersign_tests::audit::{chain, check, check_lines};
use countersign_tests::sim::scenario::{ASKING, Scenario};
use countersign_tests::sim::{Incident, Plan, Restart};
use countersign_tests::world::*;
use runtime::store::{Batch, Durability, Row, Table, Write, number_key};
use serde_json::{Value, json};

/// A world in which this many calls have ended.
async fn after_calls(count: usize) -> World {
    let world = World::new().await;
    for _ in 0..count {
        world.book().await;
    }
    world
}

async fn broken_at(world: &World) -> Value {
    world.get("/api/audit/check").await["brokenAt"].clone()
}

/// Every ended call has an entry, also a read, a refusal and an unknown type; the core's check, the export and an
/// independent check agree.
#[tokio::test(start_paused = true)]
async fn every_ended_call_has_an_entry() {
    let world =
        World::proposing(json!([save_entry("a1", "Alice"), action("a2", "order_pizza", json!({}))])).await;
    world.say("go").await;
    world.book().await;
    let log = world.get("/api/audit").await;
    let reported: Vec<Value> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"] == "result")
        .map(|entry| json!([entry["source"]["kind"], entry["tool"], entry["success"], entry["error"]]))
        .collect();
    assert_eq!(
        reported,
        [
            json!(["user", "get_address_book", true, null]),
            json!(["agent", "order_pizza", false, "unknown_tool"]),
            json!(["agent", "add_address_book", true, null]),
        ]
    );
    let rows = world.table(Table::Audit).await;
    check(&rows).unwrap();
    let newest: Value = serde_json::from_str(&rows.last().unwrap().text).unwrap();
    let whole = json!({"entries": rows.len(), "head": newest["hash"], "brokenAt": null});
    assert_eq!(world.get("/api/audit/check").await, whole);
    let export = world.get("/api/audit/export").await;
    assert_eq!(export["fileName"], format!("countersign-audit-{}.jsonl", rows.len()));
    let text = export["text"].as_str().unwrap();
    check_lines(text.lines()).unwrap();
    assert!(text.ends_with('\n') && text.lines().eq(rows.iter().map(|row| row.text.as_str())));
    world.restart().await;
    world.book().await;
    check(&world.table(Table::Audit).await).unwrap();
    assert_eq!(broken_at(&world).await, Value::Null);
}

#[tokio::test(start_paused = true)]
async fn empty_log() {
    let world = World::new().await;
    assert_eq!(world.get("/api/audit").await, json!({"entries": [], "cursor": null}));
    let check = json!({"entries": 0, "head": "0".repeat(64), "brokenAt": null});
    assert_eq!(world.get("/api/audit/check").await, check);
    let export = json!({"fileName": "countersign-audit-0.jsonl", "text": ""});
    assert_eq!(world.get("/api/audit/export").await, export);
}

/// The log and its check are paged.
#[tokio::test(start_paused = true)]
async fn long_logs_are_paged() {
    let world = after_calls(505).await;
    let (mut numbers, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.get(&format!("/api/audit?cursor={cursor}")).await;
        let entries = page["entries"].as_array().unwrap();
        assert!(entries.len() <= 50);
        numbers.extend(entries.iter().map(|entry| entry["number"].as_u64().unwrap()));
        match page["cursor"].as_u64() {
            Some(next) => cursor = next.to_string(),
            None => break,
        }
    }
    assert_eq!(numbers, (1..=505).rev().collect::<Vec<u64>>());
    assert_eq!(world.get("/api/audit/check").await["entries"], 505);
    assert_eq!(broken_at(&world).await, Value::Null);
    world.tamper(vec![Write::Delete(Table::Audit, number_key(503))]).await;
    assert_eq!(broken_at(&world).await, 503);
    let refused = world.call("GET", "/api/audit?cursor=x", Value::Null).await;
    assert_eq!((refused.0, &refused.1["error"]["path"]), (400, &json!("?cursor")));
}

fn put(number: u64, text: &str) -> Write {
    Write::Put(Table::Audit, number_key(number), text.to_owned())
}

fn text(rows: &[Row], number: usize) -> &str {
    &rows.get(number - 1).unwrap().text
}

/// A changed, removed, swapped or inserted entry is reported by its number; so is a truncated or extended log.
#[tokio::test(start_paused = true)]
async fn tampering_is_reported_by_entry_number() {
    let rows = after_calls(5).await.table(Table::Audit).await;
    let changed = text(&rows, 3).replace(r#""success":true"#, r#""success":false"#);
    assert_ne!(changed, text(&rows, 3));
    let delete = |number| Write::Delete(Table::Audit, number_key(number));
    let head = |text: &str| Write::Put(Table::Counters, "audit-head".to_owned(), text.to_owned());
    let between = format!("{}+", number_key(2));
    let table = [
        ("changed", vec![put(3, &changed)], 3),
        ("no JSON", vec![put(3, "gone")], 3),
        ("one space added", vec![put(3, &format!(" {}", text(&rows, 3)))], 3),
        ("first removed", vec![delete(1)], 1),
        ("removed", vec![delete(3)], 3),
        ("last removed", vec![delete(5)], 5),
        ("all removed", (1..=5).map(delete).collect(), 1),
        ("swapped", vec![put(2, text(&rows, 3)), put(3, text(&rows, 2))], 2),
        ("inserted", vec![Write::Put(Table::Audit, between, text(&rows, 2).to_owned())], 3),
        (
            "inserted, later entries shifted",
            vec![
                put(3, text(&rows, 2)),
                put(4, text(&rows, 3)),
                put(5, text(&rows, 4)),
                put(6, text(&rows, 5)),
            ],
            3,
        ),
        ("made longer", vec![put(6, text(&rows, 5))], 6),
        ("inserted before the first", vec![put(0, text(&rows, 1))], 1),
        ("another head", vec![head(&format!(r#"{{"number":5,"hash":"{}"}}"#, "0".repeat(64)))], 5),
        (
            "a head with a higher number",
            vec![head(&format!(r#"{{"number":7,"hash":"{}"}}"#, "0".repeat(64)))],
            6,
        ),
        ("no head", vec![Write::Delete(Table::Counters, "audit-head".to_owned())], 1),
    ];
    for (name, writes, expected) in table {
        let world = after_calls(5).await;
        world.tamper(writes).await;
        assert_eq!(broken_at(&world).await, expected, "{name}");
        // The remaining entries can still be read.
        assert!(world.get("/api/audit").await["entries"].as_array().unwrap().len() <= 7, "{name}");
    }
}

/// Requests and answers are in the log only as digests.
#[tokio::test(start_paused = true)]
async fn contents_are_logged_as_digests() {
    let secret = "correct horse battery staple";
    let world = World::proposing(json!([
        save_entry("a1", secret),
        action("a2", "add_address_book", json!({"entries": secret})),
        action("a3", "order_pizza", json!({"password": secret})),
    ]))
    .await;
    world.say("go").await;
    world.book().await;
    let export = world.get("/api/audit/export").await["text"].as_str().unwrap().to_owned();
    assert!(export.lines().count() >= 4 && !export.contains("horse") && !export.contains(ALICE), "{export}");
}

/// An unknown type of any length is truncated in the log.
#[tokio::test(start_paused = true)]
async fn an_unknown_type_is_truncated() {
    let world = World::new().await;
    world.act_once(&"é".repeat(5_000), json!({})).await;
    let log = world.get("/api/audit").await;
    assert_eq!(log["entries"][0]["tool"], "é".repeat(100));
}

/// Two workers run at once, with the browser's locks and without, from every tenth point but the last ones, which a run in
/// another order does not reach: the log stays one chain
/// without a fork. Every run of `crash.rs` checks that a crash at any point leaves the log intact.
#[test]
fn concurrent_workers_write_one_chain() {
    let scenario = Scenario::new(ASKING, Dialect::Events);
    let baseline = scenario.play(&Plan::undisturbed());
    for locks in [true, false] {
        for point in (0..baseline.points * 9 / 10).step_by(10) {
            let incidents = vec![(point, Incident::SecondWorker), (5, Incident::SecondWorker)];
            let plan = Plan { seed: point, incidents, restart: Restart::Immediate, shuffled: true, locks };
            let played = scenario.play(&plan);
            assert!(played.workers >= 2, "{plan:?}");
            assert_eq!(played.end.left_over, Vec::<String>::new(), "{plan:?}");
        }
    }
}

/// However many entries a day brings, 105 000 are the most: at one more all but 100 000 go, behind a checkpoint that an
/// outsider finds in the export. An export without its first lines does not pass for a trimmed one.
#[tokio::test(start_paused = true)]
async fn full_log_is_trimmed_behind_a_checkpoint() {
    let world = after_calls(1).await;
    world.settle().await;
    let (lines, head) = chain(105_000);
    let mut writes = vec![Write::Put(Table::Counters, "audit-head".to_owned(), head)];
    writes.extend((1..).zip(lines).map(|(number, line)| Write::Put(Table::Audit, number_key(number), line)));
    world.commit(Batch::unowned(Durability::Relaxed, Vec::new(), writes)).await;
    world.restart().await;
    world.pass(25 * 3_600_000).await;
    world.book().await;
    world.settle().await;
    let trimmed = world.get("/api/audit/check").await;
    let checkpoint = json!({"number": 105_002, "through": 5_001, "removed": 5_001,
        "at": trimmed["checkpoint"]["at"], "lastHash": trimmed["checkpoint"]["lastHash"]});
    assert_eq!((&trimmed["brokenAt"], &trimmed["trimmed"]), (&Value::Null, &json!(5_001)));
    assert_eq!((&trimmed["entries"], &trimmed["checkpoint"]), (&json!(100_001), &checkpoint));

    let export = world.get("/api/audit/export").await["text"].as_str().unwrap().to_owned();
    check_lines(export.lines()).unwrap();
    check_lines(export.lines().skip(1)).unwrap_err();
    check_lines(export.lines().filter(|line| !line.contains("checkpoint"))).unwrap_err();
}
