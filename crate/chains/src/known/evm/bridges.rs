//! Bridges.

use super::{Group, at, group};
use crate::Chain::{
    Arbitrum, Avalanche, Base, Blast, Bsc, CronosChain, Ethereum, Hyperliquid, Mantle, Optimism, Polygon,
    Robinhood, Sei, Zksync,
};
use crate::known::Protocol;

pub(super) const GROUPS: &[Group] = &[
    // The ERC-7730 registry, lifi.
    group(
        "LI.FI",
        Protocol::LiFiDiamond,
        &[
            at(
                "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
                &[
                    Ethereum,
                    Arbitrum,
                    Avalanche,
                    Base,
                    Blast,
                    Bsc,
                    CronosChain,
                    Mantle,
                    Optimism,
                    Polygon,
                    Sei,
                ],
            ),
            at("0x341e94069f53234fE6DabeF707aD424830525715", &[Zksync]),
            at("0xB477751B76CF82d00a686A1232f5fCD772414Af3", &[Robinhood]),
            at("0x0a0758d937d1059c356D4714e57F5df0239bce1A", &[Hyperliquid]),
        ],
    ),
    // Across's contracts repository, broadcast/deployed-addresses.json and deployments/deployments.json; its
    // documentation, contracts.
    group(
        "Across",
        Protocol::AcrossSpokePool,
        &[
            at("0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5", &[Ethereum]),
            at("0x6f26Bf09B1C792e3228e5467807a900A503c0281", &[Optimism]),
            at("0x4e8E101924eDE233C13e2D8622DC8aED2872d505", &[Bsc]),
            at("0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096", &[Polygon]),
            at("0xE0B015E54d54fc84a6cB9B666099c46adE9335FF", &[Zksync]),
            at("0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64", &[Base]),
            at("0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A", &[Arbitrum]),
            at("0x2D509190Ed0172ba588407D4c2df918F955Cc6E1", &[Blast]),
            at("0x35E63eA3eb0fb7A3bc543C71FB66412e1F6B0E04", &[Hyperliquid]),
        ],
    ),
    // Circle's documentation, CCTP V1 contracts, as public code quotes it.
    group(
        "CCTP",
        Protocol::CctpTokenMessengerV1,
        &[
            at("0xBd3fa81B58Ba92a82136038B25aDec7066af3155", &[Ethereum]),
            at("0x6B25532e1060CE10cc3B0A99e5683b91BFDe6982", &[Avalanche]),
            at("0x2B4069517957735bE00ceE0fadAE88a26365528f", &[Optimism]),
            at("0x19330d10D9Cc8751218eaf51E8885D058642E08A", &[Arbitrum]),
            at("0x1682Ae6375C4E4A97e4B583BC394c861A46D8962", &[Base]),
            at("0x9daF8c91AEFAE50b9c0E69629D3F6Ca40cA3B3FE", &[Polygon]),
        ],
    ),
    // Circle's cctp-go repository, chains.go; its documentation, CCTP contract addresses.
    group(
        "CCTP",
        Protocol::CctpTokenMessengerV2,
        &[at(
            "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d",
            &[Ethereum, Arbitrum, Avalanche, Base, Hyperliquid, Optimism, Polygon, Sei],
        )],
    ),
    // Version 6.1: THORNode's deployment summary, as public copies have it. Version 4.1: the vectors of vultisig-sdk,
    // thorchainswap.json, for Ethereum and Base; public wallets that agree for Avalanche and BSC.
    group(
        "THORChain",
        Protocol::ThorchainRouter,
        &[
            at("0x00dc6100103BC402d490aEE3F9a5560cBd91f1d4", &[Ethereum, Avalanche, Base, Bsc]),
            at("0xD37BbE5744D730a1d98d8DC97c42F0Ca46aD7146", &[Ethereum]),
            at("0x8F66c4AE756BEbC49Ec8B81966DD8bba9f127549", &[Avalanche]),
            at("0x68208D99746b805a1Ae41421950A47b711E35681", &[Base]),
            at("0xb30eC53F98ff5947EDe720D32aC2da7e52A5f56b", &[Bsc]),
        ],
    ),
    // The vectors of vultisig-sdk, mayaswap.json, for Arbitrum; public code that agrees for Ethereum.
    group(
        "Maya",
        Protocol::MayachainRouter,
        &[
            at("0xe3985E6b61b814F7Cdb188766562ba71b446B46d", &[Ethereum]),
            at("0x700E97ef07219440487840Dc472E7120A7FF11F4", &[Arbitrum]),
        ],
    ),
];
