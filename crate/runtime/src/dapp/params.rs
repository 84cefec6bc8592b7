//! Parameters of methods: every refusal names its place, as a JSON pointer into the parameters.

use super::error::RpcError;
use chains::Chain;
use serde_json::{Map, Value};
use wire::json::FieldError;

impl From<FieldError> for RpcError {
    fn from(error: FieldError) -> Self {
        Self::invalid(error.path(), error.problem())
    }
}

/// The one element of the parameters, which must be an object. Parameters that are an object stand for it: libraries send
/// both.
pub(super) fn only_object(params: &Value) -> Result<(&Map<String, Value>, &'static str), RpcError> {
    match params {
        Value::Object(fields) => Ok((fields, "")),
        Value::Array(values) => match values.as_slice() {
            [Value::Object(fields)] => Ok((fields, "/0")),
            [] => Err(RpcError::invalid("/0", "is missing")),
            [_] => Err(RpcError::invalid("/0", "must be an object")),
            _ => Err(RpcError::invalid("/1", "is one parameter too many")),
        },
        _ => Err(RpcError::invalid("/0", "is missing")),
    }
}

/// Refuses members that are not known.
pub(super) fn no_others(place: &str, fields: &Map<String, Value>, known: &[&str]) -> Result<(), RpcError> {
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let name: String = name.chars().take(100).collect();
            Err(RpcError::invalid(format!("{place}/{name}"), "is not a member here"))
        }
        None => Ok(()),
    }
}

/// A text that must be there, of a length.
pub(super) fn text<'a>(
    place: &str,
    fields: &'a Map<String, Value>,
    name: &str,
    most: usize,
) -> Result<&'a str, RpcError> {
    match fields.get(name) {
        Some(Value::String(text)) if !text.is_empty() && text.chars().count() <= most => Ok(text),
        Some(Value::String(_)) => {
            Err(RpcError::invalid(format!("{place}/{name}"), format!("must have 1 to {most} characters")))
        }
        Some(_) => Err(RpcError::invalid(format!("{place}/{name}"), "must be a string")),
        None => Err(RpcError::invalid(format!("{place}/{name}"), "is missing")),
    }
}

/// The chain id in a field: `0x` and hex digits without zeros in front.
pub(super) fn chain_id(place: &str, fields: &Map<String, Value>) -> Result<ChainId, RpcError> {
    let at = || format!("{place}/chainId");
    match fields.get("chainId") {
        Some(Value::String(text)) => {
            ChainId::parse(text).ok_or_else(|| RpcError::invalid(at(), CHAIN_ID_RULE))
        }
        Some(_) => Err(RpcError::invalid(at(), CHAIN_ID_RULE)),
        None => Err(RpcError::invalid(at(), "is missing")),
    }
}

const CHAIN_ID_RULE: &str = "must be a number in hex: 0x, no zeros in front, at most 2^53";

/// An EVM chain's id, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChainId {
    number: u64,
    text: String,
}

impl ChainId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits =
            text.strip_prefix("0x").filter(|digits| !digits.is_empty() && !digits.starts_with('0'))?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(digits, 16).ok().filter(|number| plain && *number <= 1 << 53)?;
        Some(Self { number, text: text.to_ascii_lowercase() })
    }

    /// The chain of this wallet that has it.
    pub(super) fn chain(&self) -> Result<Chain, RpcError> {
        Chain::from_evm_id(self.number).ok_or_else(|| RpcError::UnknownChain(self.text.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chain_ids() {
        assert_eq!(ChainId::parse("0x1").and_then(|id| id.chain().ok()), Some(Chain::Ethereum));
        assert_eq!(ChainId::parse("0xA4B1").and_then(|id| id.chain().ok()), Some(Chain::Arbitrum));
        let unknown = ChainId::parse("0x539").unwrap().chain().unwrap_err();
        assert_eq!(
            (unknown.code(), unknown.to_string()),
            (4_902, "the wallet does not know the chain 0x539".to_owned())
        );
        for bad in ["", "0x", "1", "0x0", "0x01", "0X1", "0xg", "0x+1", "0x20000000000001", " 0x1"] {
            assert_eq!(ChainId::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_chain_id_or_not(text in "0x[0-9a-fA-F+-]{0,20}|.{0,20}") {
            if let Some(id) = ChainId::parse(&text) {
                prop_assert_eq!(format!("{:#x}", id.number), text.to_ascii_lowercase());
            }
        }
    }
}
