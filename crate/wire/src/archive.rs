//! Bundles of tools as ZIP: what an export gives, and what becomes of an import.

use crate::api::ErrorDetail;
use derive::Record;

/// GET `/tools/bundles/{bundle}/export`: a bundle of tools as a ZIP. The same bundle gives the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PackedBundle {
    /// What the archive may be called: `<slug>_<bundle id>.zip`, in ASCII.
    pub file_name: String,
    /// The archive.
    pub base64: String,
    /// Places that look like a secret in clear. They are in the archive.
    pub warnings: Vec<FileProblem>,
}

/// POST `/tools/import`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportedBundle {
    /// The bundle that the tools are in.
    #[serde(rename = "bundleID")]
    pub bundle_id: String,
    /// Tools that are there now, switched off.
    pub imported: Vec<ArchivedTool>,
    /// Tools whose slug and version the bundle had.
    pub skipped: Vec<ArchivedTool>,
}

/// A tool of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ArchivedTool {
    /// Its path in the archive.
    pub file: String,
    /// Short name.
    pub slug: String,
    /// Which of its versions.
    pub version: String,
}

/// The body of the answer about an archive that is not imported, or a bundle that is not exported.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RefusedArchive {
    /// The first problem.
    pub error: ErrorDetail,
    /// All of them.
    pub problems: Vec<FileProblem>,
}

/// Something about a file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileProblem {
    /// Stable, snake_case: `invalid_archive`, `missing_field`, …
    pub code: String,
    /// For a person.
    pub message: String,
    /// The file's path in the archive; absent where the whole archive is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub file: Option<String>,
    /// The place in the file's JSON, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub path: Option<String>,
}
