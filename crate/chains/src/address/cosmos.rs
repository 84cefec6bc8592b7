//! Cosmos SDK: bech32 (never bech32m) of 20 bytes, a key's hash, or 32 bytes, a contract or module account.

use super::AddressError;

/// The account of a key with this hash.
pub(crate) fn of_key_hash(hrp: &str, hash: &[u8; 20]) -> String {
    super::bech32::encode(hrp, None, hash)
}

pub(super) fn normalise(hrp: &str, text: &str) -> Result<String, AddressError> {
    match super::bech32::decode_bytes(text, hrp)?.len() {
        20 | 32 => Ok(text.to_ascii_lowercase()),
        found => Err(AddressError::Length { found }),
    }
}
