//! Calldata: four bytes that name a function, then its arguments in the contract ABI of Solidity.
//!
//! Arguments are words of 32 bytes. A type of variable length (`bytes`, `string`, a list, a tuple with one of these) is
//! an offset in its place and stands further behind: its length first, then its content. Offsets count from the
//! beginning of the tuple or list that they stand in.
//!
//! Types are read from signatures such as `transfer(address to,uint256 amount)`; a tuple is written in parentheses, or as
//! `@name` where many functions share it. What follows the arguments is ignored, as contracts do.

use super::Address;
use crate::address::evm;
use crate::{Amount, encoding};

/// Bytes in an argument that are shown; of longer ones the beginning and the length.
const SHOWN: usize = 64;

/// Tuples that many functions share, under the names that signatures call them by.
const TUPLES: &[(&str, &str)] = &[
    // One step of LI.FI before a bridge or instead of one.
    (
        "swap",
        "(address callTo,address approveTo,address sell,address buy,uint256 amount,bytes callData,\
         bool requiresDeposit)",
    ),
    // What all bridges of LI.FI begin with.
    (
        "bridge",
        "(bytes32 transactionId,string bridge,string integrator,address referrer,address sell,address recipient,\
         uint256 amount,uint256 destinationChainId,bool hasSourceSwaps,bool hasDestinationCall)",
    ),
    // The same, where the swaps before it and not the bridge take what is sold.
    (
        "bridgeAfter",
        "(bytes32 transactionId,string bridge,string integrator,address referrer,address bridged,\
         address recipient,uint256 bridgedMinimum,uint256 destinationChainId,bool hasSourceSwaps,\
         bool hasDestinationCall)",
    ),
    // What LayerZero's OFT sends.
    (
        "send",
        "(uint32 destinationEid,bytes32 recipient32,uint256 sent,uint256 minimumOut,bytes extraOptions,\
         bytes composeMsg,bytes oftCmd)",
    ),
    // An allowance of Permit2.
    ("allowance", "(address token,uint160 amount,uint48 expiration,uint48 nonce)"),
    // Where Balancer V2 takes from and pays to.
    ("funds", "(address sender,bool fromInternalBalance,address recipient,bool toInternalBalance)"),
    // What Kyber is asked for.
    (
        "kyber",
        "(address sell,address buy,address[] srcReceivers,uint256[] srcAmounts,address[] feeReceivers,\
         uint256[] feeAmounts,address recipientOrSender,uint256 amount,uint256 minimumOut,uint256 flags,\
         bytes permit)",
    ),
];

/// A parameter's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// A function's name and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    name: &'static str,
    parameters: Vec<Parameter>,
}

/// A decoded argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Address(Address),
    Number(Amount),
    /// A number below zero, without its sign; one that is not is a [`Value::Number`].
    Negative(Amount),
    Bool(bool),
    Bytes(&'a [u8]),
    Text(&'a str),
    List(Vec<Self>),
    Tuple(Arguments<'a>),
}

/// Decoded arguments with their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments<'a>(pub(super) Vec<(&'static str, Value<'a>)>);

impl Signature {
    /// Reads `name(type name,…)`. The texts are this crate's own; one that cannot be read has no meaning.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let (name, rest) = text.split_at_checked(text.find('(')?)?;
        let (parameters, rest) = parameters(rest)?;
        rest.is_empty().then_some(Self { name, parameters })
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// The name and the types alone: what contracts hash.
    pub(super) fn canonical(&self) -> String {
        format!("{}{}", self.name, tuple_name(&self.parameters))
    }

    #[cfg(test)]
    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The first four bytes of calldata.
    #[cfg(test)]
    pub(super) fn selector(&self) -> [u8; 4] {
        let [a, b, c, d, ..] = crate::hash::keccak256(self.canonical().as_bytes());
        [a, b, c, d]
    }

    /// Reads the arguments behind the selector.
    pub(super) fn decode<'a>(&self, data: &'a [u8]) -> Option<Arguments<'a>> {
        Decoder { budget: data.len() }.tuple(&self.parameters, data)
    }
}

/// Reads `(type name,…)` and returns what follows.
fn parameters(text: &'static str) -> Option<(Vec<Parameter>, &'static str)> {
    let mut rest = text.strip_prefix('(')?;
    let mut parameters = Vec::new();
    if let Some(rest) = rest.strip_prefix(')') {
        return Some((parameters, rest));
    }
    loop {
        let (parameter, after) = parameter(rest)?;
        parameters.push(parameter);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Some((parameters, after.strip_prefix(')')?)),
        }
    }
}

