//! Prebuilt transactions: BCS `TransactionData` (D14), signed as it is.

use super::Programmable;
use crate::TransactionError;
use crate::transaction::{Account, Role, Transaction};

/// The transaction in `bytes`, if `account` signs and pays for it.
pub(crate) fn transaction(bytes: &[u8], account: &Account) -> Result<Transaction, TransactionError> {
    let unsigned = Programmable::read("unsigned_tx_hex", bytes, account)?;
    Ok(Transaction::new(account, Role::Main, unsigned))
}
