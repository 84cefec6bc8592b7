//! `unsigned_tx_hex`: a prebuilt transaction (D14). Read strictly, signed as it is.

use crate::transaction::{Account, Transaction};
use crate::{Algorithm, Network, TransactionError};
use crate::{cosmos, encoding, evm, solana, sui, utxo};

/// What stands beside the bytes; all of it must agree with them (D15).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// `chain_context.chain_id`: hex on EVM chains, text on Cosmos chains.
    pub chain_id: Option<String>,
    /// `chain_context.derive_path`.
    pub derive_path: Option<String>,
    /// `chain_context.tx_type`: `legacy`, `eip2930` or `eip1559`; on Solana [`PARTIAL`], or nothing.
    pub tx_type: Option<String>,
}

/// The type of a Solana transaction that others may sign afterwards; it is never sent from here.
pub const PARTIAL: &str = "partial";

/// Reads the scheme that a request names.
pub fn check_signing_mode(account: &Account, mode: &str) -> Result<(), TransactionError> {
    let name = match account.chain.algorithm() {
        Algorithm::Ecdsa => Some("ecdsa_secp256k1"),
        Algorithm::Eddsa => Some("eddsa_ed25519"),
        Algorithm::MlDsa44 => None,
    };
    if name == Some(mode) {
        return Ok(());
    }
    Err(TransactionError::SigningModeMismatch { chain: account.chain, found: mode.to_owned() })
}

/// Whether a text is a path of BIP-32: `m`, then numbers below 2³¹, each with an apostrophe where it is hardened.
fn is_path(text: &str) -> bool {
    let is_step = |step: &str| {
        let digits = step.strip_suffix('\'').unwrap_or(step);
        digits.bytes().all(|digit| digit.is_ascii_digit())
            && digits.parse::<u32>().is_ok_and(|index| index < 1 << 31)
    };
    text == "m" || text.strip_prefix("m/").is_some_and(|steps| steps.split('/').all(is_step))
}

/// The transaction in `hex`, if it is `account`'s and agrees with everything in `context`.
pub fn transaction(hex: &str, account: &Account, context: &Context) -> Result<Transaction, TransactionError> {
    let chain = account.chain;
    if let Some(path) = &context.derive_path
        && Some(path.as_str()) != chain.derivation_path()
    {
        return Err(if is_path(path) {
            TransactionError::PathNotOwned { chain, path: path.clone() }
        } else {
            TransactionError::Malformed {
                field: "chain_context.derive_path",
                reason: "is not a derivation path",
            }
        });
    }
    let bytes = || encoding::from_hex("unsigned_tx_hex", hex);
    match chain.network() {
        Network::Evm { .. } => evm::raw::transaction(&bytes()?, account, context),
        Network::Utxo(_) => utxo::raw::transaction(&bytes()?, account, context),
        Network::Cosmos { .. } => cosmos::raw::transaction(&bytes()?, account, context),
        Network::Solana => solana::raw::transaction(&bytes()?, account, context),
        Network::Sui => sui::raw::transaction(&bytes()?, account),
        _ => Err(TransactionError::UnsupportedUnsignedTx { chain }),
    }
}
