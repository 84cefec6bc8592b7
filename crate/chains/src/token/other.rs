//! Well-known tokens of the other chains: mints, denoms, coin types, jettons, issued currencies.
//!
//! Where no source is named, it is the token list of vultisig/commondata, tokens/tokens.json.

use super::{KnownToken, token};

pub(super) const SOLANA: &[KnownToken] = &[
    token("USDC", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", 6),
    token("USDT", "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", 6),
    token("USDS", "USDSwr9ApdHk5bvJKMjzff41FfuX8bSxdKcR81vTwcA", 6),
    token("JUP", "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", 6),
    token("PYTH", "HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3", 6),
    token("RAY", "4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R", 6),
    token("WIF", "EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm", 6),
    // Several public registries that agree.
    token("mSOL", "mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So", 9),
    token("JitoSOL", "J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn", 9),
];

pub(super) const SUI: &[KnownToken] = &[
    token("ETH", "0xd0e89b2af5e4910726fbcd8b8dd37bb79b29e5f83f7491bca830e94f7f226d29::eth::ETH", 8),
    // Several public registries that agree.
    token("USDC", "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC", 6),
];

pub(super) const TON: &[KnownToken] = &[
    // Several public registries that agree.
    token("USDT", "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs", 6),
];

pub(super) const TRON: &[KnownToken] = &[
    token("USDT", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", 6),
    // Several public registries that agree.
    token("WTRX", "TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR", 6),
];

pub(super) const RIPPLE: &[KnownToken] = &[
    // Several public registries that agree. Amounts of issued currencies are counted in 10⁻¹⁵.
    token("RLUSD", "524C555344000000000000000000000000000000.rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De", 15),
];

pub(super) const THORCHAIN: &[KnownToken] = &[token("TCY", "tcy", 8)];

pub(super) const MAYACHAIN: &[KnownToken] = &[token("MAYA", "maya", 4)];

pub(super) const COSMOS: &[KnownToken] = &[
    token("USDC", "ibc/F663521BF1836B00F5F177680F74BFB9A8B5654A694D0D2BC249E03CF2509013", 6),
    token("KUJI", "ibc/4CC44260793F84006656DD868E017578F827A492978161DA31D7572BCB3F4289", 6),
];

pub(super) const OSMOSIS: &[KnownToken] = &[
    token("USDC", "ibc/498A0751C798A0D9A389AA3691123DADA57DAA4FE165D5C75894505B876BA6E4", 6),
    token("USDC.eth.axl", "ibc/D189335C6E4A68B513C10AB227BF1C1D38C746766278BA3EEB4FB14124F1D858", 6),
    token("ION", "uion", 6),
    token(
        "allBTC",
        "factory/osmo1z6r6qdknhgsc0zeracktgpcxf43j6sekq07nw8sxduc9lg0qjjlqfu25e3/alloyed/allBTC",
        8,
    ),
    // Several public registries that agree.
    token("ATOM", "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", 6),
];

pub(super) const KUJIRA: &[KnownToken] = &[
    token("USDC", "ibc/FE98AAD68F02F03565E9FA39A5E627946699B2B07115889ED812D8BA639576A9", 6),
    token("USK", "factory/kujira1qk00h5atutpsv900x202pxx42npjr9thg58dnqpa72f2p7m2luase444a7/uusk", 6),
    token("MNTA", "factory/kujira1643jxg8wasy5cfcn7xm8rd742yeazcksqlg4d7/umnta", 6),
    token("FUZN", "factory/kujira1sc6a0347cc5q3k890jj0pf3ylx2s38rh4sza4t/ufuzn", 6),
];

pub(super) const TERRA: &[KnownToken] =
    &[token("ASTRO", "terra1nsuqsk6kh58ulczatwev87ttq2z6r3pusulg9r24mfj2fvtzd4uq3exn26", 6)];

pub(super) const TERRA_CLASSIC: &[KnownToken] = &[token("USTC", "uusd", 6)];
