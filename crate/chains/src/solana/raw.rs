//! A prebuilt transaction, for the account to pay and sign.

use super::{Slots, base58};
use crate::TransactionError;
use crate::transaction::{Account, Role, Transaction};
use crate::unsigned::{Context, PARTIAL};

const FIELD: &str = "unsigned_tx_hex";

/// Reads a serialized transaction, legacy or version 0, whose own slot is to be filled. One of several signers, which is
/// not sent from here, may be paid for by another and wait for others.
pub(crate) fn transaction(
    bytes: &[u8],
    account: &Account,
    context: &Context,
) -> Result<Transaction, TransactionError> {
    let partial = context.tx_type.as_deref() == Some(PARTIAL);
    let slots = Slots::decode(FIELD, bytes)?;
    if !partial {
        account.check(&slots.message.payer().map(base58).unwrap_or_default())?;
    }
    Ok(Transaction::new(account, Role::Main, slots.claim(FIELD, account, partial)?))
}
