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
