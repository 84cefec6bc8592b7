//! Transactions of the XRP Ledger in its own JSON.

use super::{own, payload, payment};
use chains::Chain;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::SignData;
use wire::keysign::{KeysignPayload, SignRipple};

/// The issuer of RLUSD.
pub const RLUSD_ISSUER: &str = "rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De";

/// An amount of RLUSD.
pub fn rlusd(value: &str) -> Value {
    json!({"currency": "524C555344000000000000000000000000000000", "issuer": RLUSD_ISSUER, "value": value})
}

/// A step with a transaction of a type and these fields.
pub fn step(kind: &str, fields: Value) -> Value {
    let mut transaction = json!({"TransactionType": kind, "Account": own(Chain::Ripple)});
    for (name, value) in fields.as_object().expect("are fields") {
        transaction[name] = value.clone();
    }
    let sign = SignRipple { raw_json: transaction.to_string() };
    let given = KeysignPayload {
        to_amount: String::new(),
        sign_data: Some(SignData::SignRipple(sign)),
        ..payment(Chain::Ripple, "")
    };
    payload(&given)
}
