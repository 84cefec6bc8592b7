//! What crosses a boundary: the agent's actions and our results (specification 000), the bodies of the
//! extension's own HTTP API, the events that pages receive, and the decoder of server-sent events.
//!
//! Types only say what is on the wire; what to do about it is decided in the runtime.

// The derives name this crate as others do.
extern crate self as wire;

pub mod action;
pub mod address_book;
pub mod api;
pub mod archive;
pub mod audit;
pub mod bundle;
pub mod calls;
pub mod coins;
pub mod connection;
pub mod dapp;
pub mod descriptor;
pub mod event;
pub mod evm;
pub mod explain;
pub mod failure;
pub mod json;
pub mod keysign;
pub mod mcp;
pub mod message;
pub mod node;
pub mod pending;
pub mod pieces;
pub mod policy;
pub mod prompt;
pub mod run;
pub mod secret;
pub mod secrets;
pub mod signer;
pub mod sorted;
pub mod sse;
pub mod tool;
pub mod tool_index;
pub mod toolbox;
pub mod trial;
pub mod vault;
