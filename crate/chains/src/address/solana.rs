//! Solana: base58 of a 32-byte key, without version or checksum.

use bs58::Alphabet;

use super::AddressError;

/// The address of a key, or of a program's account.
pub(crate) fn encode(key: &[u8; 32]) -> String {
    bs58::encode(key).into_string()
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    match super::base58::decode(text, Alphabet::BITCOIN)?.len() {
        32 => Ok(text.to_owned()),
        found => Err(AddressError::Length { found }),
    }
}
