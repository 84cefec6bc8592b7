//! Bags of cells: a tree of cells as bytes, each different cell once.
//!
//! `b5ee9c72 ‖ flags and size of an index ‖ size of an offset ‖ cells ‖ roots (1) ‖ absent (0) ‖ total bytes of cells ‖
//! index of the root ‖ [offset of each cell] ‖ cells ‖ [CRC-32C, little-endian]`. A cell is `d1 ‖ d2 ‖ data ‖ index of
//! each child`; a child stands after its parents, so that no walk can go in circles (TON's `boc.tlb`).

use super::cell::{Cell, MAX_REFERENCES};
use crate::TransactionError;
use crate::reader::Reader;
use std::collections::{BTreeMap, VecDeque};

const MAGIC: [u8; 4] = [0xb5, 0xee, 0x9c, 0x72];
const HAS_INDEX: u8 = 0x80;
const HAS_CRC: u8 = 0x40;
/// Cache bits and flags that no known bag has.
const UNKNOWN: u8 = 0x38;
/// Messages deeper than this are not carried by the network.
const MAX_DEPTH: u16 = 512;
/// Nor messages of more cells.
const MAX_CELLS: usize = 1 << 13;
/// No cell takes less: its two descriptors.
const LEAST_CELL: usize = 2;
/// What a library cell holds: its type and the hash of the cell it stands for.
const LIBRARY_BITS: usize = 8 + 256;

/// A cell as it stands in the bytes, its children still numbers.
struct Raw {
    data: Vec<u8>,
    bits: usize,
    children: Vec<usize>,
    library: bool,
}

/// The one root of a bag. Absent, pruned and proof cells are refused: nothing that is signed may be somewhere else.
pub(crate) fn decode(field: &'static str, bytes: &[u8]) -> Result<Cell, TransactionError> {
    let mut reader = Reader::new(field, bytes);
    if reader.array()? != MAGIC {
        return Err(reader.malformed("is not a bag of cells"));
    }
    let head = reader.byte()?;
    let size = usize::from(head & 7);
    if head & UNKNOWN != 0 || !(1..=4).contains(&size) {
        return Err(reader.malformed("has flags that are not known"));
    }
    let offset_size = usize::from(reader.byte()?);
    if !(1..=8).contains(&offset_size) {
        return Err(reader.malformed("has offsets of an unknown size"));
    }
    let count = number(&mut reader, size)?;
    let (roots, absent) = (number(&mut reader, size)?, number(&mut reader, size)?);
    if roots != 1 || absent != 0 {
        return Err(reader.malformed("must have one root and no absent cells"));
    }
    let total = number(&mut reader, offset_size)?;
    let root = number(&mut reader, size)?;
    let offsets = if head & HAS_INDEX == 0 {
        None
    } else {
        let length = count.checked_mul(offset_size).ok_or_else(|| reader.malformed("ends too early"))?;
        Some(reader.take(length)?)
    };
    let crc_length = if head & HAS_CRC == 0 { 0 } else { 4 };
    if count > MAX_CELLS {
        return Err(reader.malformed("has too many cells"));
    }
    if reader.left() != total.saturating_add(crc_length) || count > total / LEAST_CELL || root >= count {
        return Err(reader.malformed("does not have the length it states"));
    }
    let body = reader.take(total)?;
    if crc_length != 0 && !crc_matches(bytes) {
        return Err(reader.malformed("does not have the checksum it states"));
    }
    let raw = raw_cells(field, body, count, size, offsets.map(|offsets| (offsets, offset_size)))?;
    link(field, raw, root)
}

fn number(reader: &mut Reader<'_>, size: usize) -> Result<usize, TransactionError> {
    let bytes = reader.take(size)?;
    let value = bytes.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).map_err(|_| reader.malformed("has a number that is too large"))
}

fn crc_matches(bytes: &[u8]) -> bool {
    bytes.split_last_chunk().is_some_and(|(body, crc)| crc32c(body) == u32::from_le_bytes(*crc))
}

fn raw_cells(
    field: &'static str,
    body: &[u8],
    count: usize,
    size: usize,
    offsets: Option<(&[u8], usize)>,
) -> Result<Vec<Raw>, TransactionError> {
    let mut reader = Reader::new(field, body);
    let mut index = offsets.map(|(offsets, width)| (Reader::new(field, offsets), width));
    let mut cells = Vec::with_capacity(count);
    for place in 0..count {
        cells.push(raw_cell(&mut reader, size, place, count)?);
        if let Some((offsets, width)) = &mut index
            && number(offsets, *width)? != body.len() - reader.left()
        {
            return Err(reader.malformed("has an index that is wrong"));
        }
    }
    reader.finish()?;
    Ok(cells)
}

