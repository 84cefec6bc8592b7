//! A world in memory: the whole runtime over a store, a browser and a backend within one test.
//!
//! ```ignore
//! let world = World::proposing(json!([read_book("a1")])).await;   // arrange
//! world.say("go").await;                                         // act
//! assert_eq!(world.results(), [json!({ … })]);                   // assert
//! ```
//!
//! The clock is tokio's paused one: nothing waits in real time, and a test of ten minutes advances the clock by ten
//! minutes. The worker's tasks run only while the world is called.

mod browser;
mod builders;
mod disk;
mod network;
mod pages;

pub use browser::{Browser, Traffic};
pub use builders::*;
pub(crate) use network::to_agent_answer;
pub use network::{Answer, Channel, Network, NodeCall, Sent};
pub use pages::WebPage;

use agent_backend::llm::LlmAgent;
use agent_backend::{Fault, Script, ScriptedAgent, Turn, When};
use browser::{ClearModule, CountingStore, SignerModule, ToolboxModule, Worker};
use network::Backend;
use runtime::http::Reply;
use runtime::ports::{Net, Ports, Presence};
use runtime::store::memory::Memory;
use runtime::store::{Batch, Durability, Range, Row, Store, Table, Write};
use runtime::{Boot, Core};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::LocalSet;
use tokio::time::Instant;
use wire::api::Millis;
use wire::sse::Decoder;
use wire::tool_index::{IndexChange, IndexRequest};
use wire::toolbox as toolbox_wire;

/// 2026-01-01T00:00:00Z, the start time of every world.
pub const START: Millis = 1_767_225_600_000;
/// The backend's URL.
pub const URL: &str = "http://127.0.0.1:9";
/// Another backend URL, of the same agent.
pub const OTHER_URL: &str = "https://other.example";
/// A valid EVM address, in checksum form.
pub const ALICE: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
/// Another valid EVM address.
pub const BOB: &str = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

/// An event as a page receives it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedEvent {
    /// The event's number.
    pub id: u64,
    /// The event's name.
    pub name: String,
    /// The event's data.
    pub data: Value,
}

/// A worker, its store, its browser and its backend.
pub struct World {
    store: Memory,
    /// The browser around the worker.
    pub browser: Rc<Browser>,
    net: Rc<Network>,
    tasks: RefCell<Rc<LocalSet>>,
    core: RefCell<Rc<Core>>,
    conversation: RefCell<String>,
}

impl World {
    /// A fresh installation: no backend, no vault, no records.
    pub async fn new() -> Self {
        Self::over(Backend::Scripted(Box::new(ScriptedAgent::new(Script::default(), 1)))).await
    }

    /// A world with a conversation with an agent that proposes these elements of `actions` in answer to any message.
    pub async fn proposing(actions: Value) -> Self {
        Self::scripted(vec![turn(When { any_message: true, ..When::default() }, actions)]).await
    }

    /// A world with a conversation with an agent that follows these turns.
    pub async fn scripted(turns: Vec<Turn>) -> Self {
        Self::with_agent(ScriptedAgent::new(Script { name: String::new(), turns }, 1)).await
    }

    /// A world with a conversation with this agent.
    pub async fn with_agent(scripted: ScriptedAgent) -> Self {
        Self::over(Backend::Scripted(Box::new(scripted))).await.with_conversation().await
    }

    /// A world with a conversation with an agent that asks a model.
    pub async fn with_llm(agent: LlmAgent) -> Self {
        Self::over(Backend::Llm(agent)).await.with_conversation().await
    }

    /// A world with a backend that answers messages by this function; conversations are opened as `remote`.
    pub async fn answering(mut respond: impl FnMut(&Sent) -> Answer + 'static) -> Self {
        let backend = Backend::Custom(Box::new(move |sent| {
            if sent.path == "/agent/conversations" {
                return Answer::json(&json!({"id": "remote"}));
            }
            respond(sent)
        }));
        Self::over(backend).await.with_conversation().await
    }

    /// A world with a backend that answers every request by this function.
    pub async fn answering_all(respond: impl FnMut(&Sent) -> Answer + 'static) -> Self {
        Self::over(Backend::Custom(Box::new(respond))).await.with_conversation().await
    }

