//! A core whose later part cannot be loaded: what needs it is refused and changes nothing, everything else works, and the next
//! attempt loads it.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};

fn unavailable() -> (u16, String) {
    (503, "part_unavailable".to_owned())
}

#[tokio::test(start_paused = true)]
async fn refused_requests_change_nothing() {
    let world = World::new().await;
    world.browser.set_later_unavailable(true);
    let before = world.records().await;
    for (method, target, body) in [
        ("GET", "/tools".to_owned(), Value::Null),
        ("PUT", bundle_path(BUNDLE), bundle_body()),
        ("GET", "/api/secrets".to_owned(), Value::Null),
        ("PATCH", "/api/settings".to_owned(), json!({"allowedHosts": ["example.org"]})),
        ("POST", "/api/vaults".to_owned(), json!({})),
        ("GET", "/api/audit/check".to_owned(), Value::Null),
    ] {
        assert_eq!(world.refused(method, &target, body).await, unavailable(), "{method} {target}");
    }
    assert_eq!(world.records().await, before);
    world.browser.set_later_unavailable(false);
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    assert_eq!(world.get("/api/secrets").await, json!({"secrets": []}));
}

/// What is compiled in, is signed or is read at a start needs no later part.
#[tokio::test(start_paused = true)]
async fn built_in_tools_need_no_later_part() {
    let world = World::proposing(json!([read_book("a1")])).await;
    world.restart().await;
    world.browser.set_later_unavailable(true);
    world.save(&[("Alice", ALICE, "Ethereum")]).await;
    assert_eq!(world.book().await.len(), 1);
    world.say("go").await;
    assert_eq!(world.results().len(), 1, "the agent is told");
    for target in ["/api/health", "/api/settings", "/api/vaults", "/api/policy", "/api/prompts", "/api/calls"]
    {
        world.get(target).await;
    }
}

/// A call of a stored tool is not ended for it: it is taken up again, and runs once.
#[tokio::test(start_paused = true)]
async fn stored_tool_is_called_once_the_part_is_there() {
    let world = World::with_bundle().await;
    world.put(&tool_path("my-book"), local_body("get_address_book")).await;
    world.restart().await;
    world.browser.set_later_unavailable(true);
    let action = json!({"id": "1", "type": "my_book", "params": {}, "auto_execute": true});
    let (status, accepted) =
        world.call("POST", "/api/actions?wait=false", json!({"actions": [action]})).await;
    assert_eq!(status, 202, "{accepted}");
    let path = format!("/api/calls/{}", accepted["callIds"][0].as_str().unwrap());
    world.settle().await;
    assert_eq!(world.get(&path).await["state"], json!({"name": "received"}));
    world.browser.set_later_unavailable(false);
    world.pass(10 * 60 * 1000).await;
    let call = world.get(&path).await;
    assert_eq!(
        (&call["state"]["name"], &call["state"]["result"]["success"]),
        (&json!("done"), &json!(true)),
        "{call}"
    );
}
