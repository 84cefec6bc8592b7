//! The ports of one simulated worker: every effect is a point at which the worker can crash.

use super::executor::yield_now;
use super::{Incident, Shared, Worker};
use agent_backend::{Answer, Piece, Request, ScriptedAgent};
use async_trait::async_trait;
use runtime::ports::{Body, Host, Lock, Net, NetError, NetRequest, NetResponse, Presence, Task};
use runtime::store::{Batch, Query, Row, Store, StoreError, Table};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Answers the core's requests to the backend.
pub trait Backend {
    /// Handles a request; it takes effect whether or not a worker is left to read the answer.
    fn answer(&mut self, request: Request) -> Answer;
}

impl Backend for ScriptedAgent {
    fn answer(&mut self, request: Request) -> Answer {
        ScriptedAgent::answer(self, request)
    }
}

/// Answers at every other URL: the chains' nodes.
pub trait Chains {
    /// Handles a request, a GET without a body; it takes effect whether or not a worker is left to read the answer.
    fn answer(&mut self, url: &str, body: Option<&str>, now: u64) -> Answer;
}

/// No node is reachable.
impl Chains for () {
    fn answer(&mut self, _: &str, _: Option<&str>, _: u64) -> Answer {
        Answer { before_headers: Some(Piece::Cut), status: 0, headers: Vec::new(), body: Vec::new() }
    }
}

/// All ports of one worker.
#[derive(Clone)]
pub(super) struct WorkerPorts {
    pub(super) shared: Rc<Shared>,
    pub(super) worker: Rc<Worker>,
}

impl WorkerPorts {
    /// A point: the worker may crash here and then never continues. The error is a full disk.
    async fn point(&self) -> Result<(), StoreError> {
        if !self.worker.ended.get() {
            match self.shared.incident() {
                None => return Ok(()),
                Some(Incident::FailOnce) => return Err(StoreError::unavailable("full")),
                Some(Incident::SecondWorker) => {
                    self.shared.second_worker.set(true);
                    return Ok(());
                }
                Some(Incident::Crash) => self.worker.ended.set(true),
                Some(Incident::CloseBrowser) => {
                    self.shared.secrets.borrow_mut().clear();
                    self.worker.ended.set(true);
                }
            }
        }
        std::future::pending().await
    }

    /// The answer of the backend or of a node.
    fn answer(&self, request: NetRequest) -> Answer {
        let now = self.shared.clock.get();
        let Some(path) = request.url.strip_prefix(super::BACKEND) else {
            let chains = Rc::clone(&self.shared.chains.borrow());
            return chains.borrow_mut().answer(&request.url, request.body.as_deref(), now);
        };
        let path = path.to_owned();
        let mut headers: Vec<_> =
            request.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        self.shared.backend.borrow_mut().answer(Request {
            method: "POST".to_owned(),
            path,
            headers,
            body: request.body.unwrap_or_default().into_bytes(),
            at_ms: now,
        })
    }

    /// Before an effect: the disk may be full, and another task may run first.
    async fn before(&self) -> Result<(), StoreError> {
        if self.shared.rng.shuffled() {
            yield_now().await;
        }
        self.point().await
    }

    /// After an effect and before the worker knows of it: too late to fail.
    async fn after<T>(&self, outcome: T) -> T {
        let _ = self.point().await;
        outcome
    }
}

#[async_trait(?Send)]
impl Store for WorkerPorts {
    async fn read(&self, queries: Vec<Query>) -> Result<Vec<Vec<Row>>, StoreError> {
        self.before().await?;
        self.after(self.shared.memory.read(queries).await).await
    }

    async fn lines(&self, table: Table) -> Result<String, StoreError> {
        self.before().await?;
        self.after(self.shared.memory.lines(table).await).await
    }

    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError> {
        self.before().await?;
        self.after(self.shared.memory.commit(batch).await).await
    }
}

#[async_trait(?Send)]
impl Net for WorkerPorts {
    async fn send(&self, request: NetRequest) -> Result<NetResponse, NetError> {
        self.before().await.map_err(|_| NetError("no network".to_owned()))?;
        let answer = self.answer(request);
        self.after(()).await;
        match answer.before_headers {
            Some(Piece::Stall) => std::future::pending::<()>().await,
            Some(Piece::Pause(time)) => self.sleep(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).await,
            Some(_) => return Err(NetError("the connection ended".to_owned())),
            None => {}
        }
        let header = |name: &str| {
            answer.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        };
        let (content_type, retry_after) = (header("content-type"), header("retry-after"));
        Ok(NetResponse {
            status: answer.status,
            content_type: content_type.cloned().unwrap_or_default(),
            retry_after: retry_after.and_then(|seconds| seconds.parse().ok()),
            headers: Vec::new(),
            body: Box::new(Pieces { ports: self.clone(), pieces: answer.body.into(), halved: false }),
        })
    }
}

