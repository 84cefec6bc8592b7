//! The functions that are understood, in one place.
//!
//! Contracts hash the types alone. The names are ours: [`super::call`] and [`super::router`] find what they need by
//! name, so that a new function is a new line here or in [`super::swaps`].

use super::swaps::SWAPS;
use Meaning::{Approve, ApproveAll, Call, Increase, Transfer};

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Tokens or items go to one recipient, or several to several.
    Transfer,
    /// A spender may take tokens.
    Approve,
    /// A spender may take more tokens than before.
    Increase,
    /// An operator may take every item.
    ApproveAll,
    /// One asset for another, by whom.
    Swap(&'static str),
    /// Other calls of the same contract.
    Multicall,
    /// The Universal Router's own little programs.
    Commands,
    /// Tokens to a vault of THORChain or MayaChain, with a memo.
    Deposit,
    /// Nothing that the others cover: named with its arguments.
    Call,
}

/// Tokens and allowances: selector, meaning, signature.
pub(super) const TOKENS: &[(u32, Meaning, &str)] = &[
    // ERC-20
    (0xa905_9cbb, Transfer, "transfer(address to,uint256 amount)"),
    (0x23b8_72dd, Transfer, "transferFrom(address from,address to,uint256 amount)"),
    (0x095e_a7b3, Approve, "approve(address spender,uint256 amount)"),
    (0x3950_9351, Increase, "increaseAllowance(address spender,uint256 amount)"),
    (0xa457_c2d7, Call, "decreaseAllowance(address spender,uint256 amount)"),
    (
        0xd505_accf,
        Approve,
        "permit(address owner,address spender,uint256 amount,uint256 deadline,uint8 v,bytes32 r,\
         bytes32 s)",
    ),
    (
        0x8fcb_af0c,
        Approve,
        "permit(address owner,address spender,uint256 nonce,uint256 expiry,bool allowed,uint8 v,\
         bytes32 r,bytes32 s)",
    ),
    // ERC-721 and ERC-1155
    (0x4284_2e0e, Transfer, "safeTransferFrom(address from,address to,uint256 id)"),
    (0xb88d_4fde, Transfer, "safeTransferFrom(address from,address to,uint256 id,bytes data)"),
    (0xf242_432a, Transfer, "safeTransferFrom(address from,address to,uint256 id,uint256 amount,bytes data)"),
    (
        0x2eb2_c2d6,
        Transfer,
        "safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] amounts,\
         bytes data)",
    ),
    (0xa22c_b465, ApproveAll, "setApprovalForAll(address operator,bool approved)"),
    // Permit2
    (0x8751_7c45, Approve, "approve(address token,address spender,uint160 amount,uint48 expiration)"),
    (
        0x2b67_b570,
        Approve,
        "permit(address owner,((address token,uint160 amount,uint48 expiration,\
         uint48 nonce) details,address spender,uint256 sigDeadline) permitSingle,bytes signature)",
    ),
    (
        0x2a2d_80d1,
        Approve,
        "permit(address owner,((address token,uint160 amount,uint48 expiration,\
         uint48 nonce)[] details,address spender,uint256 sigDeadline) permitBatch,\
         bytes signature)",
    ),
    (0x36c7_8516, Transfer, "transferFrom(address from,address to,uint160 amount,address token)"),
    (
        0x0d58_b1db,
        Transfer,
        "transferFrom((address from,address to,uint160 amount,address token)[] transfers)",
    ),
    (
        0x30f2_8b7a,
        Transfer,
        "permitTransferFrom(((address token,uint256 limit) permitted,uint256 nonce,\
         uint256 deadline) permit,(address to,uint256 amount) transferDetails,address from,\
         bytes signature)",
    ),
    // Wrapped native coins
    (0xd0e3_0db0, Call, "deposit()"),
    (0x2e1a_7d4d, Call, "withdraw(uint256 amount)"),
];

/// What the function of this selector means, and its signature.
pub(super) fn find(selector: [u8; 4]) -> Option<(Meaning, &'static str)> {
    let selector = u32::from_be_bytes(selector);
    TOKENS
        .iter()
        .chain(SWAPS)
        .find(|(found, ..)| *found == selector)
        .map(|&(_, meaning, signature)| (meaning, signature))
}

#[cfg(test)]
mod tests {
    use super::super::abi::Signature;
    use super::*;

    /// The selectors follow from the signatures, and no two functions share one.
    #[test]
    fn selectors() {
        let functions: Vec<_> = TOKENS.iter().chain(SWAPS).collect();
        for (index, (selector, _, text)) in functions.iter().enumerate() {
            let signature = Signature::parse(text).expect(text);
            assert_eq!(signature.selector(), selector.to_be_bytes(), "{text}");
            let again = functions.iter().position(|(other, ..)| other == selector);
            assert_eq!(again, Some(index), "{text}");
        }
    }

    /// Every function is among the calls that another library encoded, under the same selector.
    #[test]
    fn others_agree() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/evm/calls.json");
        let vectors: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("JSON");
        let calls = vectors["calls"].as_array().expect("calls");
        for (selector, _, text) in TOKENS.iter().chain(SWAPS) {
            let canonical = Signature::parse(text).expect(text).canonical();
            let case = calls.iter().find(|case| case["signature"] == canonical).expect(&canonical);
            assert_eq!(case["selector"], format!("0x{selector:08x}"), "{canonical}");
        }
    }
}
