//! Batches of calls of web pages (EIP-5792), for the wallet's own pages.

use crate::api::Millis;
use derive::Record;

/// GET `/api/call-batches/{id}`: a batch of a web page, by the id of its bundle or by the page's own.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallBatch {
    /// As the page knows it.
    pub id: String,
    /// The page.
    pub origin: String,
    /// The bundle that it became.
    pub bundle_id: String,
    /// By which method it came.
    pub kind: BatchKind,
    /// Canonical name of the chain; `null` where there may be several.
    pub chain: Option<String>,
    /// How many calls or transactions it has.
    pub calls: u32,
    /// When it was asked for.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
    /// As EIP-5792 counts: 100 pending, 200 confirmed, 400 failed off the chain, 500 reverted, 600 reverted in part.
    pub status: u16,
}

/// By which method a batch came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BatchKind {
    /// `wallet_sendCalls`.
    Calls,
    /// `countersign_signTransactionBundle`.
    Bundle,
}
