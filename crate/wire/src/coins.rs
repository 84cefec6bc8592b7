//! What a vault holds: the coins themselves, and the tools that add them on the wire (specification 000 §2, §3).

use crate::failure::Failure;
use derive::Record;

/// A coin of a vault: a chain's own, or a token on it. In GET `/api/vaults/{id}/coins`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Coin {
    /// Canonical name of the chain.
    pub chain: String,
    /// Display symbol.
    pub ticker: String,
    /// The vault's address on the chain.
    pub address: String,
    /// What tells a token apart on its chain; absent for the chain's own coin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub contract_address: Option<String>,
    /// How many decimal places one coin has.
    pub decimals: u8,
    /// Whether it is the chain's own coin, which pays for transactions.
    pub is_native: bool,
    /// The URL of its logo, as given when it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub logo: Option<String>,
    /// Under which name its price is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub price_provider_id: Option<String>,
}

/// GET `/api/vaults/{id}/coins`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Coins {
    /// By chain, each chain's own coin before its tokens.
    pub coins: Vec<Coin>,
}

/// One row of `add_token`'s result; what could not be read of the input is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AddedToken {
    /// Canonical chain name, or as given when refused.
    pub chain: Option<String>,
    /// The ticker.
    pub ticker: Option<String>,
    /// The vault's address on the chain.
    pub address: Option<String>,
    /// The contract as stored, or as given when refused; `null` for a native coin.
    pub contract_address: Option<String>,
    /// Whether it was added.
    pub success: bool,
    /// `already_exists`, or what was wrong.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub error: Option<Failure>,
    /// Whether the chain was new to the vault and was added with it.
    pub chain_added: bool,
}

/// One row of `add_chain`'s result; what could not be read of the input is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AddedChain {
    /// Canonical chain name, or as given when refused.
    pub chain: Option<String>,
    /// Ticker of the native coin.
    pub ticker: Option<String>,
    /// The vault's address on the chain.
    pub address: Option<String>,
    /// Whether it was added.
    pub success: bool,
    /// `already_exists`, or what was wrong.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub error: Option<Failure>,
}
