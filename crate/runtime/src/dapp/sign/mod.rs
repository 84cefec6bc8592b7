//! Signatures for web pages: messages of EVM chains, Solana and Sui, and transactions that are signed and not sent.
//!
//! Each is a call of `sign_message`, `sign_transaction` or `sign_transaction_bundle`, under the page's request: one that is
//! sent again finds its call, and gets the same answer.

mod evm;
mod solana;
mod sui;

pub(super) use evm::{personal_sign, sign_typed_data};
pub(super) use solana::{
    sign_and_send as solana_sign_and_send, sign_in as solana_sign_in, sign_message as solana_sign_message,
    sign_transaction as solana_sign_transaction,
};
pub(super) use sui::{
    sign_and_execute as sui_sign_and_execute, sign_personal_message as sui_sign_personal_message,
    sign_transaction as sui_sign_transaction,
};

use super::caip::chain_named;
use super::error::RpcError;
use super::page::Page;
use super::{begin, finish};
use crate::Core;
use crate::call;
use crate::message;
use crate::store::StoreError;
use chains::Chain;
use chains::encoding::{base64, from_base64, from_hex, hex};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::json::Named as _;
use wire::message::{MessageForm, MessageRequest};
use wire::vault::VaultAccount;

/// No request has more inputs.
const MAX_INPUTS: usize = 20;

/// A message, signed.
struct SignedMessage {
    signature: Vec<u8>,
}

/// Has a message signed; what is wrong with it is told of the parameter at `path`.
async fn sign_message(
    core: &Rc<Core>,
    page: &Page,
    (chain, form): (Chain, MessageForm),
    content: String,
    path: &str,
) -> Result<SignedMessage, RpcError> {
    // What is refused for what it is leaves nothing behind. One that was sent again finds its call.
    if call::call_of_request(core, &page.origin, &page.request_id).await?.is_none() {
        let account = page.account(core, chain).await?;
        let origin = page.origin.clone();
        let request =
            MessageRequest { chain: chain.name().to_owned(), form, content: content.clone(), origin };
        let refused = message::check(core, &account, &request).await.err();
        if let Some(failure) = refused {
            return Err(about(RpcError::Failed(failure), path));
        }
    }
    let mut params = Map::new();
    params.insert("chain".to_owned(), chain.name().into());
    params.insert("form".to_owned(), form.name().into());
    params.insert("content".to_owned(), content.into());
    let call_id = begin(core, page, "sign_message", "Sign a message", params).await?;
    let result = finish(core, &call_id).await;
    // One of several inputs is a request of its own, which nothing else ends.
    if page.request_id != page.sent_as && !matches!(result, Err(RpcError::Store(_))) {
        core.page_requests.answered(page).await?;
    }
    let result = result.map_err(|error| about(error, path))?;
    let signature = result.data.as_ref().and_then(|data| data.get("signature")?.as_str());
    let signature = signature.and_then(|text| from_hex("signature", text).ok()).ok_or_else(senseless)?;
    Ok(SignedMessage { signature })
}

/// A message that is refused for what it is has a wrong parameter.
fn about(error: RpcError, path: &str) -> RpcError {
    match error {
        RpcError::Failed(failure)
            if failure.code().starts_with("message_is_")
                || failure.code().starts_with("sign_in_")
                || matches!(
                    failure.code(),
                    "invalid_message" | "invalid_typed_data" | "chain_mismatch" | "unsupported_message"
                ) =>
        {
            RpcError::invalid(path, failure.message().unwrap_or(failure.code()))
        }
        other => other,
    }
}

/// Bytes that are no transaction that this account signs are a wrong parameter; those of another account are not its own.
fn about_transaction(error: RpcError) -> RpcError {
    let RpcError::Failed(failure) = &error else { return error };
    let message = failure.message().unwrap_or(failure.code());
    let (place, message) = match message.strip_prefix("step ").and_then(|rest| rest.split_once(": ")) {
        Some((step, rest)) => (step.parse::<usize>().unwrap_or(1).saturating_sub(1), rest),
        None => (0, message),
    };
    let message = message.strip_prefix("unsigned_tx_hex ").unwrap_or(message);
    match failure.code() {
        "not_owned" => RpcError::Unauthorized(message.to_owned()),
        "malformed"
        | "chain_mismatch"
        | "unsupported_tx_type"
        | "unsupported_payload"
        | "unsafe_transaction"
        | "stale_transaction"
        | "wrong_network" => RpcError::invalid(format!("/{place}/transaction"), message),
        _ => error,
    }
}

fn senseless() -> RpcError {
    RpcError::Store(StoreError::corrupt("messages", "", "has no signature".to_owned()))
}

