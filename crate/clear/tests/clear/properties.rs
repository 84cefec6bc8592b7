//! Arbitrary descriptors, calldata and typed data: always an answer, never a panic, never more than the bounds.

use crate::{ALICE, TOKEN, descriptor, known};
use countersign_clear::{answer, answer_text, bounds};
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::descriptor::{CallData, PackFile, Rendering, Reply, Request};

/// Keys and values that mean something, mixed with ones that do not.
fn json_value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("path"),
        Just("fields"),
        Just("label"),
        Just("format"),
        Just("params"),
        Just("visible"),
        Just("tokenPath"),
        Just("to"),
        Just("#.to"),
        Just("value.[]"),
        Just("value.[-5:]"),
        Just("@.to"),
        Just("$.display.definitions.a"),
        Just("tokenAmount"),
        Just("date"),
        Just("enum"),
        Just("calldata"),
        Just("unit"),
        Just("addressName"),
        Just("$ref"),
        Just("iteration"),
        Just("bundled"),
        Just("ifNotIn"),
        Just("mustMatch"),
        Just("never"),
        Just("map"),
        Just("keyPath"),
        Just("callee"),
        Just("threshold"),
        Just("0xffff"),
        Just("decimals"),
        Just("prefix"),
        Just("encryption"),
        Just("value"),
    ]
    .prop_map(str::to_owned);
    let word = prop_oneof![4 => word, 1 => any::<String>()];
    let leaf = prop_oneof![
        word.clone().prop_map(Value::String),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!(TOKEN)),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((word.clone(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn within_bounds(rendering: &Rendering) -> (usize, usize) {
    let mut sum = (0, rendering.intent.len());
    for field in &rendering.fields {
        let inner = field.call.as_ref().map_or((0, 0), |call| within_bounds(call));
        sum = (sum.0 + 1 + inner.0, sum.1 + field.label.len() + field.value.len() + inner.1);
    }
    sum
}

fn check(reply: &Reply) {
    if let Reply::Described(described) = reply
        && let Some(rendering) = &described.rendering
    {
        let (fields, bytes) = within_bounds(rendering);
        assert!(fields <= bounds::FIELDS && bytes <= bounds::TEXT_BYTES);
    }
}

proptest! {
    #[test]
    fn arbitrary_fields(fields in prop::collection::vec(json_value(), 0..6), definitions in json_value(), sentence in any::<String>(), words in prop::collection::vec(any::<u8>(), 0..300)) {
        let format = json!({"intent": "x", "interpolatedIntent": sentence, "fields": fields});
        let mut document = descriptor("f(address to,uint256[] value,bytes data)", format);
        document["display"]["definitions"] = json!({"a": definitions});
        let selector = chains::hash::keccak256(b"f(address,uint256[],bytes)");
        let head = format!("{:0>64}{:0>64}{:0>64}{:0>64}{:0>64}", ALICE.trim_start_matches("0x"), "60", "80", "0", "20");
        let data = format!("0x{}{head}{}", chains::encoding::hex(&selector[..4]), chains::encoding::hex(&words));
        let call = CallData { chain_id: 1, from: ALICE.to_owned(), to: TOKEN.to_owned(), value: "1".to_owned(), data };
        check(&answer(Request::Call { call, descriptors: vec![document], known: known() }));
    }

    #[test]
    fn arbitrary_calldata(key in "[a-z]{1,3}\\((address|uint8|bytes|string|\\(uint256 a,bytes\\[\\] b\\)\\[\\]|int64\\[2\\]) [a-z](,(bytes4|bool|uint256\\[\\]\\[\\]) [a-z]){0,2}\\)", bytes in prop::collection::vec(prop_oneof![3 => Just(0_u8), 1 => any::<u8>(), 1 => Just(32)], 0..400)) {
        let format = json!({"intent": "x", "fields": [{"path": "a", "label": "a"}, {"path": "a.[]", "label": "b"}, {"path": "b.[-1]"}]});
        let types: String = {
            // The selector of what the key says: names are dropped as the module drops them.
            let mut text = String::new();
            let mut skip = false;
            for c in key.chars() {
                match c { ' ' => skip = true, ',' | ')' => { skip = false; text.push(c) }, _ if skip => {}, _ => text.push(c) }
            }
            text
        };
        let selector = chains::encoding::hex(&chains::hash::keccak256(types.as_bytes())[..4]);
        let data = format!("0x{selector}{}", chains::encoding::hex(&bytes));
        let call = CallData { chain_id: 1, from: String::new(), to: TOKEN.to_owned(), value: "0".to_owned(), data };
        check(&answer(Request::Call { call, descriptors: vec![descriptor(&key, format)], known: known() }));
    }

    #[test]
    fn arbitrary_typed_data(types in json_value(), message in json_value(), context in json_value()) {
        let data = json!({"types": {"A": types, "path": [{"type": "A[]", "name": "to"}]}, "primaryType": "path", "domain": {"name": "x"}, "message": message});
        let document = json!({"context": {"eip712": context}, "display": {"formats": {"path(A[] to)": {"fields": []}}}});
        check(&answer(Request::TypedData { data, from: String::new(), descriptors: vec![document], known: known() }));
    }

    #[test]
    fn arbitrary_packs(documents in prop::collection::vec(json_value(), 0..4), text in any::<String>()) {
        let files = documents.iter().enumerate().map(|(index, document)| PackFile { path: format!("{index}.json"), text: document.to_string() });
        answer(Request::ReadFiles { files: files.collect() });
        answer(Request::ReadPack { text: text.clone() });
        answer_text(&text);
    }
}
