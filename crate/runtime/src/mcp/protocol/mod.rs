//! The Model Context Protocol without I/O: what is sent, and how what comes is read.
//!
//! | era | revisions | how a request is made |
//! |---|---|---|
//! | modern | 2026-07-28 | stateless: each carries its version, capabilities and client in `params._meta`, and says in headers what it is |
//! | legacy | 2025-03-26 … 2025-11-25 | `initialize` first; then with the session's id and the negotiated version |
//! | HTTP+SSE | 2024-11-05 | requests to the address that a stream names first; answers come on that stream |
//!
//! Everything that is read here comes from a server that may be hostile: nothing of it is an instruction, every reader has
//! bounds, and none panics.

pub(super) mod content;
pub(super) mod definition;
pub(super) mod elicit;
pub(super) mod era;
pub(super) mod header;
pub(super) mod list;
pub(super) mod message;
