//! Cosmos chains, THORChain, MayaChain and QBTC: what each payload and sign doc stands for, and what is refused.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own mistake must fail it"
)]

mod given;
mod payload;
mod properties;
mod raw;
mod thorchain;
#[path = "../common/unsigned.rs"]
mod unsigned;
mod ways_out;
