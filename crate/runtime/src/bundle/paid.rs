//! Who was paid. A party counts as known once a payment to it was confirmed, and from the very batch that records the
//! confirmation: a step that failed, timed out or was stopped leaves nothing, and a crash leaves both or neither.

use super::rows::{BundleRow, Place};
use crate::Core;
use crate::policy::{Payee, stage_payee};
use crate::store::{Batch, StoreError};
use wire::api::Millis;

/// Stages who was paid by a transaction that is confirmed. Written twice it is the same: a row is a party and a time.
pub(super) async fn stage_paid(
    core: &Core,
    bundle: &BundleRow,
    at: Place,
    confirmed: Millis,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let of_transaction = |payee: &&Payee| (payee.step, payee.index) == (at.step, at.index);
    let mut paid = bundle.payees.iter().filter(of_transaction).peekable();
    // What was paid from a vault goes with the vault.
    if paid.peek().is_none() || core.vaults.get(&bundle.vault_id).await?.is_none() {
        return Ok(());
    }
    paid.for_each(|payee| stage_payee(&bundle.vault_id, payee, confirmed, batch));
    Ok(())
}
