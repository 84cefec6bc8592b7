//! The worker dies at any point of a change of the tool store: it happened whole, or not at all, and trying again ends well.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::sim::raw_backend::RawBackend;
use countersign_tests::sim::{Incident, Plan, Sim};
use countersign_tests::tools::*;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// The tables of the store.
pub(crate) const TABLES: [Table; 7] = [
    Table::ToolBundles,
    Table::Tools,
    Table::ToolDocuments,
    Table::ToolIds,
    Table::ToolSwitches,
    Table::ToolMetrics,
    Table::ToolUses,
];

/// A request of a page that is sent again, until a worker answers it.
struct Page<'a> {
    sim: &'a Sim,
}

impl Page<'_> {
    /// The status that the request ends with, and whether an earlier attempt was lost.
    fn send(&self, method: &str, path: &str, body: &Value) -> (u16, bool) {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        for attempt in 0..6 {
            let asked = self.sim.ask(method, path, &text);
            self.sim.run(&mut ());
            match asked.reply() {
                // A store that failed once works again.
                Some(reply) if reply.status == 503 => {}
                Some(reply) => return (reply.status, attempt > 0),
                None => assert!(asked.lost(), "{method} {path}"),
            }
        }
        panic!("{method} {path} is never answered")
    }
}

/// What is in the tables, without ids and times, which differ between runs.
fn contents(sim: &Sim) -> Contents {
    let shape = |table: Table| {
        let rows = sim.rows(table);
        let by_id = matches!(table, Table::ToolIds | Table::ToolMetrics);
        rows.iter().map(|row| (if by_id { String::new() } else { row.key.clone() }, row.text.len())).collect()
    };
    TABLES.into_iter().map(|table| (table, shape(table))).collect()
}

/// Each request, and the status that it ends with, then those that it may end with where an attempt was lost after its
/// commit.
fn requests() -> Vec<(&'static str, String, Value, Vec<u16>)> {
    let off = json!({"isEnabled": false});
    vec![
        ("PUT", bundle_path(BUNDLE), bundle_body(), vec![201, 200]),
        ("PUT", bundle_path(OTHER_BUNDLE), bundle_body(), vec![201, 200]),
        ("PUT", tool_path("weather"), tool_body(json!({})), vec![201, 409]),
        ("PUT", tool_path("news"), tool_body(json!({"isEnabled": false})), vec![201, 409]),
        ("PATCH", path_of(WALLET_BUNDLE, "add-chain", "v1"), off.clone(), vec![200, 200]),
        ("PATCH", tool_path("news"), json!({"isEnabled": true}), vec![200, 200]),
        ("DELETE", tool_path("weather"), Value::Null, vec![204, 404]),
        // While no answer comes, the days may pass after which it is removed.
        ("DELETE", bundle_path(OTHER_BUNDLE), Value::Null, vec![204, 410, 404]),
        ("PATCH", bundle_path(BUNDLE), off, vec![200, 200]),
    ]
}

/// Each table with its keys and the length of each row.
type Contents = Vec<(Table, Vec<(String, usize)>)>;

/// One run of all requests under a plan; what is in the tables at the end, and how many points there were.
fn play(plan: &Plan) -> (Contents, u64) {
    let backend = Rc::new(RefCell::new(RawBackend::new("application/json", Vec::new(), 1)));
    let sim = Sim::new(plan, backend);
    sim.start_worker();
    sim.run(&mut ());
    sim.arm();
    let page = Page { sim: &sim };
    for (method, path, body, statuses) in requests() {
        let (status, lost) = page.send(method, &path, &body);
        let allowed = if lost { statuses.len() } else { 1 };
        assert!(
            statuses[..allowed].contains(&status),
            "{method} {path}: {status} under {:?}",
            plan.incidents
        );
    }
    let points = sim.points();
    sim.disarm();
    // The index of whichever worker is there agrees with the store.
    let shown = sim.ask("GET", "/tools?includeDisabled=true", "");
    let checked = sim.ask("GET", "/api/audit/check", "");
    sim.run(&mut ());
    let read =
        |reply: Option<runtime::http::Reply>| serde_json::from_str::<Value>(&reply.unwrap().body).unwrap();
    let page = read(shown.reply());
    let slugs: Vec<&str> =
        page["tools"].as_array().unwrap().iter().map(|tool| tool["slug"].as_str().unwrap()).collect();
    assert!(slugs.len() == 20 && slugs.contains(&"news"), "{slugs:?} under {:?}", plan.incidents);
    assert_eq!(read(checked.reply())["brokenAt"], Value::Null);
    assert_eq!(sim.failures(), [""; 0], "{:?}", plan.incidents);
    assert_eq!(sim.rows(Table::Deadlines), [], "{:?}", plan.incidents);
    (contents(&sim), points)
}

/// T002-66, T002-77: at every store access of every change and of the reaping the worker dies, the disk fails, or a second
/// worker begins: in the end the store is as without it.
#[test]
fn crash_at_every_point_of_the_tool_store() {
    let (expected, points) = play(&Plan::undisturbed());
    let rows = |table: Table| expected.iter().find(|(name, _)| *name == table).unwrap().1.len();
    assert_eq!(TABLES.map(rows), [1, 1, 1, 1, 2, 0, 0]);
    for (point, incident, restart, plan) in Plan::each_incident_at_each_of(points) {
        assert_eq!(play(&plan).0, expected, "{incident:?} {restart:?} {point}");
    }
    println!("{points} points, four incidents");
}

/// Calls of a tool, the last of them under a plan; what the store counts of them, and how many points there were.
fn count(plan: &Plan) -> (u64, usize, u64) {
    let backend = Rc::new(RefCell::new(RawBackend::new("application/json", Vec::new(), 1)));
    let sim = Sim::new(plan, backend);
    sim.start_worker();
    let page = Page { sim: &sim };
    for number in 0..36 {
        if number == 31 {
            sim.arm();
        }
        let action = json!({"id": format!("a{number}"), "type": "get_address_book", "auto_execute": true});
        assert_eq!(page.send("POST", "/api/actions", &json!({"actions": [action]})).0, 200);
    }
    let points = sim.points();
    sim.disarm();
    let shown = sim.ask("GET", &path_of(WALLET_BUNDLE, "get-address-book", "v1"), "");
    sim.run(&mut ());
    let tool: Value = serde_json::from_str(&shown.reply().unwrap().body).unwrap();
    assert_eq!(sim.failures(), [""; 0], "{:?}", plan.incidents);
    (tool["metrics"]["callCount"].as_u64().unwrap(), sim.rows(Table::ToolUses).len(), points)
}

/// T002-73: at every store access of a call and of the adding up the worker dies, the disk fails, or a second worker begins:
/// every call is counted once.
#[test]
fn crash_at_every_point_of_counting() {
    let (expected, left, points) = count(&Plan::undisturbed());
    assert!(expected == 36 && left < 10, "{expected} calls, {left} of them not added up");
    for point in 0..points {
        for incident in [Incident::Crash, Incident::FailOnce, Incident::SecondWorker] {
            let plan = Plan { incidents: vec![(point, incident)], ..Plan::undisturbed() };
            assert_eq!(count(&plan).0, expected, "{incident:?} {point}");
        }
    }
    println!("{points} points, three incidents");
}
