//! Thirty-nine chains as pure functions: the registry, addresses and well-known tokens. No I/O, no clock.
//!
//! [`Chain`] names a chain and answers what is fixed about it, [`address::normalise`] reads an address of it,
//! [`token::known`] knows the tokens everybody means by their ticker.

pub mod address;
mod chain;
mod table;
pub mod token;

pub use address::AddressError;
pub use chain::{Algorithm, Chain, Facts, Kind, Native, Network, UnknownChain, UtxoPrefixes};
