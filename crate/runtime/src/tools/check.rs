//! What a body must look like: the toolbox says.

use super::run::refused_step;
use super::{BundleId, ToolKey, ToolStoreError, index};
use crate::Core;
use crate::agent::classify::OLD_TYPES;
use crate::store::json;
use crate::tool::built_in_definitions;
use derive::FromJson;
use serde_json::{Map, Value};
use wire::json::from_value;
use wire::tool::iso_time;
use wire::tool_index::NamedDocument;
use wire::toolbox::{Reply, Request, ToolboxError};

/// What a body says of a bundle.
#[derive(Clone, FromJson)]
#[serde(rename_all = "camelCase")]
pub(super) struct GivenBundle {
    pub(super) slug: String,
    pub(super) display_name: String,
    pub(super) description: String,
    pub(super) is_enabled: bool,
}

/// Asks the toolbox; of what is wrong with a record, the first is said.
async fn ask(core: &Core, request: Request) -> Result<Reply, ToolboxError> {
    match core.ports.toolbox.ask(request).await? {
        Reply::Rejected { errors } => {
            Err(errors.into_iter().next().unwrap_or_else(ToolboxError::unavailable))
        }
        reply => Ok(reply),
    }
}

/// Checks the body of a bundle.
pub(super) async fn check_bundle(
    core: &Core,
    id: &BundleId,
    body: Value,
) -> Result<GivenBundle, ToolStoreError> {
    let bundle_id = id.as_str().to_owned();
    match ask(core, Request::CheckBundle { bundle_id, body }).await? {
        Reply::Bundle { record } => Ok(given(record)?),
        _ => Err(ToolboxError::unavailable().into()),
    }
}

/// What the toolbox wrote of a bundle.
pub(super) fn given(record: Map<String, Value>) -> Result<GivenBundle, ToolboxError> {
    from_value(Value::Object(record)).map_err(|_| ToolboxError::unavailable())
}

fn built_in_names() -> impl Iterator<Item = String> {
    built_in_definitions().map(|tool| tool.name.clone().into_owned())
}

/// Functions that a local tool may run: what is about an agent's own records has one name, and no other.
fn functions() -> impl Iterator<Item = String> {
    built_in_definitions().filter(|tool| !tool.own_records).map(|tool| tool.name.clone().into_owned())
}

/// Names that no other tool may have.
pub(super) fn reserved() -> Vec<String> {
    built_in_names().chain(OLD_TYPES.map(str::to_owned)).collect()
}

/// Checks the body of a tool, and makes its record. With what will not be done as it is written, for the person who writes
/// it; advice about names and descriptions is not among it.
pub(super) async fn check_tool(
    core: &Core,
    key: &ToolKey,
    body: Value,
) -> Result<(NamedDocument, Vec<ToolboxError>), ToolStoreError> {
    let request = Request::CheckTool {
        bundle_id: key.bundle.as_str().to_owned(),
        slug: key.slug.clone(),
        version: key.version.clone(),
        body,
        functions: functions().collect(),
        reserved: reserved(),
    };
    let Reply::Tool(checked) = ask(core, request).await? else {
        return Err(ToolboxError::unavailable().into());
    };
    let mut record = checked.record;
    if let Some(refusal) = refused_step(&record) {
        return Err(refusal.into());
    }
    let now = iso_time(core.now());
    for (name, value) in [("id", core.ids.next()), ("createdAt", now.clone()), ("modifiedAt", now)] {
        record.insert(name.to_owned(), Value::String(value));
    }
    let made = index::documents(core, json(&record)).await?;
    let mut warnings = checked.warnings;
    warnings.retain(|warning| warning.code != "unclear_description");
    match made.into_iter().next() {
        Some(made) => Ok((made, warnings)),
        None => Err(ToolboxError::unavailable().into()),
    }
}
