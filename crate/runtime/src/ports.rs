//! What the runtime needs from the world, as traits: the browser implements them in `worker`, tests in memory.

use crate::store::{Store, StoreError};
use async_trait::async_trait;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use wire::api::Millis;
use wire::{descriptor, signer, toolbox};

/// A piece of work that outlives the request that began it.
pub type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Everything outside.
#[derive(Clone)]
pub struct Ports {
    /// Where records are.
    pub store: Rc<dyn Store>,
    /// HTTP to the agent's backend and to the chains' nodes.
    pub net: Rc<dyn Net>,
    /// Time, chance, and the browser around us.
    pub host: Rc<dyn Host>,
    /// Keys and transactions.
    pub signer: Rc<dyn Signer>,
    /// Schemas, expressions and templates of tools.
    pub toolbox: Rc<dyn Toolbox>,
    /// Descriptors of contracts.
    pub clear: Rc<dyn DescriptorReader>,
}

/// Time, chance, and the browser around us.
#[async_trait(?Send)]
pub trait Host {
    /// The wall clock.
    fn now(&self) -> Millis;
    /// For how long this worker has run. Setting the clock does not change it.
    fn monotonic(&self) -> Millis;
    /// Fills `bytes` from a cryptographic source.
    fn random(&self, bytes: &mut [u8]);
    /// Runs a task beside the others.
    fn spawn(&self, task: Task);
    /// Waits; only while this worker lives.
    async fn sleep(&self, millis: u64);
    /// Asks to be woken (by [`crate::Core::resume`]) at a time, even if the worker dies; `None` cancels.
    fn wake_at(&self, at: Option<Millis>);
    /// Holds off the browser's idle timer while `on`.
    fn keep_alive(&self, on: bool);
    /// Shows how many prompts wait for the user.
    fn attention(&self, count: usize);
    /// Notifies the user of an open prompt: one window at most, if none of our pages shows it, and a notification. Of a prompt
    /// that the user was notified of before, nothing happens.
    fn summon(&self, prompt_id: &str, title: &str);
    /// Shows the user a bundle, in the wallet's own window.
    fn show_bundle(&self, id: &str);
    /// Waits for a lock that no other context of the extension can hold at the same time.
    async fn lock(&self, name: &str) -> Lock;
    /// A secret that lives in memory only, beyond this worker but not beyond the browser.
    async fn secret(&self, name: &str) -> Option<String>;
    /// Keeps or forgets such a secret.
    async fn set_secret(&self, name: &str, value: Option<&str>);
    /// Asks to be told (by [`crate::Core::presence_changed`]) when the screen is locked, or nothing was typed or moved for so
    /// many seconds, even if the worker dies.
    fn watch_presence(&self, seconds: u32);
    /// The same, now.
    async fn presence(&self, seconds: u32) -> Presence;
    /// What open web pages may know changed: of one origin, or of all. The shell asks [`crate::Core::page_state`] anew.
    fn pages_changed(&self, origin: Option<&str>);
    /// Loads the later part of the core, unless it is there; callers at the same time wait for the same. Fails with
    /// [`StoreError::PartUnavailable`].
    async fn load_later(&self) -> Result<(), StoreError>;
}

/// Whether the user is at the computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Something was typed or moved lately, as far as can be told.
    Active,
    /// Nothing was, for as long as was asked about.
    Idle,
    /// The screen is locked.
    Locked,
}

impl Presence {
    /// As the browser names it; a name that is not known says nothing.
    pub fn parse(name: &str) -> Self {
        match name {
            "idle" => Self::Idle,
            "locked" => Self::Locked,
            _ => Self::Active,
        }
    }
}

/// Keys and transactions: a module of its own, loaded when it is first needed, which keeps nothing. A request's type says
/// which of its two instances answers: the one that sees secrets, or the one that sees what nodes and agents wrote.
#[async_trait(?Send)]
pub trait Signer {
    /// Hands a request over and waits for the reply; a refusal is an error here. A signer that cannot be loaded, or
    /// crashed, refuses as `signer_unavailable`.
    async fn ask(&self, request: signer::Request) -> Result<signer::Reply, signer::Refusal>;
}

/// Schemas, expressions and templates of tools: a module of its own, loaded when it is first needed. It sees no secret.
#[async_trait(?Send)]
pub trait Toolbox {
    /// Hands a request over and waits for the reply; a refusal is an error here. A toolbox that cannot be loaded, or
    /// crashed, refuses as [`toolbox::ToolboxError::UNAVAILABLE`].
    async fn ask(&self, request: toolbox::Request) -> Result<toolbox::Reply, toolbox::ToolboxError>;
}

/// Reads descriptors by ERC-7730: a module of its own, loaded when one is brought in or speaks of what is to be signed. It
/// sees no secret and keeps nothing.
#[async_trait(?Send)]
pub trait DescriptorReader {
    /// Hands a request over and waits for the reply; a refusal is an error here. A module that cannot be loaded, or
    /// crashed, refuses as [`descriptor::DescriptorError::UNAVAILABLE`].
    async fn ask(
        &self,
        request: descriptor::Request,
    ) -> Result<descriptor::Reply, descriptor::DescriptorError>;
}

/// Holds a lock until dropped.
pub struct Lock(#[allow(dead_code, reason = "held for what its drop does")] Box<dyn std::any::Any>);

impl Lock {
    /// Wraps what releases the lock when dropped.
    pub fn new(release: impl std::any::Any) -> Self {
        Self(Box::new(release))
    }
}

/// HTTP to the outside. A redirect is never followed: it would carry a token, a result or a node's key to another address.
#[async_trait(?Send)]
pub trait Net {
    /// Sends and waits for the answer's head.
    async fn send(&self, request: NetRequest) -> Result<NetResponse, NetError>;
}

/// A request to the outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetRequest {
    /// Upper case.
    pub method: String,
    /// Absolute address.
    pub url: String,
    /// In their order; a content type is added by none but the sender.
    pub headers: Vec<(String, String)>,
    /// The body, where there is one.
    pub body: Option<String>,
}

impl NetRequest {
    /// A POST of JSON text, or a GET where there is none.
    pub fn json(url: String, mut headers: Vec<(String, String)>, body: Option<String>) -> Self {
        let method = if body.is_some() { "POST" } else { "GET" };
        if body.is_some() {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        Self { method: method.to_owned(), url, headers, body }
    }
}

/// An answer whose body is still on its way.
pub struct NetResponse {
    /// HTTP status.
    pub status: u16,
    /// The `Content-Type` header, or empty.
    pub content_type: String,
    /// The `Retry-After` header in seconds from now, be it a number or a date.
    pub retry_after: Option<u64>,
    /// Other headers that a client of ours looks at, by their names in lower case ([`HEADERS`]).
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Box<dyn Body>,
}

/// The headers of an answer that a client of ours looks at, besides those that have a field.
pub const HEADERS: [&str; 2] = ["mcp-session-id", "www-authenticate"];

impl NetResponse {
    /// One of [`HEADERS`].
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

/// A body read chunk by chunk. Dropping it ends the request.
#[async_trait(?Send)]
pub trait Body {
    /// The next bytes; `None` at the end.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NetError>;
}

/// The network's own failure: no answer, or one that broke off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetError(pub String);

impl NetError {
    const REDIRECTED: &'static str = "the answer is a redirect, which is not followed";

    /// The answer is a redirect.
    pub fn redirected() -> Self {
        Self(Self::REDIRECTED.to_owned())
    }

    /// Whether the answer is a redirect: another attempt would be answered so too.
    pub fn is_redirect(&self) -> bool {
        self.0 == Self::REDIRECTED
    }
}
