//! Hexadecimal digits, as EVM, Sui and raw TON addresses have them.

use super::AddressError;

/// Checks that `text` is exactly `count` hexadecimal digits and returns them in lower case.
pub(super) fn lower(text: &str, count: usize) -> Result<String, AddressError> {
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(AddressError::Alphabet);
    }
    if text.len() != count {
        return Err(AddressError::Length { found: text.len() });
    }
    Ok(text.to_ascii_lowercase())
}
