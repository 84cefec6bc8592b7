//! Why the store did not do as asked.

use derive::Code;

/// Why the store did not do as asked. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum StoreError {
    /// A precondition did not hold: another writer was faster. Read again and decide again.
    #[error("{table}/{key} changed in the meantime")]
    Conflict {
        /// The table's name.
        table: &'static str,
        /// The key.
        key: String,
    },
    /// The data were written by a newer version of the extension.
    #[error(
        "the data have version {found}, this version of the extension knows {known}: update the extension"
    )]
    SchemaTooNew {
        /// The version on disk.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// A record cannot be read.
    #[error("{table}/{key} cannot be read: {reason}")]
    #[code("corrupt_record")]
    Corrupt {
        /// The table's name.
        table: &'static str,
        /// The key.
        key: String,
        /// What the parser said.
        reason: String,
    },
    /// The disk is full, the database is blocked, the browser says no.
    #[error("the browser's storage failed: {0}")]
    #[code("storage_unavailable")]
    Unavailable(String),
}
