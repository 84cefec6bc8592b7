//! Cells: up to 1023 bits and up to four references to other cells, named by a hash over all that is below.
//!
//! The representation of a cell is `d1 ‖ d2 ‖ data ‖ depth of each child ‖ hash of each child`, where d1 counts the
//! references (plus 8 for a library cell) and d2 is the length of the data in half bytes, rounded so that an odd
//! number says that the last byte is completed by a 1 and zeros. The hash is SHA-256 of that.

use crate::TransactionError;
use crate::address::ton as address;
use crate::hash::sha256;
use std::sync::Arc;

/// The most bits in one cell.
const MAX_BITS: usize = 1023;
/// The most references in one cell.
pub(super) const MAX_REFERENCES: usize = 4;

/// A cell. Cheap to copy: what is below is shared.
#[derive(Debug, Clone)]
pub(crate) struct Cell(Arc<Contents>);

#[derive(Debug)]
struct Contents {
    /// As many bytes as the bits need; what is left of the last one is zero.
    data: Vec<u8>,
    bits: usize,
    references: Vec<Cell>,
    library: bool,
    depth: u16,
    hash: [u8; 32],
}

/// An account: workchain and the hash of what it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccountId {
    pub(crate) workchain: i8,
    pub(crate) hash: [u8; 32],
}

impl AccountId {
    /// Reads an address, in any form.
    pub(crate) fn parse(field: &'static str, text: &str) -> Result<Self, TransactionError> {
        let (workchain, hash) =
            address::decode(text).map_err(|error| TransactionError::Address { field, error })?;
        Ok(Self { workchain, hash })
    }

    /// The user-friendly form: `EQ…` if bounceable, else `UQ…`.
    pub(crate) fn text(&self, bounceable: bool) -> String {
        address::encode(bounceable, self.workchain, &self.hash)
    }
}

impl Cell {
    /// `data` must be as long as `bits` need; used where both were checked.
    pub(super) fn new(mut data: Vec<u8>, bits: usize, references: Vec<Self>, library: bool) -> Self {
        clear_after(&mut data, bits);
        let depth = references.iter().map(|cell| cell.0.depth.saturating_add(1)).max().unwrap_or(0);
        let mut image = descriptors(bits, references.len(), library).to_vec();
        image.extend(completed(&data, bits));
        image.extend(references.iter().flat_map(|cell| cell.0.depth.to_be_bytes()));
        image.extend(references.iter().flat_map(|cell| cell.0.hash));
        let hash = sha256(&image);
        Self(Arc::new(Contents { data, bits, references, library, depth, hash }))
    }

    /// The representation hash.
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.0.hash
    }

    /// How many references lie between this cell and the lowest one.
    pub(super) fn depth(&self) -> u16 {
        self.0.depth
    }

    pub(super) fn references(&self) -> &[Self] {
        &self.0.references
    }

    /// `d1 ‖ d2 ‖ data`: how a bag of cells begins a cell.
    pub(super) fn serialised(&self) -> Vec<u8> {
        let mut bytes = descriptors(self.0.bits, self.0.references.len(), self.0.library).to_vec();
        bytes.extend(completed(&self.0.data, self.0.bits));
        bytes
    }

    /// Reads the cell from its first bit. Of a library cell nothing is read: its contents are elsewhere.
    pub(super) fn slice(&self) -> Slice<'_> {
        let (bits, references) =
            if self.0.library { (0, [].as_slice()) } else { (self.0.bits, self.0.references.as_slice()) };
        Slice { data: &self.0.data, position: 0, bits, references }
    }

    /// The data's bytes of this cell and of all below, as far as they are different.
    pub(super) fn total_bytes(&self) -> usize {
        super::boc::ordered(self).iter().map(|cell| cell.0.data.len()).sum()
    }
}

fn descriptors(bits: usize, references: usize, library: bool) -> [u8; 2] {
    let byte = |value: usize| u8::try_from(value).unwrap_or(u8::MAX);
    [byte(references + if library { 8 } else { 0 }), byte(bits / 8 + bits.div_ceil(8))]
}

/// The data with the bit that says where it ends, if it does not end with a byte.
fn completed(data: &[u8], bits: usize) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if !bits.is_multiple_of(8)
        && let Some(last) = bytes.last_mut()
    {
        *last |= 0x80 >> (bits % 8);
    }
    bytes
}

fn clear_after(data: &mut [u8], bits: usize) {
    if !bits.is_multiple_of(8)
        && let Some(last) = data.last_mut()
    {
        *last &= !(0xff >> (bits % 8));
    }
}

