//! Tools of every type: what they have in common.

use crate::bounds::{CALLS_PER_MINUTE, DESCRIPTION_BYTES, LIST_LENGTH, NAME_LETTERS, TIMEOUT_MS};
use crate::record::bundle::{display_name, refuse_built_in};
use crate::record::check::{Check, Fields, RecordError};
use crate::record::http::HttpTool;
use crate::record::name::{is_name, is_own_name, is_tag, is_uuid_v7, label, name_of};
use crate::record::{outside, steps};
use crate::schema;
use crate::template::child;
use serde_json::{Map, Value, json};
use wire::json::to_value;
use wire::toolbox::{CheckedTool, Reply};

/// The version of the records that are written.
pub(crate) const SCHEMA_VERSION: &str = "2026-11-01";

/// What a caller puts, and what it is checked against.
pub(crate) struct Submitted<'a> {
    pub(crate) bundle_id: &'a str,
    pub(crate) slug: &'a str,
    pub(crate) version: &'a str,
    pub(crate) body: &'a Value,
    /// The local functions that there are; without them, one that there is not is stored too.
    pub(crate) functions: Option<&'a [String]>,
    pub(crate) reserved: &'a [String],
}

/// Checks the body of a PUT.
pub(crate) fn check_tool(submitted: &Submitted<'_>) -> Reply {
    let mut check = Check::default();
    let tool = Fields::of(submitted.body, String::new(), &mut check)
        .and_then(|fields| read(submitted, &fields, &mut check));
    match tool {
        Some(tool) if check.is_clean() => {
            Reply::Tool(Box::new(CheckedTool { warnings: check.warnings, ..tool }))
        }
        _ => Reply::Rejected { errors: check.finish() },
    }
}

fn read(submitted: &Submitted<'_>, fields: &Fields<'_>, check: &mut Check) -> Option<CheckedTool> {
    if !is_uuid_v7(submitted.bundle_id) {
        check.fail("/bundleID", RecordError::InvalidId);
    }
    let slug = check.take("/slug", label(submitted.slug, false)).unwrap_or_default();
    let version = check.take("/version", label(submitted.version, true)).unwrap_or_default();
    for (name, path) in [("bundleID", submitted.bundle_id), ("slug", &slug), ("version", &version)] {
        same_as_path(fields, name, path, check);
    }
    let own_name = own_name(fields, &slug, check);
    let name = own_name.map(str::to_owned).or_else(|| name_of(&slug));
    if let Some(name) = name.as_ref().filter(|name| submitted.reserved.contains(name)) {
        let place = if own_name.is_some() { "/name" } else { "/slug" };
        check.fail(place, RecordError::NameTaken { name: name.clone() });
    }
    fields.choice("schemaVersion", &[SCHEMA_VERSION], SCHEMA_VERSION, check);
    refuse_built_in(fields, check);
    let mut record = Map::new();
    let mut put = |name: &str, value: Value| record.insert(name.to_owned(), value);
    put("schemaVersion", SCHEMA_VERSION.into());
    put("bundleID", submitted.bundle_id.into());
    put("slug", slug.clone().into());
    put("version", version.into());
    if let Some(name) = own_name {
        put("name", name.into());
    }
    if let Some(visible) = fields.optional_flag("visible", check) {
        put("visible", visible.into());
    }
    put("displayName", display_name(fields, check).into());
    let description = fields.required_text("description", DESCRIPTION_BYTES, check).unwrap_or_default();
    put("description", description.into());
    let problem =
        format!("must be letters, digits, _ and -, with a letter or _ first, at most {NAME_LETTERS}");
    put("tags", fields.texts("tags", LIST_LENGTH, is_tag, &problem, check).into());
    put("isEnabled", fields.flag("isEnabled", true, check).into());
    put("isBuiltIn", false.into());
    put("category", fields.choice("category", CATEGORIES, "side_effect", check).into());
    put("consequenceLevel", fields.choice("consequenceLevel", LEVELS, "medium", check).into());
    put("requiresConfirmation", fields.flag("requiresConfirmation", false, check).into());
    put("timeout", fields.number("timeout", 1, TIMEOUT_MS, check).unwrap_or(15_000).into());
    put("maxCallsPerMinute", fields.number("maxCallsPerMinute", 1, CALLS_PER_MINUTE, check).into());
    let arguments = schema_of("argSchema", fields, check);
    put("argSchema", arguments.cloned().into());
    if fields.get("outputSchema").is_some() {
        put("outputSchema", schema_of("outputSchema", fields, check).cloned().into());
    }
    let mut depends_on = fields.texts("dependsOn", LIST_LENGTH, is_name, "must be the name of a tool", check);
    let properties = arguments.map(arguments_of);
    let made = implementation(submitted, fields, properties.as_deref(), check);
    for tool in made.calls {
        if !depends_on.contains(&tool) {
            depends_on.push(tool);
        }
    }
    if let Some(name) = name.as_ref().filter(|name| depends_on.contains(name)) {
        check.fail("/dependsOn", RecordError::invalid(format!("the tool would call itself: {name}")));
    }
    put("dependsOn", depends_on.into());
    put("type", made.kind.into());
    put("impl", made.record);
    if own_name.is_none() {
        advise(name.as_deref(), description, check);
    }
    Some(CheckedTool { record, name, origin: made.origin, secrets: made.secrets, warnings: Vec::new() })
}

