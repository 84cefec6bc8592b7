//! What goes over LayerZero: pools of Stargate, and tokens with a contract that sends them (OFT).

use super::bytes;
use crate::Chain::{
    self, Arbitrum, Avalanche, Base, Bsc, Ethereum, Hyperliquid, Mantle, Optimism, Polygon, Sei,
};
use crate::known::{KnownContract, Protocol};

/// What a bridge's contract takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BridgedAsset {
    /// The chain's coin.
    Native,
    /// The token of this contract.
    Token([u8; 20]),
}

/// What the Stargate pool or OFT at this address takes.
pub fn pool_token(chain: Chain, address: &[u8; 20]) -> Option<BridgedAsset> {
    find(chain, address).map(|(_, pool)| pool.asset)
}

pub(super) fn contract(chain: Chain, address: &[u8; 20]) -> Option<KnownContract> {
    find(chain, address).map(|(group, _)| KnownContract { name: group.name, protocol: group.protocol })
}

fn find(chain: Chain, address: &[u8; 20]) -> Option<(&'static PoolGroup, &'static Pool)> {
    let here = |pool: &&Pool| pool.chain == chain && pool.address == *address;
    POOLS.iter().find_map(|group| group.pools.iter().find(here).map(|pool| (group, pool)))
}

/// Pools with one name and one meaning.
pub(in crate::known) struct PoolGroup {
    pub(in crate::known) name: &'static str,
    pub(in crate::known) protocol: Protocol,
    pub(in crate::known) pools: &'static [Pool],
}

/// A contract that takes one asset.
pub(in crate::known) struct Pool {
    pub(in crate::known) chain: Chain,
    pub(in crate::known) address: [u8; 20],
    asset: BridgedAsset,
}

const fn coin(chain: Chain, address: &str) -> Pool {
    Pool { chain, address: bytes(address), asset: BridgedAsset::Native }
}

const fn token(chain: Chain, address: &str, token: &str) -> Pool {
    Pool { chain, address: bytes(address), asset: BridgedAsset::Token(bytes(token)) }
}

pub(in crate::known) const POOLS: &[PoolGroup] = &[
    // Stargate's documentation, mainnet contracts; its stargate-v2 repository, stg-definitions-v2/src/constant.ts for
    // what each moves.
    PoolGroup {
        name: "Stargate",
        protocol: Protocol::StargatePool,
        pools: &[
            coin(Ethereum, "0x77b2043768d28E9C9aB44E1aBfC95944bcE57931"),
            token(
                Ethereum,
                "0xc026395860Db2d07ee33e05fE50ed7bD583189C7",
                "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
            ),
            token(
                Ethereum,
                "0x933597a323Eb81cAe705C5bC29985172fd5A3973",
                "0xdAC17F958D2ee523a2206206994597C13D831ec7",
            ),
            token(
                Ethereum,
                "0x268Ca24DAefF1FaC2ed883c598200CcbB79E931D",
                "0xd5F7838F5C461fefF7FE49ea5ebaF7728bB0ADfa",
            ),
            token(
                Bsc,
                "0x962Bd449E630b0d928f308Ce63f1A21F02576057",
                "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
            ),
            token(
                Bsc,
                "0x138EB30f73BC423c6455C53df6D89CB01d9eBc63",
                "0x55d398326f99059fF775485246999027B3197955",
            ),
            token(
                Avalanche,
                "0x5634c4a5FEd09819E3c46D86A965Dd9447d86e47",
                "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
            ),
            token(
                Avalanche,
                "0x12dC9256Acc9895B076f6638D628382881e62CeE",
                "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7",
            ),
            token(
                Polygon,
                "0x9Aa02D4Fae7F58b8E8f34c66E756cC734DAc7fe4",
                "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
            ),
            token(
                Polygon,
                "0xd47b03ee6d86Cf251ee7860FB2ACf9f91B9fD4d7",
                "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
            ),
            coin(Arbitrum, "0xA45B5130f36CDcA45667738e2a258AB09f4A5f7F"),
            token(
                Arbitrum,
                "0xe8CDF27AcD73a434D661C84887215F7598e7d0d3",
                "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
            ),
            token(
                Arbitrum,
                "0xcE8CcA271Ebc0533920C83d39F417ED6A0abB7D0",
                "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
            ),
            coin(Optimism, "0xe8CDF27AcD73a434D661C84887215F7598e7d0d3"),
            token(
                Optimism,
                "0xcE8CcA271Ebc0533920C83d39F417ED6A0abB7D0",
                "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
            ),
            token(
                Optimism,
                "0x19cFCE47eD54a88614648DC3f19A5980097007dD",
                "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58",
            ),
            token(
                Mantle,
                "0x4c1d3Fc3fC3c177c3b633427c2F769276c547463",
                "0xdEAddEaDdeadDEadDEADDEAddEADDEAddead1111",
            ),
            token(
                Mantle,
                "0xAc290Ad4e0c891FDc295ca4F0a6214cf6dC6acDC",
                "0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9",
            ),
            token(
                Mantle,
                "0xB715B85682B731dB9D5063187C450095c91C57FC",
                "0x201EBa5CC46D216Ce6DC03F6a759e8E766e956aE",
            ),
            coin(Base, "0xdc181Bd607330aeeBEF6ea62e03e5e1Fb4B6F7C7"),
            token(
                Base,
                "0x27a16dc786820B16E5c9028b75B99F6f604b5d26",
                "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            ),
            token(
                Sei,
                "0x45d417612e177672958dC0537C45a8f8d754Ac2E",
                "0x3894085Ef7Ff0f0aeDf52E2A2704928d1Ec074F1",
            ),
            token(
                Sei,
                "0x0dB9afb4C33be43a0a0e396Fd1383B4ea97aB10a",
                "0xB75D0B03c06A926e488e2659DF1A861F860bD3d1",
            ),
        ],
    },
    // Stargate's documentation, mainnet contracts; its stargate-v2 repository, stg-definitions-v2/src/constant.ts for
    // what each moves.
    PoolGroup {
        name: "Stargate",
        protocol: Protocol::StargateOft,
        pools: &[token(
            Sei,
            "0x5c386D85b1B82FD9Db681b9176C8a4248bb6345B",
            "0x160345fC359604fC6e70E3c5fAcbdE5F7A9342d8",
        )],
    },
    // USDT0: its documentation, developer, as public code quotes it; what each takes from several registries that agree.
    PoolGroup {
        name: "USDT0",
        protocol: Protocol::LayerZeroOft,
        pools: &[
            token(
                Ethereum,
                "0x6C96dE32CEa08842dcc4058c14d3aaAD7Fa41dee",
                "0xdAC17F958D2ee523a2206206994597C13D831ec7",
            ),
            token(
                Arbitrum,
                "0x14E4A1B13bf7F943c8ff7C51fb60FA964A298D92",
                "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
            ),
            token(
                Polygon,
                "0x6BA10300f0DC58B7a1e4c0e41f5daBb7D7829e13",
                "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
            ),
            token(
                Optimism,
                "0xF03b4d9AC1D5d1E7c4cEf54C2A313b9fe051A0aD",
                "0x01bFF41798a0BcF287b996046Ca68b395DbC1071",
            ),
            token(
                Hyperliquid,
                "0x904861a24F30EC96ea7CFC3bE9EA4B476d237e98",
                "0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb",
            ),
        ],
    },
];