    async fn over(backend: Backend) -> Self {
        let browser = Rc::new(Browser {
            begun: Instant::now(),
            clock_set: Cell::new(0),
            presence: Cell::new((Presence::Active, 0)),
            rng: Cell::new(0x9e37_79b9_7f4a_7c15),
            alarm: Cell::new(None),
            alarm_set: Notify::new(),
            keep_alive: RefCell::default(),
            attention: Cell::new(0),
            notified: RefCell::default(),
            pages_changed: RefCell::default(),
            shown_bundles: RefCell::default(),
            locks: RefCell::default(),
            secrets: RefCell::default(),
            full: Cell::new(false),
            signer_unavailable: Cell::new(false),
            toolbox_unavailable: Cell::new(false),
            clear_unavailable: Cell::new(false),
            clear_asked: Cell::new(0),
            later_unavailable: Cell::new(false),
            signing_millis: Cell::new(0),
            signatures: Cell::new(0),
            fast_signer: Cell::new(false),
            traffic: Cell::default(),
        });
        let net = Rc::new(Network {
            browser: Rc::clone(&browser),
            backend: RefCell::new(backend),
            down: Cell::new(false),
            log: RefCell::default(),
            nodes: RefCell::new(Box::new(|_| Answer::Down)),
            node_log: RefCell::default(),
        });
        // The toolbox of an earlier world in this thread has its tools, under the same stamp.
        let emptied = IndexRequest::Update { from: None, to: String::new(), change: IndexChange::default() };
        toolbox::answer(toolbox_wire::Request::Index(emptied));
        let store = Memory::new();
        let (tasks, core) = start(&store, &browser, &net);
        let world = Self {
            store,
            browser,
            net,
            tasks: RefCell::new(tasks),
            core: RefCell::new(core),
            conversation: RefCell::default(),
        };
        world.resume().await;
        world
    }

    /// Sets the backend and starts a conversation.
    async fn with_conversation(self) -> Self {
        assert_eq!(self.call("PATCH", "/api/settings", json!({"backend": {"url": URL}})).await.0, 200);
        self.begin().await;
        self
    }

    /// Stops the worker between two steps and starts another.
    pub async fn restart(&self) {
        let (tasks, core) = start(&self.store, &self.browser, &self.net);
        drop(self.core.replace(core));
        drop(self.tasks.replace(tasks));
        self.browser.keep_alive.borrow_mut().clear();
        self.resume().await;
    }

    /// Sends `go`, restarts the worker after this many steps, and settles. Returns whether the answer was read twice:
    /// its call was stored before the restart, and the message was sent again after it.
    pub async fn restart_while_reading(&self, steps: usize) -> bool {
        self.post_message("go").await;
        self.steps(steps).await;
        let known = self.records().await["calls"].len();
        self.restart().await;
        self.settle().await;
        let sent = self.messages_sent().iter().filter(|sent| sent.body.get("content").is_some()).count();
        known == 1 && sent == 2
    }

    /// Closes and reopens the browser: everything kept only in memory is lost.
    pub async fn reopen(&self) {
        self.browser.secrets.borrow_mut().clear();
        self.restart().await;
    }

    async fn resume(&self) {
        let core = self.core();
        self.run(core.resume()).await.expect("the store is there");
    }

    /// The worker's core.
    pub fn core(&self) -> Rc<Core> {
        Rc::clone(&self.core.borrow())
    }

    /// A second worker over the same store, beside the first.
    pub fn another_core(&self) -> Rc<Core> {
        start_on(&self.tasks.borrow(), &self.store, &self.browser, &self.net)
    }

    /// Runs the worker's tasks until the answer is ready.
    pub async fn run<T>(&self, answer: impl Future<Output = T>) -> T {
        let tasks = Rc::clone(&self.tasks.borrow());
        tasks.run_until(answer).await
    }

    /// Runs everything that does not wait for the clock (which advances by a millisecond).
    pub async fn settle(&self) {
        self.run(tokio::time::sleep(Duration::from_millis(1))).await;
    }

    /// Lets every task make this many steps; a step ends where a task waits for the store or the network.
    pub async fn steps(&self, count: usize) {
        for _ in 0..count {
            self.run(tokio::task::yield_now()).await;
        }
    }

    /// Lets time pass, and fires the alarm when it is due.
    pub async fn pass(&self, millis: u64) {
        let end = self.browser.now() + millis;
        loop {
            let now = self.browser.now();
            let alarm = self.browser.alarm.get().filter(|at| *at <= end);
            let until = Duration::from_millis(alarm.unwrap_or(end).saturating_sub(now));
            let changed = self
                .run(async {
                    tokio::select! {
                        biased;
                        () = tokio::time::sleep(until) => false,
                        () = self.browser.alarm_set.notified() => true,
                    }
                })
                .await;
            if changed {
                continue;
            }
            if alarm.is_none() {
                return;
            }
            self.browser.alarm.set(None);
            self.resume().await;
        }
    }

