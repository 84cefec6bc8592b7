//! Builders that tests share: actions, turns of a script, and changes of an object.

use super::ALICE;
use agent_backend::{Dialect, Turn, When};
use serde_json::{Map, Value, json};

/// A turn of an agent that proposes these elements of `actions`.
pub fn turn(when: When, actions: Value) -> Turn {
    let actions = actions.as_array().expect("actions are an array").iter().map(Value::to_string).collect();
    Turn {
        when,
        once: false,
        text: String::new(),
        delay_ms: 0,
        title: None,
        actions,
        actions_per_event: None,
        events: Vec::new(),
        dialect: Dialect::Events,
        faults: Vec::new(),
    }
}

/// Matches a user message with this word.
pub fn when_said(word: &str) -> When {
    When { message: Some(word.to_owned()), ..When::default() }
}

/// An action that needs no prompt.
pub fn action(id: &str, kind: &str, params: Value) -> Value {
    json!({"id": id, "type": kind, "title": format!("Title of {id}"), "params": params, "auto_execute": true})
}

/// An action that reads all contacts.
pub fn read_book(id: &str) -> Value {
    action(id, "get_address_book", json!({}))
}

/// An action that saves one Ethereum address.
pub fn save_entry(id: &str, title: &str) -> Value {
    action(
        id,
        "add_address_book",
        json!({"entries": [{"title": title, "address": ALICE, "chain": "Ethereum"}]}),
    )
}

/// A failed result with only an error.
pub fn failure(id: &str, kind: &str, error: &str) -> Value {
    json!({"action": kind, "action_id": id, "success": false, "error": error})
}

/// The result of a bundle that was refused or rejected before its first step (D17).
pub fn refused_bundle(id: &str, kind: &str, error: &str) -> Value {
    with(failure(id, kind, error), "data", json!({"transactions": [], "bundle_success": false}))
}

/// The object with this field set.
pub fn with(mut object: Value, name: &str, value: Value) -> Value {
    object.as_object_mut().expect("is an object").insert(name.to_owned(), value);
    object
}

/// The object without this field.
pub fn without(mut object: Value, name: &str) -> Value {
    object.as_object_mut().expect("is an object").remove(name);
    object
}

/// The fields of an object, by name.
pub fn fields(object: &Value) -> &Map<String, Value> {
    object.as_object().expect("is an object")
}

/// Vaults whose accounts other libraries derived: `{name, ecdsa, eddsa, chain_code, chains: [{chain, address, …}]}`.
pub fn vaults() -> Vec<Value> {
    let text = include_str!("../../vectors/derive/derived-addresses.json");
    serde_json::from_str(text).expect("vectors are JSON")
}

/// One of [`vaults`] as a watch-only vault.
pub fn vault(index: usize) -> Value {
    let vaults = vaults();
    let keys = vaults.get(index).expect("there are four vaults");
    json!({"kind": "watch", "name": keys["name"], "publicKeyEcdsa": keys["ecdsa"], "publicKeyEddsa": keys["eddsa"],
        "hexChainCode": keys["chain_code"]})
}

/// The id of one of [`vaults`].
pub fn vault_id(index: usize) -> String {
    vault(index)["publicKeyEcdsa"].as_str().expect("a key is a text").to_owned()
}

/// The address of one of [`vaults`] on a chain.
pub fn address_of(index: usize, chain: &str) -> String {
    let vaults = vaults();
    let chains =
        vaults.get(index).and_then(|vault| vault["chains"].as_array()).expect("there are four vaults");
    let entry = chains.iter().find(|entry| entry["chain"] == chain).expect("the chain has an account");
    entry["address"].as_str().expect("an address is a text").to_owned()
}
