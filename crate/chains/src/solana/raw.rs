//! Not written yet.

use crate::TransactionError;
use crate::transaction::{Account, Transaction};

pub(crate) fn transaction(bytes: &[u8], account: &Account) -> Result<Transaction, TransactionError> {
    let _ = (bytes, account);
    Err(TransactionError::Unsupported { what: "solana" })
}
