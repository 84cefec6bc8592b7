//! A bundle's run from the agent to the chains, with prompts answered by the API.

use super::bundle::proposing;
use super::vault::PASSWORD;
use super::{PATIENCE, World};
use agent_backend::{Agent, Options, ReceivedResult};
use serde_json::{Value, json};
use webdriver::{not_yet, until};

impl World {
    /// Starts a new agent that proposes this action in a new conversation, so that it receives only what belongs to
    /// it. Returns the previous agent.
    pub(crate) async fn propose(&mut self, action: Value) -> Agent {
        let agent = Agent::start(proposing([("go", action)]), Options::default()).await.unwrap();
        let before = std::mem::replace(&mut self.agent, agent);
        let settings = json!({"backend": {"url": self.agent.url()}, "password": PASSWORD});
        let (status, settings) = self.api("PATCH", "/api/settings", settings).await;
        assert_eq!(status, 200, "{settings}");
        self.say("go").await;
        before
    }

    /// Answers the one open prompt, which must be of this kind.
    pub(crate) async fn answer(&self, kind: &str, answer: Value) {
        let prompt = self.prompts(1).await.remove(0);
        assert_eq!(prompt["kind"], kind, "{prompt}");
        let (status, body) = self.popup.answer_prompt(&prompt, answer).await.unwrap();
        assert_eq!(status, 200, "{body}");
    }

    pub(crate) async fn approve(&self) {
        self.answer("tx_bundle_approval", json!({"approve": true})).await;
    }

    pub(crate) async fn give_password(&self) {
        self.wait_for_password_prompt().await;
        self.answer("password_required", json!({"approve": true, "password": PASSWORD})).await;
    }

    /// Waits until only the password is prompted for.
    pub(crate) async fn wait_for_password_prompt(&self) {
        until("the password to be asked for", PATIENCE, async || {
            let prompts = self.get("/api/prompts").await;
            match prompts["prompts"].as_array()?.as_slice() {
                [prompt] if prompt["kind"] == "password_required" => Some(()),
                _ => None,
            }
        })
        .await
        .unwrap();
    }

    /// Makes the worker hang, until it is killed, before it writes into a table.
    pub(crate) async fn freeze_before(&self, table: &str) {
        let freeze = "{
            const { transaction } = IDBDatabase.prototype;
            IDBDatabase.prototype.transaction = function (tables, mode, options) {
                if (mode === 'readwrite' && [tables].flat().includes('TABLE')) for (;;);
                return transaction.call(this, tables, mode, options);
            };
        }";
        self.browser.evaluate_in_worker(&freeze.replace("TABLE", table)).await.unwrap();
    }

    /// The bundle that was proposed last.
    pub(crate) async fn bundle(&self) -> Value {
        self.get("/api/bundles").await["bundles"][0].clone()
    }

    /// Waits until the steps of the last bundle have these statuses.
    pub(crate) async fn steps(&self, statuses: &[&str]) {
        until(&format!("the steps to be {statuses:?}"), PATIENCE, async || {
            let bundle = self.bundle().await;
            let found: Vec<&str> = bundle["progress"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|step| step["status"].as_str())
                .collect();
            if found == statuses { Ok(()) } else { Err(not_yet(&bundle["progress"])) }
        })
        .await
        .unwrap();
    }

    /// The one result of the last bundle; repeats have the same key.
    pub(crate) async fn result(&self) -> ReceivedResult {
        let result = self.results(1).await.remove(0);
        for other in self.agent.results() {
            assert_eq!((&other.key, &other.data), (&result.key, &result.data));
        }
        assert_eq!(self.agent.violations(), Vec::<String>::new());
        result
    }
}

/// The rows of a result in short: status and error code.
pub(crate) fn rows(result: &ReceivedResult) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let code = |error: &Value| text(error).split(':').next().unwrap_or_default().to_owned();
    let data = result.data.as_ref().unwrap();
    let rows = data["transactions"].as_array().unwrap();
    rows.iter().map(|row| (text(&row["status"]), code(&row["error"]))).collect()
}

/// The hashes of a result's rows.
pub(crate) fn hashes(result: &ReceivedResult) -> Vec<Value> {
    let data = result.data.as_ref().unwrap();
    data["transactions"].as_array().unwrap().iter().map(|row| row["tx_hash"].clone()).collect()
}
