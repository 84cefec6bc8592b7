//! Not written yet.

use crate::TransactionError;
use crate::transaction::{Account, Transaction};

pub(crate) fn transaction(
    bytes: &[u8],
    account: &Account,
    _context: &crate::unsigned::Context,
) -> Result<Transaction, TransactionError> {
    let _ = (bytes, account);
    Err(TransactionError::Unsupported { what: "utxo" })
}
