//! Sui: `0x` and 64 hexadecimal digits. The canonical spelling is lower case; short forms such as `0x2` are names of
//! system objects, not of accounts, and are refused.

use super::AddressError;

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    let digits = text.strip_prefix("0x").ok_or_else(|| super::wrong_start(text, 2))?;
    Ok(format!("0x{}", super::hex::lower(digits, 64)?))
}