/// A name of its own, where the slug gives another or none (specification 004).
fn own_name<'a>(fields: &Fields<'a>, slug: &str, check: &mut Check) -> Option<&'a str> {
    let name = fields.text("name", DESCRIPTION_BYTES, check)?;
    if !is_own_name(name) {
        let problem = format!(
            "must be letters, digits, _ and -, with a letter first, without __, at most {NAME_LETTERS}"
        );
        check.fail(fields.place("name"), RecordError::invalid(problem));
        return None;
    }
    Some(name).filter(|name| name_of(slug).as_deref() != Some(name))
}

const CATEGORIES: &[&str] = &["read", "write", "delete", "side_effect"];
const LEVELS: &[&str] = &["low", "medium", "high"];

/// The types of tools. Those of specification 004 are the last three.
const KINDS: &[&str] = &["http", "local", "go", "steps", "external", "space", "internal"];

/// What runs when the tool is called.
#[derive(Default)]
struct Implementation {
    kind: &'static str,
    record: Value,
    origin: Option<String>,
    secrets: Vec<String>,
    /// Tools that it calls.
    calls: Vec<String>,
}

fn implementation(
    submitted: &Submitted<'_>,
    fields: &Fields<'_>,
    properties: Option<&[String]>,
    check: &mut Check,
) -> Implementation {
    let kind = match fields.choice("type", KINDS, "", check) {
        "" if fields.get("type").is_none() => {
            check.fail("/type", RecordError::Missing);
            return Implementation::default();
        }
        // What the specification calls its local functions.
        "go" => "local",
        kind => kind,
    };
    if kind == "internal" {
        // Its arguments are its result: there is nothing to say about it.
        return Implementation { kind, record: json!({}), ..Implementation::default() };
    }
    if fields.required("impl", check).is_none() {
        return Implementation::default();
    }
    let Some(inner) = fields.object("impl", check) else { return Implementation::default() };
    match kind {
        "http" => {
            let Some(http) = HttpTool::read(&inner, properties, check) else {
                return Implementation::default();
            };
            let (origin, secrets) = (http.origin.clone(), http.secrets.clone());
            Implementation { kind, record: to_value(&http.impl_record()), origin, secrets, calls: Vec::new() }
        }
        "local" => {
            let record = local(&inner, submitted.functions, check);
            Implementation { kind, record, ..Implementation::default() }
        }
        "external" | "space" => {
            let record = outside::read(&inner, kind, check);
            Implementation { kind, record, ..Implementation::default() }
        }
        "steps" => {
            let (record, calls) = steps::read(&inner, properties, check);
            Implementation { kind, record, calls, ..Implementation::default() }
        }
        _ => Implementation::default(),
    }
}

/// T002-20: a function that there is, where these are known.
fn local(fields: &Fields<'_>, functions: Option<&[String]>, check: &mut Check) -> Value {
    let field = if fields.get("goFunc").is_some() { "goFunc" } else { "function" };
    match fields.required_text(field, DESCRIPTION_BYTES, check) {
        Some(name) if functions.is_none_or(|names| names.iter().any(|function| function == name)) => {
            json!({ "goFunc": name })
        }
        Some(name) => {
            let name = name.chars().take(NAME_LETTERS).collect();
            check.fail(fields.place(field), RecordError::UnknownFunction { name });
            Value::Null
        }
        None => Value::Null,
    }
}

/// A field of the body that the path says too.
fn same_as_path(fields: &Fields<'_>, name: &str, path: &str, check: &mut Check) {
    let Some(text) = fields.text(name, DESCRIPTION_BYTES, check) else { return };
    let same = text == path || label(text, true).is_ok_and(|text| text == path);
    if !same {
        check.fail(child("", name), RecordError::invalid("must be the same as in the path"));
    }
}

/// T002-19: a schema that is one.
fn schema_of<'a>(name: &str, fields: &Fields<'a>, check: &mut Check) -> Option<&'a Value> {
    let schema = fields.required(name, check)?;
    check.take(&fields.place(name), schema::check(schema)).map(|()| schema)
}

/// The properties that a schema names for its top level, also in its parts and in its own definitions.
pub(crate) fn arguments_of(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    // A part may refer to the whole; what was seen is not looked at again.
    let mut seen: Vec<*const Value> = Vec::new();
    let mut left = vec![schema];
    while let Some(part) = left.pop() {
        if seen.contains(&std::ptr::from_ref(part)) || seen.len() > 256 {
            continue;
        }
        seen.push(part);
        if let Some(properties) = part.get("properties").and_then(Value::as_object) {
            names.extend(properties.keys().cloned());
        }
        for list in ["allOf", "anyOf", "oneOf"] {
            left.extend(part.get(list).and_then(Value::as_array).into_iter().flatten());
        }
        left.extend(["if", "then", "else"].iter().filter_map(|name| part.get(name)));
        let reference = part.get("$ref").and_then(Value::as_str).and_then(|uri| uri.strip_prefix('#'));
        left.extend(reference.and_then(|pointer| schema.pointer(pointer)));
    }
    names.sort();
    names.dedup();
    names
}

/// T003-2, T003-3: what makes a tool hard to choose. Advice, not a refusal.
fn advise(name: Option<&str>, description: &str, check: &mut Check) {
    let mut unclear = |path: &str, problem| check.warn(path, RecordError::Unclear { problem });
    match name {
        None => {
            unclear("/slug", "agents call this tool by its id: a slug like get-weather gives it a name");
        }
        Some(name) if !name.contains('_') => {
            unclear("/slug", "a verb and a noun say best what a tool does, like get-weather");
        }
        Some(_) => {}
    }
    let lower = description.to_lowercase();
    if !["use when", "use this", "use it", "use to", "use for", "when "]
        .iter()
        .any(|words| lower.contains(words))
    {
        unclear("/description", "says what the tool does, and not when to use it");
    }
}
