//! Tools of specification 004, for tests: their configurations, spaces, and results from outside.

use crate::world::{Answer, Sent, World};
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// A configuration with these fields of its own; one that is `null` is left out.
pub fn config(name: &str, kind: &str, fields: Value) -> Value {
    let mut config = json!({
        "name": name,
        "description": "A tool. Use when a test says so.",
        "inputSchema": {"type": "object"},
        "executionType": kind,
    });
    for (name, value) in fields.as_object().expect("fields are an object") {
        config[name] = value.clone();
    }
    config.as_object_mut().expect("is an object").retain(|_, value| !value.is_null());
    config
}

/// An action that calls a tool without a tap.
pub fn calls(id: &str, tool: &str, params: Value) -> Value {
    json!({"id": id, "type": tool, "title": tool, "params": params, "auto_execute": true})
}

/// What an agent says in answer to the next messages, and to nothing else.
#[derive(Clone, Default)]
pub struct Agent(Rc<RefCell<Vec<Answer>>>);

impl Agent {
    /// The next message is answered with these events.
    pub fn says(&self, events: &[(&str, Value)]) {
        self.0.borrow_mut().push(Answer::events(events));
    }

    /// The next message is answered with these elements of `actions`.
    pub fn calls(&self, actions: Value) {
        self.says(&[("actions", json!({ "actions": actions }))]);
    }

    fn answer(&self, sent: &Sent) -> Answer {
        let mut left = self.0.borrow_mut();
        match sent.body.get("content").is_some() && !left.is_empty() {
            true => left.remove(0),
            false => Answer::events(&[]),
        }
    }
}

impl World {
    /// A world with a conversation with an agent that says what it is told to.
    pub async fn with_told_agent() -> (Self, Agent) {
        let agent = Agent::default();
        let own = agent.clone();
        (Self::answering(move |sent| own.answer(sent)).await, agent)
    }

    /// Makes tools of configurations. Returns their records.
    pub async fn import(&self, configs: &[Value]) -> Vec<Value> {
        let (status, body) = self.call("POST", "/tools/configs", json!({ "tools": configs })).await;
        assert!(status == 200 || status == 201, "{body}");
        body["tools"].as_array().expect("records").clone()
    }

    /// The sender of the world's conversation enters a space.
    pub async fn enter(&self, space: &str) {
        let key = format!("space/{}", self.conversation_id());
        let row = json!({"spaceId": space, "enteredAt": self.browser.now()});
        self.write(Table::AgentNotes, &key, &row.to_string()).await;
    }

    /// The calls that have no result from outside yet.
    pub async fn pending(&self) -> Vec<Value> {
        let body = self.get("/api/pending-calls").await;
        body["pendingCalls"].as_array().expect("calls").clone()
    }

    /// A page submits a result for a call. Returns the status and the body.
    pub async fn submit(&self, call: &Value, result: Value) -> (u16, Value) {
        let run = call["runId"].as_str().expect("a call has a run");
        let answer = self.submit_to(run, json!({"callId": call["toolCallId"], "result": result})).await;
        self.settle().await;
        answer
    }

    /// A page submits this body for a run.
    pub async fn submit_to(&self, run: &str, body: Value) -> (u16, Value) {
        self.call("POST", &format!("/api/runs/{run}/tool-results"), body).await
    }

    /// What a page or another extension is answered.
    pub async fn outside(&self, origin: &str, message: Value) -> Value {
        let core = self.core();
        let text = self.run(core.outside(origin, &message.to_string())).await;
        self.settle().await;
        serde_json::from_str(&text).expect("an answer is JSON")
    }

    /// The items that reached the agent's inbox, in order, repeats included.
    pub fn inbox(&self) -> Vec<Value> {
        let items = |sent: Sent| sent.body.get("inbox").and_then(Value::as_array).cloned();
        self.messages_sent().into_iter().filter_map(items).flatten().collect()
    }

    /// The names of the events about calls' tools, in order.
    pub async fn tool_events(&self) -> Vec<String> {
        let events = self.events().await.into_iter().map(|event| event.name);
        events.filter(|name| name.starts_with("tool.")).collect()
    }

    /// The messages that show calls of tools: state, name, input, output and error.
    pub async fn tool_messages(&self) -> Vec<Value> {
        let shown = self.timeline().await.into_iter().filter(|item| item["message"]["tool"].is_object());
        shown
            .map(|item| {
                let (message, tool) = (&item["message"], &item["message"]["tool"]);
                json!([message["state"], tool["name"], tool["input"], tool["output"], message["error"]])
            })
            .collect()
    }
}
