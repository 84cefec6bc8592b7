//! The batches on disk: which bundle a web page's id names, and the receipts of those that are settled.

use crate::database::Database;
use crate::id::digest;
use crate::store::{self, Batch, Durability, Range, StoreError, Stored, owned_tables};
use derive::Record;
use std::rc::Rc;
use wire::api::Millis;
use wire::calls::BatchKind;
use wire::evm::EvmReceipt;

owned_tables! {
    /// Digest of origin and batch id → a batch of a web page.
    CALL_BATCHES: CallBatchesRight = CallBatches, CallBatchRow;
}

/// A batch is known this long. EIP-5792 asks for a day.
const KEPT: Millis = 7 * 24 * 60 * 60 * 1000;
/// Receipts that are larger together, as JSON, are asked for each time.
const LARGEST_KEPT: usize = 512 << 10;

/// A batch on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallBatchRow {
    /// The page.
    pub(crate) origin: String,
    /// As the page knows it.
    pub(crate) id: String,
    /// By which method it came.
    pub(crate) kind: BatchKind,
    /// The call, which is also the bundle.
    pub(crate) call_id: String,
    /// Canonical name of the chain, where there is one.
    pub(crate) chain: Option<String>,
    /// How many calls it has.
    pub(crate) calls: u32,
    /// When it was asked for.
    pub(crate) created_at: Millis,
    /// Of every transaction that is in a block, once all are settled.
    #[record(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) receipts: Vec<EvmReceipt>,
}

/// Batches of web pages. The only writer of `call_batches`.
pub(crate) struct CallBatches {
    database: Rc<Database>,
}

fn key(origin: &str, id: &str) -> String {
    digest(&["batch", origin, id])
}

impl CallBatches {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// A batch of a page, by the page's id.
    pub(crate) async fn get(
        &self,
        origin: &str,
        id: &str,
    ) -> Result<Option<Stored<CallBatchRow>>, StoreError> {
        let found = store::get(self.database.store(), CALL_BATCHES, &key(origin, id)).await?;
        Ok(found.filter(|row| row.record.origin == origin && row.record.id == id))
    }

    /// The batch that became a call, or that some page knows by an id.
    pub(crate) async fn find(&self, id: &str) -> Result<Option<Stored<CallBatchRow>>, StoreError> {
        let rows = store::scan(self.database.store(), CALL_BATCHES, Range::all()).await?;
        let mut rows: Vec<_> = rows
            .into_iter()
            .filter(|row| [&row.record.call_id, &row.record.id].contains(&&id.to_owned()))
            .collect();
        let place = rows.iter().position(|row| row.record.call_id == id).unwrap_or(0);
        Ok((place < rows.len()).then(|| Stored::from(rows.swap_remove(place))))
    }

    /// The keys of batches that are no longer known.
    pub(crate) async fn old(&self) -> Result<Vec<String>, StoreError> {
        let before = self.database.now().saturating_sub(KEPT);
        let rows = store::scan(self.database.store(), CALL_BATCHES, Range::all()).await?;
        Ok(rows.into_iter().filter(|row| row.record.created_at < before).map(|row| row.key).collect())
    }

    /// Keeps the receipts of a batch whose transactions are all settled. One that changed meanwhile is left alone.
    pub(crate) async fn keep(
        &self,
        row: &Stored<CallBatchRow>,
        receipts: Vec<EvmReceipt>,
    ) -> Result<(), StoreError> {
        let next = CallBatchRow { receipts, ..(*row.record).clone() };
        if store::json(&next).len() > LARGEST_KEPT {
            return Ok(());
        }
        let key = key(&next.origin, &next.id);
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(CALL_BATCHES, &key, Some(&row.text));
        batch.put(CALL_BATCHES, &key, &next);
        match self.database.commit(batch).await {
            Err(StoreError::Conflict { .. }) => Ok(()),
            other => other,
        }
    }
}

/// Stages a new batch, in the place of what `was` under the same id, and that old ones are forgotten.
pub(super) fn stage(row: &CallBatchRow, was: Option<&str>, old: &[String], batch: &mut Batch) {
    let key = key(&row.origin, &row.id);
    batch.expect(CALL_BATCHES, &key, was);
    for old in old.iter().filter(|old| **old != key) {
        batch.delete(CALL_BATCHES, old);
    }
    batch.put(CALL_BATCHES, &key, row);
}
