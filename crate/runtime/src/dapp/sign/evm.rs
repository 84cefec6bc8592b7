//! `personal_sign` and `eth_signTypedData_v4`. Pages write the two parameters in either order; where it is clear which is the
//! account, it is taken so.

use super::sign_message;
use crate::Core;
use crate::dapp::error::RpcError;
use crate::dapp::page::Page;
use chains::encoding::hex;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::message::MessageForm;

/// A struct with more members is refused by the signer: it is left as it is.
const MAX_MEMBERS: usize = 100;

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
    check_account(core, page, account).await?;
    let content = match data {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(data) => signed_part(&data),
            Err(_) => return Err(RpcError::invalid(format!("/{at}"), "must be typed data, and is not JSON")),
        },
        Value::Object(_) => signed_part(data),
        _ => return Err(RpcError::invalid(format!("/{at}"), "must be typed data")),
    };
    let form = (page.chain(), MessageForm::TypedData);
    let signed = sign_message(core, page, form, content, &format!("/{at}")).await?;
    Ok(format!("0x{}", hex(&signed.signature)).into())
}

/// Typed data as it is hashed: members that its types do not have are in no hash, as every library has it. They are not shown
/// either, and no descriptor reads them.
fn signed_part(data: &Value) -> String {
    let (Some(types), Value::Object(data)) = (data.get("types").and_then(Value::as_object), data) else {
        return data.to_string();
    };
    let primary = data.get("primaryType").and_then(Value::as_str).unwrap_or_default();
    let kept = data.iter().filter_map(|(name, value)| {
        let value = match name.as_str() {
            "types" | "primaryType" => value.clone(),
            "domain" => typed(types, "EIP712Domain", value),
            "message" => typed(types, primary, value),
            _ => return None,
        };
        Some((name.clone(), value))
    });
    Value::Object(kept.collect()).to_string()
}

/// The members of a value that its type has.
fn typed(types: &Map<String, Value>, kind: &str, value: &Value) -> Value {
    let members = kind.split('[').next().and_then(|name| types.get(name)?.as_array());
    let members = members.filter(|members| members.len() <= MAX_MEMBERS);
    match (members, value) {
        (_, Value::Array(values)) => {
            Value::Array(values.iter().map(|value| typed(types, kind, value)).collect())
        }
        (Some(members), Value::Object(fields)) => {
            let kept = fields.iter().filter_map(|(name, value)| {
                let named =
                    |member: &&Value| member.get("name").and_then(Value::as_str) == Some(name.as_str());
                let kind = members.iter().find(named)?.get("type").and_then(Value::as_str);
                Some((name.clone(), typed(types, kind.unwrap_or_default(), value)))
            });
            Value::Object(kept.collect())
        }
        _ => value.clone(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_what_the_types_have_is_kept() {
        let types = json!({"Mail": [{"name": "to", "type": "Person[]"}, {"name": "text", "type": "string"}],
            "Person": [{"name": "wallet", "type": "address"}]});
        let data = json!({"types": types, "primaryType": "Mail", "domain": {"name": "M"}, "more": 1,
            "message": {"to": [{"wallet": "0x1", "name": "Bob"}], "text": "hi", "money": 4.2}});
        let kept = json!({"types": types, "primaryType": "Mail", "domain": {"name": "M"},
            "message": {"to": [{"wallet": "0x1"}], "text": "hi"}});
        assert_eq!(serde_json::from_str::<Value>(&signed_part(&data)).unwrap(), kept);
        assert_eq!(signed_part(&json!([1])), "[1]");
        assert_eq!(signed_part(&json!({"message": 7})), r#"{"message":7}"#);
    }

    /// A struct that names a member a hundred times costs no more than its values.
    #[test]
    fn repeated_members_are_read_once() {
        let mut message = json!({});
        for _ in 0..60 {
            message = json!({"a": message});
        }
        let members = vec![json!({"name": "a", "type": "A"}); MAX_MEMBERS];
        let data =
            json!({"types": {"A": members}, "primaryType": "A", "domain": {}, "message": message.clone()});
        let kept: Value = serde_json::from_str(&signed_part(&data)).unwrap();
        assert_eq!(kept["message"], message);
    }

    proptest! {
        /// What is kept is kept again: nothing depends on how often it is read.
        #[test]
        fn keeping_is_stable(kind in "[A-C](\\[\\])?", name in "[a-c]", other in "[a-c]", number in any::<u8>()) {
            let data = json!({"types": {"A": [{"name": name, "type": kind}], "B": [{"name": other, "type": "A"}], "C": 7},
                "primaryType": "A", "domain": {}, "message": {&other: [{&name: number, &other: {&name: [number]}}]}});
            let once = signed_part(&data);
            prop_assert_eq!(signed_part(&serde_json::from_str(&once).unwrap()), once);
        }
    }
}
