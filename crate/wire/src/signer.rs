//! Between the core and the signer: a module of its own that is loaded when keys or transactions are touched.
//!
//! The signer keeps nothing between two requests: what it needs comes with the request, secrets sealed, and what must
//! last goes back with the reply.
//!
//! In JSON the name of a request or reply stands around its fields, `{"unlock":{…}}`, and not among them: what has to be
//! read before it is known what it is would be read by a second copy of the code.

use crate::api::Millis;
use crate::bundle::{Decoded, StepRequest};
use crate::evm::EvmTransaction;
use crate::message::{InspectedMessage, MessageRequest};
use crate::node::{FactQuery, NodeFact, NodeQuery, NodeRequest, NodeResponses, NodeResult, SignedBytes};
use crate::pieces::RequestPieces;
use crate::secret::SecretText;
use crate::vault::{PublicKeys, VaultAccount, VaultKind};
use derive::Record;

/// What the signer is asked to do. Two instances of its module answer: one sees secrets, the other sees what strangers
/// wrote (nodes, agents, pages). Neither memory ever holds both.
#[allow(clippy::large_enum_variant, reason = "one at a time")]
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// For the instance that sees secrets.
    Key(KeyRequest),
    /// For the instance that sees none.
    Decode(DecodeRequest),
}

impl From<KeyRequest> for Request {
    fn from(request: KeyRequest) -> Self {
        Self::Key(request)
    }
}

impl From<DecodeRequest> for Request {
    fn from(request: DecodeRequest) -> Self {
        Self::Decode(request)
    }
}

/// A request that carries a secret: a password, a phrase, a key, or a vault that is open.
#[allow(clippy::large_enum_variant, reason = "one at a time")]
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum KeyRequest {
    /// Makes a vault and seals it with the password. Answered with [`Reply::Vault`].
    NewVault {
        /// Display name; a backup's own if empty.
        name: String,
        /// What it is sealed with. A backup of our own keeps the password it has.
        password: SecretText,
        /// What it is made of.
        origin: Origin,
    },
    /// Opens a vault for a while. Answered with [`Reply::Opened`].
    Unlock {
        /// The container.
        sealed: String,
        /// Its password.
        password: SecretText,
        /// What the opened copy is good for; it opens for nothing else.
        binding: String,
    },
    /// Only whether the password is right. Answered with [`Reply::Done`].
    CheckPassword {
        /// The container.
        sealed: String,
        /// Its password.
        password: SecretText,
    },
    /// Seals with another password. Answered with [`Reply::Sealed`].
    ChangePassword {
        /// The container.
        sealed: String,
        /// Its password.
        password: SecretText,
        /// The next one.
        new_password: SecretText,
    },
    /// A backup file; the password must be right. Answered with [`Reply::File`].
    Export {
        /// Display name.
        name: String,
        /// Where the keys are.
        kind: VaultKind,
        /// The public keys.
        keys: PublicKeys,
        /// When the vault came here.
        created_at: Millis,
        /// The container.
        sealed: String,
        /// Its password.
        password: SecretText,
    },
    /// Signs one transaction of a step. Answered with [`Reply::Signed`].
    Sign {
        /// The opened vault.
        opened: Opened,
        /// The account that signs: the vault's on the step's chain. Refused if the secret's key is another.
        account: VaultAccount,
        /// The step.
        step: StepRequest,
        /// Which of the step's transactions.
        index: usize,
        /// What was consented to: the digest of exactly these bytes.
        digest: String,
    },
    /// Signs a message. Answered with [`Reply::MessageSigned`].
    SignMessage {
        /// The opened vault.
        opened: Opened,
        /// The account that signs. Refused if the secret's key is another.
        account: VaultAccount,
        /// The message.
        message: MessageRequest,
        /// What was consented to: the digest of exactly what would be signed.
        digest: String,
    },
    /// Seals a secret of tools for the opened vault. Answered with [`Reply::Sealed`].
    SealSecret {
        /// The opened vault.
        opened: Opened,
        /// Its name, which it is bound to.
        name: String,
        /// The secret.
        value: SecretText,
    },
    /// Seals the tokens that an OAuth 2 server gave for a tool. Answered with [`Reply::Sealed`].
    SealTokens {
        /// The opened vault.
        opened: Opened,
        /// The tool that they are for, which they are bound to.
        tool_id: String,
        /// The access token.
        access: SecretText,
        /// The refresh token; that of `earlier` stays where the server gave none.
        refresh: Option<SecretText>,
        /// The sealed tokens that these replace.
        earlier: Option<String>,
    },
    /// Fills secrets into a request of a tool. Answered with [`Reply::Filled`].
    FillRequest {
        /// The opened vault; a request without secrets needs none.
        opened: Option<Opened>,
        /// The secrets that the request needs, sealed.
        secrets: Vec<SealedSecret>,
        /// The tool's tokens, sealed, where the request needs one.
        tokens: Option<SealedTokens>,
        /// The request.
        request: RequestPieces,
        /// What stands for [`crate::pieces::Piece::Timestamp`].
        timestamp: String,
    },
}

