//! Packs: what is taken, and why others are not.

use crate::{TOKEN, descriptor};
use countersign_clear::{answer, bounds};
use serde_json::{Value, json};
use wire::descriptor::{PackDescriptor, PackFile, Reply, Request};

fn file(path: &str, document: &Value) -> PackFile {
    PackFile { path: path.to_owned(), text: document.to_string() }
}

fn read(files: Vec<PackFile>) -> Result<Vec<PackDescriptor>, (String, Option<String>)> {
    taken(answer(Request::ReadFiles { files }))
}

fn taken(reply: Reply) -> Result<Vec<PackDescriptor>, (String, Option<String>)> {
    match reply {
        Reply::Pack { descriptors } => Ok(descriptors),
        Reply::Refused(error) => Err((error.code, error.path)),
        other => panic!("{other:?}"),
    }
}

fn refusal(files: Vec<PackFile>) -> (String, String) {
    let (code, path) = read(files).unwrap_err();
    (code, path.unwrap_or_default())
}

fn bound() -> Value {
    descriptor("transfer(address to,uint256 value)", json!({"intent": "Send", "fields": []}))
}

/// A folder of a registry: includes are merged, what is no descriptor is passed over.
#[test]
fn folder_of_a_registry() {
    let common = json!({"display": {"formats": {"approve(address spender,uint256 value)": {
        "intent": "Approve",
        "fields": [{"path": "spender", "label": "Spender"}, {"path": "value", "label": "Amount", "params": {"a": 1, "b": 1}}],
    }}}});
    let including = json!({
        "includes": "../../ercs/common.json",
        "context": {"contract": {"deployments": [{"chainId": 1, "address": TOKEN}, {"chainId": 10, "address": TOKEN}]}},
        "display": {"formats": {"approve(address spender,uint256 value)": {
            "fields": [{"path": "value", "params": {"b": 2}}, {"path": "@.from", "label": "From"}],
        }}},
    });
    let files = vec![
        file("ercs/common.json", &common),
        file("registry/tether/calldata.json", &including),
        file("registry/tether/testsv2/calldata.tests.json", &json!([])),
        file("index.calldata.json", &json!({})),
        PackFile { path: "README.md".to_owned(), text: "# text".to_owned() },
    ];
    let descriptors = read(files).unwrap();
    assert_eq!(descriptors.len(), 1);
    assert_eq!(descriptors[0].keys, [format!("call/1/{TOKEN}"), format!("call/10/{TOKEN}")]);
    assert_eq!(
        descriptors[0].document["display"]["formats"]["approve(address spender,uint256 value)"],
        json!({"intent": "Approve", "fields": [
            {"path": "spender", "label": "Spender"},
            {"path": "value", "label": "Amount", "params": {"a": 1, "b": 2}},
            {"path": "@.from", "label": "From"},
        ]})
    );
}

#[test]
fn one_text() {
    let both = json!({"files": {"a.json": bound(), "b.json": bound()}}).to_string();
    assert_eq!(taken(answer(Request::ReadPack { text: both })).unwrap().len(), 2);
    assert_eq!(taken(answer(Request::ReadPack { text: bound().to_string() })).unwrap().len(), 1);
    let refused = taken(answer(Request::ReadPack { text: "{".to_owned() })).unwrap_err();
    assert_eq!(refused.0, "descriptor_not_json");
}

#[test]
fn bad_packs_are_refused_with_code_and_path() {
    let include = |name: &str| json!({"includes": name, "context": {"contract": {}}});
    let refused = |code: &str, path: &str| (code.to_owned(), path.to_owned());
    let long = PackFile { path: "a.json".to_owned(), text: " ".repeat(bounds::DESCRIPTOR_BYTES + 1) };
    for (files, expected) in [
        (
            vec![PackFile { path: "a.json".to_owned(), text: "{,".to_owned() }],
            refused("descriptor_not_json", "a.json"),
        ),
        (vec![long], refused("descriptor_too_large", "a.json")),
        (vec![file("a.json", &json!([]))], refused("invalid_descriptor", "a.json")),
        (vec![file("a.json", &json!({"a": 1}))], refused("invalid_descriptor", "a.json")),
        (vec![file("a.json", &include("b.json"))], refused("include_not_found", "a.json")),
        (vec![file("a.json", &include("../../b.json"))], refused("include_not_found", "a.json")),
        (
            vec![file("a.json", &include("https://example.com/b.json"))],
            refused("include_not_found", "a.json"),
        ),
        (vec![file("a.json", &include("a.json"))], refused("includes_loop", "a.json")),
        (
            vec![file("a.json", &include("b.json")), file("b.json", &include("a.json"))],
            refused("includes_loop", "a.json"),
        ),
        (
            vec![file("a.json", &json!({"context": {}, "display": {"formats": {}}}))],
            refused("empty_pack", ""),
        ),
        (vec![], refused("empty_pack", "")),
        (
            vec![PackFile { path: "a".to_owned(), text: String::new() }; bounds::PACK_FILES + 1],
            refused("pack_too_large", ""),
        ),
    ] {
        assert_eq!(refusal(files), expected);
    }
}

#[test]
fn schemas_that_are_not_read_here() {
    for (schema, taken) in [
        ("https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json", true),
        ("../../specs/erc7730-v1.schema.json", true),
        ("erc7730-v2.1.schema.json", true),
        ("erc7730-v3.0.0-next.schema.json", false),
        ("https://example.com/other.json", false),
    ] {
        let mut document = bound();
        document["$schema"] = json!(schema);
        assert_eq!(read(vec![file("a.json", &document)]).is_ok(), taken, "{schema}");
    }
}

/// Fields that are none, at any depth, name their place.
#[test]
fn fields_that_are_none() {
    let mut document = bound();
    document["display"]["formats"]["transfer(address to,uint256 value)"]["fields"] =
        json!([{"fields": ["a"]}]);
    let (code, path) = refusal(vec![file("a.json", &document)]);
    assert_eq!(code, "invalid_descriptor");
    assert_eq!(path, "a.json#/display/formats/transfer(address to,uint256 value)");
}
