//! T002-82: bundles of tools leave and arrive as ZIP, through the whole core.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::tools_crash::TABLES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_tests::sim::raw_backend::RawBackend;
use countersign_tests::sim::{Plan, Sim};
use countersign_tests::tools::*;
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use wire::toolbox::{Reply, Request};

const IMPORT: &str = "/tools/import";

fn export_path(bundle: &str) -> String {
    format!("/tools/bundles/{bundle}/export")
}

fn bundle_json(id: &str) -> Value {
    with(bundle_body(), "id", json!(id))
}

/// A tool.json, with an id that only names its file.
fn tool_json(slug: &str, fields: Value) -> Value {
    let mut tool = tool_body(fields);
    let number = slug.bytes().fold(0_u32, |sum, byte| sum * 31 % 65_521 + u32::from(byte));
    tool["id"] = json!(format!("019a0c3e-0d5c-7d5e-8a4b-3c1f{number:08x}"));
    tool["slug"] = json!(slug);
    if tool["version"].is_null() {
        tool["version"] = json!("v1");
    }
    tool
}

/// An archive, written without any check of what is in it.
fn archive(bundle: &Value, tools: &[Value]) -> String {
    let lines: Vec<String> = tools.iter().map(Value::to_string).collect();
    match toolbox::answer(Request::PackBundle { bundle: bundle.to_string(), tools: lines.join("\n") }) {
        Reply::Packed(packed) => packed.base64,
        other => panic!("{other:?}"),
    }
}

fn of(base64: &str) -> Value {
    json!({ "base64": base64 })
}

/// The rows of the store: what an import that is refused must leave as it is.
async fn rows(world: &World) -> Vec<(&'static str, Vec<String>)> {
    let tables = world.records().await.into_iter();
    let own = tables.filter(|(name, _)| name.starts_with("tool") || *name == "audit" || *name == "events");
    own.map(|(name, rows)| (name, rows.into_iter().map(|row| row.key + &row.text).collect())).collect()
}

