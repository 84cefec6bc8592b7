//! Records against twins that serde derives: the same text is written, and the same text is read.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, reason = "fields of twins")]

extern crate countersign_wire as wire;

use derive::Record;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Debug;
use wire::json::{FieldError, FromJson, Named, ToJson, from_text, to_text};

/// The same types twice: once with the derive of records, once with serde's.
macro_rules! twins {
    ($($item:item)+) => {
        mod ours {
            use super::*;
            $(#[derive(Debug, Clone, PartialEq, Record)] $item)+
        }
        mod theirs {
            use super::*;
            $(#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] $item)+
        }
    };
}

twins! {
    #[derive(Copy)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum Kind {
        NotFound,
        #[serde(rename = "a.b")]
        Other,
    }

    #[serde(rename_all = "camelCase")]
    pub(crate) struct Inner {
        pub tx_hash: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub not_there: Option<u64>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub many: Vec<u8>,
        pub flag: bool,
    }

    #[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
    pub(crate) enum Among {
        UnitOne,
        WithFields { first_field: String, r#type: Kind },
        Around(Inner),
    }

    #[serde(tag = "event", content = "data", rename_all_fields = "camelCase")]
    pub(crate) enum Beside {
        #[serde(rename = "tool.started")]
        Started { call_id: String },
        Empty {},
        Unit,
        One(Inner),
    }

    #[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
    pub(crate) enum Around {
        Unit,
        Empty {},
        One(Box<Inner>),
        WithFields { first_field: u32, numbers: Vec<Vec<u16>> },
        SecondUnit,
    }

    pub(crate) struct Text(pub String);

    #[serde(rename_all = "camelCase")]
    pub(crate) struct Outer<T> {
        pub id: String,
        #[serde(flatten)]
        pub among: Among,
        pub beside: Vec<Beside>,
        pub around: Around,
        pub by_name: BTreeMap<String, T>,
        pub params: Map<String, Value>,
        #[serde(rename = "outer type")]
        pub kind: Kind,
        pub text: Text,
        #[serde(default)]
        pub value: Value,
        pub size: usize,
    }
}

/// Policies take no field that they do not know.
#[derive(Debug, PartialEq, Record)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
enum Closed {
    Unit,
    One { name: String },
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,8}", "[\\x00-\\x7f]{0,8}", Just("\u{2028}\u{7f}\"\\/\u{8}\u{c}é😀".to_owned())]
}

