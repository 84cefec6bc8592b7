//! Why the store did not do as asked.

/// Why the store did not do as asked. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A precondition did not hold: somebody else was faster. Read again and decide again.
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
    Unavailable(String),
}

impl StoreError {
    /// Stable code for boundaries.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::SchemaTooNew { .. } => "schema_too_new",
            Self::Corrupt { .. } => "corrupt_record",
            Self::Unavailable(_) => "storage_unavailable",
        }
    }
}
