//! Sui: `0x` and 64 hexadecimal digits. The canonical spelling is lower case; short forms such as `0x2` are names of
//! system objects, not of accounts, and are refused.

use super::AddressError;

/// The flag of the signature scheme.
const ED25519: u8 = 0;

/// The account of an Ed25519 key: blake2b-256 of the scheme's flag and the key.
pub(crate) fn of_key(key: &[u8; 32]) -> String {
    let flagged = [&[ED25519], key.as_slice()].concat();
    format!("0x{}", crate::encoding::hex(&crate::hash::blake2b256(&flagged)))
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    let digits = text.strip_prefix("0x").ok_or_else(|| super::wrong_start(text, 2))?;
    Ok(format!("0x{}", super::hex::lower(digits, 64)?))
}