fn parameter(text: &'static str) -> Option<(Parameter, &'static str)> {
    let (mut kind, mut rest) = if text.starts_with('(') {
        let (parameters, rest) = parameters(text)?;
        (Kind::Tuple(parameters), rest)
    } else {
        let end = text.find([' ', '[', ',', ')'])?;
        let (word, rest) = text.split_at_checked(end)?;
        (elementary(word)?, rest)
    };
    while let Some(inside) = rest.strip_prefix('[') {
        let (count, after) = inside.split_once(']')?;
        let of = Box::new(kind);
        kind = if count.is_empty() { Kind::List(of) } else { Kind::Array(of, count.parse().ok()?) };
        rest = after;
    }
    let rest = rest.strip_prefix(' ')?;
    let (name, rest) = rest.split_at_checked(rest.find([',', ')'])?)?;
    Some((Parameter { name, kind }, rest))
}

fn elementary(word: &str) -> Option<Kind> {
    Some(match word {
        "address" => Kind::Address,
        "bool" => Kind::Bool,
        "bytes" => Kind::Bytes,
        "string" => Kind::Text,
        _ => {
            if let Some(bits) = word.strip_prefix("uint") {
                Kind::Uint(bits.parse().ok()?)
            } else if let Some(bits) = word.strip_prefix("int") {
                Kind::Int(bits.parse().ok()?)
            } else if let Some(length) = word.strip_prefix("bytes") {
                Kind::FixedBytes(length.parse().ok()?)
            } else {
                let (_, tuple) = TUPLES.iter().find(|(name, _)| Some(*name) == word.strip_prefix('@'))?;
                Kind::Tuple(parameters(tuple)?.0)
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
    pub(super) fn size(&self) -> Option<usize> {
        match self {
            Self::Address | Self::Uint(_) | Self::Int(_) | Self::Bool | Self::FixedBytes(_) => Some(32),
            Self::Bytes | Self::Text | Self::List(_) => None,
            Self::Array(kind, count) => kind.size()?.checked_mul(*count),
            Self::Tuple(parameters) => parameters.iter().map(|parameter| parameter.kind.size()).sum(),
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

    fn tuple<'a>(&mut self, parameters: &[Parameter], data: &'a [u8]) -> Option<Arguments<'a>> {
        let mut head = data;
        let mut arguments = Vec::with_capacity(parameters.len());
        for Parameter { name, kind } in parameters {
            arguments.push((*name, self.member(kind, data, &mut head)?));
        }
        Some(Arguments(arguments))
    }

    fn list<'a>(&mut self, kind: &Kind, count: usize, data: &'a [u8]) -> Option<Value<'a>> {
        if count > self.budget / 32 {
            return None;
        }
        let mut head = data;
        (0..count).map(|_| self.member(kind, data, &mut head)).collect::<Option<_>>().map(Value::List)
    }

    /// The next member at `head`, in place or by an offset from the beginning of `data`.
    fn member<'a>(&mut self, kind: &Kind, data: &'a [u8], head: &mut &'a [u8]) -> Option<Value<'a>> {
        let Some(size) = kind.size() else {
            let offset = self.length(head)?;
            *head = head.get(32..)?;
            return self.value(kind, data.get(offset..)?);
        };
        let value = self.value(kind, head)?;
        *head = head.get(size..)?;
        Some(value)
    }

    fn value<'a>(&mut self, kind: &Kind, data: &'a [u8]) -> Option<Value<'a>> {
        Some(match kind {
            Kind::Address => Value::Address(address(self.word(data)?)?),
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
                padding.iter().all(|byte| *byte == 0).then_some(Value::Bytes(bytes))?
            }
            Kind::Bytes => Value::Bytes(self.bytes(data)?),
            Kind::Text => Value::Text(core::str::from_utf8(self.bytes(data)?).ok()?),
            Kind::List(kind) => {
                let count = self.length(data)?;
                self.list(kind, count, data.get(32..)?)?
            }
            Kind::Array(kind, count) => self.list(kind, *count, data)?,
            Kind::Tuple(parameters) => Value::Tuple(self.tuple(parameters, data)?),
        })
    }

    fn bytes<'a>(&mut self, data: &'a [u8]) -> Option<&'a [u8]> {
        let length = self.length(data)?;
        self.spend(length)?;
        data.get(32..)?.get(..length)
    }
}