/// A secret of tools, sealed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct SealedSecret {
    /// Its name.
    pub name: String,
    /// What [`KeyRequest::SealSecret`] gave.
    pub sealed: String,
}

/// The tokens of a tool, sealed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct SealedTokens {
    /// The tool.
    pub tool_id: String,
    /// What [`KeyRequest::SealTokens`] gave.
    pub sealed: String,
}

/// A request without a secret: public keys, transactions to decode, and the words of nodes.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum DecodeRequest {
    /// Checks public keys, and derives their accounts. Answered with [`Reply::Vault`].
    WatchVault {
        /// Display name.
        name: String,
        /// The keys.
        keys: PublicKeys,
    },
    /// Decodes the steps of a bundle and holds the claims against them. Answered with [`Reply::Inspected`].
    Inspect {
        /// The accounts that would sign: the vault's on the chains of the steps.
        accounts: Vec<VaultAccount>,
        /// In the order in which they run.
        steps: Vec<StepRequest>,
        /// Names that the vault has for tokens.
        tokens: Vec<TokenName>,
    },
    /// Decodes a message and explains what it allows. Answered with [`Reply::MessageInspected`].
    InspectMessage {
        /// The account that would sign.
        account: VaultAccount,
        /// The message.
        message: MessageRequest,
        /// Names that the vault has for tokens.
        tokens: Vec<TokenName>,
        /// What nodes said.
        facts: Vec<NodeFact>,
        /// The time, by which ends are judged.
        now: Millis,
    },
    /// What the explanations of these steps need from nodes. Answered with [`Reply::WantedFacts`].
    WantFacts {
        /// As in [`DecodeRequest::Inspect`].
        accounts: Vec<VaultAccount>,
        /// As in [`DecodeRequest::Inspect`].
        steps: Vec<StepRequest>,
        /// As in [`DecodeRequest::Inspect`].
        tokens: Vec<TokenName>,
    },
    /// Writes transactions of an EVM chain as the bytes that are signed. Answered with [`Reply::Built`].
    BuildEvm {
        /// Canonical name of the chain.
        chain: String,
        /// Everything that is signed.
        transactions: Vec<EvmTransaction>,
    },
    /// Checks addresses. Answered with [`Reply::Addresses`].
    CheckAddresses {
        /// Each with the chain that it should be of.
        addresses: Vec<ChainAddress>,
    },
    /// Checks tokens against our table. Answered with [`Reply::Tokens`].
    CheckTokens {
        /// The tokens.
        tokens: Vec<TokenToCheck>,
    },
    /// Builds the requests that put queries to a node of a chain. Answered with [`Reply::NodeRequests`].
    BuildNodeRequests {
        /// Canonical name of the chain.
        chain: String,
        /// The queries.
        queries: Vec<NodeQuery>,
    },
    /// Interprets the responses of a node. Answered with [`Reply::NodeResults`], or with [`Reply::BatchRefused`].
    ParseNodeResponses {
        /// Canonical name of the chain.
        chain: String,
        /// The queries that were asked.
        queries: Vec<NodeQuery>,
        /// What the node answered.
        responses: NodeResponses,
    },
}

/// What a vault is made of.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Origin {
    /// Chance.
    Random,
    /// A BIP-39 phrase.
    Phrase {
        /// Its words.
        words: SecretText,
        /// The passphrase that goes with it; often empty.
        passphrase: SecretText,
    },
    /// Private keys and a chain code, hex.
    Keys {
        /// 32 bytes.
        ecdsa: SecretText,
        /// 32 bytes.
        eddsa: SecretText,
        /// 32 bytes.
        chain_code: SecretText,
    },
    /// A backup file: ours, or a `.vult`.
    File {
        /// Its text.
        text: SecretText,
        /// Its password, where it has one.
        file_password: SecretText,
    },
}

/// A vault's keys, sealed for a while with a key of their own. The two are kept in different places.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The vault's keys, sealed.
    pub sealed: SecretText,
    /// What opens it.
    pub key: SecretText,
    /// What it is good for.
    pub binding: String,
}

/// A token that the vault holds under a name.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct TokenName {
    /// Canonical name of the chain.
    pub chain: String,
    /// Contract, mint or denom.
    pub id: String,
    /// Its ticker.
    pub ticker: String,
    /// How many decimal places one token has.
    pub decimals: u8,
    /// Whether the agent added it and the user has not confirmed it: its name is a claim then.
    #[record(default)]
    pub by_agent: bool,
}

/// A question to the nodes of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct WantedFact {
    /// Canonical name of the chain whose nodes are asked.
    pub chain: String,
    /// The question.
    pub query: FactQuery,
}

/// An unsigned transaction of an EVM chain.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct BuiltTransaction {
    /// Its bytes, hex.
    pub bytes: String,
    /// `legacy`, `eip2930` or `eip1559`.
    pub tx_type: String,
}

