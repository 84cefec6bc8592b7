//! Bech32 (BIP-173) and bech32m (BIP-350): `hrp ‖ "1" ‖ 5-bit values ‖ 6 checksum values`, all of one case.
//!
//! The two differ in a constant of the checksum. The canonical spelling is lower case.

use ::bech32::primitives::decode::{CharError, UncheckedHrpstring, UncheckedHrpstringError};
use ::bech32::primitives::hrp;
use ::bech32::primitives::iter::{ByteIterExt as _, Fe32IterExt as _};
use ::bech32::{Bech32, Bech32m, Fe32, Hrp};

use super::AddressError;

const CHECKSUM_LENGTH: usize = 6;

/// Which of the two checksums a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    Bech32,
    Bech32m,
}

/// A text whose checksum is right.
pub(super) struct Decoded {
    /// The human-readable part in lower case.
    pub(super) hrp: String,
    /// The 5-bit values between separator and checksum.
    pub(super) values: Vec<u8>,
    /// Which checksum it was.
    pub(super) variant: Variant,
}

/// Reads a text of either variant.
pub(super) fn decode(text: &str) -> Result<Decoded, AddressError> {
    if !text.contains('1') {
        return Err(super::wrong_start(text, 4));
    }
    let parsed = UncheckedHrpstring::new(text).map_err(|error| match error {
        UncheckedHrpstringError::Char(CharError::MixedCase)
        | UncheckedHrpstringError::Hrp(hrp::Error::MixedCase) => AddressError::MixedCase,
        _ => AddressError::Alphabet,
    })?;
    if parsed.data_part_ascii().len() < CHECKSUM_LENGTH {
        return Err(AddressError::Length { found: text.len() });
    }
    let hrp = parsed.hrp().to_lowercase();
    let (checked, variant) = if parsed.has_valid_checksum::<Bech32>() {
        (parsed.remove_checksum::<Bech32>(), Variant::Bech32)
    } else if parsed.has_valid_checksum::<Bech32m>() {
        (parsed.remove_checksum::<Bech32m>(), Variant::Bech32m)
    } else {
        return Err(AddressError::Checksum);
    };
    let values = checked.fe32_iter().map(Fe32::to_u8).collect();
    Ok(Decoded { hrp, values, variant })
}

/// Reads a text that has to be bech32 with this human-readable part, and returns its bytes.
pub(super) fn decode_bytes(text: &str, hrp: &str) -> Result<Vec<u8>, AddressError> {
    let decoded = decode(text)?;
    if decoded.hrp != hrp {
        return Err(AddressError::Prefix { found: decoded.hrp });
    }
    if decoded.variant != Variant::Bech32 {
        return Err(AddressError::Encoding);
    }
    to_bytes(&decoded.values)
}

/// Bech32 of bytes, after a witness version where there is one; from version 1 on that is bech32m.
pub(super) fn encode(hrp: &str, version: Option<u8>, bytes: &[u8]) -> String {
    let modified = version.is_some_and(|version| version > 0);
    let version = version.and_then(|version| Fe32::try_from(version).ok());
    let values = version.into_iter().chain(bytes.iter().copied().bytes_to_fes());
    let hrp = Hrp::parse_unchecked(hrp);
    if modified {
        values.with_checksum::<Bech32m>(&hrp).chars().collect()
    } else {
        values.with_checksum::<Bech32>(&hrp).chars().collect()
    }
}

/// Joins 5-bit values to bytes. What is left over must be less than one value, and zero.
pub(super) fn to_bytes(values: &[u8]) -> Result<Vec<u8>, AddressError> {
    let mut bytes = Vec::with_capacity(values.len() * 5 / 8);
    let (mut pending, mut bits) = (0_u16, 0_u32);
    for &value in values {
        pending = (pending << 5) | u16::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((pending >> bits) as u8);
            pending &= (1 << bits) - 1;
        }
    }
    if bits >= 5 || pending != 0 { Err(AddressError::Malformed) } else { Ok(bytes) }
}

/// Splits bytes into 5-bit values, the last one filled up with zeros.
pub(super) fn to_values(bytes: &[u8]) -> Vec<u8> {
    let mut values = Vec::with_capacity((bytes.len() * 8).div_ceil(5));
    let (mut pending, mut bits) = (0_u16, 0_u32);
    for &byte in bytes {
        pending = (pending << 8) | u16::from(byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            values.push((pending >> bits) as u8);
            pending &= (1 << bits) - 1;
        }
    }
    if bits > 0 {
        values.push((pending << (5 - bits)) as u8);
    }
    values
}