/// Sends an import that must be refused whole. Code, file and place of each problem.
async fn refused(world: &World, body: Value, status: u16) -> Vec<(String, String, String)> {
    let before = rows(world).await;
    let (found, answer) = world.call("POST", IMPORT, body).await;
    assert_eq!(found, status, "{answer}");
    assert_eq!(rows(world).await, before);
    let text = |problem: &Value, name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    let problems = answer["problems"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(answer["error"]["code"], problems[0]["code"]);
    let name = |problem: &Value| text(problem, "file").rsplit('/').next().unwrap_or_default().to_owned();
    problems.iter().map(|problem| (text(problem, "code"), name(problem), text(problem, "path"))).collect()
}

/// The name that a tool's file has.
fn file(tool: &Value) -> String {
    let text = |name: &str| tool[name].as_str().unwrap();
    format!("{}_{}_{}.json", text("slug"), text("version"), text("id"))
}

/// What an import does not bring along.
fn content(mut tool: Value) -> Value {
    for name in ["id", "createdAt", "modifiedAt", "isEnabled", "effective", "metrics"] {
        tool.as_object_mut().unwrap().remove(name);
    }
    tool
}

/// T002-75, T002-82: export, delete, import: the same records but for ids, times and switches.
#[tokio::test(start_paused = true)]
async fn a_bundle_comes_back() {
    let world = World::with_bundle().await;
    let paths = [
        tool_path("weather"),
        path_of(BUNDLE, "weather", "2.0"),
        tool_path("wetter-k%C3%B6ln"),
        tool_path("book"),
    ];
    for path in &paths[..3] {
        world.put(path, tool_body(json!({"tags": ["sky"], "maxCallsPerMinute": 3}))).await;
    }
    world.put(&paths[3], local_body("get_address_book")).await;
    world.switch(&paths[1], false).await;
    let bundle = world.get("/tools/bundles").await["bundles"][0].clone();
    let mut before = Vec::new();
    for path in &paths {
        before.push(world.get(path).await);
    }
    let exported = world.get(&export_path(BUNDLE)).await;
    assert_eq!(exported["fileName"], json!(format!("my-tools_{BUNDLE}.zip")));
    assert_eq!(exported["warnings"], json!([]));
    assert_eq!(world.get(&export_path(BUNDLE)).await, exported);
    let archive = STANDARD.decode(exported["base64"].as_str().unwrap()).unwrap();
    assert!(archive.starts_with(b"PK\x03\x04"));

    for path in &paths {
        assert_eq!(world.reply("DELETE", path, "").await.status, 204);
    }
    assert_eq!(world.reply("DELETE", &bundle_path(BUNDLE), "").await.status, 204);
    assert_eq!(
        world.refused("GET", &export_path(BUNDLE), Value::Null).await,
        (410, "bundle_deleted".to_owned())
    );
    world.pass(5_000).await;

    let (status, imported) = world.call("POST", IMPORT, of(exported["base64"].as_str().unwrap())).await;
    assert_eq!((status, &imported["bundleID"], &imported["skipped"]), (201, &json!(BUNDLE), &json!([])));
    let mut pairs: Vec<(String, String)> = imported["imported"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["slug"].as_str().unwrap().to_owned(), tool["version"].as_str().unwrap().to_owned()))
        .collect();
    pairs.sort();
    let expected = [("book", "v1"), ("weather", "2.0"), ("weather", "v1"), ("wetter-köln", "v1")];
    assert_eq!(pairs, expected.map(|(slug, version)| (slug.to_owned(), version.to_owned())));
    let again = world.get("/tools/bundles").await["bundles"][0].clone();
    assert_eq!(again, bundle);
    for (path, before) in paths.iter().zip(before) {
        let after = world.get(path).await;
        assert_ne!(after["id"], before["id"]);
        assert_ne!(after["createdAt"], before["createdAt"]);
        assert_eq!(after["isEnabled"], json!(false));
        assert_eq!(after["effective"], json!({"isCallable": false, "reason": "tool_disabled"}));
        // The alias of a slug that is no name is made of the id.
        let strip =
            |tool: Value| if path == &paths[2] { without(content(tool), "name") } else { content(tool) };
        assert_eq!(strip(after), strip(before));
    }
    // After the days when it would have been removed it is still there, for every worker.
    world.pass(3 * 24 * 60 * 60 * 1000).await;
    world.restart().await;
    assert_eq!(
        world
            .slugs("/tools?includeDisabled=true&bundleIDs=018faf50-b7b6-7a01-9a05-a22a6e0af101")
            .await
            .0
            .len(),
        4
    );
    assert_eq!(world.table(Table::Deadlines).await, []);
}

/// T002-82: nothing is overwritten: tools that are there are named, all of them, and nothing is written; or they are skipped.
#[tokio::test(start_paused = true)]
async fn an_import_never_overwrites() {
    let world = World::with_bundle().await;
    for slug in ["a", "b"] {
        world.put(&tool_path(slug), tool_body(json!({"displayName": "Mine"}))).await;
    }
    let tools = ["a", "b", "c"].map(|slug| tool_json(slug, json!({"displayName": "Theirs"})));
    let bundle = with(bundle_json(BUNDLE), "displayName", json!("Their tools"));
    let zip = archive(&bundle, &tools);
    let problem = |tool: &Value| ("tool_exists".to_owned(), file(tool), String::new());
    assert_eq!(refused(&world, of(&zip), 409).await, [problem(&tools[0]), problem(&tools[1])]);
    let before = world.get(&tool_path("a")).await;
    let (status, answer) = world.call("POST", IMPORT, with(of(&zip), "skipExisting", json!(true))).await;
    let named = |tool: &Value| json!({"file": format!("my-tools_{BUNDLE}/{}", file(tool)), "slug": tool["slug"], "version": "v1"});
    let expected = json!({"bundleID": BUNDLE, "imported": [named(&tools[2])], "skipped": [named(&tools[0]), named(&tools[1])]});
    assert_eq!((status, answer), (201, expected));
    assert_eq!(world.get(&tool_path("a")).await, before);
    assert_eq!(world.get(&tool_path("c")).await["displayName"], json!("Theirs"));
    assert_eq!(world.get("/tools/bundles").await["bundles"][0]["displayName"], json!("My tools"));
    // Once more there is nothing left to do.
    let rows_before = rows(&world).await;
    let (status, answer) = world.call("POST", IMPORT, with(of(&zip), "skipExisting", json!(true))).await;
    assert_eq!((status, answer["skipped"].as_array().unwrap().len()), (200, 3));
    assert_eq!(rows(&world).await, rows_before);
}

