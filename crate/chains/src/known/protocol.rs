//! What a known contract is.

/// Makes the enum and its list, so that none can be in one and missing in the other.
macro_rules! protocols {
    ($($(#[$doc:meta])+ $variant:ident,)+) => {
        /// What a known contract is: decides which functions are read there and what they mean.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Protocol {
            $($(#[$doc])+ $variant,)+
        }

        impl Protocol {
            /// Every protocol.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
        }
    };
}

protocols! {
    /// The chain's coin as a token: `deposit`, `withdraw`, and the functions of ERC-20.
    WrappedCoin,
    /// Uniswap's Permit2: allowances by signature, with an end.
    Permit2,
    /// `swapExactTokensForTokens` and its kin with a deadline. Uniswap V2 and its copies.
    UniswapV2Router,
    /// The first router of Uniswap V3: structs with a deadline.
    UniswapV3Router,
    /// The second router of Uniswap V3: structs without a deadline, and the functions of V2 without one.
    UniswapV3Router02,
    /// Uniswap's Universal Router before version 2: `execute(commands, inputs, deadline)`. Commands from 0x10 on buy
    /// collectibles.
    UniversalRouterV1,
    /// The Universal Router 2.0: command 0x10 swaps over Uniswap V4.
    UniversalRouter,
    /// The Universal Router 2.1 and later: swaps carry a least price for each hop, so their structs have more fields.
    UniversalRouterV2_1,
    /// 1inch AggregationRouterV5.
    OneInchV5,
    /// 1inch AggregationRouterV6.
    OneInchV6,
    /// ParaSwap Augustus V5.
    ParaSwapV5,
    /// ParaSwap Augustus V6.
    ParaSwapV6,
    /// 0x Exchange Proxy: `transformERC20` and its kin.
    ZeroExProxy,
    /// 0x AllowanceHolder: holds an allowance for one call of a Settler.
    ZeroExAllowanceHolder,
    /// CoW Protocol: where orders are settled, `setPreSignature`.
    CowSettlement,
    /// CoW Protocol: the spender of what is sold.
    CowVaultRelayer,
    /// CoW Protocol: orders that sell the chain's coin, `createOrder`.
    CowEthFlow,
    /// Curve's router: `exchange`.
    CurveRouter,
    /// Balancer V2: `swap`, `batchSwap`, `joinPool`, `exitPool`.
    BalancerV2Vault,
    /// Balancer V3: swaps over one pool.
    BalancerV3Router,
    /// Balancer V3: swaps over several pools.
    BalancerV3BatchRouter,
    /// KyberSwap MetaAggregationRouterV2.
    KyberSwap,
    /// LI.FI's diamond.
    LiFiDiamond,
    /// Across: `deposit`, `depositV3`.
    AcrossSpokePool,
    /// Stargate V2, a pool of a token or coin: `sendToken`, and `send` of LayerZero's OFT. See [`pool_token`](super::pool_token).
    StargatePool,
    /// Stargate V2, a token that is minted and burnt on this chain; the functions of a pool. See [`pool_token`](super::pool_token).
    StargateOft,
    /// A token's LayerZero contract: `send` of LayerZero's OFT. See [`pool_token`](super::pool_token).
    LayerZeroOft,
    /// Circle's CCTP V1: `depositForBurn(amount, destinationDomain, mintRecipient, burnToken)`.
    CctpTokenMessengerV1,
    /// Circle's CCTP V2: `depositForBurn` with a fee and a finality.
    CctpTokenMessengerV2,
    /// Aave V3: `supply`, `withdraw`, `borrow`, `repay`.
    AaveV3Pool,
    /// Aave V3 with the chain's coin: `depositETH`, `withdrawETH`.
    AaveWrappedGateway,
    /// Lido's stETH: `submit`.
    LidoStEth,
    /// Lido's wstETH: `wrap`, `unwrap`.
    LidoWstEth,
    /// Lido's withdrawals: `requestWithdrawals`, `claimWithdrawal`.
    LidoWithdrawalQueue,
    /// Rocket Pool's deposits: `deposit`.
    RocketPoolDeposit,
    /// Rocket Pool's rETH: `burn`.
    RocketPoolREth,
    /// THORChain's router: `depositWithExpiry` with a memo.
    ThorchainRouter,
    /// Maya's router: `depositWithExpiry` with a memo.
    MayachainRouter,
    /// Solana: coins of the chain, accounts, nonces.
    SolanaSystem,
    /// Solana: limit and price of computing.
    SolanaComputeBudget,
    /// Solana: staking.
    SolanaStake,
    /// Solana: checks a signature that the transaction carries, and does nothing else.
    SolanaSignatureCheck,
    /// Solana: the Token program.
    SplToken,
    /// Solana: the Token program with extensions.
    SplToken2022,
    /// Solana: makes the account in which a wallet keeps a token.
    SplAssociatedToken,
    /// Solana: a text.
    SplMemo,
    /// Jupiter's router, version 6.
    Jupiter,
    /// Raydium's pools, version 4.
    RaydiumAmm,
    /// Raydium's pools with ranges.
    RaydiumClmm,
    /// Raydium's pools without an order book.
    RaydiumCpmm,
    /// Raydium's router.
    RaydiumRouter,
    /// Orca's pools.
    OrcaWhirlpool,
    /// Meteora's pools.
    Meteora,
    /// Pump.fun's pools.
    PumpSwap,
    /// Pump.fun's bonding curves.
    PumpFun,
    /// Skip's contract for a swap and what follows it.
    SkipEntryPoint,
    /// Osmosis's contract that swaps what arrives over IBC and sends it on.
    OsmosisCrosschainSwaps,
    /// Sui's own packages `0x1` and `0x2`.
    SuiFramework,
    /// Sui's own package `0x3`: staking.
    SuiSystem,
}
