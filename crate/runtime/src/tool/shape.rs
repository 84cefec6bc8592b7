//! What the arguments of a built-in must be: a tree of constants beside the tool's code, from which both the JSON Schema
//! that others read and the check before anybody is asked are made. Schemas of stored tools are checked by the toolbox.
//!
//! A field that is optional may be `null`. Fields that are not named are ignored (T000-10). Entries of an array are
//! described and not constrained: one that is wrong fails by itself, in its own row, and the others go on (T000-57).

use super::Params;
use serde_json::{Map, Number, Value};
use wire::json::FieldError;

/// The fields of an object.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    /// In the order in which they are checked.
    pub fields: &'static [Field],
}

/// A field.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it says, for who fills it in; may be empty where the name says it.
    pub about: &'static str,
    /// What it must be.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
}

/// What a value must be.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A text that is shown; a number is as good.
    Label,
    /// Whether.
    Flag,
    /// A whole number within bounds.
    Whole(u32, u32),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// An object.
    Object(&'static Shape),
    /// An array of at least one entry.
    Entries {
        /// What an entry is called.
        what: &'static str,
        /// At most so many, if there is a bound, and what is said of more.
        most: Option<(usize, &'static str)>,
        /// What an entry should be.
        entry: &'static Shape,
    },
}

impl Field {
    /// A field that must be there.
    pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, about, kind, required: true }
    }

    /// A field that may be left out.
    pub(crate) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, about, kind, required: false }
    }
}

impl Shape {
    /// Checks arguments, and names the first place that is wrong.
    pub fn check(&self, arguments: &Params) -> Result<(), FieldError> {
        self.check_at("", arguments)
    }

    fn check_at(&self, path: &str, fields: &Params) -> Result<(), FieldError> {
        for Field { name, kind, required, .. } in self.fields {
            let value = match fields.get(*name) {
                None if !required => continue,
                Some(Value::Null) if !required => continue,
                None => &Value::Null,
                Some(value) => value,
            };
            kind.check([path, "/", name].concat(), value)?;
        }
        Ok(())
    }

    /// The same as JSON Schema.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        for Field { name, about, kind, required } in self.fields {
            let mut schema = kind.schema(*required);
            if !about.is_empty() {
                schema.insert("description".to_owned(), (*about).into());
            }
            properties.insert((*name).to_owned(), Value::Object(schema));
        }
        let required = self.fields.iter().filter(|field| field.required).map(|field| field.name);
        let mut schema = of_type("object", true);
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), words(required));
        Value::Object(schema)
    }
}

impl Kind {
    fn check(&self, path: String, value: &Value) -> Result<(), FieldError> {
        let problem = match (self, value) {
            (Self::Text | Self::Label, Value::String(_)) | (Self::Label, Value::Number(_)) => return Ok(()),
            (Self::Text | Self::Label, _) => "must be a string",
            (Self::Flag, Value::Bool(_)) => return Ok(()),
            (Self::Flag, _) => "must be true or false",
            (Self::Whole(least, most), value) => match whole(value) {
                Some(number) if (f64::from(*least)..=f64::from(*most)).contains(&number) => return Ok(()),
                _ => "must be a whole number within its bounds",
            },
            (Self::OneOf(known), Value::String(word)) if known.contains(&word.as_str()) => return Ok(()),
            (Self::OneOf(_), _) => "must be one of the words that are known",
            (Self::Object(shape), Value::Object(fields)) => return shape.check_at(&path, fields),
            (Self::Object(_), _) => "must be an object",
            (Self::Entries { what, .. }, Value::Array(entries)) if entries.is_empty() => {
                return Err(FieldError::rule(path, ["must have at least one ", what].concat()));
            }
            (Self::Entries { most: Some((most, problem)), .. }, Value::Array(entries))
                if entries.len() > *most =>
            {
                problem
            }
            (Self::Entries { .. }, Value::Array(_)) => return Ok(()),
            (Self::Entries { .. }, _) => "must be an array",
        };
        Err(FieldError::rule(path, problem))
    }

    fn schema(&self, required: bool) -> Map<String, Value> {
        let name = match self {
            Self::Text | Self::OneOf(_) => "string",
            Self::Label => "number",
            Self::Flag => "boolean",
            Self::Whole(..) => "integer",
            Self::Object(_) => "object",
            Self::Entries { .. } => "array",
        };
        let mut schema = of_type(name, required);
        let mut set = |name: &str, value: Value| schema.insert(name.to_owned(), value);
        match self {
            Self::Text | Self::Flag => None,
            Self::Label if required => set("type", words(["string", "number"].into_iter())),
            Self::Label => set("type", words(["string", "number", "null"].into_iter())),
            Self::Whole(least, most) => {
                set("minimum", Value::from(*least));
                set("maximum", Value::from(*most))
            }
            Self::OneOf(known) if required => set("enum", words(known.iter().copied())),
            Self::OneOf(known) => {
                let words = known.iter().map(|word| Value::from(*word));
                set("enum", words.chain([Value::Null]).collect())
            }
            Self::Object(shape) => {
                if let Value::Object(inner) = shape.schema() {
                    for (name, value) in inner.into_iter().filter(|(name, _)| name != "type") {
                        set(&name, value);
                    }
                }
                None
            }
            Self::Entries { most, entry, .. } => {
                set("minItems", Value::from(1));
                if let Some((most, _)) = most {
                    set("maxItems", Value::from(*most));
                }
                // Anything else is an entry too, which fails by itself.
                let mut items = Map::new();
                items.insert(
                    "anyOf".to_owned(),
                    Value::Array(vec![entry.schema(), Value::Object(Map::new())]),
                );
                set("items", Value::Object(items))
            }
        };
        schema
    }
}

/// A number without a fraction.
fn whole(value: &Value) -> Option<f64> {
    value.as_number().and_then(Number::as_f64).filter(|number| number.fract() == 0.0)
}

fn of_type(name: &str, required: bool) -> Map<String, Value> {
    let kind = if required { name.into() } else { words([name, "null"].into_iter()) };
    let mut schema = Map::new();
    schema.insert("type".to_owned(), kind);
    schema
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> Value {
    Value::Array(words.map(Value::from).collect())
}
