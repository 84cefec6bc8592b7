//! A TRC-20 token by constant calls of its contract, a TRC-10 token by the record of its number.

use super::evm::{small, text};
use super::{Token, decimals, ticker};
use crate::rpc::tron::{object, post};
use crate::rpc::{Request, Response};
use crate::{Chain, address, encoding};
use serde_json::{Value, json};

/// The account in whose name it is asked: that of no key.
const NOBODY: &str = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb";
const LONGEST_NUMBER: usize = 20;

pub(super) fn ask(id: &str) -> Option<Vec<Request>> {
    if is_number(id) {
        let question = json!({ "value": id, "visible": true });
        return Some(vec![post("/wallet/getassetissuebyid", &question)]);
    }
    let contract = address::normalise(Chain::Tron, id).ok()?;
    let call = |function: &str| {
        let question = json!({
            "owner_address": NOBODY, "contract_address": contract, "function_selector": function,
            "parameter": "", "visible": true,
        });
        post("/wallet/triggerconstantcontract", &question)
    };
    Some(vec![call("decimals()"), call("symbol()")])
}

pub(super) fn read(id: &str, responses: &[Response]) -> Option<Token> {
    match responses {
        [record] if is_number(id) => {
            let record = object(record)?;
            if record.get("id")?.as_str() != Some(id) {
                return None;
            }
            let abbreviation = record.get("abbr").and_then(Value::as_str);
            Some(Token {
                ticker: abbreviation.and_then(|text| ticker(text.as_bytes())),
                // A record without it has none.
                decimals: decimals(record.get("precision").unwrap_or(&Value::from(0))),
                collection: false,
            })
        }
        [decimals, symbol] if !is_number(id) => Some(Token {
            ticker: returned(symbol).and_then(|bytes| text(&bytes)),
            decimals: returned(decimals).and_then(|bytes| small(&bytes)),
            collection: false,
        }),
        _ => None,
    }
}

/// What a constant call gave back, if it did not fail.
fn returned(response: &Response) -> Option<Vec<u8>> {
    let answer = object(response)?;
    answer.pointer("/result/result").filter(|worked| **worked == Value::Bool(true))?;
    encoding::from_hex("constant_result", answer.pointer("/constant_result/0")?.as_str()?).ok()
}

fn is_number(id: &str) -> bool {
    (1..=LONGEST_NUMBER).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}