/// T002-82: an archive is checked whole before anything is written, and everything that is wrong with it is told.
#[tokio::test(start_paused = true)]
async fn an_import_is_checked_whole() {
    let world = World::new().await;
    let tools = [
        tool_json("a", json!({})),
        tool_json("b", json!({"type": "wasm", "timeout": 0})),
        tool_json("add-coin", json!({})),
        tool_json("c", json!({"impl": {"urlTemplate": "ftp://a.org"}})),
    ];
    let names = tools.each_ref().map(file);
    let problem =
        |code: &str, index: usize, path: &str| (code.to_owned(), names[index].clone(), path.to_owned());
    assert_eq!(
        refused(&world, of(&archive(&bundle_json(BUNDLE), &tools)), 400).await,
        [
            problem("invalid_field", 1, "/timeout"),
            problem("invalid_field", 1, "/type"),
            problem("invalid_url", 3, "/impl/urlTemplate"),
            problem("name_taken", 2, "/slug"),
        ]
    );
    let taken = archive(&bundle_json(BUNDLE), &[tools[0].clone(), tools[2].clone()]);
    assert_eq!(refused(&world, of(&taken), 409).await, [problem("name_taken", 2, "/slug")]);
    for other in ["", "UEsFBg==", "not base64"] {
        assert_eq!(refused(&world, of(other), 400).await[0].0, "invalid_archive");
    }
    let mut damaged = STANDARD.decode(archive(&bundle_json(BUNDLE), &tools[..1])).unwrap();
    damaged.truncate(damaged.len() - 5);
    assert_eq!(refused(&world, of(&STANDARD.encode(damaged)), 400).await[0].0, "invalid_archive");
    for (body, path) in [
        (json!({}), "/base64"),
        (json!({"base64": 7}), "/base64"),
        (json!({"base64": "", "skipExisting": "yes"}), "/skipExisting"),
    ] {
        let (status, answer) = world.call("POST", IMPORT, body).await;
        assert_eq!(
            (status, &answer["error"]["code"], &answer["error"]["path"]),
            (400, &json!("invalid_request"), &json!(path))
        );
    }
}

/// T002-60, T002-67: built-in bundles take and give no archive; a bundle that is switched off takes none.
#[tokio::test(start_paused = true)]
async fn closed_bundles_take_no_archive() {
    let world = World::with_bundle().await;
    let tools = [tool_json("a", json!({}))];
    let built_in = of(&archive(&bundle_json(WALLET_BUNDLE), &tools));
    let before = rows(&world).await;
    assert_eq!(world.refused("POST", IMPORT, built_in).await, (403, "read_only".to_owned()));
    assert_eq!(
        world.refused("GET", &export_path(WALLET_BUNDLE), Value::Null).await,
        (403, "read_only".to_owned())
    );
    assert_eq!(rows(&world).await, before);
    world.switch(&bundle_path(BUNDLE), false).await;
    let zip = of(&archive(&bundle_json(BUNDLE), &tools));
    let before = rows(&world).await;
    assert_eq!(world.refused("POST", IMPORT, zip).await, (403, "bundle_disabled".to_owned()));
    assert_eq!(rows(&world).await, before);
    // It can be read all the same.
    assert_eq!(world.get(&export_path(BUNDLE)).await["warnings"], json!([]));
    for (path, refusal) in [
        (export_path(OTHER_BUNDLE), (404, "tool_bundle_not_found")),
        (export_path("x"), (400, "invalid_request")),
    ] {
        assert_eq!(world.refused("GET", &path, Value::Null).await, (refusal.0, refusal.1.to_owned()));
    }
    for (method, path) in [("POST", export_path(BUNDLE)), ("GET", IMPORT.to_owned())] {
        assert_eq!(world.refused(method, &path, json!({})).await, (405, "method_not_allowed".to_owned()));
    }
}

