//! Calls of contracts. A message is JSON with one field: the function's name and its arguments.
//!
//! What a contract does is its own affair, so a call is a call; only what CW20 names transfers and allowances is said as
//! such, in exactly that form (CosmWasm `cw20`). Whether the contract is a token that can be trusted with these words is
//! for the table and the user to say.

use super::explain::{Told, asset, units};
use super::json::Json;
use super::proto::{Coin, MsgExecuteContract};
use crate::amount::is_unlimited;
use crate::explain::{Asset, Effect, Function};
use crate::{Amount, Chain};
use serde_json::{Map, Value};

pub(super) fn executed(chain: Chain, message: &MsgExecuteContract) -> Told {
    let contract = &message.contract;
    let json = std::str::from_utf8(&message.msg).map_or(NOTHING, Json::read);
    let call = json.value.as_ref().and_then(Value::as_object).filter(|object| object.len() == 1);
    let call = call.and_then(|object| object.iter().next());
    if message.funds.is_empty()
        && let Some(effects) = call.and_then(|(name, value)| token_call(contract, name, value.as_object()?))
    {
        // Whom a token's own functions name, their effects name; the rest is in the message that `send` hands on.
        let parties = if effects.len() > 1 { json.parties } else { Vec::new() };
        return Told { effects, parties };
    }
    let function = match call {
        Some((name, value)) => known(name, value),
        None => Function::Unknown { selector: None, bytes: message.msg.len() },
    };
    let is_native = |coin: &&Coin| asset(chain, &coin.denom) == Asset::Native;
    let native = message.funds.iter().filter(is_native);
    let value = native.fold(Amount::ZERO, |sum, coin| sum.saturating_add(units(coin)));
    let tokens = message.funds.iter().filter(|coin| !is_native(coin)).map(|coin| Effect::Transfer {
        asset: asset(chain, &coin.denom),
        to: contract.clone(),
        amount: units(coin),
    });
    let call = Effect::Call { contract: contract.clone(), value, function };
    Told { effects: tokens.chain([call]).collect(), parties: json.parties }
}

const NOTHING: Json = Json { value: None, parties: Vec::new() };

fn known(name: &str, value: &Value) -> Function {
    let arguments = match value.as_object() {
        Some(values) => values.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        None => vec![(name.to_owned(), plain(value))],
    };
    Function::Known { signature: name.to_owned(), arguments }
}

/// What CW20 contracts call their transfers and allowances. `send` hands a message to the contract that receives the
/// tokens, which is not read.
fn token_call(contract: &str, name: &str, arguments: &Map<String, Value>) -> Option<Vec<Effect>> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
    let asset = Asset::Token { id: contract.to_owned() };
    let amount = crate::amount::parse("amount", &text("amount")?).ok()?;
    let is = |fields: &[&str]| {
        arguments.len() == fields.len() && fields.iter().all(|field| arguments.contains_key(*field))
    };
    Some(match name {
        "transfer" if is(&["recipient", "amount"]) => {
            vec![Effect::Transfer { asset, to: text("recipient")?, amount }]
        }
        "transfer_from" if is(&["owner", "recipient", "amount"]) => {
            vec![Effect::TransferFrom { asset, from: text("owner")?, to: text("recipient")?, amount }]
        }
        "increase_allowance"
            if is(&["spender", "amount"])
                || (is(&["spender", "amount", "expires"]) && ends(arguments.get("expires")?)) =>
        {
            let unlimited = is_unlimited(amount);
            vec![Effect::Approve { asset, spender: text("spender")?, amount, unlimited }]
        }
        "send" if is(&["contract", "amount", "msg"]) => {
            let transfer = Effect::Transfer { asset, to: text("contract")?, amount };
            let function = known(name, &Value::Object(arguments.clone()));
            let call = Effect::Call { contract: contract.to_owned(), value: Amount::ZERO, function };
            vec![transfer, call]
        }
        _ => return None,
    })
}

/// `{"never":{}}`, `{"at_height":1}` or `{"at_time":"1"}`.
fn ends(expires: &Value) -> bool {
    let field =
        expires.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.iter().next());
    field.is_some_and(|(name, value)| match name.as_str() {
        "never" => value.as_object().is_some_and(Map::is_empty),
        "at_height" => value.is_u64(),
        "at_time" => value.is_string(),
        _ => false,
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
