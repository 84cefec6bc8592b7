//! Polkadot and Bittensor: SS58, which is base58 of `prefix ‖ 32-byte key ‖ 2 checksum bytes`.
//!
//! The prefix names the network: one byte below 64, two bytes up to 16383. The checksum is the beginning of
//! blake2b-512 of `"SS58PRE" ‖ prefix ‖ key`.

use blake2::{Blake2b512, Digest};
use bs58::Alphabet;

use super::AddressError;

const CHECKSUM_LENGTH: usize = 2;

/// The address of a key on the network with this prefix.
pub(crate) fn encode(prefix: u16, key: &[u8; 32]) -> String {
    let [low, high] = prefix.to_le_bytes();
    let two = [0x40 | (low >> 2), ((low & 3) << 6) | (high & 0x3f)];
    let prefix = if prefix < 64 { [low].to_vec() } else { two.to_vec() };
    let mut bytes = [prefix.as_slice(), key].concat();
    let checksum = checksum(&bytes);
    bytes.extend(checksum.iter().take(CHECKSUM_LENGTH));
    bs58::encode(bytes).into_string()
}

/// The network's prefix and the key in an address of any network.
pub(crate) fn decode(text: &str) -> Result<(u16, [u8; 32]), AddressError> {
    let bytes = super::base58::decode(text, Alphabet::BITCOIN)?;
    let found = bytes.len();
    let body = found.checked_sub(CHECKSUM_LENGTH).ok_or(AddressError::Length { found })?;
    let (body, stated) = bytes.split_at_checked(body).ok_or(AddressError::Malformed)?;
    let (prefix, key) = split_prefix(body)?;
    let key = key.try_into().map_err(|_| AddressError::Length { found })?;
    if !checksum(body).starts_with(stated) {
        return Err(AddressError::Checksum);
    }
    Ok((prefix, key))
}

pub(super) fn normalise(expected: u16, text: &str) -> Result<String, AddressError> {
    match decode(text)? {
        (prefix, _) if prefix == expected => Ok(text.to_owned()),
        (found, _) => Err(AddressError::Ss58Prefix { expected, found }),
    }
}

/// The network prefix and what follows it. In the two-byte form the first byte is `01` and the high six bits of the low
/// byte, the second its low two bits and the six bits above.
fn split_prefix(body: &[u8]) -> Result<(u16, &[u8]), AddressError> {
    match *body {
        [first @ 0..64, ref key @ ..] => Ok((u16::from(first), key)),
        [first @ 64..128, second, ref key @ ..] => {
            let low = ((first & 0x3f) << 2) | (second >> 6);
            let prefix = u16::from_le_bytes([low, second & 0x3f]);
            if prefix < 64 { Err(AddressError::Malformed) } else { Ok((prefix, key)) }
        }
        _ => Err(AddressError::Malformed),
    }
}

fn checksum(body: &[u8]) -> Vec<u8> {
    Blake2b512::new().chain_update(b"SS58PRE").chain_update(body).finalize().to_vec()
}
