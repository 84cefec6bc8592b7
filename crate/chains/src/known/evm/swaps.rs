//! Routers and spenders of exchanges.

use super::{Group, at, group};
use crate::Chain::{
    Arbitrum, Avalanche, Base, Blast, Bsc, CronosChain, Ethereum, Hyperliquid, Mantle, Optimism, Polygon,
    Robinhood, Sei, Zksync,
};
use crate::known::Protocol;

pub(super) const GROUPS: &[Group] = &[
    // Uniswap's documentation, v3 and v4 deployments; LI.FI's contracts repository, config/permit2Proxy.json. Robinhood
    // from public code that quotes Uniswap's deployments.
    group(
        "Permit2",
        Protocol::Permit2,
        &[
            at(
                "0x000000000022D473030F116dDEE9F6B43aC78BA3",
                &[
                    Ethereum,
                    Arbitrum,
                    Avalanche,
                    Base,
                    Blast,
                    Bsc,
                    CronosChain,
                    Mantle,
                    Optimism,
                    Polygon,
                    Robinhood,
                    Sei,
                ],
            ),
            at("0x0000000000225e31D15943971F47aD3022F714Fa", &[Zksync]),
        ],
    ),
    // Uniswap's sdk-core, addresses.ts.
    group(
        "Uniswap V2",
        Protocol::UniswapV2Router,
        &[
            at("0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D", &[Ethereum]),
            at("0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24", &[Arbitrum, Avalanche, Base, Bsc]),
            at("0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2", &[Optimism]),
            at("0xedf6066a2b290C185783862C7F4776A2C8077AD1", &[Polygon]),
            at("0xBB66Eb1c5e875933D44DAe661dbD80e5D9B03035", &[Blast]),
        ],
    ),
    // Uniswap's documentation, v3 deployments of each chain.
    group(
        "Uniswap V3",
        Protocol::UniswapV3Router,
        &[at("0xE592427A0AEce92De3Edee1F18E0157C05861564", &[Ethereum, Arbitrum, Optimism, Polygon])],
    ),
    // Uniswap's documentation, v3 deployments of each chain; sdk-core, addresses.ts. Robinhood from public code that
    // quotes Uniswap's deployments.
    group(
        "Uniswap",
        Protocol::UniswapV3Router02,
        &[
            at("0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45", &[Ethereum, Arbitrum, Optimism, Polygon]),
            at("0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2", &[Bsc]),
            at("0xbb00FF08d01D300023C629E8fFfFcb65A5a578cE", &[Avalanche]),
            at("0x2626664c2603336E57B271c5C0b26F421741e481", &[Base]),
            at("0x549FEB8c9bd4c12Ad2AB27022dA12492aC452B66", &[Blast]),
            at("0x99c56385daBCE3E81d8499d0b8d0257aBC07E8A3", &[Zksync]),
            at("0xCaf681a66D020601342297493863E78C959E5cb2", &[Robinhood]),
        ],
    ),
    // Uniswap's universal-router repository, deploy-addresses; universal-router-sdk, utils/constants.ts.
    group(
        "Uniswap",
        Protocol::UniversalRouterV1,
        &[
            at("0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD", &[Ethereum, Base]),
            at("0x5E325eDA8064b456f4781070C0738d849c824258", &[Arbitrum]),
            at("0x4Dae2f939ACf50408e13d58534Ff8c2776d45265", &[Avalanche, Bsc]),
            at("0x643770E279d5D0733F21d6DC03A8efbABf3255B4", &[Blast]),
            at("0xCb1355ff08Ab38bBCE60111F1bb2B784bE25D7e8", &[Optimism]),
            at("0xec7BE89e9d109e7e3Fec59c222CF297125FEFda2", &[Polygon]),
            at("0x28731BCC616B5f51dD52CF2e4dF0E78dD1136C06", &[Zksync]),
        ],
    ),
    // Uniswap's documentation, v3 and v4 deployments; universal-router repository, deploy-addresses.
    group(
        "Uniswap",
        Protocol::UniversalRouter,
        &[
            at("0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af", &[Ethereum]),
            at("0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3", &[Arbitrum]),
            at("0x94b75331AE8d42C1b61065089B7d48FE14aA73b7", &[Avalanche]),
            at("0x6fF5693b99212Da76ad316178A184AB56D299b43", &[Base]),
            at("0xeAbBcB3E8E415306207ef514f660A3F820025BE3", &[Blast]),
            at("0x1906c1d672b88cD1B9aC7593301cA990F94Eae07", &[Bsc]),
            at("0x851116D9223fabED8E56C0E6b8Ad0c31d98B3507", &[Optimism]),
            at("0x1095692A6237d83C6a72F3F5eFEdb9A670C49223", &[Polygon]),
        ],
    ),
    // Uniswap's universal-router repository, deploy-addresses.
    group(
        "Uniswap",
        Protocol::UniversalRouterV2_1,
        &[
            at("0xeD270A1Bcdc63cf1356D695e7f40961d4819d6bF", &[Hyperliquid]),
            at("0x8876789976dEcBfCbBbe364623C63652db8C0904", &[Robinhood]),
            at("0x204FAca1764B154221e35c0d20aBb3c525710498", &[Robinhood]),
        ],
    ),
    // The ERC-7730 registry, quickswap.
    group(
        "QuickSwap",
        Protocol::UniswapV2Router,
        &[at("0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff", &[Polygon])],
    ),
    // The ERC-7730 registry, 1inch.
    group(
        "1inch",
        Protocol::OneInchV5,
        &[at(
            "0x1111111254EEB25477B68fb85Ed929f73A960582",
            &[Ethereum, Arbitrum, Base, Bsc, Optimism, Polygon],
        )],
    ),
    // The ERC-7730 registry, 1inch.
    group(
        "1inch",
        Protocol::OneInchV6,
        &[
            at(
                "0x111111125421cA6dc452d289314280a0f8842A65",
                &[Ethereum, Arbitrum, Avalanche, Base, Bsc, Optimism, Polygon],
            ),
            at("0x6fd4383cB451173D5f9304F041C7BCBf27d561fF", &[Zksync]),
        ],
    ),
    // The ERC-7730 registry, paraswap.
    group(
        "ParaSwap",
        Protocol::ParaSwapV5,
        &[at("0xDEF171Fe48CF0115B1d80b88dc8eAB59176FEe57", &[Ethereum, Bsc, Polygon])],
    ),
    // The ERC-7730 registry, paraswap.
    group(
        "ParaSwap",
        Protocol::ParaSwapV6,
        &[at(
            "0x6A000F20005980200259B80c5102003040001068",
            &[Ethereum, Arbitrum, Avalanche, Base, Bsc, Optimism, Polygon],
        )],
    ),
    // The ERC-7730 registry, kyberswap.
    group(
        "KyberSwap",
        Protocol::KyberSwap,
        &[at(
            "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5",
            &[Ethereum, Arbitrum, Avalanche, Base, Bsc, Hyperliquid, Optimism, Polygon],
        )],
    ),
    // The cow-chains crate, contracts.rs, for the address; CoW's SDK, sdk-config, supported chains, for the chains.
    group(
        "CoW Swap",
        Protocol::CowSettlement,
        &[at(
            "0x9008D19f58AAbD9eD0D60971565AA8510560ab41",
            &[Ethereum, Arbitrum, Avalanche, Base, Bsc, Polygon],
        )],
    ),
    // As above.
    group(
        "CoW Swap",
        Protocol::CowVaultRelayer,
        &[at(
            "0xC92E8bdf79f0507f65a392b0ab4667716BFE0110",
            &[Ethereum, Arbitrum, Avalanche, Base, Bsc, Polygon],
        )],
    ),
    // CoW's documentation, periphery contracts.
    group(
        "CoW Swap",
        Protocol::CowEthFlow,
        &[at(
            "0xbA3cB449bD2B4ADddBc894D8697F5170800EAdeC",
            &[Ethereum, Arbitrum, Avalanche, Base, Bsc, Polygon],
        )],
    ),
    // 0x's documentation, cheat sheet, and public code that quotes it: one address for chains with the Cancun fork, one for
    // those with the Shanghai fork.
    group(
        "0x",
        Protocol::ZeroExAllowanceHolder,
        &[
            at(
                "0x0000000000001fF3684f28c67538d4D072C22734",
                &[Ethereum, Arbitrum, Avalanche, Base, Blast, Bsc, Optimism, Polygon],
            ),
            at("0x0000000000005E88410CcDFaDe4a5EfaE4b49562", &[Mantle]),
        ],
    ),
    // 0x's protocol repository, packages/contract-addresses/addresses.json, and its documentation, contract addresses, for
    // Ethereum and BSC; the others from public code that agrees.
    group(
        "0x",
        Protocol::ZeroExProxy,
        &[
            at("0xDef1C0ded9bec7F1a1670819833240f027b25EfF", &[Ethereum, Avalanche, Bsc, Polygon]),
            at("0xDEF1ABE32c034e558Cdd535791643C58a13aCC10", &[Optimism]),
        ],
    ),
    // Balancer's b-sdk, src/utils/constants.ts.
    group(
        "Balancer V2",
        Protocol::BalancerV2Vault,
        &[at(
            "0xBA12222222228d8Ba445958a75a0704d566BF2C8",
            &[Ethereum, Arbitrum, Avalanche, Base, Optimism, Polygon],
        )],
    ),
    // Balancer's b-sdk, src/utils/constantsV3.ts.
    group(
        "Balancer V3",
        Protocol::BalancerV3Router,
        &[
            at("0x5C6fb490BDFD3246EB0bB062c168DeCAF4bD9FDd", &[Ethereum]),
            at("0x0f08eEf2C785AA5e7539684aF04755dEC1347b7c", &[Arbitrum]),
            at("0x76578ecf9a141296Ec657847fb45B0585bCDa3a6", &[Base]),
            at("0x4bdCc2fb18AEb9e2d281b0278D946445070EAda7", &[Avalanche]),
        ],
    ),
    // Balancer's b-sdk, src/utils/constants.ts.
    group(
        "Balancer V3",
        Protocol::BalancerV3BatchRouter,
        &[at("0x136f1EFcC3f8f88516B9E94110D56FDBfB1778d1", &[Ethereum])],
    ),
    // Curve's curve-js, src/constants/aliases.ts; its router NG 1.1 and 1.2 on Ethereum from public code that agrees.
    group(
        "Curve",
        Protocol::CurveRouter,
        &[
            at(
                "0xF0d4c12A5768D806021F80a262B4d39d26C58b8D",
                &[Ethereum, Arbitrum, Avalanche, Optimism, Polygon],
            ),
            at("0x45312ea0eFf7E09C83CBE249fa1d7598c4C8cd4e", &[Ethereum]),
            at("0x16C6521Dff6baB339122a0FE25a9116693265353", &[Ethereum]),
        ],
    ),
    // PancakeSwap's documentation, smart contracts, as public code quotes it.
    group(
        "PancakeSwap V2",
        Protocol::UniswapV2Router,
        &[at("0x10ED43C718714eb63d5aA57B78B54704E256024E", &[Bsc])],
    ),
    // PancakeSwap's documentation, smart contracts, as public code quotes it.
    group(
        "PancakeSwap V3",
        Protocol::UniswapV3Router,
        &[at("0x1b81D678ffb9C0263b24A97847620C99d213eB14", &[Bsc])],
    ),
    // PancakeSwap's documentation, smart contracts, as public code quotes it.
    group(
        "PancakeSwap",
        Protocol::UniswapV3Router02,
        &[at("0x13f4EA83D0bd40E75C8222255bc855a974568Dd4", &[Bsc])],
    ),
];
