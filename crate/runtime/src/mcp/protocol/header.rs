//! Headers of the modern era: what a request is, and the arguments that a tool's schema wants in headers (`x-mcp-header`).

use serde_json::{Map, Value};

/// Arguments that a tool may want in headers.
const MAX_HEADERS: usize = 32;
/// How deep a schema is looked at.
const MAX_DEPTH: usize = 64;
/// Schemas below a schema that never stand on a way of `properties` alone.
const ELSEWHERE: [&str; 18] = [
    "items",
    "prefixItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "patternProperties",
    "dependentSchemas",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$defs",
    "definitions",
];
/// Those whose values are schemas by name.
const BY_NAME: [&str; 4] = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/// An argument that goes into a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Where the argument is.
    path: Vec<String>,
    /// What follows `Mcp-Param-`.
    name: String,
}

/// Why the headers that a schema wants break a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeaderError {
    /// Not at a property that is reached through `properties` alone.
    #[error("x-mcp-header stands where no argument is")]
    Misplaced,
    /// Not the name of a header.
    #[error("x-mcp-header is not the name of a header")]
    NotAToken,
    /// Not a string, an integer or a boolean.
    #[error("x-mcp-header is at an argument that is no string, integer or boolean")]
    WrongType,
    /// Two arguments have one name.
    #[error("x-mcp-header has a name twice")]
    Repeated,
    /// More than are sent, or deeper than is looked.
    #[error("x-mcp-header is used too often, or too deep")]
    TooMany,
}

/// The arguments that a schema wants in headers (M7).
pub(crate) fn declared(schema: &Value) -> Result<Vec<Declared>, HeaderError> {
    let mut found = Vec::new();
    visit(schema, &mut Vec::new(), true, 0, &mut found)?;
    Ok(found)
}

fn visit(
    schema: &Value,
    path: &mut Vec<String>,
    reachable: bool,
    depth: usize,
    found: &mut Vec<Declared>,
) -> Result<(), HeaderError> {
    let Value::Object(fields) = schema else { return Ok(()) };
    if depth > MAX_DEPTH {
        return Err(HeaderError::TooMany);
    }
    if let Some(name) = fields.get("x-mcp-header") {
        found.push(declaration(name, fields, path, reachable, found)?);
        if found.len() > MAX_HEADERS {
            return Err(HeaderError::TooMany);
        }
    }
    for (name, property) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(name.clone());
        visit(property, path, reachable, depth + 1, found)?;
        path.pop();
    }
    for keyword in ELSEWHERE {
        match fields.get(keyword) {
            Some(Value::Array(schemas)) => {
                schemas.iter().try_for_each(|schema| visit(schema, path, false, depth + 1, found))?;
            }
            Some(Value::Object(schemas)) if BY_NAME.contains(&keyword) => {
                schemas.values().try_for_each(|schema| visit(schema, path, false, depth + 1, found))?;
            }
            Some(schema) => visit(schema, path, false, depth + 1, found)?,
            None => {}
        }
    }
    Ok(())
}

fn declaration(
    name: &Value,
    fields: &Map<String, Value>,
    path: &[String],
    reachable: bool,
    found: &[Declared],
) -> Result<Declared, HeaderError> {
    if !reachable || path.is_empty() {
        return Err(HeaderError::Misplaced);
    }
    let name = name.as_str().filter(|name| is_token(name)).ok_or(HeaderError::NotAToken)?;
    if !matches!(fields.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Err(HeaderError::WrongType);
    }
    if found.iter().any(|known| known.name.eq_ignore_ascii_case(name)) {
        return Err(HeaderError::Repeated);
    }
    Ok(Declared { path: path.to_vec(), name: name.to_owned() })
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= 64 && text.bytes().all(letter)
}

