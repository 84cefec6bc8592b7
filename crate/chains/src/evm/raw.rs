//! A prebuilt transaction: read strictly, and everything said beside the bytes must agree with them.

use super::rlp::Items;
use super::{EvmTransaction, FIELD, Fields};
use crate::address::evm;
use crate::transaction::{Account, Role, Transaction};
use crate::unsigned::Context;
use crate::{Amount, TransactionError};

pub(crate) fn transaction(
    bytes: &[u8],
    account: &Account,
    context: &Context,
) -> Result<Transaction, TransactionError> {
    let stated = context.chain_id.as_deref().map(chain_id).transpose()?;
    let fields = Fields::decode(bytes, stated)?;
    check_type(&fields, context)?;
    check_chain(&fields, account, stated)?;
    Ok(Transaction::new(account, Role::Main, EvmTransaction { fields }))
}

fn check_type(fields: &Fields, context: &Context) -> Result<(), TransactionError> {
    let found = fields.envelope.name();
    match &context.tx_type {
        Some(expected) if expected != found => {
            Err(TransactionError::TxTypeMismatch { expected: expected.clone(), found: found.to_owned() })
        }
        _ => Ok(()),
    }
}

fn check_chain(fields: &Fields, account: &Account, stated: Option<u64>) -> Result<(), TransactionError> {
    let found = Some(fields.chain_id);
    let mismatch = |expected: String| TransactionError::ChainMismatch {
        expected,
        found: format!("chain id {}", fields.chain_id),
    };
    if account.chain.evm_id() != found {
        return Err(mismatch(account.chain.to_string()));
    }
    match stated {
        Some(stated) if stated != fields.chain_id => Err(mismatch(format!("chain id {stated:#x}"))),
        _ => Ok(()),
    }
}

/// `0x` and hexadecimal digits.
fn chain_id(text: &str) -> Result<u64, TransactionError> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let field = "chain_context.chain_id";
    let malformed = TransactionError::Malformed { field, reason: "is not a number in hex" };
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).ok_or(malformed)
}

/// The error for a type that is not signed here, with its name and what makes it different.
pub(super) fn unsupported(kind: u8, list: &[u8]) -> TransactionError {
    let what = match kind {
        0x03 => format!("EIP-4844 (blob){}", blobs(list).unwrap_or_default()),
        0x04 => format!("EIP-7702 (set code){}", delegations(list).unwrap_or_default()),
        0x71 => "EIP-712 (zkSync)".to_owned(),
        0x7e => "deposit (OP stack)".to_owned(),
        other => format!("type 0x{other:02x}"),
    };
    TransactionError::UnsupportedTxType { what }
}

/// ` with 2 blobs`, if the fields can be read: those of a type-2 transaction, the blobs' fee and hashes.
fn blobs(list: &[u8]) -> Option<String> {
    let mut items = after_dynamic_fee(list)?;
    items.number().ok()?;
    let mut hashes = items.list().ok()?;
    let count = hashes.count().ok()?;
    while !hashes.is_empty() {
        hashes.array::<32>().ok()?;
    }
    items.finish().ok()?;
    Some(format!(" with {count} blobs"))
}

/// ` to 0x…`: whose code the account would run from then on, if the fields can be read.
fn delegations(list: &[u8]) -> Option<String> {
    let mut items = after_dynamic_fee(list)?;
    let mut authorizations = items.list().ok()?;
    items.finish().ok()?;
    let mut delegates = Vec::new();
    while !authorizations.is_empty() {
        // [chainId, address, nonce, yParity, r, s]
        let mut authorization = authorizations.list().ok()?;
        authorization.number().ok()?;
        delegates.push(evm::encode(&authorization.array().ok()?));
        let rest: Result<Vec<Amount>, _> = (0..4).map(|_| authorization.number()).collect();
        rest.ok()?;
        authorization.finish().ok()?;
    }
    (!delegates.is_empty()).then(|| format!(" to {}", delegates.join(", ")))
}

/// What follows the fields that types 3 and 4 share with type 2, which have a receiver always.
fn after_dynamic_fee(list: &[u8]) -> Option<Items<'_>> {
    let mut items = Items::of_list(FIELD, list).ok()?;
    for _ in 0..5 {
        items.number().ok()?;
    }
    items.array::<20>().ok()?;
    items.number().ok()?;
    items.string().ok()?;
    super::access_list(items.list().ok()?).ok()?;
    Some(items)
}
