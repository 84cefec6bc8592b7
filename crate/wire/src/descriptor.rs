//! Descriptors by ERC-7730: what a registry says of a contract's functions and of typed data.
//!
//! A descriptor is the word of others. What is made of it, a [`Description`], is a type of its own, as a
//! [`crate::explain::Claim`] is: it stands beside what the bytes show, never in its place, and the policy does not read it.
//!
//! The first half is what pages see, the second what goes between the core and `clear.wasm`, the module that reads
//! descriptors. In JSON the name of a request or reply stands around its fields, as in [`crate::signer`].

use crate::api::Millis;
use derive::Record;
use serde_json::Value;

/// What a descriptor says of a transaction or a message.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// Name of the pack that the descriptor came with.
    pub pack: String,
    /// Digest of the pack (hex).
    pub digest: String,
    /// The descriptor's file in the pack.
    pub file: String,
    /// How far it got.
    pub outcome: DescriptionOutcome,
    /// What it says; absent after a failure.
    pub rendering: Option<Rendering>,
    /// What went wrong or was left out on the way.
    pub diagnostics: Vec<DescriptionDiagnostic>,
    /// Where its words and the bytes do not agree.
    #[record(default)]
    pub contradictions: Vec<DescriptorContradiction>,
}

/// How far a descriptor got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DescriptionOutcome {
    /// Every field was formatted as the descriptor says.
    ClearSigned,
    /// Some of it was shown raw: a token, a nested call or a sentence could not be resolved.
    Fallback,
    /// Nothing can be shown of it.
    Failure,
}

/// What a descriptor makes of a call or a message.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Rendering {
    /// What the call or message is for.
    pub intent: String,
    /// The same as a sentence with values in it.
    #[record(default)]
    pub sentence: Option<String>,
    /// To whom the descriptor says that the contract belongs.
    #[record(default)]
    pub owner: Option<String>,
    /// What the descriptor calls the contract.
    #[record(default)]
    pub contract_name: Option<String>,
    /// Labels and values, in the descriptor's order.
    pub fields: Vec<RenderedField>,
}

/// A label and its value.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RenderedField {
    /// In the descriptor's words.
    pub label: String,
    /// Formatted as the descriptor says. Empty where it is a call.
    pub value: String,
    /// A call inside the call, rendered by its own descriptor.
    #[record(default)]
    pub call: Option<Box<Rendering>>,
    /// What the value was made from, where it is an address or an amount.
    #[record(default)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub origin: Option<Origin>,
}

/// What a value was made from: by this it is held against the bytes' own explanation.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Origin {
    /// An address that the bytes contain, lower-case hex.
    Address {
        /// The address.
        address: String,
    },
    /// A number that the bytes contain.
    Number {
        /// Decimal digits.
        units: String,
        /// The token that the descriptor says it counts, lower-case hex; none for native coins or plain numbers.
        token: Option<String>,
        /// Whether it is said to be an amount of an asset, and not a plain number.
        amount: bool,
    },
    /// A text that the descriptor brings and the bytes do not contain.
    Literal {},
}

/// Something that went wrong or was left out.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DescriptionDiagnostic {
    /// Stable, snake_case: `unknown_token`, `nested_descriptor_not_found`, …
    pub code: String,
    /// For a person.
    pub message: String,
}

/// Where a descriptor and the bytes do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DescriptorContradiction {
    /// What both speak of.
    pub about: DescribedPart,
    /// The descriptor's words; `null` where it leaves the part out.
    pub described: Option<String>,
    /// What the bytes say.
    pub actual: String,
}

/// A part of a transaction that a descriptor and the bytes both speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DescribedPart {
    /// How much.
    Amount,
    /// Who receives.
    Recipient,
    /// Who may take from now on.
    Spender,
    /// Of what.
    Token,
}

/// A pack of descriptors, as GET `/api/descriptors` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DescriptorPack {
    /// Its id.
    pub id: String,
    /// Its name, as the user gave it.
    pub name: String,
    /// Where it came from.
    pub source: PackSource,
    /// SHA-256 of its bytes (hex): what it is pinned by.
    pub digest: String,
    /// How many descriptors it has.
    pub count: u32,
    /// When it was brought in.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub added_at: Millis,
}

/// Where a pack came from.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum PackSource {
    /// A file or folder that the user chose.
    File {},
    /// An address that the user gave.
    Address {
        /// The address.
        url: String,
    },
}

/// The packs.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DescriptorPacks {
    /// In the order in which they were brought in.
    pub packs: Vec<DescriptorPack>,
}

/// The body of POST `/api/descriptors`: exactly one of `file`, `files` and `url`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddDescriptorPack {
    /// What to call it.
    pub name: String,
    /// A JSON pack or a ZIP, base64.
    #[record(default)]
    pub file: Option<String>,
    /// The files of a folder.
    #[record(default)]
    pub files: Option<Vec<PackFile>>,
    /// Where to fetch a JSON pack or a ZIP.
    #[record(default)]
    pub url: Option<String>,
    /// The digest that the user accepts: what an address gives is taken only with it.
    #[record(default)]
    pub digest: Option<String>,
}

