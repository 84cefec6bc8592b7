//! JSON Schema: 2020-12 by default, draft-07 where `$schema` says so.
//!
//! A schema refers to itself and to the meta-schemas; nothing is ever fetched. Patterns run in linear time: one with
//! look-around or a back-reference is refused. `format` is what both drafts make of it by default: a note, not a check.

mod graph;

use crate::bounds::{
    ALL_VIOLATIONS_STEPS, SCHEMA_BYTES, SCHEMA_DEPTH, SCHEMA_REGEX_BYTES, SCHEMAS_KEPT, VALUE_BYTES,
    VALUE_DEPTH, VIOLATIONS, is_deeper, text_bytes,
};
use crate::error::AnswerError;
use crate::template::child;
use graph::Graph;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{
    Draft, PatternOptions, ReferencingError, Registry, Retrieve, Uri, ValidationError, Validator, uri,
};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wire::json::to_text;
use wire::toolbox::Violation;

/// Fails if a schema is none.
pub(crate) fn check(schema: &Value) -> Result<(), AnswerError> {
    compile(schema, draft(schema)?, Meta::Checked, &Resources(Arc::new(NoResources))).map(drop)
}

/// Where a value breaks a schema that was checked.
pub(crate) fn validate(schema: &Value, value: &Value) -> Result<Vec<Violation>, AnswerError> {
    compiled(schema)?.validate(value)
}

/// Checks arguments. Those that are absent get the defaults of the schema's own properties, after the check (D11).
pub(crate) fn arguments(
    schema: &Value,
    args: &Value,
) -> Result<Result<Map<String, Value>, Vec<Violation>>, AnswerError> {
    let violations = validate(schema, args)?;
    let Value::Object(args) = args else {
        let problem = Violation { path: String::new(), message: "must be an object".to_owned() };
        return Ok(Err(vec![problem]));
    };
    if !violations.is_empty() {
        return Ok(Err(violations));
    }
    let mut args = args.clone();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(default) = property.get("default").filter(|_| !args.contains_key(name)) {
            args.insert(name.clone(), default.clone());
        }
    }
    Ok(Ok(args))
}

/// A schema that can be applied, and what that can cost.
pub(crate) struct Compiled {
    validator: Validator,
    graph: Graph,
}

impl Compiled {
    /// Where a value breaks it. All places of a small value; the first one of a large.
    pub(crate) fn validate(&self, value: &Value) -> Result<Vec<Violation>, AnswerError> {
        check_value(value)?;
        let steps = self.graph.steps(value)?;
        if steps > ALL_VIOLATIONS_STEPS {
            let first = self.validator.validate(value).err();
            return Ok(first.into_iter().flat_map(violations).take(VIOLATIONS).collect());
        }
        if self.validator.is_valid(value) {
            return Ok(Vec::new());
        }
        Ok(self.validator.iter_errors(value).flat_map(violations).take(VIOLATIONS).collect())
    }
}

fn check_value(value: &Value) -> Result<(), AnswerError> {
    if is_deeper(value, VALUE_DEPTH) {
        return Err(AnswerError::ValueTooLarge { problem: "nested too deep" });
    }
    if text_bytes(value) > VALUE_BYTES {
        return Err(AnswerError::ValueTooLarge { problem: "too long" });
    }
    Ok(())
}

/// A violation at the field it is about: a field that is missing, or should not be there, is named by its own place.
fn violations(error: ValidationError<'_>) -> Vec<Violation> {
    let place = error.instance_path().to_string();
    let at = |path: String, message: String| Violation { path, message };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![at(child(&place, name), "is required".to_owned())]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let unknown = |name: &String| at(child(&place, name), "is not a known field".to_owned());
            unexpected.iter().take(VIOLATIONS).map(unknown).collect()
        }
        // The value itself may be long, and may be private.
        _ => vec![at(place, error.masked().to_string())],
    }
}

thread_local! {
    /// Compiled schemas by their text, the last used first.
    static COMPILED: RefCell<Vec<(String, Rc<Compiled>)>> = const { RefCell::new(Vec::new()) };
}