/// A number that serde_json's parser gives back; it rounds the last digit of some.
fn float(number: f64) -> Value {
    let value = Value::from(number);
    let again: Value = serde_json::from_str(&value.to_string()).unwrap();
    if again == value { value } else { Value::from(1.5) }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(float),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn kind() -> impl Strategy<Value = theirs::Kind> {
    prop_oneof![Just(theirs::Kind::NotFound), Just(theirs::Kind::Other)]
}

fn inner() -> impl Strategy<Value = theirs::Inner> {
    let many = prop::collection::vec(any::<u8>(), 0..3);
    (prop::option::of(text()), prop::option::of(any::<u64>()), many, any::<bool>())
        .prop_map(|(tx_hash, not_there, many, flag)| theirs::Inner { tx_hash, not_there, many, flag })
}

fn among() -> impl Strategy<Value = theirs::Among> {
    prop_oneof![
        Just(theirs::Among::UnitOne),
        (text(), kind()).prop_map(|(first_field, r#type)| theirs::Among::WithFields { first_field, r#type }),
        inner().prop_map(theirs::Among::Around),
    ]
}

fn beside() -> impl Strategy<Value = theirs::Beside> {
    prop_oneof![
        text().prop_map(|call_id| theirs::Beside::Started { call_id }),
        Just(theirs::Beside::Empty {}),
        Just(theirs::Beside::Unit),
        inner().prop_map(theirs::Beside::One),
    ]
}

fn around() -> impl Strategy<Value = theirs::Around> {
    let numbers = prop::collection::vec(prop::collection::vec(any::<u16>(), 0..3), 0..3);
    prop_oneof![
        Just(theirs::Around::Unit),
        Just(theirs::Around::SecondUnit),
        Just(theirs::Around::Empty {}),
        inner().prop_map(|inner| theirs::Around::One(Box::new(inner))),
        (any::<u32>(), numbers)
            .prop_map(|(first_field, numbers)| theirs::Around::WithFields { first_field, numbers }),
    ]
}

fn outer() -> impl Strategy<Value = theirs::Outer<theirs::Inner>> {
    let by_name = prop::collection::btree_map(text(), inner(), 0..3);
    let params = prop::collection::btree_map(text(), value(), 0..3);
    (
        (text(), among(), prop::collection::vec(beside(), 0..3), around(), by_name),
        (params, kind(), text(), value(), any::<u32>()),
    )
        .prop_map(|((id, among, beside, around, by_name), (params, kind, text, value, size))| {
            theirs::Outer {
                id,
                among,
                beside,
                around,
                by_name,
                params: params.into_iter().collect(),
                kind,
                text: theirs::Text(text),
                value,
                size: size as usize,
            }
        })
}

/// The text of a twin is read, and written again as it was, by the record's own traits and by serde's.
fn same<T: ToJson + FromJson + Serialize + for<'de> Deserialize<'de> + PartialEq + Debug>(
    twin: &impl Serialize,
) -> Result<(), TestCaseError> {
    let text = serde_json::to_string(twin).unwrap();
    let read: T = from_text(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
    prop_assert_eq!(&to_text(&read), &text);
    prop_assert_eq!(&serde_json::to_string(&read).unwrap(), &text);
    prop_assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::to_value(twin).unwrap());
    prop_assert_eq!(serde_json::from_str::<T>(&text).unwrap(), read);
    Ok(())
}

/// A record is read exactly where its twin is.
fn alike<Ours: FromJson, Theirs: for<'de> Deserialize<'de>>(value: &Value) -> Result<(), TestCaseError> {
    let ours = wire::json::from_value::<Ours>(value.clone());
    let theirs = serde_json::from_value::<Theirs>(value.clone());
    prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", value);
    Ok(())
}

proptest! {
    #[test]
    fn text_is_that_of_serde(twin in outer()) {
        same::<ours::Outer<ours::Inner>>(&twin)?;
    }

    /// A field of a record is exchanged for anything: what one reader refuses, the other refuses.
    #[test]
    fn refused_where_serde_refuses(twin in outer(), place in 0..12_usize, value in value()) {
        let mut record = serde_json::to_value(&twin).unwrap();
        let fields = record.as_object_mut().unwrap();
        let name = fields.keys().nth(place % fields.len()).cloned().unwrap();
        fields.insert(name.clone(), value);
        alike::<ours::Outer<ours::Inner>, theirs::Outer<theirs::Inner>>(&record)?;
        record.as_object_mut().unwrap().remove(&name);
        alike::<ours::Outer<ours::Inner>, theirs::Outer<theirs::Inner>>(&record)?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = from_text::<ours::Outer<ours::Inner>>(&text);
        let _ = from_text::<Value>(&text);
    }
}

#[test]
fn errors_name_their_place() {
    let place = |text: &str| from_text::<ours::Outer<ours::Inner>>(text).unwrap_err();
    let mut record = json!({"id": "1", "kind": "unit_one", "beside": [], "around": "unit", "byName": {},
        "params": {}, "outer type": "a.b", "text": "", "size": 0});
    assert!(wire::json::from_value::<ours::Outer<ours::Inner>>(record.clone()).is_ok());
    record["beside"] = json!([{"event": "Unit"}, {"event": "tool.started", "data": {}}]);
    assert_eq!(place(&record.to_string()), FieldError::Missing { path: "/beside/1/data/callId".to_owned() });
    record["beside"] = json!([]);
    record["byName"] = json!({"a/b~c": {"txHash": null, "flag": 1}});
    assert_eq!(place(&record.to_string()), FieldError::Invalid { path: "/byName/a~1b~0c/flag".to_owned() });
    assert_eq!(place("[").code(), "not_json");
    assert_eq!(place(&"[".repeat(1_000_000)).code(), "not_json", "nested too deep");
}

#[test]
fn unknown_fields_are_refused_where_they_are_denied() {
    assert_eq!(from_text::<Closed>(r#"{"kind":"one","name":"x"}"#), Ok(Closed::One { name: "x".to_owned() }));
    let unknown = Err(FieldError::Unknown { path: "/name".to_owned() });
    assert_eq!(from_text::<Closed>(r#"{"kind":"unit","name":"x"}"#), unknown);
}

#[test]
fn names_of_an_enum() {
    assert_eq!(ours::Kind::NAMES, ["not_found", "a.b"]);
    assert_eq!(ours::Kind::Other.name(), "a.b");
}