/// T002-82, T002-2, T002-15: what arrives is switched off and may go nowhere; a function that is missing and a newer record
/// are kept, and cannot be called when they are switched on.
#[tokio::test(start_paused = true)]
async fn what_arrives_can_do_nothing() {
    let world = World::new().await;
    let hosts = world.get("/api/settings").await["allowedHosts"].clone();
    let mut local = tool_json("report", local_body("github.com/acme/agent/tools.Weather"));
    local["impl"] = json!({"goFunc": "github.com/acme/agent/tools.Weather"});
    let newer = json!({
        "schemaVersion": "2031-01-01", "id": "019a0c3e-0d5c-7d5e-8a4b-3c1f5f3e2a10", "slug": "future", "version": "v1",
        "displayName": "Later", "type": "quantum", "impl": {"qubits": [1, {"a": null}]}, "more": true,
    });
    let tools = [tool_json("weather", json!({"isEnabled": true})), local, newer.clone()];
    let (status, answer) = world.call("POST", IMPORT, of(&archive(&bundle_json(BUNDLE), &tools))).await;
    assert_eq!((status, answer["imported"].as_array().unwrap().len()), (201, 3), "{answer}");
    assert_eq!(world.get("/api/settings").await["allowedHosts"], hosts);
    for (slug, reason) in
        [("weather", "host_not_allowed"), ("report", "implementation_missing"), ("future", "newer_schema")]
    {
        let shown = world.get(&tool_path(slug)).await;
        assert_eq!(
            (&shown["isEnabled"], &shown["effective"]["reason"]),
            (&json!(false), &json!("tool_disabled"))
        );
        let on = world.switch(&tool_path(slug), true).await;
        assert_eq!(on["effective"], json!({"isCallable": false, "reason": reason}), "{slug}");
    }
    assert_eq!(world.get(&tool_path("report")).await["type"], json!("local"));
    let shown = world.get(&tool_path("future")).await;
    for name in ["schemaVersion", "slug", "version", "displayName", "type", "impl", "more"] {
        assert_eq!(shown[name], newer[name], "{name}");
    }
    // And out again, as it is.
    let exported = world.get(&export_path(BUNDLE)).await;
    let moved = World::new().await;
    assert_eq!(moved.call("POST", IMPORT, of(exported["base64"].as_str().unwrap())).await.0, 201);
    for slug in ["weather", "report", "future"] {
        assert_eq!(content(moved.get(&tool_path(slug)).await), content(world.get(&tool_path(slug)).await));
    }
}

/// T002-82: what looks like a secret in clear is told with its file and place when a bundle is exported.
#[tokio::test(start_paused = true)]
async fn literal_secrets_are_told() {
    let world = World::with_bundle().await;
    let mut body = tool_body(json!({}));
    body["impl"]["headers"] = json!({"Authorization": "Bearer k3y-0123456789"});
    body["impl"]["urlTemplate"] = json!("https://api.example.org/?api_key=k3y-0123456789");
    let made = world.put(&tool_path("weather"), body).await;
    let warnings = world.get(&export_path(BUNDLE)).await["warnings"].clone();
    let path = format!("my-tools_{BUNDLE}/{}", file(&made));
    let places: Vec<(&Value, &Value)> =
        warnings.as_array().unwrap().iter().map(|warning| (&warning["file"], &warning["path"])).collect();
    let expected = [json!("/impl/headers/Authorization"), json!("/impl/urlTemplate")];
    assert_eq!(places, [(&json!(path), &expected[0]), (&json!(path), &expected[1])]);
    assert!(!warnings.to_string().contains("k3y-0123456789"));
}

