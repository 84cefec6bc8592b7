//! Work under way: what keeps the worker alive, and tasks of which only one may run at a time.

use crate::alarm::Alarm;
use crate::ports::{Host, Task};
use crate::store::StoreError;
use std::cell::RefCell;
use std::rc::Rc;

/// The named pieces of work under way.
pub(crate) struct Work {
    host: Rc<dyn Host>,
    alarm: Rc<Alarm>,
    names: RefCell<Vec<String>>,
    /// Tasks of which only one may run at a time, and whether another round is asked for.
    single: RefCell<Vec<(String, bool)>>,
}

impl Work {
    pub(crate) fn new(host: Rc<dyn Host>, alarm: Rc<Alarm>) -> Rc<Self> {
        Rc::new(Self { host, alarm, names: RefCell::default(), single: RefCell::default() })
    }

    /// The names of what is under way.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.borrow().clone()
    }

    /// Rings for the work under way, if there is any.
    pub(crate) fn watch(&self) {
        self.alarm.watch(!self.names.borrow().is_empty());
    }

    /// Keeps the worker alive, under a name, until dropped.
    pub(crate) fn begin(self: &Rc<Self>, name: &str) -> Working {
        self.names.borrow_mut().push(name.to_owned());
        if self.names.borrow().len() == 1 {
            self.host.keep_alive(true);
            self.watch();
        }
        Working { work: Rc::clone(self), name: name.to_owned() }
    }

    /// Spawns a task of which only one runs at a time. If it is running, it runs once more afterwards, so that what
    /// changed while it was looking is seen.
    pub(crate) fn spawn_single(self: &Rc<Self>, name: String, task: Box<dyn Fn() -> Task>) {
        if let Some((_, again)) = self.single.borrow_mut().iter_mut().find(|(running, _)| *running == name) {
            *again = true;
            return;
        }
        self.single.borrow_mut().push((name.clone(), false));
        let work = Rc::clone(self);
        // From here on, not from the task's first turn: the work that began it may end before that.
        let working = self.begin(&name);
        self.host.spawn(Box::pin(async move {
            let _working = working;
            loop {
                task().await;
                if !work.goes_on(&name) {
                    break;
                }
            }
        }));
    }

    /// Whether another round of a task was asked for; if not, it is no longer running.
    fn goes_on(&self, name: &str) -> bool {
        let mut single = self.single.borrow_mut();
        match single.iter_mut().find(|(running, _)| running == name) {
            Some((_, again)) if *again => {
                *again = false;
                true
            }
            _ => {
                single.retain(|(running, _)| running != name);
                false
            }
        }
    }
}

/// Repeats a step until it says that there is nothing more to do. A step that lost a race looks again.
pub(crate) async fn until_rest<F>(step: impl Fn() -> F) -> Result<(), StoreError>
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

/// A named piece of work under way.
pub(crate) struct Working {
    work: Rc<Work>,
    name: String,
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut names = self.work.names.borrow_mut();
        if let Some(position) = names.iter().position(|name| *name == self.name) {
            names.remove(position);
        }
        let rests = names.is_empty();
        drop(names);
        if rests {
            self.work.host.keep_alive(false);
            self.work.watch();
        }
    }
}
