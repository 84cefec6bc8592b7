//! What calls do, in the words of the vectors that another library encoded.

use crate::{CALLS, read};
use countersign_chains::encoding::hex;
use countersign_chains::explain::{Asset, Effect, Function};
use serde_json::{Value, json};

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
            "amount": swap.amount.to_string(), "buy": swap.buy,
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
        Effect::Other { name, fields } => json!({ "other": { "name": name, "fields": values(fields) } }),
        Effect::Unknown { what, bytes } => json!({ "unknown": { "what": what, "bytes": bytes } }),
        Effect::Change { .. } => panic!("no change on EVM chains"),
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

#[test]
fn what_calls_do() {
    for case in CALLS["calls"].as_array().unwrap() {
        let explanation = read(case["unsigned_tx_hex"].as_str().unwrap()).unwrap().explain();
        let effects: Vec<Value> = explanation.effects.iter().map(told).collect();
        assert_eq!(json!(effects), case["effects"], "{}", case["name"]);
        assert_eq!(json!(explanation.memo), case["memo"], "{}", case["name"]);
    }
}
