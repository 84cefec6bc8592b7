//! Known contracts and packages of the chains whose addresses are kept as text.

use super::{KnownContract, Protocol};
use crate::Chain::{self, Osmosis, Sui, Tron};

/// The known contract at an address in its canonical spelling.
pub(super) fn named(chain: Chain, address: &str) -> Option<KnownContract> {
    let (.., name, protocol) = *CONTRACTS.iter().find(|(on, text, ..)| *on == chain && *text == address)?;
    Some(KnownContract { name, protocol })
}

pub(super) const CONTRACTS: &[(Chain, &str, &str, Protocol)] = &[
    // Osmosis's frontend, the contract that its memos for swaps on arrival name.
    (
        Osmosis,
        "osmo1vkdakqqg5htq5c3wy2kj2geq536q665xdexrtjuwqckpads2c2nsvhhcyv",
        "Skip",
        Protocol::SkipEntryPoint,
    ),
    // Osmosis's description of its cross-chain swaps, as public code quotes it.
    (
        Osmosis,
        "osmo1uwk8xc6q0s6t5qcpr6rht3sczu6du83xq8pwxjua0hfj5hzcnh3sqxwvxs",
        "Osmosis",
        Protocol::OsmosisCrosschainSwaps,
    ),
    // Sui's documentation, system packages.
    (
        Sui,
        "0x0000000000000000000000000000000000000000000000000000000000000001",
        "Sui",
        Protocol::SuiFramework,
    ),
    (
        Sui,
        "0x0000000000000000000000000000000000000000000000000000000000000002",
        "Sui",
        Protocol::SuiFramework,
    ),
    (
        Sui,
        "0x0000000000000000000000000000000000000000000000000000000000000003",
        "Sui staking",
        Protocol::SuiSystem,
    ),
    // SunSwap's documentation, V2 interfaces, as public code quotes it.
    (Tron, "TKzxdSv2FZKQrEqkKVgp5DcwEXBEKMg2Ax", "SunSwap V2", Protocol::UniswapV2Router),
    // Public code that agrees.
    (Tron, "TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR", "Wrapped TRX", Protocol::WrappedCoin),
];
