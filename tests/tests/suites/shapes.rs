//! The built-ins' arguments: what the core checks is what their JSON Schema says.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use jsonschema::Validator;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use runtime::tool::shape::{Field, Kind, Shape};
use runtime::tool::{Schema, built_in_definitions};
use serde_json::{Map, Value, json};

/// Every kind of field, required and not.
static EVERYTHING: Shape = Shape {
    fields: &[
        field("text", Kind::Text, true),
        field("maybe_text", Kind::Text, false),
        field("label", Kind::Label, true),
        field("maybe_label", Kind::Label, false),
        field("flag", Kind::Flag, true),
        field("whole", Kind::Whole(1, 9), true),
        field("maybe_whole", Kind::Whole(0, u32::MAX), false),
        field("word", Kind::OneOf(&["a", "b"]), true),
        field("maybe_word", Kind::OneOf(&["a", "b"]), false),
        field("object", Kind::Object(&INNER), true),
        field("maybe_object", Kind::Object(&INNER), false),
        field("entries", Kind::Entries { what: "entry", most: Some((2, "has more")), entry: &INNER }, true),
    ],
};

static INNER: Shape = Shape { fields: &[field("flag", Kind::Flag, true), field("word", Kind::Text, false)] };

const fn field(name: &'static str, kind: Kind, required: bool) -> Field {
    Field { name, about: "", kind, required }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..12).prop_map(Value::from),
        (-2_i64..12).prop_map(|whole| json!(whole as f64)),
        prop_oneof![Just(1.5), Just(1e300), Just(4_294_967_296.0)].prop_map(|number: f64| json!(number)),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            (0_usize..258).prop_map(|count| Value::Array(vec![json!({}); count])),
            prop::collection::btree_map("flag|word|x", inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A value that a field of this kind takes.
fn fitting(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!("t"),
        Kind::Label => json!(7),
        Kind::Flag => json!(true),
        Kind::Whole(least, _) => json!(least),
        Kind::OneOf(words) => json!(words.first()),
        Kind::Object(shape) => Value::Object(fitting_all(shape)),
        Kind::Entries { .. } => json!([7]),
    }
}

fn fitting_all(shape: &Shape) -> Map<String, Value> {
    shape.fields.iter().map(|field| (field.name.to_owned(), fitting(&field.kind))).collect()
}

/// Arguments that fit but for some fields, which are left out or anything.
fn arguments(shape: &'static Shape) -> impl Strategy<Value = Map<String, Value>> {
    let names: Vec<String> =
        shape.fields.iter().map(|field| field.name.to_owned()).chain(["other".to_owned()]).collect();
    let changes = prop::collection::vec((prop::sample::select(names), prop::option::of(value())), 0..4);
    changes.prop_map(|changes| {
        let mut arguments = fitting_all(shape);
        for (name, value) in changes {
            match value {
                Some(value) => arguments.insert(name, value),
                None => arguments.remove(&name),
            };
        }
        arguments
    })
}

fn agree(shape: &'static Shape, schema: &Value) {
    let validator: Validator = jsonschema::draft202012::new(schema).unwrap();
    assert!(shape.check(&fitting_all(shape)).is_ok());
    TestRunner::new(Config { cases: 1_500, failure_persistence: None, ..Config::default() })
        .run(&arguments(shape), |arguments| {
            let checked = shape.check(&arguments);
            let valid = validator.is_valid(&Value::Object(arguments.clone()));
            prop_assert_eq!(checked.is_ok(), valid, "{:?}: {:?}", arguments, checked);
            if let Err(error) = checked {
                prop_assert!(error.path().starts_with('/') && !error.problem().is_empty());
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}\n{schema:#}"));
}

/// T003-4: for any arguments of any built-in, the check before the user is asked says what the tool's JSON Schema says.
#[test]
fn checks_and_schemas_agree() {
    for definition in built_in_definitions() {
        let Schema::Shape(shape) = definition.schema else { panic!("{} has no shape", definition.name) };
        agree(shape, &definition.view().schema);
    }
    agree(&EVERYTHING, &EVERYTHING.schema());
}

/// T000-57: an entry is described and not constrained: one that is wrong fails by itself.
#[test]
fn entries_are_described_and_not_constrained() {
    for definition in built_in_definitions() {
        let schema = definition.view().schema;
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for (name, field) in schema["properties"].as_object().unwrap() {
            let Some(items) = field.get("items") else { continue };
            assert!(items["anyOf"][0]["properties"].is_object(), "{name}");
            for entry in [json!(7), json!(null), json!({}), json!({"chain": []})] {
                assert!(validator.is_valid(&json!({name: [entry]})), "{name}");
            }
        }
    }
}
