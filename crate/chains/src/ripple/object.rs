//! The ledger's binary form of a transaction: fields in the order of their numbers.
//!
//! ```text
//! field     one byte with kind and number where both are below 16; a zero half means that a byte follows
//! length    before blobs and accounts: one byte up to 192, two up to 12480, three up to 918744
//! object    fields, then E1 where it is inside another;   array   objects, then F1
//! paths     steps (flags ‖ account? ‖ currency? ‖ issuer?), FF between paths, 00 after the last
//! ```
//!
//! Rule: xrpl.org, "Serialization Format".

use super::AccountId;
use super::amount::{Currency, Money, XRP};
use super::fields::{self, Field, Kind};
use crate::TransactionError;
use crate::order;
use crate::reader::Reader;

/// Fields in canonical order.
pub(super) type Object = Vec<(&'static Field, Value)>;

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A number of up to 32 bits.
    Number(u32),
    /// A hash of the field's length.
    Hash(Vec<u8>),
    /// An amount.
    Amount(Money),
    /// Bytes.
    Blob(Vec<u8>),
    /// An account.
    Account(AccountId),
    /// Fields.
    Object(Object),
    /// Objects, each under its own field.
    Array(Object),
    /// Ways through order books.
    Paths(Vec<Vec<Step>>),
    /// Hashes.
    Hashes(Vec<[u8; 32]>),
    /// XRP, or a currency and its issuer.
    Issue(Currency, Option<AccountId>),
}

/// A step of a path; at least one part is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Step {
    /// Through an account.
    pub(super) account: Option<AccountId>,
    /// Into a currency.
    pub(super) currency: Option<Currency>,
    /// Of an issuer.
    pub(super) issuer: Option<AccountId>,
}

const OBJECT_END: u8 = 0xe1;
const ARRAY_END: u8 = 0xf1;
const PATH_END: u8 = 0xff;
const PATHS_END: u8 = 0x00;
const BY_ACCOUNT: u8 = 0x01;
const BY_CURRENCY: u8 = 0x10;
const BY_ISSUER: u8 = 0x20;
/// Memos in a transaction are two levels deep, and nothing is deeper.
const MAX_DEPTH: u8 = 4;
/// What three bytes of length can say.
pub(super) const MAX_BLOB: usize = 918_744;

type Read<T> = Result<T, TransactionError>;

/// Reads a whole transaction.
pub(super) fn decode(bytes: &[u8]) -> Read<Object> {
    let mut reader = Reader::new("transaction", bytes);
    let mut object = Object::new();
    while !reader.is_empty() {
        let entry = read_entry(&mut reader, MAX_DEPTH)?;
        push(&reader, &mut object, entry)?;
    }
    Ok(object)
}

/// Writes fields, which are in order.
pub(super) fn encode(object: &Object) -> Vec<u8> {
    let mut out = Vec::new();
    write_fields(object, &mut out);
    out
}

/// Brings fields into their order.
pub(super) fn sort(object: &mut Object) {
    order::sort_by_key(object, |(field, _)| field.order());
}

/// The value of a field.
pub(super) fn get<'a>(object: &'a Object, name: &str) -> Option<&'a Value> {
    object.iter().find(|(field, _)| field.name == name).map(|(_, value)| value)
}

/// Each field comes once and after those with lower numbers.
fn push(reader: &Reader<'_>, object: &mut Object, entry: (&'static Field, Value)) -> Read<()> {
    if object.last().is_some_and(|(last, _)| last.order() >= entry.0.order()) {
        return Err(reader.malformed("has fields out of order"));
    }
    object.push(entry);
    Ok(())
}

fn read_entry(reader: &mut Reader<'_>, depth: u8) -> Read<(&'static Field, Value)> {
    let field = read_field(reader)?;
    Ok((field, read_value(reader, field, depth)?))
}

fn read_field(reader: &mut Reader<'_>) -> Read<&'static Field> {
    let first = reader.byte()?;
    let half = |half: u8, reader: &mut Reader<'_>| match half {
        0 => reader.byte().map(|byte| (byte, byte >= 16)),
        half => Ok((half, true)),
    };
    let (kind, kind_short) = half(first >> 4, reader)?;
    let (number, number_short) = half(first & 15, reader)?;
    if !kind_short || !number_short {
        return Err(reader.malformed("has a field that is not in its shortest form"));
    }
    fields::numbered(kind, number).ok_or_else(|| reader.malformed("has a field that is not known"))
}

fn read_value(reader: &mut Reader<'_>, field: &Field, depth: u8) -> Read<Value> {
    let deeper = depth.checked_sub(1).ok_or_else(|| reader.malformed("nests too deep"))?;
    Ok(match field.kind {
        Kind::UInt8 => Value::Number(u32::from(reader.byte()?)),
        Kind::UInt16 => Value::Number(u32::from(u16::from_be_bytes(reader.array()?))),
        Kind::UInt32 => Value::Number(u32::from_be_bytes(reader.array()?)),
        Kind::Hash128 => Value::Hash(reader.take(16)?.to_vec()),
        Kind::Hash256 => Value::Hash(reader.take(32)?.to_vec()),
        Kind::Amount => Value::Amount(Money::read(reader)?),
        Kind::Blob => Value::Blob(read_blob(reader)?.to_vec()),
        Kind::Account => {
            let account = read_blob(reader)?.try_into();
            Value::Account(account.map_err(|_| reader.malformed("has an account that is not 20 bytes long"))?)
        }
        Kind::Object => Value::Object(read_object(reader, deeper)?),
        Kind::Array => Value::Array(read_array(reader, deeper)?),
        Kind::Paths => Value::Paths(read_paths(reader)?),
        Kind::Hashes => {
            let (hashes, rest) = read_blob(reader)?.as_chunks();
            if !rest.is_empty() {
                return Err(reader.malformed("has hashes that are not 32 bytes long"));
            }
            Value::Hashes(hashes.to_vec())
        }
        Kind::Issue => {
            let currency = reader.array()?;
            let issuer = if currency == XRP { None } else { Some(reader.array()?) };
            Value::Issue(currency, issuer)
        }
    })
}

