//! EIP-712 typed structured data, as `eth_signTypedData_v4` takes it.
//!
//! ```text
//! signed         keccak256(19 01 ‖ hashStruct(domain) ‖ hashStruct(message))
//! hashStruct(s)  keccak256(keccak256(encodeType(s)) ‖ encodeData(s))
//! encodeType     Mail(Person from,string contents)Person(string name,address wallet)
//! encodeData     32 bytes a field: numbers and addresses as they are, the hash of a text, of bytes, of a struct and of
//!                the elements of an array
//! ```
//!
//! Read strictly: every field of a type is there and no other, numbers are within their type, addresses have their
//! checksum. Where the types do not have `EIP712Domain`, it is made of the domain's fields in the standard's order, as
//! libraries do.

mod encode;
mod types;
mod value;

pub(super) use value::Value;

use super::MessageError;
use crate::hash::keccak256;
use encode::Encoder;
use serde_json::{Map, Value as Json};
use types::{Member, Types};

/// No typed data is longer, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The domain's struct.
const DOMAIN: &str = "EIP712Domain";
/// The fields of a domain in the order of the standard, and their types.
const DOMAIN_FIELDS: [(&str, &str); 5] = [
    ("name", "string"),
    ("version", "string"),
    ("chainId", "uint256"),
    ("verifyingContract", "address"),
    ("salt", "bytes32"),
];

/// Typed data, read and hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedData {
    /// The name of the signed struct.
    pub(super) primary: String,
    /// `encodeType` of the signed struct: what a contract compares.
    pub(super) shape: String,
    /// The domain.
    pub(super) domain: Value,
    /// The message.
    pub(super) message: Value,
    /// What is signed.
    pub(super) hash: [u8; 32],
}

impl TypedData {
    /// Reads and hashes the JSON text of typed data.
    pub(super) fn parse(text: &str) -> Result<Self, MessageError> {
        let whole = |reason| MessageError::TypedData { path: String::new(), reason };
        if text.len() > MAX_BYTES {
            return Err(whole("is longer than 256 kB"));
        }
        let parsed: Json = serde_json::from_str(text).map_err(|_| whole("is not JSON"))?;
        let Json::Object(parsed) = parsed else { return Err(whole("must be an object")) };
        let object = |name: &'static str| {
            let found = parsed.get(name).and_then(Json::as_object);
            found.ok_or_else(|| MessageError::TypedData {
                path: format!("/{name}"),
                reason: "must be an object",
            })
        };
        let (domain, message) = (object("domain")?, object("message")?);
        let mut types = Types::parse(object("types")?)?;
        if types.get(DOMAIN).is_none() {
            types.add(DOMAIN, inferred(domain)?);
        }
        let primary = parsed.get("primaryType").and_then(Json::as_str).unwrap_or_default();
        if types.get(primary).is_none() || primary == DOMAIN {
            let reason = "must be the name of one of the types";
            return Err(MessageError::TypedData { path: "/primaryType".to_owned(), reason });
        }
        let mut encoder = Encoder::new(&types);
        let (domain, separator) =
            encoder.structure(DOMAIN, domain, 0).map_err(|error| error.under("/domain"))?;
        let (message, of_message) =
            encoder.structure(primary, message, 0).map_err(|error| error.under("/message"))?;
        let hash = keccak256(&[&[0x19, 0x01], separator.as_slice(), &of_message].concat());
        let shape = types.encode(primary).ok_or_else(|| whole("has types that lead nowhere"))?;
        Ok(Self { primary: primary.to_owned(), shape, domain, message, hash })
    }
}

/// The domain's type where the types do not have it.
fn inferred(domain: &Map<String, Json>) -> Result<Vec<Member>, MessageError> {
    let known = |name: &String| DOMAIN_FIELDS.iter().any(|(field, _)| field == name);
    if let Some(other) = domain.keys().find(|name| !known(name)) {
        let reason = "is not a field of a domain";
        return Err(MessageError::TypedData { path: format!("/domain/{other}"), reason });
    }
    let present = DOMAIN_FIELDS.iter().filter(|(name, _)| domain.contains_key(*name));
    Ok(present.filter_map(|(name, kind)| Member::new(name, kind)).collect())
}

#[cfg(test)]
mod tests;
