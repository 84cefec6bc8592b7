//! The address book's tools on the wire (specification 000 §4–§6).

use crate::failure::Failure;
use derive::Record;

/// One saved address, as `get_address_book` returns it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Entry {
    /// The entry's own id.
    pub id: String,
    /// Display name.
    pub title: String,
    /// The address in its chain's canonical spelling.
    pub address: String,
    /// The chain it was saved under, canonical spelling.
    pub chain: String,
    /// `evm`, `utxo`, `cosmos`, …: an `evm` address is valid on every EVM chain.
    pub chain_kind: String,
    /// Who put it there. Beyond the specification, as what follows; older readers ignore it.
    pub added_by: AddedBy,
    /// Whether the user saved or confirmed it.
    pub confirmed: bool,
    /// The address that the user had under the same name before, until the user confirms this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub replaces: Option<String>,
}

/// Who asked for a thing to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AddedBy {
    /// The user, in a page of the extension.
    User,
    /// The agent's backend.
    Agent,
    /// A web page.
    Dapp {
        /// Its origin, e.g. `https://app.example`.
        origin: String,
    },
}

/// Result of `get_address_book`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct GetAddressBookResult {
    /// Sorted by title.
    pub entries: Vec<Entry>,
    /// The number of `entries`.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_count: usize,
}

/// One row of `add_address_book`'s result; what could not be read of the input is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AddedEntry {
    /// The generated id; `null` when nothing was stored.
    pub id: Option<String>,
    /// Display name.
    pub title: Option<String>,
    /// The address as stored, or as given when refused.
    pub address: Option<String>,
    /// Canonical chain name, or as given when refused.
    pub chain: Option<String>,
    /// Whether it was stored.
    pub success: bool,
    /// Why not.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub error: Option<Failure>,
}

/// One row of `delete_address_book`'s result.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DeletedEntry {
    /// The deleted entry's id (or the id asked for).
    pub id: Option<String>,
    /// The deleted entry's title (or the title asked for).
    pub title: Option<String>,
    /// The deleted entry's chain (or the chain asked for).
    pub chain: Option<String>,
    /// Whether it was deleted.
    pub success: bool,
    /// `not_found`, `ambiguous_match`, or what was wrong with the input.
    #[cfg_attr(feature = "ts", ts(type = "string | null"))]
    pub error: Option<Failure>,
}

/// Result of a tool that works on an array: one row for each entry, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Rows<Row> {
    /// One for each entry of the input.
    pub results: Vec<Row>,
}
