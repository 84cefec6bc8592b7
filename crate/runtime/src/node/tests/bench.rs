//! A core among nodes that are made by hand, under a paused clock. The nodes speak in words, which the signer
//! understands; a word it does not know is an answer without use.

use crate::node::{Answers, query_nodes};
use crate::ports::{
    Body, DescriptorReader, Host, Lock, Net, NetError, NetRequest, NetResponse, Ports, Presence, Signer,
    Task, Toolbox,
};
use crate::store::memory::Memory;
use crate::store::{Batch, Durability, Store, StoreError, Table, Write};
use crate::{Boot, Core};
use async_trait::async_trait;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;
use wire::api::Millis;
use wire::descriptor::{self, DescriptorError};
use wire::node::{
    Broadcast, Checked, NetworkFacts, NodeQuery, NodeRequest, NodeResponses, NodeResult, SignedBytes, Status,
};
use wire::signer::{DecodeRequest, Refusal, Reply, Request};
use wire::toolbox::{self, ToolboxError};
use wire::trial::{NoTrialReason, TrialOutcome};

/// What a node does with a request.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// 200 and a word.
    Says(&'static str),
    /// The same, so many milliseconds later.
    Slowly(Millis, &'static str),
    /// A status, perhaps a wish to be left alone for some seconds, and a word.
    Http(u16, Option<u64>, &'static str),
    /// 200 and any bytes.
    Bytes(Vec<u8>),
    /// No connection.
    Down,
    /// A connection, and no answer.
    Silent,
    /// An answer that begins and does not end.
    Stalls,
}

type Behaviour = Box<dyn Fn(&str) -> Node>;

/// The core, and who asked whom when.
pub(super) struct Bench {
    core: Rc<Core>,
    world: Rc<World>,
}

struct World {
    begun: Instant,
    nodes: RefCell<Behaviour>,
    log: RefCell<Vec<(Millis, String)>>,
    chance: Cell<u8>,
}

impl World {
    fn new(nodes: impl Fn(&str) -> Node + 'static) -> Self {
        let nodes = RefCell::new(Box::new(nodes) as Behaviour);
        Self { begun: Instant::now(), nodes, log: RefCell::default(), chance: Cell::new(0) }
    }
}

/// A host without nodes, for tests of other modules.
pub(crate) fn host() -> Rc<dyn Host> {
    Rc::new(World::new(|_| Node::Down))
}

/// A core over a store and a network, for tests of other modules.
pub(crate) fn core(store: Memory, net: Rc<dyn Net>) -> Rc<Core> {
    let (store, signer) = (Rc::new(store), Rc::new(Words { batches: false }));
    let ports =
        Ports { store, net, host: host(), signer, toolbox: Rc::new(NoToolbox), clear: Rc::new(NoToolbox) };
    Core::new(ports, Boot { version: "1".to_owned(), wasm_bytes: 1 })
}

impl Bench {
    /// With these nodes of Ethereum, in the order of the user's choice.
    pub(super) async fn new(urls: &[&str], nodes: impl Fn(&str) -> Node + 'static) -> Self {
        Self::with(urls, Words { batches: false }, nodes).await
    }

    /// The same; several requests are also offered as one batch, to `/batch`.
    pub(super) async fn batched(urls: &[&str], nodes: impl Fn(&str) -> Node + 'static) -> Self {
        Self::with(urls, Words { batches: true }, nodes).await
    }

    async fn with(urls: &[&str], signer: Words, nodes: impl Fn(&str) -> Node + 'static) -> Self {
        let world = Rc::new(World::new(nodes));
        let store = Rc::new(Memory::new());
        if let Some((first, others)) = urls.split_first() {
            let record = json!({"endpoints": {"Ethereum": {"url": first, "others": others}}});
            let write = Write::Put(Table::Settings, "settings".to_owned(), record.to_string());
            store.commit(Batch::unowned(Durability::Strict, Vec::new(), vec![write])).await.unwrap();
        }
        let ports = Ports {
            store,
            net: world.clone(),
            host: world.clone(),
            signer: Rc::new(signer),
            toolbox: Rc::new(NoToolbox),
            clear: Rc::new(NoToolbox),
        };
        let core = Core::new(ports, Boot { version: "1".to_owned(), wasm_bytes: 1 });
        Self { core, world }
    }

    /// The nodes behave like this from now on.
    pub(super) fn set_nodes(&self, nodes: impl Fn(&str) -> Node + 'static) {
        *self.world.nodes.borrow_mut() = Box::new(nodes);
    }

    /// Every byte of chance is this one from now on.
    pub(super) fn set_chance(&self, chance: u8) {
        self.world.chance.set(chance);
    }

    pub(super) async fn ask(&self, query: &NodeQuery) -> Answers {
        self.ask_all(vec![query.clone()]).await
    }

    pub(super) async fn ask_all(&self, queries: Vec<NodeQuery>) -> Answers {
        query_nodes(&self.core, "Ethereum", queries).await
    }

    pub(super) async fn broadcast(&self) -> Answers {
        let signed = SignedBytes { bytes: "02".to_owned(), detached: None, id: "ab".to_owned() };
        self.ask(&NodeQuery::Broadcast(signed)).await
    }

    pub(super) async fn status(&self) -> Answers {
        self.ask(&NodeQuery::Status { id: "ab".to_owned() }).await
    }

    pub(super) async fn check(&self) -> Answers {
        self.ask(&check("1")).await
    }

    pub(super) async fn trial(&self) -> Answers {
        self.ask(&NodeQuery::TrialRun { transactions: Vec::new(), tokens: Vec::new() }).await
    }

    /// Since the beginning.
    pub(super) fn now(&self) -> Millis {
        self.world.now()
    }

    /// The clock stands at this time, which has not passed yet.
    pub(super) async fn at(&self, time: Millis) {
        tokio::time::advance(Duration::from_millis(time - self.now())).await;
    }

    /// Who was asked since the last look, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.world.log.take().into_iter().map(|(_, url)| url).collect()
    }

    /// When a node was asked since the last look.
    pub(super) fn asked_at(&self) -> Vec<Millis> {
        self.world.log.take().into_iter().map(|(at, _)| at).collect()
    }
}

/// A check; its first key is a word to the signer.
pub(super) fn check(word: &str) -> NodeQuery {
    let step = json!({
        "id": "s", "sequence": 1, "chain": "Ethereum", "action": "send", "signingMode": "ecdsa_secp256k1",
        "source": {"kind": "payload", "keysignPayload": ""}, "details": {}, "waitForReceipt": true,
    });
    let account = json!({"chain": "", "publicKey": word, "address": ""});
    let request = json!({"account": account, "step": step, "index": 0, "ahead": 0});
    NodeQuery::Check(Box::new(serde_json::from_value(request).unwrap()))
}

#[async_trait(?Send)]
impl Net for World {
    async fn send(&self, request: NetRequest) -> Result<NetResponse, NetError> {
        self.log.borrow_mut().push((self.now(), request.url.clone()));
        let node = (self.nodes.borrow())(&request.url);
        let plain = |bytes: Vec<u8>| (200, None, Some(bytes));
        let (status, retry_after, bytes) = match node {
            Node::Says(word) => plain(word.into()),
            Node::Slowly(millis, word) => {
                self.sleep(millis).await;
                plain(word.into())
            }
            Node::Http(status, retry_after, word) => (status, retry_after, Some(word.into())),
            Node::Bytes(bytes) => plain(bytes),
            Node::Down => return Err(NetError("connection refused".to_owned())),
            Node::Silent => std::future::pending().await,
            Node::Stalls => (200, None, None),
        };
        let body = Box::new(Pieces { bytes, ended: false });
        Ok(NetResponse { status, content_type: String::new(), retry_after, headers: Vec::new(), body })
    }
}

/// A body in one piece; or none, and no end.
struct Pieces {
    bytes: Option<Vec<u8>>,
    ended: bool,
}

#[async_trait(?Send)]
impl Body for Pieces {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        match self.bytes.take() {
            None if self.ended => Ok(None),
            None => std::future::pending().await,
            bytes => {
                self.ended = true;
                Ok(bytes)
            }
        }
    }
}

