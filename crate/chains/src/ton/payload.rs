//! From a keysign payload to the letter: a transfer, a jetton transfer, or the messages that an application asked for.

use super::cell::{AccountId, Cell};
use super::message::{self, JettonTransfer, Message, Order};
use super::message::{IGNORE_ERRORS, MAX_MESSAGES, PAY_FEES_SEPARATELY, SEND_ALL};
use super::{Letter, boc, wallet};
use crate::address::ton as address;
use crate::encoding::from_base64;
use crate::signing::PublicKey;
use crate::transaction::{Account, Role, Transaction};
use crate::{TransactionError, amount, keysign, swap_claims};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{KeysignPayload, SwapKitSwapPayload, TonMessage, TonSpecific};

/// A comment must fit into one cell after its four bytes of zero.
const MAX_COMMENT: usize = 123;
/// Coins that go with a jetton transfer; what is not needed comes back.
const JETTON_VALUE: u128 = 80_000_000;
/// What the two makes of nominator pool take for "deposit" and "withdraw". Without bouncing, a pool that refuses keeps
/// the coins.
const STAKING: [&str; 4] = ["d", "w", "Deposit", "Withdraw"];
/// The letter that deploys the wallet does not expire: there is no second one that could be confused with it.
const NEVER: u32 = u32::MAX;

/// The one letter of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let Some(BlockchainSpecific::TonSpecific(specific)) = &payload.blockchain_specific else {
        return Err(TransactionError::Missing { field: "ton_specific" });
    };
    let PublicKey::Ed25519(key) = account.key else {
        return Err(TransactionError::Unsupported { what: "a TON account with a key that is not Ed25519" });
    };
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    let owner = AccountId::parse("account", &account.address)?;
    check_purpose(payload)?;
    let messages = messages(payload, specific, owner)?;
    let sequence = number("ton_specific.sequence_number", specific.sequence_number)?;
    let valid_until = number("ton_specific.expire_at", specific.expire_at)?;
    let order = Order { valid_until: if sequence == 0 { NEVER } else { valid_until }, sequence, messages };
    let state_init = if sequence == 0 { Some(wallet::state_init(&key)?) } else { None };
    let letter = Letter { body: order.encode(), wallet: wallet::account(&key), state_init };
    Ok(vec![Transaction::new(account, Role::Main, letter).with_claims(swap_claims::of(payload))])
}

fn number(field: &'static str, value: u64) -> Result<u32, TransactionError> {
    u32::try_from(value).map_err(|_| TransactionError::Malformed { field, reason: "has more than 32 bits" })
}

fn messages(
    payload: &KeysignPayload,
    specific: &TonSpecific,
    owner: AccountId,
) -> Result<Vec<Message>, TransactionError> {
    if payload.erc20_approve_payload.is_some() || payload.contract_payload.is_some() {
        return Err(TransactionError::Unsupported { what: "a contract call of another chain on TON" });
    }
    let native = payload.coin.as_ref().is_some_and(|coin| coin.is_native_token);
    let memo = payload.memo.as_deref().unwrap_or_default();
    if memo.len() > MAX_COMMENT {
        return Err(TransactionError::Malformed { field: "memo", reason: "is longer than 123 bytes" });
    }
    let bounce = specific.bounceable || STAKING.contains(&memo.trim());
    match &payload.sign_data {
        Some(SignData::SignTon(sign)) if native => requested(&sign.ton_messages),
        Some(_) => Err(TransactionError::Unsupported { what: "this kind of sign_data on TON" }),
        None if native => Ok(vec![native_transfer(payload, specific, bounce, memo)?]),
        None => Ok(vec![jetton_transfer(payload, specific, owner, memo)?]),
    }
}

fn native_transfer(
    payload: &KeysignPayload,
    specific: &TonSpecific,
    bounce: bool,
    memo: &str,
) -> Result<Message, TransactionError> {
    if !specific.jetton_address.is_empty() {
        let reason = "is set and the coin is the native one";
        return Err(TransactionError::Malformed { field: "ton_specific.jetton_address", reason });
    }
    let amount = message::amount("to_amount", &payload.to_amount)?;
    let all = specific.send_max_amount;
    Ok(Message {
        mode: IGNORE_ERRORS | if all { SEND_ALL } else { PAY_FEES_SEPARATELY },
        to: AccountId::parse("to_address", &payload.to_address)?,
        bounce,
        value: if all { 0 } else { amount },
        state_init: None,
        body: message::comment(memo).build("memo")?,
    })
}

