//! Not written yet.

use crate::TransactionError;
use crate::transaction::{Account, Transaction};
use wire::keysign::KeysignPayload;

pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let _ = (payload, account);
    Err(TransactionError::Unsupported { what: "cosmos" })
}
