//! The browser around the worker: clock, alarm, badge, locks, secrets and the signer; and a store that yields before
//! every access.

use super::START;
use crate::clear::InProcessReader;
use crate::signer::{FastSigner, InProcessSigner};
use crate::toolbox::InProcessToolbox;
use async_trait::async_trait;
use runtime::ports::{DescriptorReader, Host, Lock, Presence, Signer, Task, Toolbox};
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
use wire::descriptor::{self, DescriptorError};
use wire::signer::{KeyRequest, Refusal, Reply, Request};
use wire::toolbox::{self, ToolboxError};

/// State that survives a worker: the clock, the alarm, the badge, locks, secrets in memory.
pub struct Browser {
    pub(super) begun: Instant,
    /// By how much the clock was set forward, or back.
    pub(super) clock_set: Cell<i64>,
    /// What the browser says of the user, and after how many seconds it is to say so.
    pub(super) presence: Cell<(Presence, u32)>,
    pub(super) rng: Cell<u64>,
    pub(super) alarm: Cell<Option<Millis>>,
    pub(super) alarm_set: Notify,
    pub(super) keep_alive: RefCell<Vec<bool>>,
    pub(super) attention: Cell<usize>,
    pub(super) notified: RefCell<Vec<String>>,
    pub(super) pages_changed: RefCell<Vec<String>>,
    pub(super) shown_bundles: RefCell<Vec<String>>,
    pub(super) locks: RefCell<BTreeMap<String, Arc<Mutex<()>>>>,
    pub(super) secrets: RefCell<BTreeMap<String, String>>,
    pub(super) full: Cell<bool>,
    pub(super) signer_unavailable: Cell<bool>,
    pub(super) toolbox_unavailable: Cell<bool>,
    pub(super) clear_unavailable: Cell<bool>,
    /// Questions to the reader of descriptors.
    pub(super) clear_asked: Cell<usize>,
    pub(super) later_unavailable: Cell<bool>,
    pub(super) signing_millis: Cell<u64>,
    pub(super) signatures: Cell<usize>,
    pub(super) fast_signer: Cell<bool>,
    pub(super) traffic: Cell<Traffic>,
}

/// Traffic between the worker and its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Number of reads.
    pub reads: usize,
    /// Bytes of records read.
    pub bytes_read: usize,
    /// Number of commits.
    pub commits: usize,
    /// Bytes of records written.
    pub bytes_written: usize,
}

impl Browser {
    /// The wall clock.
    pub fn now(&self) -> Millis {
        let passed = START + self.begun.elapsed().as_millis() as Millis;
        passed.saturating_add_signed(self.clock_set.get())
    }

    /// Sets the wall clock forward or back, in milliseconds.
    pub fn set_clock(&self, by: i64) {
        self.clock_set.set(self.clock_set.get() + by);
    }

    /// Sets what the browser says of the user if it is asked.
    pub fn set_presence(&self, presence: Presence) {
        self.presence.set((presence, self.presence.get().1));
    }

    /// After how many seconds without input the browser is to say so.
    pub fn watches_presence(&self) -> u32 {
        self.presence.get().1
    }

    /// Every change of the worker's keep-alive state, in order.
    pub fn keep_alive(&self) -> Vec<bool> {
        self.keep_alive.borrow().clone()
    }

    /// The time of the alarm.
    pub fn alarm(&self) -> Option<Millis> {
        self.alarm.get()
    }

    /// The prompts that the user was notified of, by id.
    pub fn notified(&self) -> Vec<String> {
        self.notified.borrow().clone()
    }

    /// Makes it so that the user was notified of nothing: the worker was stopped before.
    pub fn forget_notified(&self) {
        self.notified.borrow_mut().clear();
    }

    /// The origins whose pages were to be told of a change since this was last asked; `*` for all.
    pub fn take_pages_changed(&self) -> Vec<String> {
        self.pages_changed.take()
    }

    /// The bundles that the user was shown because a page asked, by id.
    pub fn shown_bundles(&self) -> Vec<String> {
        self.shown_bundles.borrow().clone()
    }

    /// The number on the badge.
    pub fn attention(&self) -> usize {
        self.attention.get()
    }

    /// Secrets kept only in memory, by name.
    pub fn secrets(&self) -> BTreeMap<String, String> {
        self.secrets.borrow().clone()
    }

    /// Makes the storage of secrets full, or not.
    pub fn set_storage_full(&self, full: bool) {
        self.full.set(full);
    }

    /// Number of signatures requested from the signer.
    pub fn signatures(&self) -> usize {
        self.signatures.get()
    }

    /// Uses the signer without password hashing, for tests about something else.
    pub fn use_fast_signer(&self) {
        self.fast_signer.set(true);
    }

