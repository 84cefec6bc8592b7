//! Definitions of a server as records of the tool store.

use super::protocol::definition::{Definition, DefinitionError};
use super::row::{ProblemRow, ServerRow};
use crate::Core;
use crate::id::digest;
use serde_json::{Map, Value, json};
use wire::failure::Failure;
use wire::toolbox::{Reply, Request, ToolboxError};

/// All the time that a call has, without that of the person.
const TIMEOUT: u64 = 300_000;
/// Letters of a slug before what tells it apart.
const SLUG: usize = 40;
/// Letters of a display name.
const DISPLAY_NAME: usize = 128;

/// What becomes of a server's list.
#[derive(Default)]
pub(super) struct Made {
    pub(super) records: Vec<Map<String, Value>>,
    /// Tools that cannot be called.
    pub(super) problems: Vec<ProblemRow>,
}

/// The records of the definitions that can be called, and why others cannot. Those that the user does not want are left out.
pub(super) async fn make(
    core: &Core,
    server: &ServerRow,
    definitions: Vec<Definition>,
) -> Result<Made, ToolboxError> {
    let mut made = Made::default();
    let mut slugs: Vec<String> = Vec::new();
    for definition in definitions.into_iter().filter(|definition| server.allows(definition.name())) {
        let slug = slug(definition.name());
        let checked = match check(core, &definition).await? {
            Ok(()) if slugs.contains(&slug) => Err(DefinitionError::RepeatedName),
            checked => checked,
        };
        match checked {
            Ok(()) => {
                made.records.push(record(server, &definition, &slug));
                slugs.push(slug);
            }
            Err(error) => made.problems.push(ProblemRow {
                name: definition.name().chars().take(DISPLAY_NAME).collect(),
                description: definition.description().to_owned(),
                digest: definition.digest(),
                problem: Failure::of(error.code(), &error).to_string(),
            }),
        }
    }
    Ok(made)
}

/// M5, M6, M7: what a definition must be.
async fn check(core: &Core, definition: &Definition) -> Result<Result<(), DefinitionError>, ToolboxError> {
    if let Err(error) = definition.check() {
        return Ok(Err(error));
    }
    let schemas = [("inputSchema", definition.input_schema()), ("outputSchema", definition.output_schema())];
    for (field, schema) in schemas {
        let Some(schema) = schema else { continue };
        match core.ports.toolbox.ask(Request::CheckSchema { schema: schema.clone() }).await {
            Ok(Reply::Done {}) => {}
            Err(error) if error.code == ToolboxError::UNAVAILABLE => return Err(error),
            Err(error) => {
                return Ok(Err(DefinitionError::UnsupportedSchema { field, problem: error.message }));
            }
            Ok(_) => return Err(ToolboxError::unavailable()),
        }
    }
    Ok(Ok(()))
}

/// M5: what the agent calls a tool: the user's name for the server, then the server's name for the tool.
pub(super) fn callable_as(server: &ServerRow, tool: &str) -> String {
    [&server.key, "__", tool].concat()
}

/// A slug of the name; one that is not the name itself has a part of the name's digest, so that no two names share one.
fn slug(name: &str) -> String {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.len() <= SLUG && name.bytes().all(letter) {
        return name.to_owned();
    }
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let readable: String = name.chars().take(SLUG).map(letter).collect();
    [&readable, "-", digest(&["mcp slug", name]).get(..10).unwrap_or_default()].concat()
}

/// The record of a tool. Another definition, or another name of the server's, is another version.
fn record(server: &ServerRow, definition: &Definition, slug: &str) -> Map<String, Value> {
    let name = callable_as(server, definition.name());
    let version = digest(&["mcp version", &name, &definition.digest()]);
    let version = ["d", version.get(..16).unwrap_or_default()].concat();
    let destructive = definition.is_destructive();
    let display_name = definition.title().unwrap_or(definition.name());
    let description = match definition.description().trim() {
        "" => format!("A tool of the MCP server {}.", server.name),
        description => description.to_owned(),
    };
    let mut record = json!({
        "schemaVersion": "2026-11-01",
        "bundleID": server.id,
        "slug": slug,
        "version": version,
        "name": name,
        "displayName": display_name.chars().take(DISPLAY_NAME).collect::<String>(),
        "description": description,
        "tags": ["mcp"],
        "isEnabled": true,
        "isBuiltIn": false,
        "category": "side_effect",
        "consequenceLevel": if destructive { "high" } else { "medium" },
        "requiresConfirmation": destructive,
        "timeout": TIMEOUT,
        "maxCallsPerMinute": null,
        "argSchema": definition.input_schema(),
        "dependsOn": [],
        "visible": false,
        "type": "mcp",
        "impl": { "serverId": server.id, "tool": definition.name(), "definition": definition.value() },
    });
    if let (Some(schema), Some(fields)) = (definition.output_schema(), record.as_object_mut()) {
        fields.insert("outputSchema".to_owned(), schema.clone());
    }
    if let Value::Object(record) = record { record } else { Map::new() }
}

/// The definition in a record.
pub(super) fn definition_of(record: &Value) -> Option<Definition> {
    Some(Definition::kept(record.get("impl")?.get("definition")?.clone()))
}

#[cfg(test)]
mod tests {
    use super::slug;

    /// M5: names that differ in case or in a mark are tools of their own.
    #[test]
    fn slugs() {
        assert_eq!(slug("get-sum"), "get-sum");
        let others = ["get_sum", "get.sum", "Get-sum", "getSum", &"x".repeat(128), &"x".repeat(127)];
        let slugs: Vec<String> = others.iter().map(|name| slug(name)).collect();
        for (place, one) in slugs.iter().enumerate() {
            assert!(one.len() <= 64 && one.starts_with(|letter: char| letter.is_ascii_lowercase()), "{one}");
            assert!(!slugs.iter().skip(place + 1).any(|other| other == one) && one != "get-sum", "{one}");
        }
    }
}
