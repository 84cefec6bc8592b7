//! Cancelling: a call that is under way has a signal; a call that has not ended is ended in one commit, so that what its tool
//! would still write is refused by the store, in this worker or in another.

use super::CallRow;
use super::journal::end_call;
use super::lane::run_lane;
use super::pipeline::{Resolved, resolve};
use crate::Core;
use crate::http::{ApiError, RouteError};
use crate::policy::kill_switch_stops;
use crate::prompt;
use crate::signal::Signal;
use crate::store::{Batch, Durability, StoreError, Stored};
use crate::tool::{CANCELLED, Output, ToolResult, cancelled};
use crate::tools;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;
use wire::api::CallState;

/// How often a call is looked at again because it moved on meanwhile.
const MAX_CONFLICTS: u32 = 20;

/// Whether a call is cancelled. All copies are of one call.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Rc<Raised>);

#[derive(Debug, Default)]
struct Raised {
    raised: Cell<bool>,
    signal: Signal,
}

impl Cancel {
    /// Whether it is.
    pub fn is_raised(&self) -> bool {
        self.0.raised.get()
    }

    /// Cancels.
    pub(crate) fn raise(&self) {
        self.0.raised.set(true);
        self.0.signal.raise();
    }

    /// Does work unless the call is cancelled, now or before the work is done, or time is up. Work that is given up is never
    /// polled again, and dropping it ends its requests.
    pub(crate) async fn or<T>(
        &self,
        mut work: Pin<Box<dyn Future<Output = T> + '_>>,
        time_up: impl Future<Output = ()>,
    ) -> Option<T> {
        let mut time_up = pin!(time_up);
        let mut raised = pin!(self.0.signal.changed_since(self.0.signal.version()));
        poll_fn(|context| {
            if self.is_raised() {
                return Poll::Ready(None);
            }
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            let ends = time_up.as_mut().poll(context).is_ready() || raised.as_mut().poll(context).is_ready();
            if ends { Poll::Ready(None) } else { Poll::Pending }
        })
        .await
    }
}

/// The signals of the calls that this worker brings on just now.
#[derive(Debug, Default)]
pub(crate) struct Cancels(RefCell<Vec<Signalled>>);

/// A call that is brought on, or cancelled, or both.
#[derive(Debug)]
struct Signalled {
    id: String,
    cancel: Cancel,
    brought_on: bool,
}

/// Keeps the signal of a call until dropped.
pub(crate) struct Kept<'a> {
    cancels: &'a Cancels,
    pub(crate) cancel: Cancel,
}

impl Cancels {
    /// The signal of a call that is brought on from now on. It is raised already if the call is just being cancelled.
    pub(super) fn begin(&self, id: &str) -> Kept<'_> {
        let cancel = Cancel::default();
        if self.0.borrow().iter().any(|known| known.id == id && known.cancel.is_raised()) {
            cancel.raise();
        }
        self.keep(id, cancel, true)
    }

    /// The signal of a trial run, which is no call.
    pub(crate) fn begin_trial(&self, id: &str) -> Kept<'_> {
        self.keep(id, Cancel::default(), false)
    }

    /// Cancels a trial run. One that has ended is left alone.
    pub(crate) fn cancel_trial(&self, id: &str) {
        drop(self.raise(id));
    }

    /// Cancels a call in this worker, at once: its tool is not polled again.
    fn raise(&self, id: &str) -> Kept<'_> {
        let known = self.0.borrow();
        let found: Vec<Cancel> =
            known.iter().filter(|known| known.id == id).map(|known| known.cancel.clone()).collect();
        drop(known);
        found.iter().for_each(Cancel::raise);
        let cancel = Cancel::default();
        cancel.raise();
        self.keep(id, cancel, false)
    }

    fn keep(&self, id: &str, cancel: Cancel, brought_on: bool) -> Kept<'_> {
        self.0.borrow_mut().push(Signalled { id: id.to_owned(), cancel: cancel.clone(), brought_on });
        Kept { cancels: self, cancel }
    }

    /// The ids of the calls that are brought on.
    fn ids(&self) -> Vec<String> {
        self.0.borrow().iter().filter(|known| known.brought_on).map(|known| known.id.clone()).collect()
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.cancels.0.borrow_mut().retain(|known| !Rc::ptr_eq(&known.cancel.0, &self.cancel.0));
    }
}

/// Cancels a call: it ends now, with its prompt if it waits for one. One that acts in steps is stopped, and ends when what
/// it has begun is done.
pub(crate) async fn cancel_call(core: &Rc<Core>, id: &str) -> Result<CallRow, ApiError> {
    let mut call = core.journal.call(id).await?.ok_or(RouteError::CallNotFound)?;
    if !call.record.is_open() {
        return Err(RouteError::CallEnded.into());
    }
    let _raised = core.cancels.raise(id);
    for _ in 0..MAX_CONFLICTS {
        let cancelled = match &call.record.state {
            // The pipeline has seen the signal.
            CallState::Done { result, .. } if result.error.as_deref() == Some(CANCELLED) => {
                return Ok(*call.record);
            }
            CallState::Done { .. } => return Err(RouteError::CallEnded.into()),
            CallState::Waiting { prompt_id } => prompt::cancel(core, prompt_id).await,
            CallState::Received | CallState::Approved => end(core, call).await,
        };
        call = core.journal.call(id).await?.ok_or(RouteError::CallNotFound)?;
        match cancelled {
            // It moved on meanwhile.
            Err(StoreError::Conflict { .. }) => {}
            other => return Ok(other.map(|()| *call.record)?),
        }
    }
    Err(StoreError::conflict("calls", id).into())
}

/// The kill switch: what is under way and does not merely look, or is not the user's own, is cancelled.
pub(crate) async fn cancel_under_way(core: &Rc<Core>) -> Result<(), StoreError> {
    for id in core.cancels.ids() {
        let Some(call) = core.journal.call(&id).await? else { continue };
        let Resolved::Tool(tool) = resolve(core, &call.record).await? else { continue };
        let (definition, reaches_out) = (tool.definition(), tool.reaches_out());
        let ends_itself = tool.acts_in_steps() && !reaches_out;
        if ends_itself || !kill_switch_stops(definition, reaches_out, &call.record.source) {
            continue;
        }
        // One that cannot be cancelled has ended.
        let _ = cancel_call(core, &id).await;
    }
    Ok(())
}

/// Ends a call that no prompt is about.
async fn end(core: &Rc<Core>, call: Stored<CallRow>) -> Result<(), StoreError> {
    let (id, lane) = (call.record.id.clone(), call.record.lane.clone());
    let resolved = resolve(core, &call.record).await?;
    let mut batch = Batch::new(Durability::Strict);
    let output = match &resolved {
        Resolved::Tool(tool) => {
            if call.record.state == CallState::Approved && tool.stop(core, &call.record).await? {
                return Ok(());
            }
            tool.stage_cancelled(core, &call.record, &mut batch).await?;
            if core.cancels.ids().contains(&id) {
                tools::stage_use_of(core, &mut batch, &call.record, true);
            }
            tool.refused(cancelled())
        }
        Resolved::Answered(_) => Output::cancelled(),
    };
    let result = ToolResult::of_call(&call.record, core.now(), output);
    let answer = end_call(core, &mut batch, call, result).await?;
    core.commit(batch).await?;
    core.journal.hand_over(id, answer);
    run_lane(core, &lane);
    Ok(())
}
