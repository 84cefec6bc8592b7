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