fn read_object(reader: &mut Reader<'_>, depth: u8) -> Read<Object> {
    let mut object = Object::new();
    while reader.peek() != Some(OBJECT_END) {
        let entry = read_entry(reader, depth)?;
        push(reader, &mut object, entry)?;
    }
    reader.byte()?;
    Ok(object)
}

fn read_array(reader: &mut Reader<'_>, depth: u8) -> Read<Object> {
    let mut array = Object::new();
    while reader.peek() != Some(ARRAY_END) {
        let entry = read_entry(reader, depth)?;
        if entry.0.kind != Kind::Object {
            return Err(reader.malformed("has an array of something else than objects"));
        }
        array.push(entry);
    }
    reader.byte()?;
    Ok(array)
}

fn read_blob<'a>(reader: &mut Reader<'a>) -> Read<&'a [u8]> {
    let first = usize::from(reader.byte()?);
    let length = match first {
        0..=192 => first,
        193..=240 => 193 + (first - 193) * 256 + usize::from(reader.byte()?),
        241..=254 => {
            let [high, low] = reader.array()?;
            12_481 + (first - 241) * 65_536 + usize::from(high) * 256 + usize::from(low)
        }
        _ => return Err(reader.malformed("has a length out of form")),
    };
    reader.take(length)
}

fn read_paths(reader: &mut Reader<'_>) -> Read<Vec<Vec<Step>>> {
    let mut paths = vec![Vec::new()];
    loop {
        let flags = reader.byte()?;
        let Some(path) = paths.last_mut() else { return Ok(paths) };
        match flags {
            PATH_END | PATHS_END if path.is_empty() => return Err(reader.malformed("has an empty path")),
            PATHS_END => return Ok(paths),
            PATH_END => paths.push(Vec::new()),
            _ if flags & !(BY_ACCOUNT | BY_CURRENCY | BY_ISSUER) != 0 => {
                return Err(reader.malformed("has a step of an unknown kind"));
            }
            _ => {
                let mut part = |flag: u8| (flags & flag != 0).then(|| reader.array()).transpose();
                let (account, currency) = (part(BY_ACCOUNT)?, part(BY_CURRENCY)?);
                path.push(Step { account, currency, issuer: part(BY_ISSUER)? });
            }
        }
    }
}

fn write_fields(object: &Object, out: &mut Vec<u8>) {
    for (field, value) in object {
        write_field(field, out);
        write_value(field, value, out);
    }
}

fn write_field(field: &Field, out: &mut Vec<u8>) {
    let (kind, number) = field.order();
    match (kind < 16, number < 16) {
        (true, true) => out.push(kind << 4 | number),
        (true, false) => out.extend([kind << 4, number]),
        (false, true) => out.extend([number, kind]),
        (false, false) => out.extend([0, kind, number]),
    }
}

fn write_value(field: &Field, value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Number(number) => {
            let width = match field.kind {
                Kind::UInt8 => 1,
                Kind::UInt16 => 2,
                _ => 4,
            };
            out.extend(number.to_be_bytes().iter().skip(4 - width));
        }
        Value::Hash(hash) => out.extend(hash),
        Value::Amount(amount) => amount.write(out),
        Value::Blob(bytes) => write_blob(bytes, out),
        Value::Account(account) => write_blob(account, out),
        Value::Object(object) => {
            write_fields(object, out);
            out.push(OBJECT_END);
        }
        Value::Array(array) => {
            write_fields(array, out);
            out.push(ARRAY_END);
        }
        Value::Paths(paths) => write_paths(paths, out),
        Value::Hashes(hashes) => write_blob(&hashes.concat(), out),
        Value::Issue(currency, issuer) => {
            out.extend(currency);
            out.extend(issuer.iter().flatten());
        }
    }
}

fn write_blob(bytes: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    match length {
        0..=192 => out.extend(length.to_be_bytes().iter().skip(3)),
        193..=12_480 => out.extend((length - 193 + (193 << 8)).to_be_bytes().iter().skip(2)),
        _ => out.extend((length.saturating_sub(12_481) + (241 << 16)).to_be_bytes().iter().skip(1)),
    }
    out.extend(bytes);
}

fn write_paths(paths: &[Vec<Step>], out: &mut Vec<u8>) {
    for (index, path) in paths.iter().enumerate() {
        if index > 0 {
            out.push(PATH_END);
        }
        for step in path {
            let flag = |part: &Option<[u8; 20]>, flag: u8| if part.is_some() { flag } else { 0 };
            let flags = flag(&step.account, BY_ACCOUNT) | flag(&step.currency, BY_CURRENCY);
            out.push(flags | flag(&step.issuer, BY_ISSUER));
            [step.account, step.currency, step.issuer].iter().flatten().for_each(|part| out.extend(part));
        }
    }
    out.push(PATHS_END);
}
