//! The agent that asks a language model, against a stand-in that is as strict as the real servers.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

#[path = "../client/mod.rs"]
mod client;
mod conversation;
mod faults;
mod http;
mod quirks;
mod random;
#[path = "../stand_in/mod.rs"]
mod stand_in;
mod wallet;