/// Writes a cell. What does not fit is remembered, and refused by [`Builder::build`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Builder {
    data: Vec<u8>,
    bits: usize,
    references: Vec<Cell>,
    overflow: bool,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn bit(mut self, bit: bool) -> Self {
        if self.bits >= MAX_BITS {
            self.overflow = true;
            return self;
        }
        if self.bits.is_multiple_of(8) {
            self.data.push(0);
        }
        if bit && let Some(last) = self.data.last_mut() {
            *last |= 0x80 >> (self.bits % 8);
        }
        self.bits += 1;
        self
    }

    /// The lowest `count` bits of a number, highest first.
    pub(super) fn uint(self, value: u128, count: u32) -> Self {
        (0..count).rev().fold(self, |builder, place| builder.bit(value >> place & 1 == 1))
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |builder, byte| builder.uint(u128::from(*byte), 8))
    }

    /// `VarUInteger 16`: a length in four bits, then as many bytes. At most 120 bits.
    pub(super) fn coins(mut self, amount: u128) -> Self {
        let length = (u128::BITS - amount.leading_zeros()).div_ceil(8);
        self.overflow |= length > 15;
        self.uint(u128::from(length), 4).uint(amount, length * 8)
    }

    /// `addr_std$10`, not anycast.
    pub(super) fn address(self, account: &AccountId) -> Self {
        let [workchain] = account.workchain.to_be_bytes();
        self.uint(0b100, 3).uint(u128::from(workchain), 8).bytes(&account.hash)
    }

    pub(super) fn reference(mut self, cell: &Cell) -> Self {
        if self.references.len() >= MAX_REFERENCES {
            self.overflow = true;
        } else {
            self.references.push(cell.clone());
        }
        self
    }

    /// `Maybe ^Cell`.
    pub(super) fn maybe_reference(self, cell: Option<&Cell>) -> Self {
        match cell {
            Some(cell) => self.bit(true).reference(cell),
            None => self.bit(false),
        }
    }

    /// The rest of a slice: bits and references.
    pub(super) fn slice(self, slice: &Slice<'_>) -> Self {
        let bits = (slice.position..slice.bits).map(|place| bit_at(slice.data, place));
        let builder = bits.fold(self, Self::bit);
        slice.references.iter().fold(builder, Self::reference)
    }

    /// The cell, for contents whose size does not depend on what came from outside.
    pub(super) fn fixed(self) -> Cell {
        Cell::new(self.data, self.bits, self.references, false)
    }

    /// The cell, if everything fitted.
    pub(super) fn build(self, field: &'static str) -> Result<Cell, TransactionError> {
        if self.overflow {
            return Err(TransactionError::Malformed { field, reason: "does not fit into one cell" });
        }
        Ok(self.fixed())
    }
}

fn bit_at(data: &[u8], place: usize) -> bool {
    data.get(place / 8).is_some_and(|byte| byte >> (7 - place % 8) & 1 == 1)
}

/// What is left to be read of a cell. Nothing is read past its end.
#[derive(Debug, Clone)]
pub(crate) struct Slice<'a> {
    data: &'a [u8],
    position: usize,
    bits: usize,
    references: &'a [Cell],
}

impl<'a> Slice<'a> {
    pub(super) const fn bits_left(&self) -> usize {
        self.bits.saturating_sub(self.position)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bits_left() == 0 && self.references.is_empty()
    }

    pub(super) fn bit(&mut self) -> Option<bool> {
        (self.position < self.bits).then(|| {
            let bit = bit_at(self.data, self.position);
            self.position += 1;
            bit
        })
    }

    /// A number of at most 128 bits, highest first.
    pub(super) fn uint(&mut self, count: u32) -> Option<u128> {
        (0..count).try_fold(0, |value, _| Some(value << 1 | u128::from(self.bit()?)))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.uint(32)?).ok()
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        if count.checked_mul(8)? > self.bits_left() {
            return None;
        }
        (0..count).map(|_| u8::try_from(self.uint(8)?).ok()).collect()
    }

    /// `VarUInteger 16`.
    pub(super) fn coins(&mut self) -> Option<u128> {
        let length = u32::try_from(self.uint(4)?).ok()?;
        self.uint(length * 8)
    }

    /// `MsgAddressInt` without anycast, or none. Other forms are not read.
    pub(super) fn address(&mut self) -> Option<Option<AccountId>> {
        match self.uint(2)? {
            0b00 => Some(None),
            0b10 if !self.bit()? => {
                let workchain = i8::from_be_bytes([u8::try_from(self.uint(8)?).ok()?]);
                let hash = self.bytes(32)?.try_into().ok()?;
                Some(Some(AccountId { workchain, hash }))
            }
            _ => None,
        }
    }

    pub(super) fn reference(&mut self) -> Option<&'a Cell> {
        let (first, rest) = self.references.split_first()?;
        self.references = rest;
        Some(first)
    }

    /// `Maybe ^Cell`.
    pub(super) fn maybe_reference(&mut self) -> Option<Option<&'a Cell>> {
        if self.bit()? { Some(Some(self.reference()?)) } else { Some(None) }
    }
}