/// A body in transit. Every chunk comes in two halves, so that a worker can crash in the middle of one.
struct Pieces {
    ports: WorkerPorts,
    pieces: VecDeque<Piece>,
    /// The first chunk is a second half.
    halved: bool,
}

#[async_trait(?Send)]
impl Body for Pieces {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        loop {
            self.ports.before().await.map_err(|_| NetError("the connection ended".to_owned()))?;
            match self.pieces.pop_front() {
                None => return Ok(None),
                Some(Piece::Bytes(mut bytes)) => {
                    self.halved = !self.halved && bytes.len() > 1;
                    if self.halved {
                        let half = bytes.split_off(bytes.len() / 2);
                        self.pieces.push_front(Piece::Bytes(half));
                    }
                    return Ok(Some(bytes));
                }
                Some(Piece::Pause(time)) => {
                    self.ports.sleep(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).await;
                }
                Some(Piece::Stall) => std::future::pending().await,
                Some(Piece::Cut) => return Err(NetError("the connection ended".to_owned())),
            }
        }
    }
}

#[async_trait(?Send)]
impl Host for WorkerPorts {
    fn now(&self) -> u64 {
        self.shared.clock.get()
    }

    fn monotonic(&self) -> u64 {
        self.shared.clock.get() - self.worker.began
    }

    fn random(&self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.shared.rng.below(256) as u8;
        }
    }

    fn spawn(&self, task: Task) {
        self.shared.executor.spawn(self.worker.id, task);
    }

    async fn sleep(&self, millis: u64) {
        let until = self.shared.clock.get() + millis;
        self.shared.executor.sleep(until, Rc::clone(&self.shared.clock)).await;
    }

    fn wake_at(&self, at: Option<u64>) {
        if !self.worker.ended.get() {
            self.shared.alarm.set(at);
        }
    }

    fn keep_alive(&self, on: bool) {
        self.worker.busy.set(on);
    }

    fn summon(&self, _: &str, _: &str) {}
    fn show_bundle(&self, _: &str) {}

    fn attention(&self, count: usize) {
        self.shared.attention.set(count);
    }

    async fn lock(&self, name: &str) -> Lock {
        Locks::acquire(&self.shared.locks, name).await
    }

    async fn secret(&self, name: &str) -> Option<String> {
        self.shared.secrets.borrow().get(name).cloned()
    }

    async fn set_secret(&self, name: &str, value: Option<&str>) {
        let mut secrets = self.shared.secrets.borrow_mut();
        match value {
            Some(value) => secrets.insert(name.to_owned(), value.to_owned()),
            None => secrets.remove(name),
        };
    }

    fn watch_presence(&self, _: u32) {}

    async fn presence(&self, _: u32) -> Presence {
        Presence::Active
    }

    fn pages_changed(&self, _: Option<&str>) {}

    async fn load_later(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The browser's locks: each held by one worker, and released when it ends.
pub(super) struct Locks {
    /// If false, every lock is granted at once.
    hold: bool,
    held: RefCell<Vec<String>>,
    waiting: RefCell<Vec<Waker>>,
}

impl Locks {
    pub(super) fn new(hold: bool) -> Self {
        Self { hold, held: RefCell::default(), waiting: RefCell::default() }
    }

    async fn acquire(locks: &Rc<Self>, name: &str) -> Lock {
        std::future::poll_fn(|context| {
            if locks.hold && locks.held.borrow().iter().any(|held| held == name) {
                locks.waiting.borrow_mut().push(context.waker().clone());
                return Poll::Pending;
            }
            locks.held.borrow_mut().push(name.to_owned());
            Poll::Ready(())
        })
        .await;
        Lock::new(Held { locks: Rc::clone(locks), name: name.to_owned() })
    }
}

struct Held {
    locks: Rc<Locks>,
    name: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.locks.held.borrow_mut().retain(|held| *held != self.name);
        for waker in self.locks.waiting.take() {
            waker.wake();
        }
    }
}
