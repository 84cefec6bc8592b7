//! From a keysign payload to Solana transactions.
//!
//! A transfer is built here, byte for byte as other wallets build it: price and limit of the computation, the
//! receiver's token account if it has none, the memo, the transfer. A swap of an aggregator arrives built and gets a
//! recent blockhash. What a page asks to have signed arrives built and is signed as it is.

use super::instruction::{self, Call, Token};
use super::message::{Key, MAX_LENGTH};
use super::{Envelope, Slots, base58, explain, key, parse_key, program};
use crate::transaction::{Account, Claim, Role, Transaction};
use crate::{TransactionError, amount, encoding, keysign, swap_claims};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, OneInchSwapPayload, SolanaSpecific, ThorChainSwapPayload};

/// What is paid at least for a unit of computation, in millionths of a lamport.
const LOWEST_PRICE: u64 = 1_000_000;
/// The units of computation where the payload does not say.
const USUAL_LIMIT: u32 = 100_000;

/// The transactions of a payload: one, or one for each that a page hands over.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    let specific = specific(payload)?;
    if payload.contract_payload.is_some() || payload.erc20_approve_payload.is_some() {
        return Err(TransactionError::Unsupported {
            what: "a contract call or an ERC-20 approval on Solana",
        });
    }
    match &payload.sign_data {
        Some(SignData::SignSolana(data)) => return verbatim(&data.raw_transactions, account),
        Some(_) => return Err(TransactionError::Unsupported { what: "another chain's bytes to sign" }),
        None => {}
    }
    let envelope = match &payload.swap_payload {
        Some(SwapPayload::OneinchSwapPayload(swap)) => routed(swap, specific, account)?,
        Some(SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap)) => {
            check_deposit(payload, coin, swap)?;
            transfer(payload, coin, specific, account)?
        }
        Some(_) => {
            return Err(TransactionError::Unsupported { what: "a swap of this provider on Solana" });
        }
        None => transfer(payload, coin, specific, account)?,
    };
    let transaction = Transaction::new(account, Role::Main, envelope);
    Ok(vec![transaction.with_claims(claims(payload, coin, specific))])
}

/// What the payload says and no signature covers: of a swap, and whose the token account is that tokens go to, where that
/// account is named beside.
fn claims(payload: &KeysignPayload, coin: &Coin, specific: &SolanaSpecific) -> Vec<Claim> {
    let mut claims = swap_claims::of(payload);
    let named = specific.to_token_associated_address.as_deref().is_some_and(|address| !address.is_empty());
    if payload.swap_payload.is_none() && !coin.is_native_token && named {
        claims.push(swap_claims::claim("recipient", &payload.to_address));
    }
    claims
}

fn specific(payload: &KeysignPayload) -> Result<&SolanaSpecific, TransactionError> {
    match &payload.blockchain_specific {
        Some(BlockchainSpecific::SolanaSpecific(specific)) => Ok(specific),
        Some(_) => {
            let reason = "is not Solana's";
            Err(TransactionError::Malformed { field: "blockchain_specific", reason })
        }
        None => Err(TransactionError::Missing { field: "solana_specific" }),
    }
}

/// Transactions that a page built. The account need not be the one that pays, but it must be asked to sign.
fn verbatim(texts: &[String], account: &Account) -> Result<Vec<Transaction>, TransactionError> {
    const FIELD: &str = "sign_solana.raw_transactions";
    if texts.is_empty() {
        return Err(TransactionError::Missing { field: FIELD });
    }
    let one = |text: &String| {
        let slots = Slots::decode(FIELD, &encoding::from_base64(FIELD, text)?)?;
        Ok(Transaction::new(account, Role::Main, slots.claim(FIELD, account, false)?))
    };
    texts.iter().map(one).collect()
}

/// A swap that an aggregator built, with a blockhash of now in place of the one it was built with.
fn routed(
    swap: &OneInchSwapPayload,
    specific: &SolanaSpecific,
    account: &Account,
) -> Result<Envelope, TransactionError> {
    const FIELD: &str = "oneinch_swap_payload.quote.tx.data";
    let quote = swap.quote.as_ref().and_then(|quote| quote.tx.as_ref());
    let text = quote.map(|tx| tx.data.as_str()).filter(|data| !data.is_empty());
    let text = text.ok_or(TransactionError::Missing { field: FIELD })?;
    let mut slots = Slots::decode(FIELD, &encoding::from_base64(FIELD, text)?)?;
    if slots.message.payer() != Some(&key(account)?) {
        let address = slots.message.payer().map(base58).unwrap_or_default();
        return Err(TransactionError::NotOwned { address });
    }
    if explain::advances_nonce(&slots.message) {
        return Err(TransactionError::Unsupported { what: "a swap with a durable nonce" });
    }
    let blockhash = blockhash(specific)?;
    if slots.message.blockhash != blockhash {
        if slots.signatures.len() > 1 {
            let what = "a swap that others must sign again for a new blockhash";
            return Err(TransactionError::Unsupported { what });
        }
        slots.message.blockhash = blockhash;
    }
    slots.claim(FIELD, account, false)
}

