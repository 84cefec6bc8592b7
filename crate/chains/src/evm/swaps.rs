//! Swaps over routers and bridges, as [`super::functions`] has them.
//!
//! `sell` and `amount` are what is given at most, `buy` and `minimumOut` what is taken at least, under any name that the contract
//! calls them. A path's ends are the two tokens; its name says where one end is the native coin, or that it runs
//! backwards. Packed addresses carry flags in their high bytes.

use super::functions::Meaning::{self, Call, Commands, Deposit, Multicall, Swap};

/// Pays with native coins that come with the call where the call sells their wrapped form.
pub(super) const UNISWAP_V3: &str = "Uniswap V3";

/// One step of LI.FI before a bridge or instead of one.
macro_rules! swap_data {
    () => {
        "(address callTo,address approveTo,address sell,address buy,uint256 amount,bytes callData,\
         bool requiresDeposit)"
    };
}

/// What all bridges of LI.FI begin with.
macro_rules! bridge_data {
    () => {
        "(bytes32 transactionId,string bridge,string integrator,address referrer,address sell,address recipient,\
         uint256 amount,uint256 destinationChainId,bool hasSourceSwaps,bool hasDestinationCall) bridgeData"
    };
}

/// As before, where the first swap and not the bridge takes what is sold.
macro_rules! bridge_data_after_swaps {
    () => {
        "(bytes32 transactionId,string bridge,string integrator,address referrer,address bridged,\
         address recipient,uint256 bridgedMinimum,uint256 destinationChainId,bool hasSourceSwaps,\
         bool hasDestinationCall) bridgeData"
    };
}

