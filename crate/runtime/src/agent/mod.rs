//! The conversation with an agent's backend (specification 000, Transport; both SSE dialects and plain JSON).
//!
//! What we have to say is a *turn* in the outbox: a person's message or a call's result. Turns of a conversation
//! go out one at a time, in order, each until it is fully answered; the answer brings text and new actions.

pub mod classify;
pub(crate) mod deliver;
pub mod dialect;
mod error;
pub(crate) mod forms;
pub(crate) mod inputs;
pub(crate) mod outbox;
mod partial;
mod reply;
pub(crate) mod timeline;
mod tx_ready;

pub(crate) use error::AgentError;
pub(crate) use reply::within;
