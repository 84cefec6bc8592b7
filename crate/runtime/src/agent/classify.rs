//! Which tool an action type means, and old parameters in their new form (specification 000, Backwards
//! compatibility). New types pass through as they are: where both could express a request, the new one counts.
//!
//! | old type | new type |
//! |---|---|
//! | `add_coin` | `add_token` |
//! | `remove_coin` | `remove_token` |
//! | `add_chain` `{chain}` | `add_chain` `{chains}` |
//! | `address_book_add`, `add_address_book_entry` | `add_address_book` |
//! | `address_book_remove`, `remove_address_book_entry` | `delete_address_book` |
//! | `sign_tx` | `sign_transaction_bundle` |
//! | response field `transactions` | `sign_transaction_bundle` |
//! | response field or event `tx_ready` | `sign_tx`, and so `sign_transaction_bundle` |
//!
//! How the last three go together in one answer is told in [`super::forms`].

use super::tx_ready;
use crate::id::derived;
use crate::tool;
use chains::{Algorithm, Chain};
use serde_json::{Map, Value, json};
use wire::action::Action;

/// What an action means.
#[derive(Debug, Clone, PartialEq)]
pub struct Classified {
    /// The tool's name; `None` for an unknown type.
    pub tool: Option<&'static str>,
    /// The parameters in the tool's own form.
    pub params: Map<String, Value>,
    /// Whether they came in an old form.
    pub legacy: bool,
}

/// Finds the tool and converts what is old.
pub fn classify(action: &Action) -> Classified {
    let params = &action.params;
    let old = |tool, array: &str, convert: &dyn Fn(&Map<String, Value>) -> Value| {
        let converted = if said(params, array).is_some() {
            params.clone()
        } else {
            object([(array.to_owned(), convert(params))])
        };
        Classified { tool: Some(tool), params: converted, legacy: true }
    };
    match action.kind.as_str() {
        "add_chain" if said(params, "chain").is_some() && said(params, "chains").is_none() => {
            old("add_chain", "chains", &|params| json!([pick(params, &["chain"])]))
        }
        "add_coin" => old("add_token", "tokens", &|params| json!([old_token(params)])),
        "remove_coin" => old("remove_token", "tokens", &|params| json!([named_token(params)])),
        "address_book_add" | "add_address_book_entry" => {
            old("add_address_book", "entries", &|params| json!([old_entry(params)]))
        }
        "address_book_remove" | "remove_address_book_entry" => {
            old("delete_address_book", "entries", &|params| json!([old_entry(params)]))
        }
        "sign_tx" => {
            let params = if brings(params) { old_bundle(action) } else { pick(params, &["tx_ready"]) };
            Classified { tool: Some("sign_transaction_bundle"), params, legacy: true }
        }
        kind => {
            let tool = tool::built_in(kind).map(|tool| &*tool.definition().name);
            Classified { tool, params: params.clone(), legacy: false }
        }
    }
}

/// Action types of old that are no tool's name.
pub(crate) const OLD_TYPES: [&str; 7] = [
    "add_coin",
    "remove_coin",
    "address_book_add",
    "add_address_book_entry",
    "address_book_remove",
    "remove_address_book_entry",
    "sign_tx",
];

/// Fields of which an old signing request needs one.
const SOURCES: [&str; 7] = [
    "keysign_payload",
    "transactions",
    "tx_data",
    "unsigned_tx",
    "unsigned_tx_hex",
    "approval_tx",
    "swap_tx",
];

/// Whether an old signing request says what is to be signed.
fn brings(params: &Map<String, Value>) -> bool {
    SOURCES.iter().any(|name| said(params, name).is_some())
}

/// Whether an element of `actions` asks for signatures, and whether it says of what.
pub fn asks_for_signatures(element: &Value) -> Option<Asks> {
    match Action::parse(element).ok()? {
        Action { kind, .. } if kind == "sign_transaction_bundle" => Some(Asks::OfItsOwn),
        Action { kind, params, .. } if kind == "sign_tx" && brings(&params) => Some(Asks::OfItsOwn),
        Action { kind, .. } if kind == "sign_tx" => Some(Asks::OfTheAnswer),
        _ => None,
    }
}

