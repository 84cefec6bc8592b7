//! Well-known tokens of the EVM chains.
//!
//! Where no source is named, it is the token list of vultisig/commondata, tokens/tokens.json.

use super::{KnownToken, token};

pub(super) const ETHEREUM: &[KnownToken] = &[
    token("USDC", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6),
    token("USDT", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6),
    token("DAI", "0x6B175474E89094C44Da98b954EedeAC495271d0F", 18),
    token("USDS", "0xdC035D45d973E3EC169d2276DDab16f1e407384F", 18),
    token("WETH", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", 18),
    token("WBTC", "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", 8),
    token("LINK", "0x514910771AF9Ca656af840dff83E8264EcF986CA", 18),
    token("UNI", "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984", 18),
    token("AAVE", "0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9", 18),
    token("COMP", "0xc00e94Cb662C3520282E6f5717214004A7f26888", 18),
    token("GRT", "0xc944E90C64B2c07662A292be6244BDf05Cda44a7", 18),
    token("MKR", "0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2", 18),
    token("PEPE", "0x6982508145454Ce325dDbE47a25d4ec3d2311933", 18),
    token("SNX", "0xC011a73ee8576Fb46F5E1c5751cA3B9Fe0af2a6F", 18),
    token("VULT", "0xb788144DF611029C60b859DF47e79B7726C4DEBa", 18),
    // Aave's address book (bgd-labs), src/ts/AaveV3Ethereum.ts; the ERC-7730 registry, lido; cbBTC from several
    // public registries that agree.
    token("cbETH", "0xBe9895146f7AF43049ca1c1AE358B0541Ea49704", 18),
    token("rETH", "0xae78736Cd615f374D3085123A210448E74Fc6393", 18),
    token("LUSD", "0x5f98805A4E8be255a32880FDeC7F6728C6568bA0", 18),
    token("CRV", "0xD533a949740bb3306d119CC777fa900bA034cd52", 18),
    token("LDO", "0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32", 18),
    token("ENS", "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72", 18),
    token("1INCH", "0x111111111117dC0aa78b770fA6A738034120C302", 18),
    token("FRAX", "0x853d955aCEf822Db058eb8505911ED77F175b99e", 18),
    token("GHO", "0x40D16FC0246aD3160Ccc09B8D0D3A2cD28aE6C2f", 18),
    token("RPL", "0xD33526068D116cE69F19A9ee46F0bd304F21A51f", 18),
    token("sDAI", "0x83F20F44975D03b1b09e64809B757c47f942BEeA", 18),
    token("STG", "0xAf5191B0De278C7286d6C7CC6ab6BB8A73bA2Cd6", 18),
    token("crvUSD", "0xf939E0A03FB07F59A73314E73794Be0E57ac1b4E", 18),
    token("PYUSD", "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8", 6),
    token("weETH", "0xCd5fE23C85820F7B72D0926FC9b05b43E359b7ee", 18),
    token("stETH", "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84", 18),
    token("wstETH", "0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0", 18),
    token("cbBTC", "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf", 8),
];

pub(super) const ARBITRUM: &[KnownToken] = &[
    token("USDC", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 6),
    token("USDT", "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", 6),
    token("USDC.e", "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8", 6),
    token("DAI", "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1", 18),
    token("USDS", "0x6491c05A82219b8D1479057361ff1654749b876b", 18),
    token("WBTC", "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f", 8),
    token("LINK", "0xf97f4df75117a78c1A5a0DBb814Af92458539FB4", 18),
    token("UNI", "0xFa7F8980b0f1E64A2062791cc3b0871572f1F7f0", 18),
    token("ARB", "0x912CE59144191C1204E64559FE8253a0e49E6548", 18),
    token("GRT", "0x9623063377AD1B27544C965cCd7342f7EA7e88C7", 18),
    token("LDO", "0x13Ad51ed4F1B7e9Dc168d8a00cB3f4dDD85EfA60", 18),
    token("PEPE", "0x25d887Ce7a35172C62FeBFD67a1856F20FaEbB00", 18),
    token("PYTH", "0xE4D5c6aE46ADFAF04313081e8C0052A30b6Dd724", 6),
    token("ezETH", "0x2416092f143378750bb29b79eD961ab195CcEea5", 18),
    // Aave's address book (bgd-labs), src/ts/AaveV3Arbitrum.ts.
    token("WETH", "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1", 18),
    token("AAVE", "0xba5DdD1f9d7F570dc94a51479a000E3BCE967196", 18),
    token("wstETH", "0x5979D7b546E38E414F7E9822514be443A4800529", 18),
    token("rETH", "0xEC70Dcb4A1EFa46b8F2D97C310C9c4790ba5ffA8", 18),
    token("FRAX", "0x17FC002b466eEc40DaE837Fc4bE5c67993ddBd6F", 18),
];

pub(super) const AVALANCHE: &[KnownToken] = &[
    token("USDC", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", 6),
    token("USDT", "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", 6),
    token("BTC.b", "0x152b9d0FdC40C096757F570A51E494bd4b943E50", 8),
    token("WAVAX", "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7", 18),
    token("sAVAX", "0x2b2C81e08f1Af8835a78Bb2A90AE924ACE0eA4bE", 18),
    token("JOE", "0x6e84a6216eA6dACC71eE8E6b0a5B7322EEbC0fDd", 18),
    // Aave's address book (bgd-labs), src/ts/AaveV3Avalanche.ts.
    token("LINK.e", "0x5947BB275c521040051D82396192181b413227A3", 18),
    token("WBTC.e", "0x50b7545627a5162F82A992c33b87aDc75187B218", 8),
    token("WETH.e", "0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB", 18),
    token("AAVE.e", "0x63a72806098Bd3D9520cC43356dD78afe5D386D9", 18),
];

pub(super) const BASE: &[KnownToken] = &[
    token("USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 6),
    token("DAI", "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb", 18),
    token("USDS", "0x820C137fa70C8691f0e44Dc420a5e53c168921Dc", 18),
    token("cbETH", "0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22", 18),
    token("AERO", "0x940181a94A35A4569E4529A3CDfB74e38FD98631", 18),
    token("SNX", "0x22e6966B799c4D5B13BE962E1D117b56327FDa66", 18),
    token("ezETH", "0x2416092f143378750bb29b79eD961ab195CcEea5", 18),
    token("rETH", "0xB6fe221Fe9EeF5aBa221c348bA20A1Bf5e73624c", 18),
    // Aave's address book (bgd-labs), src/ts/AaveV3Base.ts; cbBTC, EURC and USDT from several public registries
    // that agree.
    token("WETH", "0x4200000000000000000000000000000000000006", 18),
    token("USDbC", "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", 6),
    token("wstETH", "0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452", 18),
    token("cbBTC", "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf", 8),
    token("EURC", "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", 6),
    token("USDT", "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", 6),
];

pub(super) const BLAST: &[KnownToken] = &[
    token("USDB", "0x4300000000000000000000000000000000000003", 18),
    token("WETH", "0x4300000000000000000000000000000000000004", 18),
    token("WBTC", "0xF7bc58b8D8f97ADC129cfC4c9f45Ce3C0E1D2692", 8),
    token("BLAST", "0xb1a5700fA2358173Fe465e6eA4Ff52E36e88E2ad", 18),
];

pub(super) const BSC: &[KnownToken] = &[
    token("USDC", "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
    token("USDT", "0x55d398326f99059fF775485246999027B3197955", 18),
    token("DAI", "0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3", 18),
    token("AAVE", "0xfb6115445Bff7b52FeB98650C87f44907E58f802", 18),
    token("ETH", "0x2170Ed0880ac9A755fd29B2688956BD959F933F8", 18),
    token("COMP", "0x52CE071Bd9b1C4B00A0b92D298c512478CaD67e8", 18),
    token("PEPE", "0x25d887Ce7a35172C62FeBFD67a1856F20FaEbB00", 18),
    // Aave's address book (bgd-labs), src/ts/AaveV3BNB.ts.
    token("CAKE", "0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82", 18),
    token("WBNB", "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", 18),
    token("BTCB", "0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c", 18),
    token("FDUSD", "0xc5f0f7b66764F6ec8C8Dff7BA683102295E16409", 18),
    token("wstETH", "0x26c5e01524d2E6280A48F2c50fF6De7e52E9611C", 18),
];

pub(super) const CRONOS: &[KnownToken] = &[
    // LI.FI's contracts repository, config/networks.json, for WCRO; several public registries that agree.
    token("WCRO", "0x5C7F8A570d578ED84E63fdFA7b1eE72dEae1AE23", 18),
    token("USDC", "0xc21223249CA28397B4B6541dfFaEcC539BfF0c59", 6),
    token("USDT", "0x66e428c3f67a68878562e79A0234c1F83c208770", 6),
    token("DAI", "0xF2001B145b43032AAF5Ee2884e456CCd805F677D", 18),
];

pub(super) const HYPERLIQUID: &[KnownToken] = &[
    // Hyperliquid's documentation, wrapped HYPE; USDT0 and USDC from several public registries that agree.
    token("USDT0", "0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb", 6),
    token("WHYPE", "0x5555555555555555555555555555555555555555", 18),
    token("USDC", "0xb88339CB7199b77E23DB6E890353E22632Ba630f", 6),
];

pub(super) const MANTLE: &[KnownToken] = &[
    // Aave's address book (bgd-labs), src/ts/AaveV3Mantle.ts; Stargate's stargate-v2 repository for USDC and USDT.
    token("WETH", "0xdEAddEaDdeadDEadDEADDEAddEADDEAddead1111", 18),
    token("WMNT", "0x78c1b0C915c4FAA5FffA6CAbf0219DA63d7f4cb8", 18),
    token("USDT0", "0x779Ded0c9e1022225f8E0630b35a9b54bE713736", 6),
    token("USDC", "0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9", 6),
    token("USDT", "0x201EBa5CC46D216Ce6DC03F6a759e8E766e956aE", 6),
    token("USDe", "0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34", 18),
    token("sUSDe", "0x211Cc4DD073734dA055fbF44a2b4667d5E5fE5d2", 18),
    token("FBTC", "0xC96dE26018A54D51c097160568752c4E3BD6C364", 8),
    token("GHO", "0xfc421aD3C883Bf9E7C4f42dE845C4e4405799e73", 18),
];

pub(super) const OPTIMISM: &[KnownToken] = &[
    token("USDC", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 6),
    token("USDT", "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", 6),
    token("USDC.e", "0x7F5c764cBc14f9669B88837ca1490cCa17c31607", 6),
    token("DAI", "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1", 18),
    token("WBTC", "0x68f180fcCe6836688e9084f035309E29Bf0A2095", 8),
    token("LINK", "0x350a791Bfc2C21F9Ed5d10980Dad2e2638ffa7f6", 18),
    token("OP", "0x4200000000000000000000000000000000000042", 18),
    token("LDO", "0xFdb794692724153d1488CcdBE0C56c252596735F", 18),
    token("PYTH", "0x99C59ACeBFEF3BBFB7129DC90D1a11DB0E91187f", 6),
    token("ezETH", "0x2416092f143378750bb29b79eD961ab195CcEea5", 18),
    // Aave's address book (bgd-labs), src/ts/AaveV3Optimism.ts; USDT0 from several public registries that agree.
    token("USDT0", "0x01bFF41798a0BcF287b996046Ca68b395DbC1071", 6),
    token("WETH", "0x4200000000000000000000000000000000000006", 18),
    token("AAVE", "0x76FB31fb4af56892A25e32cFC43De717950c9278", 18),
    token("sUSD", "0x8c6f28f2F1A3C87F0f938b96d27520d9751ec8d9", 18),
    token("wstETH", "0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb", 18),
    token("rETH", "0x9Bcef72be871e61ED4fBbc7630889beE758eb81D", 18),
];

pub(super) const POLYGON: &[KnownToken] = &[
    token("USDC", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 6),
    token("USDT", "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", 6),
    token("USDC.e", "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", 6),
    token("WETH", "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619", 18),
    token("WBTC", "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6", 8),
    token("LINK", "0xb0897686c545045aFc77CF20eC7A532E3120E0F1", 18),
    // Uniswap's documentation, v3 deployments, for WPOL; Stargate's documentation, supported assets, for DAI.
    token("DAI", "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063", 18),
    token("WPOL", "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270", 18),
];

pub(super) const ROBINHOOD: &[KnownToken] = &[
    // Robinhood's documentation, chain, token contracts.
    token("WETH", "0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73", 18),
];

pub(super) const SEI: &[KnownToken] = &[
    // Circle's cctp-go repository, chains.go; Stargate's stargate-v2 repository and documentation; LI.FI's
    // config/networks.json for WSEI.
    token("USDC", "0x3894085Ef7Ff0f0aeDf52E2A2704928d1Ec074F1", 6),
    token("WSEI", "0xE30feDd158A2e3b13e9badaeABaFc5516e95e8C7", 18),
    token("USDT", "0xB75D0B03c06A926e488e2659DF1A861F860bD3d1", 6),
    token("WETH", "0x160345fC359604fC6e70E3c5fAcbdE5F7A9342d8", 18),
];

pub(super) const ZKSYNC: &[KnownToken] = &[
    // Aave's address book (bgd-labs), src/ts/AaveV3ZkSync.ts.
    token("USDC", "0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4", 6),
    token("USDT", "0x493257fD37EDB34451f62EDf8D2a0C418852bA4C", 6),
    token("WETH", "0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91", 18),
    token("wstETH", "0x703b52F2b28fEbcB60E1372858AF5b18849FE867", 18),
    token("ZK", "0x5A7d6b2F92C77FAD6CCaBd7EE0624E64907Eaf3E", 18),
];
