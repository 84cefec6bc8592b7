//! What a tool of any kind is (specification 003): the one record that the pipeline, the pages and the agent know of it.

use super::shape::Shape;
use serde_json::Value;
use std::borrow::Cow;
use wire::api::Millis;
use wire::tool::ToolDefinition;
pub use wire::tool::{Category, Consequence};

/// How long an execution may take, if the tool says nothing else.
pub const DEFAULT_TIMEOUT: Millis = 15_000;

/// What a tool is. A built-in's is made at compile time, a stored tool's from its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The action type; snake_case.
    pub name: Cow<'static, str>,
    /// What it does and when to use it.
    pub description: Cow<'static, str>,
    /// What its arguments must be.
    pub schema: Schema,
    /// What it does to the world.
    pub category: Category,
    /// How grave a mistake would be.
    pub consequence: Consequence,
    /// Whether the user is always asked, also when the sender says not to.
    pub requires_confirmation: bool,
    /// How long an execution may take.
    pub timeout: Millis,
    /// Words to filter by.
    pub tags: Words,
    /// Its label, where tools of this kind have versions.
    pub version: Option<Cow<'static, str>>,
    /// Names of the tools that it calls.
    pub depends_on: Words,
    /// Whether it is about nothing but what its sender keeps here: notes, plans, messages and the space that it is in. Such
    /// a call needs no tap and leaves no mark in the conversation (specification 004). No tool of the user's is.
    pub own_records: bool,
}

/// What arguments must be.
#[derive(Debug, Clone, PartialEq)]
pub enum Schema {
    /// A built-in's: the core checks them by itself.
    Shape(&'static Shape),
    /// A stored tool's: JSON Schema, which the toolbox checks them against.
    Json(Value),
}

impl Schema {
    /// As JSON Schema.
    pub fn json(&self) -> Value {
        match self {
            Self::Shape(shape) => shape.schema(),
            Self::Json(schema) => schema.clone(),
        }
    }
}

/// A list of words, fixed at compile time or read from a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// Of a built-in.
    Fixed(&'static [&'static str]),
    /// Of a record.
    Own(Vec<String>),
}

impl Words {
    /// As a record holds them.
    pub fn to_vec(&self) -> Vec<String> {
        match self {
            Self::Fixed(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Self::Own(words) => words.clone(),
        }
    }
}

/// What is a built-in's own in its definition; the rest is the same for all of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) category: Category,
    pub(crate) consequence: Consequence,
    pub(crate) requires_confirmation: bool,
    pub(crate) timeout: Millis,
    pub(crate) tags: &'static [&'static str],
    pub(crate) arguments: &'static Shape,
}

impl Definition {
    /// Of a tool that is compiled in.
    pub(crate) const fn built_in(about: About) -> Self {
        Self::compiled_in(about, false)
    }

    /// Of a tool that is compiled in and about its sender's own records.
    pub(crate) const fn of_own_records(about: About) -> Self {
        Self::compiled_in(about, true)
    }

    const fn compiled_in(about: About, own_records: bool) -> Self {
        Self {
            name: Cow::Borrowed(about.name),
            description: Cow::Borrowed(about.description),
            schema: Schema::Shape(about.arguments),
            category: about.category,
            consequence: about.consequence,
            requires_confirmation: about.requires_confirmation,
            timeout: about.timeout,
            tags: Words::Fixed(about.tags),
            version: Some(Cow::Borrowed("v1")),
            depends_on: Words::Fixed(&[]),
            own_records,
        }
    }

    /// As lists show it and as the agent is told of it.
    pub fn view(&self) -> ToolDefinition {
        ToolDefinition {
            name: self.name.clone().into_owned(),
            description: self.description.clone().into_owned(),
            schema: self.schema.json(),
            category: self.category,
            consequence_level: self.consequence,
            requires_confirmation: self.requires_confirmation,
            timeout: self.timeout,
            tags: self.tags.to_vec(),
            version: self.version.clone().map(Cow::into_owned),
            depends_on: self.depends_on.to_vec(),
        }
    }
}