fn raw_cell(
    reader: &mut Reader<'_>,
    size: usize,
    place: usize,
    count: usize,
) -> Result<Raw, TransactionError> {
    let [d1, d2] = reader.array()?;
    let (children, library) = (usize::from(d1 & 7), d1 & 8 != 0);
    if d1 >> 4 != 0 || children > MAX_REFERENCES {
        return Err(reader.malformed("has a cell of an unknown kind"));
    }
    let data = reader.take(usize::from(d2).div_ceil(2))?.to_vec();
    let bits = if d2 % 2 == 0 {
        data.len() * 8
    } else {
        let last = data.last().copied().unwrap_or(0);
        if last.trailing_zeros() >= 7 {
            return Err(reader.malformed("has a cell that does not end"));
        }
        data.len() * 8 - 1 - usize::try_from(last.trailing_zeros()).unwrap_or(0)
    };
    if library && (bits != LIBRARY_BITS || children != 0 || data.first() != Some(&2)) {
        return Err(reader.malformed("has a cell that is neither ordinary nor a library"));
    }
    let child = |_| match number(reader, size)? {
        child if child > place && child < count => Ok(child),
        _ => Err(reader.malformed("has a reference that does not lead down")),
    };
    let children = (0..children).map(child).collect::<Result<_, _>>()?;
    Ok(Raw { data, bits, children, library })
}

/// Makes the cells from the last to the first, so that children are there before their parents and nothing recurses.
fn link(field: &'static str, raw: Vec<Raw>, root: usize) -> Result<Cell, TransactionError> {
    let malformed = |reason| TransactionError::Malformed { field, reason };
    let last = raw.len().saturating_sub(1);
    let mut made: Vec<Cell> = Vec::with_capacity(raw.len());
    let mut used = vec![false; raw.len()];
    for Raw { data, bits, children, library } in raw.into_iter().rev() {
        for child in &children {
            if let Some(used) = used.get_mut(*child) {
                *used = true;
            }
        }
        let child =
            |child: &usize| made.get(last - child).cloned().ok_or(malformed("has a broken reference"));
        let children: Vec<Cell> = children.iter().map(child).collect::<Result<_, _>>()?;
        if children.iter().any(|cell| cell.depth() >= MAX_DEPTH) {
            return Err(malformed("is too deep"));
        }
        made.push(Cell::new(data, bits, children, library));
    }
    if used.iter().enumerate().any(|(place, used)| *used == (place == root)) {
        return Err(malformed("has cells that belong to nothing"));
    }
    made.get(last - root).cloned().ok_or(malformed("has no root"))
}

/// The bag of a root, each different cell once, with a checksum.
pub(crate) fn encode(root: &Cell) -> Vec<u8> {
    let cells = ordered(root);
    // Not collected: that would sort them first, with a sort of their own.
    let mut places: BTreeMap<[u8; 32], usize> = BTreeMap::new();
    places.extend(cells.iter().enumerate().map(|(place, cell)| (cell.hash(), place)));
    let size = width(cells.len());
    let big_endian = |value: usize, size: usize| -> Vec<u8> {
        let bytes = u64::try_from(value).unwrap_or(u64::MAX).to_be_bytes();
        bytes.get(8 - size..).unwrap_or_default().to_vec()
    };
    let mut body = Vec::new();
    for cell in &cells {
        body.extend(cell.serialised());
        let place = |child: &Cell| places.get(&child.hash()).copied().unwrap_or(0);
        body.extend(cell.references().iter().flat_map(|child| big_endian(place(child), size)));
    }
    let offset_size = width(body.len());
    let byte = |size: usize| u8::try_from(size).unwrap_or(u8::MAX);
    let mut bytes = MAGIC.to_vec();
    bytes.extend([HAS_CRC | byte(size), byte(offset_size)]);
    for value in [cells.len(), 1, 0] {
        bytes.extend(big_endian(value, size));
    }
    bytes.extend(big_endian(body.len(), offset_size));
    bytes.extend(big_endian(0, size));
    bytes.extend(body);
    let crc = crc32c(&bytes).to_le_bytes();
    bytes.extend(crc);
    bytes
}

/// How many bytes a number below 2^32 takes.
fn width(value: usize) -> usize {
    (1..4).find(|size| value >> (8 * size) == 0).unwrap_or(4)
}

/// The different cells under `root`, parents before children, broad before deep.
pub(super) fn ordered(root: &Cell) -> Vec<Cell> {
    let mut parents: BTreeMap<[u8; 32], usize> = BTreeMap::from([(root.hash(), 0)]);
    let mut found = vec![root.clone()];
    let mut next = 0;
    while let Some(cell) = found.get(next).cloned() {
        next += 1;
        for child in cell.references() {
            let seen = parents.contains_key(&child.hash());
            *parents.entry(child.hash()).or_default() += 1;
            if !seen {
                found.push(child.clone());
            }
        }
    }
    let mut ready = VecDeque::from([root.clone()]);
    let mut order = Vec::with_capacity(found.len());
    while let Some(cell) = ready.pop_front() {
        for child in cell.references() {
            if let Some(waiting) = parents.get_mut(&child.hash()) {
                *waiting -= 1;
                if *waiting == 0 {
                    ready.push_back(child.clone());
                }
            }
        }
        order.push(cell);
    }
    order
}

/// CRC-32C (Castagnoli): polynomial `0x1edc6f41` reflected, from all ones, inverted.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| {
                if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0x82f6_3b78 }
            },
        )
    })
}
