//! `tx_ready`: a transaction that the backend built, in the form that came before bundles.
//!
//! ```json
//! {"from_chain": "Ethereum", "from_symbol": "USDC", "amount": "100", "sender": "0x…", "destination": "0x…",
//!  "to_chain": "Arbitrum", "to_symbol": "ARB", "provider": "…", "tx_type": "swap", "tx_details": {…},
//!  "keysign_payload": "base64",
//!  "needs_approval": true, "approval_tx": {"unsigned_tx": "0x…", …}, "swap_tx": {"unsigned_tx": "0x…", …}}
//! ```
//!
//! A keysign payload is one step, also beside other fields. Otherwise `approval_tx`, unless it is said not to be
//! needed, and `swap_tx` are a step each; one of the two that is needed and has no `unsigned_tx` is a step without a
//! transaction, for which the whole is refused. Nothing is built here from `to`, `value` and `data`.

use super::classify::{object, said};
use serde_json::{Map, Value};

/// What is to be signed, as `transactions` of a `sign_tx` have it.
pub(super) fn transactions(ready: &Map<String, Value>) -> Vec<Value> {
    let (approval, swap) = (said(ready, "approval_tx"), said(ready, "swap_tx"));
    if said(ready, "keysign_payload").is_some() || (approval.is_none() && swap.is_none()) {
        return vec![with_details(ready.clone(), details(ready, &Map::new()))];
    }
    let needed = match said(ready, "needs_approval") {
        Some(flag) => *flag != Value::Bool(false),
        None => approval.is_some(),
    };
    let mut transactions = Vec::new();
    if needed {
        let step = step("approval".into(), approval);
        transactions.push(with_details(step, approval_details(ready, &data(approval))));
    }
    let label = said(ready, "tx_type").cloned().unwrap_or_else(|| "swap".into());
    let mut step = step(label, swap);
    step.extend(said(ready, "tx_details").map(|details| ("tx_details".to_owned(), details.clone())));
    transactions.push(with_details(step, details(ready, &data(swap))));
    transactions
}

fn step(label: Value, data: Option<&Value>) -> Map<String, Value> {
    let data = data.cloned().unwrap_or_default();
    object([("label".to_owned(), label), ("tx_data".to_owned(), data)])
}

fn data(transaction: Option<&Value>) -> Map<String, Value> {
    transaction.and_then(Value::as_object).cloned().unwrap_or_default()
}

/// What is told of a transaction, where its own `tx_details` do not tell it.
fn with_details(mut transaction: Map<String, Value>, told: Vec<(&str, Option<String>)>) -> Value {
    let told: Vec<_> = told.into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
    if said(&transaction, "tx_details").is_none() && !told.is_empty() {
        transaction.insert("tx_details".to_owned(), Value::Object(Map::new()));
    }
    // Details that are no object are refused later, with their place.
    if let Some(details) = transaction.get_mut("tx_details").and_then(Value::as_object_mut) {
        for (name, text) in told {
            if said(details, name).is_none() {
                details.insert(name.to_owned(), text.into());
            }
        }
    }
    Value::Object(transaction)
}

/// The claims that a `tx_ready` makes of the transaction itself. Who receives in the end is one only of a payment: a
/// swap's transaction goes to a router, and what it says of itself is in its own data.
fn details(ready: &Map<String, Value>, data: &Map<String, Value>) -> Vec<(&'static str, Option<String>)> {
    let recipient = word(ready, "destination").filter(|_| kind(ready).as_deref() == Some("send"));
    vec![
        ("description", description(ready)),
        ("from", word(ready, "sender")),
        ("to", recipient.or_else(|| word(data, "to"))),
        ("value", word(data, "value")),
        ("amount_human", word(ready, "amount").map(|amount| with_symbol(ready, amount))),
        ("gas_limit", word(data, "gas_limit")),
    ]
}

/// An approval may be of another amount than what is swapped: nothing is claimed of that.
fn approval_details(
    ready: &Map<String, Value>,
    data: &Map<String, Value>,
) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("description", word(ready, "from_symbol").map(|symbol| format!("Approve {symbol}"))),
        ("from", word(ready, "sender")),
        ("to", word(data, "to")),
        ("value", word(data, "value")),
        ("gas_limit", word(data, "gas_limit")),
    ]
}

/// `swap`, `send` and so on; where it is not said, what is bought tells.
fn kind(ready: &Map<String, Value>) -> Option<String> {
    word(ready, "tx_type").or_else(|| {
        let buys = word(ready, "to_symbol").is_some() || said(ready, "swap_tx").is_some();
        let pays = word(ready, "destination").is_some();
        if buys { Some("swap".to_owned()) } else { pays.then(|| "send".to_owned()) }
    })
}

/// Such as `Swap 100 USDC to ARB on Arbitrum via 1inch`, or `Send 1 ETH to 0x…`.
fn description(ready: &Map<String, Value>) -> Option<String> {
    let kind = kind(ready)?.replace('_', " ");
    let amount = with_symbol(ready, word(ready, "amount")?);
    let mut letters = kind.chars();
    let first = letters.next()?.to_ascii_uppercase();
    let mut text = format!("{first}{} {amount}", letters.as_str());
    let target = match kind.as_str() {
        "swap" => [("to", "to_symbol"), ("on", "to_chain")],
        _ => [("to", "destination"), ("on", "from_chain")],
    };
    for (word_before, name) in target.into_iter().chain([("via", "provider")]) {
        if let Some(word) = word(ready, name) {
            text.push_str(&format!(" {word_before} {word}"));
        }
    }
    Some(text)
}

fn with_symbol(ready: &Map<String, Value>, amount: String) -> String {
    match word(ready, "from_symbol") {
        Some(symbol) => format!("{amount} {symbol}"),
        None => amount,
    }
}

/// A text that says something; a number is as good.
fn word(fields: &Map<String, Value>, name: &str) -> Option<String> {
    match fields.get(name)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
