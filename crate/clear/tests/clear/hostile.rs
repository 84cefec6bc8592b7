//! Descriptors that are written to deceive, or to take memory and time.

use crate::{BOB, TOKEN, call, codes, data, descriptor, lines, rendering, transfer};
use countersign_clear::bounds;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use wire::descriptor::{DescriptionOutcome, Origin};

const TRANSFER: &str = "transfer(address to,uint256 value)";

fn fields(list: Value) -> Value {
    json!({"intent": "Send", "fields": list})
}

/// A token's decimals are the wallet's own: those of the descriptor are not read.
#[test]
fn decimals_of_a_descriptor_are_not_used() {
    let list = json!([{"path": "value", "label": "Amount", "format": "tokenAmount", "params": {"tokenPath": "@.to"}}]);
    let mut document = descriptor(TRANSFER, fields(list));
    document["metadata"]["token"] = json!({"ticker": "FREE", "name": "Free", "decimals": 18});
    let described = call(vec![document], transfer());
    assert_eq!(lines(rendering(&described))[0].1, "1.5 USDT");
}

/// What the descriptor brings itself is known for it, and so is where every other value came from.
#[test]
fn origins_of_values() {
    let list = json!([
        {"value": "0 USDT", "label": "Amount"},
        {"path": "to", "label": "To", "format": "addressName", "params": {"senderAddress": BOB}},
        {"path": "value", "label": "Real", "format": "unit", "params": {"base": "USDT", "decimals": 18}},
    ]);
    let described = call(vec![descriptor(TRANSFER, fields(list))], transfer());
    let origins: Vec<Option<Origin>> =
        rendering(&described).fields.iter().map(|field| field.origin.clone()).collect();
    assert_eq!(
        origins,
        [
            Some(Origin::Literal {}),
            Some(Origin::Address { address: BOB.to_owned() }),
            Some(Origin::Number { units: "1500000".to_owned(), token: None, amount: true }),
        ]
    );
}

/// Nothing of a sentence is made where one of its values is not shown.
#[test]
fn sentences_speak_only_of_shown_fields() {
    let list = json!([
        {"path": "value", "label": "Amount", "visible": "optional"},
        {"path": "to", "label": "To", "visible": "never"},
    ]);
    for template in
        ["{value}", "{to}", "{other}", "{", "}", "{value", "{@.from}", "{$.metadata.owner}", "{[}"]
    {
        let format = json!({"intent": "Send", "interpolatedIntent": template, "fields": list});
        let described = call(vec![descriptor(TRANSFER, format)], transfer());
        assert_eq!(rendering(&described).sentence, None, "{template}");
        assert_eq!(codes(&described), ["sentence_skipped"], "{template}");
    }
}

/// A value that the descriptor excludes fails as a whole, also where it is hidden.
#[test]
fn must_match_fails_closed() {
    let list = json!([{"path": "value", "label": "Amount", "visible": {"mustMatch": ["7"]}}]);
    let described = call(vec![descriptor(TRANSFER, fields(list))], transfer());
    assert_eq!(
        (described.outcome, codes(&described)),
        (DescriptionOutcome::Failure, vec!["value_not_allowed"])
    );
}

/// Everything that could be endless ends, soon and by a code.
#[test]
fn bombs() {
    let mut nested = json!({"path": "value", "label": "x"});
    for _ in 0..50 {
        nested = json!({"fields": [nested]});
    }
    let wide: Vec<Value> = (0..5_000).map(|_| json!({"path": "value", "label": "x"})).collect();
    let long = json!([{"path": "value", "label": "x".repeat(bounds::TEXT_BYTES + 1)}]);
    let deep_path = format!("to{}", ".[0]".repeat(10_000));
    let list = |list: Value| descriptor(TRANSFER, fields(list));
    for (document, code) in [
        (list(json!([nested])), "description_too_large"),
        (list(json!(wide)), "description_too_large"),
        (list(long), "description_too_large"),
        (list(json!([{"path": deep_path, "label": "x"}])), "invalid_descriptor"),
        (list(json!([{"path": "value.[9223372036854775808]", "label": "x"}])), "invalid_descriptor"),
        (list(json!([{"path": "value", "label": "x", "format": "magic"}])), "invalid_descriptor"),
        (list(json!(["field"])), "invalid_descriptor"),
        (descriptor(TRANSFER, json!({"intent": "x", "fields": "all"})), "invalid_descriptor"),
        (descriptor(&format!("transfer{}", "(".repeat(10_000)), fields(json!([]))), "format_not_found"),
        (
            descriptor(&format!("transfer(uint256{} a)", "[]".repeat(10_000)), fields(json!([]))),
            "format_not_found",
        ),
    ] {
        let started = Instant::now();
        let described = call(vec![document], transfer());
        assert_eq!((described.outcome, codes(&described)), (DescriptionOutcome::Failure, vec![code]));
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// Definitions that refer to themselves are followed once.
#[test]
fn definitions_do_not_loop() {
    let mut document =
        descriptor(TRANSFER, fields(json!([{"path": "value", "$ref": "$.display.definitions.a"}])));
    document["display"]["definitions"] = json!({"a": {"$ref": "$.display.definitions.a", "label": "x"}});
    assert_eq!(lines(rendering(&call(vec![document], transfer())))[0].1, "1500000");
}

/// A call in a call in a call, each the same: the descriptor ends where calls may not be deeper.
#[test]
fn nested_calls_end() {
    let key = "run(bytes data)";
    let selector = chains::encoding::hex(&chains::hash::keccak256(b"run(bytes)")[..4]);
    let format =
        fields(json!([{"path": "data", "label": "Call", "format": "calldata", "params": {"callee": TOKEN}}]));
    let mut inner = String::new();
    for _ in 0..20 {
        let length = format!("{:x}", inner.len() / 2);
        let padded = inner.len().div_ceil(64) * 64;
        inner = format!("{}{inner:0<padded$}", data(&selector, &["20", &length]).trim_start_matches("0x"));
    }
    let described = call(vec![descriptor(key, format)], format!("0x{inner}"));
    assert_eq!(
        (described.outcome, codes(&described)),
        (DescriptionOutcome::Fallback, vec!["nested_too_deep"])
    );
}

/// A list of a million members that the data does not have, and lists whose offsets lead back to the same bytes.
#[test]
fn lists_cost_what_the_data_has() {
    let format = || fields(json!([{"path": "a.[].[].[].[]", "label": "x"}]));
    for (key, canonical) in [
        ("f(uint256[1000000000] a)", "f(uint256[1000000000])"),
        ("f(uint256[][][][] a)", "f(uint256[][][][])"),
        ("f(()[] a)", "f(()[])"),
        ("f(()[1000000000] a)", "f(()[1000000000])"),
    ] {
        let selector = chains::encoding::hex(&chains::hash::keccak256(canonical.as_bytes())[..4]);
        let words = ["20"; 400];
        let started = Instant::now();
        let described = call(vec![descriptor(key, format())], data(&selector, &words));
        assert!(!described.diagnostics.is_empty());
        assert!(started.elapsed() < Duration::from_secs(5), "{key}");
    }
}

/// Words are passed on as they are: making control characters visible is for the page, which shows all others' words so.
#[test]
fn words_stay_as_they_are() {
    let label = "Recipient \u{202e}0x1234\nApproved by Countersign";
    let described =
        call(vec![descriptor(TRANSFER, fields(json!([{"path": "to", "label": label}])))], transfer());
    assert_eq!(lines(rendering(&described))[0].0, label);
}
