//! T002-85: tools of several steps. A step calls another tool; its arguments are made of the arguments of the call and of
//! what earlier steps gave.

use crate::bounds::{DESCRIPTION_BYTES, STEPS, VALUE_DEPTH, is_deeper};
use crate::record::check::{Check, Fields, RecordError};
use crate::record::name::is_name;
use crate::template::{Part, child, parse};
use serde_json::{Value, json};

/// Reads the block; returns what is stored of it, and the tools that it calls.
pub(crate) fn read(
    fields: &Fields<'_>,
    properties: Option<&[String]>,
    check: &mut Check,
) -> (Value, Vec<String>) {
    let (mut steps, mut ids, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    fields.required("steps", check);
    let list = fields.list("steps", STEPS, check);
    if list.is_empty() {
        check.fail(fields.place("steps"), RecordError::invalid("must have a step"));
    }
    for (place, value) in list {
        let Some(step) = Fields::of(value, place, check) else { continue };
        let id = step.required_text("id", DESCRIPTION_BYTES, check).unwrap_or_default();
        let tool = step.required_text("tool", DESCRIPTION_BYTES, check).unwrap_or_default();
        if !id.is_empty() && (!is_name(id) || ids.iter().any(|other| other == id)) {
            check.fail(step.place("id"), RecordError::invalid("must be a name like get_price, once"));
        }
        if !tool.is_empty() && !is_name(tool) {
            check.fail(step.place("tool"), RecordError::invalid("must be the name of a tool"));
        }
        let args = step.get("args").cloned().unwrap_or_else(|| json!({}));
        if !args.is_object() {
            check.fail(step.place("args"), RecordError::invalid("must be an object"));
        }
        placeholders(&args, &step.place("args"), properties, &ids, check);
        ids.push(id.to_owned());
        if !calls.iter().any(|other| other == tool) {
            calls.push(tool.to_owned());
        }
        steps.push(json!({ "id": id, "tool": tool, "args": args }));
    }
    if let Some(output) = fields.get("output") {
        placeholders(output, &fields.place("output"), properties, &ids, check);
    }
    let last = ids.last().cloned().unwrap_or_default();
    let output = fields.get("output").cloned().unwrap_or_else(|| Value::String(format!("${{steps.{last}}}")));
    (json!({ "steps": steps, "output": output }), calls)
}

/// Fails where a placeholder is neither an argument nor what an earlier step gave.
fn placeholders(
    template: &Value,
    place: &str,
    properties: Option<&[String]>,
    ids: &[String],
    check: &mut Check,
) {
    if is_deeper(template, VALUE_DEPTH) {
        return check.fail(place, RecordError::invalid("is nested too deep"));
    }
    match template {
        Value::String(text) => {
            let Some(parts) = check.take(place, parse(text)) else { return };
            for part in &parts {
                let Part::Hole(hole) = part else { continue };
                let known = match (hole.name.as_str(), hole.second()) {
                    ("args", Some(name)) => {
                        properties.is_none_or(|properties| properties.iter().any(|property| property == name))
                    }
                    ("steps", Some(id)) => ids.iter().any(|earlier| earlier == id),
                    _ => false,
                };
                if !known {
                    let name = hole.pointer().trim_start_matches('/').replace('/', ".");
                    let problem =
                        format!("${{{name}}} is neither ${{args.…}} nor ${{steps.…}} of an earlier step");
                    check.fail(place, RecordError::invalid(problem));
                }
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                placeholders(value, &format!("{place}/{index}"), properties, ids, check);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                placeholders(value, &child(place, name), properties, ids, check);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