    /// A page's request. Returns status and body.
    pub async fn call(&self, method: &str, target: &str, body: Value) -> (u16, Value) {
        self.call_text(method, target, &if body.is_null() { String::new() } else { body.to_string() }).await
    }

    /// The same with any text as the body.
    pub async fn call_text(&self, method: &str, target: &str, body: &str) -> (u16, Value) {
        let reply = self.reply(method, target, body).await;
        (reply.status, serde_json::from_str(&reply.body).unwrap_or(Value::Null))
    }

    /// The whole reply.
    pub async fn reply(&self, method: &str, target: &str, body: &str) -> Reply {
        let core = self.core();
        let answer = core.handle(method, target, body);
        let limit = Duration::from_secs(3_600);
        self.run(tokio::time::timeout(limit, answer)).await.expect("answers within an hour")
    }

    /// A page's successful GET.
    pub async fn get(&self, target: &str) -> Value {
        let (status, body) = self.call("GET", target, Value::Null).await;
        assert_eq!(status, 200, "{target}: {body}");
        body
    }

    /// The user's actions. Returns their results in order.
    pub async fn act(&self, actions: Value) -> Vec<Value> {
        let (status, body) = self.call("POST", "/api/actions", json!({"actions": actions})).await;
        assert_eq!(status, 200, "{body}");
        body["results"].as_array().expect("results are an array").clone()
    }

    /// One user action that needs no prompt. Returns its result.
    pub async fn act_once(&self, kind: &str, params: Value) -> Value {
        let id = format!("user-{}", self.browser.now());
        // Two actions never share an id: the clock advances only when told.
        self.settle().await;
        let mut results =
            self.act(json!([{"id": id, "type": kind, "params": params, "auto_execute": true}])).await;
        results.pop().expect("one action, one result")
    }

    /// The saved contacts as the tool returns them.
    pub async fn book(&self) -> Vec<Value> {
        let result = self.act_once("get_address_book", json!({})).await;
        result["data"]["entries"].as_array().expect("entries are an array").clone()
    }

    /// The user saves contacts, each `(title, address, chain)`. Returns their ids.
    pub async fn save(&self, entries: &[(&str, &str, &str)]) -> Vec<String> {
        let entries: Vec<Value> = entries
            .iter()
            .map(|(title, address, chain)| json!({"title": title, "address": address, "chain": chain}))
            .collect();
        let result = self.act_once("add_address_book", json!({"entries": entries})).await;
        let rows = result["data"]["results"].as_array().expect("results are an array");
        rows.iter().map(|row| row["id"].as_str().expect("is saved").to_owned()).collect()
    }

    /// Activates the first of [`vaults`].
    pub async fn with_vault(self) -> Self {
        self.use_vault(0).await;
        self
    }

    /// Activates one of [`vaults`].
    pub async fn use_vault(&self, index: usize) {
        let (status, answer) = self.call("POST", "/api/vaults", vault(index)).await;
        assert!(status == 201 || answer["error"]["code"] == "vault_exists", "{answer}");
        let target = format!("/api/vaults/{}/activate", vault_id(index));
        assert_eq!(self.call("POST", &target, Value::Null).await.0, 200);
    }

    /// Creates a vault that can sign, with this password.
    pub async fn make_vault(&self, password: &str) {
        let body = json!({"name": "Signer", "kind": "local", "password": password});
        let (status, answer) = self.call("POST", "/api/vaults", body).await;
        assert_eq!(status, 201, "{answer}");
    }

    /// Unlocks the active vault for some minutes.
    pub async fn unlock(&self, password: &str) {
        let answer = self.call("POST", "/api/vaults/active/unlock", json!({"password": password})).await;
        assert_eq!(answer.0, 200, "{}", answer.1);
    }

    /// The coins of the active vault.
    pub async fn coins(&self) -> Vec<Value> {
        self.get("/api/vaults/active/coins").await["coins"].as_array().expect("coins are an array").clone()
    }

    /// The user writes to the agent, and the world settles. Returns the message's id.
    pub async fn say(&self, text: &str) -> String {
        let id = self.post_message(text).await;
        self.settle().await;
        id
    }

    /// The user writes to the agent; nothing that follows has happened yet.
    pub async fn post_message(&self, text: &str) -> String {
        let target = format!("/api/conversations/{}/messages", self.conversation_id());
        let (status, body) = self.call("POST", &target, json!({"content": text})).await;
        assert_eq!(status, 202, "{body}");
        body["id"].as_str().expect("a message has an id").to_owned()
    }

