//! The browser around the worker: clock, alarm, badge, locks, secrets and the signer; and a store that lets others in
//! between.

use super::BEGINNING;
use crate::signer::{InProcess, Light};
use async_trait::async_trait;
use runtime::ports::{Host, Lock, Signer, Task};
use runtime::store::memory::Memory;
use runtime::store::{Batch, Query, Row, Store, StoreError, Table, Write};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Notify};
use tokio::task::LocalSet;
use tokio::time::Instant;
use wire::api::Millis;
use wire::signer::{Refusal, Reply, Request};

/// What outlives a worker: the clock, the alarm, the badge, locks, secrets in memory.
pub struct Browser {
    pub(super) begun: Instant,
    pub(super) chance: Cell<u64>,
    pub(super) alarm: Cell<Option<Millis>>,
    pub(super) alarm_set: Notify,
    pub(super) keep_alive: RefCell<Vec<bool>>,
    pub(super) attention: Cell<usize>,
    pub(super) summoned: RefCell<Vec<String>>,
    pub(super) locks: RefCell<BTreeMap<String, Arc<Mutex<()>>>>,
    pub(super) secrets: RefCell<BTreeMap<String, String>>,
    pub(super) full: Cell<bool>,
    pub(super) signer_gone: Cell<bool>,
    pub(super) signatures: Cell<usize>,
    pub(super) light: Cell<bool>,
    pub(super) traffic: Cell<Traffic>,
}

/// What went between the worker and its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// How often it read.
    pub reads: usize,
    /// How much, in bytes of records.
    pub bytes_read: usize,
    /// How often it wrote, each time all or nothing.
    pub commits: usize,
    /// How much, in bytes of records.
    pub bytes_written: usize,
}

impl Browser {
    /// The wall clock.
    pub fn now(&self) -> Millis {
        BEGINNING + self.begun.elapsed().as_millis() as Millis
    }

    /// Every change of the worker's wish to live, in order.
    pub fn keep_alive(&self) -> Vec<bool> {
        self.keep_alive.borrow().clone()
    }

    /// When the worker wants to be woken.
    pub fn alarm(&self) -> Option<Millis> {
        self.alarm.get()
    }

    /// The questions that the person was fetched for.
    pub fn summoned(&self) -> Vec<String> {
        self.summoned.borrow().clone()
    }

    /// The number on the badge.
    pub fn attention(&self) -> usize {
        self.attention.get()
    }

    /// What is kept in memory only, by name.
    pub fn secrets(&self) -> BTreeMap<String, String> {
        self.secrets.borrow().clone()
    }

    /// There is no more room for secrets, or there is again.
    pub fn set_full(&self, full: bool) {
        self.full.set(full);
    }

    /// How often the signer was asked for a signature.
    pub fn signatures(&self) -> usize {
        self.signatures.get()
    }

    /// Passwords cost nothing from now on; for stories about something else.
    pub fn set_light(&self) {
        self.light.set(true);
    }

    /// What went between the worker and its store so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    fn count(&self, add: impl FnOnce(&mut Traffic)) {
        let mut traffic = self.traffic.get();
        add(&mut traffic);
        self.traffic.set(traffic);
    }

    /// The signer cannot be loaded, or can again.
    pub fn set_signer_gone(&self, gone: bool) {
        self.signer_gone.set(gone);
    }
}

/// One worker's view of the browser. Its tasks die with it.
pub(super) struct Worker {
    pub(super) browser: Rc<Browser>,
    pub(super) tasks: Weak<LocalSet>,
}

#[async_trait(?Send)]
impl Host for Worker {
    fn now(&self) -> Millis {
        self.browser.now()
    }

    /// Xorshift: the same in every run.
    fn random(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let mut state = self.browser.chance.get();
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            self.browser.chance.set(state);
            *byte = state as u8;
        }
    }

    fn spawn(&self, task: Task) {
        if let Some(tasks) = self.tasks.upgrade() {
            tasks.spawn_local(task);
        }
    }

    async fn sleep(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }

    fn wake_at(&self, at: Option<Millis>) {
        self.browser.alarm.set(at);
        self.browser.alarm_set.notify_one();
    }

    fn keep_alive(&self, on: bool) {
        self.browser.keep_alive.borrow_mut().push(on);
    }

    fn summon(&self, prompt_id: &str, _: &str) {
        self.browser.summoned.borrow_mut().push(prompt_id.to_owned());
    }

    fn attention(&self, count: usize) {
        self.browser.attention.set(count);
    }

    async fn lock(&self, name: &str) -> Lock {
        let lock = Arc::clone(self.browser.locks.borrow_mut().entry(name.to_owned()).or_default());
        Lock::new(lock.lock_owned().await)
    }

    async fn secret(&self, name: &str) -> Option<String> {
        self.browser.secrets.borrow().get(name).cloned()
    }

    async fn set_secret(&self, name: &str, value: Option<&str>) {
        let mut secrets = self.browser.secrets.borrow_mut();
        match value {
            Some(_) if self.browser.full.get() => None,
            Some(value) => secrets.insert(name.to_owned(), value.to_owned()),
            None => secrets.remove(name),
        };
    }
}

/// The signer as the browser loads it: beside the worker, which goes on meanwhile.
pub(super) struct Module(pub(super) Rc<Browser>);

#[async_trait(?Send)]
impl Signer for Module {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        tokio::task::yield_now().await;
        if self.0.signer_gone.get() {
            return Err(Refusal {
                code: "signer_unavailable".to_owned(),
                message: "the signer gave no answer".to_owned(),
                step: None,
                field: None,
            });
        }
        if matches!(request, Request::Sign { .. }) {
            self.0.signatures.set(self.0.signatures.get() + 1);
        }
        let reply = match self.0.light.get() {
            true => Light.ask(request).await,
            false => InProcess.ask(request).await,
        };
        tokio::task::yield_now().await;
        reply
    }
}

/// A store that lets other tasks run before every access, as a database on disk does, and counts.
pub(super) struct Yielding(pub(super) Memory, pub(super) Rc<Browser>);

impl Yielding {
    fn count_read(&self, bytes: usize) {
        self.1.count(|traffic| {
            traffic.reads += 1;
            traffic.bytes_read += bytes;
        });
    }
}

#[async_trait(?Send)]
impl Store for Yielding {
    async fn read(&self, queries: Vec<Query>) -> Result<Vec<Vec<Row>>, StoreError> {
        tokio::task::yield_now().await;
        let answers = self.0.read(queries).await?;
        self.count_read(answers.iter().flatten().map(|row| row.text.len()).sum());
        Ok(answers)
    }

    async fn lines(&self, table: Table) -> Result<String, StoreError> {
        tokio::task::yield_now().await;
        let lines = self.0.lines(table).await?;
        self.count_read(lines.len());
        Ok(lines)
    }

    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError> {
        tokio::task::yield_now().await;
        let bytes = |write: &Write| match write {
            Write::Put(_, _, text) | Write::Append(_, text) => text.len(),
            Write::Delete(..) | Write::DeleteBefore(..) => 0,
        };
        let written = batch.writes().iter().map(bytes).sum::<usize>();
        self.1.count(|traffic| {
            traffic.commits += 1;
            traffic.bytes_written += written;
        });
        self.0.commit(batch).await
    }
}
