//! Binary canonical serialisation, as far as Sui's transactions need it.
//!
//! Numbers are little-endian and of fixed size. A sequence is its length as ULEB128 (seven bits a byte, the lowest
//! first, no needless byte at the end, at most 32 bits) and its elements. An enum is the number of its variant as
//! ULEB128 and the variant; an option is a sequence of none or one. There is one encoding of a value.

use crate::TransactionError;
use crate::reader::Reader;

/// What reading gives.
type Read<T> = Result<T, TransactionError>;

/// A number of at most 32 bits in its shortest form.
pub(super) fn uleb(reader: &mut Reader<'_>) -> Read<u32> {
    let mut value = 0u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = reader.byte()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let needless = byte == 0 && shift > 0;
            return match u32::try_from(value) {
                Ok(value) if !needless => Ok(value),
                _ => Err(reader.malformed("has a number that is not in its shortest form")),
            };
        }
    }
    Err(reader.malformed("has a number of more than 32 bits"))
}

/// The length of a sequence whose elements have at least one byte each.
fn length(reader: &mut Reader<'_>) -> Read<usize> {
    let count = usize::try_from(uleb(reader)?).unwrap_or(usize::MAX);
    if count > reader.left() { Err(reader.malformed("ends too early")) } else { Ok(count) }
}

/// A sequence of at most `limit` elements.
pub(super) fn sequence<T>(
    reader: &mut Reader<'_>,
    limit: usize,
    element: fn(&mut Reader<'_>) -> Read<T>,
) -> Read<Vec<T>> {
    let count = length(reader)?;
    if count > limit {
        return Err(reader.malformed("has more elements than the network allows"));
    }
    (0..count).map(|_| element(reader)).collect()
}

/// A sequence of bytes.
pub(super) fn bytes<'a>(reader: &mut Reader<'a>) -> Read<&'a [u8]> {
    let count = length(reader)?;
    reader.take(count)
}

/// A digest: 32 bytes, written as a sequence.
pub(super) fn digest(reader: &mut Reader<'_>) -> Read<[u8; 32]> {
    let bytes = bytes(reader)?;
    bytes.try_into().map_err(|_| reader.malformed("has a digest that is not 32 bytes long"))
}

/// A name in a Move package: letters, digits and underscores, not beginning with a digit. Anything else would be a
/// text that is meant to be shown.
pub(super) fn identifier(reader: &mut Reader<'_>) -> Read<String> {
    let bytes = bytes(reader)?;
    let begins = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let allowed = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if !begins || !allowed || bytes.len() > 128 {
        return Err(reader.malformed("has a name that is no Move identifier"));
    }
    Ok(bytes.iter().copied().map(char::from).collect())
}

/// 16 bits.
pub(super) fn u16(reader: &mut Reader<'_>) -> Read<u16> {
    reader.array().map(u16::from_le_bytes)
}

/// 32 bits.
pub(super) fn u32(reader: &mut Reader<'_>) -> Read<u32> {
    reader.array().map(u32::from_le_bytes)
}

/// 64 bits.
pub(super) fn u64(reader: &mut Reader<'_>) -> Read<u64> {
    reader.array().map(u64::from_le_bytes)
}

/// False or true, and also absent or present.
pub(super) fn boolean(reader: &mut Reader<'_>) -> Read<bool> {
    match reader.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(reader.malformed("has a truth value that is neither 0 nor 1")),
    }
}

/// A value that may be absent.
pub(super) fn option<T>(reader: &mut Reader<'_>, value: fn(&mut Reader<'_>) -> Read<T>) -> Read<Option<T>> {
    if boolean(reader)? { value(reader).map(Some) } else { Ok(None) }
}

/// Writes a length or the number of a variant.
pub(super) fn write_uleb(out: &mut Vec<u8>, value: usize) {
    let mut rest = value;
    loop {
        let low = u8::try_from(rest & 0x7f).unwrap_or_default();
        rest >>= 7;
        if rest == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

/// Writes a sequence of bytes.
pub(super) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_uleb(out, bytes.len());
    out.extend(bytes);
}

/// Writes a sequence.
pub(super) fn write_sequence<T>(out: &mut Vec<u8>, elements: &[T], element: fn(&T, &mut Vec<u8>)) {
    write_uleb(out, elements.len());
    elements.iter().for_each(|value| element(value, out));
}

/// Writes a value that may be absent.
pub(super) fn write_option<T>(out: &mut Vec<u8>, value: Option<&T>, write: fn(&T, &mut Vec<u8>)) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        write(value, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Read<u32> {
        let mut reader = Reader::new("bytes", bytes);
        let value = uleb(&mut reader)?;
        reader.finish().map(|()| value)
    }

    #[test]
    fn a_number_has_one_form() {
        assert_eq!(read(&[0]), Ok(0));
        assert_eq!(read(&[0x80, 1]), Ok(128));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Ok(u32::MAX));
        let shortest = "has a number that is not in its shortest form";
        assert_eq!(read(&[0x80, 0]), Err(TransactionError::Malformed { field: "bytes", reason: shortest }));
        assert!(read(&[0xff, 0xff, 0xff, 0xff, 0x1f]).is_err());
        assert!(read(&[0x80, 0x80, 0x80, 0x80, 0x80, 1]).is_err());
    }

    #[test]
    fn a_length_beyond_the_end_reserves_nothing() {
        let mut reader = Reader::new("bytes", &[0xff, 0xff, 0xff, 0xff, 0x07, 1]);
        assert!(sequence(&mut reader, usize::MAX, |reader| reader.byte()).is_err());
    }

    proptest! {
        #[test]
        fn numbers_return(value: u32) {
            let mut out = Vec::new();
            write_uleb(&mut out, usize::try_from(value).unwrap());
            prop_assert_eq!(read(&out), Ok(value));
        }
    }
}
