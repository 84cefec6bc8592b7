//! A deterministic simulator: successive lives of the core over one store and one backend, each of which can end
//! at any effect.
//!
//! Every look into the store and every change of it, every request and every half of every piece of an answer is a
//! *point*, numbered through the whole run. At a chosen point an [`Incident`] happens: the life ends — before the
//! effect or after it, since both sides are points — and is dropped with all it was doing; or the disk refuses; or a
//! second core starts over the same store while the first is still at work. The same seed and the same incidents
//! give the same run.

pub mod bundles;
mod executor;
pub mod hostile;
mod ports;
pub mod scenario;

pub use ports::{Backend, Chains};

use crate::signer::Quick;
use executor::Executor;
use ports::{Locks, World};
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

/// Where the backend is.
pub const BACKEND: &str = "https://agent.example";

/// A run that polls this often is going in circles.
const MOST_STEPS: u64 = 400_000;

/// A worker that nobody keeps alive is stopped after this time.
const IDLE: u64 = 30_000;

/// What happens at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incident {
    /// The life ends.
    Die,
    /// The browser ends, and with it what was in memory only.
    Close,
    /// The store or the network fails once. Where the effect has happened already, nothing.
    Fail,
    /// Another core starts over the same store; this one goes on.
    Twin,
}

/// What follows a death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revival {
    /// The browser starts the worker again at once.
    AtOnce,
    /// Nobody does until the alarm rings or a page asks for something.
    ByNeed,
}

/// How a run is to go.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Decides every choice that is left.
    pub seed: u64,
    /// What happens, each after so many further points.
    pub incidents: Vec<(u64, Incident)>,
    /// What follows a death.
    pub revival: Revival,
    /// Whether tasks run in any order and time passes between them; otherwise in their order, in no time.
    pub restless: bool,
    /// Whether the browser's locks hold. They do; what rests on preconditions must not need them.
    pub locks: bool,
}

impl Plan {
    /// Nothing happens.
    pub fn calm() -> Self {
        Self { seed: 1, incidents: Vec::new(), revival: Revival::AtOnce, restless: false, locks: true }
    }

    /// One death at a point.
    pub fn death_at(point: u64, revival: Revival) -> Self {
        Self { incidents: vec![(point, Incident::Die)], revival, ..Self::calm() }
    }
}

/// Numbers from a seed (SplitMix64).
#[derive(Debug)]
pub struct Chance {
    state: Cell<u64>,
    restless: bool,
}

impl Chance {
    /// Numbers from a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: Cell::new(seed), restless: false }
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&self, end: u64) -> u64 {
        self.state.set(self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut z = self.state.get();
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).checked_rem(end).unwrap_or(0)
    }

    fn restless(&self) -> bool {
        self.restless && self.below(3) == 0
    }
}

/// What outlives every life.
struct Shared {
    memory: Memory,
    backend: Rc<RefCell<dyn Backend>>,
    chains: RefCell<Rc<RefCell<dyn Chains>>>,
    executor: Rc<Executor>,
    clock: Rc<Cell<u64>>,
    chance: Chance,
    locks: Rc<Locks>,
    alarm: Cell<Option<u64>>,
    attention: Cell<usize>,
    /// In memory only, beyond every life.
    secrets: RefCell<BTreeMap<String, String>>,
    /// Points so far, and what is still to happen; nothing does before it is armed.
    points: Cell<u64>,
    incidents: RefCell<VecDeque<(u64, Incident)>>,
    armed: Cell<bool>,
    twin: Cell<bool>,
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
struct Life {
    id: u64,
    dead: Cell<bool>,
    /// Holds off the browser's idle timer.
    busy: Cell<bool>,
}

/// A page's request.
#[derive(Clone)]
pub struct Asked {
    life: Rc<Life>,
    reply: Rc<RefCell<Option<Reply>>>,
}

impl Asked {
    /// The answer, once there is one.
    pub fn reply(&self) -> Option<Reply> {
        self.reply.borrow().clone()
    }

