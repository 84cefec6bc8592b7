//! A deterministic simulator: successive workers with one store and one backend, each of which can crash at any
//! effect.
//!
//! Every store read and commit, every request and every half of every chunk of an answer is a *point*, numbered
//! through the whole run. At a chosen point an [`Incident`] happens: the worker crashes — before the effect or after
//! it, since both sides are points — and all its tasks are dropped; or the disk fails; or a second worker starts with
//! the same store while the first continues. The same seed and the same incidents give the same run.

pub mod bundles;
mod executor;
mod ports;
pub mod raw_backend;
pub mod scenario;

pub use ports::{Backend, Chains};

use crate::clear::InProcessReader;
use crate::signer::StubSigner;
use crate::toolbox::InProcessToolbox;
use executor::Executor;
use ports::{Locks, WorkerPorts};
use runtime::http::Reply;
use runtime::ports::Ports;
use runtime::store::memory::Memory;
use runtime::store::{Range, Row, Store, Table};
use runtime::{Boot, Core};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The backend's URL.
pub const BACKEND: &str = "https://agent.example";

/// A run with more polls than this is in an endless loop.
const MOST_STEPS: u64 = 400_000;

/// A worker without keep-alive is stopped after this time.
const IDLE: u64 = 30_000;

/// What happens at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incident {
    /// The worker crashes.
    Crash,
    /// The browser closes, and everything kept only in memory is lost.
    CloseBrowser,
    /// The store or the network fails once. After the effect this does nothing.
    FailOnce,
    /// A second worker starts with the same store; the first continues.
    SecondWorker,
}

/// What follows a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    /// The browser restarts the worker at once.
    Immediate,
    /// The worker starts when the alarm fires or a page sends a request.
    OnDemand,
}

/// The plan of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Seeds every remaining random choice.
    pub seed: u64,
    /// Incidents, each after this many further points.
    pub incidents: Vec<(u64, Incident)>,
    /// What follows a crash.
    pub restart: Restart,
    /// Whether tasks run in random order and time passes between them; otherwise in order, in no time.
    pub shuffled: bool,
    /// Whether the browser's locks work. They do in a browser; what relies on preconditions must not need them.
    pub locks: bool,
}

impl Plan {
    /// No incidents.
    pub fn undisturbed() -> Self {
        Self { seed: 1, incidents: Vec::new(), restart: Restart::Immediate, shuffled: false, locks: true }
    }

    /// One crash at a point.
    pub fn crash_at(point: u64, restart: Restart) -> Self {
        Self { incidents: vec![(point, Incident::Crash)], restart, ..Self::undisturbed() }
    }

    /// One incident at each of so many points: a crash with either restart, a failed access, a second worker.
    pub fn each_incident_at_each_of(points: u64) -> impl Iterator<Item = (u64, Incident, Restart, Self)> {
        let incidents = [
            (Incident::Crash, Restart::Immediate),
            (Incident::Crash, Restart::OnDemand),
            (Incident::FailOnce, Restart::Immediate),
            (Incident::SecondWorker, Restart::Immediate),
        ];
        (0..points).flat_map(move |point| {
            incidents.map(|(incident, restart)| {
                let plan = Self { incidents: vec![(point, incident)], restart, ..Self::undisturbed() };
                (point, incident, restart, plan)
            })
        })
    }
}

/// Random numbers from a seed (SplitMix64).
#[derive(Debug)]
pub struct Rng {
    state: Cell<u64>,
    shuffled: bool,
}

impl Rng {
    /// Random numbers from a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: Cell::new(seed), shuffled: false }
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&self, end: u64) -> u64 {
        self.state.set(self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut z = self.state.get();
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).checked_rem(end).unwrap_or(0)
    }

    fn shuffled(&self) -> bool {
        self.shuffled && self.below(3) == 0
    }
}

