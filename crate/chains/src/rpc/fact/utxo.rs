//! An earlier transaction of a UTXO chain: from Blockchair (`raw/transaction/{id}`), or from a node of the chain itself
//! (`getrawtransaction`). What does not have the hash that was asked for is no answer.

use super::{get, json};
use crate::encoding::{array_from_hex, from_hex, hex};
use crate::rpc::{Request, Response};
use crate::{Chain, Network, utxo};
use serde_json::{Value, json};
use wire::node::NodeFact;

/// The networks relay no larger transaction, and a larger one would not be kept with every step.
const LARGEST: usize = 100_000;

pub(super) fn ask(chain: Chain, id: &str, json_rpc: bool) -> Vec<Request> {
    let id = match chain.network() {
        Network::Utxo(_) => array_from_hex::<32>("id", id).ok().map(|id| hex(&id)),
        _ => None,
    };
    let request = |id: String| match json_rpc {
        true => Request::json_rpc("getrawtransaction", &json!([id])),
        false => get(format!("/raw/transaction/{id}")),
    };
    id.map(request).into_iter().collect()
}

pub(super) fn read(chain: Chain, id: &str, responses: &[Response]) -> Option<NodeFact> {
    let Network::Utxo(_) = chain.network() else { return None };
    let response = responses.first()?;
    let answer = json(Some(response))?;
    let raw = match answer.get("result") {
        Some(result) => result.as_str()?,
        None => {
            let found = answer.get("data")?.as_object()?.values().next()?;
            found.get("raw_transaction").and_then(Value::as_str)?
        }
    };
    let wanted: [u8; 32] = array_from_hex("id", id).ok()?;
    let bytes = utxo::previous::hashed(&from_hex("raw_transaction", raw).ok()?, &wanted)?;
    let fits = bytes.len() <= LARGEST;
    fits.then(|| NodeFact::PreviousTransaction { id: id.to_owned(), bytes: hex(&bytes) })
}
