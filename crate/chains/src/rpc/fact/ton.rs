//! A jetton through toncenter's index: which jetton a wallet is of, and what the jetton's contract says of itself. The
//! address may be that of a jetton's wallet, which is what a transfer names, or of the jetton itself.

use super::{Token, decimals, get, json, ticker};
use crate::address::ton;
use crate::encoding::hex;
use crate::rpc::{Request, Response};
use serde_json::Value;

pub(super) fn ask(id: &str) -> Option<Vec<Request>> {
    let address = raw(id)?;
    let ask = |what: &str| get(format!("/v3/jetton/{what}?address={address}&limit=1"));
    Some(vec![ask("wallets"), ask("masters")])
}

pub(super) fn read(id: &str, responses: &[Response]) -> Option<Token> {
    let asked = raw(id)?;
    let [wallets, masters] = responses else { return None };
    let of_wallet = || {
        let answer = json(Some(wallets))?;
        let wallet = entry(&answer, "jetton_wallets", &asked)?;
        described(&answer, wallet.get("jetton")?.as_str()?)
    };
    let of_master = || {
        let answer = json(Some(masters))?;
        let master = entry(&answer, "jetton_masters", &asked)?;
        let content = master.get("jetton_content");
        described(&answer, &asked).or_else(|| token(content?.get("symbol"), content?.get("decimals")))
    };
    of_wallet().or_else(of_master)
}

/// `workchain:hash`, in which the index spells addresses.
fn raw(id: &str) -> Option<String> {
    let (workchain, hash) = ton::decode(id).ok()?;
    Some(format!("{workchain}:{}", hex(&hash)))
}

/// The entry of a list that is about this address.
fn entry<'a>(answer: &'a Value, list: &str, address: &str) -> Option<&'a Value> {
    let same = |entry: &&Value| {
        entry.get("address").and_then(Value::as_str).is_some_and(|found| found.eq_ignore_ascii_case(address))
    };
    answer.get(list)?.as_array()?.iter().find(same)
}

/// What the index has read from a jetton's contract.
fn described(answer: &Value, master: &str) -> Option<Token> {
    let metadata = answer.get("metadata")?.as_object()?;
    let (_, about) = metadata.iter().find(|(address, _)| address.eq_ignore_ascii_case(master))?;
    let is_master = |info: &&Value| info.get("type").and_then(Value::as_str) == Some("jetton_masters");
    let info = about.get("token_info")?.as_array()?.iter().find(is_master)?;
    token(info.get("symbol"), info.pointer("/extra/decimals"))
}

fn token(symbol: Option<&Value>, places: Option<&Value>) -> Option<Token> {
    let ticker = symbol.and_then(Value::as_str).and_then(|symbol| ticker(symbol.as_bytes()));
    Some(Token { ticker, decimals: places.and_then(decimals), collection: false })
}
