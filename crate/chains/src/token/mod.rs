//! Well-known tokens by their ticker, such as `USDC` on Ethereum.
//!
//! A token is identified by its contract, not by its ticker: another `USDC` is easily deployed. This small table is for
//! requests that name a well-known token by ticker alone, and for naming what a transaction moves. A chain's own coin is
//! not a token: see [`Chain::native`]. Each row is from a published list, which its file names.

mod evm;
mod other;

use crate::Chain;

/// A well-known token on one chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownToken {
    /// The ticker in its usual spelling.
    pub ticker: &'static str,
    /// What identifies it, in its one spelling: the contract (EVM, Tron), the mint (Solana), the denom or contract
    /// (Cosmos), the coin type (Sui), the jetton's master (TON), `currency.issuer` (XRP).
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
        Chain::Ethereum => evm::ETHEREUM,
        Chain::Arbitrum => evm::ARBITRUM,
        Chain::Avalanche => evm::AVALANCHE,
        Chain::Base => evm::BASE,
        Chain::Blast => evm::BLAST,
        Chain::Bsc => evm::BSC,
        Chain::CronosChain => evm::CRONOS,
        Chain::Hyperliquid => evm::HYPERLIQUID,
        Chain::Mantle => evm::MANTLE,
        Chain::Optimism => evm::OPTIMISM,
        Chain::Polygon => evm::POLYGON,
        Chain::Robinhood => evm::ROBINHOOD,
        Chain::Sei => evm::SEI,
        Chain::Zksync => evm::ZKSYNC,
        Chain::Solana => other::SOLANA,
        Chain::Sui => other::SUI,
        Chain::Ton => other::TON,
        Chain::Tron => other::TRON,
        Chain::Ripple => other::RIPPLE,
        Chain::ThorChain => other::THORCHAIN,
        Chain::MayaChain => other::MAYACHAIN,
        Chain::Cosmos => other::COSMOS,
        Chain::Osmosis => other::OSMOSIS,
        Chain::Kujira => other::KUJIRA,
        Chain::Terra => other::TERRA,
        Chain::TerraClassic => other::TERRA_CLASSIC,
        _ => &[],
    }
}

const fn token(ticker: &'static str, contract: &'static str, decimals: u8) -> KnownToken {
    KnownToken { ticker, contract, decimals }
}
