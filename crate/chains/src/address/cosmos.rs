//! Cosmos SDK: bech32 (never bech32m) of 20 bytes, a key's hash, or 32 bytes, a contract or module account.

use super::AddressError;

pub(super) fn normalise(hrp: &str, text: &str) -> Result<String, AddressError> {
    match super::bech32::decode_bytes(text, hrp)?.len() {
        20 | 32 => Ok(text.to_ascii_lowercase()),
        found => Err(AddressError::Length { found }),
    }
}
