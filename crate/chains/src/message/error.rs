//! Why a message is not signed.

use derive::Code;

/// Why a message is refused before anyone is asked. Nothing was signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum MessageError {
    /// The content is not what its form needs.
    #[error("the message {0}")]
    #[code("invalid_message")]
    Malformed(&'static str),
    /// Typed data that is not well-formed.
    #[error("typed data: {path} {reason}")]
    #[code("invalid_typed_data")]
    TypedData {
        /// Where, as a JSON pointer.
        path: String,
        /// What is wrong, as the end of a sentence.
        reason: &'static str,
    },
    /// The chain does not sign messages of this form.
    #[error("{0} does not sign messages of this form")]
    #[code("unsupported_message")]
    Unsupported(String),
    /// The bytes are a transaction.
    #[error("the message is a transaction; a page that wants one sent has to ask for that")]
    #[code("message_is_transaction")]
    Transaction,
    /// The bytes are a hash: what it is of cannot be shown.
    #[error("the message is a 32-byte hash, and nothing tells what it stands for")]
    #[code("message_is_hash")]
    Hash,
    /// The bytes are what EIP-712 or EIP-191 hashes.
    #[error("the message is the inside of another signature (EIP-191 or EIP-712)")]
    #[code("message_is_preimage")]
    Preimage,
    /// An EIP-7702 authorisation would hand the account to a contract.
    #[error("the message authorises a contract to be the account's code (EIP-7702)")]
    #[code("message_is_authorization")]
    Authorization,
    /// The domain of typed data names another chain.
    #[error("the typed data is for chain id {found}, the page is on {expected}")]
    #[code("chain_mismatch")]
    Chain {
        /// The page's chain.
        expected: String,
        /// The domain's.
        found: String,
    },
    /// A sign-in for another site.
    #[error("the sign-in is for {domain}, and {origin} asks for it")]
    #[code("sign_in_domain_mismatch")]
    SignInDomain {
        /// What the message names.
        domain: String,
        /// Who asks.
        origin: String,
    },
    /// A sign-in of another account.
    #[error("the sign-in is of {address}, which is not the account that signs")]
    #[code("sign_in_account_mismatch")]
    SignInAccount {
        /// What the message names.
        address: String,
    },
}