/// The inputs of a method that takes one or several: an object, or an array of them.
fn inputs(params: &Value) -> Result<Vec<&Map<String, Value>>, RpcError> {
    let list = match params {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    if list.is_empty() || list.len() > MAX_INPUTS {
        return Err(RpcError::invalid("", "must be one to twenty objects"));
    }
    let object = |(index, input): (usize, &'_ Value)| match input {
        Value::Object(_) => Ok(()),
        _ => Err(RpcError::invalid(format!("/{index}"), "must be an object")),
    };
    list.iter().enumerate().try_for_each(|(index, input)| object((index, input)))?;
    Ok(list.into_iter().filter_map(Value::as_object).collect())
}

/// Several results as an array, one as itself: as the inputs were.
fn outputs(params: &Value, mut results: Vec<Value>) -> Value {
    match (params, results.len()) {
        (Value::Array(_), _) => Value::Array(results),
        (_, 1..) => results.swap_remove(0),
        _ => Value::Null,
    }
}

/// The bytes of a field in base64.
fn bytes(input: &Map<String, Value>, name: &str, index: usize) -> Result<Vec<u8>, RpcError> {
    let text = input.get(name).and_then(Value::as_str);
    let bytes = text.and_then(|text| from_base64("bytes", text).ok());
    bytes.ok_or_else(|| RpcError::invalid(format!("/{index}/{name}"), "must be base64"))
}

/// The page's account on a chain, which an input may name.
async fn account(
    core: &Rc<Core>,
    page: &Page,
    chain: Chain,
    inputs: &[&Map<String, Value>],
) -> Result<VaultAccount, RpcError> {
    let account = page.account(core, chain).await?;
    for (index, input) in inputs.iter().enumerate() {
        let named = match input.get("account") {
            None | Some(Value::Null) => continue,
            Some(Value::Object(named)) => named.get("address").and_then(Value::as_str),
            Some(named) => named.as_str(),
        };
        match named {
            Some(named) if named == account.address => {}
            Some(_) => {
                let message = "the user has not allowed this page to use that account".to_owned();
                return Err(RpcError::Unauthorized(message));
            }
            None => return Err(RpcError::invalid(format!("/{index}/account"), "must be an account")),
        }
    }
    Ok(account)
}

/// The network that an input names must be the one that the wallet is on: what a page means for a test network is not sent to
/// the main one. A local network is one where the user's own node is on this machine.
async fn check_network(
    core: &Rc<Core>,
    chain: Chain,
    inputs: &[&Map<String, Value>],
) -> Result<(), RpcError> {
    for (index, input) in inputs.iter().enumerate() {
        let named = match input.get("chain") {
            None | Some(Value::Null) => continue,
            Some(Value::String(named)) => named,
            Some(_) => return Err(RpcError::invalid(format!("/{index}/chain"), "must be a text")),
        };
        let local = || named.strip_suffix(":localnet").is_some_and(|family| family == family_of(chain));
        if chain_named(named) == Some(chain) || (local() && has_local_node(core, chain).await?) {
            continue;
        }
        let problem = format!("must be {}:mainnet: the wallet is on no other network", family_of(chain));
        return Err(RpcError::invalid(format!("/{index}/chain"), problem));
    }
    Ok(())
}

/// What networks of a family begin with.
fn family_of(chain: Chain) -> String {
    chain.name().to_ascii_lowercase()
}

async fn has_local_node(core: &Rc<Core>, chain: Chain) -> Result<bool, StoreError> {
    let settings = core.settings.read().await?;
    let node = settings.endpoints.get(chain.name());
    Ok(node.is_some_and(|node| {
        let host = node.url.split_once("://").map_or("", |(_, rest)| rest);
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|local| {
            host.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        })
    }))
}

/// The same request for one of its inputs: each is a call of its own.
fn part(page: &Page, index: usize, count: usize) -> Page {
    match count {
        1 => page.clone(),
        _ => Page {
            request_id: format!("{}.{index}", page.request_id),
            params: format!("{}.{index}", page.params),
            ..page.clone()
        },
    }
}

/// A transaction of a page, signed or sent.
struct SignedStep {
    bytes: Vec<u8>,
    detached: Option<Vec<u8>>,
    id: String,
}

/// Has transactions signed, and sent unless they go back to the page.
async fn transactions(
    core: &Rc<Core>,
    page: &Page,
    chain: Chain,
    transactions: Vec<Vec<u8>>,
    sends: bool,
) -> Result<Vec<SignedStep>, RpcError> {
    let count = transactions.len();
    if let Some(empty) = transactions.iter().position(Vec::is_empty) {
        return Err(RpcError::invalid(format!("/{empty}/transaction"), "is empty"));
    }
    let step = |(index, bytes): (usize, Vec<u8>)| {
        let mut context = Map::new();
        if chain == Chain::Solana && !sends {
            context.insert("tx_type".to_owned(), "partial".into());
        }
        let mut step = Map::new();
        step.insert("id".to_owned(), index.to_string().into());
        step.insert("sequence".to_owned(), (index + 1).into());
        step.insert("chain".to_owned(), chain.name().into());
        step.insert("action".to_owned(), "sign".into());
        step.insert("signing_mode".to_owned(), "eddsa_ed25519".into());
        step.insert("unsigned_tx_hex".to_owned(), hex(&bytes).into());
        step.insert("chain_context".to_owned(), Value::Object(context));
        Value::Object(step)
    };
    let steps: Vec<Value> = transactions.into_iter().enumerate().map(step).collect();
    let mut params = Map::new();
    params.insert("transactions".to_owned(), Value::Array(steps));
    let (tool, title) = match sends {
        true => ("sign_transaction_bundle", "Sign and send a transaction"),
        false => ("sign_transaction", "Sign a transaction without sending it"),
    };
    let call_id = begin(core, page, tool, title, params).await?;
    finish(core, &call_id).await.map_err(about_transaction)?;
    let signed = core.bundles.signed(&call_id).await?;
    if signed.len() != count {
        return Err(senseless());
    }
    let read = |signed: wire::node::SignedBytes| {
        let bytes = from_hex("bytes", &signed.bytes).ok()?;
        let detached = signed.detached.map(|text| from_hex("detached", &text).ok());
        let detached = match detached {
            Some(bytes) => Some(bytes?),
            None => None,
        };
        Some(SignedStep { bytes, detached, id: signed.id })
    };
    signed.into_iter().map(read).collect::<Option<Vec<_>>>().ok_or_else(senseless)
}

fn text(value: &str) -> Value {
    Value::String(value.to_owned())
}

fn encoded(bytes: &[u8]) -> Value {
    Value::String(base64(bytes))
}

/// An object of these fields.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
