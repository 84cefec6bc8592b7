//! Why there is no transaction to sign.

use crate::{AddressError, Chain};
use derive::Code;
use wire::keysign::PayloadError;

/// Why a payload or raw bytes gave no transaction. Nothing was signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum TransactionError {
    /// The payload is no payload.
    #[error(transparent)]
    #[code("malformed")]
    Payload(#[from] PayloadError),
    /// A field's bytes are not what they must be.
    #[error("{field} {reason}")]
    Malformed {
        /// The field, from the payload or the step.
        field: &'static str,
        /// What is wrong, as the end of a sentence.
        reason: &'static str,
    },
    /// A field that this kind of transaction needs is absent or empty.
    #[error("{field} is missing")]
    #[code("missing_field")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A field is not an address of the chain.
    #[error("{field}: {error}")]
    #[code("invalid_address")]
    Address {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        error: AddressError,
    },
    /// A field is not a number in the smallest unit, or too large for the chain.
    #[error("{field} is not an amount the chain can carry")]
    #[code("invalid_amount")]
    Amount {
        /// The field.
        field: &'static str,
    },
    /// Two places name different chains.
    #[error("the transaction is for {found}, not for {expected}")]
    ChainMismatch {
        /// What the request names.
        expected: String,
        /// What the bytes name.
        found: String,
    },
    /// The account that pays is not the vault's.
    #[error("{address} is not this vault's account")]
    NotOwned {
        /// The account in the bytes.
        address: String,
    },
    /// A well-formed derivation path that leads to another key than the vault's on the chain (D15).
    #[error("{path} is not the path of this vault's {chain} account")]
    #[code("not_owned")]
    PathNotOwned {
        /// The chain.
        chain: Chain,
        /// The path beside the bytes.
        path: String,
    },
    /// The type named beside the bytes is not theirs.
    #[error("the transaction is of type {found}, the request says {expected}")]
    TxTypeMismatch {
        /// What the request says.
        expected: String,
        /// What the bytes say.
        found: String,
    },
    /// The signature scheme is not the chain's.
    #[error("{chain} does not sign with {found}")]
    SigningModeMismatch {
        /// The chain.
        chain: Chain,
        /// What the request says.
        found: String,
    },
    /// A transaction type that is known and not signed here.
    #[error("{what} transactions are not signed here")]
    UnsupportedTxType {
        /// The type.
        what: String,
    },
    /// The chain has no raw form (D14).
    #[error("{chain} takes a keysign payload, not unsigned_tx_hex")]
    UnsupportedUnsignedTx {
        /// The chain.
        chain: Chain,
    },
    /// A payload of a form that is not signed here.
    #[error("not supported: {what}")]
    #[code("unsupported_payload")]
    Unsupported {
        /// The form.
        what: &'static str,
    },
    /// The inputs do not cover amount and fee.
    #[error("the inputs do not cover the amount and the fee")]
    InsufficientFunds,
    /// The amount is so small that the chain would not carry it.
    #[error("the amount is below the chain's minimum")]
    BelowDust,
    /// The payload leaves something open that only a node of the chain knows, and none answered.
    #[error("{what} is not known: no node of the chain that was asked tells it")]
    NetworkFactMissing {
        /// What must be asked for.
        what: String,
    },
    /// Well-formed and refused: what is to be signed is not what was reviewed.
    #[error("refused: {what}")]
    #[code("unsafe_transaction")]
    Unsafe {
        /// The rule.
        what: &'static str,
    },
}
