//! Tasks and timers on one thread, without a real clock: time advances when the simulator says so.

use runtime::ports::Task;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// The worker that a task belongs to; the task ends with it.
pub(super) type Owner = u64;

type Queue = Arc<Mutex<VecDeque<u64>>>;

#[derive(Default)]
pub(super) struct Executor {
    tasks: RefCell<BTreeMap<u64, Slot>>,
    ready: Queue,
    next: Cell<u64>,
    timers: RefCell<BTreeMap<(u64, u64), Waker>>,
}

struct Slot {
    owner: Owner,
    /// Absent while it is polled.
    future: Option<Task>,
    flag: Arc<Flag>,
}

/// A task's waker: queues the task once.
struct Flag {
    id: u64,
    queued: AtomicBool,
    ready: Queue,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            lock(&self.ready).push_back(self.id);
        }
    }
}

fn lock(queue: &Queue) -> std::sync::MutexGuard<'_, VecDeque<u64>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Executor {
    fn number(&self) -> u64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    /// Runs a task to its first wait before any other, as a browser runs an event handler.
    pub(super) fn handle(&self, owner: Owner, future: Task) {
        self.spawn(owner, future);
        self.step(|ready| ready - 1);
    }

    pub(super) fn spawn(&self, owner: Owner, future: Task) {
        let id = self.number();
        let flag = Arc::new(Flag { id, queued: AtomicBool::new(false), ready: Arc::clone(&self.ready) });
        Arc::clone(&flag).wake();
        self.tasks.borrow_mut().insert(id, Slot { owner, future: Some(future), flag });
    }

    /// Polls one ready task, the `choice`-th in line. Returns whether there was one.
    pub(super) fn step(&self, choice: impl Fn(usize) -> usize) -> bool {
        loop {
            let next = {
                let mut ready = lock(&self.ready);
                let place = if ready.len() > 1 { choice(ready.len()) } else { 0 };
                ready.remove(place)
            };
            let Some(id) = next else { return false };
            let taken = self.tasks.borrow_mut().get_mut(&id).and_then(|slot| {
                slot.flag.queued.store(false, Ordering::Relaxed);
                Some((slot.future.take()?, Arc::clone(&slot.flag)))
            });
            let Some((mut future, flag)) = taken else { continue };
            let waker = Waker::from(flag);
            let done = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
            let mut tasks = self.tasks.borrow_mut();
            if done {
                tasks.remove(&id);
            } else if let Some(slot) = tasks.get_mut(&id) {
                slot.future = Some(future);
            }
            return true;
        }
    }

    /// Ends every task of a worker, at any point.
    pub(super) fn end(&self, owner: Owner) {
        let ended: Vec<u64> = {
            let tasks = self.tasks.borrow();
            tasks.iter().filter(|(_, slot)| slot.owner == owner).map(|(id, _)| *id).collect()
        };
        for id in ended {
            // Bound, so that it is dropped after the table is free again: dropping a task may wake others.
            let slot = self.tasks.borrow_mut().remove(&id);
            drop(slot);
        }
    }

    pub(super) fn next_timer(&self) -> Option<u64> {
        self.timers.borrow().keys().next().map(|(at, _)| *at)
    }

    pub(super) fn fire(&self, now: u64) {
        while self.next_timer().is_some_and(|at| at <= now) {
            let timer = self.timers.borrow_mut().pop_first();
            if let Some((_, waker)) = timer {
                waker.wake();
            }
        }
    }

    pub(super) fn sleep(self: &Rc<Self>, until: u64, clock: Rc<Cell<u64>>) -> Sleep {
        Sleep { executor: Rc::clone(self), clock, key: (until, self.number()) }
    }
}

/// Waits for a time; removes its timer when dropped, so that time does not pass for nothing.
pub(super) struct Sleep {
    executor: Rc<Executor>,
    clock: Rc<Cell<u64>>,
    key: (u64, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.clock.get() >= self.key.0 {
            return Poll::Ready(());
        }
        self.executor.timers.borrow_mut().insert(self.key, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.executor.timers.borrow_mut().remove(&self.key);
    }
}

/// Yields once.
pub(super) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
