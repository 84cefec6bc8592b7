//! Wrapped coins.

use super::{Group, at, group};
use crate::Chain::{
    Arbitrum, Avalanche, Base, Blast, Bsc, CronosChain, Ethereum, Hyperliquid, Mantle, Optimism, Polygon,
    Robinhood, Sei, Zksync,
};
use crate::known::Protocol;

pub(super) const GROUPS: &[Group] = &[
    // LI.FI's contracts repository, config/networks.json; Uniswap's sdk-core, entities/weth9.ts; Robinhood's
    // documentation, chain, token contracts.
    group(
        "Wrapped ETH",
        Protocol::WrappedCoin,
        &[
            at("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", &[Ethereum]),
            at("0x82aF49447D8a07e3bd95BD0d56f35241523fBab1", &[Arbitrum]),
            at("0x4200000000000000000000000000000000000006", &[Base, Optimism]),
            at("0x4300000000000000000000000000000000000004", &[Blast]),
            at("0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91", &[Zksync]),
            at("0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73", &[Robinhood]),
        ],
    ),
    // As above.
    group(
        "Wrapped AVAX",
        Protocol::WrappedCoin,
        &[at("0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7", &[Avalanche])],
    ),
    // As above.
    group("Wrapped BNB", Protocol::WrappedCoin, &[at("0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", &[Bsc])]),
    // As above.
    group(
        "Wrapped POL",
        Protocol::WrappedCoin,
        &[at("0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270", &[Polygon])],
    ),
    // LI.FI's contracts repository, config/networks.json.
    group(
        "Wrapped CRO",
        Protocol::WrappedCoin,
        &[at("0x5C7F8A570d578ED84E63fdFA7b1eE72dEae1AE23", &[CronosChain])],
    ),
    // As above.
    group(
        "Wrapped MNT",
        Protocol::WrappedCoin,
        &[at("0x78c1b0C915c4FAA5FffA6CAbf0219DA63d7f4cb8", &[Mantle])],
    ),
    // As above.
    group("Wrapped SEI", Protocol::WrappedCoin, &[at("0xE30feDd158A2e3b13e9badaeABaFc5516e95e8C7", &[Sei])]),
    // Hyperliquid's documentation, HyperEVM, wrapped HYPE.
    group(
        "Wrapped HYPE",
        Protocol::WrappedCoin,
        &[at("0x5555555555555555555555555555555555555555", &[Hyperliquid])],
    ),
];
