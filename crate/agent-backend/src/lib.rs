//! A reference agent backend: it proposes what a script says, and checks what comes back.
//!
//! It speaks the wire of spec 000 ("Transport"): conversations, messages, server-sent answers in both dialects, one
//! `action_result` per request, `Idempotency-Key` on every message. It is strict about what it receives — every
//! departure from the protocol is recorded — and misbehaves on request: see [`Fault`].
//!
//! [`Brain`] is the whole of it without a socket; [`Agent`] serves a brain on 127.0.0.1; the `countersign-agent-backend`
//! program serves one from a script file.

mod agent;
mod brain;
mod conversation;
mod fault;
mod record;
mod reply;
mod request;
mod script;
mod server;
mod sse;
mod template;

pub use agent::{Agent, Options, StartError, State, Timeout};
pub use brain::{Answer, Brain, Piece};
pub use fault::{At, Fault, FaultError, Kind, Scope};
pub use record::{ReceivedRequest, ReceivedResult, Record};
pub use request::Request;
pub use script::{Dialect, ExtraEvent, Script, ScriptError, Turn, When};
pub use sse::LineEnds;
