//! Solana through the crate's doors: payloads, raw transactions, signatures, explanations.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own mistake must fail it"
)]

mod explain;
mod given;
mod payload;
mod properties;
mod raw;
#[path = "../common/unsigned.rs"]
mod unsigned;
mod ways_out;
