//! Lending and staking.

use super::{Group, at, group};
use crate::Chain::{Arbitrum, Avalanche, Base, Bsc, Ethereum, Mantle, Optimism, Polygon, Zksync};
use crate::known::Protocol;

pub(super) const GROUPS: &[Group] = &[
    // The ERC-7730 registry, aave; Aave's address book (bgd-labs), src/ts.
    group(
        "Aave V3",
        Protocol::AaveV3Pool,
        &[
            at("0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2", &[Ethereum]),
            at("0x794a61358D6845594F94dc1DB02A252b5b4814aD", &[Arbitrum, Avalanche, Optimism, Polygon]),
            at("0xA238Dd80C259a72e81d7e4664a9801593F98d1c5", &[Base]),
            at("0x78e30497a3c7527d953c6B1E3541b021A98Ac43c", &[Zksync]),
            at("0x6807dc923806fE8Fd134338EABCA509979a7e0cB", &[Bsc]),
            at("0x458F293454fE0d67EC0655f3672301301DD51422", &[Mantle]),
        ],
    ),
    // The ERC-7730 registry, aave; Aave's address book (bgd-labs), src/ts.
    group(
        "Aave V3",
        Protocol::AaveWrappedGateway,
        &[
            at("0xd01607c3C5eCABa394D8be377a08590149325722", &[Ethereum]),
            at("0x5283BEcEd7ADF6D003225C13896E536f2D4264FF", &[Arbitrum]),
            at("0x2825cE5921538d17cc15Ae00a8B24fF759C6CDaE", &[Avalanche]),
            at("0xa0d9C1E9E48Ca30c8d8C3B5D69FF5dc1f6DFfC24", &[Base]),
            at("0x5f2508cAE9923b02316254026CD43d7902866725", &[Optimism]),
            at("0xBC302053db3aA514A3c86B9221082f162B91ad63", &[Polygon]),
            at("0xAE2b00D676130Bdf22582781BbBA8f4F21e8B0ff", &[Zksync]),
            at("0x9C6cCAC66b1c9AbA4855e2dD284b9e16e41E06eA", &[Mantle]),
            at("0x0c2C95b24529664fE55D4437D7A31175CFE6c4f7", &[Bsc]),
        ],
    ),
    // The ERC-7730 registry, lido.
    group("Lido", Protocol::LidoStEth, &[at("0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84", &[Ethereum])]),
    // The ERC-7730 registry, lido.
    group("Lido", Protocol::LidoWstEth, &[at("0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0", &[Ethereum])]),
    // The ERC-7730 registry, lido.
    group(
        "Lido",
        Protocol::LidoWithdrawalQueue,
        &[at("0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1", &[Ethereum])],
    ),
    // Public code and lists that agree.
    group(
        "Rocket Pool",
        Protocol::RocketPoolDeposit,
        &[at("0xDD3f50F8A6CafbE9b31a427582963f465E745AF8", &[Ethereum])],
    ),
    // Aave's address book (bgd-labs), src/ts/AaveV3Ethereum.ts.
    group(
        "Rocket Pool",
        Protocol::RocketPoolREth,
        &[at("0xae78736Cd615f374D3085123A210448E74Fc6393", &[Ethereum])],
    ),
];