/// The compiled schema, from the cache where it is there.
fn compiled(schema: &Value) -> Result<Rc<Compiled>, AnswerError> {
    let text = to_text(schema);
    let known = COMPILED.with_borrow_mut(|kept| {
        let at = kept.iter().position(|(known, _)| *known == text)?;
        let used = kept.remove(at);
        kept.insert(0, used);
        kept.first().map(|(_, compiled)| Rc::clone(compiled))
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let compiled =
        Rc::new(compile(schema, draft(schema)?, Meta::Trusted, &Resources(Arc::new(NoResources)))?);
    COMPILED.with_borrow_mut(|kept| {
        kept.insert(0, (text, Rc::clone(&compiled)));
        kept.truncate(SCHEMAS_KEPT);
    });
    Ok(compiled)
}

/// Whether a schema is checked against its meta-schema when it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meta {
    /// It is.
    Checked,
    /// It was, when it was saved. In wasm the library makes the meta-schema's own validator anew for every schema, which takes
    /// ten times as long as the schema.
    Trusted,
}

/// Compiles a schema, unless it costs too much.
pub(crate) fn compile(
    schema: &Value,
    draft: Draft,
    meta: Meta,
    resources: &Resources,
) -> Result<Compiled, AnswerError> {
    if to_text(schema).len() > SCHEMA_BYTES {
        return Err(AnswerError::SchemaTooLarge { problem: "too long" });
    }
    if is_deeper(schema, SCHEMA_DEPTH) {
        return Err(AnswerError::SchemaTooLarge { problem: "nested too deep" });
    }
    let (registry, base) =
        registry(schema, draft, resources).map_err(|error| invalid("", &error.to_string()))?;
    let graph = Graph::of(schema, draft, &registry.resolver(base.clone()))?;
    let patterns = PatternOptions::regex().size_limit(SCHEMA_REGEX_BYTES).dfa_size_limit(SCHEMA_REGEX_BYTES);
    let options = jsonschema::options()
        .with_pattern_options(patterns)
        .should_validate_formats(false)
        .with_retriever(resources.clone());
    let validator = match meta {
        Meta::Checked => options.with_draft(draft).build(schema),
        // What is built is a reference to the schema, in the draft whose meta-schema is small.
        Meta::Trusted => options
            .with_draft(Draft::Draft7)
            .with_registry(&registry)
            .with_base_uri(REFERENCE)
            .build(&json!({ "$ref": base.as_str() })),
    };
    Ok(Compiled { validator: validator.map_err(invalid_schema)?, graph })
}

/// Where a schema is that does not say so, and where the reference to it is.
const BASE: &str = "json-schema:///";
const REFERENCE: &str = "json-schema:///reference";

/// The schema and what it refers to, and its own address.
fn registry<'a>(
    schema: &'a Value,
    draft: Draft,
    resources: &Resources,
) -> Result<(Registry<'a>, Uri<String>), ReferencingError> {
    let id = schema.get("$id").and_then(Value::as_str).unwrap_or_default();
    let base = uri::from_str(BASE)?;
    let base = uri::resolve_against(&base.borrow(), id.trim_end_matches('#'))?;
    let builder = Registry::new().retriever(resources.clone()).draft(draft);
    Ok((builder.add(base.as_str(), draft.create_resource_ref(schema))?.prepare()?, base))
}

fn invalid_schema(error: ValidationError<'_>) -> AnswerError {
    AnswerError::InvalidSchema {
        path: error.instance_path().to_string(),
        problem: error.masked().to_string(),
    }
}

/// The draft that a schema names.
fn draft(schema: &Value) -> Result<Draft, AnswerError> {
    let named = match schema {
        Value::Object(fields) => fields.get("$schema"),
        Value::Bool(_) => None,
        _ => return Err(invalid("", "must be an object, true or false")),
    };
    match named {
        None => Ok(Draft::Draft202012),
        Some(Value::String(uri)) => match uri.trim_end_matches('#') {
            "https://json-schema.org/draft/2020-12/schema" => Ok(Draft::Draft202012),
            "http://json-schema.org/draft-07/schema" => Ok(Draft::Draft7),
            _ => Err(invalid("/$schema", "is neither 2020-12 nor draft-07")),
        },
        Some(_) => Err(invalid("/$schema", "must be a text")),
    }
}

fn invalid(path: &str, problem: &str) -> AnswerError {
    AnswerError::InvalidSchema { path: path.to_owned(), problem: problem.to_owned() }
}

/// Where other schemas come from.
#[derive(Clone)]
pub(crate) struct Resources(pub(crate) Arc<dyn Retrieve>);

impl Retrieve for Resources {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        self.0.retrieve(uri)
    }
}

/// From nowhere.
struct NoResources;

impl Retrieve for NoResources {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("other schemas are never fetched: put what it refers to into $defs".into())
    }
}