/// Selector, meaning, signature.
pub(super) const SWAPS: &[(u32, Meaning, &str)] = &[
    // Uniswap V2 and its many copies
    (
        0x38ed_1739,
        Swap("Uniswap V2"),
        "swapExactTokensForTokens(uint256 amount,uint256 minimumOut,address[] path,\
         address recipient,uint256 deadline)",
    ),
    (
        0x8803_dbee,
        Swap("Uniswap V2"),
        "swapTokensForExactTokens(uint256 minimumOut,uint256 amount,address[] path,\
         address recipient,uint256 deadline)",
    ),
    (
        0x7ff3_6ab5,
        Swap("Uniswap V2"),
        "swapExactETHForTokens(uint256 minimumOut,address[] pathFromNative,address recipient,\
         uint256 deadline)",
    ),
    (
        0xfb3b_db41,
        Swap("Uniswap V2"),
        "swapETHForExactTokens(uint256 minimumOut,address[] pathFromNative,address recipient,\
         uint256 deadline)",
    ),
    (
        0x18cb_afe5,
        Swap("Uniswap V2"),
        "swapExactTokensForETH(uint256 amount,uint256 minimumOut,address[] pathToNative,\
         address recipient,uint256 deadline)",
    ),
    (
        0x4a25_d94a,
        Swap("Uniswap V2"),
        "swapTokensForExactETH(uint256 minimumOut,uint256 amount,address[] pathToNative,\
         address recipient,uint256 deadline)",
    ),
    (
        0x5c11_d795,
        Swap("Uniswap V2"),
        "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amount,uint256 minimumOut,\
         address[] path,address recipient,uint256 deadline)",
    ),
    (
        0xb6f9_de95,
        Swap("Uniswap V2"),
        "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 minimumOut,\
         address[] pathFromNative,address recipient,uint256 deadline)",
    ),
    (
        0x791a_c947,
        Swap("Uniswap V2"),
        "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount,uint256 minimumOut,\
         address[] pathToNative,address recipient,uint256 deadline)",
    ),
    (
        0x472b_43f3,
        Swap("Uniswap V2"),
        "swapExactTokensForTokens(uint256 amount,uint256 minimumOut,address[] path,\
         address recipient)",
    ),
    (
        0x4271_2a67,
        Swap("Uniswap V2"),
        "swapTokensForExactTokens(uint256 minimumOut,uint256 amount,address[] path,\
         address recipient)",
    ),
    // Uniswap V3, first and second router
    (
        0x414b_f389,
        Swap(UNISWAP_V3),
        "exactInputSingle((address sell,address buy,uint24 fee,address recipient,\
         uint256 deadline,uint256 amount,uint256 minimumOut,uint160 sqrtPriceLimitX96) params)",
    ),
    (
        0x04e4_5aaf,
        Swap(UNISWAP_V3),
        "exactInputSingle((address sell,address buy,uint24 fee,address recipient,uint256 amount,\
         uint256 minimumOut,uint160 sqrtPriceLimitX96) params)",
    ),
    (
        0xc04b_8d59,
        Swap(UNISWAP_V3),
        "exactInput((bytes path,address recipient,uint256 deadline,uint256 amount,\
         uint256 minimumOut) params)",
    ),
    (
        0xb858_183f,
        Swap(UNISWAP_V3),
        "exactInput((bytes path,address recipient,uint256 amount,uint256 minimumOut) params)",
    ),
    (
        0xdb3e_2198,
        Swap(UNISWAP_V3),
        "exactOutputSingle((address sell,address buy,uint24 fee,address recipient,\
         uint256 deadline,uint256 minimumOut,uint256 amount,uint160 sqrtPriceLimitX96) params)",
    ),
    (
        0x5023_b4df,
        Swap(UNISWAP_V3),
        "exactOutputSingle((address sell,address buy,uint24 fee,address recipient,\
         uint256 minimumOut,uint256 amount,uint160 sqrtPriceLimitX96) params)",
    ),
    (
        0xf28c_0498,
        Swap(UNISWAP_V3),
        "exactOutput((bytes pathBackwards,address recipient,uint256 deadline,uint256 minimumOut,\
         uint256 amount) params)",
    ),
    (
        0x09b8_1346,
        Swap(UNISWAP_V3),
        "exactOutput((bytes pathBackwards,address recipient,uint256 minimumOut,\
         uint256 amount) params)",
    ),
    (0xac96_50d8, Multicall, "multicall(bytes[] calls)"),
    (0x5ae4_01dc, Multicall, "multicall(uint256 deadline,bytes[] calls)"),
    (0x1f04_64d1, Multicall, "multicall(bytes32 previousBlockhash,bytes[] calls)"),
    (0x4940_4b7c, Call, "unwrapWETH9(uint256 minimum,address recipient)"),
    (0x4961_6997, Call, "unwrapWETH9(uint256 minimum)"),
    (0xdf2a_b5bb, Call, "sweepToken(address token,uint256 minimum,address recipient)"),
    (0xe90a_182f, Call, "sweepToken(address token,uint256 minimum)"),
    (0x1221_0e8a, Call, "refundETH()"),
    (0x1c58_db4f, Call, "wrapETH(uint256 amount)"),
    // Uniswap's Universal Router
    (0x2485_6bc3, Commands, "execute(bytes commands,bytes[] inputs)"),
    (0x3593_564c, Commands, "execute(bytes commands,bytes[] inputs,uint256 deadline)"),
    // 1inch, fifth and sixth router
    (
        0x12aa_3caf,
        Swap("1inch"),
        "swap(address executor,(address sell,address buy,address srcReceiver,address recipient,\
         uint256 amount,uint256 minimumOut,uint256 flags) desc,bytes permit,bytes data)",
    ),
    (
        0x07ed_2379,
        Swap("1inch"),
        "swap(address executor,(address sell,address buy,address srcReceiver,address recipient,\
         uint256 amount,uint256 minimumOut,uint256 flags) desc,bytes data)",
    ),
    (0x0502_b1c5, Swap("1inch"), "unoswap(address sell,uint256 amount,uint256 minimumOut,uint256[] pools)"),
    (
        0xf78d_c253,
        Swap("1inch"),
        "unoswapTo(address recipient,address sell,uint256 amount,uint256 minimumOut,\
         uint256[] pools)",
    ),
    (0x8380_0a8e, Swap("1inch"), "unoswap(uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex)"),
    (
        0x8770_ba91,
        Swap("1inch"),
        "unoswap2(uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex,uint256 dex2)",
    ),
    (
        0x1936_7472,
        Swap("1inch"),
        "unoswap3(uint256 sellPacked,uint256 amount,uint256 minimumOut,uint256 dex,uint256 dex2,\
         uint256 dex3)",
    ),
    (
        0xe2c9_5c82,
        Swap("1inch"),
        "unoswapTo(uint256 recipientPacked,uint256 sellPacked,uint256 amount,uint256 minimumOut,\
         uint256 dex)",
    ),
    (
        0xea76_dddf,
        Swap("1inch"),
        "unoswapTo2(uint256 recipientPacked,uint256 sellPacked,uint256 amount,uint256 minimumOut,\
         uint256 dex,uint256 dex2)",
    ),
    (
        0xf7a7_0056,
        Swap("1inch"),
        "unoswapTo3(uint256 recipientPacked,uint256 sellPacked,uint256 amount,uint256 minimumOut,\
         uint256 dex,uint256 dex2,uint256 dex3)",
    ),
    (0xa76d_fc3b, Swap("1inch"), "ethUnoswap(uint256 minimumOut,uint256 dex)"),
    (0x89af_926a, Swap("1inch"), "ethUnoswap2(uint256 minimumOut,uint256 dex,uint256 dex2)"),
    (0x188a_c35d, Swap("1inch"), "ethUnoswap3(uint256 minimumOut,uint256 dex,uint256 dex2,uint256 dex3)"),
    (0x175a_ccdc, Swap("1inch"), "ethUnoswapTo(uint256 recipientPacked,uint256 minimumOut,uint256 dex)"),
    // KyberSwap
    (
        0xe21f_d0e9,
        Swap("KyberSwap"),
        "swap((address callTarget,address approveTarget,bytes targetData,(address sell,\
         address buy,address[] srcReceivers,uint256[] srcAmounts,address[] feeReceivers,\
         uint256[] feeAmounts,address recipient,uint256 amount,uint256 minimumOut,uint256 flags,\
         bytes permit) desc,bytes clientData) execution)",
    ),
    (
        0x8af0_33fb,
        Swap("KyberSwap"),
        "swapSimpleMode(address caller,(address sell,address buy,address[] srcReceivers,\
         uint256[] srcAmounts,address[] feeReceivers,uint256[] feeAmounts,address recipient,\
         uint256 amount,uint256 minimumOut,uint256 flags,bytes permit) desc,bytes executorData,\
         bytes clientData)",
    ),
    // LI.FI: swaps on one chain, then bridges
    (
        0x4630_a0d8,
        Swap("LI.FI"),
        concat!(
            "swapTokensGeneric(bytes32 transactionId,string integrator,string referrer,\
             address recipient,uint256 minimumOut,",
            swap_data!(),
            "[] swaps)",
        ),
    ),
    (
        0x4666_fc80,
        Swap("LI.FI"),
        concat!(
            "swapTokensSingleV3ERC20ToERC20(bytes32 transactionId,string integrator,string referrer,\
             address recipient,uint256 minimumOut,",
            swap_data!(),
            " swaps)",
        ),
    ),
    (
        0x7332_14a3,
        Swap("LI.FI"),
        concat!(
            "swapTokensSingleV3ERC20ToNative(bytes32 transactionId,string integrator,string referrer,\
             address recipient,uint256 minimumOut,",
            swap_data!(),
            " swaps)",
        ),
    ),
    (
        0xaf70_60fd,
        Swap("LI.FI"),
        concat!(
            "swapTokensSingleV3NativeToERC20(bytes32 transactionId,string integrator,string referrer,\
             address recipient,uint256 minimumOut,",
            swap_data!(),
            " swaps)",
        ),
    ),
    (
        0x5fd9_ae2e,
        Swap("LI.FI"),
        concat!(
            "swapTokensMultipleV3ERC20ToERC20(bytes32 transactionId,string integrator,\
             string referrer,address recipient,uint256 minimumOut,",
            swap_data!(),
            "[] swaps)",
        ),
    ),
    (
        0x2c57_e884,
        Swap("LI.FI"),
        concat!(
            "swapTokensMultipleV3ERC20ToNative(bytes32 transactionId,string integrator,\
             string referrer,address recipient,uint256 minimumOut,",
            swap_data!(),
            "[] swaps)",
        ),
    ),
    (
        0x736e_ac0b,
        Swap("LI.FI"),
        concat!(
            "swapTokensMultipleV3NativeToERC20(bytes32 transactionId,string integrator,\
             string referrer,address recipient,uint256 minimumOut,",
            swap_data!(),
            "[] swaps)",
        ),
    ),
    (
        0xfc5f_1003,
        Swap("LI.FI"),
        concat!(
            "startBridgeTokensViaGasZip(",
            bridge_data!(),
            ",(bytes32 receiverAddress,uint256 destinationChains) gasZip)",
        ),
    ),
    (
        0x6063_26ff,
        Swap("LI.FI"),
        concat!(
            "swapAndStartBridgeTokensViaGasZip(",
            bridge_data_after_swaps!(),
            ",",
            swap_data!(),
            "[] swaps,(bytes32 receiverAddress,uint256 destinationChains) gasZip)",
        ),
    ),
    (
        0xae32_8590,
        Swap("LI.FI"),
        concat!(
            "startBridgeTokensViaRelay(",
            bridge_data!(),
            ",(bytes32 requestId,bytes32 nonEVMReceiver,bytes32 receivingAssetId,\
             bytes signature) relay)",
        ),
    ),
    (
        0x25d3_74e8,
        Swap("LI.FI"),
        concat!(
            "swapAndStartBridgeTokensViaRelay(",
            bridge_data_after_swaps!(),
            ",",
            swap_data!(),
            "[] swaps,(bytes32 requestId,bytes32 nonEVMReceiver,bytes32 receivingAssetId,\
             bytes signature) relay)",
        ),
    ),
    // THORChain and MayaChain
    (0x1fec_e7b4, Deposit, "deposit(address vault,address asset,uint256 amount,string memo)"),
    (
        0x44bc_937b,
        Deposit,
        "depositWithExpiry(address vault,address asset,uint256 amount,string memo,\
         uint256 expiration)",
    ),
];
