//! The types of typed data: structs of named members.

use crate::message::MessageError;
use serde_json::{Map, Value as Json};

/// No more structs are read.
const MAX_TYPES: usize = 100;
/// No struct has more members.
const MAX_MEMBERS: usize = 100;
/// No name is longer, in bytes.
const MAX_NAME: usize = 100;
/// Arrays of arrays are read so deep.
const MAX_NESTING: usize = 16;

/// The type of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Address,
    Bool,
    Uint(u16),
    Int(u16),
    FixedBytes(u8),
    Bytes,
    Text,
    Struct(String),
    /// Of any length.
    List(Box<Kind>),
    /// Of a fixed length.
    Array(Box<Kind>, usize),
}

/// A member of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    /// The type as it is written: this text is hashed.
    written: String,
    pub(super) kind: Kind,
}

/// Every struct by its name.
#[derive(Debug, Default)]
pub(super) struct Types(Vec<(String, Vec<Member>)>);

impl Kind {
    fn parse(text: &str, nesting: usize) -> Option<Self> {
        if nesting > MAX_NESTING {
            return None;
        }
        if let Some(rest) = text.strip_suffix(']') {
            let (of, count) = rest.rsplit_once('[')?;
            let of = Box::new(Self::parse(of, nesting + 1)?);
            return match count {
                "" => Some(Self::List(of)),
                _ => number(count).map(|count| Self::Array(of, count)),
            };
        }
        Some(match text {
            "address" => Self::Address,
            "bool" => Self::Bool,
            "string" => Self::Text,
            "bytes" => Self::Bytes,
            // Some libraries write these and hash them as they are written.
            "uint" => Self::Uint(256),
            "int" => Self::Int(256),
            _ if is_reserved(text) => sized(text)?,
            _ => Self::Struct(is_name(text).then(|| text.to_owned())?),
        })
    }

    /// The struct that it is made of.
    fn structure(&self) -> Option<&str> {
        match self {
            Self::Struct(name) => Some(name),
            Self::List(of) | Self::Array(of, _) => of.structure(),
            _ => None,
        }
    }
}

/// Whether a name is one of a built-in type, with any number behind it.
fn is_reserved(text: &str) -> bool {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(word, "uint" | "int" | "bytes") || matches!(text, "address" | "bool" | "string")
}

fn sized(text: &str) -> Option<Kind> {
    let bits = |digits: &str| {
        let bits = number(digits).and_then(|bits| u16::try_from(bits).ok())?;
        (bits % 8 == 0 && (8..=256).contains(&bits)).then_some(bits)
    };
    if let Some(digits) = text.strip_prefix("uint") {
        return bits(digits).map(Kind::Uint);
    }
    if let Some(digits) = text.strip_prefix("int") {
        return bits(digits).map(Kind::Int);
    }
    let length = text.strip_prefix("bytes").and_then(number).and_then(|length| u8::try_from(length).ok())?;
    (1..=32).contains(&length).then_some(Kind::FixedBytes(length))
}

/// Decimal digits without a leading zero.
fn number(digits: &str) -> Option<usize> {
    let plain =
        digits.len() <= 6 && digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    plain.then(|| digits.parse().ok()).flatten()
}

/// Letters, digits, `_` and `$`; also `:`, which some protocols have in their names. Nothing that has a meaning in
/// `encodeType`.
fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | ':');
    !text.is_empty()
        && text.len() <= MAX_NAME
        && text.chars().all(letter)
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl Member {
    pub(super) fn new(name: &str, written: &str) -> Option<Self> {
        let kind = Kind::parse(written, 0)?;
        is_name(name).then(|| Self { name: name.to_owned(), written: written.to_owned(), kind })
    }
}

impl Types {
    /// Reads `types`.
    pub(super) fn parse(types: &Map<String, Json>) -> Result<Self, MessageError> {
        let at = |path: String, reason| MessageError::TypedData { path: format!("/types{path}"), reason };
        if types.len() > MAX_TYPES {
            return Err(at(String::new(), "has more than 100 types"));
        }
        let mut found = Self::default();
        for (name, members) in types {
            if !is_name(name) || is_reserved(name) {
                return Err(at(format!("/{name}"), "is not a name of a struct"));
            }
            let Some(members) = members.as_array().filter(|members| members.len() <= MAX_MEMBERS) else {
                return Err(at(format!("/{name}"), "must be an array of at most 100 members"));
            };
            let mut read: Vec<Member> = Vec::with_capacity(members.len());
            for (index, member) in members.iter().enumerate() {
                let place = || format!("/{name}/{index}");
                let text = |field: &str| member.get(field).and_then(Json::as_str).unwrap_or_default();
                let member = Member::new(text("name"), text("type"));
                let member = member.ok_or_else(|| at(place(), "must have a name and a type"))?;
                if read.iter().any(|other| other.name == member.name) {
                    return Err(at(place(), "has the name of another member"));
                }
                read.push(member);
            }
            found.add(name, read);
        }
        Ok(found)
    }

    pub(super) fn add(&mut self, name: &str, members: Vec<Member>) {
        self.0.push((name.to_owned(), members));
    }

    pub(super) fn get(&self, name: &str) -> Option<&[Member]> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, members)| members.as_slice())
    }

    /// `encodeType`: the struct, and behind it every other that it is made of, by name. `None` where one is not there.
    pub(super) fn encode(&self, name: &str) -> Option<String> {
        let mut used: Vec<&str> = vec![name];
        let mut next = 0;
        while let Some(current) = used.get(next).copied() {
            for member in self.get(current)? {
                if let Some(other) = member.kind.structure()
                    && !used.contains(&other)
                {
                    used.push(other);
                }
            }
            next += 1;
        }
        if let Some(others) = used.get_mut(1..) {
            others.sort_unstable();
        }
        let mut out = String::new();
        for name in used {
            let members = self.get(name)?.iter().map(|member| format!("{} {}", member.written, member.name));
            out.push_str(&format!("{name}({})", members.collect::<Vec<_>>().join(",")));
        }
        Some(out)
    }
}
