//! The pipeline from an agent's proposal to a delivered result, over ports; no browser in it.
//!
//! ```text
//! agent backend ──SSE──▶ agent ─▶ classify ─┐
//! pages ──fetch /api──▶ http ───────────────┴▶ call: journal ─▶ gate ─▶ tool ─▶ record ─▶ deliver (agent::outbox, events)
//! ```
//!
//! [`Core`] holds the ports and what lives as long as the worker; everything that must outlive it is in the
//! store, written before the effect that follows from it.

mod address;
pub mod agent;
mod alarm;
mod audit;
pub mod bundle;
pub mod call;
mod codes;
mod coins;
mod connection;
mod contacts;
mod core;
mod dapp;
mod database;
mod descriptors;
mod event;
pub mod http;
mod id;
mod later;
mod loosening;
pub mod mcp;
mod message;
mod node;
mod notes;
pub mod pending;
pub mod plain;
pub mod policy;
pub mod ports;
pub mod prompt;
pub mod secrets;
pub mod settings;
mod signal;
mod spaces;
pub mod store;
pub mod tool;
mod tools;
mod trim;
pub mod vault;
mod work;

pub use crate::codes::CODES;
pub use crate::core::{Awaited, Boot, Core};
pub use crate::id::Ids;
pub use crate::loosening::{Loosening, LooseningKind};
