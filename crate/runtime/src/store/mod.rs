//! Where records are: ordered tables of text, changed in atomic batches with preconditions.
//!
//! One trait, two back ends (memory here, IndexedDB in `worker`), one test-suite for both ([`suite`]).
//! A record is JSON text under a string key; what it means is known to the module that owns the table.

pub mod memory;
pub mod migration;
mod migrations;
#[cfg(any(test, feature = "suite"))]
pub mod suite;

pub use migration::{Migration, SCHEMA};

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::audit::AuditRecord;

/// The tables. Their names are the stores' names on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Call id → [`wire::api::Call`].
    Calls,
    /// Sender and action id → call id: what has been journaled is never run again.
    Actions,
    /// Lane and call id → nothing: calls that have not ended.
    Pending,
    /// Contact id → contact.
    Contacts,
    /// Vault id, chain and contract → [`wire::coins::Coin`]; a chain's own coin has no contract.
    Coins,
    /// Appended: turns that the backend has not fully answered.
    Outbox,
    /// Appended: [`wire::event::Event`].
    Events,
    /// Conversation id → conversation.
    Conversations,
    /// Conversation id and item id → message, or the mark of a call.
    Timeline,
    /// Prompt id → [`wire::prompt::Prompt`].
    Prompts,
    /// Vault id → [`wire::vault::Vault`], its secrets sealed.
    Vaults,
    /// Vault id, or vault id and call id → what opens the copy of its secret that the session holds.
    Unlocks,
    /// Call id → [`wire::bundle::Bundle`].
    Bundles,
    /// Call id → [`wire::run::Run`].
    Runs,
    /// Call id, place of the step, place of the transaction → [`wire::run::Transmission`].
    Transmissions,
    /// Chain and address → the bundle that uses the account now.
    Accounts,
    /// The key of a transmission that its bundle no longer waits for → when its outcome is looked for next.
    Watched,
    /// Digest of a bundle → when it was last proposed, and as which call.
    Proposals,
    /// Prompt id → what a person approved, by digest; kept as long as it counts.
    Consents,
    /// Limit or tool rule → what was used of it within a day.
    Spending,
    /// Vault id, chain and address → when a payment to it was first approved.
    Payees,
    /// Origin → a web page that may ask.
    Connections,
    /// Number → [`wire::audit::AuditEntry`], sealed to the one before it.
    Audit,
    /// Name → setting.
    Settings,
    /// Table name → last appended key; and what else is counted, such as wrong passwords.
    Counters,
    /// Table name → all its records as lines, for a back end that reads one text sooner than many; never the
    /// only place of anything.
    Snapshots,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 26] = [
        Self::Calls,
        Self::Actions,
        Self::Pending,
        Self::Contacts,
        Self::Coins,
        Self::Outbox,
        Self::Events,
        Self::Conversations,
        Self::Timeline,
        Self::Prompts,
        Self::Vaults,
        Self::Unlocks,
        Self::Bundles,
        Self::Runs,
        Self::Transmissions,
        Self::Accounts,
        Self::Watched,
        Self::Proposals,
        Self::Consents,
        Self::Spending,
        Self::Payees,
        Self::Connections,
        Self::Audit,
        Self::Settings,
        Self::Counters,
        Self::Snapshots,
    ];

    /// The store's name on disk.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Actions => "actions",
            Self::Pending => "pending",
            Self::Contacts => "contacts",
            Self::Coins => "coins",
            Self::Outbox => "outbox",
            Self::Events => "events",
            Self::Conversations => "conversations",
            Self::Timeline => "timeline",
            Self::Prompts => "prompts",
            Self::Vaults => "vaults",
            Self::Unlocks => "unlocks",
            Self::Bundles => "bundles",
            Self::Runs => "runs",
            Self::Transmissions => "transmissions",
            Self::Accounts => "accounts",
            Self::Watched => "watched",
            Self::Proposals => "proposals",
            Self::Consents => "consents",
            Self::Spending => "spending",
            Self::Payees => "payees",
            Self::Connections => "connections",
            Self::Audit => "audit",
            Self::Settings => "settings",
            Self::Counters => "counters",
            Self::Snapshots => "snapshots",
        }
    }
}

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

/// When a batch counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Handed to the operating system: enough for what can be had again.
    Relaxed,
    /// On the medium: for every record that precedes an effect.
    Strict,
}

