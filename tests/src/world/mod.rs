//! A world in memory: the whole runtime over a store, a browser and a backend that live in one test.
//!
//! ```ignore
//! let world = World::proposing(json!([read_book("a1")])).await;   // arrange
//! world.say("go").await;                                         // act
//! assert_eq!(world.results(), [json!({ … })]);                   // assert
//! ```
//!
//! The clock is tokio's paused one: nothing waits in real time, and what happens after ten minutes is tested after
//! ten minutes. The worker's tasks run only while the world is asked for something.

mod browser;
mod disk;
mod network;
mod words;

pub use browser::{Browser, Traffic};
pub(crate) use network::by_hand;
pub use network::{Answer, Network, NodeCall, Sent};
pub use words::*;

use agent_backend::{Brain, Fault, Script, Turn, When};
use browser::{Module, Worker, Yielding};
use network::Backend;
use runtime::http::Reply;
use runtime::ports::{Net, Ports};
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

/// 2026-01-01T00:00:00Z: when every world begins.
pub const BEGINNING: Millis = 1_767_225_600_000;
/// Where the backend is.
pub const URL: &str = "http://127.0.0.1:9";
/// Another one; both lead to the same agent.
pub const OTHER_URL: &str = "https://other.example";
/// A valid EVM address, in checksum form.
pub const ALICE: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
/// Another.
pub const BOB: &str = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";

/// An event as a page receives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: Value,
}

/// A worker, its store, its browser and its backend.
pub struct World {
    store: Memory,
    /// Around the worker.
    pub browser: Rc<Browser>,
    net: Rc<Network>,
    tasks: RefCell<Rc<LocalSet>>,
    core: RefCell<Rc<Core>>,
    conversation: RefCell<String>,
}

impl World {
    /// A fresh installation: no backend, no vault, no records.
    pub async fn new() -> Self {
        Self::over(Backend::Scripted(Box::new(Brain::new(Script::default(), 1)))).await
    }

    /// With an agent that proposes these elements of `actions` when it is spoken to, and a conversation with it.
    pub async fn proposing(actions: Value) -> Self {
        Self::scripted(vec![turn(When { any_message: true, ..When::default() }, actions)]).await
    }

    /// With an agent that follows these turns, and a conversation with it.
    pub async fn scripted(turns: Vec<Turn>) -> Self {
        Self::brained(Brain::new(Script { name: String::new(), turns }, 1)).await
    }

    /// With an agent, and a conversation with it.
    pub async fn brained(brain: Brain) -> Self {
        Self::over(Backend::Scripted(Box::new(brain))).await.introduced().await
    }

    /// With a backend made by hand, which answers messages; conversations are opened as `remote`.
    pub async fn answering(mut respond: impl FnMut(&Sent) -> Answer + 'static) -> Self {
        let backend = Backend::ByHand(Box::new(move |sent| {
            if sent.path == "/agent/conversations" {
                return Answer::json(&json!({"id": "remote"}));
            }
            respond(sent)
        }));
        Self::over(backend).await.introduced().await
    }

    /// With a backend made by hand, which answers everything.
    pub async fn answering_all(respond: impl FnMut(&Sent) -> Answer + 'static) -> Self {
        Self::over(Backend::ByHand(Box::new(respond))).await.introduced().await
    }

