//! The table of chains: one row each, the only place where a fact about a chain is written.
//!
//! A row says first what is signed and derived, then, after `online`, what is found on the web: the id under which
//! prices are looked up, the node that is asked unless the user chose another, and the explorer.

use crate::chain::{Algorithm, Explorer, Facts, Native, Network, Polling, UtxoPrefixes};
use Algorithm::{Ecdsa, Eddsa, MlDsa44};

/// Makes the enum, its list and the lookup from the rows, so that no chain can be in one and missing in another.
macro_rules! chains {
    ($($variant:ident = $facts:expr;)+) => {
        /// A supported chain. [`Chain::name`] is its spelling on the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Chain {
            $(#[doc = concat!("See [`Chain::facts`] of `", stringify!($variant), "`.")] $variant,)+
        }

        impl Chain {
            /// Every chain of the registry.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The chain's row of the table.
            pub const fn facts(self) -> &'static Facts {
                match self { $(Self::$variant => const { &$facts }),+ }
            }
        }
    };
}

chains! {
    Ethereum = evm("Ethereum", "ETH", 1)
        .online("ethereum", "https://api.vultisig.com/eth/", plain("https://etherscan.io/"));
    Arbitrum = evm("Arbitrum", "ETH", 42_161)
        .online("ethereum", "https://api.vultisig.com/arb/", plain("https://arbiscan.io/"));
    Avalanche = evm("Avalanche", "AVAX", 43_114)
        .online("avalanche-2", "https://api.vultisig.com/avax/", plain("https://snowtrace.io/"));
    Base = evm("Base", "ETH", 8_453)
        .online("ethereum", "https://api.vultisig.com/base/", plain("https://basescan.org/"));
    Blast = evm("Blast", "ETH", 81_457)
        .online("ethereum", "https://api.vultisig.com/blast/", plain("https://blastscan.io/"));
    Bsc = evm("BSC", "BNB", 56).also(&["BinanceSmartChain", "SmartChain", "BscChain"])
        .online("binancecoin", "https://api.vultisig.com/bsc/", plain("https://bscscan.com/"));
    CronosChain = evm("CronosChain", "CRO", 25)
        .online("crypto-com-chain", "https://cronos-evm-rpc.publicnode.com", plain("https://cronoscan.com/"));
    Hyperliquid = evm("Hyperliquid", "HYPE", 999)
        .online("hyperliquid", "https://api.vultisig.com/hyperevm/", plain("https://hypurrscan.io/evm/"));
    Mantle = evm("Mantle", "MNT", 5_000)
        .online("mantle", "https://api.vultisig.com/mantle/", plain("https://mantlescan.xyz/"));
    Optimism = evm("Optimism", "ETH", 10)
        .online("ethereum", "https://api.vultisig.com/opt/", plain("https://optimistic.etherscan.io/"));
    Polygon = evm("Polygon", "POL", 137)
        .online("polygon-ecosystem-token", "https://api.vultisig.com/polygon/",
            plain("https://polygonscan.com/"));
    Robinhood = evm("Robinhood", "ETH", 4_663)
        .online("ethereum", "https://rpc.mainnet.chain.robinhood.com",
            plain("https://robinhoodchain.blockscout.com/"));
    Sei = evm("Sei", "SEI", 1_329)
        .online("sei-network", "https://evm-rpc.sei-apis.com", plain("https://seiscan.io/"));
    Zksync = evm("Zksync", "ETH", 324)
        .online("ethereum", "https://api.vultisig.com/zksync/", plain("https://explorer.zksync.io/"));

    Bitcoin = utxo("Bitcoin", "BTC", "m/84'/0'/0'/0/0", UtxoPrefixes { segwit: Some("bc"), ..base58(&[0], &[5]) })
        .online("bitcoin", "https://api.vultisig.com/blockchair/bitcoin", plain("https://mempool.space/"));
    Litecoin = utxo("Litecoin", "LTC", "m/84'/2'/0'/0/0", UtxoPrefixes {
        segwit: Some("ltc"),
        p2sh_legacy: Some(&[5]),
        ..base58(&[48], &[50])
    })
        .online("litecoin", "https://api.vultisig.com/blockchair/litecoin",
            long("https://blockchair.com/litecoin/"));
    Dogecoin = utxo("Dogecoin", "DOGE", "m/44'/3'/0'/0/0", base58(&[30], &[22]))
        .online("dogecoin", "https://api.vultisig.com/blockchair/dogecoin",
            long("https://blockchair.com/dogecoin/"));
    Dash = utxo("Dash", "DASH", "m/44'/5'/0'/0/0", base58(&[76], &[16]))
        .online("dash", "https://api.vultisig.com/blockchair/dash", long("https://blockchair.com/dash/"));
    BitcoinCash = utxo("Bitcoin-Cash", "BCH", "m/44'/145'/0'/0/0", UtxoPrefixes {
        cashaddr: Some("bitcoincash"),
        ..base58(&[0], &[5])
    }).also(&["BitcoinCash"])
        .online("bitcoin-cash", "https://api.vultisig.com/blockchair/bitcoin-cash",
            long("https://blockchair.com/bitcoin-cash/"));
    Zcash = utxo("Zcash", "ZEC", "m/44'/133'/0'/0/0", base58(&[0x1c, 0xb8], &[0x1c, 0xbd]))
        .online("zcash", "https://api.vultisig.com/blockchair/zcash", long("https://blockchair.com/zcash/"));

    ThorChain = cosmos("THORChain", native("RUNE", 8), "m/44'/931'/0'/0/0", "thorchain-1", "thor")
        .online("thorchain", "https://gateway.liquify.com/chain/thorchain_api",
            plain("https://thorchain.net/"));
    MayaChain = cosmos("MayaChain", native("CACAO", 10), "m/44'/931'/0'/0/0", "mayachain-mainnet-v1", "maya")
        .online("cacao", "https://mayanode.mayachain.info", plain("https://www.mayascan.org/"));
    Cosmos = cosmos("Cosmos", native("ATOM", 6), "m/44'/118'/0'/0/0", "cosmoshub-4", "cosmos")
        .also(&["GaiaChain", "Gaia"])
        .online("cosmos", "https://cosmos-rest.publicnode.com", plain("https://www.mintscan.io/cosmos/"));
    Osmosis = cosmos("Osmosis", native("OSMO", 6), "m/44'/118'/0'/0/0", "osmosis-1", "osmo")
        .online("osmosis", "https://osmosis-rest.publicnode.com", plain("https://www.mintscan.io/osmosis/"));
    Dydx = cosmos("Dydx", native("DYDX", 18), "m/44'/118'/0'/0/0", "dydx-mainnet-1", "dydx")
        .online("dydx-chain", "https://dydx-rest.publicnode.com", plain("https://www.mintscan.io/dydx/"));
    Kujira = cosmos("Kujira", native("KUJI", 6), "m/44'/118'/0'/0/0", "kaiyo-1", "kujira")
        .online("kujira", "https://kujira-api.polkachu.com", plain("https://finder.kujira.network/kaiyo-1/"));
    Terra = cosmos("Terra", native("LUNA", 6), "m/44'/330'/0'/0/0", "phoenix-1", "terra")
        .online("terra-luna-2", "https://terra-lcd.publicnode.com", plain("https://www.mintscan.io/terra/"));
    TerraClassic = cosmos("TerraClassic", native("LUNC", 6), "m/44'/330'/0'/0/0", "columbus-5", "terra")
        .online("terra-luna", "https://terra-classic-lcd.publicnode.com",
            plain("https://finder.terra.money/classic/"));
    Noble = cosmos("Noble", native("USDC", 6), "m/44'/118'/0'/0/0", "noble-1", "noble")
        .online("usd-coin", "https://noble-api.polkachu.com", plain("https://www.mintscan.io/noble/"));
    Akash = cosmos("Akash", native("AKT", 6), "m/44'/118'/0'/0/0", "akashnet-2", "akash")
        .online("akash-network", "https://akash-rest.publicnode.com",
            plain("https://www.mintscan.io/akash/"));

    Solana = other("Solana", native("SOL", 9), "m/44'/501'/0'", Eddsa, Network::Solana)
        .online("solana", "https://api.vultisig.com/solana/",
            explorer("https://solscan.io/", "tx/", "account/"));
    Sui = other("Sui", native("SUI", 9), "m/44'/784'/0'/0'/0'", Eddsa, Network::Sui)
        .online("sui", "https://graphql.mainnet.sui.io",
            explorer("https://suiscan.xyz/mainnet/", "tx/", "account/"));
    Polkadot = other("Polkadot", native("DOT", 10), "m/44'/354'/0'/0'/0'", Eddsa, Network::Polkadot { ss58: 0 })
        .indexed("https://assethub-polkadot.api.subscan.io")
        .online("polkadot", "https://api.vultisig.com/dot-ah/",
            explorer("https://assethub-polkadot.subscan.io/", "extrinsic/", "account/"));
    Bittensor = other("Bittensor", native("TAO", 9), "m/44'/354'/0'/0'/0'", Eddsa, Network::Bittensor { ss58: 42 })
        .indexed("https://api.vultisig.com")
        .online("bittensor", "https://bittensor-finney.api.onfinality.io/public",
            explorer("https://taostats.io/", "extrinsic/", "account/"));
    Ton = other("Ton", native("GRAM", 9), "m/44'/607'/0'", Eddsa, Network::Ton)
        .online("the-open-network", "https://api.vultisig.com/ton",
            explorer("https://tonviewer.com/", "transaction/", ""));
    Ripple = other("Ripple", native("XRP", 6), "m/44'/144'/0'/0/0", Ecdsa, Network::Ripple)
        .online("ripple", "https://xrplcluster.com", explorer("https://xrpscan.com/", "tx/", "account/"));
    Tron = other("Tron", native("TRX", 6), "m/44'/195'/0'/0/0", Ecdsa, Network::Tron)
        .online("tron", "https://tron-rpc.publicnode.com", long("https://tronscan.org/#/"));
    Cardano = other("Cardano", native("ADA", 6), "m/1852'/1815'/0'/0/0", Eddsa, Network::Cardano)
        .online("cardano", "https://api.vultisig.com", long("https://cardanoscan.io/"));
    Qbtc = Facts { path: None, ..other("QBTC", native("QBTC", 8), "", MlDsa44, Network::Qbtc { hrp: "qbtc" }) }
        .online("qbtc-testnet", "https://api.vultisig.com/qbtc-rpc",
            explorer("https://explorer.qbtc.net/qbtc/", "tx/", "account/"));
}

