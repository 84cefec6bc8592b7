//! Well-known tokens by their ticker, such as `USDC` on Ethereum.
//!
//! A token is identified by its contract, not by its ticker: another `USDC` is easily deployed. This small table is for
//! requests that name a well-known token by ticker alone, and for naming what a transaction moves. A chain's own coin is
//! not a token: see [`Chain::native`]. Each row is from a published list, which its file names.

mod contract;
mod evm;
mod other;

pub use contract::{ContractError, spell_contract};

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

/// What already has a ticker on a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// A well-known token.
    By(&'static KnownToken),
    /// The chain's own coin.
    ByNative,
}

/// What on `chain` a reader would take `ticker` for, if it is the chain's own coin or well known: signs between the letters
/// and the case do not matter, and neither do `0` for `O`, `1` or `l` for `I`.
pub fn taken(chain: Chain, ticker: &str) -> Option<Taken> {
    let (ticker, look) = (ticker.trim(), look(ticker));
    let alike = |name: &str| name.eq_ignore_ascii_case(ticker) || self::look(name) == look;
    if chain.is_native_ticker(ticker) || alike(chain.native().ticker) {
        return Some(Taken::ByNative);
    }
    let exact = known(chain, ticker);
    exact.or_else(|| on(chain).iter().find(|token| alike(token.ticker))).map(Taken::By)
}

/// The letters and digits of a ticker as they look.
fn look(ticker: &str) -> String {
    let letter = |letter: char| match letter {
        '0' => Some('O'),
        '1' | 'l' => Some('I'),
        '.' | '$' | '+' | '-' | ' ' => None,
        other => Some(other.to_ascii_uppercase()),
    };
    ticker.chars().filter_map(letter).collect()
}

/// The well-known token with this contract, in its one spelling.
pub fn at(chain: Chain, contract: &str) -> Option<&'static KnownToken> {
    on(chain).iter().find(|token| token.contract == contract)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn name(taken: Option<Taken>) -> Option<&'static str> {
        taken.map(|taken| match taken {
            Taken::By(token) => token.ticker,
            Taken::ByNative => "native",
        })
    }

    #[test]
    fn a_ticker_that_looks_like_a_known_one_is_taken() {
        let table = [
            (Chain::Ethereum, "USDC", Some("USDC")),
            (Chain::Ethereum, " usdc ", Some("USDC")),
            (Chain::Ethereum, "USDC.", Some("USDC")),
            (Chain::Ethereum, "$U-S-D-C", Some("USDC")),
            (Chain::Ethereum, "LlNK", Some("LINK")),
            (Chain::Ethereum, "eth", Some("native")),
            (Chain::Ethereum, "E.T.H", Some("native")),
            (Chain::Polygon, "MATIC", Some("native")),
            (Chain::Optimism, "USDTO", Some("USDT0")),
            (Chain::Optimism, "USDC.e", Some("USDC.e")),
            (Chain::Ethereum, "USDX", None),
            (Chain::Ethereum, "USDCx", None),
            (Chain::Bitcoin, "USDC", None),
        ];
        for (chain, ticker, expected) in table {
            assert_eq!(name(taken(chain, ticker)), expected, "{chain} {ticker}");
        }
    }

    #[test]
    fn every_token_of_the_table_is_taken_for_itself() {
        for chain in Chain::ALL {
            for token in on(*chain) {
                assert_eq!(name(taken(*chain, token.ticker)), Some(token.ticker), "{chain} {}", token.ticker);
                assert_eq!(at(*chain, token.contract), Some(token));
                assert!(crate::names::is_ticker(token.ticker), "{}", token.ticker);
            }
        }
    }
}
