//! Cardano: bech32 of `header ‖ 28-byte payment hash ‖ …`, with `addr` before addresses and `stake` before reward
//! accounts (CIP-19); or a Byron address, which is base58.
//!
//! The header's high half is the type: 0–3 base (a second hash follows), 4–5 pointer (three numbers follow), 6–7
//! enterprise (nothing follows), 14–15 reward account. Its low half is the network, 1 for mainnet.

use super::{AddressError, bech32, byron};

const HASH_LENGTH: usize = 28;
const MAINNET: u8 = 1;
const ENTERPRISE_KEY: u8 = 6 << 4;

/// The enterprise address of a payment key: no stake part, so that it does not depend on a second key.
pub(crate) fn of_key(key: &[u8; 32]) -> String {
    let hash = crate::hash::blake2b224(key);
    bech32::encode("addr", None, &[&[ENTERPRISE_KEY | MAINNET], hash.as_slice()].concat())
}

/// The bytes of an address that can be paid to; a reward account cannot.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, AddressError> {
    let text = normalise(text.trim())?;
    if text.starts_with("stake") {
        return Err(super::wrong_start(&text, 5));
    }
    if text.starts_with("addr") { bech32::decode_bytes(&text, "addr") } else { byron::decode(&text) }
}

/// The text of an address of mainnet that can be paid to.
pub(crate) fn encode(bytes: &[u8]) -> Option<String> {
    let text = match bytes.first()? >> 4 {
        0..=7 => bech32::encode("addr", None, bytes),
        _ => byron::encode(bytes),
    };
    normalise(&text).ok()
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    let starts_with = |start| super::starts_with(text, start);
    if starts_with("addr_test1") || starts_with("stake_test1") {
        return Err(AddressError::Network);
    }
    if starts_with("addr") {
        return shelley(text, "addr");
    }
    if starts_with("stake") {
        return shelley(text, "stake");
    }
    byron::normalise(text)
}

fn shelley(text: &str, hrp: &str) -> Result<String, AddressError> {
    let bytes = bech32::decode_bytes(text, hrp)?;
    let Some((&header, contents)) = bytes.split_first() else {
        return Err(AddressError::Length { found: 0 });
    };
    if header & 0x0f != MAINNET {
        return Err(AddressError::Network);
    }
    let length = AddressError::Length { found: bytes.len() };
    let (_, rest) = contents.split_at_checked(HASH_LENGTH).ok_or(length.clone())?;
    let complete = match (hrp, header >> 4) {
        ("addr", 0..=3) => rest.len() == HASH_LENGTH,
        ("addr", 4 | 5) => is_pointer(rest),
        ("addr", 6 | 7) | ("stake", 14 | 15) => rest.is_empty(),
        _ => return Err(super::wrong_version(&[header])),
    };
    if complete { Ok(text.to_ascii_lowercase()) } else { Err(length) }
}

/// Slot, transaction and certificate index: three numbers in groups of 7 bits, every byte but the last of each with its
/// top bit set.
fn is_pointer(bytes: &[u8]) -> bool {
    let ends = bytes.iter().filter(|byte| **byte & 0x80 == 0).count();
    let last_ends = bytes.last().is_some_and(|byte| byte & 0x80 == 0);
    ends == 3 && last_ends && bytes.len() <= 3 * 10
}
