//! Swaps over many exchanges, and exchanges that are called directly.

use super::Deposits::{Marked, Single, Value};
use super::Group;
use super::Meaning::{Aggregate, Balance, Call, Lend, Note, Swap};
use crate::known::Protocol;

pub(super) const GROUPS: &[Group] = &[
    Group {
        protocols: &[Protocol::OneInchV5],
        rows: &[
            (
                0x12aa_3caf,
                Swap,
                "swap(address executor,(address sell,address buy,address srcReceiver,address recipientOrSender,\
                 uint256 amount,uint256 minimumOut,uint256 flags) desc,bytes permit,bytes data)",
            ),
            // What the pools pay out is not in the call.
            (0x0502_b1c5, Swap, "unoswap(address sell,uint256 amount,uint256 minimumOut,uint256[] pools)"),
            (
                0xf78d_c253,
                Swap,
                "unoswapTo(address recipient,address sell,uint256 amount,uint256 minimumOut,uint256[] pools)",
            ),
            (0xe449_022e, Call, "uniswapV3Swap(uint256 amount,uint256 minimumOut,uint256[] pools)"),
        ],
    },
    Group {
        protocols: &[Protocol::OneInchV6],
        rows: &[
            (
                0x07ed_2379,
                Swap,
                "swap(address executor,(address sell,address buy,address srcReceiver,address recipientOrSender,\
                 uint256 amount,uint256 minimumOut,uint256 flags) desc,bytes data)",
            ),
            // What the pools pay out is not in the call.
            (0x8380_0a8e, Swap, "unoswap(uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex)"),
            (
                0x8770_ba91,
                Swap,
                "unoswap2(uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex,uint256 dex2)",
            ),
            (
                0x1936_7472,
                Swap,
                "unoswap3(uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex,uint256 dex2,uint256 dex3)",
            ),
            (
                0xe2c9_5c82,
                Swap,
                "unoswapTo(uint256 recipientPacked,uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex)",
            ),
            (
                0xea76_dddf,
                Swap,
                "unoswapTo2(uint256 recipientPacked,uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex,\
                 uint256 dex2)",
            ),
            (
                0xf7a7_0056,
                Swap,
                "unoswapTo3(uint256 recipientPacked,uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex,\
                 uint256 dex2,uint256 dex3)",
            ),
            (0xa76d_fc3b, Swap, "ethUnoswap(uint256 minimumOut,uint256 dex)"),
            (0x89af_926a, Swap, "ethUnoswap2(uint256 minimumOut,uint256 dex,uint256 dex2)"),
            (0x188a_c35d, Swap, "ethUnoswap3(uint256 minimumOut,uint256 dex,uint256 dex2,uint256 dex3)"),
            (0x175a_ccdc, Swap, "ethUnoswapTo(uint256 recipientPacked,uint256 minimumOut,uint256 dex)"),
        ],
    },
    Group {
        protocols: &[Protocol::ParaSwapV5],
        rows: &[
            (
                0x54e3_f31b,
                Swap,
                "simpleSwap((address sell,address buy,uint256 amount,uint256 minimumOut,uint256 quoted,\
                 address[] callees,bytes exchangeData,uint256[] startIndexes,uint256[] values,\
                 address recipientOrSender,address partner,uint256 feePercent,bytes permit,uint256 deadline,\
                 bytes16 uuid) data)",
            ),
            (
                0xa94e_78ef,
                Swap,
                "multiSwap((address sell,uint256 amount,uint256 minimumOut,uint256 quoted,address recipientOrSender,\
                 (address buy,uint256 totalNetworkFee,(address adapter,uint256 percent,uint256 networkFee,\
                 (uint256 index,address targetExchange,uint256 percent,bytes payload,uint256 networkFee)[] exchanges)\
                 [] adapters)[] legs,address partner,uint256 feePercent,bytes permit,uint256 deadline,\
                 bytes16 uuid) data)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::ParaSwapV6],
        rows: &[
            (
                0xe3ea_d59e,
                Swap,
                "swapExactAmountIn(address executor,(address sell,address buy,uint256 amount,uint256 minimumOut,\
                 uint256 quoted,bytes32 metadata,address recipientOrSender) swapData,uint256 partnerAndFee,\
                 bytes permit,bytes executorData)",
            ),
            (
                0xe8bb_3b6c,
                Swap,
                "swapExactAmountInOnUniswapV2((address sell,address buy,uint256 amount,uint256 minimumOut,\
                 uint256 quoted,bytes32 metadata,address recipientOrSender,bytes pools) uniData,\
                 uint256 partnerAndFee,bytes permit)",
            ),
            (
                0x876a_02f6,
                Swap,
                "swapExactAmountInOnUniswapV3((address sell,address buy,uint256 amount,uint256 minimumOut,\
                 uint256 quoted,bytes32 metadata,address recipientOrSender,bytes pools) uniData,\
                 uint256 partnerAndFee,bytes permit)",
            ),
            (
                0x1a01_c532,
                Swap,
                "swapExactAmountInOnCurveV1((uint256 curveData,uint256 curveAssets,address sell,address buy,\
                 uint256 amount,uint256 minimumOut,uint256 quoted,bytes32 metadata,address recipientOrSender) \
                 curveV1Data,uint256 partnerAndFee,bytes permit)",
            ),
            (
                0xe37e_d256,
                Swap,
                "swapExactAmountInOnCurveV2((uint256 curveData,uint256 i,uint256 j,address poolAddress,address sell,\
                 address buy,uint256 amount,uint256 minimumOut,uint256 quoted,bytes32 metadata,\
                 address recipientOrSender) curveV2Data,uint256 partnerAndFee,bytes permit)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::ZeroExProxy],
        rows: &[
            (
                0x4155_65b0,
                Swap,
                "transformERC20(address sell,address buy,uint256 amount,uint256 minimumOut,\
                 (uint32 deploymentNonce,bytes data)[] transformations)",
            ),
            (
                0xd962_7aa4,
                Swap,
                "sellToUniswap(address[] coins,uint256 amount,uint256 minimumOut,bool isSushi)",
            ),
            (
                0x6af4_79b2,
                Swap,
                "sellTokenForTokenToUniswapV3(bytes path,uint256 amount,uint256 minimumOut,\
                 address recipientOrSender)",
            ),
            (
                0x3598_d8ab,
                Swap,
                "sellEthForTokenToUniswapV3(bytes pathFromNative,uint256 minimumOut,address recipientOrSender)",
            ),
            (
                0x803b_a26d,
                Swap,
                "sellTokenForEthToUniswapV3(bytes pathToNative,uint256 amount,uint256 minimumOut,\
                 address recipientOrSender)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::ZeroExAllowanceHolder],
        rows: &[(
            0x2213_bc0b,
            Lend,
            "exec(address spender,address token,uint256 amount,address target,bytes data)",
        )],
    },
    Group {
        protocols: &[Protocol::KyberSwap],
        rows: &[
            (
                0xe21f_d0e9,
                Swap,
                "swap((address callTarget,address approveTarget,bytes targetData,@kyber desc,bytes clientData) \
                 execution)",
            ),
            (
                0x8af0_33fb,
                Swap,
                "swapSimpleMode(address caller,@kyber desc,bytes executorData,bytes clientData)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::CowSettlement],
        rows: &[
            // The order is a hash: what it sells cannot be read.
            (0xec6c_b13f, Call, "setPreSignature(bytes orderUid,bool signed)"),
            (0x1533_7bc0, Note, "invalidateOrder(bytes orderUid)"),
        ],
    },
    Group {
        protocols: &[Protocol::CowEthFlow],
        rows: &[(
            0x322b_ba21,
            Swap,
            "createOrder((address buy,address recipient,uint256 sellAmount,uint256 minimumOut,bytes32 appData,\
             uint256 feeAmount,uint32 validTo,bool partiallyFillable,int64 quoteId) order)",
        )],
    },
    Group {
        protocols: &[Protocol::CurveRouter],
        rows: &[
            (
                0x371d_c447,
                Swap,
                "exchange(address[11] route,uint256[5][5] swapParams,uint256 amount,uint256 minimumOut)",
            ),
            (
                0x5c9c_18e2,
                Swap,
                "exchange(address[11] route,uint256[5][5] swapParams,uint256 amount,uint256 minimumOut,\
                 address[5] pools)",
            ),
            (
                0xc872_a3c5,
                Swap,
                "exchange(address[11] route,uint256[5][5] swapParams,uint256 amount,uint256 minimumOut,\
                 address[5] pools,address recipient)",
            ),
            (
                0xaad3_48a2,
                Swap,
                "exchange(address[11] route,uint256[4][5] swapParams,uint256 amount,uint256 minimumOut)",
            ),
            (
                0x83cf_75c8,
                Swap,
                "exchange(address[11] route,uint256[4][5] swapParams,uint256 amount,uint256 minimumOut,\
                 address[5] pools)",
            ),
            (
                0xf0ed_c80e,
                Swap,
                "exchange(address[11] route,uint256[4][5] swapParams,uint256 amount,uint256 minimumOut,\
                 address[5] pools,address recipient)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::BalancerV2Vault],
        rows: &[
            (
                0x52bb_be29,
                Balance,
                "swap((bytes32 poolId,uint8 kind,address sell,address buy,uint256 given,bytes userData) singleSwap,\
                 @funds funds,uint256 limit,uint256 deadline)",
            ),
            (
                0x945b_cec9,
                Balance,
                "batchSwap(uint8 kind,(bytes32 poolId,uint256 assetInIndex,uint256 assetOutIndex,uint256 given,\
                 bytes userData)[] swaps,address[] assets,@funds funds,int256[] limits,uint256 deadline)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::BalancerV3Router],
        rows: &[
            (
                0x7502_83bc,
                Swap,
                "swapSingleTokenExactIn(address pool,address sell,address buy,uint256 amount,uint256 minimumOut,\
                 uint256 deadline,bool wethIsEth,bytes userData)",
            ),
            (
                0x94e8_6ef8,
                Swap,
                "swapSingleTokenExactOut(address pool,address sell,address buy,uint256 exactOut,uint256 amount,\
                 uint256 deadline,bool wethIsEth,bytes userData)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::BalancerV3BatchRouter],
        rows: &[
            (
                0x286f_580d,
                Swap,
                "swapExactIn((address sell,(address pool,address buy,bool isBuffer)[] steps,uint256 amount,\
                 uint256 minimumOut)[] paths,uint256 deadline,bool wethIsEth,bytes userData)",
            ),
            (
                0x8eb1_b65e,
                Swap,
                "swapExactOut((address sell,(address pool,address buy,bool isBuffer)[] steps,uint256 amount,\
                 uint256 exactOut)[] paths,uint256 deadline,bool wethIsEth,bytes userData)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::LiFiDiamond],
        rows: &[
            (
                0x4630_a0d8,
                Aggregate(Marked),
                "swapTokensGeneric(bytes32 transactionId,string integrator,string referrer,address recipient,\
                 uint256 minimumOut,@swap[] swaps)",
            ),
            (
                0x4666_fc80,
                Aggregate(Single),
                "swapTokensSingleV3ERC20ToERC20(bytes32 transactionId,string integrator,string referrer,\
                 address recipient,uint256 minimumOut,@swap swaps)",
            ),
            (
                0x7332_14a3,
                Aggregate(Single),
                "swapTokensSingleV3ERC20ToNative(bytes32 transactionId,string integrator,string referrer,\
                 address recipient,uint256 minimumOut,@swap swaps)",
            ),
            (
                0xaf70_60fd,
                Aggregate(Value),
                "swapTokensSingleV3NativeToERC20(bytes32 transactionId,string integrator,string referrer,\
                 address recipient,uint256 minimumOut,@swap swaps)",
            ),
            (
                0x5fd9_ae2e,
                Aggregate(Marked),
                "swapTokensMultipleV3ERC20ToERC20(bytes32 transactionId,string integrator,string referrer,\
                 address recipient,uint256 minimumOut,@swap[] swaps)",
            ),
            (
                0x2c57_e884,
                Aggregate(Marked),
                "swapTokensMultipleV3ERC20ToNative(bytes32 transactionId,string integrator,string referrer,\
                 address recipient,uint256 minimumOut,@swap[] swaps)",
            ),
            (
                0x736e_ac0b,
                Aggregate(Value),
                "swapTokensMultipleV3NativeToERC20(bytes32 transactionId,string integrator,string referrer,\
                 address recipient,uint256 minimumOut,@swap[] swaps)",
            ),
        ],
    },
];
