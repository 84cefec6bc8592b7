//! Arguments that are still on their way: shown as they come, under the id that the call will have.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::sim::raw_backend::RawBackend;
use countersign_tests::sim::scenario::{approving, begin};
use countersign_tests::sim::{Plan, Sim};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// What of a call the pages are told, in order: `started`, the arguments as they grow, and the end.
fn told(events: &[(String, Value)], call_id: &str) -> Vec<Value> {
    let of_call = |(name, data): &(String, Value)| match name.as_str() {
        "tool.started" if data["call"]["id"] == call_id => Some(json!("started")),
        "tool.streaming" if data["callId"] == call_id => Some(data["args"].clone()),
        "tool.done" if data["callId"] == call_id => Some(json!("done")),
        "tool.error" if data["callId"] == call_id => Some(json!("error")),
        _ => None,
    };
    events.iter().filter_map(of_call).collect()
}

async fn events(world: &World) -> Vec<(String, Value)> {
    world.events().await.into_iter().map(|event| (event.name, event.data)).collect()
}

fn event(name: &str, data: Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn input(delta: &str) -> String {
    event("tool_input", json!({"id": "a1", "type": "get_address_book", "delta": delta}))
}

fn typed(data: Value) -> String {
    format!("data: {data}\n\n")
}

fn ends() -> String {
    event("message", json!({"message": {"content": ""}})) + &event("done", json!({}))
}

/// A world whose agent answers messages with these chunks, a second apart.
async fn dripping(chunks: Vec<String>) -> World {
    World::answering(move |sent| match sent.body.get("content") {
        Some(_) => Answer::Drip(chunks.iter().map(|chunk| (1_000, chunk.clone())).collect()),
        None => Answer::events(&[]),
    })
    .await
}

fn action() -> String {
    event("actions", json!({"actions": [action_of()]}))
}

fn action_of() -> Value {
    json!({"id": "a1", "type": "get_address_book", "params": {"query": "ada", "chain": "Ethereum"}})
}

const PARTS: [&str; 4] = ["{\"que", "ry\":\"a", "da\",\"chain\":", "\"Ethereum\"}"];

fn announced() -> Vec<String> {
    let mut chunks: Vec<String> = PARTS.iter().map(|part| input(part)).collect();
    chunks.push(action());
    chunks.push(ends());
    chunks
}

/// T004-63, T004-66: started, the arguments as they grow, whole at the end, and then the call, under one id.
#[tokio::test(start_paused = true)]
async fn arguments_grow_into_the_call() {
    let world = dripping(announced()).await;
    world.say("go").await;
    world.pass(10_000).await;
    let [call] = world.calls().await.try_into().unwrap();
    let id = call["id"].as_str().unwrap();
    let mut seen = told(&events(&world).await, id);
    seen.retain(|one| *one != "done");
    let whole = json!({"query": "ada", "chain": "Ethereum"});
    assert_eq!(
        seen,
        [json!("started"), json!({"query": "a"}), json!({"query": "ada"}), whole.clone(), whole.clone()]
    );
    assert_eq!((&call["params"], &call["state"]["name"]), (&whole, &json!("done")));
    let started = events(&world).await.into_iter().find(|(name, _)| name == "tool.started").unwrap().1;
    assert_eq!(started["call"]["actionId"], "a1");
    assert_eq!(started["call"]["runId"], call["runId"]);
    assert_eq!(world.results().len(), 1);
    let left = world
        .table(Table::Counters)
        .await
        .into_iter()
        .filter(|row| row.key.starts_with("tool-input/"))
        .count();
    assert_eq!(left, 0);
}

/// T004-63: the same in the dialect without names.
#[tokio::test(start_paused = true)]
async fn arguments_in_the_other_dialect() {
    let delta =
        |text: &str| typed(json!({"type": "tool-input-delta", "toolCallId": "a1", "inputTextDelta": text}));
    let mut chunks =
        vec![typed(json!({"type": "tool-input-start", "toolCallId": "a1", "toolName": "get_address_book"}))];
    chunks.extend(PARTS.iter().map(|part| delta(part)));
    chunks.push(typed(json!({"type": "data-actions", "data": {"actions": [action_of()]}})));
    chunks.push(typed(json!({"type": "finish"})));
    let world = dripping(chunks).await;
    world.say("go").await;
    world.pass(10_000).await;
    let [call] = world.calls().await.try_into().unwrap();
    let seen = told(&events(&world).await, call["id"].as_str().unwrap());
    assert_eq!(seen[..3], [json!("started"), json!({"query": "a"}), json!({"query": "ada"})]);
}

/// T004-66: a page that opens late has the arguments so far in its snapshot; they are gone when the call is there.
#[tokio::test(start_paused = true)]
async fn late_page_has_a_snapshot() {
    let world = dripping(announced()).await;
    world.post_message("go").await;
    world.pass(2_500).await;
    let target = format!("/api/conversations/{}/messages", world.conversation_id());
    let inputs = world.get(&target).await["inputs"].clone();
    let id = inputs[0]["callId"].clone();
    assert_eq!(inputs, json!([{"callId": id, "name": "get_address_book", "args": {"query": "a"}}]));
    world.pass(10_000).await;
    let page = world.get(&target).await;
    assert_eq!((&page["inputs"], &page["items"][1]["call"]["id"]), (&json!([]), &id));
}

/// T004-66: what is announced and never comes ends in an error, once; the answer's end decides.
#[tokio::test(start_paused = true)]
async fn lost_arguments_end_in_an_error() {
    let world = dripping(vec![input("{\"query\":\"x"), ends()]).await;
    world.say("go").await;
    world.pass(10_000).await;
    let all = events(&world).await;
    let id = all.iter().find(|(name, _)| name == "tool.started").unwrap().1["call"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(told(&all, &id), [json!("started"), json!({"query": "x"}), json!("error")]);
    let error = all.into_iter().find(|(name, _)| name == "tool.error").unwrap().1;
    assert_eq!(error["error"], "arguments_lost: the answer ended before the action was there");
    assert_eq!(world.calls().await, [Value::Null; 0]);
    world.say("again").await;
    world.pass(10_000).await;
    let errors = events(&world).await.iter().filter(|(name, _)| name == "tool.error").count();
    assert_eq!(errors, 2, "another answer, another input");
}

/// T004-63: an answer that is read again after a death tells nothing twice.
#[tokio::test(start_paused = true)]
async fn reading_again_tells_nothing_twice() {
    for seconds in 1..7 {
        let world = dripping(announced()).await;
        world.post_message("go").await;
        world.pass(seconds * 1_000 + 500).await;
        world.restart().await;
        world.pass(60_000).await;
        let [call] = world.calls().await.try_into().unwrap();
        let mut seen = told(&events(&world).await, call["id"].as_str().unwrap());
        seen.retain(|one| *one != "done");
        let whole = json!({"query": "ada", "chain": "Ethereum"});
        assert_eq!(
            seen,
            [json!("started"), json!({"query": "a"}), json!({"query": "ada"}), whole.clone(), whole],
            "{seconds}"
        );
    }
}

/// Inputs are bounded in number and size, and garbage is no input; the action counts in any case.
#[tokio::test(start_paused = true)]
async fn inputs_are_bounded() {
    let long = "x".repeat(300 << 10);
    let mut chunks = vec![input("{\"query\":\""), input(&long), input("}}}%%")];
    for number in 0..150 {
        chunks.push(event("tool_input", json!({"id": format!("n{number}"), "type": "skip", "delta": "{"})));
    }
    chunks.push(event("tool_input", json!({"id": "", "type": "x"})));
    chunks.push(event("tool_input", json!({"id": "no-type", "delta": "{}"})));
    chunks.push(action());
    chunks.push(ends());
    let world = dripping(vec![chunks.concat()]).await;
    world.say("go").await;
    world.pass(10_000).await;
    let all = events(&world).await;
    let started = all.iter().filter(|(name, _)| name == "tool.started").count();
    let errors = all.iter().filter(|(name, _)| name == "tool.error").count();
    assert_eq!((started, errors), (100, 99), "one of them came");
    assert_eq!(world.calls().await[0]["params"]["query"], "ada");
}

/// T004-66: a silent tool's arguments are no part of the conversation's snapshot.
#[tokio::test(start_paused = true)]
async fn silent_arguments_are_not_shown() {
    let send = event(
        "tool_input",
        json!({"id": "s", "type": "set_memories", "delta": "{\"memories\":[{\"key\":\"a"}),
    );
    let world = dripping(vec![send, event("text_delta", json!({"delta": "…"})), ends()]).await;
    world.post_message("go").await;
    world.pass(1_500).await;
    let target = format!("/api/conversations/{}/messages", world.conversation_id());
    assert_eq!(world.get(&target).await["inputs"], json!([]));
    let started = events(&world).await.into_iter().find(|(name, _)| name == "tool.started").unwrap().1;
    assert_eq!(started["call"]["visible"], false);
}

fn play(plan: &Plan) -> u64 {
    let mut body: String = PARTS.iter().map(|part| input(part)).collect();
    body.push_str(&event("tool_input", json!({"id": "lost", "type": "t", "delta": "{\"a\":1,"})));
    body.push_str(&action());
    body.push_str(&ends());
    let backend = Rc::new(RefCell::new(RawBackend::new("text/event-stream", body.into_bytes(), 3)));
    let sim = Sim::new(plan, backend.clone());
    let conversation = begin(&sim, false, &json!({}));
    sim.arm();
    sim.run(&mut approving(conversation, 7));
    let points = sim.points();
    sim.disarm();
    let events: Vec<(String, Value)> = sim
        .rows(Table::Events)
        .iter()
        .map(|row| serde_json::from_str::<Value>(&row.text).unwrap())
        .map(|event| (event["event"].as_str().unwrap().to_owned(), event["data"].clone()))
        .collect();
    let ids: Vec<&str> = events
        .iter()
        .filter(|(name, _)| name == "tool.started")
        .map(|(_, data)| data["call"]["id"].as_str().unwrap())
        .collect();
    let [call, lost] = ids.as_slice() else { panic!("{plan:?}: {ids:?}") };
    let mut seen = told(&events, call);
    seen.retain(|one| *one != "done");
    assert_eq!(seen[0], json!("started"), "{plan:?}");
    assert_eq!(seen.last(), Some(&json!({"query": "ada", "chain": "Ethereum"})), "{plan:?}");
    assert!(
        seen[1..].windows(2).all(|pair| pair[0].to_string().len() <= pair[1].to_string().len()),
        "{plan:?}"
    );
    assert_eq!(told(&events, lost).iter().filter(|one| **one == "error").count(), 1, "{plan:?}");
    let calls: Vec<String> = sim.rows(Table::Calls).into_iter().map(|row| row.key).collect();
    assert_eq!(calls, [(*call).to_owned()], "{plan:?}");
    let left = sim.rows(Table::Counters).into_iter().filter(|row| row.key.starts_with("tool-input/")).count();
    assert_eq!((left, sim.failures()), (0, vec![]), "{plan:?}");
    let mut results = backend.borrow().results.clone();
    results.dedup();
    assert_eq!(results.len(), 1, "{plan:?}");
    points
}

/// T004-66: a death, a failed access or a second worker at every point: one start, one end, one call under the id that was
/// announced.
#[test]
fn inputs_at_every_point() {
    let points = play(&Plan::undisturbed());
    for (_, _, _, plan) in Plan::each_incident_at_each_of(points) {
        play(&plan);
    }
    println!("{points} points, four incidents");
}
