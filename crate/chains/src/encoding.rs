//! Bytes as text, and text as bytes.

use crate::TransactionError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hex without `0x`.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Bytes as a person reads them: text as it is, anything else in hex after `0x`.
pub fn readable(bytes: &[u8]) -> String {
    plain_text(bytes).map_or_else(|| format!("0x{}", hex(bytes)), str::to_owned)
}

/// The text that bytes are, unless it could deceive: control characters, and those that turn the direction of reading.
pub(crate) fn plain_text(bytes: &[u8]) -> Option<&str> {
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    str::from_utf8(bytes).ok().filter(|text| !text.chars().any(|c| c.is_control() || turns(c)))
}

/// Hex digits, an even number of them, with or without `0x`, in any case.
pub fn from_hex(field: &'static str, text: &str) -> Result<Vec<u8>, TransactionError> {
    let malformed = TransactionError::Malformed { field, reason: "is not hexadecimal" };
    let text = text.strip_prefix("0x").unwrap_or(text);
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(malformed);
    }
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    pairs.map(byte).collect::<Option<_>>().ok_or(malformed)
}

/// As [`from_hex`], for a text of a known length.
pub fn array_from_hex<const N: usize>(field: &'static str, text: &str) -> Result<[u8; N], TransactionError> {
    let reason = "has the wrong length";
    from_hex(field, text)?.try_into().map_err(|_| TransactionError::Malformed { field, reason })
}

/// Base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Base64 with padding, in the standard alphabet.
pub fn from_base64(field: &'static str, text: &str) -> Result<Vec<u8>, TransactionError> {
    STANDARD.decode(text).map_err(|_| TransactionError::Malformed { field, reason: "is not base64" })
}

/// Base58 in Bitcoin's alphabet, as Solana spells keys and signatures.
pub fn from_base58(text: &str) -> Option<Vec<u8>> {
    bs58::decode(text).into_vec().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_deceive_a_reader_is_shown_in_hex() {
        assert_eq!(readable("for lunch 🍜".as_bytes()), "for lunch 🍜");
        assert_eq!(readable(b"two\nlines"), "0x74776f0a6c696e6573");
        assert_eq!(readable("\u{202e}evil".as_bytes()), "0xe280ae6576696c");
        assert_eq!(readable(&[0xff]), "0xff");
    }
}
