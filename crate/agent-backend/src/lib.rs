//! A reference agent backend: it proposes what a script says, or what a language model says, and takes the results.
//!
//! It implements the transport of spec 000: conversations, messages, server-sent answers in both dialects, one
//! `action_result` per request, `Idempotency-Key` on every message. It is strict about what it receives — every
//! protocol violation is recorded — and has faults on request: see [`Fault`].
//!
//! [`ScriptedAgent`] is the agent without a socket; [`Agent`] serves it on 127.0.0.1. [`llm`] is the agent that asks a
//! model. The `countersign-agent` program serves one from a script file, or one for a model.

mod agent;
mod conversation;
mod declared;
mod fault;
pub mod llm;
mod record;
mod reply;
mod request;
mod script;
mod scripted;
mod server;
mod sse;
mod template;

pub use agent::{Agent, Options, StartError, State, Timeout};
pub use declared::DeclaredTool;
pub use fault::{At, Fault, FaultError, Kind, Scope};
pub use record::{ReceivedItem, ReceivedRequest, ReceivedResult, Record};
pub use request::Request;
pub use script::{Dialect, ExtraEvent, Script, ScriptError, Turn, When};
pub use scripted::{Answer, Piece, ScriptedAgent};
pub use sse::LineEnds;
