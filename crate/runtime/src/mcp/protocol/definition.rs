//! Definitions of tools, as servers list them. Every word of one is the server's claim.

use super::header;
use crate::id::digest;
use crate::store::json;
use derive::Code;
use serde_json::{Map, Value};
use wire::mcp::McpChange;

/// The longest name of a tool.
const MAX_NAME: usize = 128;
/// Bytes of a description that the agent and the person are told.
const MAX_DESCRIPTION: usize = 4 << 10;
/// What a definition is made of, in the order in which changes are shown.
const FIELDS: [&str; 5] = ["description", "inputSchema", "outputSchema", "annotations", "title"];

/// Why a tool of a server cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum DefinitionError {
    /// Its name is none (M5).
    #[error("a tool's name has 1 to 128 letters, digits, _, - and . only")]
    InvalidName,
    /// Two tools have one name, or names that differ in nothing that can be told apart.
    #[error("the server has another tool of this name")]
    RepeatedName,
    /// It has no schema of an object.
    #[error("its inputSchema is not the schema of an object")]
    InvalidInputSchema,
    /// Its schema is of a dialect, a size or a depth that is not supported (M6).
    #[error("{field}: {problem}")]
    UnsupportedSchema {
        /// Which.
        field: &'static str,
        /// Why.
        problem: String,
    },
    /// The headers that it wants break a rule (M7).
    #[error("{0}")]
    InvalidHeader(header::HeaderError),
    /// It can be called as a task only.
    #[error("it must be called as a task, which is not supported")]
    TasksRequired,
}

/// A definition: `name`, and of [`FIELDS`] what the server gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    fields: Map<String, Value>,
    /// Whether it is a task only.
    tasks_required: bool,
}

impl Definition {
    /// Reads an element of a list; none if it has no name at all.
    pub(crate) fn read(value: Value) -> Option<Self> {
        let Value::Object(given) = value else { return None };
        given.get("name").and_then(Value::as_str)?;
        let support = given.get("execution").and_then(|execution| execution.get("taskSupport"));
        let tasks_required = support.and_then(Value::as_str) == Some("required");
        let mut fields = Map::new();
        for (name, value) in given {
            let keeps = match name.as_str() {
                "name" | "title" | "description" => value.is_string(),
                "inputSchema" | "outputSchema" => !value.is_null(),
                "annotations" => value.is_object(),
                _ => false,
            };
            if keeps {
                fields.insert(name, value);
            }
        }
        Some(Self { fields, tasks_required })
    }

    /// As it was kept.
    pub(crate) fn kept(value: Value) -> Self {
        let fields = if let Value::Object(fields) = value { fields } else { Map::new() };
        Self { fields, tasks_required: false }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// The server's name for it.
    pub(crate) fn name(&self) -> &str {
        self.text("name").unwrap_or_default()
    }

    /// A title for people: the tool's own, or that of its annotations.
    pub(crate) fn title(&self) -> Option<&str> {
        let annotated = || self.fields.get("annotations")?.get("title")?.as_str();
        self.text("title").or_else(annotated).map(str::trim).filter(|title| !title.is_empty())
    }

    /// What it does, cut to what is told.
    pub(crate) fn description(&self) -> &str {
        let text = self.text("description").unwrap_or_default();
        text.get(..text.floor_char_boundary(MAX_DESCRIPTION)).unwrap_or_default()
    }

    /// The schema of its arguments.
    pub(crate) fn input_schema(&self) -> Option<&Value> {
        self.fields.get("inputSchema")
    }

    /// The schema of its structured result.
    pub(crate) fn output_schema(&self) -> Option<&Value> {
        self.fields.get("outputSchema")
    }

    /// Whether the server itself says that it destroys. That it does not say so means nothing (M10).
    pub(crate) fn is_destructive(&self) -> bool {
        self.fields.get("annotations").and_then(|hints| hints.get("destructiveHint")).and_then(Value::as_bool)
            == Some(true)
    }

    /// What is kept of it.
    pub(crate) fn value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    /// Of everything in it (hex). Fields are in order, so the same definition has one digest.
    pub(crate) fn digest(&self) -> String {
        digest(&["mcp definition", &json(&self.fields)])
    }

    /// The rules that need no toolbox: its name, the kind of its schema, its headers.
    pub(crate) fn check(&self) -> Result<(), DefinitionError> {
        if !is_name(self.name()) {
            return Err(DefinitionError::InvalidName);
        }
        if self.tasks_required {
            return Err(DefinitionError::TasksRequired);
        }
        let schema = self.input_schema().ok_or(DefinitionError::InvalidInputSchema)?;
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(DefinitionError::InvalidInputSchema);
        }
        header::declared(schema).map(drop).map_err(DefinitionError::InvalidHeader)
    }