    /// Traffic between the worker and its store so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    fn count(&self, add: impl FnOnce(&mut Traffic)) {
        let mut traffic = self.traffic.get();
        add(&mut traffic);
        self.traffic.set(traffic);
    }

    /// How long a signature takes.
    pub fn set_signing_millis(&self, millis: u64) {
        self.signing_millis.set(millis);
    }

    /// Makes the reader of descriptors unavailable, or available.
    pub fn set_clear_unavailable(&self, gone: bool) {
        self.clear_unavailable.set(gone);
    }

    /// How often the reader of descriptors was asked.
    pub fn clear_asked(&self) -> usize {
        self.clear_asked.get()
    }

    /// Makes the toolbox unavailable, or available.
    pub fn set_toolbox_unavailable(&self, gone: bool) {
        self.toolbox_unavailable.set(gone);
    }

    /// Makes the later part of the core unavailable, or available.
    pub fn set_later_unavailable(&self, gone: bool) {
        self.later_unavailable.set(gone);
    }

    /// Makes the signer unavailable, or available.
    pub fn set_signer_unavailable(&self, gone: bool) {
        self.signer_unavailable.set(gone);
    }
}

/// One worker's view of the browser. Its tasks end with it.
pub(super) struct Worker {
    pub(super) browser: Rc<Browser>,
    pub(super) tasks: Weak<LocalSet>,
    pub(super) begun: Instant,
}

#[async_trait(?Send)]
impl Host for Worker {
    fn now(&self) -> Millis {
        self.browser.now()
    }

    fn monotonic(&self) -> Millis {
        self.begun.elapsed().as_millis() as Millis
    }

    /// Xorshift: the same in every run.
    fn random(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let mut state = self.browser.rng.get();
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            self.browser.rng.set(state);
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

    fn show_bundle(&self, id: &str) {
        self.browser.shown_bundles.borrow_mut().push(id.to_owned());
    }

    fn summon(&self, prompt_id: &str, _: &str) {
        let mut notified = self.browser.notified.borrow_mut();
        if !notified.iter().any(|known| known == prompt_id) {
            notified.push(prompt_id.to_owned());
        }
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

    fn watch_presence(&self, seconds: u32) {
        self.browser.presence.set((self.browser.presence.get().0, seconds));
    }

    async fn presence(&self, seconds: u32) -> Presence {
        assert_eq!(seconds, self.browser.presence.get().1, "the time that is watched");
        self.browser.presence.get().0
    }

    fn pages_changed(&self, origin: Option<&str>) {
        self.browser.pages_changed.borrow_mut().push(origin.unwrap_or("*").to_owned());
    }

    async fn load_later(&self) -> Result<(), StoreError> {
        match self.browser.later_unavailable.get() {
            true => Err(StoreError::part_unavailable("the file cannot be read")),
            false => Ok(()),
        }
    }
}

/// The signer as the browser loads it: concurrent with the worker.
pub(super) struct SignerModule(pub(super) Rc<Browser>);

#[async_trait(?Send)]
impl Signer for SignerModule {
    async fn ask(&self, request: Request) -> Result<Reply, Refusal> {
        tokio::task::yield_now().await;
        if self.0.signer_unavailable.get() {
            return Err(Refusal {
                code: "signer_unavailable".to_owned(),
                message: "the signer gave no answer".to_owned(),
                step: None,
                field: None,
            });
        }
        if matches!(request, Request::Key(KeyRequest::Sign { .. })) {
            self.0.signatures.set(self.0.signatures.get() + 1);
            tokio::time::sleep(Duration::from_millis(self.0.signing_millis.get())).await;
        }
        let reply = match self.0.fast_signer.get() {
            true => FastSigner.ask(request).await,
            false => InProcessSigner.ask(request).await,
        };
        tokio::task::yield_now().await;
        reply
    }
}

/// The toolbox as the browser loads it: concurrent with the worker.
pub(super) struct ToolboxModule(pub(super) Rc<Browser>);

#[async_trait(?Send)]
impl Toolbox for ToolboxModule {
    async fn ask(&self, request: toolbox::Request) -> Result<toolbox::Reply, ToolboxError> {
        tokio::task::yield_now().await;
        if self.0.toolbox_unavailable.get() {
            return Err(ToolboxError::unavailable());
        }
        InProcessToolbox.ask(request).await
    }
}

/// The reader of descriptors as the browser loads it: concurrent with the worker.
pub(super) struct ClearModule(pub(super) Rc<Browser>);

#[async_trait(?Send)]
impl DescriptorReader for ClearModule {
    async fn ask(&self, request: descriptor::Request) -> Result<descriptor::Reply, DescriptorError> {
        tokio::task::yield_now().await;
        self.0.clear_asked.set(self.0.clear_asked.get() + 1);
        if self.0.clear_unavailable.get() {
            return Err(DescriptorError::unavailable());
        }
        InProcessReader.ask(request).await
    }
}

/// A store that yields before every access, as a database on disk does, and counts traffic.
pub(super) struct CountingStore(pub(super) Memory, pub(super) Rc<Browser>);

impl CountingStore {
    fn count_read(&self, bytes: usize) {
        self.1.count(|traffic| {
            traffic.reads += 1;
            traffic.bytes_read += bytes;
        });
    }
}

#[async_trait(?Send)]
impl Store for CountingStore {
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
