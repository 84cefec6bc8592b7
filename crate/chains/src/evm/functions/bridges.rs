//! Bridges, and what hands assets to a vault of another chain.
//!
//! `buyThere` is what is paid out on the other chain. `destinationChainId` is a number of Ethereum's kind, `destinationEid` one of LayerZero's, `destinationDomain` one of
//! CCTP's. `nonEVMReceiver` is the recipient where LI.FI's own recipient says that it is on no EVM chain.

use super::Deposits::Marked;
use super::Group;
use super::Meaning::{Aggregate, Bridge, Deposit};
use crate::known::Protocol;

pub(super) const GROUPS: &[Group] = &[
    Group {
        protocols: &[Protocol::StargatePool, Protocol::StargateOft, Protocol::LayerZeroOft],
        rows: &[(
            0xc7c7_f5b3,
            Bridge,
            "send(@send sendParam,(uint256 nativeFee,uint256 lzTokenFee) fee,address refundAddress)",
        )],
    },
    Group {
        protocols: &[Protocol::StargatePool, Protocol::StargateOft],
        rows: &[(
            0xcbef_2aa9,
            Bridge,
            "sendToken(@send sendParam,(uint256 nativeFee,uint256 lzTokenFee) fee,address refundAddress)",
        )],
    },
    Group {
        protocols: &[Protocol::CctpTokenMessengerV1],
        rows: &[
            (
                0x6fd3_504e,
                Bridge,
                "depositForBurn(uint256 amount,uint32 destinationDomain,bytes32 recipient32,address sell)",
            ),
            (
                0xf856_ddb6,
                Bridge,
                "depositForBurnWithCaller(uint256 amount,uint32 destinationDomain,bytes32 recipient32,address sell,\
                 bytes32 destinationCaller)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::CctpTokenMessengerV2],
        rows: &[
            (
                0x8e02_50ee,
                Bridge,
                "depositForBurn(uint256 amount,uint32 destinationDomain,bytes32 recipient32,address sell,\
                 bytes32 destinationCaller,uint256 maxFee,uint32 minFinalityThreshold)",
            ),
            (
                0x779b_432d,
                Bridge,
                "depositForBurnWithHook(uint256 amount,uint32 destinationDomain,bytes32 recipient32,address sell,\
                 bytes32 destinationCaller,uint256 maxFee,uint32 minFinalityThreshold,bytes hookData)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::AcrossSpokePool],
        rows: &[
            (
                0x7b93_9232,
                Bridge,
                "depositV3(address refundAddress,address recipient,address sell,address buyThere,uint256 amount,\
                 uint256 minimumOut,uint256 destinationChainId,address exclusiveRelayer,uint32 quoteTimestamp,\
                 uint32 fillDeadline,uint32 exclusivityParameter,bytes message)",
            ),
            (
                0x7aef_642c,
                Bridge,
                "depositV3Now(address refundAddress,address recipient,address sell,address buyThere,uint256 amount,\
                 uint256 minimumOut,uint256 destinationChainId,address exclusiveRelayer,uint32 fillDeadlineOffset,\
                 uint32 exclusivityParameter,bytes message)",
            ),
            (
                0xad54_25c6,
                Bridge,
                "deposit(bytes32 refundAddress32,bytes32 recipient32,bytes32 sell32,bytes32 buyThere32,uint256 amount,\
                 uint256 minimumOut,uint256 destinationChainId,bytes32 exclusiveRelayer,uint32 quoteTimestamp,\
                 uint32 fillDeadline,uint32 exclusivityParameter,bytes message)",
            ),
            (
                0xea86_bd46,
                Bridge,
                "depositNow(bytes32 refundAddress32,bytes32 recipient32,bytes32 sell32,bytes32 buyThere32,uint256 amount,\
                 uint256 minimumOut,uint256 destinationChainId,bytes32 exclusiveRelayer,uint32 fillDeadlineOffset,\
                 uint32 exclusivityParameter,bytes message)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::LiFiDiamond],
        rows: &[
            (
                0xfc5f_1003,
                Bridge,
                "startBridgeTokensViaGasZip(@bridge bridgeData,(bytes32 receiverAddress,\
                 uint256 destinationChains) gasZip)",
            ),
            (
                0x6063_26ff,
                Aggregate(Marked),
                "swapAndStartBridgeTokensViaGasZip(@bridgeAfter bridgeData,@swap[] swaps,\
                 (bytes32 receiverAddress,uint256 destinationChains) gasZip)",
            ),
            (
                0xae32_8590,
                Bridge,
                "startBridgeTokensViaRelay(@bridge bridgeData,(bytes32 requestId,bytes32 nonEVMReceiver,\
                 bytes32 buyThere32,bytes signature) relay)",
            ),
            (
                0x25d3_74e8,
                Aggregate(Marked),
                "swapAndStartBridgeTokensViaRelay(@bridgeAfter bridgeData,@swap[] swaps,\
                 (bytes32 requestId,bytes32 nonEVMReceiver,bytes32 buyThere32,bytes signature) relay)",
            ),
            (
                0xa1f1_ce43,
                Bridge,
                "startBridgeTokensViaAcrossV4(@bridge bridgeData,(bytes32 nonEVMReceiver,bytes32 refundAddress32,\
                 bytes32 sent32,bytes32 buyThere32,uint256 minimumOut,uint128 outputAmountMultiplier,\
                 bytes32 exclusiveRelayer,uint32 quoteTimestamp,uint32 fillDeadline,uint32 exclusivityParameter,\
                 bytes message) across)",
            ),
            (
                0x1794_958f,
                Aggregate(Marked),
                "swapAndStartBridgeTokensViaAcrossV4(@bridgeAfter bridgeData,@swap[] swaps,\
                 (bytes32 nonEVMReceiver,bytes32 refundAddress32,bytes32 sent32,bytes32 buyThere32,uint256 outputAmount,\
                 uint128 outputAmountMultiplier,bytes32 exclusiveRelayer,uint32 quoteTimestamp,uint32 fillDeadline,\
                 uint32 exclusivityParameter,bytes message) across)",
            ),
            (
                0x14d5_3077,
                Bridge,
                "startBridgeTokensViaStargate(@bridge bridgeData,(uint16 assetId,@send sendParams,\
                 (uint256 nativeFee,uint256 lzTokenFee) fee,address refundAddress) stargate)",
            ),
            (
                0xa601_0a66,
                Aggregate(Marked),
                "swapAndStartBridgeTokensViaStargate(@bridgeAfter bridgeData,@swap[] swaps,(uint16 assetId,\
                 @send sendParams,(uint256 nativeFee,uint256 lzTokenFee) fee,address refundAddress) stargate)",
            ),
            (
                0xe0a4_201c,
                Bridge,
                "startBridgeTokensViaCelerCircleBridge(@bridge bridgeData,(uint256 feeLimit,\
                 uint32 minFinalityThreshold) celerCircle)",
            ),
            (
                0x4f3b_0759,
                Aggregate(Marked),
                "swapAndStartBridgeTokensViaCelerCircleBridge(@bridgeAfter bridgeData,@swap[] swaps,\
                 (uint256 feeLimit,uint32 minFinalityThreshold) celerCircle)",
            ),
        ],
    },
    Group {
        protocols: &[Protocol::ThorchainRouter, Protocol::MayachainRouter],
        rows: &[
            (0x1fec_e7b4, Deposit, "deposit(address vault,address asset,uint256 amount,string memo)"),
            (
                0x44bc_937b,
                Deposit,
                "depositWithExpiry(address vault,address asset,uint256 amount,string memo,uint256 expiration)",
            ),
        ],
    },
];
