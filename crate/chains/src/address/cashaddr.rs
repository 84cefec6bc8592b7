//! Cashaddr, Bitcoin Cash's own form: `bitcoincash:` and the 5-bit values of `version ‖ hash ‖ 40-bit checksum` in
//! bech32's alphabet, all of one case.
//!
//! The version byte is `0 tttt sss`: type 0 pays to a key, 1 to a script, 2 and 3 the same by a wallet that knows
//! tokens; size 0 is a hash of 20 bytes, 3 one of 32 (scripts only). The checksum covers the prefix even where it is
//! left out, and it is left out in the canonical spelling.

use super::{AddressError, bech32};

const ALPHABET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const CHECKSUM_LENGTH: usize = 8;
const LONG_HASH_LENGTH: usize = 32;

/// What an address pays to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Key,
    Script,
}

pub(super) fn normalise(prefix: &str, text: &str) -> Result<String, AddressError> {
    let (payload, _, _) = decode(prefix, text)?;
    Ok(payload)
}

/// The canonical spelling, what the address pays to, and its hash.
pub(super) fn decode(prefix: &str, text: &str) -> Result<(String, Target, Vec<u8>), AddressError> {
    let lower = text.to_ascii_lowercase();
    if lower != text && text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Err(AddressError::MixedCase);
    }
    let payload = match lower.split_once(':') {
        Some((stated, payload)) if stated == prefix => payload,
        Some(("bchtest" | "bchreg", _)) => return Err(AddressError::Network),
        Some((stated, _)) => {
            return Err(AddressError::Prefix { found: stated.to_owned() });
        }
        None => lower.as_str(),
    };
    let mut values = payload.bytes().map(value).collect::<Option<Vec<u8>>>().ok_or(AddressError::Alphabet)?;
    if polymod(prefix, &values) != 0 {
        return Err(AddressError::Checksum);
    }
    values.truncate(values.len().saturating_sub(CHECKSUM_LENGTH));
    let (target, hash) = read_contents(&bech32::to_bytes(&values)?)?;
    Ok((payload.to_owned(), target, hash))
}

/// The address without its prefix, for a hash of 20 bytes, or of 32 for a script.
pub(super) fn encode(prefix: &str, target: Target, hash: &[u8]) -> String {
    let size = if hash.len() == LONG_HASH_LENGTH { 3 } else { 0 };
    let version = match target {
        Target::Key => size,
        Target::Script => 1 << 3 | size,
    };
    let mut values = bech32::to_values(&[&[version], hash].concat());
    let padded = [values.as_slice(), &[0; CHECKSUM_LENGTH]].concat();
    let checksum = polymod(prefix, &padded);
    values.extend((0..CHECKSUM_LENGTH).rev().map(|at| (checksum >> (5 * at)) as u8 & 0x1f));
    values
        .iter()
        .filter_map(|value| ALPHABET.get(usize::from(*value)))
        .map(|byte| char::from(*byte))
        .collect()
}

fn read_contents(contents: &[u8]) -> Result<(Target, Vec<u8>), AddressError> {
    let Some((&version, hash)) = contents.split_first() else {
        return Err(AddressError::Length { found: 0 });
    };
    let target = match version >> 3 {
        0 | 2 => Target::Key,
        1 | 3 => Target::Script,
        _ => return Err(super::wrong_version(&[version])),
    };
    match (version & 7, hash.len(), target) {
        (0, 20, _) | (3, LONG_HASH_LENGTH, Target::Script) => Ok((target, hash.to_vec())),
        (_, found, _) => Err(AddressError::Length { found }),
    }
}

fn value(character: u8) -> Option<u8> {
    ALPHABET.iter().position(|&known| known == character).and_then(|at| u8::try_from(at).ok())
}

/// The BCH code's remainder of `prefix ‖ 0 ‖ values`, zero for an address with a right checksum.
fn polymod(prefix: &str, values: &[u8]) -> u64 {
    const GENERATOR: [u64; 5] =
        [0x98_f2bc_8e61, 0x79_b76d_99e2, 0xf3_3e5f_b3c4, 0xae_2eab_e2a8, 0x1e_4f43_e470];
    let prefix = prefix.bytes().map(|byte| byte & 0x1f).chain([0]);
    let remainder = prefix.chain(values.iter().copied()).fold(1, |sum, value| {
        let shifted = ((sum & 0x07_ffff_ffff) << 5) ^ u64::from(value);
        let top = sum >> 35;
        GENERATOR
            .iter()
            .enumerate()
            .filter(|(bit, _)| (top >> bit) & 1 == 1)
            .fold(shifted, |sum, (_, term)| sum ^ term)
    });
    remainder ^ 1
}
