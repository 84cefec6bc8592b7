//! A call: one action's way from its arrival to its one result.
//!
//! `received → (waiting → approved) → done`, journaled under the sender and the action's id before anything runs.
//! Calls of one lane (a conversation, or one request of a page) run one after the other in the order in which
//! they arrived; a call that waits for a person holds its lane, so results leave in order.

mod arrival;
mod journal;
mod lane;
mod row;

pub(crate) use arrival::{Journaled, Sender, journal, journal_refused};
pub(crate) use journal::{Journal, end_call, read, read_pending, stage_delivery, stage_state};
pub(crate) use lane::{Advance, end_with, look, run_lane, run_new};
pub use row::CallRow;
