//! Web pages that use the wallet: what a page may know, and where the wallet is offered.

use crate::api::Millis;
use derive::Record;
use serde_json::{Map, Value};

/// What a web page may know now. The script in the page compares it with what it was told before, and fires the events of
/// its standards.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageState {
    /// Whether the user let the page in.
    pub connected: bool,
    /// The EVM chain that the page is on: hex with `0x`.
    pub chain_id: String,
    /// Its EVM accounts.
    pub accounts: Vec<String>,
    /// Its Solana accounts.
    pub solana: Vec<PageAccount>,
    /// Its Sui accounts.
    pub sui: Vec<PageAccount>,
    /// Its session by CAIP-25: scopes with their accounts, methods and notifications; empty if it is not connected.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    #[record(default)]
    pub sessions: Map<String, Value>,
}

/// An account with its public key.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageAccount {
    /// In the chain's own spelling.
    pub address: String,
    /// Hex.
    pub public_key: String,
}

/// On which web pages the wallet is offered: `pages` of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageSettings {
    /// Where.
    #[record(default)]
    pub mode: PageMode,
    /// The origins that the user chose.
    #[record(default)]
    pub sites: Vec<String>,
    /// Whether `window.ethereum` is set where nothing else did.
    #[record(default)]
    pub set_ethereum: bool,
    /// Ids of other extensions that may ask as web pages do.
    #[record(default)]
    pub extensions: Vec<String>,
}

/// Where the wallet is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PageMode {
    /// Nowhere.
    #[default]
    Off,
    /// On the sites that the user chose.
    Sites,
    /// On all sites.
    All,
}

/// A site that asked for something.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Site {
    /// Its origin.
    pub origin: String,
    /// Its host as it reads: encoded letters decoded.
    pub shown: String,
    /// When it first asked.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub first_asked_at: Millis,
    /// When it last did, in vain or not.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub last_asked_at: Millis,
    /// Whether the user is connected to it.
    pub connected: bool,
    /// Whether the user wants to see nothing of it.
    pub blocked: bool,
    /// The entry of the user's list that names it.
    pub listed: Option<String>,
    /// Whether the user lets it in though it is listed.
    pub let_in: bool,
    /// It was rejected twice in a row: until then nothing of it reaches the user.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub paused_until: Option<Millis>,
    /// Requests that were refused in this pause.
    pub refused: u32,
}

/// GET `/api/sites`: those that keep asking first, then by when they last asked.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Sites {
    /// All of them.
    pub sites: Vec<Site>,
}

/// GET, PUT `/api/sites/list`: the list of harmful sites that the user brought.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SiteList {
    /// Names of harmful sites.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// Names that are fine in any case.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub allowed: u64,
    /// Names that others imitate.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub protected: u64,
    /// SHA-256 of its text, hex; empty without a list.
    pub digest: String,
    /// When it was brought; 0 without a list.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub updated_at: Millis,
}
