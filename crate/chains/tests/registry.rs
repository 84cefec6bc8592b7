//! The registry of chains: names, aliases, kinds and the facts that code relies on.

mod common;

use countersign_chains::{Algorithm, Chain, Kind, Native, UnknownChain};

/// Every canonical name with its kind, written out by hand and not taken from the table.
const NAMES: &[(Kind, &[&str])] = &[
    (Kind::Evm, &["Ethereum", "Arbitrum", "Avalanche", "Base", "Blast", "BSC", "CronosChain"]),
    (Kind::Evm, &["Hyperliquid", "Mantle", "Optimism", "Polygon", "Robinhood", "Sei", "Zksync"]),
    (Kind::Utxo, &["Bitcoin", "Litecoin", "Dogecoin", "Dash", "Bitcoin-Cash", "Zcash"]),
    (Kind::Cosmos, &["THORChain", "MayaChain", "Cosmos", "Osmosis", "Dydx"]),
    (Kind::Cosmos, &["Kujira", "Terra", "TerraClassic", "Noble", "Akash"]),
    (Kind::Solana, &["Solana"]),
    (Kind::Sui, &["Sui"]),
    (Kind::Polkadot, &["Polkadot"]),
    (Kind::Bittensor, &["Bittensor"]),
    (Kind::Ton, &["Ton"]),
    (Kind::Ripple, &["Ripple"]),
    (Kind::Tron, &["Tron"]),
    (Kind::Cardano, &["Cardano"]),
    (Kind::Qbtc, &["QBTC"]),
];

/// T000-110: every chain is there, is written in its canonical spelling and is read in any case.
#[test]
fn names_are_read_in_any_case_and_written_in_one() {
    let names = NAMES.iter().flat_map(|(_, names)| *names);
    assert_eq!((names.clone().count(), Chain::ALL.len()), (39, 39));
    for &name in names {
        for spelling in [name.to_owned(), name.to_lowercase(), name.to_uppercase()] {
            let chain = Chain::parse(&spelling).unwrap_or_else(|| panic!("{spelling} is not read"));
            assert_eq!((chain.name(), chain.to_string().as_str()), (name, name));
        }
    }
}

/// T000-110: blanks around a name are ignored, blanks inside it are not.
#[test]
fn only_outer_blanks_are_trimmed() {
    assert_eq!(Chain::parse(" ethereum\t\n"), Some(Chain::Ethereum));
    for text in [
        "",
        " ",
        "Terra Classic",
        "THOR Chain",
        "Bitcoin Cash",
        "Bitcoin - Cash",
        "Ethereum2",
        "ETH",
        "ether",
    ] {
        assert_eq!(Chain::parse(text), None, "{text:?}");
        assert_eq!(text.parse::<Chain>(), Err(UnknownChain), "{text:?}");
    }
}

/// T000-110: names of the same chains elsewhere are read, and come out in the canonical spelling.
#[test]
fn aliases_are_read_and_never_written() {
    let aliases = [
        ("GaiaChain", "Cosmos"),
        ("gaia", "Cosmos"),
        ("BinanceSmartChain", "BSC"),
        ("smartchain", "BSC"),
        ("BscChain", "BSC"),
        ("BitcoinCash", "Bitcoin-Cash"),
        ("bitcoincash", "Bitcoin-Cash"),
    ];
    for (alias, name) in aliases {
        assert_eq!(Chain::parse(alias).map(Chain::name), Some(name), "{alias}");
    }
}

/// T000-80: the kind is right for every chain, and every kind has its word.
#[test]
fn every_chain_has_its_kind() {
    for (kind, names) in NAMES {
        for name in *names {
            assert_eq!(Chain::parse(name).map(Chain::kind), Some(*kind), "{name}");
        }
    }
    let words = "evm utxo cosmos sui solana polkadot bittensor ton ripple tron cardano qbtc";
    assert_eq!(Kind::ALL.map(|kind| kind.to_string()).join(" "), words);
}

#[test]
fn evm_ids_lead_to_their_chain_and_back() {
    let ids = [1, 42161, 43114, 8453, 81457, 56, 25, 999, 5000, 10, 137, 4663, 1329, 324];
    let names = NAMES.iter().filter(|(kind, _)| *kind == Kind::Evm).flat_map(|(_, names)| *names);
    for (id, &name) in ids.into_iter().zip(names) {
        let chain = Chain::from_evm_id(id).unwrap();
        assert_eq!((chain.name(), chain.evm_id()), (name, Some(id)));
    }
    assert_eq!(Chain::ALL.iter().filter_map(|chain| chain.evm_id()).count(), ids.len());
    assert_eq!((Chain::from_evm_id(0), Chain::from_evm_id(u64::MAX)), (None, None));
}

#[test]
fn ids_and_prefixes_exist_where_the_kind_has_them() {
    for &chain in Chain::ALL {
        assert_eq!(chain.evm_id().is_some(), chain.kind() == Kind::Evm, "{chain}");
        assert_eq!(chain.cosmos_id().is_some(), chain.kind() == Kind::Cosmos, "{chain}");
        assert_eq!(chain.derivation_path().is_none(), chain.algorithm() == Algorithm::MlDsa44, "{chain}");
    }
    assert_eq!(Chain::Terra.cosmos_id(), Some("phoenix-1"));
    assert_eq!(Chain::MayaChain.bech32_hrp(), Some("maya"));
    assert_eq!(Chain::Litecoin.bech32_hrp(), Some("ltc"));
    assert_eq!(Chain::Dogecoin.bech32_hrp(), None);
    assert_eq!(Chain::MayaChain.native(), Native { ticker: "CACAO", decimals: 10 });
    assert_eq!(Chain::Qbtc.algorithm(), Algorithm::MlDsa44);
}

#[test]
fn paths_and_algorithms_agree_with_the_vectors() {
    let Some(vaults) = common::vectors("derived-addresses.json") else {
        return;
    };
    for entry in vaults.as_array().unwrap().iter().flat_map(|vault| vault["chains"].as_array().unwrap()) {
        let chain = Chain::parse(entry["chain"].as_str().unwrap()).unwrap();
        let eddsa = entry["scheme"].as_str().unwrap().contains("eddsa");
        let expected = if eddsa { Algorithm::Eddsa } else { Algorithm::Ecdsa };
        assert_eq!(chain.derivation_path(), entry["derive_path"].as_str(), "{chain}");
        assert_eq!(chain.algorithm(), expected, "{chain}");
    }
}
