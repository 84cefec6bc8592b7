//! The table of well-known tokens.

mod common;

use countersign_chains::encoding::hex;
use countersign_chains::known::wrapped_coin;
use countersign_chains::token::{KnownToken, known, on};
use countersign_chains::{Chain, Kind, address};
use serde_json::Value;

#[test]
fn contracts_are_canonical_names_of_their_chain() {
    for &chain in Chain::ALL {
        for token in on(chain) {
            assert!(is_canonical(chain, token.contract), "{} on {chain}", token.contract);
        }
    }
}

/// An address in its one spelling, or what stands for one on chains where a token is no account.
fn is_canonical(chain: Chain, contract: &str) -> bool {
    let address = |text: &str| address::normalise(chain, text).as_deref() == Ok(text);
    let upper_hex = |text: &str, length| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
    };
    let lower = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase());
    match (chain.kind(), contract.split('/').collect::<Vec<_>>().as_slice()) {
        (Kind::Cosmos, ["ibc", hash]) => upper_hex(hash, 64),
        (Kind::Cosmos, ["factory", creator, ..]) => address(creator),
        (Kind::Cosmos, [text]) => address(text) || lower(text),
        (Kind::Sui, [text]) => {
            let parts: Vec<&str> = text.split("::").collect();
            matches!(parts.as_slice(), [package, module, _] if address(package) && lower(module))
        }
        (Kind::Ripple, [text]) => {
            matches!(text.split_once('.'), Some((code, issuer)) if upper_hex(code, 40) && address(issuer))
        }
        _ => address(contract),
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

/// Contracts and decimals agree with the published token list, whose capitals are not always EIP-55's. What the list
/// has under another ticker is not here under this one.
#[test]
fn the_table_agrees_with_the_public_list() {
    let Some(list) = common::vectors("commondata-tokens/tokens.json") else {
        return;
    };
    let mut agreed = 0;
    for &chain in Chain::ALL {
        let key = match chain {
            Chain::Bsc => "bscchain".to_owned(),
            Chain::Cosmos => "gaiachain".to_owned(),
            _ => chain.name().to_lowercase(),
        };
        let listed = |entry: &Value| {
            let contract = entry["contract_address"].as_str()?;
            Some(if chain.kind() == Kind::Evm { contract.to_lowercase() } else { contract.to_owned() })
        };
        let entries = list[key.as_str()].as_array().cloned().unwrap_or_default();
        for token in on(chain) {
            let is_evm = chain.kind() == Kind::Evm;
            let contract = if is_evm { token.contract.to_lowercase() } else { token.contract.to_owned() };
            let named = |entry: &&Value| entry["ticker"] == token.ticker;
            if let Some(entry) = entries.iter().find(named) {
                assert_eq!(listed(entry).as_ref(), Some(&contract), "{} on {chain}", token.ticker);
                assert_eq!(entry["decimals"], token.decimals, "{} on {chain}", token.ticker);
                agreed += 1;
            } else {
                let other = entries.iter().find(|entry| listed(entry).as_ref() == Some(&contract));
                assert_eq!(other, None, "{} on {chain}", token.ticker);
            }
        }
    }
    assert!(agreed > 70, "only {agreed} rows are in the list");
}

/// A wrapped coin is a token that people hold: it has its ticker and 18 decimals.
#[test]
fn every_wrapped_coin_of_an_evm_chain_is_a_token() {
    for &chain in Chain::ALL.iter().filter(|chain| chain.kind() == Kind::Evm) {
        let wrapped = wrapped_coin(chain).map(|address| format!("0x{}", hex(&address)));
        let listed = on(chain).iter().find(|token| wrapped == Some(token.contract.to_lowercase()));
        assert_eq!(listed.map(|token| token.decimals), Some(18), "{chain}");
    }
}
