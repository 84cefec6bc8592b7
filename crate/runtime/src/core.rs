//! What lives as long as the worker: the ports, who this start is, which work is under way.

use crate::audit::Chain;
use crate::contacts::Contacts;
use crate::event::Events;
use crate::id::Ids;
use crate::node::Nodes;
use crate::ports::Ports;
use crate::signal::Signal;
use crate::store::{Batch, Range, StoreError, Table};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wire::api::{Health, Millis};

/// How long after a failure of the store, or a death in the middle of work, the work is taken up again.
const AFTER_FAILURE: Millis = 30_000;

/// Who this start of the worker is.
#[derive(Debug, Clone)]
pub struct Boot {
    /// The extension's version.
    pub version: String,
    /// Size of the wasm module.
    pub wasm_bytes: u64,
}

/// The running core. Cheap to clone by `Rc`; one per start of the worker.
pub struct Core {
    pub(crate) ports: Ports,
    pub(crate) ids: Ids,
    pub(crate) events: Events,
    pub(crate) contacts: Contacts,
    pub(crate) chain: Chain,
    /// Raised after every commit.
    pub(crate) changed: Signal,
    /// Which of the chains' nodes failed lately.
    pub(crate) nodes: Nodes,
    health: Health,
    work: RefCell<Vec<String>>,
    /// Tasks of which only one may run at a time, and whether somebody asked for another round.
    running: RefCell<Vec<(String, bool)>>,
    alarm: Alarm,
}

/// Why and when to be woken. A dead worker hears nothing but the alarm, so it is set for everything that is left.
#[derive(Debug, Default)]
struct Alarm {
    /// The earliest deadline in the store.
    deadline: Cell<Option<Millis>>,
    /// While work is under way: if the worker dies in the middle of it, somebody must go on.
    watch: Cell<Option<Millis>>,
    /// The store failed.
    retry: Cell<Option<Millis>>,
    /// What the browser was last told.
    set: Cell<Option<Millis>>,
}

impl Core {
    /// A core over an opened store. Call [`Core::resume`] next.
    pub fn new(ports: Ports, boot: Boot) -> Rc<Self> {
        let ids = Ids::new(ports.host.clone());
        let health = Health {
            version: boot.version,
            boot_id: ids.next(),
            started_at: ports.host.now(),
            wasm_bytes: boot.wasm_bytes,
            work: Vec::new(),
        };
        Rc::new(Self {
            ids,
            events: Events::default(),
            contacts: Contacts::new(Rc::clone(&ports.store)),
            chain: Chain::default(),
            changed: Signal::default(),
            nodes: Nodes::default(),
            health,
            work: RefCell::default(),
            running: RefCell::default(),
            alarm: Alarm::default(),
            ports,
        })
    }

    /// Takes up everything that an earlier worker left: calls, questions, deliveries. Called on every start, by
    /// the alarm, and when the network comes back.
    pub async fn resume(self: &Rc<Self>) -> Result<(), StoreError> {
        let _working = self.working("resumption");
        // The alarm may be the one that has just rung: it is set anew before anything else.
        self.alarm.set.set(None);
        self.alarm.retry.set(None);
        self.watch_work();
        let outcome = self.take_up().await;
        if outcome.is_err() {
            self.alarm.retry.set(Some(self.now() + AFTER_FAILURE));
        }
        outcome
    }

    async fn take_up(self: &Rc<Self>) -> Result<(), StoreError> {
        self.adopt_vault().await?;
        self.expire_unlocks().await?;
        self.expire_prompts().await?;
        for lane in self.open_lanes().await? {
            self.run_lane(&lane);
        }
        self.deliver_everything().await?;
        if self.next_watch().await?.is_some_and(|at| at <= self.now()) {
            self.follow();
        }
        self.show_attention().await?;
        self.trim_events(self.last_event_id().await?).await?;
        self.keep_contacts();
        self.schedule_wake().await
    }

    /// Makes the one text of a large address book anew, in the background, after a change or a start.
    pub(crate) fn keep_contacts(self: &Rc<Self>) {
        if self.contacts.is_outdated() {
            self.spawn_single("contacts".to_owned(), |core| async move {
                // Without the text the book is read record by record; the next start tries again.
                let _ = core.contacts.keep().await;
            });
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.ports.host.now()
    }

    pub(crate) fn health(&self) -> Health {
        Health { work: self.work.borrow().clone(), ..self.health.clone() }
    }

    /// Commits and tells everybody who waits for a change.
    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.commit_sealed(batch).await?;
        self.changed.raise();
        Ok(())
    }

