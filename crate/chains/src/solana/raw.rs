//! A prebuilt transaction, for the account to pay and sign.

use super::{Slots, base58};
use crate::TransactionError;
use crate::transaction::{Account, Role, Transaction};

const FIELD: &str = "unsigned_tx_hex";

/// Reads a serialized transaction, legacy or version 0, whose own slot is to be filled.
pub(crate) fn transaction(bytes: &[u8], account: &Account) -> Result<Transaction, TransactionError> {
    let slots = Slots::decode(FIELD, bytes)?;
    account.check(&slots.message.payer().map(base58).unwrap_or_default())?;
    Ok(Transaction::new(account, Role::Main, slots.claim(FIELD, account)?))
}
