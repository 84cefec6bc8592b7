//! The digests that chains are built from.

use blake2::digest::CustomizedInit;
use blake2::digest::consts::{U28, U32};
use blake2::{Blake2b, Digest};
use ripemd::Ripemd160;
use sha2::{Sha256, Sha512};
use sha3::Keccak256;

/// SHA-256.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Keccak-256 with the padding of 2011, as Ethereum has it: FIPS 202 later changed one byte of the padding.
pub fn keccak256(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// SHA-256 of SHA-256, as Bitcoin has it.
pub fn sha256d(bytes: &[u8]) -> [u8; 32] {
    sha256(&sha256(bytes))
}

/// RIPEMD-160 of SHA-256: the account of a public key on Bitcoin, Cosmos and Ripple.
pub fn hash160(bytes: &[u8]) -> [u8; 20] {
    Ripemd160::digest(sha256(bytes)).into()
}

/// The first half of SHA-512, as the XRP ledger has it.
pub fn sha512_half(bytes: &[u8]) -> [u8; 32] {
    let digest: [u8; 64] = Sha512::digest(bytes).into();
    let (half, _) = digest.split_at(32);
    let mut out = [0; 32];
    out.copy_from_slice(half);
    out
}

/// BLAKE2b with a digest of 32 bytes.
pub fn blake2b256(bytes: &[u8]) -> [u8; 32] {
    Blake2b::<U32>::digest(bytes).into()
}

/// BLAKE2b with a digest of 32 bytes and a personalisation: the hashes of Zcash.
pub fn blake2b256_personal(person: &[u8; 16], bytes: &[u8]) -> [u8; 32] {
    Blake2b::<U32>::new_customized(person).chain_update(bytes).finalize().into()
}

/// BLAKE2b with a digest of 28 bytes: the key hash of Cardano.
pub fn blake2b224(bytes: &[u8]) -> [u8; 28] {
    Blake2b::<U28>::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::hex;

    /// Ethereum's hash of no bytes and the selector of ERC-20's `transfer`: the old padding, not that of FIPS 202.
    #[test]
    fn keccak_is_ethereums() {
        let empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
        assert_eq!(hex(&keccak256(b"")), empty);
        assert_eq!(&keccak256(b"transfer(address,uint256)")[..4], [0xa9, 0x05, 0x9c, 0xbb]);
    }
}