const fn native(ticker: &'static str, decimals: u8) -> Native {
    Native { ticker, decimals }
}

const fn evm(name: &'static str, ticker: &'static str, chain_id: u64) -> Facts {
    other(name, native(ticker, 18), "m/44'/60'/0'/0/0", Ecdsa, Network::Evm { chain_id })
}

const fn utxo(name: &'static str, ticker: &'static str, path: &'static str, prefixes: UtxoPrefixes) -> Facts {
    other(name, native(ticker, 8), path, Ecdsa, Network::Utxo(prefixes))
}

const fn cosmos(
    name: &'static str,
    native: Native,
    path: &'static str,
    chain_id: &'static str,
    hrp: &'static str,
) -> Facts {
    other(name, native, path, Ecdsa, Network::Cosmos { chain_id, hrp })
}

const fn other(
    name: &'static str,
    native: Native,
    path: &'static str,
    algorithm: Algorithm,
    network: Network,
) -> Facts {
    Facts {
        name,
        aliases: &[],
        native,
        path: Some(path),
        algorithm,
        network,
        price_id: "",
        endpoint: "",
        indexer: None,
        explorer: plain(""),
        polling: polling(&network),
    }
}

/// A UTXO chain that has base58check addresses only.
const fn base58(p2pkh: &'static [u8], p2sh: &'static [u8]) -> UtxoPrefixes {
    UtxoPrefixes { p2pkh, p2sh, p2sh_legacy: None, segwit: None, cashaddr: None }
}

