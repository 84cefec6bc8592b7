//! What a vault holds: the coins themselves, and the tools that add and remove them on the wire (specification 000 §2,
//! §3).

use crate::address_book::AddedBy;
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
    /// Who added it; absent for coins that an earlier version stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub added_by: Option<AddedBy>,
    /// Whether its ticker and decimals can be relied on: it is a chain's own coin or well known, or the user added or
    /// confirmed it. Otherwise they are a claim of who added it.
    pub confirmed: bool,
    /// Where its decimals are from.
    pub decimals_from: DecimalsSource,
}

/// Where the decimals of a coin are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DecimalsSource {
    /// From our own table of chains and well-known tokens.
    Table,
    /// A node of the chain said the same as the request.
    Node,
    /// From the request alone: no node answered.
    #[default]
    Request,
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

/// One row of `remove_token`'s result; what could not be read of the input is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RemovedToken {
    /// Canonical chain name, or as given when refused.
    pub chain: Option<String>,
    /// The removed token's ticker, or the ticker asked for.
    pub ticker: Option<String>,
    /// The removed token's contract, or the contract asked for.
    pub contract_address: Option<String>,
    /// Whether it was removed.
    pub success: bool,
    /// `not_found`, `ambiguous_match`, `native_coin`, or what was wrong with the input.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub error: Option<Failure>,
}