/// One change of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Writes a record, new or not.
    Put(Table, String, String),
    /// Removes a record, there or not.
    Delete(Table, String),
    /// Writes a record under the table's next number; numbers are never used twice.
    Append(Table, String),
    /// Removes the records whose keys sort before this one.
    DeleteBefore(Table, String),
}

/// Changes that happen together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// What must hold: the text under a key, or its absence.
    pub expected: Vec<(Table, String, Option<String>)>,
    /// What changes, in order.
    pub writes: Vec<Write>,
    /// What the audit log is to tell of it; sealed into `writes` on the way to the store, which knows nothing of it.
    pub notes: Vec<AuditRecord>,
    /// When it counts as done.
    pub durability: Durability,
}

impl Batch {
    /// An empty batch.
    pub const fn new(durability: Durability) -> Self {
        Self { expected: Vec::new(), writes: Vec::new(), notes: Vec::new(), durability }
    }

    /// Only if the record is still as it was read (`None`: still absent).
    pub fn expect(&mut self, table: Table, key: &str, text: Option<&str>) {
        self.expected.push((table, key.to_owned(), text.map(str::to_owned)));
    }

    /// Writes a record.
    pub fn put(&mut self, table: Table, key: &str, record: &impl Serialize) {
        self.writes.push(Write::Put(table, key.to_owned(), json(record)));
    }

    /// Removes a record.
    pub fn delete(&mut self, table: Table, key: &str) {
        self.writes.push(Write::Delete(table, key.to_owned()));
    }

    /// Appends a record.
    pub fn append(&mut self, table: Table, record: &impl Serialize) {
        self.writes.push(Write::Append(table, json(record)));
    }

    /// The tables this batch touches, each once.
    pub fn tables(&self) -> Vec<Table> {
        let touched = |table: &Table| {
            self.expected.iter().any(|(expected, ..)| expected == table)
                || self.writes.iter().any(|write| match write {
                    Write::Append(written, _) => written == table || *table == Table::Counters,
                    Write::Put(written, ..) | Write::Delete(written, _) | Write::DeleteBefore(written, _) => {
                        written == table
                    }
                })
        };
        Table::ALL.into_iter().filter(touched).collect()
    }
}

/// Our own types always serialise: they hold no maps with keys that are not strings.
pub(crate) fn json(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

/// A range of keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Range {
    /// Only keys that begin with this.
    pub prefix: String,
    /// Only keys after this one.
    pub after: Option<String>,
    /// Only keys before this one.
    pub before: Option<String>,
    /// Largest keys first.
    pub descending: bool,
    /// At most so many.
    pub limit: Option<u32>,
}

impl Range {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Keys that begin with `prefix`.
    pub fn prefix(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..Self::default() }
    }

    /// At most `limit`.
    pub fn first(self, limit: u32) -> Self {
        Self { limit: Some(limit), ..self }
    }
}

/// A record with its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Where it is.
    pub key: String,
    /// What it is.
    pub text: String,
}

/// Ordered tables of text.
#[async_trait(?Send)]
pub trait Store {
    /// One record.
    async fn get(&self, table: Table, key: &str) -> Result<Option<String>, StoreError>;
    /// Records with their keys, in order of keys.
    async fn scan(&self, table: Table, range: Range) -> Result<Vec<Row>, StoreError>;
    /// Every record of a table without its key, as lines: the fast way through a large table.
    async fn lines(&self, table: Table) -> Result<String, StoreError>;
    /// Changes everything or nothing; gives the numbers of what was appended, in order.
    async fn commit(&self, batch: Batch) -> Result<Vec<u64>, StoreError>;
}

/// The key of an appended record: numbers that sort as text.
pub fn number_key(number: u64) -> String {
    format!("{number:016}")
}

/// A record as it was read, with the text that a precondition can name.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<T> {
    /// The text on disk.
    pub text: String,
    /// What it says.
    pub record: T,
}

/// Reads the text of a record.
pub fn parse<T: DeserializeOwned>(table: Table, key: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt {
        table: table.name(),
        key: key.to_owned(),
        reason: error.to_string(),
    })
}

/// Reads a record.
pub async fn read<T: DeserializeOwned>(
    store: &dyn Store,
    table: Table,
    key: &str,
) -> Result<Option<Stored<T>>, StoreError> {
    match store.get(table, key).await? {
        Some(text) => Ok(Some(Stored { record: parse(table, key, &text)?, text })),
        None => Ok(None),
    }
}