    /// Nobody will answer any more.
    pub fn lost(&self) -> bool {
        self.life.dead.get() && self.reply.borrow().is_none()
    }
}

/// Whoever uses the pages while the simulation runs.
pub trait Person {
    /// Does what is due now; says when there is more to do.
    fn act(&mut self, sim: &Sim) -> Option<u64>;
}

/// Nobody is there.
impl Person for () {
    fn act(&mut self, _: &Sim) -> Option<u64> {
        None
    }
}

/// A store, a backend, and whoever lives between them.
pub struct Sim {
    shared: Rc<Shared>,
    revival: Revival,
    lives: RefCell<Vec<(Rc<Life>, Rc<Core>)>>,
    started: Cell<u64>,
    failures: Rc<RefCell<Vec<String>>>,
    fickle: RefCell<Option<Rc<Cell<u64>>>>,
}

impl Sim {
    /// A world in which nobody lives yet.
    pub fn new(plan: &Plan, backend: Rc<RefCell<dyn Backend>>) -> Self {
        let shared = Shared {
            memory: Memory::new(),
            backend,
            chains: RefCell::new(Rc::new(RefCell::new(()))),
            executor: Rc::default(),
            clock: Rc::new(Cell::new(1_700_000_000_000)),
            chance: Chance { restless: plan.restless, ..Chance::new(plan.seed) },
            locks: Rc::new(Locks::new(plan.locks)),
            alarm: Cell::new(None),
            attention: Cell::new(0),
            secrets: RefCell::default(),
            points: Cell::new(0),
            incidents: RefCell::new(plan.incidents.iter().copied().collect()),
            armed: Cell::new(false),
            twin: Cell::new(false),
        };
        Self {
            shared: Rc::new(shared),
            revival: plan.revival,
            lives: RefCell::default(),
            started: Cell::new(0),
            failures: Rc::default(),
            fickle: RefCell::default(),
        }
    }

    /// The chains' nodes are these from now on; before, none can be reached.
    pub fn set_chains(&self, chains: Rc<RefCell<dyn Chains>>) {
        *self.shared.chains.borrow_mut() = chains;
    }

    /// Signatures are others each time, in every life from now on.
    pub fn set_fickle(&self) {
        *self.fickle.borrow_mut() = Some(Rc::default());
    }

    /// From now on incidents happen.
    pub fn arm(&self) {
        self.shared.armed.set(true);
    }

    /// From now on nothing happens any more.
    pub fn disarm(&self) {
        self.shared.armed.set(false);
    }

    /// Points passed since it was armed.
    pub fn points(&self) -> u64 {
        self.shared.points.get()
    }

    /// Lives so far.
    pub fn lives(&self) -> u64 {
        self.started.get()
    }

    /// The clock.
    pub fn now(&self) -> u64 {
        self.shared.clock.get()
    }

    /// What is left to chance.
    pub fn chance(&self) -> &Chance {
        &self.shared.chance
    }

    /// The records of a table.
    pub fn rows(&self, table: Table) -> Vec<Row> {
        match at_once(self.shared.memory.scan(table, Range::all())) {
            Some(Ok(rows)) => rows,
            _ => Vec::new(),
        }
    }

    /// What did not go as it must: a resumption that failed though the disk did not, an endless loop.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.failures.borrow().clone();
        let busy = self.lives.borrow().iter().any(|(life, _)| life.busy.get());
        if busy {
            failures.push("a life at rest keeps the worker from idling".to_owned());
        }
        if let Some(at) = self.shared.alarm.get() {
            failures.push(format!("the alarm is set to {at} at rest"));
        }
        if self.shared.attention.get() > 0 && !self.lives.borrow().is_empty() {
            failures.push("the badge says that somebody is asked".to_owned());
        }
        failures
    }

