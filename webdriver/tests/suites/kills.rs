//! The worker is killed at every stage of a conversation, many times: every action runs exactly once and the backend
//! gets every result.

use crate::world::{PATIENCE, World};
use agent_backend::{At, Fault};
use serde_json::json;
use webdriver::until;

/// Number of kills at each stage.
const ROUNDS: usize = 10;

/// Three actions: two that add a contact and one that reads.
const THREE: &str = r#"
name = "Three"
[[turn]]
when.message = "go"
text = "Saving two."
actions = [
  '''{"id": "{{uuid:one}}", "type": "add_address_book", "title": "One", "auto_execute": true,
      "params": {"entries": [{"title": "{{message}} one", "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Ethereum"}]}}''',
  '''{"id": "{{uuid:two}}", "type": "address_book_add", "title": "Two", "auto_execute": true,
      "params": {"name": "{{message}} two", "address": "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", "chain": "Solana"}}''',
  '''{"id": "{{uuid:look}}", "type": "get_address_book", "title": "Look", "params": {"query": "{{message}}"}}''',
]
[[turn]]
when.last_result = true
text = "All done."
"#;

/// Checks a round: the three results once and in order, both contacts once, the agent's last message on the timeline.
async fn check(world: &World, conversation: &str, round: usize, before: usize) {
    let results = world.results(before + 3).await;
    let new: Vec<(String, bool)> =
        results.iter().skip(before).map(|result| (result.action.clone(), result.success)).collect();
    let expected = ["add_address_book", "address_book_add", "get_address_book"];
    assert_eq!(new, expected.map(|action| (action.to_owned(), true)), "round {round}");
    assert_eq!(results[before + 2].data.as_ref().unwrap()["total_count"], json!(2), "round {round}");
    let path = format!("/api/conversations/{conversation}/messages");
    until("the agent's last message", PATIENCE, async || {
        let timeline = world.get(&path).await;
        let last = timeline["items"].as_array()?.last()?["message"].clone();
        (last["content"] == "All done." && last["state"] == "done").then_some(())
    })
    .await
    .unwrap();
    let titles = world.stored_titles().await;
    let mine: Vec<&String> =
        titles.iter().filter(|title| title.starts_with(&format!("go {round} "))).collect();
    assert_eq!(mine, [&format!("go {round} one"), &format!("go {round} two")]);
    assert_eq!(world.agent.violations(), Vec::<String>::new(), "round {round}");
}

async fn kill(world: &World) {
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
}

/// T000-2, T000-17: killed during the stream, after its text and before its actions are complete.
#[tokio::test]
async fn during_the_stream() {
    let world = World::new(THREE).await;
    for round in 0..ROUNDS {
        let before = world.arrived();
        world.agent.set_fault(Fault::stall(if round % 2 == 0 {
            At::AfterEvent(1)
        } else {
            At::InsideEvent(3)
        }));
        let conversation = world.say(&format!("go {round}")).await;
        world.agent.wait_for(|state| (state.held() > 0).then_some(()), PATIENCE).await.unwrap();
        kill(&world).await;
        world.agent.clear_faults();
        world.agent.release();
        check(&world, &conversation, round, before).await;
    }
}

/// T000-2, T000-9: killed when the actions are stored and none has run. The test holds the conversation's lock, so
/// that the worker waits at this point.
#[tokio::test]
async fn after_the_actions_arrived() {
    let world = World::new(THREE).await;
    for round in 0..ROUNDS {
        let before = world.arrived();
        let id = world.conversation().await;
        world.hold_lane(&id).await;
        world.say_in(&id, &format!("go {round}")).await;
        world.calls(&id, "received", 3).await;
        let none = world
            .stored_titles()
            .await
            .iter()
            .filter(|title| title.starts_with(&format!("go {round} ")))
            .count();
        assert_eq!(none, 0, "an action ran too early");
        kill(&world).await;
        world.release_lane().await;
        check(&world, &id, round, before).await;
    }
}

/// T000-17: killed when every action has run and the backend refuses the results.
#[tokio::test]
async fn after_execution_before_delivery() {
    let world = World::new(THREE).await;
    for round in 0..ROUNDS {
        let before = world.arrived();
        world.agent.set_fault(Fault::status(503).on_results());
        let conversation = world.say(&format!("go {round}")).await;
        world.calls(&conversation, "done", 3).await;
        assert_eq!(world.arrived(), before);
        kill(&world).await;
        world.agent.clear_faults();
        check(&world, &conversation, round, before).await;
    }
}

/// T000-17: killed when the backend has a result and has not acknowledged it.
#[tokio::test]
async fn during_delivery_before_the_acknowledgement() {
    let world = World::new(THREE).await;
    for round in 0..ROUNDS {
        let before = world.arrived();
        world.agent.set_fault(Fault::hold_results().times(1));
        let conversation = world.say(&format!("go {round}")).await;
        world.agent.wait_for(|state| (state.held() > 0).then_some(()), PATIENCE).await.unwrap();
        kill(&world).await;
        world.agent.clear_faults();
        world.agent.release();
        check(&world, &conversation, round, before).await;
    }
    assert!(world.agent.results().iter().any(|result| result.repeat), "no result was sent again");
}
