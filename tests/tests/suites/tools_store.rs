//! The tool store (specification 002): its routes, switches, limits and metrics.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::tools::*;
use countersign_tests::world::*;
use runtime::store::{Row, Table};
use serde_json::{Value, json};

const DAY: u64 = 24 * 60 * 60 * 1000;

fn refusal(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

async fn records(world: &World) -> Vec<Row> {
    world.table(Table::Tools).await
}

/// The user's tools and their rows in every table, without the state and the log.
async fn tool_rows(world: &World) -> Vec<(&'static str, Vec<String>)> {
    let all = world.records().await.into_iter();
    let own = all.filter(|(name, _)| name.starts_with("tool"));
    own.map(|(name, rows)| (name, rows.into_iter().map(|row| row.key).collect())).collect()
}

/// What the log says was changed.
async fn changes(world: &World) -> Vec<(String, String)> {
    let rows = world.table(Table::Audit).await;
    let entries = rows.iter().map(|row| serde_json::from_str::<Value>(&row.text).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let changes = entries.filter(|entry| entry["kind"] == "change");
    changes.map(|entry| (text(&entry["what"]), text(&entry["subject"]))).collect()
}

/// T002-46, T002-43, T002-44, T002-47: a bundle is made, replaced and switched; its creation never moves, its change moves
/// with its content alone.
#[tokio::test(start_paused = true)]
async fn bundles_are_made_replaced_and_switched() {
    let world = World::new().await;
    world.pass(1_000).await;
    let made = world.put(&bundle_path(BUNDLE), bundle_body()).await;
    let expected = json!({
        "id": BUNDLE, "slug": "my-tools", "displayName": "My tools", "description": "Mine.", "isEnabled": true,
        "isBuiltIn": false, "createdAt": "2026-01-01T00:00:01.000Z", "modifiedAt": "2026-01-01T00:00:01.000Z", "toolCount": 0,
    });
    assert_eq!(made, expected);
    world.pass(1_000).await;
    let (status, same) =
        world.call("PUT", &bundle_path(BUNDLE), with(bundle_body(), "isEnabled", json!(false))).await;
    assert_eq!((status, same), (200, with(expected.clone(), "isEnabled", json!(false))));
    let (status, renamed) =
        world.call("PUT", &bundle_path(BUNDLE), with(bundle_body(), "displayName", json!("Ours"))).await;
    let moved =
        with(with(expected, "displayName", json!("Ours")), "modifiedAt", json!("2026-01-01T00:00:02.000Z"));
    assert_eq!((status, &renamed), (200, &moved));
    world.pass(1_000).await;
    assert_eq!(
        world.switch(&bundle_path(BUNDLE), false).await,
        with(moved.clone(), "isEnabled", json!(false))
    );
    assert_eq!(world.switch(&bundle_path(BUNDLE), true).await, moved);
    for body in [
        json!({"isEnabled": 1}),
        json!({}),
        json!({"slug": "x"}),
        json!({"isEnabled": true, "slug": "x"}),
        json!([]),
    ] {
        assert_eq!(world.refused("PATCH", &bundle_path(BUNDLE), body).await, refusal(400, "invalid_request"));
    }
    assert_eq!(world.get("/tools/bundles").await["bundles"][0], moved);
}

/// T002-48, T002-65, T002-67: a deleted bundle is in no list, is deleted once, takes nothing, and is there again after a PUT.
#[tokio::test(start_paused = true)]
async fn a_deleted_bundle_is_gone_until_it_is_put_again() {
    let world = World::with_bundle().await;
    let before = world.get("/tools/bundles").await;
    assert_eq!(world.reply("DELETE", &bundle_path(BUNDLE), "").await.status, 204);
    assert_eq!(world.slugs("/tools/bundles?includeDisabled=true").await.0, ["wallet"]);
    let row: Value = serde_json::from_str(&world.table(Table::ToolBundles).await[0].text).unwrap();
    assert_eq!(row["softDeletedAt"], json!(world.browser.now()));
    for (method, path, body) in [
        ("DELETE", bundle_path(BUNDLE), Value::Null),
        ("PATCH", bundle_path(BUNDLE), json!({"isEnabled": false})),
        ("PUT", tool_path("weather"), tool_body(json!({}))),
    ] {
        assert_eq!(
            world.refused(method, &path, body).await,
            refusal(410, "bundle_deleted"),
            "{method} {path}"
        );
    }
    let (status, again) = world.call("PUT", &bundle_path(BUNDLE), bundle_body()).await;
    assert_eq!((status, &again), (200, &before["bundles"][0]));
    assert_eq!(world.get("/tools/bundles").await, before);
    world.pass(3 * DAY).await;
    assert_eq!(world.get("/tools/bundles").await, before);
}

/// D10: a bundle with tools is not deleted.
#[tokio::test(start_paused = true)]
async fn a_bundle_with_tools_is_not_deleted() {
    let world = World::with_bundle().await;
    world.put(&tool_path("weather"), tool_body(json!({}))).await;
    assert_eq!(
        world.refused("DELETE", &bundle_path(BUNDLE), Value::Null).await,
        refusal(409, "bundle_not_empty")
    );
    assert_eq!(world.reply("DELETE", &tool_path("weather"), "").await.status, 204);
    assert_eq!(world.reply("DELETE", &bundle_path(BUNDLE), "").await.status, 204);
}

/// T002-66: two days after its deletion an empty bundle is removed, by an alarm alone; one that holds tools is not.
#[tokio::test(start_paused = true)]
async fn deleted_bundles_are_reaped() {
    let world = World::with_bundle().await;
    world.put(&bundle_path(OTHER_BUNDLE), bundle_body()).await;
    for id in [BUNDLE, OTHER_BUNDLE] {
        world.reply("DELETE", &bundle_path(id), "").await;
    }
    // What a damaged store or another version may have left.
    world.write(Table::Tools, &format!("{OTHER_BUNDLE}/left/v1"), "{}").await;
    world.pass(2 * DAY - 1).await;
    assert_eq!(world.table(Table::ToolBundles).await.len(), 2);
    world.pass(1).await;
    world.settle().await;
    let left: Vec<String> = world.table(Table::ToolBundles).await.into_iter().map(|row| row.key).collect();
    assert_eq!(left, [OTHER_BUNDLE]);
    assert_eq!(
        world.refused("DELETE", &bundle_path(BUNDLE), Value::Null).await,
        refusal(404, "tool_bundle_not_found")
    );
    // It is looked at again, and goes when it is empty.
    assert_eq!(world.browser.alarm(), Some(world.browser.now() + DAY - 1));
    world.tamper(vec![runtime::store::Write::Delete(Table::Tools, format!("{OTHER_BUNDLE}/left/v1"))]).await;
    world.pass(DAY).await;
    world.settle().await;
    assert_eq!((world.table(Table::ToolBundles).await, world.browser.alarm()), (vec![], None));
}

/// T002-66: what was due while no worker ran is removed at the next start.
#[tokio::test(start_paused = true)]
async fn deleted_bundles_are_reaped_at_a_start() {
    let world = World::with_bundle().await;
    world.reply("DELETE", &bundle_path(BUNDLE), "").await;
    world.browser.set_clock(3 * DAY as i64);
    world.restart().await;
    world.settle().await;
    assert_eq!(
        (world.table(Table::ToolBundles).await, world.table(Table::Deadlines).await),
        (vec![], vec![])
    );
}

/// T002-16, T002-50, T002-53, T002-3: what is put is given back, field by field, with what is computed beside it.
#[tokio::test(start_paused = true)]
async fn a_tool_round_trips() {
    let world = World::with_bundle().await;
    world.pass(1_000).await;
    let body = tool_body(json!({}));
    let made = world.put(&tool_path("weather"), body.clone()).await;
    for (name, value) in fields(&body) {
        if name != "impl" {
            assert_eq!(made[name], *value, "{name}");
        }
    }
    for (name, value) in fields(&body["impl"]) {
        assert_eq!(made["impl"][name], *value, "{name}");
    }
    let id = made["id"].as_str().unwrap();
    assert_eq!((id.len(), &id[14..15]), (36, "7"));
    assert_eq!(
        [
            &made["bundleID"],
            &made["slug"],
            &made["version"],
            &made["name"],
            &made["isBuiltIn"],
            &made["schemaVersion"]
        ],
        [
            &json!(BUNDLE),
            &json!("weather"),
            &json!("v1"),
            &json!("weather"),
            &json!(false),
            &json!("2026-11-01")
        ]
    );
    assert_eq!([&made["createdAt"], &made["modifiedAt"]], [&json!("2026-01-01T00:00:01.000Z"); 2]);
    assert_eq!(made["metrics"], json!({"callCount": 0, "failureCount": 0, "lastCalledAt": null}));
    assert_eq!(world.get(&tool_path("weather")).await, made);
    assert_eq!(world.get("/tools").await["tools"][0], made);
    assert_eq!(world.get("/tools/tools").await, world.get("/tools").await);
    assert_eq!(world.get("/tools/search?q=weather").await["tools"], json!([made]));
    assert_eq!(world.get("/tools/tools/search?q=weather").await, world.get("/tools/search?q=weather").await);
    for path in [
        path_of(BUNDLE, "weather", "v2"),
        path_of(BUNDLE, "Weather", "v1"),
        path_of(OTHER_BUNDLE, "weather", "v1"),
    ] {
        assert_eq!(world.refused("GET", &path, Value::Null).await, refusal(404, "tool_not_found"), "{path}");
    }
}

/// T002-41, T002-59, T002-42, T002-5, T002-37: a pair of slug and version is one tool of a bundle, and a second PUT leaves it
/// as it is, byte for byte; another bundle, version or case is another tool.
#[tokio::test(start_paused = true)]
async fn slug_and_version_are_unique_in_a_bundle() {
    let world = World::with_bundle().await;
    world.put(&bundle_path(OTHER_BUNDLE), bundle_body()).await;
    world.put(&tool_path("weather"), tool_body(json!({}))).await;
    let before = world.records().await;
    world.pass(1_000).await;
    let body = tool_body(json!({"displayName": "Another"}));
    assert_eq!(world.refused("PUT", &tool_path("weather"), body.clone()).await, refusal(409, "tool_exists"));
    assert_eq!(world.records().await, before);
    for path in
        [path_of(BUNDLE, "weather", "v2"), path_of(OTHER_BUNDLE, "weather", "v1"), tool_path("Weather")]
    {
        world.put(&path, body.clone()).await;
    }
    assert_eq!(records(&world).await.len(), 4);
}

/// T002-38, T002-36: names are compared in NFC, and escaped in a path.
#[tokio::test(start_paused = true)]
async fn unicode_slugs_are_normalised() {
    let world = World::with_bundle().await;
    let made = world.put(&tool_path("caf%C3%A9"), tool_body(json!({}))).await;
    assert_eq!(made["slug"], "café");
    let tail = made["id"].as_str().unwrap().rsplit('-').next().unwrap();
    assert_eq!(made["name"], json!(format!("tool_{tail}")));
    assert_eq!(world.get(&tool_path("cafe%CC%81")).await, made);
    let again = world.refused("PUT", &tool_path("cafe%CC%81"), tool_body(json!({}))).await;
    assert_eq!(again, refusal(409, "tool_exists"));
    for bad in ["%zz", "%ff", "a%2Fb"] {
        let (status, _) = world.refused("GET", &tool_path(bad), Value::Null).await;
        assert!(status == 400 || status == 404, "{bad}: {status}");
    }
}

/// T002-77: two windows put the same tool at once: one makes it, the other is told that it exists.
#[tokio::test(start_paused = true)]
async fn two_puts_at_once_make_one_tool() {
    let world = World::with_bundle().await;
    let cores = [world.core(), world.another_core()];
    let bodies = ["One", "Two"].map(|name| tool_body(json!({"displayName": name})).to_string());
    let path = tool_path("weather");
    let put = |number: usize| cores[number].handle("PUT", &path, &bodies[number]);
    let (one, two) = world.run(async { tokio::join!(put(0), put(1)) }).await;
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    let winner = if one.status == 201 { one.body } else { two.body };
    let stored: Value = serde_json::from_str(&records(&world).await[0].text).unwrap();
    let winner: Value = serde_json::from_str(&winner).unwrap();
    assert_eq!((records(&world).await.len(), &stored["id"]), (1, &winner["id"]));
    assert_eq!(world.get(&path).await["displayName"], winner["displayName"]);
}

/// T002-77: a tool that is put while its bundle is deleted in another window is in a bundle that is there, or not at all.
#[tokio::test(start_paused = true)]
async fn a_put_and_a_deletion_of_the_bundle_do_not_pass_each_other() {
    for first in [0, 1] {
        let world = World::with_bundle().await;
        let (core, other) = (world.core(), world.another_core());
        let (path, bundle, body) =
            (tool_path("weather"), bundle_path(BUNDLE), tool_body(json!({})).to_string());
        let put = core.handle("PUT", &path, &body);
        let delete = async {
            if first == 0 {
                tokio::task::yield_now().await;
            }
            other.handle("DELETE", &bundle, "").await
        };
        let (put, deleted) = world.run(async { tokio::join!(put, delete) }).await;
        let outcome = (put.status, deleted.status, records(&world).await.len());
        assert!([(201, 409, 1), (410, 204, 0)].contains(&outcome), "{outcome:?}");
    }
}

/// T002-51, T002-44, T002-11: a tool's switch is its own: it changes nothing else of the tool, and stays as it is under its
/// bundle's.
#[tokio::test(start_paused = true)]
async fn tools_are_switched() {
    let world = World::with_bundle().await;
    let made = world.put(&tool_path("weather"), tool_body(json!({}))).await;
    let record = records(&world).await;
    world.pass(1_000).await;
    let off = world.switch(&tool_path("weather"), false).await;
    assert_eq!((&off["isEnabled"], &off["effective"]["reason"]), (&json!(false), &json!("tool_disabled")));
    assert_eq!([&off["createdAt"], &off["modifiedAt"]], [&made["createdAt"], &made["modifiedAt"]]);
    assert_eq!(world.slugs("/tools?tags=weather").await.0, [""; 0]);
    assert_eq!(world.slugs("/tools?tags=weather&includeDisabled=true").await.0, ["weather"]);
    world.switch(&bundle_path(BUNDLE), false).await;
    let hidden = world.get(&tool_path("weather")).await;
    assert_eq!(
        (&hidden["isEnabled"], &hidden["effective"]["reason"]),
        (&json!(false), &json!("bundle_disabled"))
    );
    world.switch(&bundle_path(BUNDLE), true).await;
    assert_eq!(world.get(&tool_path("weather")).await, off);
    assert_eq!(world.switch(&tool_path("weather"), true).await, made);
    assert_eq!(records(&world).await, record);
    let put_off = world.put(&tool_path("off"), tool_body(json!({"isEnabled": false}))).await;
    assert_eq!((&put_off["isEnabled"], world.get(&tool_path("off")).await), (&json!(false), put_off.clone()));
    for body in [
        json!({"isEnabled": "no"}),
        json!({"displayName": "x"}),
        json!({"isEnabled": true, "tags": []}),
        json!(7),
    ] {
        assert_eq!(
            world.refused("PATCH", &tool_path("weather"), body).await,
            refusal(400, "invalid_request")
        );
    }
    let none = world.refused("PATCH", &tool_path("none"), json!({"isEnabled": true})).await;
    assert_eq!(none, refusal(404, "tool_not_found"));
}

/// T002-67, T002-3: in a bundle that is switched off nothing is put or switched; reads and deletions work.
#[tokio::test(start_paused = true)]
async fn a_disabled_bundle_is_closed() {
    let world = World::with_bundle().await;
    world.put(&tool_path("weather"), tool_body(json!({}))).await;
    world.switch(&bundle_path(BUNDLE), false).await;
    assert_eq!(
        world.refused("PUT", &tool_path("other"), tool_body(json!({}))).await,
        refusal(403, "bundle_disabled")
    );
    let switched = world.refused("PATCH", &tool_path("weather"), json!({"isEnabled": false})).await;
    assert_eq!(switched, refusal(403, "bundle_disabled"));
    assert_eq!(
        world.get(&tool_path("weather")).await["effective"],
        json!({"isCallable": false, "reason": "bundle_disabled"})
    );
    assert_eq!(world.slugs("/tools/search?q=weather").await.0, [""; 0]);
    assert_eq!(world.slugs("/tools/bundles").await.0, ["wallet"]);
    assert_eq!(world.reply("DELETE", &tool_path("weather"), "").await.status, 204);
    assert_eq!(
        world.refused("PUT", &path_of(OTHER_BUNDLE, "a", "v1"), tool_body(json!({}))).await,
        refusal(404, "tool_bundle_not_found")
    );
}

/// T002-52: a deleted tool leaves nothing but the log: no record, document, switch or approval of its name.
#[tokio::test(start_paused = true)]
async fn a_deleted_tool_leaves_the_log_alone() {
    let world = World::with_bundle().await;
    let empty = tool_rows(&world).await;
    world.put(&tool_path("weather"), tool_body(json!({"isEnabled": false}))).await;
    world.put(&path_of(BUNDLE, "weather", "v2"), tool_body(json!({}))).await;
    let allow =
        json!({"tool": "weather", "who": {"kind": "agent"}, "decision": {"kind": "allow", "perDay": 5}});
    let deny = json!({"tool": "weather", "who": {"kind": "anybody"}, "decision": {"kind": "deny"}});
    let other =
        json!({"tool": "add_chain", "who": {"kind": "agent"}, "decision": {"kind": "allow", "perDay": 5}});
    let mut rules = world.get("/api/policy").await;
    rules["tools"] = json!([allow, deny, other]);
    let (status, kept) = world.call("PUT", "/api/policy", rules).await;
    assert_eq!(status, 200, "{kept}");
    world.reply("DELETE", &path_of(BUNDLE, "weather", "v2"), "").await;
    assert_eq!(world.get("/api/policy").await["tools"], kept["tools"], "another tool has the name");
    world.reply("DELETE", &tool_path("weather"), "").await;
    assert_eq!(world.get("/api/policy").await["tools"], json!([kept["tools"][1], kept["tools"][2]]));
    assert_eq!(tool_rows(&world).await, empty);
    assert_eq!(
        world.refused("DELETE", &tool_path("weather"), Value::Null).await,
        refusal(404, "tool_not_found")
    );
    let key = format!("{BUNDLE}/weather/v1");
    assert!(changes(&world).await.contains(&("tool_deleted".to_owned(), key)));
}

/// T002-6, T002-60, T002-78: built-in tools are served as any other, and only their switches can be changed.
#[tokio::test(start_paused = true)]
async fn built_in_tools_are_read_only() {
    let world = World::new().await;
    let page = world.get("/tools").await;
    let tools = page["tools"].as_array().unwrap();
    assert_eq!(tools.len(), BUILT_INS);
    assert!(
        tools
            .iter()
            .all(|tool| tool["isBuiltIn"] == json!(true) && tool["effective"]["isCallable"] == json!(true))
    );
    let path = path_of(WALLET_BUNDLE, "get-address-book", "v1");
    let tool = world.get(&path).await;
    assert_eq!((&tool["type"], &tool["name"]), (&json!("local"), &json!("get_address_book")));
    assert_eq!(tool["impl"], json!({"goFunc": "get_address_book"}));
    assert_eq!(world.get("/tools/search?q=get+address").await["tools"][0], tool);
    let read_only = refusal(403, "read_only");
    for (method, path, body) in [
        ("PUT", bundle_path(WALLET_BUNDLE), bundle_body()),
        ("DELETE", bundle_path(WALLET_BUNDLE), Value::Null),
        ("PATCH", bundle_path(WALLET_BUNDLE), json!({"slug": "x"})),
        ("PUT", path.clone(), tool_body(json!({}))),
        ("PUT", path_of(WALLET_BUNDLE, "new", "v1"), tool_body(json!({}))),
        ("DELETE", path.clone(), Value::Null),
        ("PATCH", path.clone(), json!({"displayName": "x"})),
        ("PATCH", path.clone(), json!({"isEnabled": false, "displayName": "x"})),
    ] {
        assert_eq!(world.refused(method, &path, body).await, read_only, "{method} {path}");
    }
    assert_eq!(world.table(Table::Tools).await, []);
}

/// T002-61, T002-13: the switch of a built-in is a row of its own, which no update of its content touches.
#[tokio::test(start_paused = true)]
async fn switches_of_built_in_tools_survive() {
    let world = World::new().await;
    let path = path_of(WALLET_BUNDLE, "add-chain", "v1");
    let made = world.get(&path).await;
    let off = world.switch(&path, false).await;
    assert_eq!((&off["isEnabled"], &off["modifiedAt"]), (&json!(false), &made["modifiedAt"]));
    world.restart().await;
    assert_eq!(world.get(&path).await, off);
    // The row names the tool and says nothing of its content.
    let rows = world.table(Table::ToolSwitches).await;
    assert_eq!(rows, [Row { key: made["id"].as_str().unwrap().to_owned(), text: "null".to_owned() }]);
    world.switch(&bundle_path(WALLET_BUNDLE), false).await;
    assert_eq!(world.slugs("/tools").await.0, [""; 0]);
    assert_eq!(
        world.refused("PATCH", &path, json!({"isEnabled": true})).await,
        refusal(403, "bundle_disabled")
    );
    world.switch(&bundle_path(WALLET_BUNDLE), true).await;
    assert_eq!(world.switch(&path, true).await, made);
    assert_eq!(world.table(Table::ToolSwitches).await, []);
}

/// T002-49, T002-57: bundles are listed by pages that stay right, newest first.
#[tokio::test(start_paused = true)]
async fn bundles_are_listed_by_pages() {
    let world = World::new().await;
    let id = |number: u32| format!("018faf50-b7b6-7a01-9a05-{number:012}");
    for number in 0..5 {
        world.pass(1_000).await;
        world.put(&bundle_path(&id(number)), with(bundle_body(), "slug", json!(format!("b{number}")))).await;
    }
    let (first, next) = world.slugs("/tools/bundles?pageSize=2").await;
    assert_eq!(first, ["b4", "b3"]);
    world.reply("DELETE", &bundle_path(&id(3)), "").await;
    world.put(&bundle_path(&id(9)), with(bundle_body(), "slug", json!("b9"))).await;
    let (second, next) = world.slugs(&format!("/tools/bundles?pageToken={}", next.unwrap())).await;
    assert_eq!(second, ["b2", "b1"]);
    let (third, next) = world.slugs(&format!("/tools/bundles?pageToken={}", next.unwrap())).await;
    assert_eq!((third, next), (vec!["b0".to_owned(), "wallet".to_owned()], None));
    let some = format!("/tools/bundles?bundleIDs={},{}", id(1), id(9));
    assert_eq!(world.slugs(&some).await.0, ["b9", "b1"]);
    world.switch(&bundle_path(&id(1)), false).await;
    assert_eq!(world.slugs(&some).await.0, ["b9"]);
    assert_eq!(world.slugs(&format!("{some}&includeDisabled=true")).await.0, ["b9", "b1"]);
    for target in ["/tools/bundles?pageToken=x", "/tools?pageToken=x", "/tools/search?q=a&pageToken=x"] {
        assert_eq!(
            world.refused("GET", target, Value::Null).await,
            refusal(400, "invalid_page_token"),
            "{target}"
        );
    }
    assert_eq!(world.refused("GET", "/tools/search", Value::Null).await, refusal(400, "invalid_request"));
}

/// T002-14: a bundle's id is a UUID of version 7, in every route that has one.
#[tokio::test(start_paused = true)]
async fn other_ids_are_refused() {
    let world = World::new().await;
    for id in ["1", "018faf50-b7b6-4a01-9a05-a22a6e0af101", "018faf50-b7b6-7a01-ca05-a22a6e0af101", "%20"] {
        for (method, path) in [
            ("PUT", bundle_path(id)),
            ("PATCH", bundle_path(id)),
            ("DELETE", bundle_path(id)),
            ("GET", path_of(id, "a", "v1")),
            ("PUT", path_of(id, "a", "v1")),
        ] {
            let refused = world.refused(method, &path, json!({"isEnabled": true})).await;
            assert_eq!(refused, refusal(400, "invalid_request"), "{method} {path}");
        }
    }
}

/// T002-80: there are so many tools and bundles and no more, at the edge.
#[tokio::test(start_paused = true)]
async fn tools_and_bundles_are_limited() {
    let world = World::with_bundle().await;
    let state =
        |tools: u32, bundles: u32| format!(r#"{{"generation":7,"tools":{tools},"bundles":{bundles}}}"#);
    world.write(Table::Counters, "tool-state", &state(9_999, 999)).await;
    world.put(&tool_path("last"), tool_body(json!({}))).await;
    world.put(&bundle_path(OTHER_BUNDLE), bundle_body()).await;
    assert_eq!(
        world.refused("PUT", &tool_path("more"), tool_body(json!({}))).await,
        refusal(422, "too_many_tools")
    );
    let third = "018faf50-b7b6-7a01-9a05-a22a6e0af103";
    assert_eq!(
        world.refused("PUT", &bundle_path(third), bundle_body()).await,
        refusal(422, "too_many_bundles")
    );
    // Replacing one adds none, and what goes makes room.
    assert_eq!(world.call("PUT", &bundle_path(BUNDLE), bundle_body()).await.0, 200);
    world.reply("DELETE", &bundle_path(OTHER_BUNDLE), "").await;
    world.put(&bundle_path(third), bundle_body()).await;
    assert_eq!(
        world.refused("PUT", &bundle_path(OTHER_BUNDLE), bundle_body()).await,
        refusal(422, "too_many_bundles")
    );
    world.reply("DELETE", &tool_path("last"), "").await;
    world.put(&tool_path("more"), tool_body(json!({}))).await;
}

/// T002-12, T002-75: without a network everything but an invocation works.
#[tokio::test(start_paused = true)]
async fn the_store_works_offline() {
    let world = World::with_bundle().await;
    world.set_down(true);
    world.put(&tool_path("weather"), tool_body(json!({}))).await;
    world.switch(&tool_path("weather"), false).await;
    assert_eq!(world.slugs("/tools/search?q=weather&includeDisabled=true").await.0, ["weather"]);
    assert_eq!(world.reply("DELETE", &tool_path("weather"), "").await.status, 204);
    assert_eq!(world.reply("DELETE", &bundle_path(BUNDLE), "").await.status, 204);
    assert_eq!((world.sent().len(), world.node_calls().len()), (0, 0));
}

/// T002-76, T002-62: the index is made of documents that are written with their records, and can be made anew from these.
#[tokio::test(start_paused = true)]
async fn the_index_is_rebuilt_from_the_records() {
    let world = World::with_bundle().await;
    for slug in ["weather", "news"] {
        world.put(&tool_path(slug), tool_body(json!({"displayName": slug}))).await;
    }
    let documents = world.table(Table::ToolDocuments).await;
    let page = world.get("/tools").await;
    let keys: Vec<String> = documents.iter().map(|row| row.key.clone()).collect();
    assert_eq!(keys, ["news", "weather"].map(|slug| format!("{BUNDLE}/{slug}/v1")));
    world.write(Table::ToolDocuments, &keys[0], "damaged").await;
    world.write(Table::ToolDocuments, &format!("{BUNDLE}/gone/v1"), &documents[1].text).await;
    world.write(Table::Counters, "tool-state", r#"{"generation":9,"tools":77,"bundles":1}"#).await;
    world.restart().await;
    assert_eq!(world.call("GET", "/tools", Value::Null).await.0, 503);
    let rebuilt = world.call("POST", "/tools/index/rebuild", Value::Null).await;
    assert_eq!(rebuilt, (200, json!({"tools": 2})));
    assert_eq!(world.table(Table::ToolDocuments).await, documents);
    assert_eq!(world.get("/tools").await, page);
    assert_eq!(world.slugs("/tools/search?q=news").await.0, ["news"]);
}

/// The index follows the changes of this worker and of another, and a toolbox that was lost in between.
#[tokio::test(start_paused = true)]
async fn the_index_follows_every_change() {
    let world = World::with_bundle().await;
    let other = world.another_core();
    let found = |core: std::rc::Rc<runtime::Core>| {
        let world = &world;
        async move {
            let reply = world.run(core.handle("GET", "/tools/search?q=weather", "")).await;
            let page: Value = serde_json::from_str(&reply.body).unwrap();
            page["tools"].as_array().unwrap().len()
        }
    };
    for number in 0..4 {
        let (path, body) = (tool_path(&format!("w{number}")), tool_body(json!({})).to_string());
        let core = if number % 2 == 0 { world.core() } else { std::rc::Rc::clone(&other) };
        assert_eq!(world.run(core.handle("PUT", &path, &body)).await.status, 201);
        assert_eq!(
            (found(world.core()).await, found(std::rc::Rc::clone(&other)).await),
            (number + 1, number + 1)
        );
    }
}

/// A read sends the whole store once to a new toolbox, and afterwards nothing but what changed.
#[tokio::test(start_paused = true)]
async fn an_index_is_sent_once() {
    let world = World::with_bundle().await;
    for number in 0..50 {
        world.put(&tool_path(&format!("w{number}")), tool_body(json!({}))).await;
    }
    world.get("/tools?pageSize=1").await;
    let before = world.browser.traffic().bytes_read;
    world.get("/tools/search?q=weather&pageSize=1").await;
    let searched = world.browser.traffic().bytes_read - before;
    let documents: usize = world.table(Table::ToolDocuments).await.iter().map(|row| row.text.len()).sum();
    assert!(searched < documents / 5, "{searched} bytes of {documents}");
}

/// T002-45: bundle and tool changes are told to pages and noted in the log.
#[tokio::test(start_paused = true)]
async fn changes_are_told_and_noted() {
    let world = World::with_bundle().await;
    world.put(&tool_path("weather"), tool_body(json!({}))).await;
    world.switch(&tool_path("weather"), false).await;
    world.switch(&tool_path("weather"), true).await;
    // What changes nothing is not a change.
    world.switch(&tool_path("weather"), true).await;
    world.switch(&bundle_path(BUNDLE), false).await;
    world.switch(&bundle_path(BUNDLE), true).await;
    world.call("PUT", &bundle_path(BUNDLE), bundle_body()).await;
    world.reply("DELETE", &tool_path("weather"), "").await;
    world.reply("DELETE", &bundle_path(BUNDLE), "").await;
    let tool = format!("{BUNDLE}/weather/v1");
    let expected = [
        ("tool_bundle_created", BUNDLE),
        ("tool_created", &tool),
        ("tool_disabled", &tool),
        ("tool_enabled", &tool),
        ("tool_bundle_disabled", BUNDLE),
        ("tool_bundle_enabled", BUNDLE),
        ("tool_bundle_replaced", BUNDLE),
        ("tool_deleted", &tool),
        ("tool_bundle_deleted", BUNDLE),
    ];
    assert_eq!(changes(&world).await, expected.map(|(what, subject)| (what.to_owned(), subject.to_owned())));
    assert_eq!(world.event_names(&[]).await, vec!["toolsModified"; expected.len()]);
}

/// T002-45: the table of routes, literally: other methods and paths are refused as such.
#[tokio::test(start_paused = true)]
async fn other_routes_are_refused() {
    let world = World::new().await;
    for (method, path) in [
        ("POST", "/tools".to_owned()),
        ("DELETE", "/tools/search".to_owned()),
        ("POST", "/tools/bundles".to_owned()),
        ("GET", bundle_path(BUNDLE)),
        ("POST", tool_path("a")),
        ("GET", "/tools/index/rebuild".to_owned()),
    ] {
        assert_eq!(
            world.refused(method, &path, json!({})).await,
            refusal(405, "method_not_allowed"),
            "{method} {path}"
        );
    }
    for path in
        ["/tools/", "/tools/x", "/tools/bundles/a/tools", "/tools/bundles/a/tools/b/version", "/toolsx"]
    {
        assert_eq!(world.refused("GET", path, Value::Null).await, refusal(404, "no_such_route"), "{path}");
    }
}

/// T002-73: every call is counted, those that fail too, whether it was added up yet or not; what is deleted or belongs to no
/// tool is not.
#[tokio::test(start_paused = true)]
async fn calls_are_counted() {
    let world = World::new().await;
    let path = path_of(WALLET_BUNDLE, "get-address-book", "v1");
    for number in 0..100_u64 {
        assert_eq!(world.act_once("get_address_book", json!({})).await["success"], json!(true));
        let metrics = world.get(&path).await["metrics"].clone();
        assert_eq!(metrics["callCount"], json!(number + 1));
    }
    // Some are added up, some are not.
    let (metrics, uses) = (world.table(Table::ToolMetrics).await, world.table(Table::ToolUses).await);
    assert!(metrics.len() == 1 && uses.len() < 40, "{} uses", uses.len());
    let failing = path_of(WALLET_BUNDLE, "add-chain", "v1");
    world.pass(1_000).await;
    let failed = world.act_once("add_chain", json!({"chains": [{"chain": "Nowhere"}]})).await;
    assert_eq!(failed["success"], json!(false));
    let now = wire::tool::iso_time(world.browser.now());
    let metrics = json!({"callCount": 1, "failureCount": 1, "lastCalledAt": now});
    assert_eq!(world.get(&failing).await["metrics"], metrics);
    world.restart().await;
    assert_eq!(world.get(&failing).await["metrics"], metrics);
    assert_eq!(world.get("/tools").await["tools"][0]["metrics"]["callCount"], json!(100));
}

/// T002-73: calls at the same time in two workers are all counted, also while they are added up.
#[tokio::test(start_paused = true)]
async fn parallel_calls_are_all_counted() {
    let world = World::new().await;
    let cores = [world.core(), world.another_core()];
    let act = |number: usize| {
        let core = std::rc::Rc::clone(&cores[number % 2]);
        let body = json!({"actions": [read_book(&format!("a{number}"))]}).to_string();
        async move { core.handle("POST", "/api/actions", &body).await.status }
    };
    let mut done = 0;
    for round in 0..30 {
        let numbers: Vec<usize> = (round * 5..round * 5 + 5).collect();
        let (a, b, c, d, e) = world
            .run(async {
                tokio::join!(
                    act(numbers[0]),
                    act(numbers[1]),
                    act(numbers[2]),
                    act(numbers[3]),
                    act(numbers[4])
                )
            })
            .await;
        assert_eq!([a, b, c, d, e], [200; 5]);
        done += 5;
    }
    world.settle().await;
    let path = path_of(WALLET_BUNDLE, "get-address-book", "v1");
    assert_eq!(world.get(&path).await["metrics"]["callCount"], json!(done));
}

/// T002-52, T002-73: the metrics of a tool go with it, and a call that ends later leaves none.
#[tokio::test(start_paused = true)]
async fn metrics_go_with_the_tool() {
    let world = World::with_bundle().await;
    let made = world.put(&tool_path("weather"), tool_body(json!({}))).await;
    let id = made["id"].as_str().unwrap();
    let used = |id: &str| format!(r#"{{"toolId":"{id}","failed":true,"at":7}}"#);
    world.write(Table::ToolMetrics, id, r#"{"callCount":5,"failureCount":1,"lastCalledAt":3}"#).await;
    world.tamper(vec![runtime::store::Write::Append(Table::ToolUses, used(id)); 3]).await;
    let metrics = json!({"callCount": 8, "failureCount": 4, "lastCalledAt": "1970-01-01T00:00:00.007Z"});
    assert_eq!(world.get(&tool_path("weather")).await["metrics"], metrics);
    world.reply("DELETE", &tool_path("weather"), "").await;
    assert_eq!((world.table(Table::ToolMetrics).await, world.table(Table::ToolUses).await), (vec![], vec![]));
    world.tamper(vec![runtime::store::Write::Append(Table::ToolUses, used(id)); 40]).await;
    world.book().await;
    world.settle().await;
    assert_eq!(world.table(Table::ToolUses).await, []);
    let counted: Vec<String> = world.table(Table::ToolMetrics).await.into_iter().map(|row| row.key).collect();
    assert_eq!(counted, ["019a0000-0000-7000-8000-000000000100"]);
}

/// T002-74, T002-3: a built-in tool that is switched off, itself or by its bundle, is not called, whatever its arguments.
#[tokio::test(start_paused = true)]
async fn disabled_tools_are_not_called() {
    let world = World::new().await;
    let path = path_of(WALLET_BUNDLE, "add-chain", "v1");
    world.switch(&path, false).await;
    let refused = world.act_once("add_chain", json!({"chains": 7})).await;
    assert_eq!(refused["error"], json!("tool_disabled: the tool cannot be called: tool_disabled"));
    world.switch(&path, true).await;
    world.switch(&bundle_path(WALLET_BUNDLE), false).await;
    let refused = world.act_once("get_address_book", json!({})).await;
    assert_eq!(refused["error"], json!("tool_disabled: the tool cannot be called: bundle_disabled"));
    world.switch(&bundle_path(WALLET_BUNDLE), true).await;
    assert_eq!(world.act_once("get_address_book", json!({})).await["success"], json!(true));
}

/// T002-14, T002-17, T002-18, T002-19, T002-20, T002-36: what a record may not be is refused with its place, and nothing is
/// stored.
#[tokio::test(start_paused = true)]
async fn records_are_checked() {
    let world = World::with_bundle().await;
    let before = tool_rows(&world).await;
    for (fields, path) in [
        (json!({"displayName": " "}), "/displayName"),
        (json!({"isBuiltIn": true}), "/isBuiltIn"),
        (json!({"argSchema": {"type": "nothing"}}), "/argSchema/type"),
        (json!({"outputSchema": {"minimum": "x"}}), "/outputSchema/minimum"),
        (json!({"tags": ["a", "a"]}), "/tags"),
        (json!({"type": "local", "impl": {"goFunc": "no_such"}}), "/impl/goFunc"),
        (json!({"slug": "other"}), "/slug"),
    ] {
        let (status, answer) = world.call("PUT", &tool_path("weather"), tool_body(fields.clone())).await;
        let found = answer["error"]["path"].as_str().unwrap_or_default().to_owned();
        assert!(status == 400 && found.starts_with(path), "{fields}: {status} {answer}");
    }
    for slug in ["under_score", "a.b", "a%20b", "%0A", &"x".repeat(65), "a%E2%82%AC"] {
        assert_eq!(world.call("PUT", &tool_path(slug), tool_body(json!({}))).await.0, 400, "{slug}");
    }
    for slug in ["get-address-book", "sign-tx", "address-book-add"] {
        assert_eq!(
            world.refused("PUT", &tool_path(slug), tool_body(json!({}))).await,
            refusal(409, "name_taken")
        );
    }
    for body in
        [json!({}), json!({"slug": "a b", "displayName": "x"}), with(bundle_body(), "isBuiltIn", json!(true))]
    {
        assert_eq!(world.call("PUT", &bundle_path(OTHER_BUNDLE), body).await.0, 400);
    }
    assert_eq!(tool_rows(&world).await, before);
    world.put(&path_of(BUNDLE, "weather", "2026.11-rc"), tool_body(json!({}))).await;
    world.put(&tool_path(&"x".repeat(64)), local_body("get_address_book")).await;
}

/// T002-2, T002-13: a stored tool of a local function is of the local type; when the function is gone it is shown so, its
/// record stays as it is, and it is back with the function.
#[tokio::test(start_paused = true)]
async fn a_missing_function_disables_and_changes_nothing() {
    let world = World::with_bundle().await;
    let made = world.put(&tool_path("my-book"), local_body("get_address_book")).await;
    assert_eq!((&made["type"], &made["effective"]), (&json!("local"), &json!({"isCallable": true})));
    // As a version of the extension left it that has one function more.
    let key = format!("{BUNDLE}/my-book/v1");
    let (record, document) =
        (&records(&world).await[0].text, &world.table(Table::ToolDocuments).await[0].text);
    let gone = |text: &str| text.replace("get_address_book", "get_weather");
    let (gone_record, gone_document) = (gone(record), gone(document));
    world.write(Table::Tools, &key, &gone_record).await;
    world.write(Table::ToolDocuments, &key, &gone_document).await;
    world.restart().await;
    let shown = world.get(&tool_path("my-book")).await;
    assert_eq!(shown["effective"], json!({"isCallable": false, "reason": "implementation_missing"}));
    assert!(world.slugs("/tools").await.0.contains(&"my-book".to_owned()));
    world.switch(&tool_path("my-book"), false).await;
    world.switch(&tool_path("my-book"), true).await;
    assert_eq!(records(&world).await[0].text, gone_record);
    world.write(Table::Tools, &key, record).await;
    world.write(Table::ToolDocuments, &key, document).await;
    world.restart().await;
    assert_eq!(world.get(&tool_path("my-book")).await, made);
}

/// T002-15: a record of a newer version is kept byte for byte, and is shown as not callable.
#[tokio::test(start_paused = true)]
async fn a_newer_record_is_kept() {
    let world = World::with_bundle().await;
    world.put(&tool_path("weather"), local_body("get_address_book")).await;
    let key = format!("{BUNDLE}/weather/v1");
    for table in [Table::Tools, Table::ToolDocuments] {
        let text = world.table(table).await[0].text.replace("2026-11-01", "2031-01-01");
        world.write(table, &key, &text).await;
    }
    let before = records(&world).await;
    world.restart().await;
    let shown = world.get(&tool_path("weather")).await;
    assert_eq!(
        (&shown["schemaVersion"], &shown["effective"]["reason"]),
        (&json!("2031-01-01"), &json!("newer_schema"))
    );
    world.switch(&tool_path("weather"), false).await;
    assert_eq!(world.call("POST", "/tools/index/rebuild", Value::Null).await.0, 200);
    assert_eq!(records(&world).await, before);
}
