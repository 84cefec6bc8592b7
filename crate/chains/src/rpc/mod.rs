//! How to talk to a chain's nodes, without talking: requests as data, answers read into a few outcomes.
//!
//! Only the chain's own verdict is a failure. An unreadable answer, a rate limit, a server error: ambiguous
//! for a broadcast, no news for a status.

mod cardano;
pub(crate) mod check;
mod cosmos;
pub(crate) mod evm;
mod fact;
mod fill;
mod polkadot;
pub(crate) mod ripple;
pub(crate) mod solana;
pub(crate) mod sui;
mod token_account;
mod ton;
pub(crate) mod trial;
pub(crate) mod tron;
mod utxo;

pub use fact::{fact, read_fact};
pub use fill::{estimate, fill, read_estimate, read_fill, read_receipt, receipt};
pub use trial::{Change, Failure, Ran, Trial, read_trial, trial};
pub use utxo::{read_zcash_branch, zcash_branch};
pub use wire::node::Status;

use crate::transaction::{Signed, Transaction};
use crate::{Chain, Network};
use wire::node::Checked;

/// A request to a node. The endpoint's address comes before `path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// How it is sent, and with what.
    pub method: Method,
    /// What follows the endpoint's address; empty for JSON-RPC.
    pub path: String,
}

/// How a request is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST` of a JSON text.
    Post(String),
}

/// What a node answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body, cut at a size that no honest answer exceeds.
    pub body: Vec<u8>,
}

/// What became of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broadcast {
    /// The node took it.
    Accepted,
    /// The node had it already, which counts as accepted.
    AlreadyKnown,
    /// The chain's rules refuse these bytes, now and later.
    Rejected {
        /// The node's code or the first words of its reason.
        code: String,
        /// The node's whole reason.
        reason: String,
    },
    /// Unknown: look the transaction up by its id.
    Ambiguous {
        /// What was seen.
        reason: String,
    },
}

/// What one kind of chain speaks.
pub(crate) struct Dialect {
    /// The request that sends signed bytes.
    pub(crate) broadcast: fn(Chain, &Signed) -> Request,
    /// Reads its answer.
    pub(crate) read_broadcast: fn(&Response) -> Broadcast,
    /// The requests that ask for a transaction; all are sent.
    pub(crate) status: fn(Chain, &str) -> Vec<Request>,
    /// Reads their answers, in the order of the requests.
    pub(crate) read_status: fn(Chain, &[Response]) -> Status,
}

const fn dialect(chain: Chain) -> &'static Dialect {
    match chain.network() {
        Network::Evm { .. } => &evm::DIALECT,
        Network::Utxo(_) => &utxo::DIALECT,
        Network::Cosmos { .. } | Network::Qbtc { .. } => &cosmos::DIALECT,
        Network::Sui => &sui::DIALECT,
        Network::Solana => &solana::DIALECT,
        Network::Polkadot { .. } | Network::Bittensor { .. } => &polkadot::DIALECT,
        Network::Ton => &ton::DIALECT,
        Network::Ripple => &ripple::DIALECT,
        Network::Tron => &tron::DIALECT,
        Network::Cardano => &cardano::DIALECT,
    }
}

/// The request that sends signed bytes to a node of `chain`.
pub fn broadcast(chain: Chain, signed: &Signed) -> Request {
    (dialect(chain).broadcast)(chain, signed)
}

/// Reads the answer to [`broadcast`].
pub fn read_broadcast(chain: Chain, response: &Response) -> Broadcast {
    (dialect(chain).read_broadcast)(response)
}

/// The requests that ask a node of `chain` for the transaction `id`; all are sent.
pub fn status(chain: Chain, id: &str) -> Vec<Request> {
    (dialect(chain).status)(chain, id)
}

/// Reads the answers to [`status`], in the order of the requests.
pub fn read_status(chain: Chain, responses: &[Response]) -> Status {
    (dialect(chain).read_status)(chain, responses)
}

/// The requests that ask a node whether `transaction` can still be sent, and would work; all are sent. `ahead`
/// transactions of the same account go out before it.
pub fn check(transaction: &Transaction, ahead: u32) -> Vec<Request> {
    transaction.check(ahead)
}

/// Reads the answers to [`check`], in the order of the requests.
pub fn read_check(transaction: &Transaction, ahead: u32, responses: &[Response]) -> Checked {
    transaction.read_check(ahead, responses)
}

impl Request {
    /// A JSON-RPC 2.0 call.
    pub(crate) fn json_rpc(method: &str, params: &serde_json::Value) -> Self {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        Self { method: Method::Post(body.to_string()), path: String::new() }
    }
}

impl Response {
    /// The body as JSON, if it is JSON.
    pub(crate) fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// A JSON-RPC answer. Some gateways send the node's errors with a status of their own.
    pub(crate) fn answer(&self) -> Option<serde_json::Value> {
        let overloaded = self.status == 429 || self.status >= 500;
        self.json().filter(|answer| !overloaded && answer.is_object())
    }

    /// What a JSON-RPC call gave back, if it did not fail.
    pub(crate) fn result(&self) -> Option<serde_json::Value> {
        let mut answer = self.answer()?;
        let failed = answer.get("error").is_some_and(|error| !error.is_null());
        answer.get_mut("result").filter(|_| !failed).map(serde_json::Value::take)
    }

    /// The body's beginning, for a reason that a person reads.
    pub(crate) fn excerpt(&self) -> String {
        let text: String = String::from_utf8_lossy(&self.body).chars().take(200).collect();
        format!("HTTP {}: {text}", self.status)
    }
}
