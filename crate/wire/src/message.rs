//! Messages that a page asks to have signed: what was asked for, what the bytes say, and what the policy says.

use crate::api::{Millis, Source};
use crate::bundle::{Decoded, Step};
use crate::explain::NamedText;
use crate::policy::{ReasonCode, Verdict};
use crate::signer::WantedFact;
use derive::Record;

/// A message as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct MessageRequest {
    /// Canonical name of the chain whose account signs.
    pub chain: String,
    /// How the content becomes the bytes that are signed.
    pub form: MessageForm,
    /// Typed data: its JSON text. Everything else: hex of the message's bytes.
    pub content: String,
    /// Origin of the page that asks.
    pub origin: String,
}

/// How a content becomes the bytes that are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MessageForm {
    /// EIP-191, version `E`: `personal_sign`.
    Personal,
    /// EIP-712: `eth_signTypedData_v4`.
    TypedData,
    /// Bytes for Ed25519 as they are.
    Solana,
    /// Sui's intent of a personal message.
    Sui,
}

/// What a message is, by what it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// A text that allows nothing here.
    Text,
    /// Bytes that are no text.
    Bytes,
    /// Sign-In with Ethereum or Solana.
    SignIn,
    /// A text that claims to be a sign-in and is none.
    MalformedSignIn,
    /// A spender may take tokens.
    Permit,
    /// Tokens are sent by its submitter.
    Transfer,
    /// An order: one asset for another.
    Order,
    /// A transaction of a Safe that the account owns.
    SafeTransaction,
    /// An account may act or vote for this one.
    Delegation,
    /// Takes an earlier signature back.
    Revocation,
    /// Typed data whose meaning is not known.
    Unknown,
}

/// A warning that comes from the message itself.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct MessageNotice {
    /// Its code among the policy's reasons.
    pub code: ReasonCode,
    /// For a person.
    pub message: String,
}

/// The domain of typed data, as far as it is stated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MessageDomain {
    /// The name that the sender gives the contract.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The chain's number.
    pub chain_id: Option<String>,
    /// The contract that accepts the signature.
    pub verifying_contract: Option<String>,
    /// The contract's name in our table.
    pub contract_name: Option<String>,
}

/// A sign-in (EIP-4361, and the same for Solana).
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SignIn {
    /// The site that is signed in to; it is the page that asks, or the message is refused.
    pub domain: String,
    /// The account.
    pub address: String,
    /// What the site says of it.
    pub statement: Option<String>,
    /// What the session is about.
    pub uri: Option<String>,
    /// The chain.
    pub chain_id: Option<String>,
    /// The site's random text.
    pub nonce: Option<String>,
    /// When it was made.
    pub issued_at: Option<String>,
    /// Until when it may be used.
    pub expiration_time: Option<String>,
    /// From when on it may be used.
    pub not_before: Option<String>,
    /// The site's name for the request.
    pub request_id: Option<String>,
    /// What else it gives access to.
    pub resources: Vec<String>,
}

/// What the signer found in a message.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct InspectedMessage {
    /// What it is.
    pub kind: MessageKind,
    /// What it does, and the digest of what would be signed.
    pub decoded: Decoded,
    /// The message as a person reads it; characters that deceive are spelled out.
    pub text: Option<String>,
    /// The domain of typed data.
    pub domain: Option<MessageDomain>,
    /// The name of the signed struct.
    pub primary_type: Option<String>,
    /// The sign-in that it is.
    pub sign_in: Option<SignIn>,
    /// Every field of typed data by its path, in order.
    pub fields: Vec<NamedText>,
    /// Until when what it allows holds.
    pub until: Option<Millis>,
    /// What warns.
    pub notices: Vec<MessageNotice>,
    /// What nodes could add.
    pub wanted: Vec<WantedFact>,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SignatureState {
    /// The user is asked, or will be.
    Asking,
    /// Approved, and not signed yet.
    Approved,
    /// Signed; the page has the signature, or gets it.
    Signed,
    /// Not signed, for good.
    Refused,
}

/// GET `/api/messages/{id}`: a message as it was at its prompt, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    /// The id of its call.
    pub id: String,
    /// The vault that signs.
    pub vault_id: String,
    /// That vault's name when it was asked.
    pub vault_name: String,
    /// Who asked.
    pub source: Source,
    /// Canonical name of the chain whose account signs.
    pub chain: String,
    /// The account that signs.
    pub account: String,
    /// How the content becomes what is signed.
    pub form: MessageForm,
    /// What it is.
    pub kind: MessageKind,
    /// What it does, decoded, as the only step of a bundle.
    pub step: Step,
    /// The message as a person reads it.
    pub text: Option<String>,
    /// The domain of typed data.
    pub domain: Option<MessageDomain>,
    /// The name of the signed struct.
    pub primary_type: Option<String>,
    /// The sign-in that it is.
    pub sign_in: Option<SignIn>,
    /// Every field of typed data by its path, in order.
    pub fields: Vec<NamedText>,
    /// Until when what it allows holds; the year 9999 stands for no end.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub until: Option<Millis>,
    /// Of the vault and of what would be signed (hex): what consent is bound to.
    pub digest: String,
    /// Of everything above (hex): a prompt names it as its subject.
    pub shown: String,
    /// The policy's verdict before any prompt.
    pub verdict: Verdict,
    /// How far it is.
    pub state: SignatureState,
    /// The signature as the page gets it.
    pub signature: Option<String>,
    /// Why it was not signed, as `code: sentence`.
    pub error: Option<String>,
    /// When it arrived.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: Millis,
}