/// What an action wants signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// What it brings with it.
    OfItsOwn,
    /// What its answer has in an old field, or what an earlier one had: a `sign_tx` without a transaction.
    OfTheAnswer,
}

/// The old response field `transactions` as one action. Its id depends on nothing but the answer it came in, so
/// that an answer read twice is signed once (T000-107).
pub fn bundle_of_transactions(turn: &str, transactions: &[Value]) -> Value {
    let id = derived(&["transactions", turn, &Value::Array(transactions.to_vec()).to_string()]);
    let steps: Vec<Value> =
        transactions.iter().enumerate().map(|(index, one)| old_step(&id, &Map::new(), index, one)).collect();
    json!({"id": id, "type": "sign_transaction_bundle", "title": "Sign transactions", "params": {"transactions": steps}})
}

/// A `tx_ready` that no action asks for, as one: the client of old made itself a `sign_tx`, and its backend knows the
/// result under that name. The id is made as that of the old field.
pub fn signature_of_ready(turn: &str, ready: &Value) -> Value {
    let id = derived(&["tx_ready", turn, &ready.to_string()]);
    let params = ready.as_object().cloned().unwrap_or_default();
    json!({"id": id, "type": "sign_tx", "title": "Sign transaction", "params": params})
}

/// A field that says something: `null` is what some backends write for a field they leave out.
pub(super) fn said<'a>(params: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    params.get(name).filter(|value| !value.is_null())
}

/// Field by field: collecting would link a sort for a handful of them.
pub(super) fn object(fields: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    object.extend(fields);
    object
}

fn pick(params: &Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    object(names.iter().filter_map(|name| Some(((*name).to_owned(), said(params, name)?.clone()))))
}

/// The first of several spellings of a field.
fn either(params: &Map<String, Value>, names: &[&str]) -> Option<Value> {
    names.iter().find_map(|name| said(params, name)).cloned()
}

fn old_entry(params: &Map<String, Value>) -> Value {
    let mut entry = pick(params, &["id", "address", "chain"]);
    entry.extend(either(params, &["title", "name"]).map(|title| ("title".to_owned(), title)));
    Value::Object(entry)
}

/// An old coin may leave out what is well known. Of the chain's own coin it is added here; the tool, which can ask for it,
/// adds the contract and the decimals of a common token.
fn old_token(params: &Map<String, Value>) -> Value {
    let mut entry = named_token(params);
    entry.extend(pick(params, &["decimals", "logo", "price_provider_id", "is_native"]));
    let chain = entry.get("chain").and_then(Value::as_str).and_then(Chain::parse);
    let ticker = entry.get("ticker").and_then(Value::as_str);
    let contract = entry.get("contract_address").and_then(Value::as_str).filter(|text| !text.is_empty());
    if let (Some(chain), Some(ticker), None) = (chain, ticker, contract)
        && chain.is_native_ticker(ticker)
    {
        let decimals = chain.native().decimals;
        entry.entry("decimals").or_insert_with(|| decimals.into());
        entry.entry("is_native").or_insert_with(|| true.into());
    }
    Value::Object(entry)
}

fn named_token(params: &Map<String, Value>) -> Map<String, Value> {
    let mut entry = pick(params, &["chain", "contract_address"]);
    entry.extend(either(params, &["ticker", "symbol"]).map(|ticker| ("ticker".to_owned(), ticker)));
    entry
}

/// `sign_tx`: one keysign payload, `transactions` of `{type, label, tx_data}`, or what a `tx_ready` has, as steps in
/// their order.
fn old_bundle(action: &Action) -> Map<String, Value> {
    let params = &action.params;
    let transactions = match params.get("transactions").and_then(Value::as_array) {
        Some(transactions) => transactions.clone(),
        None => tx_ready::transactions(params),
    };
    let steps = transactions.iter().enumerate().map(|(index, one)| old_step(&action.id, params, index, one));
    let mut bundle = pick(params, &["skip_approval", "bundle_label"]);
    bundle.insert("transactions".to_owned(), Value::Array(steps.collect()));
    bundle
}

