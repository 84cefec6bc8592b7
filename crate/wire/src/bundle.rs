//! A bundle of transactions: what was asked for (specification 000 §1), what its bytes say, and what the policy says.

use crate::api::{Millis, Source};
use crate::descriptor::{CallData, Description};
use crate::evm::FeeChoice;
use crate::explain::{Claim, Explanation};
use crate::node::{Finding, NetworkFacts};
use crate::policy::Verdict;
use crate::signer::ChainAddress;
use crate::trial::TrialRun;
use derive::Record;

/// A step as it was asked for, its structure checked; its bytes are not looked at yet.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct StepRequest {
    /// Unique within the bundle.
    pub id: String,
    /// Its place; steps run in this order.
    pub sequence: u32,
    /// Canonical name of the chain.
    pub chain: String,
    /// A label, any text.
    pub action: String,
    /// `ecdsa_secp256k1` or `eddsa_ed25519`.
    pub signing_mode: String,
    /// What is to be signed.
    pub source: StepSource,
    /// What the sender says of it.
    pub details: TxDetails,
    /// Whether the next step waits for this one's receipt.
    pub wait_for_receipt: bool,
    /// How long to wait for it; the chain's default if absent.
    pub receipt_timeout_seconds: Option<u32>,
    /// What a node of the chain says that the signatures cover; not the sender's to say.
    #[serde(default)]
    pub network_facts: NetworkFacts,
}

/// Where a step's transactions come from: exactly one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum StepSource {
    /// A keysign payload.
    Payload {
        /// Base64 of the protobuf.
        keysign_payload: String,
    },
    /// A transaction that the sender built.
    Raw {
        /// Hex, with or without `0x`.
        unsigned_tx_hex: String,
        /// What is said beside the bytes; must agree with them.
        chain_id: Option<String>,
        /// The chain's own path.
        derive_path: Option<String>,
        /// `legacy`, `eip2930` or `eip1559`.
        tx_type: Option<String>,
    },
}

/// `tx_details`: what the sender claims of a step. All optional, shown, and never signed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TxDetails {
    /// What it is for.
    pub description: Option<String>,
    /// Who pays.
    pub from: Option<String>,
    /// Who receives, or what is called.
    pub to: Option<String>,
    /// Native coins that are sent.
    pub value: Option<String>,
    /// Which token.
    pub token_symbol: Option<String>,
    /// How much, for people.
    pub amount_human: Option<String>,
    /// Whose contract; nothing in the bytes can confirm it.
    pub contract_name: Option<String>,
    /// The gas limit.
    pub gas_limit: Option<String>,
}

/// A bundle with its steps decoded, as it was at its prompt; it does not change afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Bundle {
    /// The id of its call.
    pub id: String,
    /// The heading that the sender gave it.
    pub label: Option<String>,
    /// The vault that signs.
    pub vault_id: String,
    /// That vault's name when it was asked.
    pub vault_name: String,
    /// Who asked.
    pub source: Source,
    /// The steps, in the order in which they run.
    pub steps: Vec<Step>,
    /// What the chains' nodes say of a trial run, one for each chain in the order of the steps: the nodes' word.
    #[record(default)]
    pub trial: Vec<TrialRun>,
    /// Of the vault and of every byte that would be signed, in order (hex): what consent is bound to.
    pub digest: String,
    /// Of everything else here (hex): a prompt names it as its subject. Empty if an earlier version made it.
    #[record(default)]
    pub shown: String,
    /// The policy's verdict before any prompt.
    pub verdict: Verdict,
    /// Whether the approval was skipped at the sender's request, as the user's settings allow.
    pub skipped_approval: bool,
    /// Whether the signed transactions go to the page that asked, and are not sent.
    #[record(default)]
    pub for_page: bool,
    /// When it arrived.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
    /// The fees that the user can choose from while it waits for the approval; only where the wallet filled them in.
    #[record(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub fees: Option<FeeChoice>,
}

/// A step, decoded.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// As the sender named it.
    pub id: String,
    /// Its place.
    pub sequence: u32,
    /// Canonical name of the chain.
    pub chain: String,
    /// The sender's label.
    pub action: String,
    /// What the sender claims.
    pub details: TxDetails,
    /// What the bytes say: one transaction, or an approval and what it is for.
    pub transactions: Vec<Decoded>,
    /// The findings of the chain's nodes, before any prompt.
    #[record(default)]
    pub findings: Vec<Finding>,
    /// Whether the next step waits for this one's receipt.
    pub wait_for_receipt: bool,
    /// How long to wait for it; `null` for the chain's default.
    pub receipt_timeout_seconds: Option<u32>,
    /// What a node of the chain said that the signatures cover: the step is signed with exactly that.
    #[serde(default, skip_serializing_if = "NetworkFacts::is_empty")]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub network_facts: NetworkFacts,
}

/// A transaction, decoded, with the sender's claims held against it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Decoded {
    /// What it is for.
    pub role: TransactionRole,
    /// What it does.
    pub explanation: Explanation,
    /// What the payload says beside what is signed.
    #[record(default)]
    pub claims: Vec<Claim>,
    /// Claims that are not true.
    pub contradictions: Vec<Contradiction>,
    /// Claims that could not be checked: names of fields of `tx_details`.
    pub unverified: Vec<String>,
    /// Of everything that would be signed, in order (hex).
    pub digest: String,
    /// The addresses of the explanation, in the spellings by which the policy recognises them.
    #[record(default)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub addresses: Vec<SpelledAddress>,
    /// What a registry's descriptor says of it: others' words, which the policy does not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Box<Description>>,
    /// The call of a contract that it is, from the signer to the reader of descriptors; not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub call: Option<Box<CallData>>,
}

/// An address that a transaction names.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct SpelledAddress {
    /// As it stands in the explanation.
    pub text: String,
    /// In every canonical spelling: of the transaction's chain, or of every other where it is none of that one. EVM chains
    /// are one here, under Ethereum's name.
    pub spellings: Vec<ChainAddress>,
}

/// What a transaction of a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TransactionRole {
    /// Lets a router take tokens, before the swap.
    Approval,
    /// What the step is for, in records of earlier versions.
    Swap,
    /// What the step is for.
    Transfer,
}

/// A claim that the bytes contradict.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Contradiction {
    /// The field of `tx_details`, or `chain`.
    pub field: String,
    /// What was claimed.
    pub claimed: String,
    /// What the bytes say.
    pub actual: String,
}
