//! Set-up of every suite: an agent that follows a script, and a browser whose wallet uses it.

pub(crate) mod bundle;
pub(crate) mod chains;
pub(crate) mod dapp;
pub(crate) mod mcp;
pub(crate) mod run;
pub(crate) mod tools;
pub(crate) mod vault;

use agent_backend::{Agent, Options as AgentOptions, ReceivedResult, Script};
use serde_json::{Value, json};
use std::time::Duration;
use webdriver::{Browser, Options, Popup, until};

/// Timeout for steps that take milliseconds on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

pub(crate) struct World {
    pub(crate) agent: Agent,
    pub(crate) browser: Browser,
    pub(crate) popup: Popup,
}

/// The demo's script: five actions for a message with "contacts", then a summary.
pub(crate) const DEMO: &str = include_str!("../../../../crate/agent-backend/scripts/demo.toml");

impl World {
    pub(crate) async fn new(script: &str) -> Self {
        Self::scripted(Script::parse(script).unwrap()).await
    }

    pub(crate) async fn scripted(script: Script) -> Self {
        let agent = Agent::start(script, AgentOptions::default()).await.unwrap();
        let browser = Browser::launch(Options::from_env().unwrap()).await.unwrap();
        let popup = browser.popup().await.unwrap();
        let world = Self { agent, browser, popup };
        let (status, settings) = world
            .api(
                "PATCH",
                "/api/settings",
                json!({"backend": {"url": world.agent.url()}, "endpoints": unreachable_endpoints()}),
            )
            .await;
        assert_eq!((status, &settings["backend"]["url"]), (200, &json!(world.agent.url())));
        world
    }

    pub(crate) async fn api(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let body = (!body.is_null()).then_some(body);
        self.popup.fetch(method, path, body).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let (status, body) = self.api("GET", path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Starts a conversation by the API and sends a message. Returns the conversation's id.
    pub(crate) async fn say(&self, text: &str) -> String {
        let id = self.conversation().await;
        self.say_in(&id, text).await;
        id
    }

    /// The results without repeats, once there are this many.
    pub(crate) async fn results(&self, count: usize) -> Vec<ReceivedResult> {
        let first = |results: &[ReceivedResult]| -> Vec<ReceivedResult> {
            results.iter().filter(|result| !result.repeat).cloned().collect()
        };
        self.agent
            .wait_for(|state| Some(first(state.results())).filter(|results| results.len() >= count), PATIENCE)
            .await
            .unwrap()
    }

    /// The number of results without repeats.
    pub(crate) fn arrived(&self) -> usize {
        self.agent.results().iter().filter(|result| !result.repeat).count()
    }

    /// Waits until this many calls of a conversation are in a state.
    pub(crate) async fn calls(&self, conversation: &str, state: &str, count: usize) {
        until(&format!("{count} calls that are {state}"), PATIENCE, async || {
            let timeline = self.get(&format!("/api/conversations/{conversation}/messages")).await;
            let inside = |item: &&Value| item["call"]["state"]["name"] == state;
            (timeline["items"].as_array()?.iter().filter(inside).count() == count).then_some(())
        })
        .await
        .unwrap();
    }

    /// The open prompts, once there are this many.
    pub(crate) async fn prompts(&self, count: usize) -> Vec<Value> {
        until(&format!("{count} open prompts"), PATIENCE, async || {
            let prompts = self.get("/api/prompts").await["prompts"].as_array()?.clone();
            (prompts.len() == count).then_some(prompts)
        })
        .await
        .unwrap()
    }

    /// The text on the extension's icon; the worker must be running.
    pub(crate) async fn badge(&self) -> String {
        let text = self.browser.evaluate_in_worker("chrome.action.getBadgeText({})").await.unwrap();
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Makes the worker wait before the next call of a conversation, until [`World::release_lane`].
    pub(crate) async fn hold_lane(&self, conversation: &str) {
        let hold = "window.letGo = undefined; return new Promise((held) =>
            void navigator.locks.request(args[0], () => { held(true); return new Promise((r) => { window.letGo = r }); }))";
        self.popup.run(hold, vec![json!(format!("lane/{conversation}"))]).await.unwrap();
    }

    pub(crate) async fn release_lane(&self) {
        self.popup.run("window.letGo(); return true", vec![]).await.unwrap();
    }

    /// Starts an empty conversation by the API. Returns its id.
    pub(crate) async fn conversation(&self) -> String {
        let (status, conversation) = self.api("POST", "/api/conversations", json!({})).await;
        assert_eq!(status, 201, "{conversation}");
        conversation["id"].as_str().unwrap().to_owned()
    }

    /// Sends a message in a conversation.
    pub(crate) async fn say_in(&self, conversation: &str, text: &str) {
        let path = format!("/api/conversations/{conversation}/messages");
        let (status, message) = self.api("POST", &path, json!({"content": text})).await;
        assert_eq!(status, 202, "{message}");
    }

    /// The contacts in IndexedDB, by title.
    pub(crate) async fn stored_contacts(&self) -> Vec<Value> {
        let mut contacts: Vec<Value> = self
            .popup
            .idb("countersign", "contacts")
            .await
            .unwrap()
            .into_iter()
            .map(|record| match record {
                Value::String(text) => serde_json::from_str(&text).unwrap(),
                other => other,
            })
            .collect();
        contacts.sort_by_key(|contact| contact["title"].as_str().unwrap_or_default().to_owned());
        contacts
    }

    pub(crate) async fn stored_titles(&self) -> Vec<String> {
        let contacts = self.stored_contacts().await;
        contacts.iter().map(|contact| contact["title"].as_str().unwrap().to_owned()).collect()
    }
}

/// Endpoints on a port that is closed, so that no suite reaches a public node.
fn unreachable_endpoints() -> Value {
    json!({"Ethereum": {"url": "http://127.0.0.1:9"}, "Base": {"url": "http://127.0.0.1:9"}})
}

/// The five results of the demo in short, in order.
pub(crate) const DEMO_OUTLINE: [(&str, bool, &str); 5] = [
    ("add_address_book", true, ""),
    ("address_book_add", true, ""),
    ("", false, "malformed_action"),
    ("order_pizza", false, "unknown_tool"),
    ("get_address_book", true, ""),
];

/// A result in short, without its data.
pub(crate) fn outline(result: &ReceivedResult) -> (&str, bool, &str) {
    let code = result.error.as_deref().unwrap_or_default();
    (&result.action, result.success, code.split(':').next().unwrap_or_default())
}
