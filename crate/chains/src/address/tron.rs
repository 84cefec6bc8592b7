//! Tron: base58check of `0x41` and the last 20 bytes of keccak256 of a key, always beginning with `T`.

use bs58::Alphabet;

use super::AddressError;

const VERSION: u8 = 0x41;

/// The address of these 20 bytes, which are an EVM account's.
pub(crate) fn encode(account: &[u8; 20]) -> String {
    super::base58::encode_check(&[VERSION], account, Alphabet::BITCOIN)
}

/// The address of 21 bytes, as transactions carry them: the version and 20 more.
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<String> {
    match bytes.split_first() {
        Some((&VERSION, account)) => account.try_into().ok().map(encode),
        _ => None,
    }
}

/// The 21 bytes of an address.
pub(crate) fn to_bytes(text: &str) -> Result<[u8; 21], AddressError> {
    let bytes = super::base58::decode_check(text, Alphabet::BITCOIN)?;
    match bytes.first() {
        Some(&VERSION) | None => {
            let found = bytes.len();
            bytes.try_into().map_err(|_| AddressError::Length { found })
        }
        Some(&version) => Err(super::wrong_version(&[version])),
    }
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    to_bytes(text).map(|_| text.to_owned())
}
