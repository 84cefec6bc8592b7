//! The agent that asks a language model, behind the whole wallet. The model is a strict stand-in.

#[path = "../../../crate/agent-backend/tests/stand_in/mod.rs"]
mod stand_in;

use agent_backend::llm::{Api, Endpoint, Key, LlmAgent, LlmOptions};
use countersign_tests::world::{ALICE, World};
use serde_json::{Value, json};
use stand_in::{KEY, Say, StandIn, Turn};
use std::sync::Arc;

fn said(text: &str) -> Say {
    Say::Turn(Turn::said(text))
}

fn call(text: &str, id: &str, name: &str, params: &Value) -> Say {
    Say::Turn(Turn::said(text).call(id, name, &params.to_string()))
}

#[allow(clippy::unwrap_used, reason = "a test's support fails by panicking")]
async fn world(api: Api, says: Vec<Say>) -> (World, StandIn) {
    let url = match api {
        Api::OpenAi => "http://127.0.0.1:11434",
        Api::Anthropic => "https://api.anthropic.com",
    };
    let mut options = LlmOptions::new(Endpoint::new(url, None).unwrap(), "model-1");
    options.key = Some(Key::new(KEY));
    let model = StandIn::new(api, says);
    (World::with_llm(LlmAgent::new(options, Arc::new(model.clone()))).await, model)
}

/// "Add a contact" goes from words to an action, the user's tap, the result, and the model's last word.
#[tokio::test(start_paused = true)]
async fn adds_a_contact() {
    let alice = json!({"entries": [{"title": "Alice", "address": ALICE, "chain": "Ethereum"}]});
    for api in [Api::OpenAi, Api::Anthropic] {
        let says =
            vec![call("I'll save Alice.", "call_1", "add_address_book", &alice), said("Alice is saved.")];
        let (world, model) = world(api, says).await;
        world.say("Save Alice as a contact").await;
        world.settle().await;
        // Without a tap nothing is saved, and the model is not asked.
        assert_eq!((world.book().await, model.asked().len()), (vec![], 1));
        assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
        world.settle().await;

        let titles: Vec<Value> = world.book().await.iter().map(|entry| entry["title"].clone()).collect();
        assert_eq!(titles, ["Alice"]);
        let said: Vec<Value> = world.messages().await.into_iter().map(|message| message[1].clone()).collect();
        assert_eq!(said, ["Save Alice as a contact", "I'll save Alice.", "Alice is saved."]);
        assert_eq!(world.results().len(), 1);
        assert_eq!(model.broken(), [] as [&str; 0]);
        let asked = model.asked();
        assert!(asked[0]["tools"].to_string().contains("sign_transaction_bundle"));
        assert!(asked[1]["messages"].to_string().contains("call_1"));
    }
}

/// What the user rejects is told to the model as not done.
#[tokio::test(start_paused = true)]
async fn rejection_reaches_the_model() {
    let alice = json!({"entries": [{"title": "Alice", "address": ALICE, "chain": "Ethereum"}]});
    for api in [Api::OpenAi, Api::Anthropic] {
        let says = vec![call("", "c", "add_address_book", &alice), said("Not saved, then.")];
        let (world, model) = world(api, says).await;
        world.say("Save Alice").await;
        world.settle().await;
        assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
        world.settle().await;
        assert_eq!(world.book().await, [] as [Value; 0]);
        assert_eq!(world.messages().await.last().unwrap()[1], json!("Not saved, then."));
        assert!(model.asked()[1]["messages"].to_string().contains("rejected_by_user"));
        assert_eq!(model.broken(), [] as [&str; 0]);
    }
}

/// A worker that dies while the model speaks reads the same answer again: the model is asked once, the action runs once.
#[tokio::test(start_paused = true)]
async fn restart_asks_the_model_once() {
    for steps in 1..12 {
        let read = call("Looking.", "c", "get_address_book", &json!({}));
        let (world, model) = world(Api::OpenAi, vec![read, said("It is empty.")]).await;
        world.restart_while_reading(steps).await;
        world.pass(60_000).await;
        assert_eq!((model.asked().len(), world.calls().await.len()), (2, 1), "{steps}");
        let messages = world.messages().await;
        let times = |text: &str| messages.iter().filter(|message| message[1] == text).count();
        assert_eq!(["Looking.", "It is empty."].map(times), [1, 1], "{steps}: {messages:?}");
    }
}