    async fn over(backend: Backend) -> Self {
        let browser = Rc::new(Browser {
            begun: Instant::now(),
            chance: Cell::new(0x9e37_79b9_7f4a_7c15),
            alarm: Cell::new(None),
            alarm_set: Notify::new(),
            keep_alive: RefCell::default(),
            attention: Cell::new(0),
            summoned: RefCell::default(),
            locks: RefCell::default(),
            secrets: RefCell::default(),
            full: Cell::new(false),
            signer_gone: Cell::new(false),
            signatures: Cell::new(0),
            light: Cell::new(false),
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

    /// Knows its backend, and has begun a conversation.
    async fn introduced(self) -> Self {
        assert_eq!(self.call("PATCH", "/api/settings", json!({"backend": {"url": URL}})).await.0, 200);
        let (status, body) = self.call("POST", "/api/conversations", json!({})).await;
        assert_eq!(status, 201);
        *self.conversation.borrow_mut() = body["id"].as_str().expect("a conversation has an id").to_owned();
        self
    }

    /// The worker is gone between one step and the next; another one starts.
    pub async fn restart(&self) {
        let (tasks, core) = start(&self.store, &self.browser, &self.net);
        drop(self.core.replace(core));
        drop(self.tasks.replace(tasks));
        self.browser.keep_alive.borrow_mut().clear();
        self.resume().await;
    }

    /// The browser was closed and is opened again: nothing that was in memory only is left.
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

    /// Lets the worker's tasks run until the answer is there.
    pub async fn run<T>(&self, answer: impl Future<Output = T>) -> T {
        let tasks = Rc::clone(&self.tasks.borrow());
        tasks.run_until(answer).await
    }

    /// Lets everything happen that happens without the clock (which moves by a millisecond).
    pub async fn settle(&self) {
        self.run(tokio::time::sleep(Duration::from_millis(1))).await;
    }

    /// Lets every task make this many steps: a step ends where a task waits for the store or the network.
    pub async fn steps(&self, count: usize) {
        for _ in 0..count {
            self.run(tokio::task::yield_now()).await;
        }
    }

    /// Lets time pass, and the alarm ring when it is due.
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

    /// A page's request; its status and body.
    pub async fn call(&self, method: &str, target: &str, body: Value) -> (u16, Value) {
        self.call_text(method, target, &if body.is_null() { String::new() } else { body.to_string() }).await
    }

    /// The same with any text as the body.
    pub async fn call_text(&self, method: &str, target: &str, body: &str) -> (u16, Value) {
        let reply = self.reply(method, target, body).await;
        (reply.status, serde_json::from_str(&reply.body).unwrap_or(Value::Null))
    }

    /// The answer itself.
    pub async fn reply(&self, method: &str, target: &str, body: &str) -> Reply {
        let core = self.core();
        let answer = core.handle(method, target, body);
        let limit = Duration::from_secs(3_600);
        self.run(tokio::time::timeout(limit, answer)).await.expect("answers within an hour")
    }

    /// A page's GET that succeeds.
    pub async fn get(&self, target: &str) -> Value {
        let (status, body) = self.call("GET", target, Value::Null).await;
        assert_eq!(status, 200, "{target}: {body}");
        body
    }

    /// A person's actions; their results, in order.
    pub async fn act(&self, actions: Value) -> Vec<Value> {
        let (status, body) = self.call("POST", "/api/actions", json!({"actions": actions})).await;
        assert_eq!(status, 200, "{body}");
        body["results"].as_array().expect("results are an array").clone()
    }

    /// One action of a person, which needs no tap; its result.
    pub async fn act_once(&self, kind: &str, params: Value) -> Value {
        let id = format!("user-{}", self.browser.now());
        // Two actions never share an id: the clock stands still unless it is moved.
        self.settle().await;
        let mut results =
            self.act(json!([{"id": id, "type": kind, "params": params, "auto_execute": true}])).await;
        results.pop().expect("one action, one result")
    }

    /// The saved addresses as the tool returns them.
    pub async fn book(&self) -> Vec<Value> {
        let result = self.act_once("get_address_book", json!({})).await;
        result["data"]["entries"].as_array().expect("entries are an array").clone()
    }

    /// A person saves entries, each `(title, address, chain)`; their ids.
    pub async fn save(&self, entries: &[(&str, &str, &str)]) -> Vec<String> {
        let entries: Vec<Value> = entries
            .iter()
            .map(|(title, address, chain)| json!({"title": title, "address": address, "chain": chain}))
            .collect();
        let result = self.act_once("add_address_book", json!({"entries": entries})).await;
        let rows = result["data"]["results"].as_array().expect("results are an array");
        rows.iter().map(|row| row["id"].as_str().expect("is saved").to_owned()).collect()
    }

    /// The first of [`vaults`] is in use from now on.
    pub async fn with_vault(self) -> Self {
        self.use_vault(0).await;
        self
    }

    /// One of [`vaults`] is in use from now on.
    pub async fn use_vault(&self, index: usize) {
        let (status, answer) = self.call("POST", "/api/vaults", vault(index)).await;
        assert!(status == 201 || answer["error"]["code"] == "vault_exists", "{answer}");
        let target = format!("/api/vaults/{}/activate", vault_id(index));
        assert_eq!(self.call("POST", &target, Value::Null).await.0, 200);
    }

    /// A vault that can sign is there, sealed with this password.
    pub async fn make_vault(&self, password: &str) {
        let body = json!({"name": "Signer", "kind": "local", "password": password});
        let (status, answer) = self.call("POST", "/api/vaults", body).await;
        assert_eq!(status, 201, "{answer}");
    }

    /// The vault in use is open for a while.
    pub async fn unlock(&self, password: &str) {
        let answer = self.call("POST", "/api/vaults/active/unlock", json!({"password": password})).await;
        assert_eq!(answer.0, 200, "{}", answer.1);
    }

    /// The coins of the vault in use.
    pub async fn coins(&self) -> Vec<Value> {
        self.get("/api/vaults/active/coins").await["coins"].as_array().expect("coins are an array").clone()
    }

    /// A person writes to the agent; the message's id. Everything that follows at once has happened.
    pub async fn say(&self, text: &str) -> String {
        let id = self.begin_to_say(text).await;
        self.settle().await;
        id
    }

    /// A person writes to the agent; nothing of what follows has happened yet.
    pub async fn begin_to_say(&self, text: &str) -> String {
        let target = format!("/api/conversations/{}/messages", self.conversation_id());
        let (status, body) = self.call("POST", &target, json!({"content": text})).await;
        assert_eq!(status, 202, "{body}");
        body["id"].as_str().expect("a message has an id").to_owned()
    }

    /// The conversation with the agent.
    pub fn conversation_id(&self) -> String {
        self.conversation.borrow().clone()
    }

    /// What was said and done in it.
    pub async fn timeline(&self) -> Vec<Value> {
        let body = self.get(&format!("/api/conversations/{}/messages", self.conversation_id())).await;
        body["items"].as_array().expect("items are an array").clone()
    }

    /// The messages among it: who, what, state and error.
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

    /// The calls among it.
    pub async fn calls(&self) -> Vec<Value> {
        let done = self.timeline().await.into_iter().filter(|item| item["kind"] == "call");
        done.map(|item| item["call"].clone()).collect()
    }

    /// The open questions.
    pub async fn prompts(&self) -> Vec<Value> {
        self.get("/api/prompts").await["prompts"].as_array().expect("prompts are an array").clone()
    }

    /// A person's answer to the only open question.
    pub async fn answer(&self, answer: Value) -> (u16, Value) {
        let prompts = self.prompts().await;
        let [prompt] = prompts.as_slice() else { panic!("not one question: {prompts:?}") };
        let target = format!("/api/prompts/{}", prompt["id"].as_str().expect("a prompt has an id"));
        let answered = self.call("POST", &target, answer).await;
        self.settle().await;
        answered
    }

    /// Every event there is after a number.
    pub async fn events_after(&self, after: u64) -> Vec<Heard> {
        let core = self.core();
        let mut heard: Vec<Heard> = Vec::new();
        loop {
            let from = heard.last().map_or(after, |event| event.id);
            let next = tokio::time::timeout(Duration::from_millis(1), core.events_after(from));
            let Ok(text) = self.run(next).await else { return heard };
            heard.extend(parse_events(&text.expect("the store is there")));
        }
    }

    /// Every event there ever was, while they are kept.
    pub async fn events(&self) -> Vec<Heard> {
        self.events_after(0).await
    }

    /// What waits for an event after a number, as a page does.
    pub async fn next_events(&self, after: u64) -> Vec<Heard> {
        let core = self.core();
        let next = tokio::time::timeout(Duration::from_secs(3_600), core.events_after(after));
        let text = self.run(next).await.expect("something happens within an hour");
        parse_events(&text.expect("the store is there"))
    }

    /// The names of all events, in order, without those of some names.
    pub async fn event_names(&self, but: &[&str]) -> Vec<String> {
        self.events()
            .await
            .into_iter()
            .map(|event| event.name)
            .filter(|name| !but.contains(&name.as_str()))
            .collect()
    }

    /// Everything that was sent to the backend.
    pub fn sent(&self) -> Vec<Sent> {
        self.net.log.borrow().clone()
    }

    /// What was sent as messages, without the openings of conversations.
    pub fn messages_sent(&self) -> Vec<Sent> {
        self.sent().into_iter().filter(|sent| sent.path.ends_with("/messages")).collect()
    }

    /// The bodies of the results that were sent, in order, repeats included.
    pub fn results(&self) -> Vec<Value> {
        self.messages_sent().into_iter().filter_map(|sent| sent.body.get("action_result").cloned()).collect()
    }

    /// What the scripted agent found wrong with what it received.
    pub fn violations(&self) -> Vec<String> {
        match &*self.net.backend.borrow() {
            Backend::Scripted(brain) => brain.record().violations.clone(),
            Backend::ByHand(_) => panic!("only a scripted agent looks for violations"),
        }
    }

    /// The scripted agent misbehaves from now on.
    pub fn set_fault(&self, fault: Fault) {
        self.with_brain(|brain| brain.set_fault(fault));
    }

    /// It behaves again.
    pub fn clear_faults(&self) {
        self.with_brain(Brain::clear_faults);
    }

    fn with_brain(&self, change: impl FnOnce(&mut Brain)) {
        match &mut *self.net.backend.borrow_mut() {
            Backend::Scripted(brain) => change(brain),
            Backend::ByHand(_) => panic!("only a scripted agent has faults"),
        }
    }

    /// The backend cannot be reached, or can again.
    pub fn set_down(&self, down: bool) {
        self.net.down.set(down);
    }

    /// The chains' nodes answer like this from now on; before, none can be reached.
    pub fn set_nodes(&self, nodes: impl FnMut(&NodeCall) -> Answer + 'static) {
        *self.net.nodes.borrow_mut() = Box::new(nodes);
    }

    /// Everything that was sent to the chains' nodes.
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

    /// Writes a record as somebody else left it.
    pub async fn write(&self, table: Table, key: &str, text: &str) {
        let write = Write::Put(table, key.to_owned(), text.to_owned());
        self.commit(Batch::unowned(Durability::Strict, Vec::new(), vec![write])).await;
    }

    /// Commits what was staged by hand.
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
    let host = Worker { browser: Rc::clone(browser), tasks: Rc::downgrade(&tasks) };
    let ports = Ports {
        store: Rc::new(Yielding(store.clone(), Rc::clone(browser))),
        net: Rc::clone(net) as Rc<dyn Net>,
        host: Rc::new(host),
        signer: Rc::new(Module(Rc::clone(browser))),
    };
    (tasks, Core::new(ports, Boot { version: "0.0.1".to_owned(), wasm_bytes: 7 }))
}

fn parse_events(text: &str) -> Vec<Heard> {
    let mut heard = Vec::new();
    Decoder::default()
        .push(text.as_bytes(), &mut |event| {
            heard.push(Heard {
                id: event.id.parse().expect("an event has a number"),
                name: event.name.to_owned(),
                data: serde_json::from_str(event.data).expect("an event's data is JSON"),
            });
        })
        .expect("is an event stream");
    heard
}
