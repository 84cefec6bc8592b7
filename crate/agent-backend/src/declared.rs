//! The tools that a client declares in `context.tools`: what the agent may propose beyond the wallet's own actions.

use crate::request::{RefusalError, there};
use serde::Serialize;
use serde_json::{Map, Value};

/// A tool as the client declared it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeclaredTool {
    /// The type of an action that calls it.
    pub name: String,
    /// What it does, and when to use it.
    pub description: String,
    /// The JSON Schema of its `params`.
    pub schema: Value,
    /// Whether the user is asked before it runs.
    pub asks: bool,
}

impl DeclaredTool {
    /// The tools of a request; `None` if it says nothing about tools.
    pub(crate) fn read_all(body: &Map<String, Value>) -> Result<Option<Vec<Self>>, RefusalError> {
        let wrong = |reason: &str| RefusalError::violation(422, "invalid_context", reason);
        let Some(context) = there(body, "context") else { return Ok(None) };
        let Value::Object(context) = context else { return Err(wrong("`context` must be an object")) };
        let Some(tools) = there(context, "tools") else { return Ok(None) };
        let Value::Array(tools) = tools else { return Err(wrong("`context.tools` must be a list")) };
        let mut declared: Vec<Self> = Vec::with_capacity(tools.len());
        for tool in tools {
            let tool = Self::read(tool).map_err(wrong)?;
            if declared.iter().any(|other| other.name == tool.name) {
                return Err(wrong(&format!("`context.tools` names `{}` twice", tool.name)));
            }
            declared.push(tool);
        }
        Ok(Some(declared))
    }

    fn read(tool: &Value) -> Result<Self, &'static str> {
        let text = |key: &str| tool.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = text("name").filter(|name| is_name(name));
        Ok(Self {
            name: name.ok_or("a tool's `name` must be a letter, then letters, digits, `_`, `-` and `.`")?,
            description: text("description").ok_or("a tool's `description` must be a string")?,
            schema: match tool.get("schema") {
                Some(schema @ Value::Object(_)) => schema.clone(),
                _ => return Err("a tool's `schema` must be an object"),
            },
            asks: match tool.get("asks") {
                Some(Value::Bool(asks)) => *asks,
                _ => return Err("a tool's `asks` must be true or false"),
            },
        })
    }

    /// A value of the declaration by its JSON pointer.
    pub(crate) fn at(&self, pointer: &str) -> Option<Value> {
        serde_json::to_value(self).ok()?.pointer(pointer).cloned()
    }
}

/// `^[A-Za-z][A-Za-z0-9_.-]{0,255}$`: built-ins in snake_case, tools of 004 as their config says, `server__tool` of MCP.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= 256
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(context: Value) -> Result<Option<Vec<DeclaredTool>>, String> {
        let body = json!({ "public_key": "p", "content": "a", "context": context });
        DeclaredTool::read_all(body.as_object().unwrap()).map_err(|refusal| refusal.message)
    }

    fn tool(name: &str) -> Value {
        json!({"name": name, "description": "What it does.", "schema": {"type": "object"}, "asks": true})
    }

    #[test]
    fn declarations() {
        assert_eq!(read(Value::Null), Ok(None));
        assert_eq!(read(json!({"later": 1})), Ok(None));
        assert_eq!(read(json!({"tools": []})), Ok(Some(vec![])));
        let mut more = tool("get_weather");
        more["future"] = json!(1);
        let tools = read(json!({"tools": [more, tool("confirmAction"), tool("files__read.file-2")]}))
            .unwrap()
            .unwrap();
        assert_eq!((tools.len(), tools[0].name.as_str(), tools[0].asks), (3, "get_weather", true));
        assert_eq!(tools[0].at("/schema/type"), Some(json!("object")));
    }

    #[test]
    fn violations() {
        for (context, says) in [
            (json!(7), "`context` must be an object"),
            (json!({"tools": {}}), "must be a list"),
            (json!({"tools": [7]}), "`name`"),
            (json!({"tools": [tool("")]}), "`name`"),
            (json!({"tools": [tool("1a")]}), "`name`"),
            (json!({"tools": [tool("get weather")]}), "`name`"),
            (json!({"tools": [tool("a"), tool("a")]}), "twice"),
            (json!({"tools": [{"name": "a"}]}), "`description`"),
            (json!({"tools": [{"name": "a", "description": "", "schema": true}]}), "`schema`"),
            (json!({"tools": [{"name": "a", "description": "", "schema": {}, "asks": "no"}]}), "`asks`"),
        ] {
            let message = read(context).unwrap_err();
            assert!(message.contains(says), "{message}");
        }
    }
}
