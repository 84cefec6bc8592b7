//! Goals and memories of an agent: kept by its backend's origin, bounded, and told with its requests.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::spaces::{agent, given, plain};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

/// An agent that does with each message what it says: `<type> <params>`.
async fn obedient() -> World {
    let mut number = 0;
    World::answering(move |sent| {
        let Some((kind, params)) = sent.body["content"].as_str().and_then(|said| said.split_once(' ')) else {
            return Answer::events(&[]);
        };
        number += 1;
        let action = plain(&format!("a{number}"), kind, serde_json::from_str(params).unwrap());
        Answer::events(&[("actions", json!({"actions": [action]}))])
    })
    .await
}

/// What the agent's call gave.
async fn does(world: &World, kind: &str, params: Value) -> Value {
    world.say(&format!("{kind} {params}")).await;
    given(world).pop().unwrap()
}

/// What the agent was told of its notes with the last message of the user.
fn context(world: &World) -> Value {
    let sent = world.messages_sent();
    let last = sent.iter().rfind(|sent| sent.body.get("content").is_some()).unwrap();
    last.body["context"].clone()
}

/// The notes under a name, without their times.
fn told(world: &World, name: &str) -> Vec<Value> {
    let notes = context(world)[name].as_array().cloned().unwrap_or_default();
    notes.into_iter().map(|note| without(note, "updatedAt")).collect()
}

/// T004-37: goals are created and changed by id, deleted by id, each entry by itself, and they outlive the worker.
#[tokio::test(start_paused = true)]
async fn goals() {
    let world = obedient().await;
    let entries =
        json!([{"title": "Save"}, {"description": "no title"}, {"title": "Learn", "status": "paused"}, 7]);
    let set = does(&world, "set_goals", json!({"goals": entries})).await;
    let rows = set["results"].as_array().unwrap();
    let good: Vec<bool> = rows.iter().map(|row| row["success"] == true).collect();
    assert_eq!(good, [true, false, true, false]);
    assert!(rows[1]["error"].as_str().unwrap().starts_with("invalid_params: /goals/1/title"), "{set}");
    let (save, learn) = (rows[0]["id"].clone(), rows[2]["id"].clone());
    world.restart().await;
    let changed = json!({"goals": [{"id": save, "status": "done"}, {"id": "unknown", "title": "x"}]});
    let changed = does(&world, "set_goals", changed).await;
    assert_eq!(changed["results"][0], json!({"id": save, "title": "Save", "success": true}));
    assert_eq!(changed["results"][1]["error"], "not_found");
    world.say("hello").await;
    let mut expected = vec![
        json!({"id": save, "title": "Save", "status": "done"}),
        json!({"id": learn, "title": "Learn", "status": "paused"}),
    ];
    assert_eq!(told(&world, "goals"), expected, "the one that was changed last comes first");
    let deleted = does(&world, "delete_goals", json!({"goals": [{"id": save}, {"id": save}]})).await;
    assert_eq!(deleted["results"][0], json!({"id": save, "title": "Save", "success": true}));
    assert_eq!(deleted["results"][1]["error"], "not_found");
    world.say("hello").await;
    expected.remove(0);
    assert_eq!(told(&world, "goals"), expected);
    assert_eq!(world.prompts().await, [Value::Null; 0]);
}

/// T004-38: memories are kept by key: the same key again replaces one, also within one call.
#[tokio::test(start_paused = true)]
async fn memories() {
    let world = obedient().await;
    let set = json!({"memories": [
        {"key": "name", "value": "Ada"}, {"key": "name", "value": "Bela"}, {"key": "a/b", "value": "c"}, {"key": ""}
    ]});
    let set = does(&world, "set_memories", set).await;
    assert_eq!(set["results"][1], json!({"key": "name", "success": true}));
    assert_eq!((&set["results"][3]["success"], &set["results"][2]["success"]), (&json!(false), &json!(true)));
    world.pass(1_000).await;
    does(&world, "set_memories", json!({"memories": [{"key": "name", "value": "Cleo"}]})).await;
    world.restart().await;
    world.say("hello").await;
    let expected = [json!({"key": "name", "value": "Cleo"}), json!({"key": "a/b", "value": "c"})];
    assert_eq!(told(&world, "memories"), expected);
    let keys = json!({"memories": [{"key": "name"}, {"key": "gone"}]});
    let deleted = does(&world, "delete_memories", keys).await;
    assert_eq!(
        (&deleted["results"][0]["success"], &deleted["results"][1]["error"]),
        (&json!(true), &json!("not_found"))
    );
    let last = does(&world, "delete_memories", json!({"memories": [{"key": "a/b"}]})).await;
    assert_eq!(last["results"][0]["success"], true);
    assert_eq!(world.table(Table::AgentNotes).await, []);
    world.say("hello").await;
    assert_eq!(context(&world).get("memories"), None, "without memories nothing is told");
}

