//! Between the core and the toolbox's index of tools: which tools there are, which can be called, and which fit a query.
//!
//! The store holds a *document* for each tool: a text that the toolbox makes of the tool's record, and that the core only
//! hands on. The index is made of all documents when it is first asked something, and follows the store by *stamps*: a
//! text that names a state of the store. An index of another state answers [`IndexReply::Stale`], and is sent the state
//! anew.

use crate::api::Millis;
use derive::Record;

/// What the index is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum IndexRequest {
    /// Brings the index from one state of the store to another. Answered with [`IndexReply::Updated`].
    Update {
        /// The stamp that it must have; without one, it is made anew.
        from: Option<String>,
        /// The stamp that it has then.
        to: String,
        /// What is different, or everything.
        change: IndexChange,
    },
    /// Asks for rows. Answered with [`IndexReply::Tools`], or [`IndexReply::Bundles`] for bundles.
    Find {
        /// The stamp of the state that is asked about.
        at: String,
        /// `settings.allowedHosts`.
        hosts: Vec<String>,
        /// Which rows.
        find: Find,
    },
    /// Makes the documents of records. Answered with [`IndexReply::Documents`].
    Document {
        /// Records of tools, a line each.
        records: String,
    },
}

/// Which rows are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Find {
    /// A page of tools, newest first.
    List {
        /// The query of the request: `tags`, `bundleIDs`, `includeDisabled`, `recommendedPageSize`, `pageToken`.
        query: String,
    },
    /// A page of tools that fit words, best first.
    Search {
        /// The query of the request: `q`, `includeDisabled`, `pageSize`, `pageToken`.
        query: String,
    },
    /// A page of bundles, newest first.
    Bundles {
        /// The query of the request: `bundleIDs`, `includeDisabled`, `pageSize`, `pageToken`.
        query: String,
    },
    /// One bundle, unless it is deleted.
    Bundle {
        /// Its id.
        id: String,
    },
    /// One tool.
    Tool {
        /// Bundle id, slug and version.
        key: String,
    },
    /// The tools of a name: the one that is called by it first, then those that can be called, newest first.
    Named {
        /// What an agent calls it.
        name: String,
    },
    /// Every tool that can be called: of several of one name the one that is called by it.
    Callable {},
}

/// What is different between two states of the store. Several texts are lines of one, since one long text crosses a border
/// sooner than many short ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub struct IndexChange {
    /// Records of the built-in tools, a line each; only when the index is made anew.
    #[record(default)]
    pub built_in: String,
    /// Documents that are new, a line each.
    #[record(default)]
    pub tools: String,
    /// Keys of tools that are gone.
    #[record(default)]
    pub removed_tools: Vec<String>,
    /// Bundles that are new or changed, a line each.
    #[record(default)]
    pub bundles: String,
    /// Ids of bundles that are gone.
    #[record(default)]
    pub removed_bundles: Vec<String>,
    /// Ids of tools and bundles that were switched off.
    #[record(default)]
    pub disabled: Vec<String>,
    /// Ids of those that were switched on again.
    #[record(default)]
    pub enabled: Vec<String>,
}

/// What the index answers.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum IndexReply {
    /// It has the new stamp.
    Updated {},
    /// It has another stamp than was asked about.
    Stale {},
    /// Tools.
    Tools {
        /// In their order.
        tools: Vec<IndexedTool>,
        /// Asks for the next page; none at the end.
        next: Option<String>,
    },
    /// Bundles.
    Bundles {
        /// The elements of the answer, as JSON, in their order.
        bundles: Vec<String>,
        /// Asks for the next page; none at the end.
        next: Option<String>,
    },
    /// Documents.
    Documents {
        /// One for each record, in their order.
        documents: Vec<NamedDocument>,
    },
}

/// A tool of the index.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct IndexedTool {
    /// Bundle id, slug and version.
    pub key: String,
    /// The tool's id.
    pub id: String,
    /// What an agent calls it.
    pub name: String,
    /// Whether its record is compiled in.
    pub is_built_in: bool,
    /// Why it cannot be called; none if it can.
    pub reason: Option<String>,
    /// The fields of an answer that are not in the record, as JSON without braces.
    pub computed: String,
}

/// A record and its document, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct NamedDocument {
    /// Bundle id, slug and version.
    pub key: String,
    /// The tool's id.
    pub id: String,
    /// What an agent calls the tool.
    pub name: String,
    /// Whether the record has the tool switched on.
    pub is_enabled: bool,
    /// The record, without its switch.
    pub record: String,
    /// The document.
    pub text: String,
}

/// A bundle of tools, as it is stored and as the index reads it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub struct BundleRow {
    /// From the sender; UUID version 7.
    pub id: String,
    /// Short name.
    pub slug: String,
    /// Display name.
    pub display_name: String,
    /// What is in it.
    pub description: String,
    /// When it was first put.
    pub created_at: Millis,
    /// When its content last changed.
    pub modified_at: Millis,
    /// When it was deleted, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_deleted_at: Option<Millis>,
}
