//! What a keysign payload asks of the XRP ledger.
//!
//! XRP: `Payment`, with `Flags` 0 unless there is a memo, and the destination tag from its field or, as older wallets
//! did, from a memo that is a number. A token coin: `TrustSet`, the amount being the limit. `sign_ripple`: a prebuilt
//! transaction, whose fee, sequence and last ledger are those of the payload where it has them.

use super::amount::{self, Decimal, Money};
use super::fields::{self, Field};
use super::object::{self, Object, Value};
use super::payment::PARTIAL_PAYMENT;
use super::{AccountId, Prepared, account_id, json};
use crate::transaction::{Account, Role, Transaction};
use crate::{TransactionError, keysign, swap_claims};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, RippleSpecific, TransactionType};

type Fields = Result<Object, TransactionError>;

/// The one transaction of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    if payload.erc20_approve_payload.is_some() || payload.contract_payload.is_some() {
        return Err(TransactionError::Unsupported { what: "an allowance or a contract payload on Ripple" });
    }
    let Some(BlockchainSpecific::RippleSpecific(specific)) = &payload.blockchain_specific else {
        return Err(TransactionError::Missing { field: "ripple_specific" });
    };
    check_swap(payload)?;
    let fields = match &payload.sign_data {
        Some(SignData::SignRipple(_)) if payload.swap_payload.is_some() => {
            return Err(TransactionError::Unsupported { what: "sign_ripple together with a swap" });
        }
        Some(SignData::SignRipple(sign)) => given(payload, coin, specific, account, &sign.raw_json)?,
        Some(_) => return Err(TransactionError::Unsupported { what: "sign data of another chain" }),
        None if is_trust_set(coin, specific)? => trust_set(payload, coin, specific, account)?,
        None => payment(payload, specific, account)?,
    };
    let transaction = Transaction::new(account, Role::Main, Prepared::new(fields)?);
    Ok(vec![transaction.with_claims(swap_claims::of(payload))])
}

/// A field of a name that is in the table.
fn entry(name: &'static str, value: Value) -> Result<(&'static Field, Value), TransactionError> {
    let unknown =
        TransactionError::Malformed { field: "transaction", reason: "has a field that is not known" };
    fields::named(name).map(|field| (field, value)).ok_or(unknown)
}

fn number(field: &'static str, value: u64) -> Result<Value, TransactionError> {
    u32::try_from(value).map(Value::Number).map_err(|_| TransactionError::Amount { field })
}

/// What every transaction has from its payload.
fn common(specific: &RippleSpecific, account: &Account, kind: &str) -> Fields {
    let code = fields::type_code(kind).map(u32::from).unwrap_or_default();
    Ok(vec![
        entry("TransactionType", Value::Number(code))?,
        entry("Sequence", number("ripple_specific.sequence", specific.sequence)?)?,
        entry("LastLedgerSequence", last_ledger(specific)?)?,
        entry("Fee", fee(specific)?)?,
        entry("SigningPubKey", Value::Blob(account.key.as_bytes().to_vec()))?,
        entry("Account", Value::Account(account_id("coin.address", &account.address)?))?,
    ])
}

fn last_ledger(specific: &RippleSpecific) -> Result<Value, TransactionError> {
    number("ripple_specific.last_ledger_sequence", specific.last_ledger_sequence)
}

fn fee(specific: &RippleSpecific) -> Result<Value, TransactionError> {
    Money::from_drops("ripple_specific.gas", specific.gas).map(Value::Amount)
}

fn payment(payload: &KeysignPayload, specific: &RippleSpecific, account: &Account) -> Fields {
    let (tag, memo) = tag_and_memo(specific.destination_tag, payload.memo.as_deref())?;
    let mut fields = common(specific, account, "Payment")?;
    let destination = account_id("to_address", &payload.to_address)?;
    fields.push(entry("Destination", Value::Account(destination))?);
    fields.push(entry("Amount", Value::Amount(Money::drops("to_amount", &payload.to_amount)?))?);
    if let Some(tag) = tag {
        fields.push(entry("DestinationTag", Value::Number(tag))?);
    }
    fields.push(match memo {
        None => entry("Flags", Value::Number(0))?,
        Some(text) => {
            let memo = vec![entry("MemoData", Value::Blob(text.as_bytes().to_vec()))?];
            entry("Memos", Value::Array(vec![entry("Memo", Value::Object(memo))?]))?
        }
    });
    Ok(fields)
}

