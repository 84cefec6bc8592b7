//! `unsigned_tx_hex` of a UTXO chain is a PSBT, version 0.

use super::psbt;
use super::rules::Digest;
use super::spend::Owner;
use crate::TransactionError;
use crate::transaction::{Account, Role, Transaction};
use crate::unsigned::Context;

const FIELD: &str = "unsigned_tx_hex";

/// The transaction, if every input is the account's.
pub(crate) fn transaction(
    bytes: &[u8],
    account: &Account,
    context: &Context,
) -> Result<Transaction, TransactionError> {
    let owner = Owner::of(account)?;
    // What Zcash's signatures cover is not all in the bytes, and raw bytes come without the rest.
    if owner.rules.digest == Digest::Zcash {
        return Err(TransactionError::UnsupportedUnsignedTx { chain: account.chain });
    }
    if let Some(stated) = &context.chain_id
        && crate::Chain::parse(stated) != Some(account.chain)
    {
        let expected = account.chain.to_string();
        return Err(TransactionError::ChainMismatch { expected, found: stated.clone() });
    }
    if let Some(stated) = context.tx_type.as_deref().filter(|stated| !stated.eq_ignore_ascii_case("psbt")) {
        let (expected, found) = (stated.to_owned(), "psbt".to_owned());
        return Err(TransactionError::TxTypeMismatch { expected, found });
    }
    let spend = psbt::spend(FIELD, bytes, &owner, [0; 4])?;
    Ok(Transaction::new(account, Role::Main, spend))
}
