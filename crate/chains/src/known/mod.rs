//! Contracts, programs and packages that are known by their address.
//!
//! A provider is named, and the meaning of a function is taken from its protocol, only where the address is in this
//! table: anyone can deploy a contract with the same functions. Each group of rows says where its addresses are
//! published: by the project itself, or by several others that agree.
//!
//! One file per kind of chain; [`bridge`] says how bridges number the chains, [`ibc`] where the channels of IBC lead.

mod bridge;
mod evm;
mod ibc;
mod other;
mod protocol;
mod solana;
#[cfg(test)]
mod tests;

pub use bridge::{cctp_domain_chain, layerzero_chain};
pub use evm::pools::{BridgedAsset, pool_token};
pub use evm::{evm, wrapped_coin};
pub use ibc::ibc_channel;
pub use protocol::Protocol;
pub use solana::solana;

use crate::{Chain, Kind, address};

/// A contract that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownContract {
    /// What people call it, such as `Uniswap V3`.
    pub name: &'static str,
    /// What it is: decides which functions are read there and what they mean.
    pub protocol: Protocol,
}

/// The known contract, program or package at an address of any chain.
pub fn named(chain: Chain, address: &str) -> Option<KnownContract> {
    match chain.kind() {
        Kind::Evm => evm(chain, &address::evm::decode(address).ok()?),
        Kind::Solana => solana(&bs58::decode(address).into_vec().ok()?.try_into().ok()?),
        _ => other::named(chain, &address::normalise(chain, address).ok()?),
    }
}
