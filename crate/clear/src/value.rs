//! A decoded argument of a call, or a field of typed data.

use chains::Amount;
use chains::encoding::hex;
use chains::hash::keccak256;

/// A value with its shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Address([u8; 20]),
    Number(Amount),
    /// A number below zero, without its sign.
    Negative(Amount),
    Bool(bool),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Self>),
    Tuple(Vec<(String, Self)>),
}

impl Value {
    /// The address that it is, or that its last twenty bytes are.
    pub(crate) fn address(&self) -> Option<[u8; 20]> {
        match self {
            Self::Address(address) => Some(*address),
            Self::Number(number) => number.to_be_bytes::<32>().last_chunk().copied(),
            Self::Bytes(bytes) => match bytes.len() {
                20 => bytes.as_slice().try_into().ok(),
                32 => bytes.last_chunk().copied(),
                _ => None,
            },
            Self::Text(text) => address(text),
            _ => None,
        }
    }

    /// The number that it is, or that its bytes are.
    pub(crate) fn number(&self) -> Option<Amount> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Bool(truth) => Some(Amount::from(u8::from(*truth))),
            Self::Bytes(bytes) if bytes.len() <= 32 => Some(from_bytes(bytes)),
            Self::Address(address) => Some(from_bytes(address)),
            Self::Text(text) => parse_number(text),
            _ => None,
        }
    }

    /// Its bytes, of which a slice can be taken.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Address(address) => Some(address.to_vec()),
            Self::Number(number) => Some(number.to_be_bytes::<32>().to_vec()),
            Self::Negative(number) => Some(number.wrapping_neg().to_be_bytes::<32>().to_vec()),
            Self::Bytes(bytes) => Some(bytes.clone()),
            Self::Text(text) => Some(text.as_bytes().to_vec()),
            _ => None,
        }
    }

    /// As the format `raw` shows it. Lists and tuples have none of their own: their members are shown.
    pub(crate) fn raw(&self) -> String {
        let joined = |texts: Vec<String>| texts.join(", ");
        match self {
            Self::Address(address) => checksummed(address),
            Self::Number(number) => number.to_string(),
            Self::Negative(number) => format!("-{number}"),
            Self::Bool(truth) => truth.to_string(),
            Self::Bytes(bytes) => format!("0x{}", hex(bytes)),
            Self::Text(text) => text.clone(),
            Self::List(list) => joined(list.iter().map(Self::raw).collect()),
            Self::Tuple(members) => joined(members.iter().map(|(_, value)| value.raw()).collect()),
        }
    }
}

/// A number of at most 32 bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Amount {
    let mut word = [0; 32];
    for (place, byte) in word.iter_mut().rev().zip(bytes.iter().rev()) {
        *place = *byte;
    }
    Amount::from_be_bytes(word)
}

/// Decimal digits, or hexadecimal ones after `0x`.
pub(crate) fn parse_number(text: &str) -> Option<Amount> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let plain =
        !digits.is_empty() && digits.len() <= 128 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| Amount::from_str_radix(digits, radix).ok()).flatten()
}

/// Twenty bytes of hex, in any case.
pub(crate) fn address(text: &str) -> Option<[u8; 20]> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    chains::encoding::array_from_hex("address", digits).ok()
}

/// Lower-case, as addresses are compared and looked up.
pub(crate) fn plain_address(address: &[u8; 20]) -> String {
    format!("0x{}", hex(address))
}

/// By EIP-55.
pub(crate) fn checksummed(address: &[u8; 20]) -> String {
    let lower = hex(address);
    let hash = keccak256(lower.as_bytes());
    let nibbles = hash.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let digits = lower.chars().zip(nibbles).map(|(digit, nibble)| match nibble >= 8 {
        true => digit.to_ascii_uppercase(),
        false => digit,
    });
    format!("0x{}", digits.collect::<String>())
}
