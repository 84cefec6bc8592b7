//! Typed data: what a descriptor must be bound to, and what of the message is not as its types say.

use crate::{ALICE, BOB, TOKEN, codes, known, lines, rendering};
use countersign_clear::answer;
use serde_json::{Value, json};
use wire::descriptor::{Described, DescriptionOutcome, Reply, Request};

const KEY: &str = "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";

fn message() -> Value {
    let member = |kind: &str, name: &str| json!({"type": kind, "name": name});
    json!({
        "types": {
            "EIP712Domain": [member("string", "name"), member("string", "version"), member("uint256", "chainId"),
                member("address", "verifyingContract")],
            "Permit": [member("address", "owner"), member("address", "spender"), member("uint256", "value"),
                member("uint256", "nonce"), member("uint256", "deadline")],
        },
        "primaryType": "Permit",
        "domain": {"name": "USD", "version": "1", "chainId": 1, "verifyingContract": TOKEN},
        "message": {"owner": ALICE, "spender": BOB, "value": "1500000", "nonce": 0, "deadline": "0x0"},
    })
}

fn descriptor(context: Value) -> Value {
    json!({
        "context": {"eip712": context},
        "display": {"formats": {KEY: {"intent": "Permit", "fields": [
            {"path": "spender", "label": "Spender", "format": "addressName"},
            {"path": "value", "label": "Most", "format": "tokenAmount", "params": {"tokenPath": "@.to"}},
        ]}}},
    })
}

fn describe(data: Value, context: Value) -> Described {
    let descriptors = vec![descriptor(context)];
    match answer(Request::TypedData { data, from: ALICE.to_owned(), descriptors, known: known() }) {
        Reply::Described(described) => described,
        other => panic!("{other:?}"),
    }
}

fn deployed() -> Value {
    json!({"deployments": [{"chainId": 1, "address": TOKEN}]})
}

#[test]
fn honest_permit_is_clear_signed() {
    let described = describe(message(), deployed());
    assert_eq!(described.outcome, DescriptionOutcome::ClearSigned);
    let line = |label: &str, value: &str| (label.to_owned(), value.to_owned());
    assert_eq!(lines(rendering(&described)), [line("Spender", BOB), line("Most", "1.5 USDT")]);
}

/// Every constraint must be met; a descriptor without one speaks of nothing.
#[test]
fn constraints_of_the_domain() {
    let separator = {
        let domain = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
        let mut bytes = chains::hash::keccak256(domain.as_bytes()).to_vec();
        bytes.extend(chains::hash::keccak256(b"USD"));
        bytes.extend(chains::hash::keccak256(b"1"));
        bytes.extend([[0; 31].as_slice(), &[1], &[0; 12]].concat());
        bytes.extend(chains::encoding::from_hex("address", TOKEN).unwrap());
        format!("0x{}", chains::encoding::hex(&chains::hash::keccak256(&bytes)))
    };
    for (fits, context) in [
        (true, deployed()),
        (true, json!({"domain": {"name": "USD", "chainId": "1"}})),
        (true, json!({"domainSeparator": separator})),
        (false, json!({})),
        (false, json!({"domain": {"version": "1"}})),
        (false, json!({"domain": {"name": "EUR"}})),
        (false, json!({"domain": {"name": "USD", "salt": "0x"}})),
        (false, json!({"deployments": [{"chainId": 10, "address": TOKEN}]})),
        (false, json!({"domainSeparator": separator.replace('0', "1")})),
        (false, json!({"deployments": [{"chainId": 1, "address": TOKEN}], "domain": {"name": "EUR"}})),
    ] {
        let described = describe(message(), context.clone());
        assert_eq!(described.rendering.is_some(), fits, "{context} {:?}", described.diagnostics);
    }
}

/// A message that is not of its own types is not described, and neither is one of another type of the same name.
#[test]
fn messages_that_are_not_of_their_types() {
    let change = |change: fn(&mut Value)| {
        let mut data = message();
        change(&mut data);
        codes(&describe(data, deployed())).join(",")
    };
    assert_eq!(change(|data| data["message"]["spender"] = json!("nobody")), "unreadable_input");
    assert_eq!(change(|data| data["message"]["value"] = json!("-1")), "unreadable_input");
    assert_eq!(change(|data| data["message"]["value"] = json!("1e3")), "unreadable_input");
    assert_eq!(
        change(|data| drop(data["message"].as_object_mut().unwrap().remove("nonce"))),
        "unreadable_input"
    );
    assert_eq!(change(|data| data["types"]["Permit"][2]["type"] = json!("uint128")), "format_not_found");
    assert_eq!(change(|data| data["primaryType"] = json!("Other")), "unreadable_input");
}

/// A type that contains itself ends at the depth that is allowed.
#[test]
fn recursive_types_end() {
    let mut message = json!({"next": []});
    for _ in 0..40 {
        message = json!({"next": [message]});
    }
    let data = json!({
        "types": {"Node": [{"type": "Node[]", "name": "next"}]},
        "primaryType": "Node",
        "domain": {"name": "USD", "chainId": 1, "verifyingContract": TOKEN},
        "message": message,
    });
    assert_eq!(codes(&describe(data, deployed())), ["unreadable_input"]);
}
