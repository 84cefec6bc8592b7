//! QBTC: bech32 with the human-readable part `qbtc`, of the hash of an ML-DSA key. A Cosmos SDK account otherwise.

use super::AddressError;

pub(super) fn normalise(hrp: &str, text: &str) -> Result<String, AddressError> {
    super::cosmos::normalise(hrp, text)
}
