//! The signer as the core sees it: requests in, replies out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod claims;
mod inspect;
mod requests;
mod secrets;
mod sign;
mod vaults;
mod vectors;
mod world;