    /// Asks the newest life, starting one if nobody lives.
    pub fn ask(&self, method: &str, target: &str, body: &str) -> Asked {
        if self.lives.borrow().is_empty() {
            self.live();
        }
        let lives = self.lives.borrow();
        let Some((life, core)) = lives.last() else {
            unreachable!("a life was just started");
        };
        let asked = Asked { life: Rc::clone(life), reply: Rc::default() };
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
        self.shared.executor.spawn(life.id, Box::pin(request));
        asked
    }

    /// Starts a life, as the browser starts the worker.
    pub fn live(&self) {
        self.started.set(self.started.get() + 1);
        self.shared.clock.set(self.shared.clock.get() + 1);
        let life = Rc::new(Life { id: self.started.get(), dead: Cell::new(false), busy: Cell::new(false) });
        let world = Rc::new(World { shared: Rc::clone(&self.shared), life: Rc::clone(&life) });
        let boot = Boot { version: "1".to_owned(), wasm_bytes: 1 };
        let signer = Rc::new(Quick { fickle: self.fickle.borrow().clone() });
        let ports = Ports { store: world.clone(), net: world.clone(), host: world, signer };
        let core = Core::new(ports, boot);
        self.lives.borrow_mut().push((Rc::clone(&life), Rc::clone(&core)));
        self.resume(life.id, core);
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

    /// Runs until nobody has anything left to do.
    pub fn run(&self, person: &mut dyn Person) {
        let mut wanted = Some(0);
        for _ in 0..MOST_STEPS {
            self.settle();
            self.shared.executor.fire(self.now());
            if self.shared.chance.restless {
                self.shared.clock.set(self.now() + 1);
            }
            if (self.shared.chance.restless && self.shared.chance.below(16) == 0)
                || wanted.is_some_and(|at| at <= self.now())
            {
                wanted = person.act(self);
            }
            if self.step() {
                continue;
            }
            wanted = person.act(self);
            if self.step() {
                continue;
            }
            let times = [wanted, self.shared.executor.next_timer(), self.shared.alarm.get()];
            let Some(next) = times.into_iter().flatten().min() else { return };
            if self.revival == Revival::ByNeed && next >= self.now() + IDLE {
                self.bury(|life| !life.busy.get());
            }
            self.shared.clock.set(next.max(self.now()));
            if self.shared.alarm.get().is_some_and(|at| at <= self.now()) {
                self.ring();
            }
        }
        self.failures.borrow_mut().push("it never comes to rest".to_owned());
    }

    /// The alarm: it starts a worker, or is heard by every one that lives.
    fn ring(&self) {
        self.shared.alarm.set(None);
        if self.lives.borrow().is_empty() {
            self.live();
        } else {
            for (life, core) in self.lives.borrow().iter() {
                self.resume(life.id, Rc::clone(core));
            }
        }
    }

    /// Lets one task go on; whether there was one.
    fn step(&self) -> bool {
        let chance = &self.shared.chance;
        let choice = |ready: usize| if chance.restless { chance.below(ready as u64) as usize } else { 0 };
        self.shared.executor.step(choice)
    }

    /// Buries whoever died, and starts whoever is to be started.
    fn settle(&self) {
        for _ in 0..self.bury(|life| life.dead.get()) {
            if self.revival == Revival::AtOnce {
                self.live();
            }
        }
        if self.shared.twin.take() {
            self.live();
        }
    }

    /// Ends lives with all they were doing; how many.
    fn bury(&self, which: impl Fn(&Life) -> bool) -> usize {
        let ended: Vec<_> = self.lives.borrow_mut().extract_if(.., |(life, _)| which(life)).collect();
        for (life, _) in &ended {
            life.dead.set(true);
            self.shared.executor.end(life.id);
        }
        ended.len()
    }
}

impl Drop for Sim {
    /// Tasks hold the core, which holds the tasks' place: ended here, or they would never be.
    fn drop(&mut self) {
        self.bury(|_| true);
    }
}

/// The value of a future that does not wait.
fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
