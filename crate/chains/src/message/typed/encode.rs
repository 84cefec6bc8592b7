//! Values by their types: read, checked and hashed.

use super::types::{Kind, Types};
use super::value::Value;
use crate::address::evm;
use crate::hash::keccak256;
use crate::message::MessageError;
use crate::{Amount, encoding};
use serde_json::{Map, Value as Json};

/// Structs in structs are followed so deep.
const MAX_DEPTH: usize = 32;
/// No more values are read: all of them are shown.
const MAX_VALUES: usize = 4_000;

/// What a value is and the 32 bytes that stand for it.
type Encoded = (Value, [u8; 32]);

/// What is wrong, and where below the value at hand.
pub(super) struct EncodeError {
    path: String,
    reason: &'static str,
}

impl EncodeError {
    const fn here(reason: &'static str) -> Self {
        Self { path: String::new(), reason }
    }

    fn at(self, segment: &str) -> Self {
        Self { path: format!("/{segment}{}", self.path), reason: self.reason }
    }

    pub(super) fn under(self, root: &str) -> MessageError {
        MessageError::TypedData { path: format!("{root}{}", self.path), reason: self.reason }
    }
}

/// Encodes values of these types.
pub(super) struct Encoder<'a> {
    types: &'a Types,
    /// The hash of `encodeType` of each struct that was met.
    hashes: Vec<(String, [u8; 32])>,
    left: usize,
}

impl<'a> Encoder<'a> {
    pub(super) const fn new(types: &'a Types) -> Self {
        Self { types, hashes: Vec::new(), left: MAX_VALUES }
    }

    /// `hashStruct`.
    pub(super) fn structure(
        &mut self,
        name: &str,
        fields: &Map<String, Json>,
        depth: usize,
    ) -> Result<Encoded, EncodeError> {
        let members = self.types.get(name).ok_or(EncodeError::here("is of a type that is not there"))?;
        if depth > MAX_DEPTH {
            return Err(EncodeError::here("is nested too deep"));
        }
        if let Some(other) = fields.keys().find(|key| !members.iter().any(|member| member.name == **key)) {
            return Err(EncodeError::here("is not a field of its type").at(other));
        }
        let mut bytes = self.type_hash(name)?.to_vec();
        let mut read = Vec::with_capacity(members.len());
        for member in members {
            let value = fields.get(&member.name).ok_or(EncodeError::here("is missing"));
            let encoded = value.and_then(|value| self.value(&member.kind, value, depth));
            let (value, word) = encoded.map_err(|error| error.at(&member.name))?;
            bytes.extend(word);
            read.push((member.name.clone(), value));
        }
        Ok((Value::Struct(read), keccak256(&bytes)))
    }

    fn type_hash(&mut self, name: &str) -> Result<[u8; 32], EncodeError> {
        if let Some((_, hash)) = self.hashes.iter().find(|(found, _)| found == name) {
            return Ok(*hash);
        }
        let text = self.types.encode(name).ok_or(EncodeError::here("is of a type that is not there"))?;
        let hash = keccak256(text.as_bytes());
        self.hashes.push((name.to_owned(), hash));
        Ok(hash)
    }

