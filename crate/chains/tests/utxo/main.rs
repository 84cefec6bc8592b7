//! Bitcoin and its likes through the crate's front door.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's own mistake must fail it")]

mod payload;
mod psbt;
mod support;
