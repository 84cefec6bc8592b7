//! The wallet's side of a conversation.

use crate::stand_in::{KEY, Say, StandIn};
use agent_backend::Request;
use agent_backend::llm::{Api, Endpoint, Key, LlmAgent, LlmOptions};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const APIS: [Api; 2] = [Api::OpenAi, Api::Anthropic];

/// A wallet in a conversation with an agent whose model is a stand-in.
pub(crate) struct Wallet {
    pub(crate) agent: LlmAgent,
    pub(crate) model: StandIn,
    pub(crate) conversation: String,
    pub(crate) context: Value,
    keys: u32,
}

/// An answer, as named events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer(pub(crate) Vec<(String, Value)>);

impl Answer {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let blocks = text.split("\n\n").filter(|block| !block.is_empty() && !block.starts_with(':'));
        Self(
            blocks
                .map(|block| {
                    let (name, data) = block.split_once('\n').unwrap();
                    let data = data.strip_prefix("data: ").unwrap();
                    (name.strip_prefix("event: ").unwrap().to_owned(), serde_json::from_str(data).unwrap())
                })
                .collect(),
        )
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup();
        names
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |(have, _)| have == name).map(|(_, data)| data)
    }

    /// The text as it streamed.
    pub(crate) fn text(&self) -> String {
        self.all("text_delta").map(|data| data["delta"].as_str().unwrap()).collect()
    }

    pub(crate) fn actions(&self) -> Vec<Value> {
        self.all("actions").flat_map(|data| data["actions"].as_array().unwrap().clone()).collect()
    }

    pub(crate) fn error(&self) -> Option<String> {
        self.all("error").next().map(|data| data["error"].as_str().unwrap().to_owned())
    }

    /// The JSON text that streamed of an action's parameters.
    pub(crate) fn input(&self, id: &Value) -> String {
        self.all("tool_input")
            .filter(|data| data["id"] == *id)
            .map(|data| data["delta"].as_str().unwrap())
            .collect()
    }
}

pub(crate) fn endpoint(api: Api) -> Endpoint {
    match api {
        Api::OpenAi => Endpoint::new("http://127.0.0.1:11434", None).unwrap(),
        Api::Anthropic => Endpoint::new("https://api.anthropic.com", None).unwrap(),
    }
}

pub(crate) fn options(api: Api) -> LlmOptions {
    let mut options = LlmOptions::new(endpoint(api), "model-1");
    options.key = Some(Key::new(KEY));
    options
}

/// The tools of most tests.
pub(crate) fn tools() -> Value {
    json!([
        {"name": "add_address_book", "description": "Adds contacts.", "asks": false,
         "schema": {"type": "object", "properties": {"entries": {"type": "array"}}, "required": ["entries"]}},
        {"name": "get_address_book", "description": "Reads contacts.", "asks": false, "schema": {}},
        {"name": "pay", "description": "Pays. Asks first.", "asks": true, "schema": {"type": "object"}},
    ])
}

impl Wallet {
    pub(crate) async fn new(api: Api, says: impl IntoIterator<Item = Say>) -> Self {
        Self::with(options(api), StandIn::new(api, says)).await
    }

    pub(crate) async fn with(options: LlmOptions, model: StandIn) -> Self {
        let agent = LlmAgent::new(options, Arc::new(model.clone()));
        let opened = Request::post("/agent/conversations", &json!({"public_key": "02ab", "title": "t"}));
        let opened = agent.answer(opened).await.whole().await;
        let id = serde_json::from_slice::<Value>(&opened.bytes()).unwrap()["id"].as_str().unwrap().to_owned();
        Self { agent, model, conversation: id, context: json!({"tools": tools()}), keys: 0 }
    }

    pub(crate) fn key(&mut self) -> String {
        self.keys += 1;
        format!("k{}", self.keys)
    }

    pub(crate) fn request(&self, key: &str, mut body: Value) -> Request {
        body["public_key"] = json!("02ab");
        body["context"] = self.context.clone();
        Request::post(format!("/agent/conversations/{}/messages", self.conversation), &body)
            .header("Idempotency-Key", key)
    }

    pub(crate) async fn send(&mut self, body: Value) -> Answer {
        let key = self.key();
        let request = self.request(&key, body);
        let answer = self.agent.answer(request).await.whole().await;
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.bytes()));
        let answer = Answer::of(&answer.bytes());
        assert_eq!(answer.0.last().unwrap().0, "done");
        answer
    }

    pub(crate) async fn say(&mut self, content: &str) -> Answer {
        self.send(json!({"content": content})).await
    }

    pub(crate) async fn result(&mut self, action: &Value, data: Value) -> Answer {
        let result =
            json!({"action": action["type"], "action_id": action["id"], "success": true, "data": data});
        self.send(json!({"action_result": result})).await
    }

    pub(crate) async fn failure(&mut self, action: &Value, error: &str) -> Answer {
        let result =
            json!({"action": action["type"], "action_id": action["id"], "success": false, "error": error});
        self.send(json!({"action_result": result})).await
    }

    /// The messages of the last request to the model, and the rules that requests broke.
    pub(crate) fn last_messages(&self) -> Value {
        assert_eq!(self.model.broken(), [] as [&str; 0]);
        self.model.asked().last().unwrap()["messages"].clone()
    }
}
