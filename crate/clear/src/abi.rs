//! Calldata by the contract ABI of Solidity, with the signature that a key of `display.formats` is.
//!
//! `transfer(address to,uint256 value)`: types with names; a tuple is written in parentheses. Blanks around names and
//! commas, an alias such as `uint`, and parameters without a name are taken too: registries have them.

use crate::bounds::{DEPTH, SIGNATURE_BYTES};
use crate::value::Value;
use chains::Amount;
use chains::hash::keccak256;

/// A parameter's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Address,
    Uint(u16),
    Int(u16),
    Bool,
    FixedBytes(u8),
    Bytes,
    Text,
    List(Box<Self>),
    /// As many of a kind as the number says.
    Array(Box<Self>, usize),
    Tuple(Vec<Parameter>),
}

/// A parameter and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    name: String,
    kind: Kind,
}

/// A function's name and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    name: String,
    parameters: Vec<Parameter>,
}

impl Signature {
    /// Reads a key of `display.formats`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > SIGNATURE_BYTES {
            return None;
        }
        let (name, rest) = text.split_at_checked(text.find('(')?)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let (parameters, rest) = parameters(rest, 0)?;
        let whole = rest.trim().is_empty() && !name.is_empty() && name.chars().all(plain);
        whole.then(|| Self { name: name.to_owned(), parameters })
    }

    /// The first four bytes of calldata.
    pub(crate) fn selector(&self) -> [u8; 4] {
        let [a, b, c, d, ..] = keccak256(format!("{}{}", self.name, tuple_name(&self.parameters)).as_bytes());
        [a, b, c, d]
    }

    /// Reads the arguments behind the selector.
    pub(crate) fn decode(&self, data: &[u8]) -> Option<Value> {
        Decoder { budget: data.len() }.tuple(&self.parameters, data)
    }
}

/// Reads `(type name,…)` and returns what follows.
fn parameters(text: &str, depth: usize) -> Option<(Vec<Parameter>, &str)> {
    if depth > DEPTH {
        return None;
    }
    let mut rest = text.strip_prefix('(')?.trim_start();
    let mut parameters = Vec::new();
    if let Some(rest) = rest.strip_prefix(')') {
        return Some((parameters, rest));
    }
    loop {
        let (parameter, after) = parameter(rest, depth)?;
        parameters.push(parameter);
        match after.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return Some((parameters, after.strip_prefix(')')?)),
        }
    }
}

fn parameter(text: &str, depth: usize) -> Option<(Parameter, &str)> {
    let text = text.strip_prefix("tuple").filter(|rest| rest.starts_with('(')).unwrap_or(text);
    let (mut kind, mut rest) = if text.starts_with('(') {
        let (parameters, rest) = parameters(text, depth + 1)?;
        (Kind::Tuple(parameters), rest)
    } else {
        let (word, rest) = text.split_at_checked(text.find([' ', '[', ',', ')'])?)?;
        (elementary(word)?, rest)
    };
    let mut dimensions = 0;
    while let Some(inside) = rest.strip_prefix('[') {
        dimensions += 1;
        if dimensions > DEPTH {
            return None;
        }
        let (count, after) = inside.split_once(']')?;
        let of = Box::new(kind);
        kind = if count.is_empty() { Kind::List(of) } else { Kind::Array(of, count.parse().ok()?) };
        rest = after;
    }
    let (words, rest) = rest.split_at_checked(rest.find([',', ')'])?)?;
    // `bytes calldata data`: the last word is the name.
    let name = words.split_whitespace().next_back().unwrap_or_default().to_owned();
    Some((Parameter { name, kind }, rest))
}

/// A type that is one word.
pub(crate) fn elementary(word: &str) -> Option<Kind> {
    let bits = |digits: &str| match digits {
        "" => Some(256),
        _ => digits.parse().ok().filter(|bits: &u16| (8..=256).contains(bits) && bits.is_multiple_of(8)),
    };
    Some(match word {
        "address" => Kind::Address,
        "bool" => Kind::Bool,
        "bytes" => Kind::Bytes,
        "string" => Kind::Text,
        _ => {
            if let Some(digits) = word.strip_prefix("uint") {
                Kind::Uint(bits(digits)?)
            } else if let Some(digits) = word.strip_prefix("int") {
                Kind::Int(bits(digits)?)
            } else {
                let length = word.strip_prefix("bytes")?.parse().ok()?;
                (1..=32).contains(&length).then_some(Kind::FixedBytes(length))?
            }
        }
    })
}

fn tuple_name(parameters: &[Parameter]) -> String {
    let names: Vec<String> = parameters.iter().map(|parameter| parameter.kind.name()).collect();
    format!("({})", names.join(","))
}

impl Kind {
    fn name(&self) -> String {
        match self {
            Self::Address => "address".to_owned(),
            Self::Uint(bits) => format!("uint{bits}"),
            Self::Int(bits) => format!("int{bits}"),
            Self::Bool => "bool".to_owned(),
            Self::FixedBytes(length) => format!("bytes{length}"),
            Self::Bytes => "bytes".to_owned(),
            Self::Text => "string".to_owned(),
            Self::List(kind) => format!("{}[]", kind.name()),
            Self::Array(kind, count) => format!("{}[{count}]", kind.name()),
            Self::Tuple(parameters) => tuple_name(parameters),
        }
    }

