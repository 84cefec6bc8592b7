//! Payloads of THORChain and MayaChain: a payment, a deposit for the network itself with a memo that says what for,
//! or a contract of THORChain.

use super::message::Message;
use super::payload::{check_denom, contract, kind};
use super::proto::{Coin, Fee, MsgExecuteContract, ThorAsset, ThorCoin, ThorDeposit, ThorSend};
use super::table::Row;
use super::{Signer, Tx};
use crate::address::cosmos as address;
use crate::{Amount, Chain, TransactionError, amount, keysign};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin as PayloadCoin, KeysignPayload, ThorChainSwapPayload, TransactionType};

pub(super) fn build(
    payload: &KeysignPayload,
    row: &Row,
    signer: &Signer<'_>,
) -> Result<Tx, TransactionError> {
    let (is_deposit, kind) = match &payload.blockchain_specific {
        Some(BlockchainSpecific::ThorchainSpecific(specific)) => {
            (specific.is_deposit, kind(specific.transaction_type)?)
        }
        Some(BlockchainSpecific::MayaSpecific(specific)) => {
            (specific.is_deposit, TransactionType::Unspecified)
        }
        _ => return Err(TransactionError::Missing { field: "blockchain_specific" }),
    };
    let swap = swap(payload, signer.account.chain)?;
    let own_swap = swap.filter(|(network, _)| *network == signer.account.chain).map(|(_, swap)| swap);
    let message = match (kind, own_swap) {
        (TransactionType::GenericContract, None) => contract(payload)?,
        (TransactionType::ThorMerge, None) => merge(payload, signer)?,
        (TransactionType::ThorUnmerge, None) => unmerge(payload, signer)?,
        (TransactionType::Unspecified, Some(swap)) => swap_deposit(payload, swap, is_deposit, signer)?,
        (TransactionType::Unspecified, None) if is_deposit && swap.is_some() => {
            return Err(TransactionError::Unsafe { what: "a deposit with the memo of another network" });
        }
        (TransactionType::Unspecified, None) if is_deposit && payload.memo().starts_with("merge:") => {
            merge(payload, signer)?
        }
        (TransactionType::Unspecified, None) if is_deposit && payload.memo().starts_with("unmerge:") => {
            unmerge(payload, signer)?
        }
        (TransactionType::Unspecified, None) if is_deposit => {
            let (_, coin) = keysign::coin(payload)?;
            deposit(payload, coin, amount::parse("to_amount", &payload.to_amount)?, signer)?
        }
        (TransactionType::Unspecified, None) => send(payload, row, signer)?,
        _ => return Err(TransactionError::Unsupported { what: "this transaction_type on this chain" }),
    };
    // THORChain's own swaps have their memo in the deposit only; other wallets do so, and the bytes must be equal.
    let in_deposit_only = own_swap.is_some() && signer.account.chain == Chain::ThorChain;
    let memo = if in_deposit_only { "" } else { payload.memo() };
    let fee = Fee { gas_limit: row.gas_limit, ..Fee::default() };
    signer.direct(&[message], memo, fee)
}

/// The swap of a payload, and the network that is to make it.
fn swap(
    payload: &KeysignPayload,
    chain: Chain,
) -> Result<Option<(Chain, &ThorChainSwapPayload)>, TransactionError> {
    let (network, swap) = match &payload.swap_payload {
        None => return Ok(None),
        Some(SwapPayload::ThorchainSwapPayload(swap)) => (Chain::ThorChain, swap),
        Some(SwapPayload::MayachainSwapPayload(swap)) => (Chain::MayaChain, swap),
        Some(_) => return Err(TransactionError::Unsupported { what: "this swap on this chain" }),
    };
    let from = swap.from_coin.as_ref().map(|coin| coin.chain.as_str());
    if from.and_then(Chain::parse) != Some(chain) {
        return Err(TransactionError::Malformed {
            field: "from_coin.chain",
            reason: "is not the coin's chain",
        });
    }
    if payload.memo().is_empty() {
        return Err(TransactionError::Missing { field: "memo" });
    }
    Ok(Some((network, swap)))
}

fn swap_deposit(
    payload: &KeysignPayload,
    swap: &ThorChainSwapPayload,
    is_deposit: bool,
    signer: &Signer<'_>,
) -> Result<Message, TransactionError> {
    let sum = amount::parse("from_amount", &swap.from_amount)?;
    // Wallets differ in which of the two they deposit.
    if is_deposit && sum != amount::parse("to_amount", &payload.to_amount)? {
        return Err(TransactionError::Unsafe { what: "to_amount and the swap's from_amount differ" });
    }
    let coin = swap.from_coin.as_ref().ok_or(TransactionError::Missing { field: "from_coin" })?;
    deposit(payload, coin, sum, signer)
}

