//! The table of chains: one row each, the only place where a fact about a chain is written.

use crate::chain::{Algorithm, Facts, Native, Network, UtxoPrefixes};
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
    Ethereum = evm("Ethereum", "ETH", 1);
    Arbitrum = evm("Arbitrum", "ETH", 42_161);
    Avalanche = evm("Avalanche", "AVAX", 43_114);
    Base = evm("Base", "ETH", 8_453);
    Blast = evm("Blast", "ETH", 81_457);
    Bsc = evm("BSC", "BNB", 56);
    CronosChain = evm("CronosChain", "CRO", 25);
    Hyperliquid = evm("Hyperliquid", "HYPE", 999);
    Mantle = evm("Mantle", "MNT", 5_000);
    Optimism = evm("Optimism", "ETH", 10);
    Polygon = evm("Polygon", "POL", 137);
    Robinhood = evm("Robinhood", "ETH", 4_663);
    Sei = evm("Sei", "SEI", 1_329);
    Zksync = evm("Zksync", "ETH", 324);

    Bitcoin = utxo("Bitcoin", "BTC", "m/84'/0'/0'/0/0", UtxoPrefixes { segwit: Some("bc"), ..base58(&[0], &[5]) });
    Litecoin = utxo("Litecoin", "LTC", "m/84'/2'/0'/0/0", UtxoPrefixes {
        segwit: Some("ltc"),
        p2sh_legacy: Some(&[5]),
        ..base58(&[48], &[50])
    });
    Dogecoin = utxo("Dogecoin", "DOGE", "m/44'/3'/0'/0/0", base58(&[30], &[22]));
    Dash = utxo("Dash", "DASH", "m/44'/5'/0'/0/0", base58(&[76], &[16]));
    BitcoinCash = utxo("Bitcoin-Cash", "BCH", "m/44'/145'/0'/0/0", UtxoPrefixes {
        cashaddr: Some("bitcoincash"),
        ..base58(&[0], &[5])
    });
    Zcash = utxo("Zcash", "ZEC", "m/44'/133'/0'/0/0", base58(&[0x1c, 0xb8], &[0x1c, 0xbd]));

    ThorChain = cosmos("THORChain", native("RUNE", 8), "m/44'/931'/0'/0/0", "thorchain-1", "thor");
    MayaChain = cosmos("MayaChain", native("CACAO", 10), "m/44'/931'/0'/0/0", "mayachain-mainnet-v1", "maya");
    Cosmos = cosmos("Cosmos", native("ATOM", 6), "m/44'/118'/0'/0/0", "cosmoshub-4", "cosmos");
    Osmosis = cosmos("Osmosis", native("OSMO", 6), "m/44'/118'/0'/0/0", "osmosis-1", "osmo");
    Dydx = cosmos("Dydx", native("DYDX", 18), "m/44'/118'/0'/0/0", "dydx-mainnet-1", "dydx");
    Kujira = cosmos("Kujira", native("KUJI", 6), "m/44'/118'/0'/0/0", "kaiyo-1", "kujira");
    Terra = cosmos("Terra", native("LUNA", 6), "m/44'/330'/0'/0/0", "phoenix-1", "terra");
    TerraClassic = cosmos("TerraClassic", native("LUNC", 6), "m/44'/330'/0'/0/0", "columbus-5", "terra");
    Noble = cosmos("Noble", native("USDC", 6), "m/44'/118'/0'/0/0", "noble-1", "noble");
    Akash = cosmos("Akash", native("AKT", 6), "m/44'/118'/0'/0/0", "akashnet-2", "akash");

    Solana = other("Solana", native("SOL", 9), "m/44'/501'/0'", Eddsa, Network::Solana);
    Sui = other("Sui", native("SUI", 9), "m/44'/784'/0'/0'/0'", Eddsa, Network::Sui);
    Polkadot = other("Polkadot", native("DOT", 10), "m/44'/354'/0'/0'/0'", Eddsa, Network::Polkadot { ss58: 0 });
    Bittensor = other("Bittensor", native("TAO", 9), "m/44'/354'/0'/0'/0'", Eddsa, Network::Bittensor { ss58: 42 });
    Ton = other("Ton", native("GRAM", 9), "m/44'/607'/0'", Eddsa, Network::Ton);
    Ripple = other("Ripple", native("XRP", 6), "m/44'/144'/0'/0/0", Ecdsa, Network::Ripple);
    Tron = other("Tron", native("TRX", 6), "m/44'/195'/0'/0/0", Ecdsa, Network::Tron);
    Cardano = other("Cardano", native("ADA", 6), "m/1852'/1815'/0'/0/0", Eddsa, Network::Cardano);
    Qbtc = Facts {
        name: "QBTC",
        native: native("QBTC", 8),
        path: None,
        algorithm: MlDsa44,
        network: Network::Qbtc { hrp: "qbtc" },
    };
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
    Facts { name, native, path: Some(path), algorithm, network }
}

/// A UTXO chain that has base58check addresses only.
const fn base58(p2pkh: &'static [u8], p2sh: &'static [u8]) -> UtxoPrefixes {
    UtxoPrefixes { p2pkh, p2sh, p2sh_legacy: None, segwit: None, cashaddr: None }
}
