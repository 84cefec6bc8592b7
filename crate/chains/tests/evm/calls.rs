//! What calls do, in the words of the vectors that another library encoded.

use crate::{CALLS, read};
use countersign_chains::encoding::hex;
use countersign_chains::explain::{Asset, Bought, Effect, Explanation, Function, Party};
use countersign_chains::facts::{Facts, Wanted};
use countersign_chains::{Chain, known};
use serde_json::{Value, json};
use wire::node::{FactQuery, NodeFact};

/// An effect in the words of the vectors: names and order of what was decoded, without the names of arguments.
pub(crate) fn told(effect: &Effect) -> Value {
    match effect {
        Effect::Transfer { asset, to, amount } => {
            json!({ "transfer": { "asset": asset_told(asset), "to": to, "amount": amount.to_string() } })
        }
        Effect::TransferFrom { asset, from, to, amount } => json!({ "transfer_from": {
            "asset": asset_told(asset), "from": from, "to": to, "amount": amount.to_string(),
        } }),
        Effect::Approve { asset, spender, amount, unlimited } => json!({ "approve": {
            "asset": asset_told(asset), "spender": spender, "amount": amount.to_string(), "unlimited": unlimited,
        } }),
        Effect::ApproveAll { collection, operator, approved } => {
            json!({ "approve_all": { "collection": collection, "operator": operator, "approved": approved } })
        }
        Effect::Swap(swap) => json!({ "swap": {
            "provider": swap.provider, "router": swap.router, "sell": asset_told(&swap.sell),
            "amount": swap.amount.to_string(), "buy": swap.buy.as_ref().map(bought_told),
            "minimum_out": swap.minimum_out.map(|amount| amount.to_string()), "recipient": swap.recipient,
        } }),
        Effect::Call { contract, value, function: Function::Known { signature, arguments } } => {
            json!({ "call": {
            "contract": contract, "value": value.to_string(), "signature": signature, "arguments": values(arguments),
        } })
        }
        Effect::Call { contract, value, function: Function::Unknown { selector, bytes } } => {
            json!({ "call": {
            "contract": contract, "value": value.to_string(), "bytes": bytes,
            "selector": selector.map(|selector| format!("0x{}", hex(&selector))),
        } })
        }
        Effect::Create { value, bytes } => {
            json!({ "create": { "value": value.to_string(), "bytes": bytes } })
        }
        Effect::Note { name, fields } => json!({ "note": { "name": name, "fields": values(fields) } }),
        Effect::Other { name, fields } => json!({ "other": { "name": name, "fields": values(fields) } }),
        Effect::Unknown { what, bytes } => json!({ "unknown": { "what": what, "bytes": bytes } }),
        Effect::Change { to, amount } => json!({ "change": { "to": to, "amount": amount.to_string() } }),
    }
}

fn bought_told(bought: &Bought) -> Value {
    match bought {
        Bought::Here(asset) => asset_told(asset),
        Bought::Elsewhere { place, asset } => json!({ "place": place, "asset": asset }),
        Bought::Named(name) => json!({ "named": name }),
    }
}

fn asset_told(asset: &Asset) -> Value {
    match asset {
        Asset::Native => json!("native"),
        Asset::Token { id } => json!(id),
        Asset::Item { collection, id } => json!({ "collection": collection, "id": id.to_string() }),
    }
}

fn values(arguments: &[(String, String)]) -> Vec<&str> {
    arguments.iter().map(|(_, value)| value.as_str()).collect()
}

fn parties(explanation: &Explanation) -> Value {
    let told = |party: &Party| json!({ "address": party.address, "role": party.role });
    explanation.parties.iter().map(told).collect()
}

/// The arguments of a call are compared where the vector has them: most have names of ours in them.
fn compared(effect: &Effect, expected: &Value) -> Value {
    let mut told = told(effect);
    if expected.get("call").is_some_and(|call| call.get("arguments").is_none())
        && let Some(call) = told.get_mut("call").and_then(Value::as_object_mut)
    {
        call.remove("arguments");
    }
    told
}