fn deposit(
    payload: &KeysignPayload,
    coin: &PayloadCoin,
    sum: Amount,
    signer: &Signer<'_>,
) -> Result<Message, TransactionError> {
    // A deposit of nothing says no decimals: other wallets do so, and the bytes must be equal.
    let decimals = if sum.is_zero() { 0 } else { i64::from(coin.decimals) };
    let asset = Some(asset(coin, signer.account.chain));
    let deposited = ThorCoin { asset, amount: sum.to_string(), decimals };
    let signer = account_bytes("coin.address", &signer.account.address, signer)?;
    Ok(Message::ThorDeposit(ThorDeposit { coins: vec![deposited], memo: payload.memo().to_owned(), signer }))
}

/// `THOR.RUNE`, a token of the chain by its ticker, or a secured asset by its denom `chain-symbol`.
fn asset(coin: &PayloadCoin, chain: Chain) -> ThorAsset {
    if chain == Chain::MayaChain {
        let (symbol, ticker) = (coin.ticker.clone(), coin.ticker.clone());
        return ThorAsset { chain: "MAYA".to_owned(), symbol, ticker, ..ThorAsset::default() };
    }
    if coin.is_native_token {
        let rune = "RUNE".to_owned();
        return ThorAsset {
            chain: "THOR".to_owned(),
            symbol: rune.clone(),
            ticker: rune,
            ..ThorAsset::default()
        };
    }
    let ticker = coin.ticker.to_ascii_uppercase().replace("X/", "");
    match coin.contract_address.split_once('-') {
        Some((chain, symbol)) if !coin.contract_address.starts_with("x/") => ThorAsset {
            chain: chain.to_ascii_uppercase(),
            symbol: symbol.to_ascii_uppercase(),
            ticker,
            secured: true,
            ..ThorAsset::default()
        },
        _ => ThorAsset { chain: "THOR".to_owned(), symbol: ticker.clone(), ticker, ..ThorAsset::default() },
    }
}

fn send(payload: &KeysignPayload, row: &Row, signer: &Signer<'_>) -> Result<Message, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    let denom = match (coin.is_native_token, signer.account.chain) {
        (true, _) => row.denom.to_owned(),
        (false, Chain::MayaChain) => coin.ticker.to_ascii_lowercase(),
        (false, _) => coin.contract_address.to_ascii_lowercase(),
    };
    check_denom("coin.contract_address", &denom)?;
    let sum = amount::parse("to_amount", &payload.to_amount)?;
    Ok(Message::ThorSend(ThorSend {
        from_address: account_bytes("coin.address", &signer.account.address, signer)?,
        to_address: account_bytes("to_address", &payload.to_address, signer)?,
        amount: vec![Coin { denom, amount: sum.to_string() }],
    }))
}

/// `merge:denom`: tokens of an older chain into the contract that takes them over.
fn merge(payload: &KeysignPayload, signer: &Signer<'_>) -> Result<Message, TransactionError> {
    let memo = payload.memo().to_ascii_lowercase();
    let malformed = TransactionError::Malformed { field: "memo", reason: "is not merge:denom" };
    let denom = memo.strip_prefix("merge:").ok_or(malformed)?.to_owned();
    check_denom("memo", &denom)?;
    let sum = amount::parse("to_amount", &payload.to_amount)?;
    let funds = vec![Coin { denom, amount: sum.to_string() }];
    execute(payload, r#"{ "deposit": {} }"#.to_owned(), funds, signer)
}

/// `unmerge:denom:shares`.
fn unmerge(payload: &KeysignPayload, signer: &Signer<'_>) -> Result<Message, TransactionError> {
    let memo = payload.memo().to_ascii_lowercase();
    let malformed = TransactionError::Malformed { field: "memo", reason: "is not unmerge:denom:shares" };
    let stated = memo.strip_prefix("unmerge:").and_then(|text| text.split_once(':'));
    let (_, shares) = stated.ok_or(malformed)?;
    let shares = amount::parse("memo", shares)?;
    execute(payload, format!(r#"{{ "withdraw": {{ "share_amount": "{shares}" }} }}"#), Vec::new(), signer)
}

fn execute(
    payload: &KeysignPayload,
    msg: String,
    funds: Vec<Coin>,
    signer: &Signer<'_>,
) -> Result<Message, TransactionError> {
    account_bytes("to_address", &payload.to_address, signer)?;
    Ok(Message::Execute(MsgExecuteContract {
        sender: signer.account.address.clone(),
        contract: payload.to_address.clone(),
        msg: msg.into_bytes(),
        funds,
    }))
}

fn account_bytes(field: &'static str, text: &str, signer: &Signer<'_>) -> Result<Vec<u8>, TransactionError> {
    let hrp = signer.account.chain.bech32_hrp().unwrap_or_default();
    address::decode(hrp, text).map_err(|error| TransactionError::Address { field, error })
}
