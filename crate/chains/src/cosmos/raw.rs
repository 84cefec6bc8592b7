//! `unsigned_tx_hex` of a Cosmos chain: the protobuf `SignDoc` in direct mode.

use super::proto::{SIGN_DOC, SignDoc};
use super::{Signer, Tx, strict};
use crate::TransactionError;
use crate::transaction::{Account, Role, Transaction};
use crate::unsigned::Context;
use prost::Message as _;

const FIELD: &str = "unsigned_tx_hex";

/// The transaction in `bytes`. They must be the one canonical form of what they say: it is they that are signed.
pub(crate) fn transaction(
    bytes: &[u8],
    account: &Account,
    context: &Context,
) -> Result<Transaction, TransactionError> {
    let doc: SignDoc = strict::decode(FIELD, SIGN_DOC, bytes)?;
    if let Some(expected) = &context.chain_id
        && *expected != doc.chain_id
    {
        return Err(TransactionError::ChainMismatch { expected: expected.clone(), found: doc.chain_id });
    }
    if let Some(expected) = &context.tx_type {
        return Err(TransactionError::TxTypeMismatch {
            expected: expected.clone(),
            found: "SignDoc".to_owned(),
        });
    }
    let key = Signer { account, ml_dsa: None, account_number: 0, sequence: 0 }.key();
    let tx = Tx::direct(doc, account, &key)?;
    let canonical = tx.sign_bytes == bytes
        && tx.body.encode_to_vec() == tx.body_bytes
        && tx.auth_info.encode_to_vec() == tx.auth_info_bytes;
    if !canonical {
        return Err(TransactionError::Malformed { field: FIELD, reason: "is not in canonical form" });
    }
    Ok(Transaction::new(account, Role::Main, tx))
}
