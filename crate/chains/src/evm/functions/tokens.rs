//! Tokens, items and allowances.

use super::Meaning::{Approve, ApproveAll, Call, Convert, Increase, Transfer};
use super::{Conversion, Converted, Group, Row};
use crate::known::Protocol;

/// The functions that tokens share. They are read at any contract: the contract is the token.
pub(super) const ANYWHERE: &[Row] = &[
    // ERC-20
    (0xa905_9cbb, Transfer, "transfer(address to,uint256 amount)"),
    (0x23b8_72dd, Transfer, "transferFrom(address from,address to,uint256 amount)"),
    (0x095e_a7b3, Approve, "approve(address spender,uint256 amount)"),
    (0x3950_9351, Increase, "increaseAllowance(address spender,uint256 amount)"),
    (0xa457_c2d7, Call, "decreaseAllowance(address spender,uint256 amount)"),
    (
        0xd505_accf,
        Approve,
        "permit(address owner,address spender,uint256 amount,uint256 deadline,uint8 v,bytes32 r,bytes32 s)",
    ),
    (
        0x8fcb_af0c,
        Approve,
        "permit(address owner,address spender,uint256 nonce,uint256 expiry,bool allowed,uint8 v,bytes32 r,\
         bytes32 s)",
    ),
    // ERC-721 and ERC-1155
    (0x4284_2e0e, Transfer, "safeTransferFrom(address from,address to,uint256 id)"),
    (0xb88d_4fde, Transfer, "safeTransferFrom(address from,address to,uint256 id,bytes data)"),
    (0xf242_432a, Transfer, "safeTransferFrom(address from,address to,uint256 id,uint256 amount,bytes data)"),
    (
        0x2eb2_c2d6,
        Transfer,
        "safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] amounts,bytes data)",
    ),
    (0xa22c_b465, ApproveAll, "setApprovalForAll(address operator,bool approved)"),
    // Hand a message to the recipient or spender, which does with it what it will.
    (0x4000_aea0, Call, "transferAndCall(address to,uint256 amount,bytes data)"),
    (0xcae9_ca51, Call, "approveAndCall(address spender,uint256 amount,bytes data)"),
];

const WRAP: Conversion = Conversion { sell: Converted::Native, buy: Converted::Contract, short_by: Some(0) };
const UNWRAP: Conversion =
    Conversion { sell: Converted::Contract, buy: Converted::Native, short_by: Some(0) };

pub(super) const GROUPS: &[Group] = &[
    Group {
        protocols: &[Protocol::WrappedCoin],
        rows: &[
            (0xd0e3_0db0, Convert(WRAP), "deposit()"),
            (0x2e1a_7d4d, Convert(UNWRAP), "withdraw(uint256 amount)"),
        ],
    },
    Group {
        protocols: &[Protocol::Permit2],
        rows: &[
            (0x8751_7c45, Approve, "approve(address token,address spender,uint160 amount,uint48 expiration)"),
            (
                0x2b67_b570,
                Approve,
                "permit(address owner,(@allowance details,address spender,uint256 sigDeadline) permitSingle,\
                 bytes signature)",
            ),
            (
                0x2a2d_80d1,
                Approve,
                "permit(address owner,(@allowance[] details,address spender,uint256 sigDeadline) permitBatch,\
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
                "permitTransferFrom(((address token,uint256 limit) permitted,uint256 nonce,uint256 deadline) permit,\
                 (address to,uint256 amount) transferDetails,address from,bytes signature)",
            ),
        ],
    },
];
