//! Contracts, programs and packages that are known by their address.
//!
//! A provider is named, and a function's meaning is taken from its protocol, only where the address is in this table:
//! anyone can deploy a contract with the same functions. Each group of rows says where its addresses are published.
//!
//! One file per kind of chain; [`bridge`] has what crosses from one chain to another.

mod bridge;
mod evm;
mod protocol;
#[cfg(test)]
mod tests;

pub use bridge::{BridgedAsset, cctp_domain_chain, layerzero_chain, pool_token};
pub use evm::{evm, wrapped_coin};
pub use protocol::Protocol;

use crate::{Chain, Kind, address};

/// A contract that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownContract {
    /// What people call it, such as `Uniswap V3`.
    pub name: &'static str,
    /// What it is: decides which functions are read there and what they mean.
    pub protocol: Protocol,
}

/// The known contract at an address of any chain, in its canonical spelling.
pub fn named(chain: Chain, address: &str) -> Option<KnownContract> {
    match chain.kind() {
        Kind::Evm => evm(chain, &address::evm::decode(address).ok()?),
        _ => None,
    }
}
