//! A transaction in the ledger's JSON, as fields. A name that is not known is refused, not passed over.

use super::amount::{self, Decimal, Money, XRP};
use super::fields::{self, Field, Kind};
use super::object::{self, MAX_BLOB, Object, Step, Value};
use super::{AccountId, account_id};
use crate::{TransactionError, encoding};
use serde_json::{Map, Value as Json};

const FIELD: &str = "sign_ripple.raw_json";
/// As deep as the binary form goes.
const MAX_DEPTH: u8 = 4;

type Read<T> = Result<T, TransactionError>;

const fn malformed(reason: &'static str) -> TransactionError {
    TransactionError::Malformed { field: FIELD, reason }
}

/// The fields of a transaction's JSON text.
pub(super) fn parse(text: &str) -> Read<Object> {
    let json: Json = serde_json::from_str(text).map_err(|_| malformed("is not JSON"))?;
    object(json.as_object().ok_or(malformed("is not an object"))?, MAX_DEPTH)
}

fn object(json: &Map<String, Json>, depth: u8) -> Read<Object> {
    let mut fields = Object::new();
    for (name, value) in json {
        let field = fields::named(name).ok_or(malformed("has a field that is not known"))?;
        fields.push((field, read(field, value, depth)?));
    }
    object::sort(&mut fields);
    Ok(fields)
}

fn read(field: &Field, json: &Json, depth: u8) -> Read<Value> {
    let depth = depth.checked_sub(1).ok_or(malformed("nests too deep"))?;
    match field.kind {
        Kind::UInt16 if field.name == "TransactionType" => transaction_type(json),
        Kind::UInt8 => number(json, u64::from(u8::MAX)),
        Kind::UInt16 => number(json, u64::from(u16::MAX)),
        Kind::UInt32 if field.name == "DestinationTag" => tag(json),
        Kind::UInt32 => number(json, u64::from(u32::MAX)),
        Kind::Hash128 => hash(json, 16),
        Kind::Hash256 => hash(json, 32),
        Kind::Amount => money(json).map(Value::Amount),
        Kind::Blob => match encoding::from_hex(FIELD, plain_hex(json)?)? {
            bytes if bytes.len() <= MAX_BLOB => Ok(Value::Blob(bytes)),
            _ => Err(malformed("has bytes that are too many")),
        },
        Kind::Account => account(json).map(Value::Account),
        Kind::Object => object(json.as_object().ok_or(malformed("has no object where one is due"))?, depth)
            .map(Value::Object),
        Kind::Array => {
            list(json)?.iter().map(|each| element(each, depth)).collect::<Read<_>>().map(Value::Array)
        }
        Kind::Paths => list(json)?.iter().map(path).collect::<Read<_>>().map(Value::Paths),
        Kind::Hashes => {
            let hash = |json: &Json| encoding::array_from_hex(FIELD, plain_hex(json)?);
            list(json)?.iter().map(hash).collect::<Read<_>>().map(Value::Hashes)
        }
        Kind::Issue => issue(json),
    }
}

fn text(json: &Json) -> Read<&str> {
    json.as_str().ok_or(malformed("has something else than a text where one is due"))
}

/// The ledger's JSON has no `0x`.
fn plain_hex(json: &Json) -> Read<&str> {
    let digits = text(json)?;
    if digits.starts_with("0x") { Err(malformed("has 0x before hexadecimal digits")) } else { Ok(digits) }
}

fn list(json: &Json) -> Read<&Vec<Json>> {
    json.as_array().ok_or(malformed("has no list where one is due"))
}

fn transaction_type(json: &Json) -> Read<Value> {
    let name = text(json)?;
    let code = fields::type_code(name).map(|code| Value::Number(u32::from(code)));
    code.ok_or_else(|| TransactionError::UnsupportedTxType { what: name.chars().take(40).collect() })
}

fn number(json: &Json, most: u64) -> Read<Value> {
    let number = json.as_u64().filter(|number| *number <= most).and_then(|number| u32::try_from(number).ok());
    number.map(Value::Number).ok_or(malformed("has a number that is none or too large"))
}

/// Pages write the tag as text too; wallet-core and the ledger's library read it as the number.
fn tag(json: &Json) -> Read<Value> {
    let Some(text) = json.as_str() else { return number(json, u64::from(u32::MAX)) };
    let value = text.parse::<u32>().ok().filter(|value| value.to_string() == text);
    value.map(Value::Number).ok_or(malformed("has a number that is none or too large"))
}

fn hash(json: &Json, length: usize) -> Read<Value> {
    let bytes = encoding::from_hex(FIELD, plain_hex(json)?)?;
    if bytes.len() == length {
        Ok(Value::Hash(bytes))
    } else {
        Err(malformed("has a hash of the wrong length"))
    }
}

fn account(json: &Json) -> Read<AccountId> {
    account_id(FIELD, text(json)?)
}

/// A text is drops; an object has exactly currency, issuer and value.
fn money(json: &Json) -> Read<Money> {
    let Some(parts) = json.as_object() else { return Money::drops(FIELD, text(json)?) };
    let part = |name: &str| parts.get(name).ok_or(malformed("has an amount that lacks a part"));
    if parts.len() != 3 {
        return Err(malformed("has an amount of another form"));
    }
    let value = Decimal::parse(text(part("value")?)?).ok_or(TransactionError::Amount { field: FIELD })?;
    let currency = on_ledger(text(part("currency")?)?)?;
    Ok(Money::Issued { value, currency, issuer: account(part("issuer")?)? })
}

/// Three characters or 40 digits: in JSON, longer names are not allowed.
fn on_ledger(text: &str) -> Read<amount::Currency> {
    match text.len() {
        3 | 40 if !text.starts_with("0x") => amount::currency(FIELD, text),
        _ => Err(malformed("has a currency out of form")),
    }
}

/// XRP or an issued currency.
fn any_currency(json: &Json) -> Read<amount::Currency> {
    match text(json)? {
        "XRP" => Ok(XRP),
        code => on_ledger(code),
    }
}

/// Elements of arrays are objects with one name, under which the object is.
fn element(json: &Json, depth: u8) -> Read<(&'static Field, Value)> {
    let mut entries =
        object(json.as_object().ok_or(malformed("has a list of something else than objects"))?, depth)?;
    match (entries.pop(), entries.is_empty()) {
        (Some((field, value @ Value::Object(_))), true) => Ok((field, value)),
        _ => Err(malformed("has a list of something else than named objects")),
    }
}

/// Other names in steps are what the ledger adds and does not sign.
fn path(json: &Json) -> Read<Vec<Step>> {
    let step = |json: &Json| {
        let part = |name: &str| json.get(name);
        let step = Step {
            account: part("account").map(account).transpose()?,
            currency: part("currency").map(any_currency).transpose()?,
            issuer: part("issuer").map(account).transpose()?,
        };
        if step == Step::default() { Err(malformed("has a step without a part")) } else { Ok(step) }
    };
    let steps = list(json)?.iter().map(step).collect::<Read<Vec<_>>>()?;
    if steps.is_empty() { Err(malformed("has an empty path")) } else { Ok(steps) }
}

fn issue(json: &Json) -> Read<Value> {
    let code = json.get("currency").ok_or(malformed("has an asset without a currency"))?;
    let currency = any_currency(code)?;
    let issuer = json.get("issuer").map(account).transpose()?;
    if (currency == XRP) == issuer.is_some() {
        return Err(malformed("has an asset whose issuer is missing or needless"));
    }
    Ok(Value::Issue(currency, issuer))
}
