//! RLP, Ethereum's encoding of byte strings and lists of them (Yellow Paper, appendix B).
//!
//! | first byte | item |
//! |---|---|
//! | `00..7f` | that byte |
//! | `80..b7` | a string of 0 to 55 bytes |
//! | `b8..bf` | a longer string; 1 to 8 bytes of length follow |
//! | `c0..f7` | a list whose items take 0 to 55 bytes |
//! | `f8..ff` | a longer list |
//!
//! Numbers are big-endian strings without leading zeros. Every value has one encoding, and only that one is read.

use crate::reader::Reader;
use crate::{Amount, TransactionError};

/// The longest content whose length fits into the first byte.
const SHORT: u8 = 55;

const STRING: u8 = 0x80;
const LIST: u8 = 0xc0;

/// One item: the content of a string, or the encoded items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item<'a> {
    String(&'a [u8]),
    List(&'a [u8]),
}

/// Reads items from the front of a list's content.
#[derive(Debug, Clone)]
pub(super) struct Items<'a> {
    field: &'static str,
    reader: Reader<'a>,
}

impl<'a> Items<'a> {
    /// Reads the items of a list's content.
    pub(super) const fn new(field: &'static str, content: &'a [u8]) -> Self {
        Self { field, reader: Reader::new(field, content) }
    }

    /// Reads `bytes` as one list with nothing behind it.
    pub(super) fn of_list(field: &'static str, bytes: &'a [u8]) -> Result<Self, TransactionError> {
        let mut outer = Self::new(field, bytes);
        let list = outer.list()?;
        outer.finish()?;
        Ok(list)
    }

    pub(super) const fn malformed(&self, reason: &'static str) -> TransactionError {
        self.reader.malformed(reason)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.reader.is_empty()
    }

    /// How many items are left, if all of them are well-formed on the outside.
    pub(super) fn count(&self) -> Result<usize, TransactionError> {
        let mut rest = self.clone();
        let mut count = 0;
        while !rest.is_empty() {
            rest.item()?;
            count += 1;
        }
        Ok(count)
    }

    /// The next item.
    pub(super) fn item(&mut self) -> Result<Item<'a>, TransactionError> {
        let head = self.reader.peek().ok_or_else(|| self.malformed("ends too early"))?;
        if head < STRING {
            return Ok(Item::String(self.reader.take(1)?));
        }
        self.reader.byte()?;
        if head >= LIST {
            let length = self.length(head - LIST)?;
            return Ok(Item::List(self.reader.take(length)?));
        }
        let length = self.length(head - STRING)?;
        let content = self.reader.take(length)?;
        match content {
            [byte] if *byte < STRING => Err(self.malformed("has a byte that is not written as itself")),
            _ => Ok(Item::String(content)),
        }
    }

    /// The length of a content, from what the first byte says beyond its class.
    fn length(&mut self, code: u8) -> Result<usize, TransactionError> {
        let Some(size) = code.checked_sub(SHORT).filter(|size| *size > 0) else {
            return Ok(usize::from(code));
        };
        let bytes = self.reader.take(usize::from(size))?;
        if bytes.first() == Some(&0) {
            return Err(self.malformed("has a length with leading zeros"));
        }
        let length = bytes.iter().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
        if length <= u64::from(SHORT) {
            return Err(self.malformed("has a short length in the long form"));
        }
        usize::try_from(length).map_err(|_| self.malformed("ends too early"))
    }

    /// The next item, which must be a string.
    pub(super) fn string(&mut self) -> Result<&'a [u8], TransactionError> {
        match self.item()? {
            Item::String(content) => Ok(content),
            Item::List(_) => Err(self.malformed("has a list where a string must be")),
        }
    }

    /// The next item, which must be a list.
    pub(super) fn list(&mut self) -> Result<Self, TransactionError> {
        match self.item()? {
            Item::List(content) => Ok(Self::new(self.field, content)),
            Item::String(_) => Err(self.malformed("has a string where a list must be")),
        }
    }

    /// The next item, which must be a number.
    pub(super) fn number(&mut self) -> Result<Amount, TransactionError> {
        let bytes = self.string()?;
        if bytes.first() == Some(&0) {
            return Err(self.malformed("has a number with leading zeros"));
        }
        Amount::try_from_be_slice(bytes).ok_or_else(|| self.malformed("has a number over 256 bits"))
    }

    /// The next item, which must be a number of at most 64 bits.
    pub(super) fn number64(&mut self) -> Result<u64, TransactionError> {
        u64::try_from(self.number()?).map_err(|_| self.malformed("has a number over 64 bits"))
    }

    /// The next item, which must be a string of `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], TransactionError> {
        self.string()?.try_into().map_err(|_| self.malformed("has a string of the wrong length"))
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Result<(), TransactionError> {
        self.reader.finish()
    }
}

