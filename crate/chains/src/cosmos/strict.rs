//! Protobuf read strictly. A decoder that passes over what it does not know would explain less than is signed.
//!
//! Fields in ascending order, each of them known, single ones once, numbers in their shortest form, text in UTF-8.
//! A field that says its default is let through: some wallets write it, and every node reads it.

use crate::TransactionError;
use crate::reader::Reader;
use prost::Message;

/// What a message may consist of, in ascending order of the numbers.
pub(super) type Schema = &'static [Field];

/// One field.
#[derive(Debug)]
pub(super) struct Field {
    number: u64,
    form: Form,
    repeated: bool,
}

#[derive(Debug)]
enum Form {
    Number,
    Bytes,
    Text,
    Message(Schema),
}

pub(super) const fn number(number: u64) -> Field {
    Field { number, form: Form::Number, repeated: false }
}

pub(super) const fn bytes(number: u64) -> Field {
    Field { number, form: Form::Bytes, repeated: false }
}

pub(super) const fn text(number: u64) -> Field {
    Field { number, form: Form::Text, repeated: false }
}

pub(super) const fn message(number: u64, schema: Schema) -> Field {
    Field { number, form: Form::Message(schema), repeated: false }
}

pub(super) const fn list(number: u64, schema: Schema) -> Field {
    Field { number, form: Form::Message(schema), repeated: true }
}

/// Reads a message that has nothing in it but what `schema` names.
pub(super) fn decode<M: Message + Default>(
    field: &'static str,
    schema: Schema,
    bytes: &[u8],
) -> Result<M, TransactionError> {
    check(field, schema, bytes)?;
    M::decode(bytes).map_err(|_| TransactionError::Malformed { field, reason: "is not the message it says" })
}

/// Walks the bytes by the schema; recursion ends where the schema does.
fn check(name: &'static str, schema: Schema, bytes: &[u8]) -> Result<(), TransactionError> {
    let mut reader = Reader::new(name, bytes);
    let mut last = 0;
    while !reader.is_empty() {
        let key = varint(&mut reader)?;
        let (number, wire) = (key >> 3, key & 7);
        let known = schema.iter().find(|field| field.number == number);
        let field = known.ok_or_else(|| reader.malformed("has a field that is not known here"))?;
        if number < last || (number == last && !field.repeated) {
            return Err(reader.malformed("has its fields out of order"));
        }
        last = number;
        match (&field.form, wire) {
            (Form::Number, 0) => {
                varint(&mut reader)?;
            }
            (Form::Bytes, 2) => {
                delimited(&mut reader)?;
            }
            (Form::Text, 2) => {
                let text = delimited(&mut reader)?;
                std::str::from_utf8(text).map_err(|_| reader.malformed("has a text that is not UTF-8"))?;
            }
            (Form::Message(schema), 2) => check(name, schema, delimited(&mut reader)?)?,
            _ => return Err(reader.malformed("has a field of another type")),
        }
    }
    Ok(())
}

fn delimited<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], TransactionError> {
    let length = varint(reader)?;
    let length = usize::try_from(length).map_err(|_| reader.malformed("ends too early"))?;
    reader.take(length)
}

/// Seven bits a byte, least first, in as few bytes as the number needs.
fn varint(reader: &mut Reader<'_>) -> Result<u64, TransactionError> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = reader.byte()?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return Err(reader.malformed("has a number of more than 64 bits"));
        }
        value |= bits << shift;
        if byte < 0x80 {
            let shortest = byte != 0 || shift == 0;
            return if shortest { Ok(value) } else { Err(reader.malformed("has a number in a longer form")) };
        }
    }
    Err(reader.malformed("has a number of more than 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::super::proto::{self, AuthInfo, Coin, MsgSend};
    use super::*;

    fn send(bytes: &[u8]) -> Result<MsgSend, TransactionError> {
        decode("message", proto::MSG_SEND, bytes)
    }

    fn reason(bytes: &[u8]) -> String {
        send(bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let coin = Coin { denom: "uatom".to_owned(), amount: "1".to_owned() };
        let message = MsgSend {
            from_address: "a".to_owned(),
            to_address: "b".to_owned(),
            amount: vec![coin.clone(), coin],
        };
        assert_eq!(send(&message.encode_to_vec()), Ok(message));
        assert_eq!(send(&[]), Ok(MsgSend::default()));
    }

    #[test]
    fn a_default_that_is_written_is_let_through() {
        assert_eq!(send(&[0x0a, 0]), Ok(MsgSend::default()));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert_eq!(reason(&[0x22, 0]), "message has a field that is not known here");
        assert_eq!(
            reason(&[0x1a, 2, 0x1a, 0]),
            "message has a field that is not known here",
            "inside a coin"
        );
        assert_eq!(reason(&[0x08, 0]), "message has a field of another type");
        assert_eq!(reason(&[0x0b, 0x0c]), "message has a field of another type", "a group");
    }

    #[test]
    fn order_and_form_are_fixed() {
        assert_eq!(reason(&[0x12, 0, 0x0a, 0]), "message has its fields out of order");
        assert_eq!(reason(&[0x0a, 0, 0x0a, 0]), "message has its fields out of order", "twice");
        assert_eq!(reason(&[0x0a, 0x80, 0]), "message has a number in a longer form");
        assert_eq!(reason(&[0x0a, 1, 0xff]), "message has a text that is not UTF-8");
        assert_eq!(reason(&[0x0a, 2, 0x61]), "message ends too early");
        assert_eq!(reason(&[0x0a]), "message ends too early");
        let long = [0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        assert!(
            decode::<AuthInfo>("fee", proto::AUTH_INFO, &[[0x12, 11].as_slice(), &long].concat()).is_err()
        );
    }
}
