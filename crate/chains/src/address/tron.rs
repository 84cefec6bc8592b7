//! Tron: base58check of `0x41` and the last 20 bytes of keccak256 of a key, always beginning with `T`.

use bs58::Alphabet;

use super::AddressError;

const VERSION: u8 = 0x41;

/// The address of these 20 bytes, which are an EVM account's.
pub(crate) fn encode(account: &[u8; 20]) -> String {
    super::base58::encode_check(&[VERSION], account, Alphabet::BITCOIN)
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    let bytes = super::base58::decode_check(text, Alphabet::BITCOIN)?;
    match bytes.split_first() {
        Some((&VERSION, hash)) if hash.len() == 20 => Ok(text.to_owned()),
        Some((&VERSION, _)) | None => Err(AddressError::Length { found: bytes.len() }),
        Some((&version, _)) => Err(super::wrong_version(&[version])),
    }
}
