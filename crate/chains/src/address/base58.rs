//! Base58: big-endian digits without `0`, `O`, `I` and `l`; every leading zero byte is one leading digit zero.
//!
//! Base58check is base58 of `version ‖ payload ‖ first 4 bytes of sha256(sha256(version ‖ payload))`. Text and bytes
//! correspond one to one, so the text read is the canonical spelling.

use bs58::Alphabet;
use sha2::{Digest, Sha256};

use super::AddressError;

const CHECKSUM_LENGTH: usize = 4;

/// The bytes of a base58 text.
pub(super) fn decode(text: &str, alphabet: &Alphabet) -> Result<Vec<u8>, AddressError> {
    bs58::decode(text).with_alphabet(alphabet).into_vec().map_err(|_| AddressError::Alphabet)
}

/// Version and payload of a base58check text.
pub(super) fn decode_check(text: &str, alphabet: &Alphabet) -> Result<Vec<u8>, AddressError> {
    let mut bytes = decode(text, alphabet)?;
    let found = bytes.len();
    let start = found.checked_sub(CHECKSUM_LENGTH).ok_or(AddressError::Length { found })?;
    let stated = bytes.split_off(start);
    if stated != checksum(&bytes) {
        return Err(AddressError::Checksum);
    }
    Ok(bytes)
}

/// Base58check of version and payload.
pub(super) fn encode_check(version: &[u8], payload: &[u8], alphabet: &Alphabet) -> String {
    let mut bytes = [version, payload].concat();
    let checksum = checksum(&bytes);
    bytes.extend(checksum);
    bs58::encode(bytes).with_alphabet(alphabet).into_string()
}

fn checksum(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(Sha256::digest(bytes)).iter().copied().take(CHECKSUM_LENGTH).collect()
}
