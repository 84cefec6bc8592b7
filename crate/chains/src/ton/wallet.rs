//! The wallet contract, version 4 revision 2: a sequence number, a subwallet number, the key, and no plugins.
//!
//! Its address is the hash of its initial state, so the address follows from the key.

use super::boc;
use super::cell::{AccountId, Builder, Cell};
use crate::TransactionError;
use crate::address::ton as address;

/// The contract's code, as its authors published it.
const CODE: &[u8] = include_bytes!("wallet_v4r2.boc");
/// The subwallet id that wallets use for a first wallet in workchain 0.
pub(super) const SUBWALLET: u32 = 698_983_191;

/// Code and data of a wallet that has sent nothing yet: no split depth, not special, code, data, no libraries.
pub(super) fn state_init(key: &[u8; 32]) -> Result<Cell, TransactionError> {
    let code = boc::decode("wallet code", CODE)?;
    let data = Builder::new().uint(0, 32).uint(u128::from(SUBWALLET), 32).bytes(key).bit(false).fixed();
    Ok(Builder::new().uint(0, 2).maybe_reference(Some(&code)).maybe_reference(Some(&data)).bit(false).fixed())
}

/// The account of a key.
pub(super) fn account(key: &[u8; 32]) -> AccountId {
    AccountId { workchain: 0, hash: address::hash_of_key(key) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::hex;

    #[test]
    fn the_code_is_the_published_one() {
        let code = boc::decode("code", CODE).unwrap();
        assert_eq!(hex(&code.hash()), "feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0");
        assert_eq!(state_init(&[7; 32]).unwrap().hash(), account(&[7; 32]).hash);
    }
}
