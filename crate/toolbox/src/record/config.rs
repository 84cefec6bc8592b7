//! Configurations of specification 004: eight fields that become the body of a tool's record, and
//! `expiresIn`, `submitters` and `outputSchema` for results from outside. Other keys are ignored.
//!
//! | executionType | `execution.url` | the record's type |
//! |---|---|---|
//! | `internal` | ignored | `internal` |
//! | any other | given | `http` |
//! | `space` | – | `space` |
//! | `external`, `gateway` | – | `external` |

use crate::bounds::{DESCRIPTION_BYTES, NAME_LETTERS, URL_BYTES};
use crate::record::check::{Check, Fields, RecordError};
use crate::record::http::METHODS;
use crate::record::name::{is_own_name, slug_of};
use crate::record::outside;
use crate::record::tool::{Submitted, check_tool};
use serde_json::{Map, Value, json};
use wire::toolbox::{Reply, ToolboxError};

const TYPES: &[&str] = &["gateway", "external", "space", "internal"];
/// Stands for the bundle and the version, which are not known yet.
const ANY_BUNDLE: &str = "019a0000-0000-7000-8000-000000000000";
const ANY_VERSION: &str = "v1";

/// Makes the body of a record; what is wrong is told with its place in the configuration.
pub(crate) fn check_config(config: &Value, reserved: &[String]) -> Reply {
    let mut check = Check::default();
    let made = Fields::of(config, String::new(), &mut check).and_then(|fields| read(&fields, &mut check));
    let Some((name, body)) = made.filter(|_| check.is_clean()) else {
        return Reply::Rejected { errors: check.finish() };
    };
    let slug = slug_of(&name);
    let submitted = Submitted {
        bundle_id: ANY_BUNDLE,
        slug: &slug,
        version: ANY_VERSION,
        body: &body,
        functions: None,
        reserved,
    };
    match check_tool(&submitted) {
        Reply::Rejected { errors } => Reply::Rejected { errors: errors.into_iter().map(in_config).collect() },
        _ => Reply::Config { name, slug, body },
    }
}

/// The name, and the body of the record.
fn read(fields: &Fields<'_>, check: &mut Check) -> Option<(String, Value)> {
    let name = fields.required_text("name", DESCRIPTION_BYTES, check);
    if name.is_some_and(|name| !is_own_name(name)) {
        let problem = format!(
            "must be letters, digits, _ and -, with a letter first, without __, at most {NAME_LETTERS}"
        );
        check.fail("/name", RecordError::invalid(problem));
    }
    let description = fields.required_text("description", DESCRIPTION_BYTES, check);
    let schema = fields.required("inputSchema", check);
    fields.required("executionType", check);
    let kind = fields.choice("executionType", TYPES, "", check);
    let visible = fields.flag("visible", kind != "internal", check);
    let is_async = fields.flag("isAsync", false, check);
    let timeout = outside::wait(fields, check);
    let execution = fields.object("execution", check);
    let request = execution.as_ref().and_then(|execution| request(execution, check));
    let (name, description, schema) = (name?, description?, schema?);
    let made = match (kind, request) {
        ("internal", _) => Made { kind: "internal", block: json!({}), reads: true },
        (_, Some(made)) => made,
        (kind, None) => {
            let block = from_outside(fields, is_async, timeout);
            let is_space = kind == "space";
            Made { kind: if is_space { "space" } else { "external" }, block, reads: is_space }
        }
    };
    let (category, level) = if made.reads { ("read", "low") } else { ("side_effect", "medium") };
    let mut body = json!({
        "name": name,
        "displayName": name,
        "description": description,
        "argSchema": arguments(schema),
        "visible": visible,
        "category": category,
        "consequenceLevel": level,
        "type": made.kind,
        "impl": &made.block,
    });
    if let (Some(schema), "space" | "external") = (fields.get("outputSchema"), made.kind)
        && let Some(body) = body.as_object_mut()
    {
        body.insert("outputSchema".to_owned(), schema.clone());
    }
    Some((name.to_owned(), body))
}

/// The block of a tool whose result comes from outside. How long a result is taken, who may submit it and what it must be
/// are our own fields beside those of the specification.
fn from_outside(fields: &Fields<'_>, is_async: bool, timeout: u64) -> Value {
    let mut block = Map::new();
    block.insert("isAsync".to_owned(), is_async.into());
    block.insert("timeout".to_owned(), timeout.into());
    for name in ["expiresIn", "submitters"] {
        block.extend(fields.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    Value::Object(block)
}

/// What runs when the tool is called.
struct Made {
    kind: &'static str,
    block: Value,
    /// Whether it changes nothing.
    reads: bool,
}

/// T004-13, T004-24: the request of a tool that has an address. Arguments go into the query, or into a body of JSON where
/// the method has one.
fn request(execution: &Fields<'_>, check: &mut Check) -> Option<Made> {
    let url = execution.text("url", URL_BYTES, check).filter(|url| !url.trim().is_empty())?;
    let method = execution.choice("method", METHODS, "GET", check);
    let has_body = matches!(method, "POST" | "PUT" | "PATCH");
    let mut block = Map::new();
    block.insert("method".to_owned(), method.into());
    block.insert("urlTemplate".to_owned(), url.into());
    block.insert("sendArgs".to_owned(), if has_body { "body" } else { "query" }.into());
    if let Some(headers) = execution.get("headers") {
        block.insert("headers".to_owned(), headers.clone());
    }
    Some(Made { kind: "http", block: Value::Object(block), reads: matches!(method, "GET" | "HEAD") })
}

/// T004-6: an empty object is a tool without parameters.
fn arguments(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) if fields.is_empty() => json!({ "type": "object", "properties": {} }),
        schema => schema.clone(),
    }
}

/// An error of the body, with its place in the configuration.
fn in_config(error: ToolboxError) -> ToolboxError {
    const PLACES: &[(&str, &str)] = &[
        ("/argSchema", "/inputSchema"),
        ("/impl/urlTemplate", "/execution/url"),
        ("/impl/method", "/execution/method"),
        ("/impl/headers", "/execution/headers"),
        ("/impl/expiresIn", "/expiresIn"),
        ("/impl/submitters", "/submitters"),
        ("/displayName", "/name"),
        ("/slug", "/name"),
    ];
    let path = error.path.map(|path| {
        let moved = PLACES.iter().find_map(|(from, to)| {
            let rest = path.strip_prefix(from).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            Some([*to, rest].concat())
        });
        moved.unwrap_or(path)
    });
    ToolboxError { path, ..error }
}
