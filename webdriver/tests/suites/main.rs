//! The suites in Chromium, one module each, in one program: it is linked once. `cargo xtask test browser` runs each test in
//! a process of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

mod approval;
mod bundle;
mod bundle_faults;
mod bundle_kills;
mod bundle_kinds;
mod conversation;
mod dapp_connect;
mod dapp_door;
mod dapp_extensions;
mod dapp_hostile;
mod dapp_kills;
mod dapp_leaving;
mod dapp_revoke;
mod dapp_screens;
mod dapp_send;
mod dapp_windows;
mod decisions;
mod descriptors;
mod fetch;
mod guard;
mod idle;
mod kills;
mod language;
mod library;
mod mcp;
mod mcp_faults;
mod popup;
mod resilience;
mod screens;
mod secrets;
mod start;
mod store;
mod tool_messages;
mod tools_agent;
mod tools_auth;
mod tools_http;
mod tools_page;
mod tools_palette;
mod tools_secrets;
mod tools_tester;
mod tools_zip;
mod vaults;
mod wallet;
mod world;
