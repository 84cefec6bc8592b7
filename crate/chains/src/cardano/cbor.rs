//! CBOR (RFC 8949) as far as Cardano's transactions need it.
//!
//! An item begins with a head: three bits say what it is, the rest and up to eight bytes are a number. Written and
//! read are only heads in their shortest form and lengths that are known in advance; nothing here recurses.

use crate::TransactionError;
use crate::reader::Reader;

pub(super) const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
pub(super) const BYTES: u8 = 2;
const TEXT: u8 = 3;
pub(super) const ARRAY: u8 = 4;
pub(super) const MAP: u8 = 5;
const TAG: u8 = 6;
const SIMPLE: u8 = 7;

/// `true`.
pub(super) const TRUE: u8 = 0xf5;
/// `null`.
pub(super) const NULL: u8 = 0xf6;
/// The tag that some put before a list whose order does not matter.
const SET: u64 = 258;

/// Writes items one after the other.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn head(mut self, major: u8, number: u64) -> Self {
        let first = major << 5;
        match (u8::try_from(number), u16::try_from(number), u32::try_from(number)) {
            (Ok(small @ 0..24), ..) => self.0.push(first | small),
            (Ok(byte), ..) => self.0.extend([first | 24, byte]),
            (_, Ok(short), _) => {
                self.0.push(first | 25);
                self.0.extend(short.to_be_bytes());
            }
            (.., Ok(word)) => {
                self.0.push(first | 26);
                self.0.extend(word.to_be_bytes());
            }
            _ => {
                self.0.push(first | 27);
                self.0.extend(number.to_be_bytes());
            }
        }
        self
    }

    pub(super) fn uint(self, number: u64) -> Self {
        self.head(UNSIGNED, number)
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        self.head(BYTES, length(bytes.len())).raw(bytes)
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.head(TEXT, length(text.len())).raw(text.as_bytes())
    }

    /// Begins a list of so many items.
    pub(super) fn array(self, count: usize) -> Self {
        self.head(ARRAY, length(count))
    }

    /// Begins a map of so many pairs. Their order is the caller's.
    pub(super) fn map(self, count: usize) -> Self {
        self.head(MAP, length(count))
    }

    /// Bytes that are items already.
    pub(super) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Reads items one after the other.
#[derive(Debug, Clone)]
pub(super) struct Items<'a>(Reader<'a>);

impl<'a> Items<'a> {
    pub(super) const fn new(field: &'static str, bytes: &'a [u8]) -> Self {
        Self(Reader::new(field, bytes))
    }

    pub(super) const fn malformed(&self, reason: &'static str) -> TransactionError {
        self.0.malformed(reason)
    }

    /// What the next item is, if there is one.
    pub(super) fn major(&self) -> Option<u8> {
        self.0.peek().map(|byte| byte >> 5)
    }

    fn any_head(&mut self) -> Result<(u8, u64), TransactionError> {
        let first = self.0.byte()?;
        let (number, least) = match first & 0x1f {
            small @ 0..24 => (u64::from(small), 0),
            24 => (u64::from(self.0.byte()?), 24),
            25 => (u64::from(u16::from_be_bytes(self.0.array()?)), 1 << 8),
            26 => (u64::from(u32::from_be_bytes(self.0.array()?)), 1 << 16),
            27 => (u64::from_be_bytes(self.0.array()?), 1 << 32),
            _ => return Err(self.malformed("has an item without a length")),
        };
        if number < least {
            return Err(self.malformed("has a number that is not in its shortest form"));
        }
        Ok((first >> 5, number))
    }

    fn head(&mut self, expected: u8) -> Result<u64, TransactionError> {
        match self.any_head()? {
            (major, number) if major == expected => Ok(number),
            _ => Err(self.malformed("has an item of another kind than expected")),
        }
    }

    /// A number of items. Each takes a byte at least, so that more of them than bytes cannot be.
    fn count(&mut self, expected: u8, each: u64) -> Result<usize, TransactionError> {
        let count = self.head(expected)?;
        match usize::try_from(count) {
            Ok(small) if count.saturating_mul(each) <= length(self.0.left()) => Ok(small),
            _ => Err(self.malformed("ends too early")),
        }
    }

    pub(super) fn uint(&mut self) -> Result<u64, TransactionError> {
        self.head(UNSIGNED)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], TransactionError> {
        let count = self.count(BYTES, 1)?;
        self.0.take(count)
    }

    pub(super) fn fixed<const N: usize>(&mut self) -> Result<[u8; N], TransactionError> {
        let bytes = self.bytes()?;
        bytes.try_into().map_err(|_| self.malformed("has bytes of a wrong length"))
    }

    pub(super) fn text(&mut self) -> Result<&'a str, TransactionError> {
        let count = self.count(TEXT, 1)?;
        let bytes = self.0.take(count)?;
        std::str::from_utf8(bytes).map_err(|_| self.malformed("has a text that is not UTF-8"))
    }

    pub(super) fn array(&mut self) -> Result<usize, TransactionError> {
        self.count(ARRAY, 1)
    }

    pub(super) fn map(&mut self) -> Result<usize, TransactionError> {
        self.count(MAP, 2)
    }

    /// A list, with or without the tag that says that its order does not matter.
    pub(super) fn set(&mut self) -> Result<usize, TransactionError> {
        if self.major() == Some(TAG) && self.head(TAG)? != SET {
            return Err(self.malformed("has a tag that is not expected"));
        }
        self.array()
    }

    /// One item of any content, as its bytes.
    pub(super) fn item(&mut self) -> Result<&'a [u8], TransactionError> {
        let before = self.0.rest();
        let mut open = 1_u64;
        while open > 0 {
            open -= 1;
            let (major, number) = self.any_head()?;
            let inside = match major {
                UNSIGNED | NEGATIVE => 0,
                BYTES | TEXT => {
                    let count = usize::try_from(number).map_err(|_| self.malformed("ends too early"))?;
                    self.0.take(count)?;
                    0
                }
                ARRAY => number,
                MAP => number.saturating_mul(2),
                TAG => 1,
                SIMPLE if (20..24).contains(&number) => 0,
                _ => return Err(self.malformed("has an item of an unknown kind")),
            };
            open = open.saturating_add(inside);
            if open > length(self.0.left()) {
                return Err(self.malformed("ends too early"));
            }
        }
        before.get(..before.len() - self.0.left()).ok_or_else(|| self.malformed("ends too early"))
    }

    pub(super) fn finish(self) -> Result<(), TransactionError> {
        self.0.finish()
    }
}
