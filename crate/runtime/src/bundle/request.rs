//! The parameters of `sign_transaction_bundle` (specification 000 §1.1), their structure checked. A bundle with one bad
//! step is refused whole, naming the step and the field.

use crate::tool::Params;
use crate::tool::params::{invalid, object, required, resolve, text};
use chains::{Chain, Kind};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use wire::bundle::{StepRequest, StepSource, TxDetails};

/// No bundle has more steps.
const MAX_STEPS: usize = 256;
/// Nobody waits longer for a receipt: a day, in seconds.
const LONGEST_WAIT: u64 = 86_400;
/// No label, and nothing in `tx_details`, is longer: it is shown to a person.
const MAX_TEXT: usize = 2_000;

/// A bundle as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BundleRequest {
    /// In the order in which they run.
    pub(crate) steps: Vec<StepRequest>,
    /// The sender wishes that nobody is asked.
    pub(crate) skip_approval: bool,
    /// The sender's heading.
    pub(crate) label: Option<String>,
}

/// Reads the parameters; `code: sentence` with the place where they are wrong.
pub(crate) fn parse(params: &Params) -> Result<BundleRequest, String> {
    let entries = match params.get("transactions") {
        Some(Value::Array(entries)) if entries.len() > MAX_STEPS => {
            return Err(invalid("/transactions", "has more than 256 steps"));
        }
        Some(Value::Array(entries)) if !entries.is_empty() => entries,
        Some(Value::Array(_)) => return Err(invalid("/transactions", "must have at least one step")),
        _ => return Err(invalid("/transactions", "must be an array")),
    };
    let (mut ids, mut steps) = (BTreeSet::new(), BTreeMap::new());
    for (index, entry) in entries.iter().enumerate() {
        let path = format!("/transactions/{index}");
        let step = step(&path, object(&path, entry)?)?;
        if !ids.insert(step.id.clone()) {
            return Err(invalid(&format!("{path}/id"), "is another step's"));
        }
        if steps.insert(step.sequence, step).is_some() {
            return Err(invalid(&format!("{path}/sequence"), "is another step's"));
        }
    }
    Ok(BundleRequest {
        steps: steps.into_values().collect(),
        skip_approval: flag(params, "", "skip_approval")?,
        label: shown(params, "", "bundle_label")?,
    })
}

fn step(path: &str, fields: &Map<String, Value>) -> Result<StepRequest, String> {
    let at = |name: &str| format!("{path}/{name}");
    let chain =
        resolve(&required(fields, path, "chain")?).map_err(|error| format!("{error} at {}", at("chain")))?;
    let sequence =
        fields.get("sequence").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    let signing_mode = required(fields, path, "signing_mode")?;
    if !matches!(signing_mode.as_str(), "ecdsa_secp256k1" | "eddsa_ed25519") {
        return Err(invalid(&at("signing_mode"), "must be ecdsa_secp256k1 or eddsa_ed25519"));
    }
    let receipt_timeout_seconds = match fields.get("receipt_timeout_seconds") {
        None | Some(Value::Null) => None,
        Some(value) => Some(
            value
                .as_u64()
                .filter(|seconds| (1..=LONGEST_WAIT).contains(seconds))
                .and_then(|seconds| u32::try_from(seconds).ok())
                .ok_or_else(|| invalid(&at("receipt_timeout_seconds"), "must be 1 to 86400 seconds"))?,
        ),
    };
    Ok(StepRequest {
        id: required(fields, path, "id")?,
        sequence: sequence.ok_or_else(|| invalid(&at("sequence"), "must be a whole number from 0 on"))?,
        chain: chain.name().to_owned(),
        action: shown(fields, path, "action")?.unwrap_or_default(),
        signing_mode,
        source: source(path, fields, chain)?,
        details: details(path, fields)?,
        wait_for_receipt: flag(fields, path, "wait_for_receipt")?,
        receipt_timeout_seconds,
    })
}