/// A deposit to THORChain or MayaChain is a plain transfer; what is built must be what the swap states.
fn check_deposit(
    payload: &KeysignPayload,
    coin: &Coin,
    swap: &ThorChainSwapPayload,
) -> Result<(), TransactionError> {
    if !coin.contract_address.is_empty() {
        return Err(TransactionError::Unsupported { what: "a token swap over THORChain on Solana" });
    }
    if payload.memo.as_ref().is_none_or(String::is_empty) {
        return Err(TransactionError::Missing { field: "memo" });
    }
    if swap.vault_address != payload.to_address || swap.from_amount != payload.to_amount {
        return Err(TransactionError::Unsafe {
            what: "the transfer is not the deposit that the swap states",
        });
    }
    Ok(())
}

/// A transfer of lamports or tokens, to a recipient or to a network that swaps them.
fn transfer(
    payload: &KeysignPayload,
    coin: &Coin,
    specific: &SolanaSpecific,
    account: &Account,
) -> Result<Envelope, TransactionError> {
    let own = key(account)?;
    let to = parse_key("to_address", &payload.to_address)?;
    let amount = amount::parse_u64("to_amount", &payload.to_amount)?;
    let mut calls =
        vec![instruction::compute_price(price(specific)?), instruction::compute_limit(limit(specific)?)];
    let memo = payload.memo.as_deref().filter(|memo| !memo.is_empty()).map(instruction::memo);
    match token(coin, specific)? {
        None => {
            calls.extend(memo);
            calls.push(instruction::transfer(own, to, amount));
        }
        Some(token) => calls.extend(token_transfer(token, specific, own, to, amount, memo)?),
    }
    let too_long =
        TransactionError::Malformed { field: "memo", reason: "is longer than the network carries" };
    let message = instruction::compile(own, blockhash(specific)?, &calls).ok_or(too_long.clone())?;
    let envelope = Envelope::new(message);
    if envelope.length() > MAX_LENGTH { Err(too_long) } else { Ok(envelope) }
}

/// The token's transfer, and before it, if the receiver has no account for the token, one that makes it.
fn token_transfer(
    token: Token,
    specific: &SolanaSpecific,
    own: Key,
    to: Key,
    amount: u64,
    memo: Option<Call>,
) -> Result<Vec<Call>, TransactionError> {
    let from = specific.from_token_associated_address.as_deref().unwrap_or_default();
    let from = parse_key("solana_specific.from_token_associated_address", from)?;
    let existing = specific.to_token_associated_address.as_deref().filter(|address| !address.is_empty());
    let (create, account) = match existing {
        Some(text) => (None, parse_key("solana_specific.to_token_associated_address", text)?),
        None => {
            let none = TransactionError::Malformed { field: "to_address", reason: "has no token account" };
            let account = program::associated_token(&to, &token.program, &token.mint).ok_or(none)?;
            (Some(token.create_account(own, account, to)), account)
        }
    };
    let transfer = token.transfer(own, from, account, amount);
    Ok(create.into_iter().chain(memo).chain([transfer]).collect())
}

/// The token that a coin is, or none for the chain's own.
fn token(coin: &Coin, specific: &SolanaSpecific) -> Result<Option<Token>, TransactionError> {
    match (coin.is_native_token, coin.contract_address.as_str()) {
        (true, "") => Ok(None),
        (true, _) => {
            let reason = "is set for the chain's own coin";
            Err(TransactionError::Malformed { field: "coin.contract_address", reason })
        }
        (false, mint) => {
            let wrong =
                TransactionError::Malformed { field: "coin.decimals", reason: "is no number of decimals" };
            let decimals = u8::try_from(coin.decimals).map_err(|_| wrong)?;
            let program =
                if specific.program_id == Some(true) { program::TOKEN_2022 } else { program::TOKEN };
            Ok(Some(Token { program, mint: parse_key("coin.contract_address", mint)?, decimals }))
        }
    }
}

fn blockhash(specific: &SolanaSpecific) -> Result<[u8; 32], TransactionError> {
    const FIELD: &str = "solana_specific.recent_block_hash";
    if specific.recent_block_hash.is_empty() {
        return Err(TransactionError::Missing { field: FIELD });
    }
    parse_key(FIELD, &specific.recent_block_hash)
        .map_err(|_| TransactionError::Malformed { field: FIELD, reason: "is no blockhash" })
}

/// Price of a unit of computation. Without any the network may leave the transaction lying.
fn price(specific: &SolanaSpecific) -> Result<u64, TransactionError> {
    match specific.priority_fee.as_str() {
        "" => Ok(LOWEST_PRICE),
        text => Ok(amount::parse_u64("solana_specific.priority_fee", text)?.max(LOWEST_PRICE)),
    }
}

/// Units of computation. None at all would be a transaction that must fail.
fn limit(specific: &SolanaSpecific) -> Result<u32, TransactionError> {
    const FIELD: &str = "solana_specific.compute_limit";
    match specific.compute_limit.as_deref() {
        None | Some("") => Ok(USUAL_LIMIT),
        Some(text) => match u32::try_from(amount::parse_u64(FIELD, text)?) {
            Ok(limit) if limit > 0 => Ok(limit),
            _ => Err(TransactionError::Amount { field: FIELD }),
        },
    }
}
