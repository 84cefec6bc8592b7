//! Sui's wallet-standard: `signPersonalMessage`, `signTransaction`, `signAndExecuteTransaction`. Bytes are base64;
//! a transaction is BCS of `TransactionData`, or the JSON of a resolved one ([`chains::sui_json`]), built by the page.

use super::{account, bytes, check_network, encoded, inputs, object, outputs, part, text, transactions};
use crate::Core;
use crate::dapp::error::RpcError;
use crate::dapp::page::Page;
use chains::Chain;
use chains::encoding::hex;
use chains::sui_json::{self, JsonError};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::message::MessageForm;

/// `{message}` → `{bytes, signature}`.
pub(in crate::dapp) async fn sign_personal_message(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let inputs = inputs(&params)?;
    account(core, page, Chain::Sui, &inputs).await?;
    let read = |(index, input): (usize, &&Map<String, Value>)| bytes(input, "message", index);
    let messages = inputs.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut results = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let content = ["0x", &hex(message)].concat();
        let page = part(page, index, messages.len());
        let form = (Chain::Sui, MessageForm::Sui);
        let signed = super::sign_message(core, &page, form, content, &format!("/{index}/message")).await?;
        results.push(object([("bytes", encoded(message)), ("signature", encoded(&signed.signature))]));
    }
    Ok(outputs(&params, results))
}

/// `{transaction}` → `{bytes, signature}`.
pub(in crate::dapp) async fn sign_transaction(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let signed = all(core, page, &params, false).await?;
    Ok(outputs(&params, signed.iter().map(|one| signed_transaction(one, None)).collect()))
}

/// `{transaction}` → `{digest, bytes, signature}`, once the network has it.
pub(in crate::dapp) async fn sign_and_execute(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let sent = all(core, page, &params, true).await?;
    Ok(outputs(&params, sent.iter().map(|one| signed_transaction(one, Some(&one.id))).collect()))
}

fn signed_transaction(one: &super::SignedStep, digest: Option<&str>) -> Value {
    let signature = one.detached.as_deref().map_or(Value::Null, encoded);
    let bytes = encoded(&one.bytes);
    match digest {
        Some(digest) => object([("digest", text(digest)), ("bytes", bytes), ("signature", signature)]),
        None => object([("bytes", bytes), ("signature", signature)]),
    }
}

async fn all(
    core: &Rc<Core>,
    page: &Page,
    params: &Value,
    sends: bool,
) -> Result<Vec<super::SignedStep>, RpcError> {
    let inputs = inputs(params)?;
    let own = account(core, page, Chain::Sui, &inputs).await?;
    check_network(core, Chain::Sui, &inputs).await?;
    let read = |(index, input): (usize, &&Map<String, Value>)| transaction(input, index, &own.address);
    let list = inputs.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    transactions(core, page, Chain::Sui, list, sends).await
}

/// The bytes of a transaction: base64, or the JSON in which Sui's library hands it over.
fn transaction(input: &Map<String, Value>, index: usize, own: &str) -> Result<Vec<u8>, RpcError> {
    let text = input.get("transaction").and_then(Value::as_str).unwrap_or_default();
    if !text.trim_start().starts_with('{') {
        return bytes(input, "transaction", index);
    }
    sui_json::bytes(text, own).map_err(|JsonError { path, problem }| {
        RpcError::invalid(format!("/{index}/transaction{path}"), problem)
    })
}
