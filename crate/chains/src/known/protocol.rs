//! What a known contract is.

/// What a known contract is: decides which functions are read there and what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
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
    /// `execute(commands, inputs, deadline)`.
    UniversalRouter,
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
    /// Stargate V2, a pool of a token or coin: `sendToken`, and `send` of LayerZero's OFT. See `pool_token`.
    StargatePool,
    /// Stargate V2, a token that is minted and burnt on this chain; the functions of a pool. See `pool_token`.
    StargateOft,
    /// A token's LayerZero contract: `send` of LayerZero's OFT. See `pool_token`.
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
}