/// The headers of a call's arguments. What is absent or `null` has none.
pub(crate) fn of_arguments(declared: &[Declared], args: &Map<String, Value>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for Declared { path, name } in declared {
        let mut steps = path.iter();
        let first = steps.next().and_then(|name| args.get(name));
        let value = steps.fold(first, |value, name| value?.get(name));
        let text = match value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => number.to_string(),
            _ => continue,
        };
        headers.push((["Mcp-Param-", name].concat(), encoded(&text)));
    }
    headers
}

/// A value as it stands in a header: visible ASCII as it is, everything else in base64.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte == b'\t' || (0x20..=0x7e).contains(&byte);
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if !text.is_empty() && text.trim() == text && !looks_encoded && text.bytes().all(plain) {
        return text.to_owned();
    }
    ["=?base64?", &base64(text.as_bytes()), "?="].concat()
}

/// RFC 4648 §4.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let number = (0..3).fold(0u32, |number, place| {
            number << 8 | u32::from(chunk.get(place).copied().unwrap_or_default())
        });
        for place in 0..4usize {
            let letter = LETTERS.get((number >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'=');
            text.push(char::from(if place > chunk.len() { b'=' } else { letter }));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn schema(region: Value) -> Value {
        json!({"type": "object", "properties": {"region": region, "inner": {"type": "object",
            "properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}}}})
    }

    /// M7: the rules of `x-mcp-header`.
    #[test]
    fn declarations() {
        let good = declared(&schema(json!({"type": "string", "x-mcp-header": "Region"}))).unwrap();
        let args = json!({"region": "eu", "inner": {"count": 7}});
        let expected = [("Mcp-Param-Count", "7"), ("Mcp-Param-Region", "eu")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut headers = of_arguments(&good, args.as_object().unwrap());
        headers.sort();
        assert_eq!(headers, expected);
        let absent = json!({"region": null, "inner": {"count": 1.5}});
        assert_eq!(of_arguments(&good, absent.as_object().unwrap()), []);
        for (region, error) in [
            (json!({"type": "string", "x-mcp-header": ""}), HeaderError::NotAToken),
            (json!({"type": "string", "x-mcp-header": "a b"}), HeaderError::NotAToken),
            (json!({"type": "string", "x-mcp-header": 7}), HeaderError::NotAToken),
            (json!({"type": "string", "x-mcp-header": "a:b"}), HeaderError::NotAToken),
            (json!({"type": "number", "x-mcp-header": "A"}), HeaderError::WrongType),
            (json!({"x-mcp-header": "A"}), HeaderError::WrongType),
            (json!({"type": "string", "x-mcp-header": "cOUNT"}), HeaderError::Repeated),
            (json!({"anyOf": [{"type": "string", "x-mcp-header": "A"}]}), HeaderError::Misplaced),
            (
                json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
                HeaderError::Misplaced,
            ),
        ] {
            assert_eq!(declared(&schema(region.clone())), Err(error), "{region}");
        }
        let defs = json!({"$defs": {"a": {"type": "string", "x-mcp-header": "A"}}});
        assert_eq!(declared(&defs), Err(HeaderError::Misplaced));
        assert_eq!(declared(&json!({"x-mcp-header": "A", "type": "string"})), Err(HeaderError::Misplaced));
        let deep = (0..200).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
        assert_eq!(declared(&deep), Err(HeaderError::TooMany));
    }

    /// M7: what is not plain visible ASCII, or looks encoded, is sent in base64.
    #[test]
    fn encoding() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("a b", "a b"),
            ("", "=?base64??="),
            (" a", "=?base64?IGE=?="),
            ("é", "=?base64?w6k=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
        ] {
            assert_eq!(encoded(text), expected, "{text:?}");
        }
        assert_eq!(base64(b"fooba"), "Zm9vYmE=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
    }

    proptest! {
        /// No value breaks out of its header.
        #[test]
        fn one_line(text in r"\PC*|[\x00-\x20=?a]{0,20}") {
            let encoded = encoded(&text);
            let visible = encoded.bytes().all(|byte| byte == 9 || (0x20..=0x7e).contains(&byte));
            prop_assert!(visible && encoded.trim() == encoded);
        }
    }
}
