//! What a chain's nodes are asked, and what they say: between the core, which has the network, and the signer's module,
//! which knows the chains' dialects.
//!
//! Only the chain's own word is a failure. An answer that cannot be read, a limit, a server in trouble: unclear.

use crate::bundle::StepRequest;
use crate::evm::{EvmCall, EvmReceipt, FillQuery, Filling, GasNeed};
use crate::signer::TokenName;
use crate::trial::TrialOutcome;
use crate::vault::VaultAccount;
use derive::Record;

/// A question to a chain's nodes.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
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
    /// What would the vault have less and more of if these transactions, which are not signed yet, ran now?
    TrialRun {
        /// All that the bundle has on the chain, in the order in which they run.
        transactions: Vec<CheckRequest>,
        /// Names that the vault has for tokens.
        tokens: Vec<TokenName>,
    },
    /// What do signatures cover that only the network knows?
    NetworkFacts,
    /// What does an explanation need that the bytes do not say?
    Fact(FactQuery),
    /// What is missing in transactions that the wallet builds, on an EVM chain?
    Fill(FillQuery),
    /// How much gas does each of these calls need, tried alone?
    Estimate {
        /// The account that would sign.
        address: String,
        /// The calls.
        calls: Vec<EvmCall>,
    },
    /// The receipt of a transaction of an EVM chain.
    Receipt {
        /// Its id.
        id: String,
    },
}

/// What an explanation needs and the bytes do not say.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum FactQuery {
    /// The transaction whose output is spent: the values of inputs that no signature covers.
    PreviousTransaction {
        /// Its id, as explorers spell it.
        id: String,
        /// Whether a node of the chain is asked, and not an index of it.
        json_rpc: bool,
    },
    /// Type and balance of a coin object.
    CoinObject {
        /// Its id.
        id: String,
    },
    /// Ticker and decimals of a token, and whether it is a collection of items.
    Token {
        /// As the chain names it.
        id: String,
    },
    /// Owner and token of an account that holds tokens, where they are not in the bytes.
    TokenAccount {
        /// The account.
        address: String,
    },
    /// The accounts at which a swap network takes deposits now; asked of that network's nodes.
    DepositAddresses,
}

/// What a node said.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum NodeFact {
    /// A transaction. Its bytes prove themselves: they have the id's hash.
    PreviousTransaction {
        /// Its id, as explorers spell it.
        id: String,
        /// Its bytes, hex.
        bytes: String,
    },
    /// A coin object.
    CoinObject {
        /// Its id.
        id: String,
        /// The type of coin in it.
        coin_type: String,
        /// How much, decimal digits.
        balance: String,
    },
    /// A token.
    Token {
        /// As the chain names it.
        id: String,
        /// The ticker it gives itself.
        ticker: Option<String>,
        /// How many decimal places one token has.
        decimals: Option<u8>,
        /// Whether it is a collection of items, each with a number.
        collection: bool,
    },
    /// An account that holds tokens.
    TokenAccount {
        /// The account.
        address: String,
        /// Whose it is.
        owner: String,
        /// The token, as the chain names it.
        token: String,
    },
    /// An account at which a swap network takes deposits.
    DepositAddress {
        /// Canonical name of the network: THORChain or MayaChain.
        network: String,
        /// Canonical name of the chain on which the account is.
        chain: String,
        /// The account.
        address: String,
        /// The contract that hands tokens to it.
        router: Option<String>,
    },
}

/// A signed transaction.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct SignedBytes {
    /// What is broadcast, hex.
    pub bytes: String,
    /// A signature that is sent beside the bytes, hex.
    pub detached: Option<String>,
    /// The transaction's id as explorers spell it.
    pub id: String,
}

/// A transaction to be checked before it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
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

/// What only the network knows: what the signatures of some chains cover, and what explanations need.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub struct NetworkFacts {
    /// The consensus branch of the next Zcash block: the four bytes that enter signature hashes, hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zcash_branch: Option<String>,
    /// What explanations need.
    #[record(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<NodeFact>,
}

impl NetworkFacts {
    /// Whether nothing is known.
    pub const fn is_empty(&self) -> bool {
        self.zcash_branch.is_none() && self.facts.is_empty()
    }
}

/// A request to a node. The endpoint's address comes before `path`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct NodeRequest {
    /// What follows the endpoint's address; empty for JSON-RPC.
    pub path: String,
    /// JSON text to POST; a GET without it.
    pub body: Option<String>,
}

/// What a node answered.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct NodeResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// The responses to the requests of several queries.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum NodeResponses {
    /// Those of each query, in the order of its requests.
    Single(Vec<Vec<NodeResponse>>),
    /// To the batch of all requests.
    Batch(NodeResponse),
}

/// What the responses to a question say.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum NodeResult {
    /// Of a broadcast.
    Broadcast(Broadcast),
    /// Of a status query.
    Status(Status),
    /// Of a check.
    Checked(Checked),
    /// Of a trial run.
    TrialRun(TrialOutcome),
    /// Of what the network knows; empty where no node says it.
    NetworkFacts(NetworkFacts),
    /// Of what an explanation needs; empty where no node says it.
    Facts(Vec<NodeFact>),
    /// Of what is missing in transactions.
    Filling(Filling),
    /// Of an estimate: one for each call.
    Estimates(Vec<GasNeed>),
    /// Of a receipt; none where the node has none.
    Receipt(Option<EvmReceipt>),
}

/// What became of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
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
    /// A node rejects it, and no second one does. The core's word, not a node's.
    Disputed {
        /// Which node says what, for a person.
        reason: String,
    },
}

/// Where a transaction is.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
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
    /// A node says that it is settled, and no second one does. The core's word, not a node's.
    Disputed {
        /// Which node says what, for a person.
        reason: String,
    },
}

/// What a node says of a transaction that is not signed yet.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
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
    /// A node says that it cannot be sent, and no second one does. The core's word, not a node's.
    Disputed {
        /// Which node says what, for a person.
        reason: String,
    },
}

/// A warning about a transaction that can be sent.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Finding {
    /// What kind.
    pub code: FindingCode,
    /// For a person, a whole sentence.
    pub message: String,
}

/// What a check can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
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
