//! UTXO chains: coins are outputs of earlier transactions, spent whole.
//!
//! On the wire (BIP-144; all numbers little-endian, `n` a compact size):
//!
//! ```text
//! version 4 ‖ [00 01] ‖ n inputs ‖ n outputs ‖ [witnesses] ‖ lock time 4
//! input    previous id 32 ‖ previous index 4 ‖ n script ‖ sequence 4
//! output   value 8 ‖ n script
//! witness  n items, each n bytes; one witness per input, and `00 01` in front, where there are any
//! ```
//!
//! Zcash (version 4, from the protocol's §7.1) has a version group after the version, and after the lock time an
//! expiry height, a value balance and three empty lists of shielded parts.
//!
//! What is signed depends on what an input spends and on the chain: BIP-143 for SegWit, the same with another hash
//! type on Bitcoin Cash, ZIP-243 on Zcash, the first client's way for the rest. See `sighash.rs`. A payload leaves
//! the choice of coins, the fee and the change to a planner that all signers run alike: `plan.rs`. What others built
//! comes as a PSBT (BIP-174): `psbt.rs`.

mod check;
mod explain;
pub(crate) mod payload;
mod plan;
pub(crate) mod previous;
#[cfg(test)]
mod properties;
mod psbt;
pub(crate) mod raw;
mod rules;
mod script;
mod sighash;
mod sign_bitcoin;
mod spend;
mod tx;
