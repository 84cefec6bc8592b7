//! `${…}` in the texts of a tool.
//!
//! `${city}` and `${at.points[0].x}` are arguments, `${version}` is the tool's version, and a name in capitals, `${API_KEY}`,
//! is a secret: no argument can stand in for one. `$${` writes `${`. What a placeholder becomes depends on where it stands;
//! each position has an expander of its own in [`crate::request`].

use serde_json::{Map, Value};
use std::borrow::Cow;
use wire::json::to_text;
use wire::pieces::is_secret_name;

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TemplateError {
    /// `${` without an end.
    #[error("a placeholder is not closed: write $${{ for a text with ${{")]
    Unclosed,
    /// Between the braces is no name.
    #[error("`{text}` is not a placeholder: a name, with .name or [0] behind it")]
    NotAName {
        /// What is there.
        text: String,
    },
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// As it stands.
    Text(String),
    /// To be filled.
    Hole(Hole),
}

/// A placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hole {
    /// Its first name.
    pub(crate) name: String,
    /// The way from there.
    path: Vec<Key>,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Name(String),
    Index(usize),
}

/// What a placeholder stands for.
#[derive(Debug, PartialEq)]
pub(crate) enum Filling<'a> {
    /// A secret of this name.
    Secret(&'a str),
    /// A value.
    Value(Cow<'a, Value>),
    /// An argument that was not given; where it would be, as a JSON pointer.
    Absent(String),
}

/// What placeholders are looked up in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'a> {
    /// A call of a tool.
    Call {
        /// The arguments.
        args: &'a Map<String, Value>,
        /// The tool's version.
        version: &'a str,
    },
    /// No call: every argument is the letter `x`. For the check of a template.
    Sample,
}

impl Hole {
    /// Whether it is a secret.
    pub(crate) fn is_secret(&self) -> bool {
        self.path.is_empty() && is_secret_name(&self.name)
    }

    /// What it stands for.
    pub(crate) fn fill<'a>(&'a self, scope: Scope<'a>) -> Filling<'a> {
        if self.is_secret() {
            return Filling::Secret(&self.name);
        }
        let Scope::Call { args, version } = scope else {
            return Filling::Value(Cow::Owned(Value::String("x".to_owned())));
        };
        if self.is_version() {
            return Filling::Value(Cow::Owned(Value::String(version.to_owned())));
        }
        match self.find(args) {
            Some(value) => Filling::Value(Cow::Borrowed(value)),
            None => Filling::Absent(self.pointer()),
        }
    }

    /// Whether it is the tool's version.
    pub(crate) fn is_version(&self) -> bool {
        self.name == "version" && self.path.is_empty()
    }

    /// Its value in an object. `null` counts as a value.
    pub(crate) fn find<'a>(&self, fields: &'a Map<String, Value>) -> Option<&'a Value> {
        let mut value = fields.get(&self.name)?;
        for key in &self.path {
            value = match key {
                Key::Name(name) => value.get(name)?,
                Key::Index(index) => value.get(index)?,
            };
        }
        Some(value)
    }

    /// The name behind the first one.
    pub(crate) fn second(&self) -> Option<&str> {
        match self.path.first() {
            Some(Key::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// Where its value is, as a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = child("", &self.name);
        for key in &self.path {
            pointer = match key {
                Key::Name(name) => child(&pointer, name),
                Key::Index(index) => format!("{pointer}/{index}"),
            };
        }
        pointer
    }
}

/// A value as text: a text as it is, anything else as JSON; nothing for `null`.
pub(crate) fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        other => Some(Cow::Owned(to_text(other))),
    }
}

/// A JSON pointer to a field.
pub(crate) fn child(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Reads a template.
pub(crate) fn parse(text: &str) -> Result<Vec<Part>, TemplateError> {
    let (mut parts, mut literal, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        literal.push_str(before);
        match special(from)? {
            Some((Special::Hole(hole), after)) => {
                if !literal.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut literal)));
                }
                parts.push(Part::Hole(hole));
                rest = after;
            }
            Some((Special::Escaped, after)) => {
                literal.push_str("${");
                rest = after;
            }
            None => {
                literal.push('$');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    Ok(parts)
}

/// What a `$` can begin.
pub(crate) enum Special {
    /// `${…}`.
    Hole(Hole),
    /// `$${`.
    Escaped,
}

/// What the text begins with, and what follows; nothing where it is plain text.
pub(crate) fn special(text: &str) -> Result<Option<(Special, &str)>, TemplateError> {
    if let Some(after) = text.strip_prefix("$${") {
        return Ok(Some((Special::Escaped, after)));
    }
    let Some(inside) = text.strip_prefix("${") else { return Ok(None) };
    let (inside, after) = inside.split_once('}').ok_or(TemplateError::Unclosed)?;
    let hole =
        hole(inside).ok_or_else(|| TemplateError::NotAName { text: inside.chars().take(64).collect() })?;
    Ok(Some((Special::Hole(hole), after)))
}

/// Reads `name.name[0]`.
fn hole(text: &str) -> Option<Hole> {
    let (name, mut rest) = name(text)?;
    let mut path = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let (name, after) = self::name(after)?;
            path.push(Key::Name(name.to_owned()));
            rest = after;
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
            path.push(Key::Index(digits.then(|| index.parse().ok()).flatten()?));
            rest = after;
        }
    }
    Some(Hole { name: name.to_owned(), path })
}

/// A name, and what follows it.
fn name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-')));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    (!name.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hole_of(text: &str) -> Hole {
        match parse(text).unwrap().pop() {
            Some(Part::Hole(hole)) => hole,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn placeholders_and_text_are_told_apart() {
        let text = |text: &str| Part::Text(text.to_owned());
        assert_eq!(parse("a$b").unwrap(), [text("a$b")]);
        assert_eq!(parse("$").unwrap(), [text("$")]);
        assert_eq!(parse("$${x}").unwrap(), [text("${x}")]);
        assert_eq!(parse("$$$${x}").unwrap(), [text("$$${x}")]);
        assert_eq!(parse("a${b}c").unwrap(), [text("a"), Part::Hole(hole_of("${b}")), text("c")]);
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(parse("${a"), Err(TemplateError::Unclosed));
        for wrong in
            ["${}", "${ a}", "${a..b}", "${a[}", "${a[-1]}", "${a[1}", "${a.}", "${a b}", "${a}[", "${.a}"]
        {
            let read = parse(wrong);
            assert_eq!(read.is_err(), wrong != "${a}[", "{wrong}");
        }
    }

    #[test]
    fn placeholders_are_looked_up() {
        let Value::Object(args) =
            json!({"a": {"b": [1, {"c": "x"}]}, "KEY": "mine", "version": "9", "n": null})
        else {
            panic!("an object");
        };
        let scope = Scope::Call { args: &args, version: "v2" };
        let fill = |text: &str| match hole_of(text).fill(scope) {
            Filling::Value(value) => value.to_string(),
            Filling::Secret(name) => format!("secret {name}"),
            Filling::Absent(path) => format!("absent {path}"),
        };
        assert_eq!(fill("${a.b[0]}"), "1");
        assert_eq!(fill("${a.b[1].c}"), "\"x\"");
        assert_eq!(fill("${a.b[2]}"), "absent /a/b/2");
        assert_eq!(fill("${KEY}"), "secret KEY");
        assert_eq!(fill("${version}"), "\"v2\"");
        assert_eq!(fill("${n}"), "null");
        assert_eq!(fill("${other}"), "absent /other");
    }
}
