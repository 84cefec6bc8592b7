//! Lending and staking.

use super::Meaning::{Call, Convert, Note, Supply, Withdraw};
use super::{Address, Conversion, Converted, Group};
use crate::known::Protocol;

/// Lido's stETH, on Ethereum alone: <https://docs.lido.fi/deployed-contracts>.
const ST_ETH: Address = [
    0xae, 0x7a, 0xb9, 0x65, 0x20, 0xde, 0x3a, 0x18, 0xe5, 0xe1, 0x11, 0xb5, 0xea, 0xab, 0x09, 0x53, 0x12,
    0xd7, 0xfe, 0x84,
];
/// Lido's wstETH, on Ethereum, from the same page.
const WST_ETH: Address = [
    0x7f, 0x39, 0xc5, 0x81, 0xf5, 0x95, 0xb5, 0x3c, 0x5c, 0xb1, 0x9b, 0xd0, 0xb3, 0xf8, 0xda, 0x6c, 0x93,
    0x5e, 0x2c, 0xa0,
];
/// Rocket Pool's rETH, on Ethereum: <https://docs.rocketpool.net>.
const R_ETH: Address = [
    0xae, 0x78, 0x73, 0x6c, 0xd6, 0x15, 0xf3, 0x74, 0xd3, 0x08, 0x51, 0x23, 0xa2, 0x10, 0x44, 0x8e, 0x74,
    0xfc, 0x63, 0x93,
];

const fn at_a_rate(sell: Converted, buy: Converted) -> Conversion {
    Conversion { sell, buy, short_by: None }
}

/// Shares are rounded down, by one unit or two.
const STAKE: Conversion = Conversion { sell: Converted::Native, buy: Converted::Contract, short_by: Some(2) };
const WRAP: Conversion = at_a_rate(Converted::Token(ST_ETH), Converted::Contract);
const UNWRAP: Conversion = at_a_rate(Converted::Contract, Converted::Token(ST_ETH));
const ROCKET: Conversion = at_a_rate(Converted::Native, Converted::Token(R_ETH));
const BURN: Conversion = at_a_rate(Converted::Contract, Converted::Native);

pub(super) const GROUPS: &[Group] = &[
    Group {
        protocols: &[Protocol::AaveV3Pool],
        rows: &[
            (
                0x617b_a037,
                Supply(None),
                "supply(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)",
            ),
            (
                0xe8ed_a9df,
                Supply(None),
                "deposit(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)",
            ),
            (
                0x573a_de81,
                Supply(None),
                "repay(address asset,uint256 amount,uint256 interestRateMode,address onBehalfOf)",
            ),
            (0x6932_8dec, Withdraw, "withdraw(address asset,uint256 amount,address to)"),
            // A debt may cost the collateral.
            (
                0xa415_bcad,
                Call,
                "borrow(address asset,uint256 amount,uint256 interestRateMode,uint16 referralCode,\
                 address onBehalfOf)",
            ),
            (0x5a3b_74b9, Call, "setUserUseReserveAsCollateral(address asset,bool useAsCollateral)"),
        ],
    },
    Group {
        protocols: &[Protocol::AaveWrappedGateway],
        rows: &[
            (0x474c_f53d, Supply(None), "depositETH(address pool,address onBehalfOf,uint16 referralCode)"),
            (0xbcc3_c255, Supply(None), "repayETH(address pool,uint256 repaid,address onBehalfOf)"),
            (0x8050_0d20, Withdraw, "withdrawETH(address pool,uint256 amount,address to)"),
            (0xe74f_7b85, Call, "borrowETH(address pool,uint256 amount,uint16 referralCode)"),
        ],
    },
    Group {
        protocols: &[Protocol::LidoStEth],
        rows: &[(0xa190_3eab, Convert(STAKE), "submit(address referral)")],
    },
    Group {
        protocols: &[Protocol::LidoWstEth],
        rows: &[
            (0xea59_8cb0, Convert(WRAP), "wrap(uint256 amount)"),
            (0xde0e_9a3e, Convert(UNWRAP), "unwrap(uint256 amount)"),
        ],
    },
    Group {
        protocols: &[Protocol::LidoWithdrawalQueue],
        rows: &[
            (
                0xd668_1042,
                Supply(Some(ST_ETH)),
                "requestWithdrawals(uint256[] amounts,address ownerOrSender)",
            ),
            (
                0x19aa_6257,
                Supply(Some(WST_ETH)),
                "requestWithdrawalsWstETH(uint256[] amounts,address ownerOrSender)",
            ),
            (0xf844_4436, Note, "claimWithdrawal(uint256 requestId)"),
            (0xe3af_e0a3, Note, "claimWithdrawals(uint256[] requestIds,uint256[] hints)"),
            (0x5e7e_ead9, Call, "claimWithdrawalsTo(uint256[] requestIds,uint256[] hints,address recipient)"),
        ],
    },
    Group { protocols: &[Protocol::RocketPoolDeposit], rows: &[(0xd0e3_0db0, Convert(ROCKET), "deposit()")] },
    Group {
        protocols: &[Protocol::RocketPoolREth],
        rows: &[(0x4296_6c68, Convert(BURN), "burn(uint256 amount)")],
    },
];
