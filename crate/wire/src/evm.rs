//! Transactions of EVM chains that the wallet builds itself: a page says what is to be done (EIP-1193, EIP-5792), and
//! nonce, gas and fees come from the user's node.
//!
//! Amounts and prices are decimal digits, in the smallest unit.

use crate::explain::Quantity;
use derive::Record;

/// What a page wants a transaction to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub struct EvmCall {
    /// The receiver or the contract; none where a contract is created.
    pub to: Option<String>,
    /// Native coins that are sent.
    pub value: String,
    /// Hex without `0x`.
    pub data: String,
    /// Storage that is paid for in advance (EIP-2930).
    #[record(default, skip_serializing_if = "Vec::is_empty")]
    pub access_list: Vec<EvmAccess>,
}

/// A contract of an access list.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct EvmAccess {
    /// The contract.
    pub address: String,
    /// Keys of its storage: 32 bytes each, hex.
    pub storage_keys: Vec<String>,
}

/// A transaction with everything that is signed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct EvmTransaction {
    /// What it does.
    pub call: EvmCall,
    /// Its number among the account's.
    pub nonce: u64,
    /// The most gas that it may use.
    pub gas_limit: u64,
    /// What is paid for a unit of gas.
    pub price: EvmPrice,
}

/// What is paid for a unit of gas.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum EvmPrice {
    /// One price: on chains without a base fee.
    Legacy {
        /// For a unit of gas.
        gas_price: String,
    },
    /// EIP-1559.
    Dynamic {
        /// At most, in all.
        max_fee: String,
        /// At most, to the maker of the block.
        priority_fee: String,
    },
}

/// What is asked of a node to fill in transactions.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct FillQuery {
    /// The account that would sign.
    pub address: String,
    /// What it would do, in this order.
    pub calls: Vec<EvmCall>,
}

/// What a node says to fill in transactions.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum Filling {
    /// What is needed.
    Known(EvmNetwork),
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

/// The network as one node sees it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct EvmNetwork {
    /// The account's next nonce at the latest block.
    pub nonce: u64,
    /// The same, with the transactions that wait for a block.
    pub pending_nonce: u64,
    /// What the account has of the native coin.
    pub balance: Option<String>,
    /// What all transactions of a block may use.
    pub block_gas_limit: Option<u64>,
    /// Prices of gas.
    pub market: FeeMarket,
    /// What each call needs, run one after the other.
    pub gas: Vec<GasNeed>,
}

/// Prices of gas, from what was paid lately.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum FeeMarket {
    /// The chain has no base fee.
    Legacy {
        /// What the node proposes.
        gas_price: String,
    },
    /// EIP-1559.
    Dynamic {
        /// Of the next block.
        base_fee: String,
        /// What the makers of blocks took from the cheapest tenth.
        slow: String,
        /// From the middle.
        normal: String,
        /// From the dearest tenth.
        fast: String,
    },
}

/// What a call needs.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum GasNeed {
    /// A node tried it alone, and says what limit it needs.
    Estimated {
        /// Of gas.
        gas: u64,
    },
    /// A node ran it behind the others, and says what it used.
    Used {
        /// Of gas.
        gas: u64,
    },
    /// It fails.
    Fails {
        /// In the words of the node or of the contract.
        reason: String,
    },
    /// No node says.
    Unknown,
}

/// A receipt, as EIP-5792 wants it. All numbers and hashes are hex with `0x`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct EvmReceipt {
    /// What the transaction's contracts said.
    pub logs: Vec<EvmLog>,
    /// `0x1` if it worked, `0x0` if it was reverted.
    pub status: String,
    /// Its block.
    pub block_hash: String,
    /// That block's number.
    pub block_number: String,
    /// What it used.
    pub gas_used: String,
    /// Its id.
    pub transaction_hash: String,
}

/// An event of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct EvmLog {
    /// The contract.
    pub address: String,
    /// What it said.
    pub data: String,
    /// By which it is found.
    pub topics: Vec<String>,
}

/// What the wallet filled in, of transactions that a page asked for. The user may choose another fee while the prompt is
/// open.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct Filled {
    /// Canonical name of the chain.
    pub chain: String,
    /// The account.
    pub address: String,
    /// The transactions, in the order of the steps.
    pub transactions: Vec<EvmTransaction>,
    /// The prices to choose from.
    pub market: FeeMarket,
    /// Which was chosen.
    pub speed: Speed,
    /// What a block may use: no limit is set above it.
    #[record(default)]
    pub block_gas_limit: Option<u64>,
}

/// How soon a transaction should be in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    /// Cheaper, later.
    Slow,
    /// In one of the next blocks.
    Normal,
    /// Dearer, sooner.
    Fast,
    /// The user's own fee.
    Own,
    /// The fee that the page named.
    Page,
}

/// The fees that can be chosen for a bundle, while its prompt is open.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FeeChoice {
    /// Which is in the bytes now.
    pub chosen: Speed,
    /// What is in the bytes now.
    pub now: FeeOption,
    /// Slow, normal and fast.
    pub options: Vec<FeeOption>,
    /// The gas limits of all steps together.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub gas_limit: u64,
    /// How many transactions the limit is of: with one, the user may set it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub transactions: u64,
}

/// A fee to choose.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FeeOption {
    /// Which.
    pub speed: Speed,
    /// What is paid for a unit of gas.
    pub price: EvmPrice,
    /// The most that all steps can cost.
    pub at_most: Quantity,
    /// What they would cost in the next block, if they use what they may.
    pub likely: Quantity,
}

/// POST `/api/bundles/{id}/fee`: another fee for a bundle whose prompt is open.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChooseFee {
    /// One of the three; or `own`.
    #[record(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub speed: Option<Speed>,
    /// The user's own.
    #[record(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub own: Option<OwnFee>,
}

/// A fee of the user's own. Prices are decimal digits in the smallest unit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnFee {
    /// At most, in all, for a unit of gas; on chains without a base fee the price.
    pub max_fee_per_gas: String,
    /// At most, to the maker of the block.
    #[record(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub max_priority_fee_per_gas: Option<String>,
    /// The most gas that the transaction may use; only of a bundle with one.
    #[record(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub gas_limit: Option<String>,
}
