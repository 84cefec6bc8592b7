//! Cosmos SDK: bech32 (never bech32m) of 20 bytes, a key's hash, or 32 bytes, a contract or module account.

use super::{AddressError, bech32};

/// The account of a key with this hash.
pub(crate) fn of_key_hash(hrp: &str, hash: &[u8; 20]) -> String {
    bech32::encode(hrp, None, hash)
}

/// The address of an account's bytes.
pub(crate) fn encode(hrp: &str, bytes: &[u8]) -> Result<String, AddressError> {
    check_length(bytes)?;
    Ok(bech32::encode(hrp, None, bytes))
}

/// The bytes behind an address.
pub(crate) fn decode(hrp: &str, text: &str) -> Result<Vec<u8>, AddressError> {
    let bytes = bech32::decode_bytes(text, hrp)?;
    check_length(&bytes)?;
    Ok(bytes)
}

/// Checks that a text is an account of some Cosmos chain, also of one that is not in the table.
pub(crate) fn check_any(text: &str) -> Result<(), AddressError> {
    let decoded = bech32::decode(text)?;
    decode(&decoded.hrp, text).map(drop)
}

pub(super) fn normalise(hrp: &str, text: &str) -> Result<String, AddressError> {
    decode(hrp, text)?;
    Ok(text.to_ascii_lowercase())
}

const fn check_length(bytes: &[u8]) -> Result<(), AddressError> {
    match bytes.len() {
        20 | 32 => Ok(()),
        found => Err(AddressError::Length { found }),
    }
}
