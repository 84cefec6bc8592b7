//! How bridges number the chains.

use crate::Chain::{
    self, Arbitrum, Avalanche, Base, Blast, Bsc, CronosChain, Ethereum, Hyperliquid, Mantle, Noble, Optimism,
    Polygon, Sei, Solana, Sui, Ton, Tron, Zksync,
};

/// The chain of a LayerZero V2 endpoint id.
pub fn layerzero_chain(eid: u32) -> Option<Chain> {
    find(LAYERZERO, eid)
}

/// The chain of a CCTP domain.
pub fn cctp_domain_chain(domain: u32) -> Option<Chain> {
    find(CCTP, domain)
}

fn find(numbers: &[(u32, Chain)], number: u32) -> Option<Chain> {
    numbers.iter().find(|(one, _)| *one == number).map(|(_, chain)| *chain)
}

/// Stargate's documentation, mainnet contracts; LayerZero's documentation, deployed contracts, as public code quotes it.
pub(super) const LAYERZERO: &[(u32, Chain)] = &[
    (30_101, Ethereum),
    (30_102, Bsc),
    (30_106, Avalanche),
    (30_109, Polygon),
    (30_110, Arbitrum),
    (30_111, Optimism),
    (30_165, Zksync),
    (30_168, Solana),
    (30_181, Mantle),
    (30_184, Base),
    (30_243, Blast),
    (30_280, Sei),
    (30_343, Ton),
    (30_359, CronosChain),
    (30_367, Hyperliquid),
    (30_420, Tron),
];

/// Circle's documentation, domains of CCTP V1 and V2.
pub(super) const CCTP: &[(u32, Chain)] = &[
    (0, Ethereum),
    (1, Avalanche),
    (2, Optimism),
    (3, Arbitrum),
    (4, Noble),
    (5, Solana),
    (6, Base),
    (7, Polygon),
    (8, Sui),
    (16, Sei),
    (17, Bsc),
    (19, Hyperliquid),
];
