//! XRP ledger: base58check in the ledger's own alphabet of `0x00` and 20 bytes, always beginning with `r`.
//!
//! X-addresses (XLS-5) hold a destination tag as well: `05 44` (mainnet) or `04 93` (testnet), 20 bytes, flag, tag. They
//! are refused, because a record of an address has no place for the tag.

use bs58::Alphabet;

use super::AddressError;

const ACCOUNT: u8 = 0x00;

/// The account of a key with this hash.
pub(crate) fn of_key_hash(hash: &[u8; 20]) -> String {
    super::base58::encode_check(&[ACCOUNT], hash, Alphabet::RIPPLE)
}

pub(super) fn normalise(text: &str) -> Result<String, AddressError> {
    decode(text).map(|_| text.to_owned())
}

/// The 20 bytes of an account.
pub(crate) fn decode(text: &str) -> Result<[u8; 20], AddressError> {
    let bytes = super::base58::decode_check(text, Alphabet::RIPPLE)?;
    match bytes.as_slice() {
        [ACCOUNT, account @ ..] if account.len() == 20 => {
            account.try_into().map_err(|_| AddressError::Length { found: bytes.len() })
        }
        [0x05, 0x44, rest @ ..] if rest.len() == 29 => {
            Err(AddressError::Unsupported { form: "an X-address", instead: "the r… address and its tag" })
        }
        [0x04, 0x93, rest @ ..] if rest.len() == 29 => Err(AddressError::Network),
        [ACCOUNT, ..] | [] => Err(AddressError::Length { found: bytes.len() }),
        [version, ..] => Err(super::wrong_version(&[*version])),
    }
}
