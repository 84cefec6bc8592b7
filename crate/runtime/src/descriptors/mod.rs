//! Descriptors of contracts (ERC-7730), in packs that the user brings in.
//!
//! A descriptor is the word of others about a contract. What it says of a transaction or a message is stored beside what
//! the bytes show ([`wire::descriptor::Description`]) and is read by nothing that decides: neither the policy nor the
//! consent's digest of the bytes depends on it. A pack is pinned by the digest of its bytes; what an address gives is taken
//! only with the digest that the user was shown.
//!
//! The only writer of `descriptors`. All of it is later code.

mod compare;
mod describe;
mod error;
mod packs;

pub(crate) use describe::{describe_steps, describe_typed_data};
pub(crate) use error::PackError;
pub(crate) use packs::{add, list, remove};

use crate::Core;
use crate::store::{Range, Reads, StoreError, owned_tables};
use derive::Record;
use serde_json::Value;
use std::collections::BTreeMap;
use wire::api::Millis;
use wire::descriptor::{DescriptorPack, PackSource};

owned_tables! {
    /// Pack id → a pack of descriptors.
    PACKS: DescriptorPacksRight = DescriptorPacks, PackRow;
    /// Pack id and place → a descriptor with its includes merged.
    DOCUMENTS: DescriptorDocumentsRight = DescriptorDocuments, DocumentRow;
    /// What a descriptor is about (`call/1/0x…`), pack id and place → the key of the document.
    KEYS: DescriptorKeysRight = DescriptorKeys, String;
}

/// Packs that the user may have.
const MAX_PACKS: usize = 16;

/// Descriptors of one contract that are looked at.
const MAX_FOUND: u32 = 16;

/// A pack on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PackRow {
    id: String,
    name: String,
    source: PackSource,
    digest: String,
    count: u32,
    added_at: Millis,
}

impl From<PackRow> for DescriptorPack {
    fn from(row: PackRow) -> Self {
        let PackRow { id, name, source, digest, count, added_at } = row;
        Self { id, name, source, digest, count, added_at }
    }
}

/// A descriptor on disk.
#[derive(Debug, Clone, PartialEq, Record)]
pub(crate) struct DocumentRow {
    path: String,
    keys: Vec<String>,
    document: Value,
}

/// A descriptor that was found, and the pack it is from.
struct Found {
    /// The key of its document.
    key: String,
    pack: PackRow,
    path: String,
    document: Value,
}

/// Whether there is any pack: without one nothing is looked up and no later code is loaded.
pub(crate) async fn any(core: &Core) -> Result<bool, StoreError> {
    let mut reads = Reads::new();
    let packs = reads.scan(PACKS, Range::all().first(1));
    Ok(!reads.from(core.database.store()).await?.rows(&packs).is_empty())
}

/// The descriptors under any of these keys, of the oldest pack first.
async fn find(core: &Core, keys: &[String]) -> Result<Vec<Found>, StoreError> {
    let mut reads = Reads::new();
    let packs = reads.scan(PACKS, Range::all());
    let wanted = |key: &String| Range::prefix([key, "/"].concat()).first(MAX_FOUND);
    let places: Vec<_> = keys.iter().map(|key| reads.scan(KEYS, wanted(key))).collect();
    let snapshot = reads.from(core.database.store()).await?;
    let packs: BTreeMap<String, PackRow> =
        snapshot.many(packs)?.into_iter().map(|row| (row.record.id.clone(), row.record)).collect();
    let mut documents = Vec::new();
    for places in places {
        documents.extend(snapshot.many(places)?.into_iter().map(|row| row.record));
    }
    documents.sort();
    documents.dedup();
    let mut reads = Reads::new();
    let slots: Vec<_> = documents.iter().map(|key| reads.get(DOCUMENTS, key)).collect();
    let snapshot = reads.from(core.database.store()).await?;
    let mut found = Vec::new();
    for (key, slot) in documents.into_iter().zip(slots) {
        let pack = key.split('/').next().and_then(|id| packs.get(id)).cloned();
        if let (Some(pack), Some(row)) = (pack, snapshot.one(slot)?) {
            let DocumentRow { path, document, .. } = *row.record;
            found.push(Found { key, pack, path, document });
        }
    }
    found.sort_by_key(|found| found.pack.added_at);
    Ok(found)
}