fn jetton_transfer(
    payload: &KeysignPayload,
    specific: &TonSpecific,
    owner: AccountId,
    memo: &str,
) -> Result<Message, TransactionError> {
    let comment = message::comment(memo).build("memo")?;
    let transfer = JettonTransfer {
        query: 0,
        amount: message::amount("to_amount", &payload.to_amount)?,
        destination: AccountId::parse("to_address", &payload.to_address)?,
        response: Some(owner),
        custom: None,
        forward: u128::from(specific.is_active_destination),
        payload: comment.slice(),
    };
    Ok(Message {
        mode: PAY_FEES_SEPARATELY | IGNORE_ERRORS,
        to: AccountId::parse("ton_specific.jetton_address", &specific.jetton_address)?,
        bounce: true,
        value: JETTON_VALUE,
        state_init: None,
        body: transfer.encode("memo")?,
    })
}

/// The messages of a TON Connect request, each with what it brings.
///
/// Whether one bounces depends on its address, not by the wallet's default: a contract that fails must not
/// keep the coins. A raw address has no flag and bounces, except where the message first makes the contract.
fn requested(messages: &[TonMessage]) -> Result<Vec<Message>, TransactionError> {
    let field = "sign_ton.ton_messages";
    if messages.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    if messages.len() > MAX_MESSAGES {
        return Err(TransactionError::Malformed { field, reason: "has more than four messages" });
    }
    let message = |message: &TonMessage| {
        let value = message::amount("sign_ton.ton_messages.amount", &message.amount)?;
        if value == 0 {
            return Err(TransactionError::Amount { field: "sign_ton.ton_messages.amount" });
        }
        let body = cell("sign_ton.ton_messages.payload", message.payload.as_deref())?;
        let state_init = cell("sign_ton.ton_messages.state_init", message.state_init.as_deref())?;
        Ok(Message {
            mode: PAY_FEES_SEPARATELY | IGNORE_ERRORS,
            to: AccountId::parse("sign_ton.ton_messages.to", &message.to)?,
            bounce: address::bounceable(&message.to).unwrap_or(state_init.is_none()),
            value,
            state_init,
            body: body.unwrap_or_else(|| message::comment("").fixed()),
        })
    };
    messages.iter().map(message).collect()
}

fn cell(field: &'static str, text: Option<&str>) -> Result<Option<Cell>, TransactionError> {
    match text {
        None | Some("") => Ok(None),
        Some(text) => Ok(Some(boc::decode(field, &from_base64(field, text)?)?)),
    }
}

/// The swaps that TON has are plain transfers to an address that stands for the swap.
fn check_purpose(payload: &KeysignPayload) -> Result<(), TransactionError> {
    match &payload.swap_payload {
        None => Ok(()),
        Some(SwapPayload::SwapkitSwapPayload(swap)) if swap.tx_type == "TON" => check_swap(payload, swap),
        Some(SwapPayload::SwapkitSwapPayload(swap)) => {
            Err(TransactionError::UnsupportedTxType { what: swap.tx_type.clone() })
        }
        Some(_) => Err(TransactionError::Unsupported { what: "this kind of swap on TON" }),
    }
}

/// What the swap was quoted for and what the transfer does must be the same.
fn check_swap(payload: &KeysignPayload, swap: &SwapKitSwapPayload) -> Result<(), TransactionError> {
    if payload.sign_data.is_some() {
        return Err(TransactionError::Unsupported { what: "a swap together with sign_data on TON" });
    }
    let to = AccountId::parse("to_address", &payload.to_address)?;
    let value = message::amount("to_amount", &payload.to_amount)?;
    let target = AccountId::parse("swapkit_swap_payload.target_address", &swap.target_address)?;
    let quoted = message::amount("swapkit_swap_payload.from_amount", &swap.from_amount)?;
    let mut agrees = target == to && quoted == value;
    if !swap.tx_payload.is_empty() {
        let (listed, amount) = listed(&swap.tx_payload)?;
        agrees &= listed == to && amount == value;
    }
    if agrees {
        Ok(())
    } else {
        Err(TransactionError::Unsafe { what: "the swap was quoted for another transfer" })
    }
}

/// The one transfer in `[{"address": …, "amount": …}]`.
fn listed(json: &[u8]) -> Result<(AccountId, u128), TransactionError> {
    let field = "swapkit_swap_payload.tx_payload";
    let malformed = TransactionError::Malformed { field, reason: "is not a list of one transfer" };
    let json: serde_json::Value = serde_json::from_slice(json).map_err(|_| malformed.clone())?;
    let [transfer] = json.as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err(malformed);
    };
    let text = |name| match transfer.get(name) {
        Some(serde_json::Value::String(text)) => Ok(text.clone()),
        Some(serde_json::Value::Number(number)) => Ok(number.to_string()),
        _ => Err(malformed.clone()),
    };
    Ok((AccountId::parse(field, &text("address")?)?, amount::parse_u128(field, &text("amount")?)?))
}