/// State that survives every worker.
struct Shared {
    memory: Memory,
    backend: Rc<RefCell<dyn Backend>>,
    chains: RefCell<Rc<RefCell<dyn Chains>>>,
    executor: Rc<Executor>,
    clock: Rc<Cell<u64>>,
    rng: Rng,
    locks: Rc<Locks>,
    alarm: Cell<Option<u64>>,
    attention: Cell<usize>,
    /// Kept only in memory, across workers.
    secrets: RefCell<BTreeMap<String, String>>,
    /// Points so far, and the incidents left; none happens before `arm`.
    points: Cell<u64>,
    incidents: RefCell<VecDeque<(u64, Incident)>>,
    armed: Cell<bool>,
    second_worker: Cell<bool>,
}

impl Shared {
    fn incident(&self) -> Option<Incident> {
        if !self.armed.get() {
            return None;
        }
        self.points.set(self.points.get() + 1);
        let mut incidents = self.incidents.borrow_mut();
        let (left, incident) = incidents.front_mut()?;
        if *left > 0 {
            *left -= 1;
            return None;
        }
        let incident = *incident;
        incidents.pop_front();
        Some(incident)
    }
}

/// One start of the worker.
struct Worker {
    id: u64,
    /// When it started.
    began: u64,
    ended: Cell<bool>,
    /// Keeps the browser's idle timer off.
    busy: Cell<bool>,
}

/// A page's request.
#[derive(Clone)]
pub struct PageRequest {
    worker: Rc<Worker>,
    reply: Rc<RefCell<Option<Reply>>>,
}

impl PageRequest {
    /// The answer, once there is one.
    pub fn reply(&self) -> Option<Reply> {
        self.reply.borrow().clone()
    }

    /// Whether the worker crashed before it answered.
    pub fn lost(&self) -> bool {
        self.worker.ended.get() && self.reply.borrow().is_none()
    }
}

/// The user of the pages while the simulation runs.
pub trait SimUser {
    /// Acts on what is due now. Returns when there is more to do.
    fn act(&mut self, sim: &Sim) -> Option<u64>;
}

/// No user.
impl SimUser for () {
    fn act(&mut self, _: &Sim) -> Option<u64> {
        None
    }
}

/// A store, a backend, and the workers between them.
pub struct Sim {
    shared: Rc<Shared>,
    restart: Restart,
    workers: RefCell<Vec<(Rc<Worker>, Rc<Core>)>>,
    started: Cell<u64>,
    failures: Rc<RefCell<Vec<String>>>,
    signature_count: RefCell<Option<Rc<Cell<u64>>>>,
}

impl Sim {
    /// A simulation without a worker.
    pub fn new(plan: &Plan, backend: Rc<RefCell<dyn Backend>>) -> Self {
        let shared = Shared {
            memory: Memory::new(),
            backend,
            chains: RefCell::new(Rc::new(RefCell::new(()))),
            executor: Rc::default(),
            clock: Rc::new(Cell::new(1_700_000_000_000)),
            rng: Rng { shuffled: plan.shuffled, ..Rng::new(plan.seed) },
            locks: Rc::new(Locks::new(plan.locks)),
            alarm: Cell::new(None),
            attention: Cell::new(0),
            secrets: RefCell::default(),
            points: Cell::new(0),
            incidents: RefCell::new(plan.incidents.iter().copied().collect()),
            armed: Cell::new(false),
            second_worker: Cell::new(false),
        };
        Self {
            shared: Rc::new(shared),
            restart: plan.restart,
            workers: RefCell::default(),
            started: Cell::new(0),
            failures: Rc::default(),
            signature_count: RefCell::default(),
        }
    }

    /// Sets the chains' nodes; without them no node is reachable.
    pub fn set_chains(&self, chains: Rc<RefCell<dyn Chains>>) {
        *self.shared.chains.borrow_mut() = chains;
    }

    /// Makes every signature different, in every worker from now on.
    pub fn vary_signatures(&self) {
        *self.signature_count.borrow_mut() = Some(Rc::default());
    }

