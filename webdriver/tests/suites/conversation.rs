//! An agent's proposals in a real browser: five actions, their results at the backend, and the popup's view of them.

use crate::world::{DEMO, DEMO_OUTLINE, PATIENCE, World, outline};
use serde_json::json;
use webdriver::until;

/// T000-1, T000-3, T000-9, T000-11, T000-12, T000-13, T000-14, T000-17, T000-88, T000-111: five actions, one of them
/// malformed and one of an unknown type, legacy and new forms mixed: five results in order at the backend, three
/// contacts in IndexedDB, and the popup shows all five.
#[tokio::test]
async fn five_actions_five_results() {
    let world = World::new(DEMO).await;
    world.popup.go("agent").await.unwrap();
    world.popup.send_message("please save my contacts").await.unwrap();
    let results = world.results(5).await;
    assert_eq!(results.iter().map(outline).collect::<Vec<_>>(), DEMO_OUTLINE);
    assert_eq!(results[4].data.as_ref().unwrap()["total_count"], json!(3));
    assert_eq!(world.stored_titles().await, ["Alice", "Bob", "Carol"]);
    let cards = world.popup.settled_cards(5).await.unwrap();
    let states: Vec<&str> = cards.iter().map(|card| card.state.as_str()).collect();
    assert_eq!(states, ["done", "done", "failed", "failed", "done"]);
    let ids: Vec<&String> = results.iter().map(|result| &result.action_id).collect();
    assert_eq!(cards.iter().map(|card| &card.action_id).collect::<Vec<_>>(), ids);
    until("the agent's summary", PATIENCE, async || {
        let messages = world.popup.messages().await.ok()?;
        messages
            .last()
            .filter(|said| said.role == "agent" && said.text.contains("Contacts in your address book: 3"))
            .cloned()
    })
    .await
    .unwrap();
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}
