//! Bytes that are never signed as a message: transactions, hashes, and the inside of other signatures.

use super::MessageError;
use crate::{evm, solana, sui};

/// EVM: what `personal_sign` must not be used for.
pub(super) fn personal(bytes: &[u8]) -> Result<(), MessageError> {
    match bytes {
        [0x19, 0x00 | 0x01 | 0x45, ..] => return Err(MessageError::Preimage),
        [0x05, list @ ..] if evm::list_items(list) == Some(3) => return Err(MessageError::Authorization),
        _ => {}
    }
    if evm::looks_like_transaction(bytes) {
        return Err(MessageError::Transaction);
    }
    hash(bytes)
}

/// 32 bytes that are no text.
fn hash(bytes: &[u8]) -> Result<(), MessageError> {
    let is_text = crate::encoding::plain_text(bytes).is_some();
    if bytes.len() == 32 && !is_text { Err(MessageError::Hash) } else { Ok(()) }
}

/// Solana: the bytes are signed as they are, so nothing that the network could take for a transaction.
pub(super) fn solana(bytes: &[u8]) -> Result<(), MessageError> {
    if bytes.starts_with(b"\xffsolana offchain") {
        return Err(MessageError::Preimage);
    }
    // What is no text and begins like a version of the message might be one of tomorrow.
    let is_text = str::from_utf8(bytes).is_ok();
    let versioned = !is_text && bytes.first().is_some_and(|first| first & 0x80 != 0);
    if versioned || solana::is_transaction(bytes) {
        return Err(MessageError::Transaction);
    }
    hash(bytes)
}

/// Sui: a message has an intent of its own, and still is no transaction.
pub(super) fn sui(bytes: &[u8]) -> Result<(), MessageError> {
    match sui::is_transaction(bytes) {
        true => Err(MessageError::Transaction),
        false => hash(bytes),
    }
}