/// A number in two's complement, of so many bits.
fn signed<'a>(word: Amount, bits: u16) -> Option<Value<'a>> {
    let negative = word.bit(255);
    let magnitude = if negative { word.wrapping_neg() } else { word };
    let most = Amount::ONE.checked_shl(usize::from(bits.checked_sub(1)?))?;
    match negative {
        true => (magnitude <= most).then_some(Value::Negative(magnitude)),
        false => (magnitude < most).then_some(Value::Number(magnitude)),
    }
}

/// The address in a word, whose first twelve bytes are zero.
fn address(word: &[u8; 32]) -> Option<Address> {
    let (padding, address) = word.split_first_chunk::<12>()?;
    (*padding == [0; 12]).then(|| address.try_into().ok()).flatten()
}

impl<'a> Arguments<'a> {
    /// The first argument of that name, however deep.
    pub(super) fn first(&self, name: &str) -> Option<&Value<'a>> {
        self.0.iter().find_map(|(found, value)| if *found == name { Some(value) } else { value.first(name) })
    }

    /// The last argument of that name, however deep.
    pub(super) fn last(&self, name: &str) -> Option<&Value<'a>> {
        let look =
            |(found, value): &'_ (&'static str, Value<'a>)| *found == name || value.first(name).is_some();
        let (found, value) = self.0.iter().rfind(|entry| look(entry))?;
        if *found == name { Some(value) } else { value.last(name) }
    }

    pub(super) fn address(&self, name: &str) -> Option<Address> {
        if let Some(Value::Address(address)) = self.first(name) { Some(*address) } else { None }
    }

    pub(super) fn number(&self, name: &str) -> Option<Amount> {
        if let Some(Value::Number(number)) = self.first(name) { Some(*number) } else { None }
    }

    pub(super) fn bytes(&self, name: &str) -> Option<&'a [u8]> {
        if let Some(Value::Bytes(bytes)) = self.first(name) { Some(bytes) } else { None }
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        if let Some(Value::Text(text)) = self.first(name) { Some(text) } else { None }
    }

    pub(super) fn list(&self, name: &str) -> Option<&[Value<'a>]> {
        if let Some(Value::List(list)) = self.first(name) { Some(list) } else { None }
    }

    /// Names and values for a person.
    pub(super) fn shown(&self) -> Vec<(String, String)> {
        self.0.iter().map(|(name, value)| ((*name).to_owned(), value.shown())).collect()
    }
}

impl<'a> Value<'a> {
    fn first(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Tuple(arguments) => arguments.first(name),
            Self::List(list) => list.iter().find_map(|value| value.first(name)),
            _ => None,
        }
    }

    fn last(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Tuple(arguments) => arguments.last(name),
            Self::List(list) => list.iter().rev().find_map(|value| value.last(name)),
            _ => None,
        }
    }

    fn shown(&self) -> String {
        let joined = |texts: Vec<String>| texts.join(", ");
        match self {
            Self::Address(address) => evm::encode(address),
            Self::Number(number) => number.to_string(),
            Self::Negative(number) => format!("-{number}"),
            Self::Bool(truth) => truth.to_string(),
            Self::Bytes(bytes) => match bytes.get(..SHOWN) {
                Some(head) if bytes.len() > SHOWN => {
                    format!("0x{}… ({} bytes)", encoding::hex(head), bytes.len())
                }
                _ => format!("0x{}", encoding::hex(bytes)),
            },
            Self::Text(text) => (*text).to_owned(),
            Self::List(list) => format!("[{}]", joined(list.iter().map(Self::shown).collect())),
            Self::Tuple(Arguments(arguments)) => {
                let member = |(name, value): &(&str, Self)| format!("{name}: {}", value.shown());
                format!("({})", joined(arguments.iter().map(member).collect()))
            }
        }
    }
}

/// An address as an argument.
pub(super) fn word(address: &Address) -> [u8; 32] {
    let mut word = [0; 32];
    if let Some(place) = word.last_chunk_mut() {
        *place = *address;
    }
    word
}

/// Calldata of words.
pub(super) fn encode(selector: [u8; 4], words: &[[u8; 32]]) -> Vec<u8> {
    [selector.as_slice(), words.as_flattened()].concat()
}

#[cfg(test)]
mod tests;
