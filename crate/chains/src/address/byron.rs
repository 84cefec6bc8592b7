//! Byron addresses of Cardano, `Ae2…` and `DdzFF…`: base58 of CBOR `[24(bytes), crc32]`, where the bytes are
//! `[28-byte root, attributes, type]`. An attribute 2 names a test network; on mainnet there is none.

use bs58::Alphabet;

use super::AddressError;

const UNSIGNED: u8 = 0;
const BYTES: u8 = 2;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;

const EMBEDDED_CBOR: u64 = 24;
const ROOT_LENGTH: usize = 28;
const DERIVATION_PATH: u64 = 1;
const NETWORK_MAGIC: u64 = 2;

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    let bytes = decode(text)?;
    let (payload, stated) = envelope(&bytes).ok_or(AddressError::Malformed)?;
    if u64::from(crc32(payload)) != stated {
        return Err(AddressError::Checksum);
    }
    if names_test_network(payload).ok_or(AddressError::Malformed)? {
        return Err(AddressError::Network);
    }
    Ok(text.to_owned())
}

/// The bytes behind the text.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, AddressError> {
    super::base58::decode(text, Alphabet::BITCOIN)
}

/// The text of the bytes, which are not checked.
pub(super) fn encode(bytes: &[u8]) -> String {
    bs58::encode(bytes).with_alphabet(Alphabet::BITCOIN).into_string()
}

fn envelope(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let mut rest = bytes;
    (head(&mut rest, ARRAY)? == 2 && head(&mut rest, TAG)? == EMBEDDED_CBOR).then_some(())?;
    let payload = byte_string(&mut rest)?;
    let crc = head(&mut rest, UNSIGNED)?;
    rest.is_empty().then_some((payload, crc))
}

/// Reads the payload to its end; `None` if it is not what such an address holds.
fn names_test_network(payload: &[u8]) -> Option<bool> {
    let mut rest = payload;
    (head(&mut rest, ARRAY)? == 3 && byte_string(&mut rest)?.len() == ROOT_LENGTH).then_some(())?;
    let mut test = false;
    for _ in 0..head(&mut rest, MAP).filter(|count| *count <= 2)? {
        match head(&mut rest, UNSIGNED)? {
            DERIVATION_PATH => {}
            NETWORK_MAGIC => test = true,
            _ => return None,
        }
        byte_string(&mut rest)?;
    }
    let kind = head(&mut rest, UNSIGNED)?;
    (kind <= 2 && rest.is_empty()).then_some(test)
}

/// The number in the head of the next CBOR item, which must be of this major type and of definite length.
fn head(input: &mut &[u8], major: u8) -> Option<u64> {
    let (&first, rest) = input.split_first()?;
    (first >> 5 == major).then_some(())?;
    let (argument, rest) = match first & 0x1f {
        small @ 0..24 => (u64::from(small), rest),
        24 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u8::from_be_bytes(*bytes)), rest))?,
        25 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u16::from_be_bytes(*bytes)), rest))?,
        26 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u32::from_be_bytes(*bytes)), rest))?,
        _ => return None,
    };
    *input = rest;
    Some(argument)
}

fn byte_string<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(head(input, BYTES)?).ok()?;
    let (bytes, rest) = input.split_at_checked(length)?;
    *input = rest;
    Some(bytes)
}

/// CRC-32 as in zip: polynomial `0x04c11db7` reflected, from all ones, inverted.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| {
                if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0xedb8_8320 }
            },
        )
    })
}
