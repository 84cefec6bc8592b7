//! Keysign payloads as a backend builds them.

use super::chains::owner;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use prost::Message as _;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{
    Coin, Erc20ApprovePayload, EthereumSpecific, KeysignPayload, OneInchQuote, OneInchSwapPayload,
    OneInchTransaction,
};

/// As it stands in `keysign_payload`.
pub(crate) fn encoded(payload: &KeysignPayload) -> String {
    BASE64_STANDARD.encode(payload.encode_to_vec())
}

/// A coin of the suites' vault on a chain of Ethereum's kind; without a contract, the chain's own.
pub(crate) fn coin(chain: &str, ticker: &str, contract: Option<&str>, decimals: i32) -> Coin {
    Coin {
        chain: chain.to_owned(),
        ticker: ticker.to_owned(),
        address: owner(),
        contract_address: contract.unwrap_or_default().to_owned(),
        decimals,
        is_native_token: contract.is_none(),
        ..Coin::default()
    }
}

/// What such a chain wants to know.
pub(crate) fn gas(nonce: u64, limit: u64) -> Option<BlockchainSpecific> {
    Some(BlockchainSpecific::EthereumSpecific(EthereumSpecific {
        max_fee_per_gas_wei: "20000000000".to_owned(),
        priority_fee: "1000000000".to_owned(),
        nonce: i64::try_from(nonce).unwrap(),
        gas_limit: limit.to_string(),
    }))
}

/// Calls a contract, with coins of the chain along.
pub(crate) fn call(chain: &str, to: &str, value: u128, data: &str, nonce: u64) -> KeysignPayload {
    KeysignPayload {
        coin: Some(coin(chain, "ETH", None, 18)),
        to_address: to.to_owned(),
        to_amount: value.to_string(),
        memo: Some(data.to_owned()),
        blockchain_specific: gas(nonce, 300_000),
        ..KeysignPayload::default()
    }
}

/// Sells so much of a coin by a router's own bytes, which the router is allowed to take first: two transactions.
pub(crate) fn swap(
    from: Coin,
    to: Coin,
    amount: u128,
    router: &str,
    data: &str,
    nonce: u64,
) -> KeysignPayload {
    let tx = OneInchTransaction {
        from: owner(),
        to: router.to_owned(),
        data: data.to_owned(),
        value: "0".to_owned(),
        gas_price: "20000000000".to_owned(),
        gas: 300_000,
        ..OneInchTransaction::default()
    };
    let approval = Erc20ApprovePayload { amount: amount.to_string(), spender: router.to_owned() };
    KeysignPayload {
        coin: Some(from.clone()),
        to_address: router.to_owned(),
        to_amount: amount.to_string(),
        blockchain_specific: gas(nonce, 120_000),
        erc20_approve_payload: Some(approval),
        swap_payload: Some(SwapPayload::OneinchSwapPayload(OneInchSwapPayload {
            from_coin: Some(from),
            to_coin: Some(to),
            from_amount: amount.to_string(),
            quote: Some(OneInchQuote { tx: Some(tx), ..OneInchQuote::default() }),
            ..OneInchSwapPayload::default()
        })),
        ..KeysignPayload::default()
    }
}
