//! Typed data by EIP-712: `{types, primaryType, domain, message}`.
//!
//! `encodeType` of a struct is its name and members, then those of every struct it refers to, sorted by name. A key of
//! `display.formats` is such a text; it fits a message whose own is the same.

use crate::abi::{Kind, elementary, fits};
use crate::bounds::{DEPTH, SIGNATURE_BYTES, STEPS, TYPES};
use crate::value::{self, Value};
use chains::hash::keccak256;
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;

/// Typed data, whose message was read by its types.
#[derive(Debug)]
pub(crate) struct TypedData {
    /// What is hashed of the primary type.
    pub(crate) encoded_type: String,
    /// The domain as it was given.
    pub(crate) domain: Map<String, Json>,
    /// The domain's hash, where its types are simple enough.
    pub(crate) separator: Option<[u8; 32]>,
    /// The message.
    pub(crate) message: Value,
}

/// A member of a struct: its type and its name.
type Member<'a> = (&'a str, &'a str);

struct Types<'a> {
    types: &'a Map<String, Json>,
    steps: usize,
}

impl TypedData {
    /// Reads typed data; `None` where it is none, or too large.
    pub(crate) fn read(data: &Json) -> Option<Self> {
        let types = data.get("types")?.as_object().filter(|types| types.len() <= TYPES)?;
        let primary = data.get("primaryType")?.as_str()?;
        let domain = data.get("domain")?.as_object()?;
        let mut types = Types { types, steps: STEPS };
        Some(Self {
            encoded_type: types.encode(primary)?,
            message: types.structure(primary, data.get("message")?, 0)?,
            separator: types.separator(domain),
            domain: domain.clone(),
        })
    }

    /// The chain that the domain names: as a number of its own or, as meta transactions of Polygon do, in the salt.
    pub(crate) fn chain_id(&self) -> Option<u64> {
        match self.domain.get("chainId") {
            Some(Json::Number(number)) => number.as_u64(),
            Some(Json::String(text)) => u64::try_from(value::parse_number(text)?).ok(),
            Some(_) => None,
            None => u64::try_from(value::parse_number(self.domain.get("salt")?.as_str()?)?).ok(),
        }
    }

    /// The contract that the domain names.
    pub(crate) fn contract(&self) -> Option<[u8; 20]> {
        value::address(self.domain.get("verifyingContract")?.as_str()?)
    }
}

impl<'a> Types<'a> {
    fn members(&self, name: &str) -> Option<Vec<Member<'a>>> {
        let members = self.types.get(name)?.as_array()?;
        let member = |member: &'a Json| Some((member.get("type")?.as_str()?, member.get("name")?.as_str()?));
        members.iter().map(member).collect()
    }

    /// `Mail(Person from,string contents)Person(string name,address wallet)`.
    fn encode(&self, primary: &str) -> Option<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![primary];
        while let Some(name) = open.pop() {
            for (kind, _) in self.members(name)? {
                let name = kind.split('[').next()?;
                if name != primary && self.types.contains_key(name) && found.insert(name) {
                    open.push(name);
                }
            }
        }
        let mut text = String::new();
        for name in core::iter::once(primary).chain(found) {
            let members = self.members(name)?;
            let members: Vec<String> = members.iter().map(|(kind, name)| format!("{kind} {name}")).collect();
            text.push_str(&format!("{name}({})", members.join(",")));
            if text.len() > SIGNATURE_BYTES {
                return None;
            }
        }
        Some(text)
    }

    fn structure(&mut self, name: &str, json: &Json, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        let object = json.as_object()?;
        let mut members = Vec::new();
        for (kind, name) in self.members(name)? {
            members.push((name.to_owned(), self.value(kind, object.get(name)?, depth + 1)?));
        }
        Some(Value::Tuple(members))
    }

    fn value(&mut self, kind: &str, json: &Json, depth: usize) -> Option<Value> {
        self.steps = self.steps.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        if let Some(list) = kind.strip_suffix(']') {
            let (kind, count) = list.rsplit_once('[')?;
            let list = json.as_array()?;
            if !count.is_empty() && count.parse() != Ok(list.len()) {
                return None;
            }
            let list = list.iter().map(|json| self.value(kind, json, depth + 1)).collect::<Option<_>>()?;
            return Some(Value::List(list));
        }
        if self.types.contains_key(kind) {
            return self.structure(kind, json, depth);
        }
        atom(&elementary(kind)?, json)
    }

    /// The hash of the domain, of which all members are atoms.
    fn separator(&self, domain: &Map<String, Json>) -> Option<[u8; 32]> {
        let mut encoded = keccak256(self.encode("EIP712Domain")?.as_bytes()).to_vec();
        for (kind, name) in self.members("EIP712Domain")? {
            let kind = elementary(kind)?;
            let value = atom(&kind, domain.get(name)?)?;
            let word = match (&kind, &value) {
                (Kind::Text | Kind::Bytes, value) => keccak256(&value.bytes()?),
                (Kind::FixedBytes(_), Value::Bytes(bytes)) => {
                    let mut word = [0; 32];
                    word.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
                    word
                }
                _ => value.number()?.to_be_bytes(),
            };
            encoded.extend(word);
        }
        Some(keccak256(&encoded))
    }
}

fn atom(kind: &Kind, json: &Json) -> Option<Value> {
    Some(match kind {
        Kind::Address => Value::Address(value::address(json.as_str()?)?),
        Kind::Bool => Value::Bool(match json {
            Json::Bool(truth) => *truth,
            Json::String(text) if text == "true" => true,
            Json::String(text) if text == "false" => false,
            _ => return None,
        }),
        Kind::Text => Value::Text(json.as_str()?.to_owned()),
        Kind::Bytes | Kind::FixedBytes(_) => {
            let text = json.as_str()?;
            let bytes = chains::encoding::from_hex("bytes", text.strip_prefix("0x")?).ok()?;
            let length = if let Kind::FixedBytes(length) = kind { usize::from(*length) } else { bytes.len() };
            (bytes.len() == length).then_some(Value::Bytes(bytes))?
        }
        Kind::Uint(_) | Kind::Int(_) => {
            let text = match json {
                Json::Number(number) => number.to_string(),
                Json::String(text) => text.clone(),
                _ => return None,
            };
            let number = match text.strip_prefix('-') {
                Some(digits) => Value::Negative(value::parse_number(digits)?),
                None => Value::Number(value::parse_number(&text)?),
            };
            fits(&number, kind).then_some(number)?
        }
        Kind::List(_) | Kind::Array(..) | Kind::Tuple(_) => return None,
    })
}
