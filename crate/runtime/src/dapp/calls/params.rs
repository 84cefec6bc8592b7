//! The parameters of `wallet_sendCalls` 2.0.0 (EIP-5792), checked in the order in which a page can act on the answers.

use crate::dapp::RpcError;
use crate::dapp::send::params::{Members, Wanted, call, only};
use chains::Chain;
use serde_json::Value;

/// The one version.
pub(super) const VERSION: &str = "2.0.0";
/// A bundle has no more steps.
const MOST_CALLS: usize = 256;
/// The longest id, in bytes; twice as many digits and `0x` where it is hex.
const LONGEST_ID: usize = 4_096;

/// A batch as a page wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SendCalls {
    /// The page's id for it.
    pub(super) id: Option<String>,
    /// The account that signs; the page's own if it names none.
    pub(super) from: Option<String>,
    /// As the page spells it.
    pub(super) chain_id: String,
    /// What is done, in order.
    pub(super) calls: Vec<Wanted>,
}

/// Reads the parameters.
pub(super) fn send_calls(params: &Value) -> Result<SendCalls, RpcError> {
    let fields = only(params)?;
    match fields.text("version")? {
        Some(VERSION) => {}
        Some(_) => return Err(fields.wrong("version", "must be 2.0.0")),
        None => return Err(fields.wrong("version", "is missing")),
    }
    let chain_id = fields.text("chainId")?.ok_or_else(|| fields.wrong("chainId", "is missing"))?;
    if !is_canonical(chain_id) {
        return Err(fields.wrong("chainId", "must be hex with 0x and without leading zeros"));
    }
    let from = fields.address("from")?.map(str::to_owned);
    let id = fields.text("id")?.map(|id| batch_id(&fields.place("id"), id)).transpose()?;
    let atomic = match fields.get("atomicRequired") {
        Some(Value::Bool(required)) => *required,
        Some(_) => return Err(fields.wrong("atomicRequired", "must be true or false")),
        None => return Err(fields.wrong("atomicRequired", "is missing")),
    };
    let calls = match fields.get("calls") {
        Some(Value::Array(calls)) if !calls.is_empty() => calls,
        Some(Value::Array(_)) => return Err(fields.wrong("calls", "must have at least one call")),
        Some(_) => return Err(fields.wrong("calls", "must be an array")),
        None => return Err(fields.wrong("calls", "is missing")),
    };
    if calls.len() > MOST_CALLS {
        return Err(RpcError::BatchTooLarge);
    }
    let place = fields.place("calls");
    let members = |(index, call)| Members::of(format!("{place}/{index}"), call);
    let entries = calls.iter().enumerate().map(members).collect::<Result<Vec<_>, _>>()?;
    let mut wanted = Vec::with_capacity(entries.len());
    for entry in &entries {
        wanted.push(Wanted { call: call(entry)?, ..Wanted::default() });
        check_shape(entry)?;
    }
    check_shape(&fields)?;
    for owner in std::iter::once(&fields).chain(&entries) {
        refuse_capabilities(owner)?;
    }
    if atomic && wanted.len() > 1 {
        return Err(RpcError::AtomicityUnsupported);
    }
    Ok(SendCalls { id, from, chain_id: chain_id.to_owned(), calls: wanted })
}

/// Hex with `0x`, without leading zeros.
fn is_canonical(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hex && (1..=16).contains(&digits.len()) && (digits == "0" || !digits.starts_with('0'))
}

/// The EVM chain of an id in hex.
pub(super) fn chain_of(chain_id: &str) -> Option<Chain> {
    let number = u64::from_str_radix(chain_id.strip_prefix("0x")?, 16).ok()?;
    Chain::ALL.iter().copied().find(|chain| chain.evm_id() == Some(number))
}

/// An id of a page's.
pub(super) fn batch_id(path: &str, id: &str) -> Result<String, RpcError> {
    let is_hex =
        id.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let most = if is_hex { 2 * LONGEST_ID + 2 } else { LONGEST_ID };
    if id.is_empty() || id.len() > most {
        return Err(RpcError::invalid(path, "must have 1 to 4096 bytes"));
    }
    Ok(id.to_owned())
}

/// The id of the parameters `[id]`.
pub(super) fn only_id(params: &Value) -> Result<String, RpcError> {
    match params.as_array().map(Vec::as_slice) {
        Some([Value::String(id)]) => batch_id("/0", id),
        _ => Err(RpcError::invalid("", "must be an array with one id")),
    }
}

/// Capabilities are objects by their name.
fn check_shape(fields: &Members<'_>) -> Result<(), RpcError> {
    let Some(capabilities) = fields.get("capabilities") else { return Ok(()) };
    let Value::Object(capabilities) = capabilities else {
        return Err(fields.wrong("capabilities", "must be an object"));
    };
    for (name, capability) in capabilities {
        let optional = capability.get("optional");
        let sound = capability.is_object() && optional.is_none_or(Value::is_boolean);
        if !sound {
            let path =
                format!("{}/{}", fields.place("capabilities"), name.chars().take(64).collect::<String>());
            return Err(RpcError::invalid(path, "must be an object, its member optional true or false"));
        }
    }
    Ok(())
}

