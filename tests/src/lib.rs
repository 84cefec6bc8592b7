//! Support for the tests: a world in memory, and a simulator of crashes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's support fails by panicking"
)]

pub mod audit;
pub mod bundle_run;
pub mod chain;
pub mod clear;
pub mod conformance;
pub mod dapp;
pub mod evm;
pub mod mcp;
pub mod pending;
pub mod proposals;
pub mod rounds;
pub mod signer;
pub mod sim;
pub mod toolbox;
pub mod tools;
pub mod world;
