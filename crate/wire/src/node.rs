//! What a chain's nodes are asked, and what they say: between the core, which has the network, and the signer's module,
//! which knows the chains' dialects.
//!
//! Only the chain's own word is a failure. An answer that cannot be read, a limit, a server in trouble: unclear.

use crate::bundle::StepRequest;
use crate::fields::{FieldError, Fields, FromFields};
use crate::vault::VaultAccount;
use serde::{Deserialize, Serialize};

/// A question to a chain's nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum NodeQuery {
    /// Broadcast these bytes.
    Broadcast(SignedBytes),
    /// Where is this transaction?
    Status {
        /// Its id, as explorers spell it.
        id: String,
    },
    /// Can this transaction, which is not signed yet, still be sent, and would it work?
    Check(Box<CheckRequest>),
}

/// A signed transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBytes {
    /// What is broadcast, hex.
    pub bytes: String,
    /// A signature that is sent beside the bytes, hex.
    pub detached: Option<String>,
    /// The transaction's id as explorers spell it.
    pub id: String,
}

/// A transaction to be checked before it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRequest {
    /// The account that would sign: the vault's on the step's chain.
    pub account: VaultAccount,
    /// The step it is of.
    pub step: StepRequest,
    /// Its place in the step.
    pub index: usize,
    /// How many transactions of the same account go out before it: numbers that count transactions are so much higher.
    pub ahead: u32,
}

/// A request to a node. The endpoint's address comes before `path`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRequest {
    /// What follows the endpoint's address; empty for JSON-RPC.
    pub path: String,
    /// JSON text to POST; a GET without it.
    pub body: Option<String>,
}

/// What a node answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// What the responses to a question say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeResult {
    /// Of a broadcast.
    Broadcast(Broadcast),
    /// Of a status query.
    Status(Status),
    /// Of a check.
    Checked(Checked),
}

/// What became of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum Broadcast {
    /// The node took it, or had it already.
    Accepted,
    /// The chain's rules refuse these bytes, now and later.
    Rejected {
        /// The node's reason.
        reason: String,
    },
    /// Unknown whether the node has it: look the transaction up by its id.
    Ambiguous {
        /// What was seen.
        reason: String,
    },
}

/// Where a transaction is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum Status {
    /// Known, not yet in a block.
    Pending,
    /// In a block, and it worked.
    Confirmed {
        /// Height, slot, ledger or checkpoint; unknown where the answer does not say.
        block: Option<u64>,
    },
    /// In a block, and it did not work.
    Failed {
        /// The chain's reason.
        reason: String,
    },
    /// Not known to this node.
    NotFound,
    /// The node gave no usable answer: ask again.
    Unclear {
        /// What was seen.
        reason: String,
    },
}

/// What a node says of a transaction that is not signed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum Checked {
    /// It can be sent; what there is to say of it besides.
    Sendable {
        /// Warnings; empty if there is nothing to say.
        findings: Vec<Finding>,
    },
    /// It can no longer be part of the chain: its number is used, its block hash too old, its coins spent.
    Stale {
        /// Why, a whole sentence.
        reason: String,
    },
    /// The node is of another network.
    WrongNetwork {
        /// What it says it is, a whole sentence.
        reason: String,
    },
    /// The node gave no usable answer.
    Unclear {
        /// What was seen.
        reason: String,
    },
}

/// A warning about a transaction that can be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Finding {
    /// What kind.
    pub code: FindingCode,
    /// For a person, a whole sentence.
    pub message: String,
}

/// What a check can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingCode {
    /// Run as a trial, it fails.
    SimulationFailed,
    /// The account has less than the transaction takes.
    InsufficientBalance,
    /// Its number is higher than the next one: it waits until the numbers between are used.
    Gapped,
    /// No node was asked.
    Unchecked,
}

crate::read_by_fields!(SignedBytes, Finding, NodeRequest, NodeResult, Broadcast, Status, Checked);
crate::fields::read_by_name!(FindingCode);

impl FromFields for SignedBytes {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self { bytes: fields.take("bytes")?, detached: fields.take("detached")?, id: fields.take("id")? })
    }
}

impl FromFields for Finding {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self { code: fields.take("code")?, message: fields.take("message")? })
    }
}

impl FromFields for NodeRequest {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self { path: fields.take("path")?, body: fields.take("body")? })
    }
}

impl FromFields for NodeResult {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        if let Some(broadcast) = fields.take("broadcast")? {
            return Ok(Self::Broadcast(broadcast));
        }
        match fields.take("status")? {
            Some(status) => Ok(Self::Status(status)),
            None => Ok(Self::Checked(fields.take("checked")?)),
        }
    }
}

impl FromFields for Broadcast {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(match fields.take::<String>("name")?.as_str() {
            "accepted" => Self::Accepted,
            "rejected" => Self::Rejected { reason: fields.take("reason")? },
            "ambiguous" => Self::Ambiguous { reason: fields.take("reason")? },
            _ => return Err(FieldError::Invalid("name")),
        })
    }
}

impl FromFields for Status {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(match fields.take::<String>("name")?.as_str() {
            "pending" => Self::Pending,
            "confirmed" => Self::Confirmed { block: fields.take("block")? },
            "failed" => Self::Failed { reason: fields.take("reason")? },
            "not_found" => Self::NotFound,
            "unclear" => Self::Unclear { reason: fields.take("reason")? },
            _ => return Err(FieldError::Invalid("name")),
        })
    }
}

impl FromFields for Checked {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(match fields.take::<String>("name")?.as_str() {
            "sendable" => Self::Sendable { findings: fields.take("findings")? },
            "stale" => Self::Stale { reason: fields.take("reason")? },
            "wrong_network" => Self::WrongNetwork { reason: fields.take("reason")? },
            "unclear" => Self::Unclear { reason: fields.take("reason")? },
            _ => return Err(FieldError::Invalid("name")),
        })
    }
}
