//! Well-known tokens by their ticker, such as `USDC` on Ethereum.
//!
//! A token is identified by its contract, not by its ticker: another `USDC` is easily deployed. This small table is for
//! requests that name a well-known token by ticker alone. A chain's own coin is not a token: see [`Chain::native`].

use crate::Chain;

/// A well-known token on one chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownToken {
    /// The ticker in its usual spelling.
    pub ticker: &'static str,
    /// The contract (EVM, Tron) or mint (Solana), in the canonical spelling of an address of the chain.
    pub contract: &'static str,
    /// How many decimal places one token has.
    pub decimals: u8,
}

/// The token that `ticker` means on `chain`, if it is well known. Case and outer blanks do not matter.
pub fn known(chain: Chain, ticker: &str) -> Option<&'static KnownToken> {
    let ticker = ticker.trim();
    on(chain).iter().find(|token| token.ticker.eq_ignore_ascii_case(ticker))
}

/// Every well-known token of `chain`.
pub const fn on(chain: Chain) -> &'static [KnownToken] {
    match chain {
        Chain::Ethereum => ETHEREUM,
        Chain::Arbitrum => ARBITRUM,
        Chain::Avalanche => AVALANCHE,
        Chain::Base => BASE,
        Chain::Blast => BLAST,
        Chain::Bsc => BSC,
        Chain::Optimism => OPTIMISM,
        Chain::Polygon => POLYGON,
        Chain::Solana => SOLANA,
        Chain::Tron => TRON,
        _ => &[],
    }
}

const fn token(ticker: &'static str, contract: &'static str, decimals: u8) -> KnownToken {
    KnownToken { ticker, contract, decimals }
}

const ETHEREUM: &[KnownToken] = &[
    token("USDC", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6),
    token("USDT", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6),
    token("DAI", "0x6B175474E89094C44Da98b954EedeAC495271d0F", 18),
    token("USDS", "0xdC035D45d973E3EC169d2276DDab16f1e407384F", 18),
    token("WETH", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", 18),
    token("WBTC", "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", 8),
    token("LINK", "0x514910771AF9Ca656af840dff83E8264EcF986CA", 18),
    token("UNI", "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984", 18),
    token("AAVE", "0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9", 18),
];

const ARBITRUM: &[KnownToken] = &[
    token("USDC", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 6),
    token("USDT", "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", 6),
    token("USDC.e", "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8", 6),
    token("DAI", "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1", 18),
    token("USDS", "0x6491c05A82219b8D1479057361ff1654749b876b", 18),
    token("WBTC", "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f", 8),
    token("LINK", "0xf97f4df75117a78c1A5a0DBb814Af92458539FB4", 18),
    token("UNI", "0xFa7F8980b0f1E64A2062791cc3b0871572f1F7f0", 18),
    token("ARB", "0x912CE59144191C1204E64559FE8253a0e49E6548", 18),
];

const AVALANCHE: &[KnownToken] = &[
    token("USDC", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", 6),
    token("USDT", "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", 6),
    token("BTC.b", "0x152b9d0FdC40C096757F570A51E494bd4b943E50", 8),
    token("WAVAX", "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7", 18),
];

const BASE: &[KnownToken] = &[
    token("USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 6),
    token("DAI", "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb", 18),
    token("USDS", "0x820C137fa70C8691f0e44Dc420a5e53c168921Dc", 18),
];

const BLAST: &[KnownToken] = &[
    token("USDB", "0x4300000000000000000000000000000000000003", 18),
    token("WETH", "0x4300000000000000000000000000000000000004", 18),
    token("WBTC", "0xF7bc58b8D8f97ADC129cfC4c9f45Ce3C0E1D2692", 8),
];

const BSC: &[KnownToken] = &[
    token("USDC", "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
    token("USDT", "0x55d398326f99059fF775485246999027B3197955", 18),
    token("DAI", "0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3", 18),
    token("AAVE", "0xfb6115445Bff7b52FeB98650C87f44907E58f802", 18),
];

const OPTIMISM: &[KnownToken] = &[
    token("USDC", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 6),
    token("USDT", "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", 6),
    token("USDC.e", "0x7F5c764cBc14f9669B88837ca1490cCa17c31607", 6),
    token("DAI", "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1", 18),
    token("WBTC", "0x68f180fcCe6836688e9084f035309E29Bf0A2095", 8),
    token("LINK", "0x350a791Bfc2C21F9Ed5d10980Dad2e2638ffa7f6", 18),
    token("OP", "0x4200000000000000000000000000000000000042", 18),
];

const POLYGON: &[KnownToken] = &[
    token("USDC", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 6),
    token("USDT", "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", 6),
    token("USDC.e", "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", 6),
    token("WETH", "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619", 18),
    token("WBTC", "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6", 8),
    token("LINK", "0xb0897686c545045aFc77CF20eC7A532E3120E0F1", 18),
];

const SOLANA: &[KnownToken] = &[
    token("USDC", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", 6),
    token("USDT", "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", 6),
    token("USDS", "USDSwr9ApdHk5bvJKMjzff41FfuX8bSxdKcR81vTwcA", 6),
    token("JUP", "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", 6),
];

const TRON: &[KnownToken] = &[token("USDT", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", 6)];