    /// Sets the backend's address.
    pub async fn set_backend(&self, url: &str) {
        let (status, body) = self.call("PATCH", "/api/settings", json!({"backend": {"url": url}})).await;
        assert_eq!(status, 200, "{body}");
        self.settle().await;
    }

    /// Starts another conversation, which is the world's from now on.
    pub async fn begin(&self) -> String {
        let (status, body) = self.call("POST", "/api/conversations", json!({})).await;
        assert_eq!(status, 201, "{body}");
        let id = body["id"].as_str().expect("a conversation has an id").to_owned();
        self.conversation.borrow_mut().clone_from(&id);
        id
    }

    /// Goes back to an earlier conversation.
    pub fn resume_conversation(&self, id: &str) {
        id.clone_into(&mut self.conversation.borrow_mut());
    }

    /// The id of the conversation with the agent.
    pub fn conversation_id(&self) -> String {
        self.conversation.borrow().clone()
    }

    /// The messages and calls of the conversation.
    pub async fn timeline(&self) -> Vec<Value> {
        let body = self.get(&format!("/api/conversations/{}/messages", self.conversation_id())).await;
        body["items"].as_array().expect("items are an array").clone()
    }

    /// Its messages: role, content, state and error.
    pub async fn messages(&self) -> Vec<Value> {
        let said = self.timeline().await.into_iter().filter(|item| item["kind"] == "message");
        said.map(|item| {
            let message = &item["message"];
            let mut shown = json!([message["role"], message["content"], message["state"]]);
            if let (Some(error), Some(list)) = (message.get("error"), shown.as_array_mut()) {
                list.push(error.clone());
            }
            shown
        })
        .collect()
    }

    /// Its calls.
    pub async fn calls(&self) -> Vec<Value> {
        let done = self.timeline().await.into_iter().filter(|item| item["kind"] == "call");
        done.map(|item| item["call"].clone()).collect()
    }

    /// The open prompts.
    pub async fn prompts(&self) -> Vec<Value> {
        self.get("/api/prompts").await["prompts"].as_array().expect("prompts are an array").clone()
    }

    /// The user's answer to the only open prompt.
    pub async fn answer(&self, answer: Value) -> (u16, Value) {
        let prompts = self.prompts().await;
        let [prompt] = prompts.as_slice() else { panic!("not one prompt: {prompts:?}") };
        let answered = self.answer_prompt(prompt, answer).await;
        self.settle().await;
        answered
    }

    /// The user's answer to a prompt as it was shown; does not wait for what follows.
    pub async fn answer_prompt(&self, prompt: &Value, mut answer: Value) -> (u16, Value) {
        let target = format!("/api/prompts/{}", prompt["id"].as_str().expect("a prompt has an id"));
        answer["digest"] = prompt["digest"].clone();
        self.call("POST", &target, answer).await
    }

    /// All events after a number.
    pub async fn events_after(&self, after: u64) -> Vec<ReceivedEvent> {
        let core = self.core();
        let mut received: Vec<ReceivedEvent> = Vec::new();
        loop {
            let from = received.last().map_or(after, |event| event.id);
            let next = tokio::time::timeout(Duration::from_millis(1), core.events_after(from));
            let Ok(text) = self.run(next).await else { return received };
            received.extend(parse_events(&text.expect("the store is there")));
        }
    }

    /// All events that are still stored.
    pub async fn events(&self) -> Vec<ReceivedEvent> {
        self.events_after(0).await
    }

    /// Waits for events after a number, as a page does.
    pub async fn next_events(&self, after: u64) -> Vec<ReceivedEvent> {
        let core = self.core();
        let next = tokio::time::timeout(Duration::from_secs(3_600), core.events_after(after));
        let text = self.run(next).await.expect("something happens within an hour");
        parse_events(&text.expect("the store is there"))
    }

    /// The names of all events in order, except these.
    pub async fn event_names(&self, but: &[&str]) -> Vec<String> {
        self.events()
            .await
            .into_iter()
            .map(|event| event.name)
            .filter(|name| !but.contains(&name.as_str()))
            .collect()
    }

    /// Every request sent to the backend.
    pub fn sent(&self) -> Vec<Sent> {
        self.net.log.borrow().clone()
    }

    /// The requests that are messages, without the opening of conversations.
    pub fn messages_sent(&self) -> Vec<Sent> {
        self.sent().into_iter().filter(|sent| sent.path.ends_with("/messages")).collect()
    }

