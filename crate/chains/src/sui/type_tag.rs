//! The type arguments of Move calls.

use super::bcs;
use super::data::{Address, full};
use crate::TransactionError;
use crate::reader::Reader;

/// The network refuses types that nest deeper.
const MAX_DEPTH: u8 = 16;

/// A Move type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeTag {
    /// One without parts, by the number of its variant.
    Plain(u8),
    /// `vector<T>`.
    Vector(Box<TypeTag>),
    /// A struct of a package.
    Struct(Box<StructTag>),
}

/// A struct of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StructTag {
    /// The package.
    pub(super) package: Address,
    /// Its module.
    pub(super) module: String,
    /// The struct's name.
    pub(super) name: String,
    /// What it is generic over.
    pub(super) parameters: Vec<TypeTag>,
}

const VECTOR: u8 = 6;
const STRUCT: u8 = 7;
/// The last of the types without parts.
const PLAIN: u8 = 10;

/// The package `0x2`: coins, transfers, objects.
pub(super) const FRAMEWORK: Address = system(2);

/// A package of the system, by its number.
pub(super) const fn system(number: u8) -> Address {
    let mut address = [0; 32];
    address[31] = number;
    address
}

/// `0x` and up to 64 hexadecimal digits.
fn package(text: &str) -> Option<Address> {
    let digits = text.strip_prefix("0x").filter(|digits| (1..=64).contains(&digits.len()))?;
    crate::encoding::array_from_hex("package", &format!("{digits:0>64}")).ok()
}

/// The name of a type without parts.
const fn plain(variant: u8) -> Option<&'static str> {
    Some(match variant {
        0 => "bool",
        1 => "u8",
        2 => "u64",
        3 => "u128",
        4 => "address",
        5 => "signer",
        8 => "u16",
        9 => "u32",
        10 => "u256",
        _ => return None,
    })
}

impl TypeTag {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, TransactionError> {
        Self::read_nested(reader, MAX_DEPTH)
    }

    fn read_nested(reader: &mut Reader<'_>, depth: u8) -> Result<Self, TransactionError> {
        let depth = depth.checked_sub(1).ok_or_else(|| reader.malformed("has a type that nests too deep"))?;
        match reader.byte()? {
            VECTOR => Ok(Self::Vector(Box::new(Self::read_nested(reader, depth)?))),
            STRUCT => Ok(Self::Struct(Box::new(StructTag::read(reader, depth)?))),
            variant if plain(variant).is_some() => Ok(Self::Plain(variant)),
            _ => Err(reader.malformed("has a type of an unknown kind")),
        }
    }

    /// Reads a type as Move writes it: `0x2::coin::Coin<0x2::sui::SUI>`, packages in any length.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (tag, rest) = Self::parse_nested(text, MAX_DEPTH)?;
        rest.is_empty().then_some(tag)
    }

    /// A type, and what follows it.
    fn parse_nested(text: &str, depth: u8) -> Option<(Self, &str)> {
        let depth = depth.checked_sub(1)?;
        let end = text.find(['<', '>', ',']).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end)?;
        let (mut parameters, mut rest) = (Vec::new(), rest);
        while let Some(inner) = rest.strip_prefix(if parameters.is_empty() { '<' } else { ',' }) {
            let (parameter, after) = Self::parse_nested(inner.trim_start(), depth)?;
            parameters.push(parameter);
            rest = after;
        }
        if !parameters.is_empty() {
            rest = rest.strip_prefix('>')?;
        }
        Some((Self::named(name, parameters)?, rest))
    }

    fn named(name: &str, mut parameters: Vec<Self>) -> Option<Self> {
        let Some((address, name)) = name.split_once("::") else {
            let element = parameters.pop();
            return match (name, element, parameters.is_empty()) {
                ("vector", Some(element), true) => Some(Self::Vector(Box::new(element))),
                (name, None, _) => (0..=PLAIN).find(|tag| plain(*tag) == Some(name)).map(Self::Plain),
                _ => None,
            };
        };
        let (module, name) = name.split_once("::")?;
        let is_name = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !text.is_empty()
        };
        let package = package(address).filter(|_| is_name(module) && is_name(name))?;
        let (module, name) = (module.to_owned(), name.to_owned());
        Some(Self::Struct(Box::new(StructTag { package, module, name, parameters })))
    }

    /// The type of coin, if this is the type of objects that hold coins.
    pub(super) fn coin(&self) -> Option<&Self> {
        match self {
            Self::Struct(tag) if tag.package == FRAMEWORK && tag.module == "coin" && tag.name == "Coin" => {
                tag.parameters.first().filter(|_| tag.parameters.len() == 1)
            }
            _ => None,
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Plain(variant) => out.push(*variant),
            Self::Vector(element) => {
                out.push(VECTOR);
                element.write(out);
            }
            Self::Struct(tag) => {
                out.push(STRUCT);
                out.extend(tag.package);
                bcs::write_bytes(out, tag.module.as_bytes());
                bcs::write_bytes(out, tag.name.as_bytes());
                bcs::write_sequence(out, &tag.parameters, Self::write);
            }
        }
    }

    /// As Move writes it, packages in full length except those of the system.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Plain(variant) => plain(*variant).unwrap_or_default().to_owned(),
            Self::Vector(element) => format!("vector<{}>", element.text()),
            Self::Struct(tag) => {
                let parameters = texts(&tag.parameters);
                format!("{}::{}::{}{parameters}", short(&tag.package), tag.module, tag.name)
            }
        }
    }
}

impl StructTag {
    fn read(reader: &mut Reader<'_>, depth: u8) -> Result<Self, TransactionError> {
        let package = reader.array()?;
        let module = bcs::identifier(reader)?;
        let name = bcs::identifier(reader)?;
        let count = bcs::uleb(reader)?;
        // A closure that knows the depth does not fit a plain function; the count is bound by what is left.
        let mut parameters = Vec::new();
        for _ in 0..count {
            parameters.push(TypeTag::read_nested(reader, depth)?);
        }
        Ok(Self { package, module, name, parameters })
    }
}

/// Type arguments in angle brackets, or nothing.
pub(super) fn texts(types: &[TypeTag]) -> String {
    if types.is_empty() {
        return String::new();
    }
    let types: Vec<String> = types.iter().map(TypeTag::text).collect();
    format!("<{}>", types.join(", "))
}

/// `0x2` for a system package, as in `0x2::sui::SUI`.
fn short(package: &Address) -> String {
    match package.split_last() {
        Some((last, rest)) if rest.iter().all(|byte| *byte == 0) => format!("{last:#x}"),
        _ => full(package),
    }
}
