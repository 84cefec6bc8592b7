//! Sui: the metadata of a type of coin, and what a coin object holds. An object's contents come in BCS: its id and the
//! balance.

use super::{Token, json, ticker};
use crate::encoding::from_base64;
use crate::rpc::sui::graphql;
use crate::rpc::{Request, Response};
use crate::{Chain, address, sui};
use serde_json::{Value, json};
use wire::node::NodeFact;

const METADATA: &str = "query($type:String!){coinMetadata(coinType:$type){decimals symbol}}";
const OBJECT: &str = "query($id:SuiAddress!){object(address:$id){asMoveObject{contents{type{repr} bcs}}}}";

/// No type of coin is longer.
const LONGEST_TYPE: usize = 512;

pub(super) fn ask_token(id: &str) -> Option<Vec<Request>> {
    (id.contains("::") && id.len() <= LONGEST_TYPE).then(|| vec![graphql(METADATA, &json!({ "type": id }))])
}

pub(super) fn read_token(responses: &[Response]) -> Option<Token> {
    let answer = answer(responses)?;
    let metadata = answer.pointer("/data/coinMetadata")?;
    let symbol = metadata.get("symbol").and_then(Value::as_str);
    Some(Token {
        ticker: symbol.and_then(|symbol| ticker(symbol.as_bytes())),
        decimals: Some(super::decimals(metadata.get("decimals")?)?),
        collection: false,
    })
}

pub(super) fn ask_coin(id: &str) -> Vec<Request> {
    let id = address::normalise(Chain::Sui, id).ok();
    id.map(|id| graphql(OBJECT, &json!({ "id": id }))).into_iter().collect()
}

pub(super) fn read_coin(id: &str, responses: &[Response]) -> Option<NodeFact> {
    let answer = answer(responses)?;
    let contents = answer.pointer("/data/object/asMoveObject/contents")?;
    let coin_type = sui::coin_type(contents.pointer("/type/repr")?.as_str()?)?;
    let bytes = from_base64("bcs", contents.get("bcs")?.as_str()?).ok()?;
    let (object, balance) = bytes.split_first_chunk::<32>()?;
    let balance = u64::from_le_bytes(balance.try_into().ok()?);
    let named = crate::encoding::array_from_hex::<32>("id", id).ok()?;
    let (id, balance) = (id.to_owned(), balance.to_string());
    (*object == named).then_some(NodeFact::CoinObject { id, coin_type, balance })
}

fn answer(responses: &[Response]) -> Option<Value> {
    json(responses.first()).filter(|answer| answer.get("errors").is_none())
}
