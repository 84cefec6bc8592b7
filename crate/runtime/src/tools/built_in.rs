//! The built-in tools as records: one bundle, `wallet`, whose content is compiled in.

use super::{BundleId, ToolKey};
use crate::store::json;
use crate::tool::{Category, Consequence, Definition, built_in_definitions};
use derive::ToJson;
use serde_json::Value;
use std::borrow::Cow;
use wire::api::Millis;
use wire::tool_index::BundleRow;

/// The bundle's id.
pub(super) const BUNDLE: &str = "019a0000-0000-7000-8000-000000000001";
/// The version of every tool.
const VERSION: &str = "v1";
/// When all of it was made.
const MADE: &str = "2026-01-01T00:00:00.000Z";
const MADE_AT: u64 = 1_767_225_600_000;

/// Whether a bundle is compiled in.
pub(super) fn is_bundle(id: &BundleId) -> bool {
    id.as_str() == BUNDLE
}

/// The bundle.
pub(super) fn bundle() -> BundleRow {
    BundleRow {
        id: BUNDLE.to_owned(),
        slug: "wallet".to_owned(),
        display_name: "Wallet".to_owned(),
        description: "What the wallet does by itself.".to_owned(),
        created_at: MADE_AT,
        modified_at: MADE_AT,
        soft_deleted_at: None,
    }
}

/// A built-in tool's id, by its place among them.
fn id(place: usize) -> String {
    format!("019a0000-0000-7000-8000-0000000001{place:02x}")
}

/// Whether an id is a built-in tool's.
pub(super) fn has(tool_id: &str) -> bool {
    built_in_definitions().enumerate().any(|(place, _)| id(place) == tool_id)
}

fn slug(definition: &Definition) -> String {
    definition.name.replace('_', "-")
}

/// The id of the tool of a key.
pub(super) fn id_of(key: &ToolKey) -> Option<String> {
    let place = built_in_definitions().position(|tool| slug(tool) == key.slug)?;
    (key.version == VERSION).then(|| id(place))
}

/// The name of the tool of a key.
pub(super) fn name_of(key: &ToolKey) -> Option<&'static str> {
    let is_own = is_bundle(&key.bundle) && key.version == VERSION;
    let found = built_in_definitions().find(|tool| is_own && slug(tool) == key.slug)?;
    match &found.name {
        Cow::Borrowed(name) => Some(name),
        Cow::Owned(_) => None,
    }
}

/// What people call a tool.
pub(super) fn title(name: &str) -> String {
    let mut title = name.replace('_', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// The id of the tool of a name.
pub(super) fn id_of_name(name: &str) -> Option<String> {
    built_in_definitions().position(|tool| tool.name == name).map(id)
}

/// A built-in's record.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    schema_version: &'a str,
    id: String,
    #[serde(rename = "bundleID")]
    bundle_id: &'a str,
    slug: String,
    version: &'a str,
    display_name: String,
    description: &'a str,
    tags: Vec<String>,
    #[serde(rename = "type")]
    kind: &'a str,
    arg_schema: Value,
    #[serde(rename = "impl")]
    implementation: Implementation<'a>,
    category: Category,
    consequence_level: Consequence,
    requires_confirmation: bool,
    timeout: Millis,
    depends_on: Vec<String>,
    max_calls_per_minute: Option<u32>,
    created_at: &'a str,
    modified_at: &'a str,
}

#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Implementation<'a> {
    go_func: &'a str,
}

fn record(place: usize, definition: &Definition) -> String {
    let slug = slug(definition);
    let display_name = title(&definition.name);
    json(&Record {
        schema_version: "2026-11-01",
        id: id(place),
        bundle_id: BUNDLE,
        slug,
        version: VERSION,
        display_name,
        description: &definition.description,
        tags: definition.tags.to_vec(),
        kind: "local",
        arg_schema: definition.schema.json(),
        implementation: Implementation { go_func: &definition.name },
        category: definition.category,
        consequence_level: definition.consequence,
        requires_confirmation: definition.requires_confirmation,
        timeout: definition.timeout,
        depends_on: definition.depends_on.to_vec(),
        max_calls_per_minute: None,
        created_at: MADE,
        modified_at: MADE,
    })
}

/// The record of a tool, by its id.
pub(super) fn record_of(tool_id: &str) -> Option<String> {
    let (place, tool) = built_in_definitions().enumerate().find(|(place, _)| id(*place) == tool_id)?;
    Some(record(place, tool))
}

/// The records of all, a line each.
pub(super) fn records() -> String {
    let records = built_in_definitions().enumerate().map(|(place, tool)| record(place, tool));
    records.collect::<Vec<_>>().join("\n")
}
