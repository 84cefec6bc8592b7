//! `personal_sign` and `eth_signTypedData_v4`. Pages write the two parameters in either order; where it is clear which is the
//! account, it is taken so.

use super::sign_message;
use crate::Core;
use crate::dapp::error::RpcError;
use crate::dapp::page::Page;
use chains::encoding::hex;
use serde_json::Value;
use std::rc::Rc;
use wire::message::MessageForm;

/// `personal_sign(message, account)`.
pub(in crate::dapp) async fn personal_sign(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let (first, second) = two(&params)?;
    // The message comes first. It is the account only if the other is none.
    let (at, message, account) = match (is_address(first), is_address(second)) {
        (true, false) => (1, second, first),
        (_, true) => (0, first, second),
        (false, false) => return Err(RpcError::invalid("/1", "must be the account that signs")),
    };
    let message = message.as_str().ok_or_else(|| RpcError::invalid(format!("/{at}"), "must be a text"))?;
    let digits = message.strip_prefix("0x").or_else(|| message.strip_prefix("0X"));
    let is_hex = |digits: &&str| {
        digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let content = match digits.filter(is_hex) {
        Some(digits) => ["0x", digits].concat(),
        None => ["0x", &hex(message.as_bytes())].concat(),
    };
    let form = (page.chain(), MessageForm::Personal);
    check_account(core, page, account).await?;
    let signed = sign_message(core, page, form, content, &format!("/{at}")).await?;
    Ok(format!("0x{}", hex(&signed.signature)).into())
}

/// `eth_signTypedData_v4(account, data)`.
pub(in crate::dapp) async fn sign_typed_data(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let (first, second) = two(&params)?;
    let (at, account, data) = match (is_address(first), is_address(second)) {
        (false, true) => (0, second, first),
        (true, false) => (1, first, second),
        _ => return Err(RpcError::invalid("/0", "must be the account that signs")),
    };
    let content = match data {
        Value::String(text) => text.clone(),
        Value::Object(_) => data.to_string(),
        _ => return Err(RpcError::invalid(format!("/{at}"), "must be typed data")),
    };
    check_account(core, page, account).await?;
    let form = (page.chain(), MessageForm::TypedData);
    let signed = sign_message(core, page, form, content, &format!("/{at}")).await?;
    Ok(format!("0x{}", hex(&signed.signature)).into())
}

fn two(params: &Value) -> Result<(&Value, &Value), RpcError> {
    match params.as_array().map(Vec::as_slice) {
        Some([first, second, ..]) => Ok((first, second)),
        _ => Err(RpcError::invalid("", "must be an array of a message and an account")),
    }
}

fn is_address(value: &Value) -> bool {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// The account must be the page's own on its chain.
async fn check_account(core: &Rc<Core>, page: &Page, account: &Value) -> Result<(), RpcError> {
    let own = page.account(core, page.chain()).await?;
    let named = account.as_str().unwrap_or_default();
    if named.eq_ignore_ascii_case(&own.address) {
        return Ok(());
    }
    Err(RpcError::Unauthorized("the user has not allowed this page to use that account".to_owned()))
}
