//! JSON Schema.

use crate::{refused, violations};
use countersign_toolbox::answer;
use serde_json::{Value, json};
use wire::toolbox::{Reply, Request};

fn check(schema: Value) -> Reply {
    answer(Request::CheckSchema { schema })
}

/// T002-19: a schema is checked as one, of the draft that it names; the place of what is wrong is told.
#[test]
fn schemas_are_checked() {
    for schema in [
        json!(true),
        json!({}),
        json!({"type": "object", "properties": {"city": {"type": "string", "minLength": 1}}}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{}]}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}, {}]}),
        json!({"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"}),
    ] {
        assert_eq!(check(schema.clone()), Reply::Done {}, "{schema}");
    }
    for (schema, path) in [
        (json!({"type": "text"}), "/type"),
        (json!({"properties": {"city": {"type": 7}}}), "/properties/city/type"),
        (json!({"minLength": -1}), "/minLength"),
        (json!({"items": [{}, {}]}), "/items"),
        (json!({"$schema": "https://json-schema.org/draft/2019-09/schema"}), "/$schema"),
        (json!({"$schema": "https://example.org/mine"}), "/$schema"),
        (json!({"$schema": 7}), "/$schema"),
        (json!("text"), ""),
    ] {
        assert_eq!(refused(check(schema.clone())), ("invalid_schema".into(), path.into()), "{schema}");
    }
}

/// T002-19: what a schema refers to elsewhere is never fetched.
#[test]
fn remote_references_are_refused() {
    for uri in
        ["https://example.org/schema.json", "http://localhost:1/a#/b", "file:///etc/passwd", "other.json"]
    {
        let schema = json!({"properties": {"a": {"$ref": uri}}});
        assert_eq!(refused(check(schema)).0, "invalid_schema", "{uri}");
    }
}

/// T002-68: every violation is told at the field it is about.
#[test]
fn violations_are_told_at_their_fields() {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1},
            "at": {"type": "object", "required": ["a/b"]},
        },
        "required": ["city"],
        "additionalProperties": false,
    });
    assert_eq!(violations(&schema, &json!({"city": "Bern", "days": 3})), []);
    let mut found = violations(&schema, &json!({"days": 0, "x~y": 1, "at": {}}));
    found.sort();
    let expected = [
        ("/at/a~1b", "is required"),
        ("/city", "is required"),
        ("/days", "value is less than the minimum of 1"),
        ("/x~0y", "is not a known field"),
    ];
    assert_eq!(found, expected.map(|(path, message)| (path.to_owned(), message.to_owned())));
}

/// What was sent is not repeated in a message: it may be long, and it may be private.
#[test]
fn a_message_does_not_repeat_the_value() {
    for (_, message) in
        violations(&json!({"enum": [1], "type": "integer", "maxLength": 1}), &json!("hunter2"))
    {
        assert!(!message.contains("hunter2"), "{message}");
    }
}

/// Draft-07 by its name: tuples, and no siblings of `$ref`.
#[test]
fn the_draft_is_the_one_that_is_named() {
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}],
        "additionalItems": false,
    });
    assert_eq!(violations(&draft_7, &json!(["a"])), []);
    assert_eq!(violations(&draft_7, &json!(["a", 1])).len(), 1);
    let latest = json!({"prefixItems": [{"type": "string"}], "items": false});
    assert_eq!(violations(&latest, &json!(["a"])), []);
    assert_eq!(violations(&latest, &json!(["a", 1])).len(), 1);
}

/// Bounds of length and depth.
#[test]
fn large_schemas_and_values_are_refused() {
    let code = |reply| refused(reply).0;
    assert_eq!(
        code(check(json!({"description": "x".repeat(countersign_toolbox::bounds::SCHEMA_BYTES)}))),
        "schema_too_large"
    );
    assert_eq!(
        code(check(nested(countersign_toolbox::bounds::SCHEMA_DEPTH + 1, json!(true)))),
        "schema_too_large"
    );
    assert_eq!(check(nested(countersign_toolbox::bounds::SCHEMA_DEPTH - 1, json!(true))), Reply::Done {});
    let validate = |value| answer(Request::Validate { schema: json!(true), value });
    assert_eq!(
        code(validate(nested(countersign_toolbox::bounds::VALUE_DEPTH + 1, json!(1)))),
        "value_too_large"
    );
    assert_eq!(
        code(validate(json!("x".repeat(countersign_toolbox::bounds::VALUE_BYTES)))),
        "value_too_large"
    );
}

/// A value inside of so many objects.
fn nested(depth: usize, inner: Value) -> Value {
    (0..depth).fold(inner, |inner, _| json!({ "not": inner }))
}

/// Patterns run in linear time: the classic that backtracks for years ends at once, and look-around is refused.
#[test]
fn patterns_run_in_linear_time() {
    let schema = json!({"type": "string", "pattern": "^(a+)+$"});
    assert_eq!(violations(&schema, &json!("a".repeat(100_000) + "!")).len(), 1);
    for pattern in ["(?=a)b", "(?<!a)b", r"(a)\1"] {
        assert_eq!(refused(check(json!({ "pattern": pattern }))).0, "invalid_schema", "{pattern}");
    }
}

/// A pattern that would be compiled to megabytes is refused.
#[test]
fn large_patterns_are_refused() {
    for pattern in ["a{1000}{1000}", r"\p{L}{900}"] {
        assert_eq!(refused(check(json!({ "pattern": pattern }))).0, "invalid_schema", "{pattern}");
        assert_eq!(refused(check(json!({ "patternProperties": { pattern: {} } }))).0, "invalid_schema");
    }
}
