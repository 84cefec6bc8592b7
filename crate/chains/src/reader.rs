//! Reads bytes from the front, never past the end, and knows when something is left over.

use crate::TransactionError;

/// What is left to be read of one field's bytes.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    field: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins to read; `field` names the bytes in errors.
    pub(crate) const fn new(field: &'static str, bytes: &'a [u8]) -> Self {
        Self { field, rest: bytes }
    }

    /// The error that this field's bytes are wrong.
    pub(crate) const fn malformed(&self, reason: &'static str) -> TransactionError {
        TransactionError::Malformed { field: self.field, reason }
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], TransactionError> {
        let (head, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| self.malformed("ends too early"))?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], TransactionError> {
        let (head, rest) = self.rest.split_first_chunk().ok_or_else(|| self.malformed("ends too early"))?;
        self.rest = rest;
        Ok(*head)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Result<u8, TransactionError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// The next byte, left in place.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// How many bytes are left. A count read from the bytes must not exceed it before anything is reserved.
    pub(crate) const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Whether everything was read.
    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left, as it is.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), TransactionError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.malformed("has bytes after its end")) }
    }
}
