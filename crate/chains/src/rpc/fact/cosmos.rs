//! A CW20 token by its `token_info` (the contract's own word), and any other denomination by the bank module's metadata.

use super::{Token, decimals, get, json, ticker};
use crate::rpc::{Request, Response};
use crate::{Chain, address};
use serde_json::Value;

/// `{"token_info":{}}` in base64.
const TOKEN_INFO: &str = "eyJ0b2tlbl9pbmZvIjp7fX0=";
const METADATA: &str = "/cosmos/bank/v1beta1/denoms_metadata";
/// The Cosmos SDK takes no longer denomination.
const LONGEST_DENOM: usize = 128;

pub(super) fn ask(chain: Chain, id: &str) -> Option<Vec<Request>> {
    if let Ok(contract) = address::normalise(chain, id) {
        return Some(vec![get(format!("/cosmwasm/wasm/v1/contract/{contract}/smart/{TOKEN_INFO}"))]);
    }
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte);
    if id.is_empty() || id.len() > LONGEST_DENOM || id.contains("..") || !id.bytes().all(known) {
        return None;
    }
    let mut requests = vec![get(format!("{METADATA}/{id}"))];
    // Older nodes read a slash as the end of the name, newer ones take the name as a parameter.
    if id.contains('/') {
        let escaped = id.replace('/', "%2F").replace(':', "%3A");
        requests.push(get(format!("{METADATA}_by_query_string?denom={escaped}")));
    }
    Some(requests)
}

pub(super) fn read(chain: Chain, id: &str, responses: &[Response]) -> Option<Token> {
    let is_contract = address::normalise(chain, id).is_ok();
    let read = |response: &Response| {
        let answer = json(Some(response))?;
        if is_contract { contract(answer.get("data")?) } else { denomination(answer.get("metadata")?, id) }
    };
    responses.iter().find_map(read)
}

fn contract(info: &Value) -> Option<Token> {
    let decimals = decimals(info.get("decimals")?)?;
    let symbol = info.get("symbol").and_then(Value::as_str);
    Some(Token {
        ticker: symbol.and_then(|symbol| ticker(symbol.as_bytes())),
        decimals: Some(decimals),
        collection: false,
    })
}

/// The exponent of the unit in which people count it.
fn denomination(metadata: &Value, id: &str) -> Option<Token> {
    let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("base") != id {
        return None;
    }
    let shown = text("display");
    let units = metadata.get("denom_units")?.as_array()?;
    let unit = units.iter().find(|unit| unit.get("denom").and_then(Value::as_str) == Some(shown))?;
    let decimals = decimals(unit.get("exponent").unwrap_or(&Value::from(0)))?;
    Some(Token { ticker: ticker(text("symbol").as_bytes()), decimals: Some(decimals), collection: false })
}
