//! EVM: `0x` and 40 hexadecimal digits, whose case is a checksum (EIP-55).
//!
//! A letter is upper case where the digit at its place in keccak256 of the lower-case digits is 8 or more. Texts of one
//! case carry no checksum and are accepted; a text of mixed case must be right. The canonical spelling is EIP-55's.

use super::AddressError;
use crate::hash::keccak256;

/// The address of these 20 bytes.
pub(crate) fn encode(account: &[u8; 20]) -> String {
    format!("0x{}", eip55(&crate::encoding::hex(account)))
}

/// The 20 bytes of an address.
pub(crate) fn decode(text: &str) -> Result<[u8; 20], AddressError> {
    let canonical = normalise(text.trim())?;
    let digits = canonical.strip_prefix("0x").unwrap_or_default();
    crate::encoding::array_from_hex("address", digits).map_err(|_| AddressError::Alphabet)
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    let digits = without_prefix(text).ok_or_else(|| super::wrong_start(text, 2))?;
    let checksummed = eip55(&super::hex::lower(digits, 40)?);
    let mixed = has_lower(digits) && digits.bytes().any(|byte| byte.is_ascii_uppercase());
    if mixed && digits != checksummed {
        return Err(AddressError::Checksum);
    }
    Ok(format!("0x{checksummed}"))
}

/// `0X` is taken as part of a text written in capitals throughout.
fn without_prefix(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X").filter(|digits| !has_lower(digits)))
}

fn has_lower(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn eip55(lower: &str) -> String {
    let hash = keccak256(lower.as_bytes());
    let nibbles = hash.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    lower
        .chars()
        .zip(nibbles)
        .map(|(digit, nibble)| if nibble >= 8 { digit.to_ascii_uppercase() } else { digit })
        .collect()
}
