//! A document: what the index keeps of a tool's record. It is stored beside the record, in the batch that writes it.

use super::fold::{fold, joined, words};
use crate::record::name_of;
use crate::request::check_url;
use derive::Record;
use serde_json::Value;

/// So many characters of a description are searched.
const DESCRIPTION: usize = 1_000;

/// What the index keeps of a tool's record.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
    pub(crate) id: String,
    #[serde(rename = "bundleID")]
    pub(crate) bundle_id: String,
    pub(crate) slug: String,
    pub(crate) version: String,
    /// What an agent calls it.
    pub(crate) name: String,
    pub(crate) display_name: String,
    pub(crate) description: String,
    #[record(default)]
    pub(crate) tags: Vec<String>,
    /// As they stand in the record: ISO 8601 with milliseconds, which sorts as text.
    pub(crate) created_at: String,
    pub(crate) modified_at: String,
    pub(crate) schema_version: String,
    /// The function that a local tool runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) function: Option<String>,
    /// Where it sends to, where no argument is part of that: `https://api.example.org`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
    /// Names of the tools that it cannot do without.
    #[record(default)]
    pub(crate) depends_on: Vec<String>,
}

impl Document {
    /// Of a record. What a record of a newer version has in another form is left out.
    pub(crate) fn of(record: &Value) -> Self {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let texts = |value: Option<&Value>| -> Vec<String> {
            let values = value.and_then(Value::as_array).into_iter().flatten();
            values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let (slug, id) = (text(record, "slug"), text(record, "id"));
        let parts = record.get("impl").unwrap_or(&Value::Null);
        let function = ["goFunc", "function"].into_iter().find_map(|name| parts.get(name)?.as_str());
        let template = parts.get("urlTemplate").and_then(Value::as_str);
        // A tool that says what it is called is called so.
        let own = Some(text(record, "name")).filter(|name| !name.is_empty());
        Self {
            name: own.unwrap_or_else(|| name(&slug, &id)),
            id,
            bundle_id: text(record, "bundleID"),
            slug,
            version: text(record, "version"),
            display_name: text(record, "displayName"),
            description: text(record, "description").chars().take(DESCRIPTION).collect(),
            tags: texts(record.get("tags")),
            created_at: text(record, "createdAt"),
            modified_at: text(record, "modifiedAt"),
            schema_version: text(record, "schemaVersion"),
            function: function.map(str::to_owned),
            origin: template.and_then(|template| check_url(template).ok()).flatten(),
            depends_on: texts(record.get("dependsOn")),
        }
    }

    /// Its name, where its record does not say it.
    pub(super) fn computed_name(&self) -> Option<&str> {
        (self.name == name(&self.slug, &self.id)).then_some(self.name.as_str())
    }

    /// Bundle id, slug and version.
    pub(crate) fn key(&self) -> String {
        [self.bundle_id.as_str(), "/", &self.slug, "/", &self.version].concat()
    }

    /// What a query that begins it is worth most for.
    pub(super) fn heads(&self) -> [String; 3] {
        [&self.slug, &self.name, &self.display_name].map(|text| joined(&fold(text)))
    }

    /// Its words, some perhaps more than once.
    pub(super) fn words(&self) -> Vec<String> {
        let texts = [&self.slug, &self.name, &self.display_name, &self.description];
        let texts = texts.into_iter().chain(&self.tags).map(|text| fold(text));
        texts.flat_map(|text| words(&text).map(str::to_owned).collect::<Vec<_>>()).collect()
    }
}

/// What an agent calls a tool: what its slug gives, otherwise an alias of its id.
fn name(slug: &str, id: &str) -> String {
    name_of(slug).unwrap_or_else(|| ["tool_", id.rsplit('-').next().unwrap_or_default()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// T003-2: the mapping between slug and name goes both ways, and what is no name has an alias.
    #[test]
    fn a_name_is_the_slug_with_underscores_or_an_alias() {
        let id = "019a0000-0000-7000-8000-00000000abcd";
        for (slug, expected) in [
            ("get-weather", "get_weather"),
            ("weather2", "weather2"),
            ("v2-3", "v2_3"),
            ("Weather", "tool_00000000abcd"),
            ("wetter-für-köln", "tool_00000000abcd"),
            ("2fast", "tool_00000000abcd"),
            ("a--b", "tool_00000000abcd"),
            ("-a", "tool_00000000abcd"),
            ("a-", "tool_00000000abcd"),
        ] {
            assert_eq!(name(slug, id), expected, "{slug}");
        }
    }

    #[test]
    fn a_record_becomes_what_is_searched_and_judged() {
        let record = json!({
            "schemaVersion": "2026-11-01", "id": "i", "bundleID": "b", "slug": "get-weather", "version": "v1",
            "displayName": "Weather", "description": "d".repeat(2_000), "tags": ["sky"], "type": "steps",
            "impl": {"urlTemplate": "https://A.example/${city}"}, "dependsOn": ["first"], "createdAt": "c", "modifiedAt": "m",
        });
        let document = Document::of(&record);
        assert_eq!((document.name.as_str(), document.key().as_str()), ("get_weather", "b/get-weather/v1"));
        assert_eq!(
            (document.depends_on.as_slice(), document.description.len()),
            (&["first".to_owned()][..], 1_000)
        );
        assert_eq!(document.origin.as_deref(), Some("https://a.example"));
        let text = wire::json::to_text(&document);
        assert_eq!(wire::json::from_text::<Document>(&text), Ok(document));
        assert_eq!(Document::of(&json!(7)).key(), "//");
        let by_argument = json!({"impl": {"urlTemplate": "https://${host}.example/"}});
        assert_eq!(Document::of(&by_argument).origin, None);
    }
}