/// A memo that is a number is a tag where no tag is stated, and the tag's echo where it is the same; any other memo
/// is a memo. Zero is refused: other wallets leave it away, and who receives would not see it.
fn tag_and_memo(
    stated: Option<u32>,
    memo: Option<&str>,
) -> Result<(Option<u32>, Option<&str>), TransactionError> {
    let memo = memo.filter(|memo| !memo.is_empty());
    let legacy = memo.and_then(|memo| memo.parse::<u32>().ok().filter(|tag| tag.to_string() == memo));
    let (tag, memo) = match (stated, legacy) {
        (None, Some(tag)) => (Some(tag), None),
        (Some(stated), Some(legacy)) if stated == legacy => (Some(stated), None),
        (stated, _) => (stated, memo),
    };
    if tag == Some(0) {
        return Err(TransactionError::Unsupported { what: "the destination tag 0" });
    }
    Ok((tag, memo))
}

/// A type that is stated decides; else a token does.
fn is_trust_set(coin: &Coin, specific: &RippleSpecific) -> Result<bool, TransactionError> {
    match TransactionType::try_from(specific.transaction_type) {
        Ok(TransactionType::RippleTrustSet) => Ok(true),
        Ok(TransactionType::Unspecified) => Ok(!coin.is_native_token),
        _ => Err(TransactionError::Unsupported { what: "this transaction type on Ripple" }),
    }
}

fn trust_set(payload: &KeysignPayload, coin: &Coin, specific: &RippleSpecific, account: &Account) -> Fields {
    let (currency, issuer) = token(coin)?;
    let told = specific.transaction_type != i32::from(TransactionType::Unspecified);
    if !told && !payload.to_address.is_empty() && account_id("to_address", &payload.to_address)? != issuer {
        // The trusted account is the issuer; another one was to receive a payment.
        return Err(TransactionError::Unsupported { what: "a token payment that is not in sign_ripple" });
    }
    if payload.memo.as_ref().is_some_and(|memo| !memo.is_empty()) || specific.destination_tag.is_some() {
        return Err(TransactionError::Unsupported { what: "a memo or a tag on a trust line" });
    }
    let value = units(payload, coin)?;
    let mut fields = common(specific, account, "TrustSet")?;
    fields.push(entry("Flags", Value::Number(0))?);
    fields.push(entry("LimitAmount", Value::Amount(Money::Issued { value, currency, issuer }))?);
    Ok(fields)
}

fn token(coin: &Coin) -> Result<(amount::Currency, AccountId), TransactionError> {
    let field = "coin.contract_address";
    if coin.is_native_token || coin.contract_address.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    amount::parse_token_id(field, &coin.contract_address)
}

/// `to_amount` in the coin's own units, as a decimal.
fn units(payload: &KeysignPayload, coin: &Coin) -> Result<Decimal, TransactionError> {
    let field = "to_amount";
    let digits = crate::amount::parse(field, &payload.to_amount)?.to_string();
    let exponent = coin.decimals.checked_neg().filter(|exponent| *exponent <= 0);
    exponent
        .and_then(|exponent| Decimal::from_digits(&digits, exponent))
        .ok_or(TransactionError::Amount { field })
}

/// A prebuilt transaction, bound to this account and, if it pays, to what was reviewed.
fn given(
    payload: &KeysignPayload,
    coin: &Coin,
    specific: &RippleSpecific,
    account: &Account,
    text: &str,
) -> Fields {
    const FIELD: &str = "sign_ripple.raw_json";
    let mut fields = json::parse(text)?;
    match object::get(&fields, "Account") {
        Some(Value::Account(sender)) => account.check(&super::account_text(sender))?,
        _ => return Err(TransactionError::Missing { field: "sign_ripple.raw_json.Account" }),
    }
    if object::get(&fields, "TransactionType").is_none() {
        return Err(TransactionError::Missing { field: "sign_ripple.raw_json.TransactionType" });
    }
    if object::get(&fields, "TxnSignature").is_some() {
        return Err(TransactionError::Malformed { field: FIELD, reason: "is signed already" });
    }
    if let Some(Value::Number(id @ 1..)) = object::get(&fields, "NetworkID") {
        let expected = account.chain.to_string();
        return Err(TransactionError::ChainMismatch { expected, found: format!("network {id}") });
    }
    let own = Value::Blob(account.key.as_bytes().to_vec());
    if object::get(&fields, "SigningPubKey").is_some_and(|key| *key != own) {
        return Err(TransactionError::Malformed { field: FIELD, reason: "names another key" });
    }
    let ticket = object::get(&fields, "TicketSequence").is_some();
    if ticket && specific.sequence != 0 {
        return Err(TransactionError::Unsupported { what: "a ticket together with a sequence" });
    }
    fields.retain(|(field, _)| field.name != "SigningPubKey");
    fields.push(entry("SigningPubKey", own)?);
    let sequence = number("ripple_specific.sequence", specific.sequence)?;
    prefer(&mut fields, "Fee", fee(specific)?, specific.gas)?;
    prefer(&mut fields, "Sequence", sequence, specific.sequence)?;
    prefer(&mut fields, "LastLedgerSequence", last_ledger(specific)?, specific.last_ledger_sequence)?;
    check_payment(&fields, payload, coin)?;
    Ok(fields)
}

