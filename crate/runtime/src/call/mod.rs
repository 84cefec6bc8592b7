//! A call: one action's way from its arrival to its one result.
//!
//! `received → (waiting → approved) → done`, journaled under the sender and the action's id before anything runs.
//! Calls of one lane (a conversation, or one request of a page) run one after the other in the order in which
//! they arrived; a call that waits for a person holds its lane, so results leave in order.

mod arrival;
mod cancel;
mod journal;
mod lane;
mod pipeline;
mod row;

pub(crate) use arrival::{
    Journaled, Sender, call_of_request, durability, is_journaled, journal, journal_filled, journal_refused,
};
pub use cancel::Cancel;
pub(crate) use cancel::{Cancels, cancel_call, cancel_under_way};
pub(crate) use journal::{
    Journal, end_call, expect_unchanged, read, read_pending, show_waiting, stage_delivery, stage_filled,
    stage_state,
};
pub(crate) use lane::{run_lane, run_new};
pub(crate) use pipeline::{invoke, look};
pub use row::CallRow;
pub(crate) use row::InSpace;
