//! The browser's own idle timer, which a debugger would stop: no driver is attached while it runs.

use crate::world::{DEMO, PATIENCE, World};
use agent_backend::{At, Fault};
use serde_json::json;
use std::time::Duration;
use webdriver::until;

/// The browser stops a worker after 30 s without an event or an extension call; a stream does not count.
const PAST_THE_IDLE_LIMIT: Duration = Duration::from_secs(50);

/// A worker that reads an answer is not stopped as idle, however slow the agent, with no page open.
#[tokio::test]
async fn slow_answer_is_read_to_its_end() {
    let mut world = World::new(DEMO).await;
    world.agent.stop().await;
    let conversation = world.say("hello").await;
    world.agent.set_fault(Fault::stall(At::AfterEvent(1)));
    world.agent.restart().await.unwrap();
    world.browser.leave_alone().await.unwrap();
    world.agent.wait_for(|state| (state.held() > 0).then_some(()), PATIENCE).await.unwrap();
    let asked = world.agent.requests().len();
    // The only fixed wait in these suites: it proves that nothing happens during this time.
    tokio::time::sleep(PAST_THE_IDLE_LIMIT).await;
    assert_eq!(
        (world.agent.held(), world.agent.requests().len()),
        (1, asked),
        "the worker dropped the stream"
    );
    world.agent.clear_faults();
    world.agent.release();

    world.browser.crash().await.unwrap();
    world.popup = world.browser.popup().await.unwrap();
    until("the whole answer", PATIENCE, async || {
        let timeline = world.get(&format!("/api/conversations/{conversation}/messages")).await;
        let last = timeline["items"].as_array()?.last()?["message"].clone();
        (last["role"] == "agent" && last["state"] == json!("done")).then_some(())
    })
    .await
    .unwrap();
}