/// An address on a chain.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct ChainAddress {
    /// Canonical name of the chain.
    pub chain: String,
    /// The address.
    pub address: String,
}

/// What the check of an address found.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum CheckedAddress {
    /// It is one.
    Valid {
        /// In canonical spelling.
        canonical: String,
    },
    /// It is none of the chain.
    Invalid {
        /// Why, for a person.
        problem: String,
    },
}

/// A token as a request names it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct TokenToCheck {
    /// Canonical name of the chain.
    pub chain: String,
    /// The ticker.
    pub ticker: String,
    /// What tells it apart on its chain, where the request says so.
    pub contract: Option<String>,
}

/// What the check of a token found.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct CheckedToken {
    /// The contract in its one spelling, or why it is none.
    pub contract: Option<CheckedAddress>,
    /// The well-known token with this contract.
    pub listed: Option<ListedToken>,
    /// The well-known token that the ticker means on the chain.
    pub meant: Option<ListedToken>,
    /// Whether another token may have the ticker.
    pub ticker: TickerCheck,
}

/// A well-known token of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct ListedToken {
    /// The ticker in its usual spelling.
    pub ticker: String,
    /// What tells it apart on its chain.
    pub contract: String,
    /// How many decimal places one token has.
    pub decimals: u8,
}

/// Whether a token that is not well known may have a ticker.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum TickerCheck {
    /// It may.
    Free,
    /// It is no ticker: too long, or with characters that deceive.
    Malformed,
    /// A reader would take it for this one.
    Taken {
        /// Its ticker.
        ticker: String,
        /// Its contract; `null` for the chain's own coin.
        contract: Option<String>,
    },
}

/// What the signer answers.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Reply {
    /// A vault.
    Vault {
        /// Display name.
        name: String,
        /// Where the keys are.
        kind: VaultKind,
        /// Its public keys.
        keys: PublicKeys,
        /// Its accounts.
        accounts: Vec<VaultAccount>,
        /// The container; `null` for public keys alone.
        sealed: Option<String>,
    },
    /// An opened vault.
    Opened {
        /// The sealed secret and what opens it.
        opened: Opened,
        /// The container sealed anew, where its own sealing was weaker than is usual today.
        resealed: Option<String>,
    },
    /// A container, or what was sealed for an opened vault.
    Sealed {
        /// Its text.
        sealed: String,
    },
    /// A request as it goes out.
    Filled(Box<FilledRequest>),
    /// A backup file.
    File {
        /// Its text.
        text: String,
    },
    /// Every step decoded, in the order of the request.
    Inspected {
        /// The transactions of each step.
        steps: Vec<Vec<Decoded>>,
    },
    /// What explanations need from nodes.
    WantedFacts {
        /// Each with the canonical name of the chain whose nodes are asked.
        queries: Vec<WantedFact>,
    },
    /// Unsigned transactions.
    Built {
        /// In the order of the request.
        transactions: Vec<BuiltTransaction>,
    },
    /// What the check of addresses found.
    Addresses {
        /// One for each address, in the order of the request.
        checked: Vec<CheckedAddress>,
    },
    /// What the check of tokens found.
    Tokens {
        /// One for each token, in the order of the request.
        checked: Vec<CheckedToken>,
    },
    /// A message, decoded.
    MessageInspected(Box<InspectedMessage>),
    /// A signed message.
    MessageSigned {
        /// The signature as pages take it: hex.
        signature: String,
    },
    /// A signed transaction.
    Signed(SignedBytes),
    /// The requests to a node.
    NodeRequests {
        /// Those of each query; the responses are handed back in this order.
        requests: Vec<Vec<NodeRequest>>,
        /// All of them as one JSON-RPC batch, where the chain's nodes speak JSON-RPC and there are several.
        batch: Option<NodeRequest>,
    },
    /// What the responses say, in the order of the queries.
    NodeResults {
        /// One for each query.
        results: Vec<NodeResult>,
    },
    /// The node does not take batches: send the requests one by one.
    BatchRefused {},
    /// What was asked holds.
    Done {},
    /// It was refused, and nothing came of it.
    Refused(Refusal),
}

/// A request with its secrets filled in. Its parts print as nothing.
#[derive(Debug, Clone, Record)]
pub struct FilledRequest {
    /// The absolute address.
    pub url: SecretText,
    /// The headers, in the order of the request.
    pub headers: Vec<FilledHeader>,
    /// The body, where there is one.
    pub body: Option<SecretText>,
    /// What must not be shown if the answer repeats it: every secret that went out, as it is and as it was written.
    pub masks: Vec<SecretText>,
}

/// A header with its secrets filled in.
#[derive(Debug, Clone, Record)]
pub struct FilledHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: SecretText,
}

/// Why the signer refused.
#[derive(Debug, Clone, PartialEq, Eq, Record, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{code}: {message}")]
pub struct Refusal {
    /// Stable, snake_case: `wrong_password`, `chain_mismatch`, …
    pub code: String,
    /// For a person.
    pub message: String,
    /// The step it is about: its place in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The field, where one is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}
