//! The table of known contracts against the registry of clear signing, where the suites are at hand.

mod common;

use countersign_chains::Chain;
use countersign_chains::known::{Protocol, evm};

/// Which file of the registry describes which protocol.
const DESCRIPTORS: [(&str, Protocol); 12] = [
    ("1inch/calldata-AggregationRouterV5.json", Protocol::OneInchV5),
    ("1inch/calldata-AggregationRouterV6.json", Protocol::OneInchV6),
    ("1inch/calldata-AggregationRouterV6-zksync.json", Protocol::OneInchV6),
    ("aave/calldata-lpv3.json", Protocol::AaveV3Pool),
    ("aave/calldata-WrappedTokenGatewayV3.json", Protocol::AaveWrappedGateway),
    ("kyberswap/calldata-MetaAggregationRouterV2.json", Protocol::KyberSwap),
    ("lido/calldata-stETH.json", Protocol::LidoStEth),
    ("lido/calldata-wstETH.json", Protocol::LidoWstEth),
    ("lido/calldata-WithdrawalQueueERC721.json", Protocol::LidoWithdrawalQueue),
    ("lifi/calldata-LIFIDiamond.json", Protocol::LiFiDiamond),
    ("paraswap/calldata-AugustusSwapper-v5.json", Protocol::ParaSwapV5),
    ("paraswap/calldata-AugustusSwapper-v6.2.json", Protocol::ParaSwapV6),
];

#[test]
fn the_table_has_what_the_registry_of_clear_signing_has() {
    let Some(index) = common::vectors("../suites/erc7730/index.calldata.json") else {
        return;
    };
    let mut agreed = 0;
    for (contract, path) in index.as_object().unwrap() {
        let path = path.as_str().and_then(|path| path.strip_prefix("registry/")).unwrap_or_default();
        let Some((_, protocol)) = DESCRIPTORS.iter().find(|(name, _)| *name == path) else { continue };
        let (id, address) = contract.strip_prefix("eip155:").unwrap().split_once(':').unwrap();
        let Some(chain) = Chain::from_evm_id(id.parse().unwrap()) else { continue };
        let bytes = countersign_chains::encoding::array_from_hex("address", address).unwrap();
        assert_eq!(evm(chain, &bytes).map(|known| known.protocol), Some(*protocol), "{address} on {chain}");
        agreed += 1;
    }
    assert!(agreed > 50, "only {agreed} contracts are in the registry");
}