    fn value(&mut self, kind: &Kind, value: &Json, depth: usize) -> Result<Encoded, EncodeError> {
        self.left = self.left.checked_sub(1).ok_or(EncodeError::here("has too many values"))?;
        let wrong = EncodeError::here;
        match kind {
            Kind::Struct(name) => {
                let fields = value.as_object().ok_or(wrong("must be an object"))?;
                self.structure(name, fields, depth + 1)
            }
            Kind::List(of) => self.list(of, value, depth),
            Kind::Array(of, count) => {
                let right = value.as_array().is_some_and(|values| values.len() == *count);
                if right {
                    self.list(of, value, depth)
                } else {
                    Err(wrong("must have as many elements as its type"))
                }
            }
            Kind::Text => {
                let text = value.as_str().ok_or(wrong("must be a text"))?;
                Ok((Value::Text(text.to_owned()), keccak256(text.as_bytes())))
            }
            Kind::Bytes => {
                let bytes = bytes(value).ok_or(wrong("must be hex that begins with 0x"))?;
                let hash = keccak256(&bytes);
                Ok((Value::Bytes(bytes), hash))
            }
            Kind::FixedBytes(length) => {
                let bytes = bytes(value).filter(|bytes| bytes.len() == usize::from(*length));
                let bytes = bytes.ok_or(wrong("must be hex of as many bytes as its type"))?;
                let mut word = [0; 32];
                word.iter_mut().zip(&bytes).for_each(|(place, byte)| *place = *byte);
                Ok((Value::Bytes(bytes), word))
            }
            Kind::Bool => {
                let truth = value.as_bool().ok_or(wrong("must be true or false"))?;
                Ok((Value::Bool(truth), Amount::from(u8::from(truth)).to_be_bytes()))
            }
            Kind::Address => {
                let text = value.as_str().filter(|text| text.len() == 42);
                let address = text.and_then(|text| evm::decode(text).ok());
                let address = address.ok_or(wrong("must be an address with its checksum"))?;
                let mut word = [0; 32];
                word.iter_mut().skip(12).zip(&address).for_each(|(place, byte)| *place = *byte);
                Ok((Value::Address(address), word))
            }
            Kind::Uint(bits) => {
                let number = number(value).ok_or(wrong("must be a whole number"))?;
                match number {
                    (false, number) if number.bit_len() <= usize::from(*bits) => {
                        Ok((Value::Number(number), number.to_be_bytes()))
                    }
                    _ => Err(wrong("is out of the range of its type")),
                }
            }
            Kind::Int(bits) => {
                let (negative, number) = number(value).ok_or(wrong("must be a whole number"))?;
                let most = Amount::ONE.checked_shl(usize::from(bits.saturating_sub(1))).unwrap_or_default();
                let fits = if negative { number <= most } else { number < most };
                if !fits {
                    return Err(wrong("is out of the range of its type"));
                }
                let word = if negative { number.wrapping_neg() } else { number };
                let value = if negative { Value::Negative(number) } else { Value::Number(number) };
                Ok((value, word.to_be_bytes()))
            }
        }
    }

    fn list(&mut self, of: &Kind, value: &Json, depth: usize) -> Result<Encoded, EncodeError> {
        let values = value.as_array().ok_or(EncodeError::here("must be an array"))?;
        let mut bytes = Vec::with_capacity(values.len().saturating_mul(32).min(1 << 20));
        let mut read = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let encoded = self.value(of, value, depth + 1);
            let (value, word) = encoded.map_err(|error| error.at(&index.to_string()))?;
            bytes.extend(word);
            read.push(value);
        }
        Ok((Value::List(read), keccak256(&bytes)))
    }
}

/// Hex that begins with `0x`.
fn bytes(value: &Json) -> Option<Vec<u8>> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    if digits.starts_with("0x") {
        return None;
    }
    encoding::from_hex("bytes", digits).ok()
}

/// Whether it is negative, and how large. A number of JSON is taken as long as it is exact; texts are decimal or `0x`.
fn number(value: &Json) -> Option<(bool, Amount)> {
    let text = match value {
        Json::Number(number) if number.is_u64() || number.is_i64() => number.to_string(),
        Json::String(text) => text.clone(),
        _ => return None,
    };
    let (negative, digits) = text.strip_prefix('-').map_or((false, text.as_str()), |digits| (true, digits));
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(_) if negative => return None,
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let plain = (1..=78).contains(&digits.len()) && digits.chars().all(|digit| digit.is_digit(radix));
    let number = plain.then(|| Amount::from_str_radix(digits, u64::from(radix)).ok()).flatten()?;
    Some((negative && !number.is_zero(), number))
}