    /// From now on incidents happen.
    pub fn arm(&self) {
        self.shared.armed.set(true);
    }

    /// From now on no incidents happen.
    pub fn disarm(&self) {
        self.shared.armed.set(false);
    }

    /// Points passed since `arm`.
    pub fn points(&self) -> u64 {
        self.shared.points.get()
    }

    /// Workers started so far.
    pub fn workers(&self) -> u64 {
        self.started.get()
    }

    /// The clock.
    pub fn now(&self) -> u64 {
        self.shared.clock.get()
    }

    /// The source of random choices.
    pub fn rng(&self) -> &Rng {
        &self.shared.rng
    }

    /// The records of a table.
    pub fn rows(&self, table: Table) -> Vec<Row> {
        match poll_once(self.shared.memory.scan(table, Range::all())) {
            Some(Ok(rows)) => rows,
            _ => Vec::new(),
        }
    }

    /// Broken invariants: a resumption that failed without a disk failure, an endless loop, or an idle worker with
    /// work, alarm or badge.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.failures.borrow().clone();
        let busy = self.workers.borrow().iter().any(|(worker, _)| worker.busy.get());
        if busy {
            failures.push("an idle worker is kept alive".to_owned());
        }
        if let Some(at) = self.shared.alarm.get() {
            failures.push(format!("the alarm is set to {at} at rest"));
        }
        if self.shared.attention.get() > 0 && !self.workers.borrow().is_empty() {
            failures.push("the badge shows a prompt at rest".to_owned());
        }
        failures
    }

    /// Sends a request to the newest worker, starting one if there is none.
    pub fn ask(&self, method: &str, target: &str, body: &str) -> PageRequest {
        if self.workers.borrow().is_empty() {
            self.start_worker();
        }
        let workers = self.workers.borrow();
        let Some((worker, core)) = workers.last() else {
            unreachable!("a worker was just started");
        };
        let asked = PageRequest { worker: Rc::clone(worker), reply: Rc::default() };
        let (reply, core) = (Rc::clone(&asked.reply), Rc::clone(core));
        let (method, target, body) = (method.to_owned(), target.to_owned(), body.to_owned());
        let request = async move {
            let mut answer = core.handle(&method, &target, &body).await;
            if let Some(after) = answer.events_after {
                // As a page that reads the stream's first part.
                answer.body = core.events_after(after).await.unwrap_or_else(|error| error.to_string());
            }
            *reply.borrow_mut() = Some(answer);
        };
        self.shared.executor.spawn(worker.id, Box::pin(request));
        asked
    }

    /// Sends a request of a web page to the newest worker, starting one if there is none; the reply's body is the answer.
    pub fn ask_as_page(&self, origin: &str, document: &str, tab: u32, text: &str) -> PageRequest {
        if self.workers.borrow().is_empty() {
            self.start_worker();
        }
        let workers = self.workers.borrow();
        let Some((worker, core)) = workers.last() else {
            unreachable!("a worker was just started");
        };
        let asked = PageRequest { worker: Rc::clone(worker), reply: Rc::default() };
        let (reply, core) = (Rc::clone(&asked.reply), Rc::clone(core));
        let (origin, document, text) = (origin.to_owned(), document.to_owned(), text.to_owned());
        let request = async move {
            let body = core.page(&origin, &document, tab, &text).await;
            *reply.borrow_mut() = Some(Reply { status: 200, body, events_after: None });
        };
        self.shared.executor.spawn(worker.id, Box::pin(request));
        asked
    }

    /// Starts a worker, as the browser does.
    pub fn start_worker(&self) {
        self.started.set(self.started.get() + 1);
        self.shared.clock.set(self.shared.clock.get() + 1);
        let worker = Rc::new(Worker {
            id: self.started.get(),
            began: self.shared.clock.get(),
            ended: Cell::new(false),
            busy: Cell::new(false),
        });
        let effects = Rc::new(WorkerPorts { shared: Rc::clone(&self.shared), worker: Rc::clone(&worker) });
        let boot = Boot { version: "1".to_owned(), wasm_bytes: 1 };
        let signer = Rc::new(StubSigner { signature_count: self.signature_count.borrow().clone() });
        let ports = Ports {
            store: effects.clone(),
            net: effects.clone(),
            host: effects,
            signer,
            toolbox: Rc::new(InProcessToolbox),
            clear: Rc::new(InProcessReader),
        };
        let core = Core::new(ports, boot);
        self.workers.borrow_mut().push((Rc::clone(&worker), Rc::clone(&core)));
        self.resume(worker.id, core);
    }

    fn resume(&self, owner: u64, core: Rc<Core>) {
        let failures = Rc::clone(&self.failures);
        let resumption = async move {
            if let Err(error) = core.resume().await
                && error.code() != "storage_unavailable"
            {
                failures.borrow_mut().push(format!("resume: {error}"));
            }
        };
        self.shared.executor.handle(owner, Box::pin(resumption));
    }

    /// Runs until all work is done.
    pub fn run(&self, user: &mut dyn SimUser) {
        let mut wanted = Some(0);
        for _ in 0..MOST_STEPS {
            self.settle();
            self.shared.executor.fire(self.now());
            if self.shared.rng.shuffled {
                self.shared.clock.set(self.now() + 1);
            }
            if (self.shared.rng.shuffled && self.shared.rng.below(16) == 0)
                || wanted.is_some_and(|at| at <= self.now())
            {
                wanted = user.act(self);
            }
            if self.step() {
                continue;
            }
            wanted = user.act(self);
            if self.step() {
                continue;
            }
            let times = [wanted, self.shared.executor.next_timer(), self.shared.alarm.get()];
            let Some(next) = times.into_iter().flatten().min() else { return };
            if self.restart == Restart::OnDemand && next >= self.now() + IDLE {
                self.end_workers(|worker| !worker.busy.get());
            }
            self.shared.clock.set(next.max(self.now()));
            if self.shared.alarm.get().is_some_and(|at| at <= self.now()) {
                self.fire_alarm();
            }
        }
        self.failures.borrow_mut().push("the run does not end".to_owned());
    }

    /// Fires the alarm: it starts a worker, or resumes every running one.
    fn fire_alarm(&self) {
        self.shared.alarm.set(None);
        if self.workers.borrow().is_empty() {
            self.start_worker();
        } else {
            for (worker, core) in self.workers.borrow().iter() {
                self.resume(worker.id, Rc::clone(core));
            }
        }
    }

    /// Polls one task. Returns whether there was one.
    fn step(&self) -> bool {
        let rng = &self.shared.rng;
        let choice = |ready: usize| if rng.shuffled { rng.below(ready as u64) as usize } else { 0 };
        self.shared.executor.step(choice)
    }

    /// Removes crashed workers, and starts those that are due.
    fn settle(&self) {
        for _ in 0..self.end_workers(|worker| worker.ended.get()) {
            if self.restart == Restart::Immediate {
                self.start_worker();
            }
        }
        if self.shared.second_worker.take() {
            self.start_worker();
        }
    }

    /// Ends workers with all their tasks. Returns how many.
    fn end_workers(&self, which: impl Fn(&Worker) -> bool) -> usize {
        let ended: Vec<_> = self.workers.borrow_mut().extract_if(.., |(worker, _)| which(worker)).collect();
        for (worker, _) in &ended {
            worker.ended.set(true);
            self.shared.executor.end(worker.id);
        }
        ended.len()
    }
}

impl Drop for Sim {
    /// Tasks hold the core, which holds the tasks: a cycle that must be broken here.
    fn drop(&mut self) {
        self.end_workers(|_| true);
    }
}

/// The value of a future that is ready at its first poll.
fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
