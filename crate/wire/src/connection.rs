//! Web pages that may ask.

use crate::api::Millis;
use derive::Record;

/// A web page that the user connected.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Its origin.
    pub origin: String,
    /// Since when.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub connected_at: Millis,
    /// The vaults whose accounts it may know.
    pub vault_ids: Vec<String>,
    /// The chains that it may use: canonical names.
    pub chains: Vec<String>,
    /// The EVM chain that it is on: canonical name.
    pub current_chain: Option<String>,
    /// Until then; `null` until it is revoked.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub expires_at: Option<Millis>,
    /// When it last asked for something, within an hour.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub used_at: Option<Millis>,
}

/// GET `/api/connections`, by origin.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Connections {
    /// All of them.
    pub connections: Vec<Connection>,
}

/// POST `/api/connections`, DELETE `/api/connections/{origin}`: what holds from now on.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConnectionState {
    /// The page's origin.
    pub origin: String,
    /// Whether it may ask.
    pub connected: bool,
}

/// GET `/api/vaults/{id}/accounts`: the vault's addresses that a web page can be granted.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PageAddresses {
    /// By chain.
    pub accounts: Vec<PageAddress>,
}

/// An address that a web page can be granted.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageAddress {
    /// Canonical name.
    pub chain: String,
    /// In the chain's own spelling.
    pub address: String,
    /// Whether EVM pages see it: the chain of a page that names none is one of these.
    pub is_evm: bool,
}