/// T002-80: the limits of the store hold for an import, as for a PUT, and for all of it.
#[tokio::test(start_paused = true)]
async fn limits_hold() {
    let world = World::with_bundle().await;
    let tools = ["a", "b"].map(|slug| tool_json(slug, json!({})));
    let state =
        |tools: u32, bundles: u32| format!(r#"{{"generation":7,"tools":{tools},"bundles":{bundles}}}"#);
    world.write(Table::Counters, "tool-state", &state(9_999, 1_000)).await;
    let zip = of(&archive(&bundle_json(BUNDLE), &tools));
    let before = rows(&world).await;
    assert_eq!(world.refused("POST", IMPORT, zip.clone()).await, (422, "too_many_tools".to_owned()));
    let other = of(&archive(&bundle_json(OTHER_BUNDLE), &tools[..1]));
    assert_eq!(world.refused("POST", IMPORT, other).await, (422, "too_many_bundles".to_owned()));
    assert_eq!(rows(&world).await, before);
    world.write(Table::Counters, "tool-state", &state(9_998, 1_000)).await;
    assert_eq!(world.call("POST", IMPORT, zip).await.0, 201);
    assert_eq!(
        world.refused("PUT", &tool_path("c"), tool_body(json!({}))).await,
        (422, "too_many_tools".to_owned())
    );
    // A bundle that could not be read again is not written.
    let world = World::with_bundle().await;
    let long = json!({"type": "steps", "impl": {"steps": [{"id": "a", "tool": "b_c", "args": {"x": "y".repeat(600_000)}}]}});
    world.put(&tool_path("long"), tool_body(long)).await;
    let (status, answer) = world.call("GET", &export_path(BUNDLE), Value::Null).await;
    assert_eq!((status, &answer["error"]["code"]), (422, &json!("archive_too_large")));
    assert!(answer["problems"][0]["file"].as_str().unwrap().contains("/long_v1_"), "{answer}");
}

/// One change: one event, a note for the bundle and for each tool.
#[tokio::test(start_paused = true)]
async fn an_import_is_told_and_noted() {
    let world = World::new().await;
    let tools = ["a", "b"].map(|slug| tool_json(slug, json!({})));
    world.call("POST", IMPORT, of(&archive(&bundle_json(BUNDLE), &tools))).await;
    let log = world.table(Table::Audit).await;
    let entries = log.iter().map(|row| serde_json::from_str::<Value>(&row.text).unwrap());
    let changes: Vec<(Value, Value)> = entries
        .filter(|entry| entry["kind"] == "change")
        .map(|entry| (entry["what"].clone(), entry["subject"].clone()))
        .collect();
    let (a, b) = (format!("{BUNDLE}/a/v1"), format!("{BUNDLE}/b/v1"));
    let expected = [("tool_bundle_created", BUNDLE), ("tool_imported", &a), ("tool_imported", &b)];
    assert_eq!(changes, expected.map(|(what, subject)| (json!(what), json!(subject))));
    assert_eq!(world.event_names(&[]).await, ["toolsModified"]);
    assert_eq!(world.get("/api/audit/check").await["brokenAt"], Value::Null);
}

/// A toolbox that is not there: nothing is read, nothing is written.
#[tokio::test(start_paused = true)]
async fn without_the_toolbox_nothing_happens() {
    let world = World::with_bundle().await;
    let zip = of(&archive(&bundle_json(BUNDLE), &[tool_json("a", json!({}))]));
    world.browser.set_toolbox_unavailable(true);
    let before = rows(&world).await;
    assert_eq!(world.refused("POST", IMPORT, zip).await, (503, "toolbox_unavailable".to_owned()));
    assert_eq!(
        world.refused("GET", &export_path(BUNDLE), Value::Null).await,
        (503, "toolbox_unavailable".to_owned())
    );
    assert_eq!(rows(&world).await, before);
}

/// T002-77: two windows import the same archive at once: one makes the tools, the other is told that they exist.
#[tokio::test(start_paused = true)]
async fn two_imports_at_once_make_each_tool_once() {
    let world = World::new().await;
    let cores = [world.core(), world.another_core()];
    let tools = ["a", "b", "c"].map(|slug| tool_json(slug, json!({})));
    let body = of(&archive(&bundle_json(BUNDLE), &tools)).to_string();
    let import = |number: usize| cores[number].handle("POST", IMPORT, &body);
    let (one, two) = world.run(async { tokio::join!(import(0), import(1)) }).await;
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    let count = |rows: Vec<runtime::store::Row>| rows.len();
    assert_eq!(count(world.table(Table::Tools).await), 3);
    assert_eq!(count(world.table(Table::ToolIds).await), 3);
    assert_eq!(count(world.table(Table::ToolSwitches).await), 3);
}

/// One import under a plan; how many rows the tables have at the end, and how many points there were.
fn play(plan: &Plan, body: &str) -> (Vec<usize>, u64) {
    let backend = Rc::new(RefCell::new(RawBackend::new("application/json", Vec::new(), 1)));
    let sim = Sim::new(plan, backend);
    sim.start_worker();
    sim.run(&mut ());
    sim.arm();
    let counts = || TABLES.map(|table| sim.rows(table).len()).to_vec();
    let mut status = None;
    for attempt in 0..6 {
        let asked = sim.ask("POST", IMPORT, body);
        sim.run(&mut ());
        // All or nothing, whenever it is looked at.
        assert!(
            [vec![0; 7], vec![1, 3, 3, 3, 3, 0, 0]].contains(&counts()),
            "{:?} {:?}",
            counts(),
            plan.incidents
        );
        match asked.reply() {
            Some(reply) if reply.status == 503 => {}
            Some(reply) => {
                status = Some((reply.status, attempt));
                break;
            }
            None => assert!(asked.lost()),
        }
    }
    // After a commit whose answer was lost, the tools are there.
    assert!(matches!(status, Some((201, _) | (409, 1..))), "{status:?} {:?}", plan.incidents);
    let points = sim.points();
    sim.disarm();
    let shown = sim.ask("GET", &format!("/tools?includeDisabled=true&bundleIDs={BUNDLE}"), "");
    let checked = sim.ask("GET", "/api/audit/check", "");
    sim.run(&mut ());
    let read =
        |reply: Option<runtime::http::Reply>| serde_json::from_str::<Value>(&reply.unwrap().body).unwrap();
    assert_eq!(read(shown.reply())["tools"].as_array().unwrap().len(), 3);
    assert_eq!(read(checked.reply())["brokenAt"], Value::Null);
    assert_eq!(sim.failures(), [""; 0], "{:?}", plan.incidents);
    (counts(), points)
}

/// T002-82: at every store access of an import the worker dies, the disk fails, or a second worker begins: all of it is there,
/// or nothing.
#[test]
fn crash_at_every_point_of_an_import() {
    let tools = ["a", "b", "c"].map(|slug| tool_json(slug, json!({})));
    let body = of(&archive(&bundle_json(BUNDLE), &tools)).to_string();
    let (expected, points) = play(&Plan::undisturbed(), &body);
    assert_eq!(expected, [1, 3, 3, 3, 3, 0, 0]);
    for (point, incident, restart, plan) in Plan::each_incident_at_each_of(points) {
        assert_eq!(play(&plan, &body).0, expected, "{incident:?} {restart:?} {point}");
    }
    println!("{points} points, four incidents");
}
