//! The table of well-known tokens.

mod common;

use countersign_chains::token::{KnownToken, known, on};
use countersign_chains::{Chain, Kind, address};

#[test]
fn contracts_are_canonical_addresses_of_their_chain() {
    for &chain in Chain::ALL {
        for token in on(chain) {
            assert_eq!(address::normalise(chain, token.contract).as_deref(), Ok(token.contract), "{chain}");
        }
    }
}

#[test]
fn a_ticker_means_one_token_and_never_the_native_coin() {
    for &chain in Chain::ALL {
        for token in on(chain) {
            let same =
                on(chain).iter().filter(|other| other.ticker.eq_ignore_ascii_case(token.ticker)).count();
            assert_eq!(
                (same, token.ticker == chain.native().ticker),
                (1, false),
                "{} on {chain}",
                token.ticker
            );
        }
    }
}

#[test]
fn the_same_ticker_differs_from_chain_to_chain() {
    let usdc = |chain| known(chain, " usdc ").copied();
    let ethereum = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    let bsc = "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d";
    let solana = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    assert_eq!(usdc(Chain::Ethereum), Some(KnownToken { ticker: "USDC", contract: ethereum, decimals: 6 }));
    assert_eq!(usdc(Chain::Bsc), Some(KnownToken { ticker: "USDC", contract: bsc, decimals: 18 }));
    assert_eq!(usdc(Chain::Solana), Some(KnownToken { ticker: "USDC", contract: solana, decimals: 6 }));
    assert_eq!(usdc(Chain::Bitcoin), None);
    assert_eq!(usdc(Chain::Noble), None, "Noble's USDC is its native coin");
    assert_eq!(known(Chain::Ethereum, ""), None);
}

/// Contracts and decimals agree with the published token list, whose capitals are not always EIP-55's.
#[test]
fn the_table_agrees_with_the_public_list() {
    let Some(list) = common::vectors("commondata-tokens/tokens.json") else {
        return;
    };
    for &chain in Chain::ALL {
        let key = if chain == Chain::Bsc { "bscchain".to_owned() } else { chain.name().to_lowercase() };
        for token in on(chain) {
            let entries = list[key.as_str()].as_array().unwrap();
            let entry = entries.iter().find(|entry| entry["ticker"] == token.ticker).unwrap();
            let listed = entry["contract_address"].as_str().unwrap();
            let listed = if chain.kind() == Kind::Evm { listed.to_lowercase() } else { listed.to_owned() };
            let contract = address::normalise(chain, &listed);
            assert_eq!(contract.as_deref(), Ok(token.contract), "{} on {chain}", token.ticker);
            assert_eq!(entry["decimals"], token.decimals, "{} on {chain}", token.ticker);
        }
    }
}