#[async_trait(?Send)]
impl Host for World {
    fn now(&self) -> Millis {
        self.begun.elapsed().as_millis() as Millis
    }

    fn monotonic(&self) -> Millis {
        self.now()
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(self.chance.get());
    }

    /// What is begun is not run: a test runs by itself what it is about.
    fn spawn(&self, _: Task) {}

    async fn sleep(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }

    fn wake_at(&self, _: Option<Millis>) {}

    fn keep_alive(&self, _: bool) {}

    fn attention(&self, _: usize) {}

    fn summon(&self, _: &str, _: &str) {}
    fn show_bundle(&self, _: &str) {}

    async fn lock(&self, _: &str) -> Lock {
        Lock::new(())
    }

    async fn secret(&self, _: &str) -> Option<String> {
        None
    }

    async fn set_secret(&self, _: &str, _: Option<&str>) {}

    fn watch_presence(&self, _: u32) {}

    async fn presence(&self, _: u32) -> Presence {
        Presence::Active
    }

    fn pages_changed(&self, _: Option<&str>) {}

    async fn load_later(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Tools are not the subject here.
struct NoToolbox;

#[async_trait(?Send)]
impl Toolbox for NoToolbox {
    async fn ask(&self, _: toolbox::Request) -> Result<toolbox::Reply, ToolboxError> {
        Err(ToolboxError::unavailable())
    }
}

#[async_trait(?Send)]
impl DescriptorReader for NoToolbox {
    async fn ask(&self, _: descriptor::Request) -> Result<descriptor::Reply, DescriptorError> {
        Err(DescriptorError::unavailable())
    }
}

/// A signer that takes the word of a node's first response; two requests for a status, one for the rest.
struct Words {
    batches: bool,
}

#[async_trait(?Send)]
impl Signer for Words {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        let Request::Decode(request) = request else { unreachable!("only the dialects are asked for") };
        match request {
            DecodeRequest::BuildNodeRequests { queries, .. } => {
                let requests = queries.iter().map(requests).collect::<Result<Vec<_>, _>>()?;
                let batch = self.batches.then(|| NodeRequest { path: "/batch".to_owned(), body: None });
                Ok(Reply::NodeRequests { requests, batch })
            }
            DecodeRequest::ParseNodeResponses {
                queries, responses: NodeResponses::Batch(response), ..
            } => {
                let results = queries.iter().map(|query| meaning(query, response.body.trim())).collect();
                Ok(match response.body.trim() {
                    "no batches" => Reply::BatchRefused {},
                    _ => Reply::NodeResults { results },
                })
            }
            DecodeRequest::ParseNodeResponses {
                queries,
                responses: NodeResponses::Single(responses),
                ..
            } => {
                let results = queries.iter().zip(responses).map(|(query, responses)| {
                    let word = responses.first().map_or("sendable", |response| response.body.trim());
                    meaning(query, word)
                });
                Ok(Reply::NodeResults { results: results.collect() })
            }
            _ => unreachable!("only the dialects are asked for"),
        }
    }
}

fn requests(query: &NodeQuery) -> Result<Vec<NodeRequest>, Refusal> {
    let request = |path: &str| NodeRequest { path: path.to_owned(), body: None };
    Ok(match query {
        NodeQuery::Broadcast(_)
        | NodeQuery::NetworkFacts
        | NodeQuery::Fact(_)
        | NodeQuery::Fill(_)
        | NodeQuery::Estimate { .. }
        | NodeQuery::Receipt { .. }
        | NodeQuery::TrialRun { .. } => vec![request("")],
        NodeQuery::Status { .. } => vec![request("/1"), request("/2")],
        NodeQuery::Check(check) => match check.account.public_key.as_str() {
            "refused" => {
                let (code, message) = ("no_such_transaction".to_owned(), "there is none".to_owned());
                return Err(Refusal { code, message, step: None, field: None });
            }
            "nothing" => Vec::new(),
            _ => vec![request("")],
        },
    })
}

/// A trial run in which nothing happens.
pub(super) fn ran() -> TrialOutcome {
    let (changes, gaps) = (Vec::new(), Vec::new());
    TrialOutcome::Ran { changes, fee: None, failure: None, transactions: 1, gaps }
}

/// What a word means.
pub(super) fn meaning(query: &NodeQuery, word: &str) -> NodeResult {
    let reason = word.to_owned();
    match query {
        NodeQuery::Broadcast(_) => NodeResult::Broadcast(match word {
            "accepted" => Broadcast::Accepted,
            "rejected" => Broadcast::Rejected { reason },
            _ => Broadcast::Ambiguous { reason },
        }),
        NodeQuery::Status { .. } => NodeResult::Status(match word {
            "pending" => Status::Pending,
            "confirmed" => Status::Confirmed { block: Some(7) },
            "confirmed later" => Status::Confirmed { block: Some(8) },
            "failed" => Status::Failed { reason },
            "not found" => Status::NotFound,
            _ => Status::Unclear { reason },
        }),
        NodeQuery::Check(_) => NodeResult::Checked(match word {
            "sendable" => Checked::Sendable { findings: Vec::new() },
            "stale" => Checked::Stale { reason },
            "wrong network" => Checked::WrongNetwork { reason },
            _ => Checked::Unclear { reason },
        }),
        NodeQuery::Fill(_) | NodeQuery::Estimate { .. } | NodeQuery::Receipt { .. } => {
            unreachable!("no test here asks this")
        }
        NodeQuery::TrialRun { .. } => NodeResult::TrialRun(match word {
            "ran" => ran(),
            "no trial runs" => TrialOutcome::NotRun { reason: NoTrialReason::NodeHasNone },
            _ => TrialOutcome::NotRun { reason: NoTrialReason::Unreadable },
        }),
        NodeQuery::NetworkFacts => NodeResult::NetworkFacts(NetworkFacts {
            zcash_branch: (word == "branch").then(|| "f04dec4d".to_owned()),
            facts: Vec::new(),
        }),
        NodeQuery::Fact(_) => NodeResult::Facts(Vec::new()),
    }
}
