//! Solana's wallet-standard: `signMessage`, `signIn`, `signTransaction`, `signAndSendTransaction`. Bytes are base64.

use super::{account, bytes, check_network, encoded, inputs, object, outputs, part, text, transactions};
use crate::Core;
use crate::dapp::error::RpcError;
use crate::dapp::page::Page;
use chains::Chain;
use chains::encoding::{from_base58, hex};
use chains::message::solana_text;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::message::{MessageForm, SignIn};
use wire::vault::VaultAccount;

const FORM: (Chain, MessageForm) = (Chain::Solana, MessageForm::Solana);

/// `{message}` → `{signedMessage, signature}`.
pub(in crate::dapp) async fn sign_message(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let inputs = inputs(&params)?;
    account(core, page, Chain::Solana, &inputs).await?;
    let read = |(index, input): (usize, &&Map<String, Value>)| bytes(input, "message", index);
    let messages = inputs.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut results = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let content = ["0x", &hex(message)].concat();
        let page = part(page, index, messages.len());
        let signed = super::sign_message(core, &page, FORM, content, &format!("/{index}/message")).await?;
        results.push(signed_message(message, &signed.signature, []));
    }
    Ok(outputs(&params, results))
}

fn signed_message<const N: usize>(message: &[u8], signature: &[u8], more: [(&str, Value); N]) -> Value {
    let Value::Object(mut fields) =
        object([("signedMessage", encoded(message)), ("signature", encoded(signature))])
    else {
        return Value::Null;
    };
    fields.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Value::Object(fields)
}

/// The text is made here from the input, for the page's own site unless the input names one: a text for another is refused.
pub(in crate::dapp) async fn sign_in(core: &Rc<Core>, page: &Page, params: Value) -> Result<Value, RpcError> {
    let empty = Map::new();
    let inputs = match &params {
        Value::Null => vec![&empty],
        Value::Array(list) if list.is_empty() => vec![&empty],
        params => inputs(params)?,
    };
    let own = account(core, page, Chain::Solana, &inputs).await?;
    let mut results = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let text = sign_in_text(page, &own, input, index)?;
        let content = ["0x", &hex(text.as_bytes())].concat();
        let page = part(page, index, inputs.len());
        let signed = super::sign_message(core, &page, FORM, content, &format!("/{index}")).await?;
        let account = object([("address", self::text(&own.address)), ("publicKey", public_key(&own))]);
        results.push(signed_message(text.as_bytes(), &signed.signature, [("account", account)]));
    }
    Ok(outputs(&params, results))
}

/// The account's key in base64, as its address spells it.
fn public_key(account: &VaultAccount) -> Value {
    from_base58(&account.address).map_or(Value::Null, |key| encoded(&key))
}

fn sign_in_text(
    page: &Page,
    own: &VaultAccount,
    input: &Map<String, Value>,
    index: usize,
) -> Result<String, RpcError> {
    let field = |name: &str| match input.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(RpcError::invalid(format!("/{index}/{name}"), "must be a text")),
    };
    let site = page.origin.split_once("://").map_or("", |(_, site)| site);
    let resources = match input.get("resources") {
        None | Some(Value::Null) => Vec::new(),
        Some(list) => {
            let list = list.as_array().map(|list| list.iter().map(|one| one.as_str().map(str::to_owned)));
            let list = list.and_then(|list| list.collect::<Option<Vec<_>>>());
            list.ok_or_else(|| RpcError::invalid(format!("/{index}/resources"), "must be texts"))?
        }
    };
    let sign_in = SignIn {
        domain: field("domain")?.unwrap_or_else(|| site.to_owned()),
        address: field("address")?.unwrap_or_else(|| own.address.clone()),
        statement: field("statement")?,
        uri: field("uri")?,
        chain_id: field("chainId")?,
        nonce: field("nonce")?,
        issued_at: field("issuedAt")?,
        expiration_time: field("expirationTime")?,
        not_before: field("notBefore")?,
        request_id: field("requestId")?,
        resources,
    };
    let version = field("version")?;
    let made = solana_text(&sign_in, version.as_deref());
    made.ok_or_else(|| RpcError::invalid(format!("/{index}"), "has a line end in a field"))
}

/// `{transaction}` → `{signedTransaction}`: our signature in our slot, all others as they were.
pub(in crate::dapp) async fn sign_transaction(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let signed = all(core, page, &params, false).await?;
    let results = signed.iter().map(|one| object([("signedTransaction", encoded(&one.bytes))]));
    Ok(outputs(&params, results.collect()))
}

/// `{transaction}` → `{signature}`, once the network has it. Its `options` are wishes about how the node is asked, and are not
/// followed: the wallet has every transaction tried before, and asks until the network has it or never will.
pub(in crate::dapp) async fn sign_and_send(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let sent = all(core, page, &params, true).await?;
    let signature = |id: &str| from_base58(id).map_or(Value::Null, |bytes| encoded(&bytes));
    let results = sent.iter().map(|one| object([("signature", signature(&one.id))]));
    Ok(outputs(&params, results.collect()))
}

async fn all(
    core: &Rc<Core>,
    page: &Page,
    params: &Value,
    sends: bool,
) -> Result<Vec<super::SignedStep>, RpcError> {
    let inputs = inputs(params)?;
    account(core, page, Chain::Solana, &inputs).await?;
    check_network(core, Chain::Solana, &inputs).await?;
    let read = |(index, input): (usize, &&Map<String, Value>)| bytes(input, "transaction", index);
    let list = inputs.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    transactions(core, page, Chain::Solana, list, sends).await
}