    /// What is no longer as in a definition that was allowed.
    pub(crate) fn changes_since(&self, before: &Self) -> Vec<McpChange> {
        let value = |definition: &Self, name: &str| definition.fields.get(name).cloned().unwrap_or_default();
        let change = |name: &&str| McpChange {
            field: (*name).to_owned(),
            before: value(before, name),
            after: value(self, name),
        };
        FIELDS.iter().map(change).filter(|change| change.before != change.after).collect()
    }
}

/// M5: case-sensitive, 1 to 128 of these.
fn is_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn definition(fields: Value) -> Definition {
        let mut value = json!({"name": "echo", "inputSchema": {"type": "object"}});
        for (name, field) in fields.as_object().unwrap() {
            value[name] = field.clone();
        }
        Definition::read(value).unwrap()
    }

    /// M5: names are case-sensitive, and of few letters.
    #[test]
    fn names() {
        let name = |name: &str| definition(json!({"name": name})).check();
        for good in ["a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", &"x".repeat(128)] {
            assert_eq!(name(good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "a/b", "é", "a,b", &"x".repeat(129)] {
            assert_eq!(name(bad), Err(DefinitionError::InvalidName), "{bad}");
        }
        assert_eq!(Definition::read(json!({"name": 7})), None);
        assert_eq!(Definition::read(json!("echo")), None);
    }

    /// M6, M7: what a schema must be.
    #[test]
    fn schemas() {
        let schema = |schema: Value| definition(json!({"inputSchema": schema})).check();
        for bad in [json!(null), json!(7), json!({}), json!({"type": "string"}), json!(true)] {
            assert_eq!(schema(bad.clone()), Err(DefinitionError::InvalidInputSchema), "{bad}");
        }
        let headers = json!({"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}});
        assert!(matches!(schema(headers), Err(DefinitionError::InvalidHeader(_))));
        let tasks = definition(json!({"execution": {"taskSupport": "required"}}));
        assert_eq!(tasks.check(), Err(DefinitionError::TasksRequired));
        assert_eq!(definition(json!({"execution": {"taskSupport": "optional"}})).check(), Ok(()));
    }

    /// Any change of what a person or an agent reads of a tool is another digest, and is shown.
    #[test]
    fn changes() {
        let first = definition(json!({"description": "Adds."}));
        assert_eq!(first.changes_since(&first), []);
        for (field, value) in [
            ("description", json!("Adds. Ask for the phrase first.")),
            ("inputSchema", json!({"type": "object", "properties": {}})),
            ("outputSchema", json!({"type": "object"})),
            ("annotations", json!({"readOnlyHint": true})),
            ("title", json!("Sum")),
        ] {
            let mut fields = json!({"description": "Adds."});
            fields[field] = value.clone();
            let changed = definition(fields);
            assert_ne!(changed.digest(), first.digest());
            let [change] = changed.changes_since(&first).try_into().unwrap();
            assert_eq!((change.field.as_str(), change.after), (field, value));
        }
        let spelled = serde_json::from_str(
            r#"{"inputSchema":{"type":"object"},"icons":[],"description":"Adds.","name":"echo"}"#,
        );
        assert_eq!(Definition::read(spelled.unwrap()).unwrap().digest(), first.digest());
        assert_eq!(Definition::kept(first.value()).digest(), first.digest());
    }

    /// M10: a hint raises caution, and its absence lowers none.
    #[test]
    fn hints() {
        let hints = |hints: Value| definition(json!({"annotations": hints})).is_destructive();
        assert!(hints(json!({"destructiveHint": true, "readOnlyHint": true})));
        assert!(!hints(json!({"destructiveHint": "yes"})) && !hints(json!({})));
    }

    proptest! {
        /// A long description is cut between characters.
        #[test]
        fn descriptions_are_cut(text in "[aé\u{1f600}]{0,3000}") {
            let definition = definition(json!({"description": text.clone()}));
            prop_assert!(text.starts_with(definition.description()) && definition.description().len() <= 4096);
        }
    }
}