/// What POST `/api/descriptors` answers.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AddedDescriptorPack {
    /// The pack.
    pub pack: DescriptorPack,
    /// Whether it is in use now (201). If not (200), it was fetched from its address and shown: the same request with its
    /// digest takes it.
    pub taken: bool,
    /// The digest of the pack that this one replaces, or would.
    pub replaces: Option<String>,
}

/// A file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PackFile {
    /// Its path within the pack, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What the module is asked to do.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Request {
    /// Reads a pack that is one JSON text: `{"files":{path:descriptor}}`, or one descriptor. Answered with [`Reply::Pack`].
    ReadPack {
        /// The text.
        text: String,
    },
    /// Reads the files of a folder or an archive. Answered with [`Reply::Pack`].
    ReadFiles {
        /// The files.
        files: Vec<PackFile>,
    },
    /// Describes a call of a contract. Answered with [`Reply::Described`].
    Call {
        /// The call.
        call: CallData,
        /// Descriptors of the contract, and of contracts that are called inside, includes merged.
        descriptors: Vec<Value>,
        /// What is known of tokens and addresses.
        known: Known,
    },
    /// Describes typed data (EIP-712). Answered with [`Reply::Described`].
    TypedData {
        /// `{types, primaryType, domain, message}`.
        data: Value,
        /// Who would sign.
        from: String,
        /// Descriptors, as in a call.
        descriptors: Vec<Value>,
        /// What is known of tokens and addresses.
        known: Known,
    },
}

/// A call of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct CallData {
    /// EIP-155.
    pub chain_id: u64,
    /// Who calls.
    pub from: String,
    /// Which contract.
    pub to: String,
    /// Native coins that go with it, decimal digits.
    pub value: String,
    /// Selector and arguments, hex.
    pub data: String,
}

/// What the wallet knows of tokens and addresses. Descriptors add nothing to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
pub struct Known {
    /// Whether our own table of well-known tokens counts too.
    #[record(default)]
    pub table: bool,
    /// Tokens.
    #[record(default)]
    pub tokens: Vec<KnownToken>,
    /// Names of addresses.
    #[record(default)]
    pub names: Vec<KnownName>,
}

/// A token that the wallet knows.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct KnownToken {
    /// EIP-155; any chain where it is absent.
    #[record(default)]
    pub chain_id: Option<u64>,
    /// Its contract.
    pub address: String,
    /// Its ticker.
    pub symbol: String,
    /// Its decimals.
    pub decimals: u8,
    /// Its name.
    #[record(default)]
    pub name: Option<String>,
}

/// The name of an address.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct KnownName {
    /// The address.
    pub address: String,
    /// Its name.
    pub name: String,
    /// What kind of name it is.
    pub source: NameSource,
}

/// What kind of name an address has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum NameSource {
    /// The user's or our table's.
    Local,
    /// From the Ethereum Name Service.
    Ens,
    /// Of a collection.
    Collection,
}

/// What the module answers.
#[derive(Debug, Clone, PartialEq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Reply {
    /// A pack that was read.
    Pack {
        /// Its descriptors that are bound to a contract, includes merged.
        descriptors: Vec<PackDescriptor>,
    },
    /// What the descriptors say.
    Described(Described),
    /// Refused; nothing was done.
    Refused(DescriptorError),
}

/// What descriptors say of a call or a message.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct Described {
    /// Which of the given descriptors spoke; none where none fits.
    pub by: Option<u32>,
    /// How far it got.
    pub outcome: DescriptionOutcome,
    /// What it says.
    pub rendering: Option<Rendering>,
    /// What went wrong.
    pub diagnostics: Vec<DescriptionDiagnostic>,
    /// What would have to be known to say more.
    pub wanted: Wanted,
}

/// What was looked up and not found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
pub struct Wanted {
    /// Chain ids and contracts of tokens.
    pub tokens: Vec<Place>,
    /// Chain ids and addresses without a name.
    pub names: Vec<Place>,
    /// Chain ids and contracts that are called inside.
    pub calls: Vec<Place>,
}

impl Wanted {
    /// Whether everything was found.
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.names.is_empty() && self.calls.is_empty()
    }
}

/// An address on a chain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Record)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// EIP-155.
    pub chain_id: u64,
    /// Lower-case hex, with `0x`.
    pub address: String,
}

/// A descriptor of a pack.
#[derive(Debug, Clone, PartialEq, Record)]
pub struct PackDescriptor {
    /// Its path within the pack.
    pub path: String,
    /// Where it is looked up: `call/1/0x…` or `typed/1/0x…`; `typed/*` where it is bound by its domain alone.
    pub keys: Vec<String>,
    /// The document, includes merged.
    pub document: Value,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct DescriptorError {
    /// Stable, snake_case: `descriptor_not_json`, `includes_loop`, …
    pub code: String,
    /// For a person.
    pub message: String,
    /// The file it is about, and the place in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl DescriptorError {
    /// The code of a module that could not be loaded, or crashed.
    pub const UNAVAILABLE: &'static str = "clear_unavailable";

    /// The module gave no answer.
    pub fn unavailable() -> Self {
        let message = "the module that reads descriptors gave no answer".to_owned();
        Self { code: Self::UNAVAILABLE.to_owned(), message, path: None }
    }
}
