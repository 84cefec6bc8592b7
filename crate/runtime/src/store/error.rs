//! Why the store did not do as asked.

use derive::Code;

/// Why the store did not do as asked. Nothing was changed.
///
/// Two words, since every operation hands it on at every step: copies of what is in it weighed kilobytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum StoreError {
    /// A precondition did not hold: somebody else was faster. Read again and decide again.
    #[error("{}/{} changed in the meantime", .0.table, .0.key)]
    Conflict(Box<RecordPlace>),
    /// The data were written by a newer version of the extension.
    #[error("the data have version {}, this version of the extension knows {}: update the extension", .0.found, .0.known)]
    SchemaTooNew(Box<Versions>),
    /// A record cannot be read.
    #[error("{}/{} cannot be read: {}", .0.place.table, .0.place.key, .0.reason)]
    #[code("corrupt_record")]
    Corrupt(Box<Corruption>),
    /// The disk is full, the database is blocked, the browser says no.
    #[error("the browser's storage failed: {0}")]
    #[code("storage_unavailable")]
    Unavailable(Box<String>),
    /// A part of the core that the work needs could not be loaded. Not of the storage, but met in the same way: nothing was
    /// written, and the work is tried again.
    #[error("a part of the extension could not be loaded: {0}")]
    #[code("part_unavailable")]
    PartUnavailable(Box<String>),
}

/// Where a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPlace {
    /// The table's name.
    pub table: &'static str,
    /// The key.
    pub key: String,
}

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corruption {
    /// Where it is.
    pub place: RecordPlace,
    /// What the parser said.
    pub reason: String,
}

/// Versions of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    /// On disk.
    pub found: u32,
    /// The newest known here.
    pub known: u32,
}

impl StoreError {
    /// The record changed since it was read.
    pub fn conflict(table: &'static str, key: &str) -> Self {
        Self::Conflict(Box::new(RecordPlace { table, key: key.to_owned() }))
    }

    /// The record cannot be read.
    pub fn corrupt(table: &'static str, key: &str, reason: String) -> Self {
        let place = RecordPlace { table, key: key.to_owned() };
        Self::Corrupt(Box::new(Corruption { place, reason }))
    }

    /// The data are of a newer version.
    pub fn too_new(found: u32, known: u32) -> Self {
        Self::SchemaTooNew(Box::new(Versions { found, known }))
    }

    /// The storage failed.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable(Box::new(reason.into()))
    }

    /// A part of the core could not be loaded.
    pub fn part_unavailable(reason: impl Into<String>) -> Self {
        Self::PartUnavailable(Box::new(reason.into()))
    }
}
