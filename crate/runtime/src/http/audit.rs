//! `/api/audit`: the log for people, its check, and its export.

use super::routes::{PAGE, parameter};
use super::{ApiError, Reply};
use crate::Core;
use crate::audit::Link;
use derive::ToJson;
use wire::json::Raw;
use wire::vault::ExportedFile;

/// A [`wire::audit::AuditPage`], its entries as they are on disk.
#[derive(ToJson)]
struct Page<'a> {
    entries: Vec<Raw<'a>>,
    cursor: Option<u64>,
}

/// Newest first. An entry that cannot be read is left out: the check names it.
pub(super) async fn list(core: &Core, query: &str) -> Result<Reply, ApiError> {
    let before = match parameter(query, "cursor").filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => Some(cursor.parse().map_err(|_| ApiError::invalid("?cursor", "must be a number"))?),
        None => None,
    };
    let (rows, more) = core.database.audit.newest(before, PAGE).await?;
    let cursor = rows.iter().rev().find_map(|row| row.key.parse().ok()).filter(|_| more);
    let whole = rows.iter().map(|row| row.text.as_str()).filter(|line| Link::of(line).is_some());
    let entries = whole.map(Raw).collect();
    Ok(Reply::json(200, &Page { entries, cursor }))
}

pub(super) async fn check(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &core.database.audit.check().await?))
}

/// One entry a line, oldest first, as they are on disk: see [`crate::audit`] for how to check them.
pub(super) async fn export(core: &Core) -> Result<Reply, ApiError> {
    let mut text = core.database.audit.lines().await?;
    if !text.is_empty() {
        text.push('\n');
    }
    let file_name = format!("countersign-audit-{}.jsonl", text.lines().count());
    Ok(Reply::json(200, &ExportedFile { file_name, text }))
}