/// The wallet has no capability that a batch could ask for: not `paymasterService` (ERC-7677), `auxiliaryFunds` (ERC-7682),
/// `flowControl` (ERC-7867) or any other. What is optional is done without.
fn refuse_capabilities(fields: &Members<'_>) -> Result<(), RpcError> {
    let Some(Value::Object(capabilities)) = fields.get("capabilities") else { return Ok(()) };
    let required = |capability: &Value| capability.get("optional") != Some(&Value::Bool(true));
    match capabilities.iter().find(|(_, capability)| required(capability)) {
        Some((name, _)) => Err(RpcError::UnsupportedCapability(name.chars().take(64).collect())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const TO: &str = "0x9858effd232b4033e47d90003d41ec34ecaeda94";

    fn batch() -> Value {
        json!({
            "version": "2.0.0", "chainId": "0x1", "atomicRequired": false,
            "calls": [{ "to": TO, "value": "0x1" }, { "to": TO, "data": "0xab" }],
        })
    }

    fn with(name: &str, value: Value) -> Result<SendCalls, RpcError> {
        let mut batch = batch();
        batch[name] = value;
        send_calls(&json!([batch]))
    }

    fn code(result: Result<SendCalls, RpcError>) -> i64 {
        result.unwrap_err().code()
    }

    #[test]
    fn a_batch() {
        let read = send_calls(&json!([batch()])).unwrap();
        assert_eq!((read.calls.len(), read.id, read.from), (2, None, None));
        assert_eq!(read.calls[1].call.data, "ab");
        assert_eq!(chain_of(&read.chain_id), Some(Chain::Ethereum));
    }

    #[test]
    fn chain_ids_have_one_spelling() {
        for bad in ["1", "0x", "0x01", "0x00", "0xzz", "eip155:1", "0x12345678901234567"] {
            assert_eq!(code(with("chainId", json!(bad))), -32_602, "{bad}");
        }
        assert_eq!(with("chainId", json!("0x539")).unwrap().chain_id, "0x539");
        assert_eq!(chain_of("0xfffffff"), None);
    }

    #[test]
    fn the_version_is_checked() {
        for bad in [json!("1.0"), json!("2"), json!(2), json!(null)] {
            assert_eq!(code(with("version", bad)), -32_602);
        }
    }

    #[test]
    fn atomicity_needs_one_call() {
        assert_eq!(code(with("atomicRequired", json!(true))), 5_760);
        assert_eq!(code(with("atomicRequired", json!("false"))), -32_602);
        let mut one = batch();
        one["atomicRequired"] = json!(true);
        one["calls"] = json!([{ "to": TO }]);
        assert!(send_calls(&json!([one])).is_ok());
    }

    #[test]
    fn too_many_calls() {
        assert_eq!(code(with("calls", json!(vec![json!({ "to": TO }); 257]))), 5_740);
        assert_eq!(with("calls", json!(vec![json!({ "to": TO }); 256])).unwrap().calls.len(), 256);
        assert_eq!(code(with("calls", json!([]))), -32_602);
    }

    /// At the top and in a call; what is optional is done without.
    #[test]
    fn capabilities() {
        let paymaster = |optional: Value| json!({ "paymasterService": { "url": "https://p.example", "optional": optional } });
        assert_eq!(code(with("capabilities", paymaster(json!(false)))), 5_700);
        assert_eq!(code(with("capabilities", json!({ "paymasterService": {} }))), 5_700);
        assert!(with("capabilities", paymaster(json!(true))).is_ok());
        assert_eq!(code(with("capabilities", json!({ "atomic": true }))), -32_602);
        assert_eq!(code(with("capabilities", paymaster(json!("yes")))), -32_602);
        let in_call =
            |optional: bool| json!([{ "to": TO, "capabilities": { "gasless": { "optional": optional } } }]);
        assert_eq!(code(with("calls", in_call(false))), 5_700);
        assert!(with("calls", in_call(true)).is_ok());
    }

    #[test]
    fn ids_have_a_length() {
        assert_eq!(with("id", json!("my batch")).unwrap().id.as_deref(), Some("my batch"));
        assert!(with("id", json!(format!("0x{}", "ab".repeat(4_096)))).is_ok());
        for bad in [json!(""), json!("x".repeat(4_097)), json!(format!("0x{}", "ab".repeat(4_097))), json!(7)]
        {
            assert_eq!(code(with("id", bad)), -32_602);
        }
    }

    proptest! {
        #[test]
        fn any_batch_is_read_or_refused(name in "(version|id|from|chainId|atomicRequired|calls|capabilities)", text in ".{0,40}", number in any::<i64>()) {
            for value in [json!(text), json!(number), json!([text.clone()]), json!({ text.clone(): number }), json!([{ text: number }])] {
                if let Err(error) = with(&name, value) {
                    prop_assert!(error.code() == -32_602 || error.code() == 5_700, "{}", error);
                }
            }
        }
    }
}
