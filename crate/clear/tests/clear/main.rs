//! The module from outside: what honest descriptors give, and what hostile ones cannot do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod calls;
mod hostile;
mod packs;
mod properties;
mod typed;

use countersign_clear::answer;
use serde_json::{Value, json};
use wire::descriptor::{CallData, Described, Known, KnownToken, Rendering, Reply, Request};

/// A token, and the contract of most tests.
const TOKEN: &str = "0xdac17f958d2ee523a2206206994597c13d831ec7";
const ALICE: &str = "0x1111111111111111111111111111111111111111";
const BOB: &str = "0x2222222222222222222222222222222222222222";

/// A descriptor of [`TOKEN`] with one format.
fn descriptor(key: &str, format: Value) -> Value {
    json!({
        "$schema": "erc7730-v2.schema.json",
        "context": {"contract": {"deployments": [{"chainId": 1, "address": TOKEN}]}},
        "metadata": {"owner": "Tether", "contractName": "USDT"},
        "display": {"formats": {key: format}},
    })
}

fn known() -> Known {
    let token = KnownToken {
        chain_id: Some(1),
        address: TOKEN.to_owned(),
        symbol: "USDT".to_owned(),
        decimals: 6,
        name: Some("Tether".to_owned()),
    };
    Known { tokens: vec![token], ..Known::default() }
}

/// Selector and words, hex.
fn data(selector: &str, words: &[&str]) -> String {
    let word = |word: &&str| format!("{:0>64}", word.trim_start_matches("0x"));
    format!("0x{selector}{}", words.iter().map(word).collect::<String>())
}

/// `transfer(BOB, 1.5 USDT)`.
fn transfer() -> String {
    data("a9059cbb", &[BOB, "16e360"])
}

fn call(descriptors: Vec<Value>, data: String) -> Described {
    let call =
        CallData { chain_id: 1, from: ALICE.to_owned(), to: TOKEN.to_owned(), value: "0".to_owned(), data };
    match answer(Request::Call { call, descriptors, known: known() }) {
        Reply::Described(described) => described,
        other => panic!("{other:?}"),
    }
}

/// Labels and values.
fn lines(rendering: &Rendering) -> Vec<(String, String)> {
    rendering.fields.iter().map(|field| (field.label.clone(), field.value.clone())).collect()
}

fn rendering(described: &Described) -> &Rendering {
    described.rendering.as_ref().unwrap_or_else(|| panic!("{:?}", described.diagnostics))
}

fn codes(described: &Described) -> Vec<&str> {
    described.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}
