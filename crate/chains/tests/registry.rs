//! The registry of chains: names, aliases, kinds and the facts that code relies on.

mod common;

use countersign_chains::rpc;
use countersign_chains::transaction::Signed;
use countersign_chains::{Algorithm, Chain, Kind, Native, Polling, UnknownChainError};

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
        assert_eq!(text.parse::<Chain>(), Err(UnknownChainError), "{text:?}");
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

/// Every chain has what the popup and the poller need of it, and nothing is left over from the row's beginning.
#[test]
fn every_chain_is_complete() {
    for &chain in Chain::ALL {
        let facts = chain.facts();
        let url = |text: &str| text.starts_with("https://") && !text.contains(' ');
        assert!(!facts.price_id.is_empty() && facts.price_id == facts.price_id.to_lowercase(), "{chain}");
        assert!(url(facts.endpoint), "{chain}: {}", facts.endpoint);
        assert!(url(facts.explorer.base) && facts.explorer.base.ends_with('/'), "{chain}");
        let (transaction, address) = (chain.transaction_url("abc"), chain.address_url("abc"));
        assert!(
            transaction.ends_with("/abc") && address.ends_with("/abc"),
            "{chain}: {transaction} {address}"
        );
        assert_ne!(transaction, address, "{chain}");
        let Polling { interval_seconds, timeout_seconds } = facts.polling;
        assert!(interval_seconds >= 1 && timeout_seconds >= 10 * interval_seconds, "{chain}");
        assert!(facts.native.ticker == facts.native.ticker.to_uppercase() && facts.native.decimals <= 18);
    }
}

/// The addresses of nodes and indexers join with the paths of requests: one slash between them, none left over.
#[test]
fn endpoints_fit_the_requests() {
    let signed = Signed { bytes: vec![1], detached: None, id: "00".repeat(32) };
    for &chain in Chain::ALL {
        let broadcast = rpc::broadcast(chain, &signed);
        let status = rpc::status(chain, &signed.id);
        let sent = status.iter().map(|request| (chain.status_endpoint(), request));
        for (endpoint, request) in sent.chain([(chain.facts().endpoint, &broadcast)]) {
            let fits = request.path.is_empty() || (request.path.starts_with('/') && !endpoint.ends_with('/'));
            assert!(fits, "{chain}: {endpoint} {}", request.path);
        }
    }
    assert_eq!(Chain::Polkadot.status_endpoint(), "https://assethub-polkadot.api.subscan.io");
    assert_eq!(Chain::Ethereum.status_endpoint(), Chain::Ethereum.facts().endpoint);
}

#[test]
fn links_receipts_and_prices_of_some_chains() {
    let id = "0x1";
    assert_eq!(Chain::Ethereum.transaction_url(id), "https://etherscan.io/tx/0x1");
    assert_eq!(Chain::Bitcoin.address_url("bc1q"), "https://mempool.space/address/bc1q");
    assert_eq!(Chain::Tron.transaction_url("ab"), "https://tronscan.org/#/transaction/ab");
    assert_eq!(Chain::Ton.address_url("UQ"), "https://tonviewer.com/UQ");
    assert_eq!(Chain::Bsc.facts().price_id, "binancecoin");
    let wait = |chain: Chain| {
        let Polling { interval_seconds, timeout_seconds } = chain.facts().polling;
        (interval_seconds, timeout_seconds)
    };
    assert_eq!(
        (wait(Chain::Cosmos), wait(Chain::ThorChain), wait(Chain::MayaChain)),
        ((8, 240), (6, 180), (6, 180))
    );
    assert_eq!((wait(Chain::Bitcoin), wait(Chain::Solana)), ((15, 180), (5, 180)));
    assert_eq!(wait(Chain::Base).1, 180);
}

#[test]
fn native_tickers_are_known_by_their_old_names_too() {
    assert!(Chain::Ethereum.is_native_ticker("eth") && Chain::Ton.is_native_ticker("GRAM"));
    assert!(Chain::Ton.is_native_ticker("Ton") && Chain::Polygon.is_native_ticker("MATIC"));
    assert!(!Chain::Ethereum.is_native_ticker("MATIC") && !Chain::Solana.is_native_ticker(""));
}

#[test]
fn coin_types_are_those_of_the_paths() {
    let types = [
        (Chain::Bitcoin, Some(0)),
        (Chain::Sei, Some(60)),
        (Chain::MayaChain, Some(931)),
        (Chain::Terra, Some(330)),
        (Chain::Bittensor, Some(354)),
        (Chain::Solana, Some(501)),
        (Chain::Cardano, Some(1815)),
        (Chain::Qbtc, None),
    ];
    for (chain, expected) in types {
        assert_eq!(chain.coin_type(), expected, "{chain}");
    }
}

/// No name or alias means two chains.
#[test]
fn names_are_unique() {
    let names: Vec<String> = Chain::ALL
        .iter()
        .flat_map(|chain| [&[chain.name()], chain.facts().aliases].concat())
        .map(str::to_lowercase)
        .collect();
    for name in &names {
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
    }
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
