//! Calls whose result comes from outside (specification 004): a person, a page, another extension, the agent's backend.
//!
//! ```text
//! waiting → resolved            the result is the call's own
//!         → pending             the agent waited long enough: the call ended with an error
//!         → expired             the call was cancelled
//! pending → resolved            the result reaches the agent's inbox
//!         → expired             no result came in time
//! ```
//!
//! What may follow what is decided without I/O ([`engine`]). One batch, which rests on the row as it was read, writes the
//! next state together with what it means: a result is told as the call's own or by the inbox, never both and never neither.

pub mod engine;
mod error;
mod expire;
mod outside;
mod owner;
mod row;
mod submit;
mod transition;

pub(crate) use error::SubmitError;
pub(crate) use expire::{cancel_waiting, expire, watch};
pub(crate) use outside::{external_calls, submit_result};
pub(crate) use owner::{PendingCalls, read};
pub(crate) use row::PendingRow;
pub(crate) use submit::{Submission, Submitter, submit, submit_from_agent};
pub(crate) use transition::stage_cancelled;
