//! What crosses from one chain to another: how bridges number the chains, and what their contracts move.

use crate::Chain;

/// What a bridge's contract takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BridgedAsset {
    /// The chain's coin.
    Native,
    /// The token of this contract.
    Token([u8; 20]),
}

/// What the Stargate pool or OFT at this address moves, where the table has it.
pub fn pool_token(chain: Chain, address: &[u8; 20]) -> Option<BridgedAsset> {
    let (.., asset) = POOLS.iter().find(|(on, pool, _)| *on == chain && pool == address)?;
    Some(*asset)
}

/// The chain of a LayerZero V2 endpoint id.
pub fn layerzero_chain(eid: u32) -> Option<Chain> {
    LAYERZERO.iter().find(|(id, _)| *id == eid).map(|(_, chain)| *chain)
}

/// The chain of a CCTP domain.
pub fn cctp_domain_chain(domain: u32) -> Option<Chain> {
    CCTP.iter().find(|(id, _)| *id == domain).map(|(_, chain)| *chain)
}

const LAYERZERO: &[(u32, Chain)] = &[];

const CCTP: &[(u32, Chain)] = &[];

const POOLS: &[(Chain, [u8; 20], BridgedAsset)] = &[];