pub(crate) fn facts(case: &Value) -> Vec<NodeFact> {
    serde_json::from_value(case["facts"].clone()).unwrap()
}

#[test]
fn what_calls_do() {
    for case in CALLS["calls"].as_array().unwrap() {
        let facts = facts(case);
        let transaction = read(case["unsigned_tx_hex"].as_str().unwrap()).unwrap();
        let explanation = transaction.explain_with(Facts(&facts));
        let expected = case["effects"].as_array().unwrap();
        let compared = explanation
            .effects
            .iter()
            .enumerate()
            .map(|(at, effect)| compared(effect, expected.get(at).unwrap_or(&Value::Null)));
        assert_eq!(json!(compared.collect::<Vec<_>>()), case["effects"], "{}", case["name"]);
        assert_eq!(json!(explanation.memo), case["memo"], "{}", case["name"]);
        assert_eq!(parties(&explanation), case["parties"], "{}", case["name"]);
    }
}

/// The same bytes at a contract that is not in the table are a call with a name and nothing more.
#[test]
fn a_function_means_nothing_at_an_unknown_contract() {
    let unknown = "ab".repeat(20);
    let mut tried = 0;
    for case in CALLS["calls"].as_array().unwrap() {
        let (Some(to), Some(signature)) = (case["to"].as_str(), case["signature"].as_str()) else { continue };
        if known::named(Chain::Ethereum, to).is_none() {
            continue;
        }
        let hex = case["unsigned_tx_hex"].as_str().unwrap();
        let elsewhere = hex.replacen(&to[2..].to_lowercase(), &unknown, 1);
        let explanation = read(&elsewhere).unwrap().explain();
        let [Effect::Call { contract, function: Function::Known { signature: found, .. }, .. }] =
            explanation.effects.as_slice()
        else {
            panic!("{}: {:?}", case["name"], explanation.effects)
        };
        assert_eq!(contract.to_lowercase(), format!("0x{unknown}"));
        assert_eq!(found, signature, "{}", case["name"]);
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
}

/// A function of one protocol is no function of another.
#[test]
fn a_function_means_nothing_at_a_contract_of_another_protocol() {
    let case = |name: &str| {
        let calls = CALLS["calls"].as_array().unwrap();
        calls.iter().find(|case| case["name"] == name).unwrap()
    };
    let (wrap, swap) = (case("wrap"), case("Stargate send"));
    let at = swap["to"].as_str().unwrap()[2..].to_lowercase();
    let hex = wrap["unsigned_tx_hex"].as_str().unwrap();
    let moved = hex.replacen(&wrap["to"].as_str().unwrap()[2..].to_lowercase(), &at, 1);
    let explanation = read(&moved).unwrap().explain();
    assert!(matches!(explanation.effects.as_slice(), [Effect::Call { .. }]), "{:?}", explanation.effects);
}

/// What explanations need from nodes is asked for, and nothing else.
#[test]
fn what_nodes_are_asked() {
    let asked = |name: &str| -> Vec<String> {
        let calls = CALLS["calls"].as_array().unwrap();
        let case = calls.iter().find(|case| case["name"] == name).unwrap();
        let transaction = read(case["unsigned_tx_hex"].as_str().unwrap()).unwrap();
        let told = |wanted: Wanted| match wanted.query {
            FactQuery::Token { id } => format!("{}: {id}", wanted.chain),
            query => format!("{}: {query:?}", wanted.chain),
        };
        transaction.wanted().into_iter().map(told).collect()
    };
    let networks = ["THORChain: DepositAddresses", "MayaChain: DepositAddresses"];
    assert_eq!(asked("coins with a memo to nobody"), networks);
    assert_eq!(asked("deposit to a vault of nobody"), networks);
    assert_eq!(asked("deposit over a router that nobody knows"), networks);
    let token = CALLS["calls"][0]["to"].as_str().unwrap();
    for name in ["transferFrom oneself", "approve all"] {
        assert_eq!(asked(name), [format!("Ethereum: {token}")], "{name}");
    }
    for name in ["transfer", "coins", "coins with a text", "a new contract", "Stargate send"] {
        assert_eq!(asked(name), [""; 0], "{name}");
    }
}
