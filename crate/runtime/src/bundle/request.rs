//! The parameters of `sign_transaction_bundle` (specification 000 §1.1), their structure checked. A bundle with one bad
//! step is refused whole, naming the step and the field.

use crate::tool::{Params, RequestError};
use chains::{Chain, Kind};
use serde_json::Value;
use wire::bundle::{StepRequest, StepSource, TxDetails};
use wire::json::{FieldError, Object};
use wire::node::NetworkFacts;

/// No bundle has more steps.
pub(crate) const MAX_STEPS: usize = 256;
/// The longest wait for a receipt: a day, in seconds.
pub(super) const LONGEST_WAIT: u32 = 86_400;
/// No label, and nothing in `tx_details`, is longer: it is shown to a person.
const MAX_TEXT: usize = 2_000;

/// A bundle as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BundleRequest {
    /// In the order in which they run.
    pub(crate) steps: Vec<StepRequest>,
    /// The sender wishes that the user is not asked.
    pub(crate) skip_approval: bool,
    /// The sender's heading.
    pub(crate) label: Option<String>,
}

/// Reads the parameters, or says where they are wrong.
pub(crate) fn parse(params: &Params) -> Result<BundleRequest, RequestError> {
    let params = Object::new(params);
    let entries = params.some("transactions", "step")?;
    if entries.len() > MAX_STEPS {
        return Err(params.broken("transactions", "has more than 256 steps").into());
    }
    let mut steps: Vec<StepRequest> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let fields = Object::at(params.element("transactions", index), entry)?;
        let step = step(&fields)?;
        if steps.iter().any(|other| other.id == step.id) {
            return Err(fields.broken("id", "is another step's").into());
        }
        let place = steps.partition_point(|other| other.sequence < step.sequence);
        if steps.get(place).is_some_and(|other| other.sequence == step.sequence) {
            return Err(fields.broken("sequence", "is another step's").into());
        }
        steps.insert(place, step);
    }
    Ok(BundleRequest {
        steps,
        skip_approval: params.flag("skip_approval")?,
        label: shown(&params, "bundle_label")?,
    })
}

fn step(fields: &Object<'_>) -> Result<StepRequest, RequestError> {
    let name = fields.required_word("chain")?;
    let chain = Chain::parse(name).ok_or_else(|| RequestError::UnknownChain {
        name: name.to_owned(),
        path: Some(fields.place("chain")),
    })?;
    let sequence = fields.whole("sequence", 0, u32::MAX);
    let signing_mode = fields.required_word("signing_mode")?;
    if !matches!(signing_mode, "ecdsa_secp256k1" | "eddsa_ed25519") {
        return Err(fields.broken("signing_mode", "must be ecdsa_secp256k1 or eddsa_ed25519").into());
    }
    let receipt_timeout_seconds = fields.whole("receipt_timeout_seconds", 1, LONGEST_WAIT);
    if fields.get("receipt_timeout_seconds").is_some() && receipt_timeout_seconds.is_none() {
        return Err(fields.broken("receipt_timeout_seconds", "must be 1 to 86400 seconds").into());
    }
    Ok(StepRequest {
        id: fields.required_word("id")?.to_owned(),
        sequence: sequence.ok_or_else(|| fields.broken("sequence", "must be a whole number from 0 on"))?,
        chain: chain.name().to_owned(),
        action: shown(fields, "action")?.unwrap_or_default(),
        signing_mode: signing_mode.to_owned(),
        source: source(fields, chain)?,
        details: details(fields)?,
        wait_for_receipt: fields.flag("wait_for_receipt")?,
        receipt_timeout_seconds,
        network_facts: NetworkFacts::default(),
    })
}

/// Which of the two fields is there decides (T000-53); both or neither is refused (T000-27).
fn source(fields: &Object<'_>, chain: Chain) -> Result<StepSource, FieldError> {
    match (fields.word("keysign_payload")?, fields.word("unsigned_tx_hex")?) {
        (Some(payload), None) => Ok(StepSource::Payload { keysign_payload: payload.to_owned() }),
        (None, Some(raw)) => {
            let digits = raw.strip_prefix("0x").unwrap_or(raw);
            let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            if digits.is_empty() || !digits.len().is_multiple_of(2) || !hex {
                return Err(fields.broken("unsigned_tx_hex", "must be hex, two digits a byte"));
            }
            raw_source(fields, chain, raw.to_owned())
        }
        (Some(_), Some(_)) => Err(fields.broken_itself("has both keysign_payload and unsigned_tx_hex")),
        (None, None) => Err(fields.broken_itself("must have keysign_payload or unsigned_tx_hex")),
    }
}

/// Raw bytes need to be told what they are; what is told must agree with them, which the decoder sees to.
fn raw_source(fields: &Object<'_>, chain: Chain, unsigned_tx_hex: String) -> Result<StepSource, FieldError> {
    let Ok(Some(context)) = fields.object("chain_context") else {
        return Err(fields.broken("chain_context", "must be there beside unsigned_tx_hex"));
    };
    let chain_id = context.word("chain_id")?;
    let tx_type = context.word("tx_type")?;
    if chain.kind() == Kind::Evm {
        if !chain_id.is_some_and(|id| id.starts_with("0x")) {
            return Err(context.broken("chain_id", "must be a hex number that begins with 0x"));
        }
        if !tx_type.is_some_and(|kind| matches!(kind, "legacy" | "eip1559" | "eip2930")) {
            return Err(context.broken("tx_type", "must be legacy, eip1559 or eip2930"));
        }
    }
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let derive_path = owned(context.word("derive_path")?);
    Ok(StepSource::Raw { unsigned_tx_hex, chain_id: owned(chain_id), derive_path, tx_type: owned(tx_type) })
}

fn details(fields: &Object<'_>) -> Result<TxDetails, FieldError> {
    let Some(details) = fields.object("tx_details")? else { return Ok(TxDetails::default()) };
    let field = |name| shown(&details, name);
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
fn shown(fields: &Object<'_>, name: &'static str) -> Result<Option<String>, FieldError> {
    let shown = match fields.get(name) {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => fields.word(name)?.map(str::to_owned),
    };
    match shown {
        Some(text) if text.len() > MAX_TEXT => Err(fields.broken(name, "is longer than 2000 bytes")),
        shown => Ok(shown),
    }
}

#[cfg(test)]
mod tests {
    use crate::tool::Params;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use wire::bundle::StepSource;
    use wire::failure::Failure;

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

    fn parse(params: &Params) -> Result<super::BundleRequest, String> {
        super::parse(params).map_err(|error| Failure::from(error).to_string())
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
        /// Any fields are read or refused.
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
