//! A worker that dies at every step of an MCP call: the tool is executed once at most, and the call has exactly one outcome.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::mcp_asks::agent;
use crate::mcp_servers::{begin, result, with_server};
use countersign_tests::mcp::*;
use serde_json::{Value, json};

const ERAS: [Speaks; 2] = [Speaks::Modern, Speaks::Legacy];

/// M16: wherever the worker dies, a tool is executed once at most; the agent gets one result, which is unknown where the tool
/// may have been executed and its answer is gone.
#[tokio::test(start_paused = true)]
async fn at_every_step() {
    for speaks in ERAS {
        let mut seen = Vec::new();
        for steps in 0..120 {
            let (world, peer) = agent(speaks, "echo", json!({"text": "hi"})).await;
            world.allow_mcp("echo").await;
            world.post_message("go").await;
            world.steps(steps).await;
            world.restart().await;
            world.pass(5_000).await;
            if let [_] = world.prompts().await.as_slice() {
                world.answer(json!({"approve": true})).await;
            }
            world.pass(60_000).await;
            let results = world.results();
            let [result] = results.as_slice() else { panic!("{speaks:?} {steps}: {results:?}") };
            let executed = peer.borrow().executed.len();
            let unknown = result["error"].as_str().is_some_and(|error| error.starts_with("outcome_unknown"));
            assert!(executed <= 1 && (result["success"] == true || unknown), "{speaks:?} {steps}: {result}");
            assert!(result["success"] != true || executed == 1, "{steps}");
            seen.push(unknown);
        }
        assert!(seen.contains(&false), "{speaks:?}");
    }
}

/// A stream that is open when the worker dies is taken up where the server gave ids; the call is not sent again.
#[tokio::test(start_paused = true)]
async fn an_open_stream_is_taken_up() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    world.allow_mcp("slow").await;
    let id = begin(&world, "peer__slow", json!({})).await;
    world.restart().await;
    world.settle().await;
    peer.borrow_mut().finish(text("done"));
    world.pass(5_000).await;
    assert_eq!((result(&world, &id).await["data"].clone(), peer.borrow().executed.len()), (text("done"), 1));
    let resumed = world.node_calls().into_iter().filter(|call| call.method == "GET").count();
    assert_eq!(resumed, 1);
}

/// M16: where there are no ids, or the era has none, the outcome of an open stream is unknown after the worker's death.
#[tokio::test(start_paused = true)]
async fn an_open_stream_is_unknown() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        peer.borrow_mut().resumable = false;
        world.allow_mcp("silent").await;
        let id = begin(&world, "peer__silent", json!({})).await;
        world.restart().await;
        world.pass(5_000).await;
        let ended = result(&world, &id).await;
        assert!(ended["error"].as_str().unwrap().starts_with("outcome_unknown"), "{ended}");
        assert_eq!(peer.borrow().executed.len(), 1);
    }
}

/// M13: a question outlives the worker; the answer reaches the server once, also if the worker dies right after it.
#[tokio::test(start_paused = true)]
async fn an_open_question() {
    for speaks in ERAS {
        for steps in 0..40 {
            let (world, peer) = with_server(speaks).await;
            world.allow_mcp("ask").await;
            let id = begin(&world, "peer__ask", json!({})).await;
            world.restart().await;
            world.settle().await;
            let [prompt] = world.prompts().await.try_into().unwrap();
            let (status, _) =
                world.answer_prompt(&prompt, json!({"approve": true, "content": {"name": "Ann"}})).await;
            assert_eq!(status, 200);
            world.steps(steps).await;
            world.restart().await;
            world.pass(60_000).await;
            let ended = result(&world, &id).await;
            let unknown = ended["error"].as_str().is_some_and(|error| error.starts_with("outcome_unknown"));
            assert!(ended["success"] == true || unknown, "{speaks:?} {steps}: {ended}");
            let given: Vec<Value> = peer.borrow().executed.iter().map(|(_, given)| given.clone()).collect();
            let accepted = json!({"action": "accept", "content": {"name": "Ann", "age": 30}});
            assert!(given.iter().all(|given| *given == accepted), "{speaks:?} {steps}: {given:?}");
            assert!(speaks == Speaks::Legacy || given.len() <= 1, "{speaks:?} {steps}: {given:?}");
        }
    }
}

/// Two workers at the same time send a call once.
#[tokio::test(start_paused = true)]
async fn two_workers() {
    for speaks in ERAS {
        let (world, peer) = agent(speaks, "echo", json!({})).await;
        world.allow_mcp("echo").await;
        world.say("go").await;
        let other = world.another_core();
        let prompts = world.prompts().await;
        if let [prompt] = prompts.as_slice() {
            world.answer_prompt(prompt, json!({"approve": true})).await;
        }
        let _resumed = world.run(other.resume()).await;
        world.settle().await;
        assert_eq!((peer.borrow().executed.len(), world.results().len()), (1, 1), "{speaks:?}");
    }
}