/// T004-37, T004-38: notes are of one backend: another agent neither sees nor changes them, and they are told with a result
/// only if they are news.
#[tokio::test(start_paused = true)]
async fn notes_are_of_one_agent() {
    let world = obedient().await;
    let goal =
        does(&world, "set_goals", json!({"goals": [{"title": "Mine"}]})).await["results"][0]["id"].clone();
    let news: Vec<bool> =
        world.messages_sent().iter().map(|sent| sent.body.get("context").is_some()).collect();
    assert_eq!(news, [true, false], "the agent knows what it set");
    does(&world, "skip", json!({})).await;
    let news: Vec<bool> =
        world.messages_sent().iter().map(|sent| sent.body.get("context").is_some()).collect();
    assert_eq!(news, [true, false, true, false], "and is told with the next message");
    world.set_backend(OTHER_URL).await;
    world.begin().await;
    let deleted = does(&world, "delete_goals", json!({"goals": [{"id": goal}]})).await;
    assert_eq!(deleted, json!("not_found"));
    assert_eq!(context(&world).get("goals"), None);
    world.set_backend(URL).await;
    world.begin().await;
    world.say("hello").await;
    assert_eq!(told(&world, "goals").len(), 1, "another conversation with the same backend");
    let page = world.act_once("delete_goals", json!({"goals": [{"id": goal}]})).await;
    assert_eq!(page["error"], "not_found", "a page has notes of its own");
}

/// Notes are bounded in number and size, and so is what is told of them: the newest that fit.
#[tokio::test(start_paused = true)]
async fn notes_are_bounded() {
    let world = obedient().await;
    let many = |count: usize| {
        let memories: Vec<Value> =
            (0..count).map(|n| json!({"key": format!("k{n}"), "value": "x".repeat(500)})).collect();
        json!({"memories": memories})
    };
    let refused = does(&world, "set_memories", many(101)).await;
    assert!(refused.as_str().unwrap().contains("at most 100 entries"), "{refused}");
    assert_eq!(does(&world, "set_memories", many(100)).await["results"][99]["success"], true);
    world.say("hello").await;
    let context = context(&world)["memories"].to_string();
    assert!((20_000..25_000).contains(&context.len()), "{}", context.len());
    let long = json!({"memories": [{"key": "k", "value": "x".repeat(4_001)}]});
    assert!(does(&world, "set_memories", long).await.as_str().unwrap().contains("at most 4000 characters"));
    let goals: Vec<Value> = (0..100).map(|n| json!({"title": format!("g{n}")})).collect();
    does(&world, "set_goals", json!({"goals": goals})).await;
    let over = does(&world, "set_goals", json!({"goals": [{"title": "one more"}]})).await;
    assert_eq!(over, json!("too_many_notes: at most 100 goals are kept"));
}

/// T004-40: notes are silent: nothing of them is in the conversation.
#[tokio::test(start_paused = true)]
async fn notes_are_silent() {
    let actions = json!([
        plain("1", "set_goals", json!({"goals": [{"title": "Save"}]})),
        plain("2", "set_memories", json!({"memories": [{"key": "a", "value": "b"}]})),
        plain("3", "get_plans", json!({})),
    ]);
    let world = agent(&[("go", actions)]).await;
    world.say("go").await;
    assert_eq!((world.results().len(), world.timeline().await.len()), (3, 1));
    assert_eq!(given(&world)[2], json!({"plans": [], "total": 0}));
}