/// The items of a list that is being written.
#[derive(Debug, Default)]
pub(super) struct List(Vec<u8>);

impl List {
    /// Appends a string.
    pub(super) fn string(&mut self, content: &[u8]) -> &mut Self {
        match content {
            [byte] if *byte < STRING => {}
            _ => head(&mut self.0, STRING, content.len()),
        }
        self.0.extend_from_slice(content);
        self
    }

    /// Appends a number.
    pub(super) fn number(&mut self, number: Amount) -> &mut Self {
        self.string(&number.to_be_bytes_trimmed_vec())
    }

    /// Appends a list.
    pub(super) fn list(&mut self, list: &Self) -> &mut Self {
        list.write(&mut self.0);
        self
    }

    /// Writes the list behind what is in `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        head(out, LIST, self.0.len());
        out.extend_from_slice(&self.0);
    }
}

fn head(out: &mut Vec<u8>, class: u8, length: usize) {
    match u8::try_from(length) {
        Ok(short) if short <= SHORT => out.push(class + short),
        _ => {
            let bytes = Amount::from(length).to_be_bytes_trimmed_vec();
            let size = u8::try_from(bytes.len()).unwrap_or_default();
            out.push(class + SHORT + size);
            out.extend_from_slice(&bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(bytes: &[u8]) -> Result<Item<'_>, TransactionError> {
        let mut items = Items::new("test", bytes);
        let item = items.item()?;
        items.finish()?;
        Ok(item)
    }

    fn reason(bytes: &[u8]) -> &'static str {
        match first(bytes) {
            Err(TransactionError::Malformed { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_encoding_each() {
        assert_eq!(first(&[0x7f]), Ok(Item::String(&[0x7f])));
        assert_eq!(first(&[0x80]), Ok(Item::String(&[])));
        assert_eq!(first(&[0x81, 0x80]), Ok(Item::String(&[0x80])));
        assert_eq!(first(&[0xc0]), Ok(Item::List(&[])));
        assert_eq!(reason(&[0x81, 0x7f]), "has a byte that is not written as itself");
        assert_eq!(reason(&[0xb8, 0x01, 0x80]), "has a short length in the long form");
        assert_eq!(reason(&[0xf8, 0x37]), "has a short length in the long form");
        assert_eq!(reason(&[0xb9, 0x00, 0x38]), "has a length with leading zeros");
        assert_eq!(reason(&[0x80, 0x80]), "has bytes after its end");
        assert_eq!(reason(&[]), "ends too early");
        assert_eq!(reason(&[0x83, 1, 2]), "ends too early");
        assert_eq!(reason(&[0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), "ends too early");
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        let number = |bytes| Items::new("test", bytes).number();
        assert_eq!(number(&[0x80]), Ok(Amount::ZERO));
        assert_eq!(number(&[0x05]), Ok(Amount::from(5)));
        assert!(number(&[0x00]).is_err());
        assert!(number(&[0x82, 0x00, 0x80]).is_err());
        let mut long = vec![0xa1];
        long.extend([0xff; 33]);
        assert!(number(&long).is_err());
    }

    #[test]
    fn lengths_around_the_edges() {
        for length in [0, 1, 2, 55, 56, 57, 255, 256, 65_535, 65_536] {
            let content = vec![0xee; length];
            let mut list = List::default();
            list.string(&content).string(&[1]);
            let mut bytes = Vec::new();
            list.write(&mut bytes);
            let mut items = Items::of_list("test", &bytes).unwrap();
            assert_eq!(items.count(), Ok(2));
            assert_eq!(items.string(), Ok(content.as_slice()));
            assert_eq!(items.string(), Ok([1].as_slice()));
            items.finish().unwrap();
        }
    }

    /// Writes what was read, item by item.
    fn copy(items: &mut Items<'_>, depth: u32) -> Result<List, TransactionError> {
        let mut list = List::default();
        while !items.is_empty() {
            match items.item()? {
                Item::List(content) if depth > 0 => {
                    list.list(&copy(&mut Items::new("test", content), depth - 1)?);
                }
                Item::List(content) => {
                    list.list(&List(content.to_vec()));
                }
                Item::String(content) => {
                    list.string(content);
                }
            }
        }
        Ok(list)
    }

    proptest! {
        /// What is read is written back as the same bytes: there is no second encoding of anything.
        #[test]
        fn canonical(bytes in prop::collection::vec(prop_oneof![Just(0x80), Just(0xc1), Just(0xb8), Just(0x38), any::<u8>()], 0..80)) {
            if let Ok(list) = copy(&mut Items::new("test", &bytes), 4) {
                prop_assert_eq!(list.0, bytes);
            }
        }
    }
}