/// One of `transactions`, of a request or of a response; what it leaves unsaid may be said of all.
fn old_step(bundle_id: &str, of_all: &Map<String, Value>, index: usize, transaction: &Value) -> Value {
    let empty = Map::new();
    let fields = transaction.as_object().unwrap_or(&empty);
    let data = fields.get("tx_data").and_then(Value::as_object).unwrap_or(&empty);
    let chain_id = either(data, &["chain_id"])
        .or_else(|| either(fields, &["chain_id"]))
        .or_else(|| either(of_all, &["chain_id"]));
    let chain = either(fields, &["chain", "from_chain"])
        .or_else(|| either(of_all, &["chain", "from_chain"]))
        .or_else(|| Some(evm_chain(chain_id.as_ref()?)?.name().into()));
    let label = either(fields, &["label", "action", "type", "tx_type"]).unwrap_or_else(|| "sign".into());
    let mut step = step(bundle_id, index, label);
    step.extend(pick(fields, &["sequence", "keysign_payload"]));
    let raw = either(data, &["unsigned_tx", "unsigned_tx_hex"])
        .or_else(|| either(fields, &["unsigned_tx_hex", "unsigned_tx"]));
    finish(step, chain, chain_id, raw, fields)
}

fn step(bundle_id: &str, index: usize, label: Value) -> Map<String, Value> {
    object([
        ("id".to_owned(), format!("{bundle_id}-{index}").into()),
        ("sequence".to_owned(), index.into()),
        ("action".to_owned(), label),
        ("wait_for_receipt".to_owned(), true.into()),
    ])
}

/// What the old forms leave unsaid follows from the chain.
fn finish(
    mut step: Map<String, Value>,
    chain: Option<Value>,
    chain_id: Option<Value>,
    raw: Option<Value>,
    fields: &Map<String, Value>,
) -> Value {
    let known = chain.as_ref().and_then(Value::as_str).and_then(Chain::parse);
    step.extend(pick(fields, &["tx_details", "signing_mode", "receipt_timeout_seconds"]));
    step.extend(chain.map(|chain| ("chain".to_owned(), chain)));
    let mode = known.and_then(|chain| match chain.algorithm() {
        Algorithm::Ecdsa => Some("ecdsa_secp256k1"),
        Algorithm::Eddsa => Some("eddsa_ed25519"),
        Algorithm::MlDsa44 => None,
    });
    if let Some(mode) = mode {
        step.entry("signing_mode").or_insert_with(|| mode.into());
    }
    let Some(raw) = raw else {
        return Value::Object(step);
    };
    let mut context = Map::new();
    let id = chain_id.as_ref().and_then(evm_id).or_else(|| known.and_then(Chain::evm_id));
    context.extend(id.map(|id| ("chain_id".to_owned(), format!("{id:#x}").into())));
    context
        .extend(known.and_then(Chain::derivation_path).map(|path| ("derive_path".to_owned(), path.into())));
    context.extend(raw.as_str().and_then(tx_type).map(|kind| ("tx_type".to_owned(), kind.into())));
    step.insert("chain_context".to_owned(), Value::Object(context));
    step.insert("unsigned_tx_hex".to_owned(), raw);
    Value::Object(step)
}

/// The envelope's type by its first byte (EIP-2718).
fn tx_type(hex: &str) -> Option<&'static str> {
    let digits = hex.strip_prefix("0x").unwrap_or(hex);
    match u8::from_str_radix(digits.get(..2)?, 16).ok()? {
        1 => Some("eip2930"),
        2 => Some("eip1559"),
        0xc0.. => Some("legacy"),
        _ => None,
    }
}

fn evm_chain(chain_id: &Value) -> Option<Chain> {
    Chain::from_evm_id(evm_id(chain_id)?)
}

/// Hex text, decimal text or a number.
fn evm_id(chain_id: &Value) -> Option<u64> {
    match chain_id {
        Value::String(text) => match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        },
        other => other.as_u64(),
    }
}