/// The payload's number stands where it has one or the transaction has none, as wallet-core does it: all devices of a
/// vault must sign the same.
fn prefer(fields: &mut Object, name: &'static str, value: Value, own: u64) -> Result<(), TransactionError> {
    if own != 0 {
        fields.retain(|(field, _)| field.name != name);
    }
    if object::get(fields, name).is_none() {
        fields.push(entry(name, value)?);
    }
    Ok(())
}

/// A payment must be the one that was reviewed and deliver all of it.
fn check_payment(fields: &Object, payload: &KeysignPayload, coin: &Coin) -> Result<(), TransactionError> {
    let code = fields::type_code("Payment").map(u32::from);
    if !matches!(object::get(fields, "TransactionType"), Some(Value::Number(found)) if Some(*found) == code) {
        return Ok(());
    }
    let (Some(Value::Account(destination)), Some(Value::Amount(amount))) =
        (object::get(fields, "Destination"), object::get(fields, "Amount"))
    else {
        return Err(TransactionError::Missing { field: "sign_ripple.raw_json.Destination" });
    };
    let reviewed = !payload.to_address.is_empty() || !matches!(payload.to_amount.as_str(), "" | "0");
    if reviewed && account_id("to_address", &payload.to_address)? != *destination {
        return Err(TransactionError::Unsafe { what: "the payment goes to another account than to_address" });
    }
    if reviewed && expected(payload, coin)? != *amount {
        return Err(TransactionError::Unsafe { what: "the payment is not of to_amount" });
    }
    let partial =
        matches!(object::get(fields, "Flags"), Some(Value::Number(flags)) if flags & PARTIAL_PAYMENT != 0);
    if partial && object::get(fields, "DeliverMin") != Some(&Value::Amount(*amount)) {
        return Err(TransactionError::Unsafe { what: "a partial payment may deliver less than its amount" });
    }
    Ok(())
}

fn expected(payload: &KeysignPayload, coin: &Coin) -> Result<Money, TransactionError> {
    if coin.is_native_token {
        return Money::drops("to_amount", &payload.to_amount);
    }
    let (currency, issuer) = token(coin)?;
    Ok(Money::Issued { value: units(payload, coin)?, currency, issuer })
}

/// A swap is paid with `to_address` and `to_amount`, which its payload must not contradict.
fn check_swap(payload: &KeysignPayload) -> Result<(), TransactionError> {
    let (to, amount) = match &payload.swap_payload {
        None => return Ok(()),
        Some(SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap)) => {
            (&swap.vault_address, &swap.from_amount)
        }
        Some(SwapPayload::SwapkitSwapPayload(swap)) if swap.tx_payload.is_empty() => {
            (&swap.target_address, &swap.from_amount)
        }
        Some(_) => return Err(TransactionError::Unsupported { what: "this swap on Ripple" }),
    };
    if !to.is_empty() && *to != payload.to_address {
        return Err(TransactionError::Unsafe { what: "the swap is paid to another account than to_address" });
    }
    if !amount.is_empty() && *amount != payload.to_amount {
        return Err(TransactionError::Unsafe { what: "the swap sells another amount than to_amount" });
    }
    if payload.coin.as_ref().is_some_and(|coin| !coin.is_native_token) {
        return Err(TransactionError::Unsupported { what: "a swap of a token on Ripple" });
    }
    Ok(())
}