impl Facts {
    /// Other names of the chain.
    const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Where status is asked for.
    const fn indexed(self, indexer: &'static str) -> Self {
        Self { indexer: Some(indexer), ..self }
    }

    /// What is found on the web.
    const fn online(self, price_id: &'static str, endpoint: &'static str, explorer: Explorer) -> Self {
        Self { price_id, endpoint, explorer, ..self }
    }
}

/// An explorer with `tx/` and `address/`, as most have them.
const fn plain(base: &'static str) -> Explorer {
    explorer(base, "tx/", "address/")
}

/// An explorer that writes `transaction/` in full.
const fn long(base: &'static str) -> Explorer {
    explorer(base, "transaction/", "address/")
}

const fn explorer(base: &'static str, transaction: &'static str, address: &'static str) -> Explorer {
    Explorer { base, transaction, address }
}

/// A few block times between two looks, and long enough for what usually happens. Where blocks are slow, a transaction
/// that is only known and not yet in a block is a timeout, not a failure.
const fn polling(network: &Network) -> Polling {
    let (interval, timeout) = match network {
        Network::Evm { .. } => (3, 180),
        Network::Utxo(_) => (15, 180),
        Network::Cosmos { hrp, .. } if matches!(hrp.as_bytes(), b"thor" | b"maya") => (6, 180),
        Network::Cosmos { .. } | Network::Qbtc { .. } => (8, 240),
        Network::Solana => (5, 180),
        Network::Sui => (2, 60),
        Network::Polkadot { .. } => (6, 120),
        Network::Bittensor { .. } => (12, 180),
        Network::Ton => (5, 120),
        Network::Ripple => (4, 120),
        Network::Tron => (3, 120),
        Network::Cardano => (20, 600),
    };
    Polling { interval_seconds: interval, timeout_seconds: timeout }
}
