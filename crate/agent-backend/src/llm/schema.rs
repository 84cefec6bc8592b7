//! JSON Schemas of parameters as the APIs take them: an object at the top, with `properties`, without combinators there.
//!
//! The wallet validates parameters against the tool's own schema in any case; what is said to the model is a description.

use serde_json::{Map, Value, json};

/// The schema of a tool's parameters for the APIs.
pub(super) fn adapted(schema: &Value) -> Value {
    let mut top = match resolved(schema) {
        Value::Object(top) => top,
        _ => Map::new(),
    };
    for key in ["$schema", "$id", "$anchor", "$vocabulary", "$comment", "$ref"] {
        top.remove(key);
    }
    let mut properties = taken(&mut top, "properties");
    for key in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(parts)) = top.remove(key) else { continue };
        for part in parts {
            let Value::Object(mut part) = resolved_in(&part, schema) else { continue };
            for (name, property) in taken(&mut part, "properties") {
                properties.entry(name).or_insert(property);
            }
            // What every part demands is demanded; what one of several demands is not.
            if key == "allOf"
                && let Some(Value::Array(more)) = part.remove("required")
            {
                let mut required = match top.remove("required") {
                    Some(Value::Array(required)) => required,
                    _ => Vec::new(),
                };
                required.extend(more);
                required.dedup();
                top.insert("required".to_owned(), required.into());
            }
        }
    }
    for key in ["not", "enum", "const", "if", "then", "else"] {
        top.remove(key);
    }
    top.insert("type".to_owned(), json!("object"));
    top.insert("properties".to_owned(), Value::Object(properties));
    Value::Object(top)
}

fn taken(object: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match object.remove(key) {
        Some(Value::Object(inner)) => inner,
        _ => Map::new(),
    }
}

/// A schema whose top is a reference into itself: the target, with the definitions beside it.
fn resolved(schema: &Value) -> Value {
    let mut target = resolved_in(schema, schema);
    if let (Value::Object(target), Value::Object(whole)) = (&mut target, schema) {
        for key in ["$defs", "definitions"] {
            if let Some(definitions) = whole.get(key) {
                target.entry(key).or_insert_with(|| definitions.clone());
            }
        }
    }
    target
}

fn resolved_in(part: &Value, whole: &Value) -> Value {
    let pointer = part.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| whole.pointer(pointer)).unwrap_or(part).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (schema, expected) in [
            (json!({}), json!({"type": "object", "properties": {}})),
            (json!(true), json!({"type": "object", "properties": {}})),
            (
                json!({"$schema": "http://x", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            ),
            (
                json!({"oneOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]}),
                json!({"type": "object", "properties": {"a": {}, "b": {}}}),
            ),
            (
                json!({"type": ["object", "null"], "allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"properties": {"a": {}}, "required": ["a"]}}}),
                json!({"type": "object", "properties": {"a": {}}, "required": ["a"], "$defs": {"A": {"properties": {"a": {}}, "required": ["a"]}}}),
            ),
            (
                json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {}}}}}),
                json!({"type": "object", "properties": {"a": {}}, "$defs": {"A": {"type": "object", "properties": {"a": {}}}}}),
            ),
        ] {
            assert_eq!(adapted(&schema), expected, "{schema}");
        }
    }
}
