//! Uniswap's routers. Those of V3 and the Universal Router keep what one step leaves for the next.

use super::Meaning::{self, Commands, Multicall, Swap};
use super::{Group, Row};
use crate::known::Protocol;

const TRADE: Meaning = Meaning::Step(super::Step::Trade);
const PULL: Meaning = Meaning::Step(super::Step::Pull);
const WRAP: Meaning = Meaning::Step(super::Step::Wrap);
const UNWRAP: Meaning = Meaning::Step(super::Step::Unwrap);
const SWEEP: Meaning = Meaning::Step(super::Step::Sweep);
const REFUND: Meaning = Meaning::Step(super::Step::Refund);
const PORTION: Meaning = Meaning::Step(super::Step::Portion);
const PAY: Meaning = Meaning::Step(super::Step::Pay);
const PERMIT: Meaning = Meaning::Step(super::Step::Permit);
const CHECK: Meaning = Meaning::Step(super::Step::Check);

pub(super) const GROUPS: &[Group] = &[
    Group {
        protocols: &[Protocol::UniswapV2Router],
        rows: &[
            (
                0x38ed_1739,
                Swap,
                "swapExactTokensForTokens(uint256 amount,uint256 minimumOut,address[] path,address recipient,\
                 uint256 deadline)",
            ),
            (
                0x8803_dbee,
                Swap,
                "swapTokensForExactTokens(uint256 exactOut,uint256 amount,address[] path,address recipient,\
                 uint256 deadline)",
            ),
            (
                0x7ff3_6ab5,
                Swap,
                "swapExactETHForTokens(uint256 minimumOut,address[] pathFromNative,address recipient,\
                 uint256 deadline)",
            ),
            (
                0xfb3b_db41,
                Swap,
                "swapETHForExactTokens(uint256 exactOut,address[] pathFromNative,address recipient,uint256 deadline)",
            ),
            (
                0x18cb_afe5,
                Swap,
                "swapExactTokensForETH(uint256 amount,uint256 minimumOut,address[] pathToNative,address recipient,\
                 uint256 deadline)",
            ),
            (
                0x4a25_d94a,
                Swap,
                "swapTokensForExactETH(uint256 exactOut,uint256 amount,address[] pathToNative,address recipient,\
                 uint256 deadline)",
            ),
            (
                0x5c11_d795,
                Swap,
                "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amount,uint256 minimumOut,\
                 address[] path,address recipient,uint256 deadline)",
            ),
            (
                0xb6f9_de95,
                Swap,
                "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 minimumOut,address[] pathFromNative,\
                 address recipient,uint256 deadline)",
            ),
            (
                0x791a_c947,
                Swap,
                "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount,uint256 minimumOut,\
                 address[] pathToNative,address recipient,uint256 deadline)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::UniswapV3Router],
        rows: &[
            (
                0x414b_f389,
                TRADE,
                "exactInputSingle((address sell,address buy,uint24 fee,address recipient,uint256 deadline,\
                 uint256 amount,uint256 minimumOut,uint160 sqrtPriceLimitX96) params)",
            ),
            (
                0xc04b_8d59,
                TRADE,
                "exactInput((bytes path,address recipient,uint256 deadline,uint256 amount,uint256 minimumOut) params)",
            ),
            (
                0xdb3e_2198,
                TRADE,
                "exactOutputSingle((address sell,address buy,uint24 fee,address recipient,uint256 deadline,\
                 uint256 exactOut,uint256 amount,uint160 sqrtPriceLimitX96) params)",
            ),
            (
                0xf28c_0498,
                TRADE,
                "exactOutput((bytes pathBackwards,address recipient,uint256 deadline,uint256 exactOut,\
                 uint256 amount) params)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::UniswapV3Router02],
        rows: &[
            (
                0x04e4_5aaf,
                TRADE,
                "exactInputSingle((address sell,address buy,uint24 fee,address recipient,uint256 amount,\
                 uint256 minimumOut,uint160 sqrtPriceLimitX96) params)",
            ),
            (
                0xb858_183f,
                TRADE,
                "exactInput((bytes path,address recipient,uint256 amount,uint256 minimumOut) params)",
            ),
            (
                0x5023_b4df,
                TRADE,
                "exactOutputSingle((address sell,address buy,uint24 fee,address recipient,uint256 exactOut,\
                 uint256 amount,uint160 sqrtPriceLimitX96) params)",
            ),
            (
                0x09b8_1346,
                TRADE,
                "exactOutput((bytes pathBackwards,address recipient,uint256 exactOut,uint256 amount) params)",
            ),
            (
                0x472b_43f3,
                TRADE,
                "swapExactTokensForTokens(uint256 amount,uint256 minimumOut,address[] path,address recipient)",
            ),
            (
                0x4271_2a67,
                TRADE,
                "swapTokensForExactTokens(uint256 exactOut,uint256 amount,address[] path,address recipient)",
            ),
            (0x5ae4_01dc, Multicall, "multicall(uint256 deadline,bytes[] calls)"),
            (0x1f04_64d1, Multicall, "multicall(bytes32 previousBlockhash,bytes[] calls)"),
            (0x4961_6997, UNWRAP, "unwrapWETH9(uint256 minimum)"),
            (0xe90a_182f, SWEEP, "sweepToken(address token,uint256 minimum)"),
            (0xd4ef_38de, UNWRAP, "unwrapWETH9WithFee(uint256 minimum,uint256 basisPoints,address feePayee)"),
            (
                0x3068_c554,
                SWEEP,
                "sweepTokenWithFee(address token,uint256 minimum,uint256 basisPoints,address feePayee)",
            ),
            (0x1c58_db4f, WRAP, "wrapETH(uint256 amount)"),
            (0xf2d5_d56b, PULL, "pull(address token,uint256 amount)"),
        ],
    },
    Group {
        protocols: &[Protocol::UniswapV3Router, Protocol::UniswapV3Router02],
        rows: &[
            (0xac96_50d8, Multicall, "multicall(bytes[] calls)"),
            (0x4940_4b7c, UNWRAP, "unwrapWETH9(uint256 minimum,address recipient)"),
            (0xdf2a_b5bb, SWEEP, "sweepToken(address token,uint256 minimum,address recipient)"),
            (
                0x9b2c_0a37,
                UNWRAP,
                "unwrapWETH9WithFee(uint256 minimum,address recipient,uint256 basisPoints,address feePayee)",
            ),
            (
                0xe0e1_89a0,
                SWEEP,
                "sweepTokenWithFee(address token,uint256 minimum,address recipient,uint256 basisPoints,\
                 address feePayee)",
            ),
            (0x1221_0e8a, REFUND, "refundETH()"),
            (
                0xf399_5c67,
                PERMIT,
                "selfPermit(address token,uint256 amount,uint256 deadline,uint8 v,bytes32 r,bytes32 s)",
            ),
            (
                0xc2e3_140a,
                PERMIT,
                "selfPermitIfNecessary(address token,uint256 amount,uint256 deadline,uint8 v,bytes32 r,bytes32 s)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::UniversalRouterV1, Protocol::UniversalRouter, Protocol::UniversalRouterV2_1],
        rows: &[
            (0x2485_6bc3, Commands, "execute(bytes commands,bytes[] inputs)"),
            (0x3593_564c, Commands, "execute(bytes commands,bytes[] inputs,uint256 deadline)"),
        ],
    },
];

/// The steps of the Universal Router's programs, by the byte that names them. From version 2.1 on the swaps have one more
/// field behind these, a least price for each hop, which can only make them fail.
pub(in super::super) const COMMANDS: &[Row] = &[
    (
        0x00,
        TRADE,
        "V3_SWAP_EXACT_IN(address recipient,uint256 amount,uint256 minimumOut,bytes path,bool payerIsUser)",
    ),
    (
        0x01,
        TRADE,
        "V3_SWAP_EXACT_OUT(address recipient,uint256 exactOut,uint256 amount,bytes pathBackwards,bool payerIsUser)",
    ),
    (0x02, PULL, "PERMIT2_TRANSFER_FROM(address token,address recipient,uint160 amount)"),
    (
        0x03,
        PERMIT,
        "PERMIT2_PERMIT_BATCH((@allowance[] details,address spender,uint256 sigDeadline) permitBatch,bytes signature)",
    ),
    (0x04, SWEEP, "SWEEP(address token,address recipient,uint256 minimum)"),
    (0x05, PAY, "TRANSFER(address token,address recipient,uint256 amount)"),
    (0x06, PORTION, "PAY_PORTION(address token,address recipient,uint256 basisPoints)"),
    (
        0x08,
        TRADE,
        "V2_SWAP_EXACT_IN(address recipient,uint256 amount,uint256 minimumOut,address[] path,bool payerIsUser)",
    ),
    (
        0x09,
        TRADE,
        "V2_SWAP_EXACT_OUT(address recipient,uint256 exactOut,uint256 amount,address[] path,bool payerIsUser)",
    ),
    (
        0x0a,
        PERMIT,
        "PERMIT2_PERMIT((@allowance details,address spender,uint256 sigDeadline) permitSingle,bytes signature)",
    ),
    (0x0b, WRAP, "WRAP_ETH(address recipient,uint256 amount)"),
    (0x0c, UNWRAP, "UNWRAP_WETH(address recipient,uint256 minimum)"),
    (0x0e, CHECK, "BALANCE_CHECK_ERC20(address owner,address token,uint256 minimum)"),
];

#[cfg(test)]
mod tests {
    use super::super::super::abi::Signature;
    use super::*;

    #[test]
    fn every_command_can_be_read() {
        for (code, _, text) in COMMANDS {
            assert!(Signature::parse(text).is_some(), "0x{code:02x}");
        }
    }
}