    /// Keeps the worker alive, under a name, until dropped.
    pub(crate) fn working(self: &Rc<Self>, name: &str) -> Working {
        self.work.borrow_mut().push(name.to_owned());
        if self.work.borrow().len() == 1 {
            self.ports.host.keep_alive(true);
            self.watch_work();
        }
        Working { core: Rc::clone(self), name: name.to_owned() }
    }

    /// Spawns a task of which only one runs at a time. If it is running, it runs once more afterwards, so that
    /// what changed while it was looking is seen.
    pub(crate) fn spawn_single<F>(self: &Rc<Self>, name: String, task: impl Fn(Rc<Self>) -> F + 'static)
    where
        F: Future<Output = ()> + 'static,
    {
        if let Some((_, again)) = self.running.borrow_mut().iter_mut().find(|(running, _)| *running == name) {
            *again = true;
            return;
        }
        self.running.borrow_mut().push((name.clone(), false));
        let core = Rc::clone(self);
        // From here on, not from the task's first turn: whoever began it may end before that.
        let working = self.working(&name);
        self.ports.host.spawn(Box::pin(async move {
            let _working = working;
            loop {
                task(Rc::clone(&core)).await;
                let mut running = core.running.borrow_mut();
                match running.iter_mut().find(|(running, _)| *running == name) {
                    Some((_, again)) if *again => *again = false,
                    _ => {
                        running.retain(|(running, _)| *running != name);
                        break;
                    }
                }
            }
        }));
    }

    /// Repeats a step until it says that there is nothing more to do. A step that lost a race looks again.
    pub(crate) async fn until_rest<F>(&self, step: impl Fn() -> F) -> Result<(), StoreError>
    where
        F: Future<Output = Result<bool, StoreError>>,
    {
        loop {
            match step().await {
                Ok(true) | Err(StoreError::Conflict { .. }) => {}
                Ok(false) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// After a piece of work: what failed for lack of storage is tried again soon, what waits at its time.
    pub(crate) async fn wake_after(&self, outcome: Result<(), StoreError>) {
        if outcome.is_err() || self.schedule_wake().await.is_err() {
            self.alarm.retry.set(Some(self.now() + AFTER_FAILURE));
            self.set_alarm();
        }
    }

    /// Sets the alarm to the earliest deadline in the store: a timer alone would die with the worker.
    pub(crate) async fn schedule_wake(&self) -> Result<(), StoreError> {
        loop {
            let seen = self.changed.version();
            let prompts = self.open_prompts().await?.into_iter().map(|prompt| prompt.record.expires_at).min();
            // What is due is being looked for: an alarm would ring at once, and again while a slow node takes its time.
            let now = self.now();
            let others = [
                self.next_lock().await?,
                self.next_delivery().await?,
                self.next_look().await?,
                self.next_watch().await?.map(|at| if at > now { at } else { now + AFTER_FAILURE }),
            ];
            let earliest = others.into_iter().chain([prompts]).flatten().min();
            // What was written while we looked has set its own alarm, which must not be undone.
            if self.changed.version() == seen {
                self.alarm.deadline.set(earliest);
                self.set_alarm();
                return Ok(());
            }
        }
    }

    /// Looks after the work under way, if there is any.
    fn watch_work(&self) {
        let busy = !self.work.borrow().is_empty();
        self.alarm.watch.set(busy.then(|| self.now() + AFTER_FAILURE));
        self.set_alarm();
    }

    fn set_alarm(&self) {
        let Alarm { deadline, watch, retry, set } = &self.alarm;
        let earliest = [deadline, watch, retry].into_iter().filter_map(Cell::get).min();
        if earliest != set.replace(earliest) {
            self.ports.host.wake_at(earliest);
        }
    }

    /// The lanes in which calls have not ended.
    pub(crate) async fn open_lanes(&self) -> Result<Vec<String>, StoreError> {
        let rows = self.ports.store.scan(Table::Pending, Range::all()).await?;
        let mut lanes: Vec<String> =
            rows.iter().filter_map(|row| row.key.split_once('/')).map(|(lane, _)| lane.to_owned()).collect();
        lanes.dedup();
        Ok(lanes)
    }
}

/// A named piece of work under way.
pub(crate) struct Working {
    core: Rc<Core>,
    name: String,
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut work = self.core.work.borrow_mut();
        if let Some(position) = work.iter().position(|name| *name == self.name) {
            work.remove(position);
        }
        if work.is_empty() {
            self.core.ports.host.keep_alive(false);
            drop(work);
            self.core.watch_work();
        }
    }
}
