//! A signal that something changed: the tasks that wait look again.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Wakes every task that waits.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    version: Cell<u64>,
    wakers: RefCell<Vec<Waker>>,
}

impl Signal {
    /// Something changed.
    pub(crate) fn raise(&self) {
        self.version.set(self.version.get() + 1);
        for waker in self.wakers.take() {
            waker.wake();
        }
    }

    /// Where we are: take it before looking, so that nothing is missed between looking and waiting.
    pub(crate) fn version(&self) -> u64 {
        self.version.get()
    }

    /// Waits until something changed since `seen`.
    pub(crate) async fn changed_since(&self, seen: u64) {
        poll_fn(|context| {
            if self.version.get() != seen {
                return Poll::Ready(());
            }
            self.wakers.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
