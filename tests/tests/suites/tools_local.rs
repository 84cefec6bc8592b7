//! Local tools: functions that are compiled in, under names, schemas and switches of the user's.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};

/// A world with a local tool `my-contacts` for this function.
async fn with_local(function: &str, schema: Value) -> World {
    let world = World::with_bundle().await;
    let mut body = local_body(function);
    body["argSchema"] = schema;
    world.put(&tool_path("my-contacts"), body).await;
    world
}

async fn invoke(world: &World, args: Value) -> (u16, Value) {
    world.call("POST", &format!("{}/invoke", tool_path("my-contacts")), json!({ "args": args })).await
}

fn contact(title: &str) -> Value {
    json!({"title": title, "address": "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", "chain": "Ethereum"})
}

/// T002-1, T002-9, T002-69: a local tool runs its function with the arguments of the call, in this vault, without the
/// network.
#[tokio::test(start_paused = true)]
async fn a_local_tool_runs_its_function() {
    let schema = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    let world = with_local("get_address_book", schema).await;
    let entries = json!([contact("Ada"), contact("Bela")]);
    let added = json!({"actions": [{"id": "a", "type": "add_address_book", "params": {"entries": entries}, "auto_execute": true}]});
    let (_, answer) = world.call("POST", "/api/actions", added).await;
    assert_eq!(answer["results"][0]["success"], true, "{answer}");
    for (args, titles) in [(json!({"query": "bel"}), vec!["Bela"]), (json!({}), vec!["Ada", "Bela"])] {
        let (status, answer) = invoke(&world, args).await;
        assert_eq!((status, &answer["ok"]), (200, &json!(true)), "{answer}");
        let found: Vec<&str> = answer["value"]["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["title"].as_str().unwrap())
            .collect();
        assert_eq!(found, titles);
    }
    assert!(world.node_calls().is_empty());
    assert_eq!(world.get(&tool_path("my-contacts")).await["metrics"]["callCount"], 2);
}

/// T002-69: the schema of the record is asked first, then the function's own.
#[tokio::test(start_paused = true)]
async fn both_schemas_hold() {
    let schema = json!({"type": "object", "properties": {"query": {"enum": ["ada", 7]}}});
    let world = with_local("get_address_book", schema).await;
    for (args, status) in
        [(json!({"query": "bela"}), 400), (json!({"query": 7}), 400), (json!({"query": "ada"}), 200)]
    {
        let (answered, answer) = invoke(&world, args.clone()).await;
        assert_eq!(answered, status, "{args}: {answer}");
        if status == 400 {
            assert_eq!(answer["error"]["path"], "/args/query", "{answer}");
        }
    }
}

/// What a function demands is not lost under another name: one that changes something does not become one that reads.
#[tokio::test(start_paused = true)]
async fn another_name_takes_no_caution_away() {
    let params = json!({"entries": [contact("Ada")]});
    let world = World::proposing(json!([{"id": "a1", "type": "my_contacts", "params": params}])).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    let mut body = local_body("add_address_book");
    body["category"] = json!("read");
    world.put(&tool_path("my-contacts"), body).await;
    world.say("go").await;
    let [prompt] = world.prompts().await.try_into().unwrap();
    assert_eq!(prompt["kind"], "confirmation_required");
    world.answer(json!({"approve": true})).await;
    let [result] = world.results().try_into().unwrap();
    assert_eq!(result["success"], true, "{result}");
}

/// T002-40, T003-11: a version is a label: any word is one, semantic versions among them, and no list orders by it.
#[tokio::test(start_paused = true)]
async fn versions_have_no_order() {
    let world = World::with_bundle().await;
    let made = ["v2", "v10", "1.4.0-rc.1", "v9", "1.10.0"];
    for version in made {
        let tool = world.put(&path_of(BUNDLE, "weather", version), tool_body(json!({}))).await;
        assert_eq!(tool["version"], version);
        world.pass(1_000).await;
    }
    let page = world.get("/tools?includeDisabled=true").await;
    let listed: Vec<&str> = page["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["slug"] == "weather")
        .map(|tool| tool["version"].as_str().unwrap())
        .collect();
    let newest_first: Vec<&str> = made.iter().rev().copied().collect();
    assert_eq!(listed, newest_first);
}