    /// The bytes it takes in place, or `None` where an offset stands for it.
    fn size(&self) -> Option<usize> {
        match self {
            Self::Address | Self::Uint(_) | Self::Int(_) | Self::Bool | Self::FixedBytes(_) => Some(32),
            Self::Bytes | Self::Text | Self::List(_) => None,
            // So many that they cannot be there: they fail where they are read.
            Self::Array(kind, count) => Some(kind.size()?.saturating_mul(*count)),
            Self::Tuple(parameters) => parameters
                .iter()
                .try_fold(0_usize, |sum, parameter| Some(sum.saturating_add(parameter.kind.size()?))),
        }
    }
}

/// Offsets may lead many arguments to the same bytes. Every byte is paid for each time it is read, out of the length of
/// the data, so that what is decoded is never more than what was sent.
struct Decoder {
    budget: usize,
}

impl Decoder {
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(bytes)?;
        Some(())
    }

    fn word<'a>(&mut self, data: &'a [u8]) -> Option<&'a [u8; 32]> {
        self.spend(32)?;
        data.first_chunk()
    }

    fn length(&mut self, data: &[u8]) -> Option<usize> {
        usize::try_from(Amount::from_be_bytes(*self.word(data)?)).ok()
    }

    fn tuple(&mut self, parameters: &[Parameter], data: &[u8]) -> Option<Value> {
        let mut head = data;
        let mut arguments = Vec::new();
        for Parameter { name, kind } in parameters {
            arguments.push((name.clone(), self.member(kind, data, &mut head)?));
        }
        Some(Value::Tuple(arguments))
    }

    fn list(&mut self, kind: &Kind, count: usize, data: &[u8]) -> Option<Value> {
        // A member of no size (an empty tuple) would cost nothing.
        if count > self.budget / 32 {
            return None;
        }
        let mut head = data;
        let mut list = Vec::new();
        for _ in 0..count {
            if kind.size() == Some(0) {
                self.spend(32)?;
            }
            list.push(self.member(kind, data, &mut head)?);
        }
        Some(Value::List(list))
    }

    /// The next member at `head`, in place or by an offset from the beginning of `data`.
    fn member(&mut self, kind: &Kind, data: &[u8], head: &mut &[u8]) -> Option<Value> {
        let Some(size) = kind.size() else {
            let offset = self.length(head)?;
            *head = head.get(32..)?;
            return self.value(kind, data.get(offset..)?);
        };
        let value = self.value(kind, head)?;
        *head = head.get(size..)?;
        Some(value)
    }

    fn value(&mut self, kind: &Kind, data: &[u8]) -> Option<Value> {
        Some(match kind {
            Kind::Address => {
                let (padding, address) = self.word(data)?.split_first_chunk::<12>()?;
                let address = (*padding == [0; 12]).then(|| address.try_into().ok()).flatten();
                Value::Address(address?)
            }
            Kind::Uint(bits) => {
                let number = Amount::from_be_bytes(*self.word(data)?);
                (number.bit_len() <= usize::from(*bits)).then_some(Value::Number(number))?
            }
            Kind::Int(bits) => signed(Amount::from_be_bytes(*self.word(data)?), *bits)?,
            Kind::Bool => match Amount::from_be_bytes(*self.word(data)?) {
                Amount::ZERO => Value::Bool(false),
                Amount::ONE => Value::Bool(true),
                _ => return None,
            },
            Kind::FixedBytes(length) => {
                let (bytes, padding) = self.word(data)?.split_at_checked(usize::from(*length))?;
                padding.iter().all(|byte| *byte == 0).then(|| Value::Bytes(bytes.to_vec()))?
            }
            Kind::Bytes => Value::Bytes(self.bytes(data)?.to_vec()),
            Kind::Text => Value::Text(core::str::from_utf8(self.bytes(data)?).ok()?.to_owned()),
            Kind::List(kind) => {
                let count = self.length(data)?;
                self.list(kind, count, data.get(32..)?)?
            }
            Kind::Array(kind, count) => self.list(kind, *count, data)?,
            Kind::Tuple(parameters) => self.tuple(parameters, data)?,
        })
    }

    fn bytes<'a>(&mut self, data: &'a [u8]) -> Option<&'a [u8]> {
        let length = self.length(data)?;
        self.spend(length)?;
        data.get(32..)?.get(..length)
    }
}

/// A number in two's complement, of so many bits.
fn signed(word: Amount, bits: u16) -> Option<Value> {
    let negative = word.bit(255);
    let magnitude = if negative { word.wrapping_neg() } else { word };
    let most = Amount::ONE.checked_shl(usize::from(bits.checked_sub(1)?))?;
    match negative {
        true => (magnitude <= most).then_some(Value::Negative(magnitude)),
        false => (magnitude < most).then_some(Value::Number(magnitude)),
    }
}

/// A number that typed data has for a type of so many bits.
pub(crate) fn fits(number: &Value, kind: &Kind) -> bool {
    match (number, kind) {
        (Value::Number(number), Kind::Uint(bits)) => number.bit_len() <= usize::from(*bits),
        (Value::Number(number), Kind::Int(bits)) => number.bit_len() < usize::from(*bits),
        (Value::Negative(number), Kind::Int(bits)) => {
            number.bit_len() < usize::from(*bits)
                || (number.bit_len() == usize::from(*bits) && number.count_ones() == 1)
        }
        _ => false,
    }
}
