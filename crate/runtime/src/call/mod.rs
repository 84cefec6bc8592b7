//! A call: one action's way from its arrival to its one result.
//!
//! `received → (waiting → approved) → done`, journaled under the sender and the action's id before anything runs.
//! Calls of one lane (a conversation, or one request of a page) run one after the other in the order in which
//! they arrived; a call that waits for a person holds its lane, so results leave in order.

mod journal;
mod lane;

pub(crate) use journal::{Journaled, Sender};
pub(crate) use lane::Advance;

use crate::store::{Batch, Stored, Table};
use wire::api::{Call, CallState};

/// Stages another state of a call, unless the call changed since it was read.
pub(crate) fn stage_state(call: Stored<Call>, state: CallState, batch: &mut Batch) -> Call {
    let Stored { text, record } = call;
    let call = Call { state, ..record };
    batch.expect(Table::Calls, &call.id, Some(&text));
    batch.put(Table::Calls, &call.id, &call);
    call
}

/// The key under which a call that has not ended is found by its lane.
pub(crate) fn pending_key(call: &Call) -> String {
    format!("{}/{}", call.lane, call.id)
}
