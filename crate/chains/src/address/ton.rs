//! TON: either raw, `workchain ":" 64 hexadecimal digits`, or user-friendly, 48 characters of base64 of
//! `tag ‖ workchain ‖ 32-byte hash ‖ crc16` (TEP-2).
//!
//! The tag is `0x11` (bounceable, `EQ…`) or `0x51` (not bounceable, `UQ…`), plus `0x80` for test networks. The two say
//! different things to a sender, so each form is kept as it is given; user-friendly ones in base64's URL-safe alphabet.
//! The workchain is 0 for accounts or −1 for the masterchain.

use super::AddressError;
use crate::hash::sha256;

const FRIENDLY_LENGTH: usize = 48;
const BOUNCEABLE: u8 = 0x11;
const NON_BOUNCEABLE: u8 = 0x51;
const TEST_NETWORK: u8 = 0x80;

/// Which of its wallets a key means; the number that every wallet application begins with.
const SUBWALLET: [u8; 4] = 698_983_191_u32.to_be_bytes();

/// Hash and depth of the code cell of wallet V4R2.
const V4R2: ([u8; 32], [u8; 2]) = (
    [
        0xfe, 0xb5, 0xff, 0x68, 0x20, 0xe2, 0xff, 0x0d, 0x94, 0x83, 0xe7, 0xe0, 0xd6, 0x2c, 0x81, 0x7d, 0x84,
        0x67, 0x89, 0xfb, 0x4a, 0xe5, 0x80, 0xc8, 0x78, 0x86, 0x6d, 0x95, 0x9d, 0xab, 0xd5, 0xc0,
    ],
    [0, 7],
);

/// The address of a key's wallet V4R2, in workchain 0. Not bounceable, since money sent before the contract is
/// deployed should stay.
pub(crate) fn of_key(key: &[u8; 32]) -> String {
    encode(false, 0, &hash_of_key(key))
}

/// The hash of the first state, code and data, of a key's wallet V4R2.
///
/// A cell's hash is SHA-256 of two descriptor bytes, its bits (ended by a one and zeros), and the depths and hashes of
/// its references. The data are `sequence 0 ‖ subwallet ‖ key ‖ no plugins`; the state refers to code and data.
pub(crate) fn hash_of_key(key: &[u8; 32]) -> [u8; 32] {
    let data = [&[0x00, 0x51], [0; 4].as_slice(), &SUBWALLET, key, &[0x40]].concat();
    let (code, depth) = V4R2;
    let state = [&[0x02, 0x01, 0x34], depth.as_slice(), &[0, 0], &code, &sha256(&data)].concat();
    sha256(&state)
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    match text.split_once(':') {
        Some((workchain, hash)) => raw(workchain, hash),
        None => user_friendly(text).map(|_| text.replace('+', "-").replace('/', "_")),
    }
}

/// Workchain and hash of an address, in any form.
pub(crate) fn decode(text: &str) -> Result<(i8, [u8; 32]), AddressError> {
    let text = text.trim();
    let Some((workchain, hash)) = text.split_once(':') else {
        return user_friendly(text);
    };
    let digits = raw(workchain, hash)?;
    let (_, digits) = digits.split_once(':').ok_or(AddressError::Malformed)?;
    let hash = crate::encoding::array_from_hex("address", digits).map_err(|_| AddressError::Malformed)?;
    Ok((if workchain == "0" { 0 } else { -1 }, hash))
}

/// Whether coins that cannot be received are to come back. A raw address does not say.
pub(crate) fn bounceable(text: &str) -> Option<bool> {
    let bytes = base64(text.trim()).ok()?;
    bytes.first().map(|tag| tag & !TEST_NETWORK == BOUNCEABLE)
}

/// The forms that name the same account: bounceable or not, and raw.
pub(super) fn spellings(text: &str) -> Vec<String> {
    let Ok((workchain, hash)) = decode(text) else {
        return Vec::new();
    };
    let raw = format!("{workchain}:{}", crate::encoding::hex(&hash));
    vec![encode(false, workchain, &hash), encode(true, workchain, &hash), raw]
}

/// The user-friendly form.
pub(crate) fn encode(bounceable: bool, workchain: i8, hash: &[u8; 32]) -> String {
    let tag = if bounceable { BOUNCEABLE } else { NON_BOUNCEABLE };
    let [workchain] = workchain.to_be_bytes();
    let mut bytes = [&[tag, workchain], hash.as_slice()].concat();
    let crc = crc16(&bytes).to_be_bytes();
    bytes.extend(crc);
    crate::encoding::base64(&bytes).replace('+', "-").replace('/', "_")
}

fn raw(workchain: &str, hash: &str) -> Result<String, AddressError> {
    if !matches!(workchain, "0" | "-1") {
        return Err(match workchain.parse() {
            Ok(found) if !matches!(found, 0 | -1) => AddressError::Workchain { found },
            _ => AddressError::Malformed,
        });
    }
    Ok(format!("{workchain}:{}", super::hex::lower(hash, 64)?))
}

fn user_friendly(text: &str) -> Result<(i8, [u8; 32]), AddressError> {
    let bytes = base64(text)?;
    let Some((body, crc)) = bytes.split_last_chunk() else {
        return Err(AddressError::Malformed);
    };
    if crc16(body) != u16::from_be_bytes(*crc) {
        return Err(AddressError::Checksum);
    }
    let ([tag, workchain], hash) = body.split_first_chunk().ok_or(AddressError::Malformed)?;
    let hash = hash.try_into().map_err(|_| AddressError::Malformed)?;
    match tag & !TEST_NETWORK {
        BOUNCEABLE | NON_BOUNCEABLE => {}
        _ => return Err(super::wrong_version(&[*tag])),
    }
    if tag & TEST_NETWORK != 0 {
        return Err(AddressError::Network);
    }
    match i8::from_be_bytes([*workchain]) {
        known @ (0 | -1) => Ok((known, hash)),
        other => Err(AddressError::Workchain { found: i32::from(other) }),
    }
}

/// The 36 bytes behind 48 characters, in the plain or the URL-safe alphabet but not in a mixture.
fn base64(text: &str) -> Result<Vec<u8>, AddressError> {
    if text.contains(['+', '/']) && text.contains(['-', '_']) {
        return Err(AddressError::Alphabet);
    }
    let values =
        text.chars().map(base64_value).collect::<Option<Vec<u32>>>().ok_or(AddressError::Alphabet)?;
    if values.len() != FRIENDLY_LENGTH {
        return Err(AddressError::Length { found: values.len() });
    }
    let triple = |four: &[u32]| four.iter().fold(0, |bits, value| (bits << 6) | value).to_be_bytes();
    Ok(values.chunks(4).flat_map(|four| triple(four).into_iter().skip(1)).collect())
}

fn base64_value(character: char) -> Option<u32> {
    let code = u32::from(character);
    match character {
        'A'..='Z' => Some(code - u32::from('A')),
        'a'..='z' => Some(code - u32::from('a') + 26),
        '0'..='9' => Some(code - u32::from('0') + 52),
        '+' | '-' => Some(62),
        '/' | '_' => Some(63),
        _ => None,
    }
}

/// CRC-16/XMODEM: polynomial `0x1021`, from zero, most significant bit first.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}
