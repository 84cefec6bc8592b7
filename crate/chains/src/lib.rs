//! Thirty-nine chains as pure functions. No I/O, no clock, no randomness; native and wasm.
//!
//! - [`Chain`] names a chain and answers what is fixed about it; [`address::normalise`] reads its addresses;
//!   [`token::known`] knows the well-known tokens by their ticker, [`names`] what to call them; [`known`] knows
//!   contracts by their address; [`mod@derive`] gives a vault's accounts.
//! - [`keysign::transactions`] and [`unsigned::transaction`] make a [`Transaction`] of what an agent sends: what must
//!   be signed, the signed bytes, the id. [`Transaction::explain`] says what it does, [`compare`] whether that is
//!   what was claimed.
//! - [`message::read`] does the same for messages that are signed and never sent.
//! - [`rpc`] puts questions to nodes into words and reads their answers.
//!
//! One folder per kind of chain, each opening with what its transactions look like.

pub mod address;
pub mod amount;
mod cardano;
mod chain;
pub mod compare;
mod cosmos;
pub mod derive;
pub mod encoding;
mod error;
mod evm;
pub mod explain;
pub mod facts;
pub mod hash;
pub mod keysign;
pub mod known;
pub mod message;
pub mod names;
pub mod order;
mod polkadot;
mod reader;
mod ripple;
pub mod rpc;
pub mod signing;
mod solana;
mod sui;
mod swap_claims;
mod table;
mod thorchain_memo;
pub mod token;
mod ton;
pub mod transaction;
mod tron;
pub mod unsigned;
mod utxo;

pub use address::AddressError;
pub use amount::Amount;
pub use chain::{
    Algorithm, Chain, Explorer, Facts, Kind, Native, Network, Polling, UnknownChainError, UtxoPrefixes,
};
pub use error::TransactionError;
pub use evm::unsigned as unsigned_evm;
pub use explain::Explanation;
pub use sui::json as sui_json;
pub use transaction::{Account, Transaction};
