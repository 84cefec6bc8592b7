//! TRC-20: ERC-20 with Tron's addresses. A call is four bytes that name the function and one 32-byte word for each
//! argument.
//!
//! Wallets write the receiver's 21 bytes into its word, `0x41` included; contracts look at the last 20 only.

use crate::{Amount, address::tron};

const TRANSFER: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];
const APPROVE: [u8; 4] = [0x09, 0x5e, 0xa7, 0xb3];
/// Two names for letting a spender take more than before.
const INCREASE_ALLOWANCE: [u8; 4] = [0x39, 0x50, 0x93, 0x51];
const INCREASE_APPROVAL: [u8; 4] = [0xd7, 0x3d, 0xd6, 0x23];
const TRANSFER_FROM: [u8; 4] = [0x23, 0xb8, 0x72, 0xdd];

/// A call of a token's contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    /// `transfer(address,uint256)`.
    Transfer { to: String, amount: Amount },
    /// `approve(address,uint256)`, and what adds to an allowance.
    Approve { spender: String, amount: Amount },
    /// `transferFrom(address,address,uint256)`.
    TransferFrom { from: String, to: String, amount: Amount },
}

/// The call that sends `amount` to the 21 bytes of `to`.
pub(super) fn transfer(to: &[u8; 21], amount: Amount) -> Vec<u8> {
    [TRANSFER.as_slice(), &[0; 11], to, &amount.to_be_bytes::<32>()].concat()
}

/// Reads a call. `None` for other functions, and for arguments that are not exactly as they must be.
pub(super) fn read(data: &[u8]) -> Option<Call> {
    let (selector, words) = data.split_first_chunk()?;
    let (words, rest) = words.as_chunks::<32>();
    if !rest.is_empty() {
        return None;
    }
    match (*selector, words) {
        (TRANSFER, [to, amount]) => Some(Call::Transfer { to: account(to)?, amount: number(amount) }),
        (APPROVE | INCREASE_ALLOWANCE | INCREASE_APPROVAL, [to, amount]) => {
            Some(Call::Approve { spender: account(to)?, amount: number(amount) })
        }
        (TRANSFER_FROM, [from, to, amount]) => {
            Some(Call::TransferFrom { from: account(from)?, to: account(to)?, amount: number(amount) })
        }
        _ => None,
    }
}

fn account(word: &[u8; 32]) -> Option<String> {
    let (padding, account) = word.split_last_chunk()?;
    let (version, zeros) = padding.split_last()?;
    let plain = matches!(version, 0 | 0x41) && zeros.iter().all(|byte| *byte == 0);
    plain.then(|| tron::encode(account))
}

fn number(word: &[u8; 32]) -> Amount {
    Amount::from_be_bytes(*word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_transfer_is_read_back(account: [u8; 20], amount: [u8; 32]) {
            let amount = Amount::from_be_bytes(amount);
            let mut bytes = [0x41; 21];
            bytes[1..].copy_from_slice(&account);
            let to = tron::encode(&account);
            prop_assert_eq!(read(&transfer(&bytes, amount)), Some(Call::Transfer { to, amount }));
        }

        #[test]
        fn any_bytes_are_read_or_not(data in prop::collection::vec(any::<u8>(), 0..150)) {
            let _ = read(&data);
        }
    }

    #[test]
    fn functions_are_known_by_their_hash() {
        let names = [
            (TRANSFER, "transfer(address,uint256)"),
            (APPROVE, "approve(address,uint256)"),
            (INCREASE_ALLOWANCE, "increaseAllowance(address,uint256)"),
            (INCREASE_APPROVAL, "increaseApproval(address,uint256)"),
            (TRANSFER_FROM, "transferFrom(address,address,uint256)"),
        ];
        for (selector, name) in names {
            assert_eq!(crate::hash::keccak256(name.as_bytes())[..4], selector, "{name}");
        }
    }

    #[test]
    fn arguments_must_be_whole() {
        let call = transfer(&[0x41; 21], Amount::from(1));
        assert!(read(&call).is_some());
        assert_eq!(read(&call[..67]), None, "a word is cut");
        assert_eq!(read(&[call.as_slice(), &[0]].concat()), None, "something follows");
        let mut dirty = call.clone();
        dirty[4] = 1;
        assert_eq!(read(&dirty), None, "the address has more than 20 bytes");
        let mut other = call;
        other[0] = 0;
        assert_eq!(read(&other), None, "another function");
    }
}