/// Which of the two fields is there decides (T000-53); both or neither is refused (T000-27).
fn source(path: &str, fields: &Map<String, Value>, chain: Chain) -> Result<StepSource, String> {
    let payload = text(fields, path, "keysign_payload")?;
    let raw = text(fields, path, "unsigned_tx_hex")?;
    match (payload, raw) {
        (Some(keysign_payload), None) => Ok(StepSource::Payload { keysign_payload }),
        (None, Some(unsigned_tx_hex)) => {
            let digits = unsigned_tx_hex.strip_prefix("0x").unwrap_or(&unsigned_tx_hex);
            if digits.is_empty()
                || !digits.len().is_multiple_of(2)
                || !digits.bytes().all(|d| d.is_ascii_hexdigit())
            {
                return Err(invalid(&format!("{path}/unsigned_tx_hex"), "must be hex, two digits a byte"));
            }
            raw_source(path, fields, chain, unsigned_tx_hex)
        }
        (Some(_), Some(_)) => Err(invalid(path, "has both keysign_payload and unsigned_tx_hex")),
        (None, None) => Err(invalid(path, "must have keysign_payload or unsigned_tx_hex")),
    }
}

/// Raw bytes need to be told what they are; what is told must agree with them, which the decoder sees to.
fn raw_source(
    path: &str,
    fields: &Map<String, Value>,
    chain: Chain,
    unsigned_tx_hex: String,
) -> Result<StepSource, String> {
    let path = format!("{path}/chain_context");
    let context = match fields.get("chain_context") {
        Some(Value::Object(context)) => context,
        _ => return Err(invalid(&path, "must be there beside unsigned_tx_hex")),
    };
    let chain_id = text(context, &path, "chain_id")?;
    let tx_type = text(context, &path, "tx_type")?;
    if chain.kind() == Kind::Evm {
        if !chain_id.as_deref().is_some_and(|id| id.starts_with("0x")) {
            return Err(invalid(&format!("{path}/chain_id"), "must be a hex number that begins with 0x"));
        }
        if !tx_type.as_deref().is_some_and(|kind| matches!(kind, "legacy" | "eip1559" | "eip2930")) {
            return Err(invalid(&format!("{path}/tx_type"), "must be legacy, eip1559 or eip2930"));
        }
    }
    let derive_path = text(context, &path, "derive_path")?;
    Ok(StepSource::Raw { unsigned_tx_hex, chain_id, derive_path, tx_type })
}

fn details(path: &str, fields: &Map<String, Value>) -> Result<TxDetails, String> {
    let path = format!("{path}/tx_details");
    let details = match fields.get("tx_details") {
        None | Some(Value::Null) => return Ok(TxDetails::default()),
        Some(details) => object(&path, details)?,
    };
    let field = |name| shown(details, &path, name);
    Ok(TxDetails {
        description: field("description")?,
        from: field("from")?,
        to: field("to")?,
        value: field("value")?,
        token_symbol: field("token_symbol")?,
        amount_human: field("amount_human")?,
        contract_name: field("contract_name")?,
        gas_limit: field("gas_limit")?,
    })
}

/// A text that a person will read. A number is as good: some backends write amounts so.
fn shown(fields: &Map<String, Value>, path: &str, name: &str) -> Result<Option<String>, String> {
    let shown = match fields.get(name) {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => text(fields, path, name)?,
    };
    match shown {
        Some(text) if text.len() > MAX_TEXT => {
            Err(invalid(&format!("{path}/{name}"), "is longer than 2000 bytes"))
        }
        shown => Ok(shown),
    }
}

