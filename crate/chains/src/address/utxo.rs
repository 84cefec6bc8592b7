//! UTXO chains: base58check of a version and a 20-byte hash, or SegWit, or (Bitcoin Cash) cashaddr.
//!
//! * `1…`, `L…`, `D…`, `X…`, `t1…`: pay to a public key's hash; `3…`, `M…`, `A…`, `7…`, `t3…`: to a script's hash.
//! * `bc1q…`, `ltc1q…`: SegWit version 0, bech32, 20 bytes (key) or 32 bytes (script).
//! * `bc1p…`, `ltc1p…`: Taproot, version 1, bech32m, 32 bytes.
//!
//! Canonical spellings: SegWit in lower case; Litecoin's older `3…` as `M…`; Bitcoin Cash's base58 as cashaddr.

use bs58::Alphabet;

use super::bech32::Variant;
use super::cashaddr::{self, Target};
use super::{AddressError, base58, bech32};
use crate::UtxoPrefixes;

const HASH_LENGTH: usize = 20;

/// No base58check address is longer, no SegWit address is shorter.
const MAX_BASE58_LENGTH: usize = 35;

/// Human-readable parts of test networks.
const TEST_HRPS: &[&str] = &["tb", "bcrt", "tltc", "rltc"];

/// Base58check versions of test networks; none of them is a mainnet version of another chain of the registry.
const TEST_VERSIONS: &[&[u8]] =
    &[&[0x6f], &[0xc4], &[0x3a], &[0x71], &[0x8c], &[0x13], &[0x1d, 0x25], &[0x1c, 0xba]];

/// Beginnings of private addresses, whose payments cannot be built here.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("ltcmweb1", "a Litecoin MWEB address"),
    ("zs1", "a Zcash shielded address"),
    ("u1", "a Zcash unified address"),
    ("tex1", "a Zcash TEX address"),
    ("zc", "a Zcash Sprout address"),
];

/// The address under which wallets of this chain keep a key with this hash: SegWit where the chain has it.
pub(crate) fn of_key_hash(prefixes: &UtxoPrefixes, hash: &[u8; 20]) -> String {
    match (prefixes.segwit, prefixes.cashaddr) {
        (Some(hrp), _) => bech32::encode(hrp, Some(0), hash),
        (None, Some(prefix)) => cashaddr::encode(prefix, Target::Key, hash),
        (None, None) => base58::encode_check(prefixes.p2pkh, hash, Alphabet::BITCOIN),
    }
}

pub(super) fn normalise(prefixes: &UtxoPrefixes, text: &str) -> Result<String, AddressError> {
    if let Some(prefix) = prefixes.cashaddr
        && !text.starts_with(['1', '3'])
    {
        return cashaddr::normalise(prefix, text);
    }
    if text.len() <= MAX_BASE58_LENGTH {
        return base58_address(prefixes, text);
    }
    if let Some(&(_, form)) = UNSUPPORTED.iter().find(|(start, _)| text.starts_with(start)) {
        return Err(AddressError::Unsupported { form, instead: "a transparent address" });
    }
    match prefixes.segwit.filter(|hrp| super::starts_with(text, hrp)) {
        Some(hrp) => segwit(hrp, text),
        None => Err(bech32::decode(text)
            .map_or(AddressError::Length { found: text.len() }, |decoded| foreign(decoded.hrp))),
    }
}

fn base58_address(prefixes: &UtxoPrefixes, text: &str) -> Result<String, AddressError> {
    let bytes = base58::decode_check(text, Alphabet::BITCOIN)?;
    let length = AddressError::Length { found: bytes.len() };
    let (version, hash) =
        bytes.len().checked_sub(HASH_LENGTH).and_then(|at| bytes.split_at_checked(at)).ok_or(length)?;
    let target = if version == prefixes.p2pkh {
        Target::Key
    } else if version == prefixes.p2sh || Some(version) == prefixes.p2sh_legacy {
        Target::Script
    } else if TEST_VERSIONS.contains(&version) {
        return Err(AddressError::Network);
    } else {
        return Err(super::wrong_version(version));
    };
    Ok(match (prefixes.cashaddr, target) {
        (Some(prefix), _) => cashaddr::encode(prefix, target, hash),
        (None, Target::Key) => base58::encode_check(prefixes.p2pkh, hash, Alphabet::BITCOIN),
        (None, Target::Script) => base58::encode_check(prefixes.p2sh, hash, Alphabet::BITCOIN),
    })
}

fn segwit(hrp: &str, text: &str) -> Result<String, AddressError> {
    let decoded = bech32::decode(text)?;
    if decoded.hrp != hrp {
        return Err(foreign(decoded.hrp));
    }
    let Some((&version, program)) = decoded.values.split_first() else {
        return Err(AddressError::Length { found: 0 });
    };
    let due = if version == 0 { Variant::Bech32 } else { Variant::Bech32m };
    if decoded.variant != due {
        return Err(AddressError::Encoding);
    }
    match (version, bech32::to_bytes(program)?.len()) {
        (0, 20 | 32) | (1, 32) => Ok(text.to_ascii_lowercase()),
        (0 | 1, found) => Err(AddressError::Length { found }),
        _ => Err(AddressError::WitnessVersion { found: version }),
    }
}

/// The error for a SegWit address with another human-readable part than the chain's.
fn foreign(hrp: String) -> AddressError {
    if TEST_HRPS.contains(&hrp.as_str()) {
        AddressError::Network
    } else {
        AddressError::Prefix { found: hrp }
    }
}