    /// The bodies of the sent results, in order, repeats included.
    pub fn results(&self) -> Vec<Value> {
        self.messages_sent().into_iter().filter_map(|sent| sent.body.get("action_result").cloned()).collect()
    }

    /// Protocol violations that the scripted agent recorded.
    pub fn violations(&self) -> Vec<String> {
        match &*self.net.backend.borrow() {
            Backend::Scripted(scripted) => scripted.record().violations.clone(),
            Backend::Llm(_) | Backend::Custom(_) => panic!("only a scripted agent looks for violations"),
        }
    }

    /// Adds a fault to the scripted agent.
    pub fn set_fault(&self, fault: Fault) {
        self.with_scripted_agent(|scripted| scripted.set_fault(fault));
    }

    /// Removes all faults of the scripted agent.
    pub fn clear_faults(&self) {
        self.with_scripted_agent(ScriptedAgent::clear_faults);
    }

    fn with_scripted_agent(&self, change: impl FnOnce(&mut ScriptedAgent)) {
        match &mut *self.net.backend.borrow_mut() {
            Backend::Scripted(scripted) => change(scripted),
            Backend::Llm(_) | Backend::Custom(_) => panic!("only a scripted agent has faults"),
        }
    }

    /// Makes the backend unreachable, or reachable.
    pub fn set_down(&self, down: bool) {
        self.net.down.set(down);
    }

    /// Sets the function that answers for the chains' nodes; without it no node is reachable.
    pub fn set_nodes(&self, nodes: impl FnMut(&NodeCall) -> Answer + 'static) {
        *self.net.nodes.borrow_mut() = Box::new(nodes);
    }

    /// Every request sent to the chains' nodes.
    pub fn node_calls(&self) -> Vec<NodeCall> {
        self.net.node_log.borrow().clone()
    }

    /// Every record of every table, to compare or to search.
    pub async fn records(&self) -> BTreeMap<&'static str, Vec<Row>> {
        let mut records = BTreeMap::new();
        for table in Table::ALL {
            let rows = self.store.scan(table, Range::all()).await.expect("the store is there");
            records.insert(table.name(), rows);
        }
        records
    }

    /// The records of one table.
    pub async fn table(&self, table: Table) -> Vec<Row> {
        self.store.scan(table, Range::all()).await.expect("the store is there")
    }

    /// Writes a record without the worker's knowledge.
    pub async fn write(&self, table: Table, key: &str, text: &str) {
        let write = Write::Put(table, key.to_owned(), text.to_owned());
        self.commit(Batch::unowned(Durability::Strict, Vec::new(), vec![write])).await;
    }

    /// Commits a batch that a test made.
    pub async fn commit(&self, batch: Batch) {
        self.store.commit(batch).await.expect("the store is there");
    }

    /// The work that keeps the worker alive.
    pub async fn work(&self) -> Value {
        self.get("/api/health").await["work"].clone()
    }
}

fn start(store: &Memory, browser: &Rc<Browser>, net: &Rc<Network>) -> (Rc<LocalSet>, Rc<Core>) {
    let tasks = Rc::new(LocalSet::new());
    let core = start_on(&tasks, store, browser, net);
    (tasks, core)
}

fn start_on(tasks: &Rc<LocalSet>, store: &Memory, browser: &Rc<Browser>, net: &Rc<Network>) -> Rc<Core> {
    let host = Worker { browser: Rc::clone(browser), tasks: Rc::downgrade(tasks), begun: Instant::now() };
    let ports = Ports {
        store: Rc::new(CountingStore(store.clone(), Rc::clone(browser))),
        net: Rc::clone(net) as Rc<dyn Net>,
        host: Rc::new(host),
        signer: Rc::new(SignerModule(Rc::clone(browser))),
        toolbox: Rc::new(ToolboxModule(Rc::clone(browser))),
        clear: Rc::new(ClearModule(Rc::clone(browser))),
    };
    Core::new(ports, Boot { version: "0.0.1".to_owned(), wasm_bytes: 7 })
}

fn parse_events(text: &str) -> Vec<ReceivedEvent> {
    let mut received = Vec::new();
    Decoder::default()
        .push(text.as_bytes(), &mut |event| {
            received.push(ReceivedEvent {
                id: event.id.parse().expect("an event has a number"),
                name: event.name.to_owned(),
                data: serde_json::from_str(event.data).expect("an event's data is JSON"),
            });
        })
        .expect("is an event stream");
    received
}