fn flag(fields: &Map<String, Value>, path: &str, name: &str) -> Result<bool, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(invalid(&format!("{path}/{name}"), "must be true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use wire::bundle::StepSource;

    fn raw(id: &str, sequence: u32) -> Value {
        json!({"id": id, "sequence": sequence, "chain": "Ethereum", "action": "approve",
            "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": "0x02c0",
            "chain_context": {"chain_id": "0x1", "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559"}})
    }

    fn with(mut step: Value, name: &str, value: Value) -> Value {
        if let Some(fields) = step.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
        step
    }

    fn without(mut step: Value, name: &str) -> Value {
        step.as_object_mut().map(|fields| fields.remove(name));
        step
    }

    fn read(steps: Value) -> Result<super::BundleRequest, String> {
        let params = json!({"transactions": steps});
        parse(params.as_object().unwrap())
    }

    fn refused(steps: Value) -> String {
        read(steps).unwrap_err()
    }

    /// T000-19: a bundle without steps is none.
    #[test]
    fn at_least_one_step() {
        for params in [
            json!({}),
            json!({"transactions": []}),
            json!({"transactions": {}}),
            json!({"transactions": null}),
        ] {
            let error = parse(params.as_object().unwrap()).unwrap_err();
            assert!(error.starts_with("invalid_params: /transactions must"), "{error}");
        }
        assert_eq!(refused(json!([7])), "invalid_params: /transactions/0 must be an object");
        let many: Vec<Value> = (0..257).map(|n| raw(&n.to_string(), n)).collect();
        assert_eq!(refused(json!(many)), "invalid_params: /transactions has more than 256 steps");
    }

    /// T000-21, T000-23: ids and sequences are each step's own; T000-22: the sequence is the order, gaps and all.
    #[test]
    fn ids_and_order() {
        assert_eq!(
            refused(json!([raw("a", 0), raw("a", 1)])),
            "invalid_params: /transactions/1/id is another step's"
        );
        assert_eq!(
            refused(json!([raw("a", 3), raw("b", 3)])),
            "invalid_params: /transactions/1/sequence is another step's"
        );
        for bad in [json!(-1), json!(1.5), json!("0"), json!(null), json!(4_294_967_296_u64)] {
            assert_eq!(
                refused(json!([with(raw("a", 0), "sequence", bad)])),
                "invalid_params: /transactions/0/sequence must be a whole number from 0 on"
            );
        }
        assert_eq!(
            refused(json!([without(raw("a", 0), "sequence")])),
            "invalid_params: /transactions/0/sequence must be a whole number from 0 on"
        );
        assert_eq!(
            refused(json!([without(raw("a", 0), "id")])),
            "invalid_params: /transactions/0/id must be a non-empty string"
        );
        let shuffled = read(json!([raw("c", 9), raw("a", 0), raw("b", 4)])).unwrap();
        assert_eq!(shuffled.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    /// T000-24: chains in any case, known ones only. T000-25: any label. T000-26: two signing modes.
    #[test]
    fn chain_label_and_mode() {
        let step = with(with(raw("a", 0), "chain", json!("eThErEuM")), "action", json!("ünï <b>"));
        let read = read(json!([step])).unwrap();
        assert_eq!((read.steps[0].chain.as_str(), read.steps[0].action.as_str()), ("Ethereum", "ünï <b>"));
        assert_eq!(
            refused(json!([with(raw("a", 0), "chain", json!("Narnia"))])),
            "unknown_chain: \"Narnia\" at /transactions/0/chain"
        );
        for bad in [json!("schnorr"), json!(null), json!(1)] {
            let error = refused(json!([with(raw("a", 0), "signing_mode", bad)]));
            assert!(error.starts_with("invalid_params: /transactions/0/signing_mode must be"), "{error}");
        }
    }

    /// T000-27, T000-53: exactly one of the two sources, and which it is decides.
    #[test]
    fn exactly_one_source() {
        let payload = with(without(raw("a", 0), "unsigned_tx_hex"), "keysign_payload", json!("CiQ="));
        assert!(matches!(read(json!([payload])).unwrap().steps[0].source, StepSource::Payload { .. }));
        assert!(matches!(read(json!([raw("a", 0)])).unwrap().steps[0].source, StepSource::Raw { .. }));
        assert_eq!(
            refused(json!([with(raw("a", 0), "keysign_payload", json!("CiQ="))])),
            "invalid_params: /transactions/0 has both keysign_payload and unsigned_tx_hex"
        );
        assert_eq!(
            refused(json!([without(raw("a", 0), "unsigned_tx_hex")])),
            "invalid_params: /transactions/0 must have keysign_payload or unsigned_tx_hex"
        );
    }

    /// T000-29: hex with or without its prefix. T000-30: raw bytes need their context, a payload does without.
    /// T000-31, T000-33: on EVM chains an id in hex and a type that is known.
    #[test]
    fn raw_bytes_and_their_context() {
        assert!(read(json!([with(raw("a", 0), "unsigned_tx_hex", json!("02c0"))])).is_ok());
        for bad in ["0x02c", "0x02cg", "0x"] {
            assert_eq!(
                refused(json!([with(raw("a", 0), "unsigned_tx_hex", json!(bad))])),
                "invalid_params: /transactions/0/unsigned_tx_hex must be hex, two digits a byte"
            );
        }
        assert_eq!(
            refused(json!([without(raw("a", 0), "chain_context")])),
            "invalid_params: /transactions/0/chain_context must be there beside unsigned_tx_hex"
        );
        let context = |name: &str, value: Value| {
            let mut step = raw("a", 0);
            step["chain_context"][name] = value;
            refused(json!([step]))
        };
        for bad in [json!("1"), json!(1), json!(null)] {
            assert!(
                context("chain_id", bad)
                    .starts_with("invalid_params: /transactions/0/chain_context/chain_id")
            );
        }
        for bad in [json!("eip4844"), json!(2), json!(null)] {
            assert!(
                context("tx_type", bad).starts_with("invalid_params: /transactions/0/chain_context/tx_type")
            );
        }
        let payload = without(
            with(without(raw("a", 0), "unsigned_tx_hex"), "keysign_payload", json!("CiQ=")),
            "chain_context",
        );
        assert!(read(json!([payload])).is_ok());
    }

    /// T000-34: every detail is optional; T000-37: a receipt's time-out is at most a day.
    #[test]
    fn details_and_waiting() {
        let step = with(raw("a", 0), "tx_details", json!({"value": 0, "to": null, "later": {}}));
        assert_eq!(read(json!([step])).unwrap().steps[0].details.value.as_deref(), Some("0"));
        let long = json!({"description": "x".repeat(2_001)});
        assert!(
            refused(json!([with(raw("a", 0), "tx_details", long)]))
                .contains("/tx_details/description is longer")
        );
        assert!(
            refused(json!([with(raw("a", 0), "tx_details", json!("x"))]))
                .contains("/tx_details must be an object")
        );
        for bad in [json!(0), json!(86_401), json!("180"), json!(-5)] {
            let error = refused(json!([with(raw("a", 0), "receipt_timeout_seconds", bad)]));
            assert!(error.contains("/receipt_timeout_seconds must be 1 to 86400 seconds"), "{error}");
        }
        assert!(
            refused(json!([with(raw("a", 0), "wait_for_receipt", json!("yes"))]))
                .contains("/wait_for_receipt must be")
        );
    }

    proptest! {
        /// Whatever the fields hold, it is read or refused.
        #[test]
        fn any_step_is_read_or_refused(name in "[a-z_]{1,24}", text in ".{0,40}", number in any::<i64>()) {
            for value in [json!(text), json!(number), json!([text.clone()]), json!({text.clone(): number})] {
                let _ = read(json!([with(raw("a", 0), &name, value.clone())]));
                for field in ["chain", "id", "sequence", "tx_details", "chain_context", "unsigned_tx_hex"] {
                    let _ = read(json!([with(raw("a", 0), field, value.clone())]));
                }
            }
        }
    }
}
