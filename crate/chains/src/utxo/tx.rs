//! Transactions in the form of the network. See the module above for the layout.

use crate::TransactionError;
use crate::hash::sha256d;
use crate::reader::Reader;

/// Zcash: version 4 with the bit that says that a version group follows.
pub(super) const ZCASH_VERSION: u32 = 0x8000_0004;
/// Zcash: the version group of version 4.
pub(super) const ZCASH_GROUP: u32 = 0x892f_2085;

/// Id, index, empty script, sequence.
const SMALLEST_INPUT: usize = 41;
/// Value, empty script.
const SMALLEST_OUTPUT: usize = 9;

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tx {
    pub(super) version: u32,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) lock_time: u32,
    /// The expiry height of Zcash; its presence makes the transaction one of Zcash.
    pub(super) expiry: Option<u32>,
}

/// What is spent, and why it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) previous: OutPoint,
    pub(super) script: Vec<u8>,
    pub(super) sequence: u32,
    /// The witness as it is written: a count and the items. Empty where there is none.
    pub(super) witness: Vec<u8>,
}

/// An output of an earlier transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OutPoint {
    /// In the order of the bytes that are hashed; people see it reversed.
    pub(super) id: [u8; 32],
    pub(super) index: u32,
}

/// A new coin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) value: u64,
    pub(super) script: Vec<u8>,
}

impl Tx {
    /// Reads a whole transaction of Bitcoin, Litecoin, Dogecoin, Dash or Bitcoin Cash that has no witnesses: an unsigned
    /// one inside a PSBT has none by definition.
    pub(super) fn decode(field: &'static str, bytes: &[u8]) -> Result<Self, TransactionError> {
        let mut reader = Reader::new(field, bytes);
        let version = u32_le(&mut reader)?;
        let inputs = read_inputs(&mut reader)?;
        let outputs = read_outputs(&mut reader)?;
        let lock_time = u32_le(&mut reader)?;
        reader.finish()?;
        Ok(Self { version, inputs, outputs, lock_time, expiry: None })
    }

    /// Reads a transaction of Zcash that is version 4 and transparent.
    pub(super) fn decode_zcash(field: &'static str, bytes: &[u8]) -> Result<Self, TransactionError> {
        let mut reader = Reader::new(field, bytes);
        let version = u32_le(&mut reader)?;
        if version != ZCASH_VERSION || u32_le(&mut reader)? != ZCASH_GROUP {
            return Err(reader.malformed("is not of Zcash's version 4"));
        }
        let inputs = read_inputs(&mut reader)?;
        let outputs = read_outputs(&mut reader)?;
        let lock_time = u32_le(&mut reader)?;
        let expiry = Some(u32_le(&mut reader)?);
        if reader.array()? != [0_u8; 11] {
            return Err(reader.malformed("has shielded parts"));
        }
        reader.finish()?;
        Ok(Self { version, inputs, outputs, lock_time, expiry })
    }

    /// The bytes for the network.
    pub(super) fn encode(&self) -> Vec<u8> {
        self.write(self.inputs.iter().any(|input| !input.witness.is_empty()))
    }

    /// The bytes without witnesses: what ids are made of.
    pub(super) fn encode_stripped(&self) -> Vec<u8> {
        self.write(false)
    }

    /// The id, in the order of the bytes that are hashed.
    pub(super) fn id(&self) -> [u8; 32] {
        sha256d(&self.encode_stripped())
    }

    fn write(&self, witnesses: bool) -> Vec<u8> {
        let mut out = self.version.to_le_bytes().to_vec();
        if self.expiry.is_some() {
            out.extend(ZCASH_GROUP.to_le_bytes());
        }
        if witnesses {
            out.extend([0, 1]);
        }
        write_size(&mut out, self.inputs.len());
        for input in &self.inputs {
            input.previous.write(&mut out);
            write_bytes(&mut out, &input.script);
            out.extend(input.sequence.to_le_bytes());
        }
        write_size(&mut out, self.outputs.len());
        for output in &self.outputs {
            output.write(&mut out);
        }
        if witnesses {
            for input in &self.inputs {
                out.extend(if input.witness.is_empty() { &[0] } else { input.witness.as_slice() });
            }
        }
        out.extend(self.lock_time.to_le_bytes());
        if let Some(expiry) = self.expiry {
            out.extend(expiry.to_le_bytes());
            out.extend([0; 11]);
        }
        out
    }
}

impl OutPoint {
    /// The id as people spell it.
    pub(super) fn shown_id(&self) -> String {
        let mut id = self.id;
        id.reverse();
        crate::encoding::hex(&id)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.id);
        out.extend(self.index.to_le_bytes());
    }
}

impl Input {
    /// An input with nothing to prove it yet.
    pub(super) const fn unsigned(previous: OutPoint, sequence: u32) -> Self {
        Self { previous, script: Vec::new(), sequence, witness: Vec::new() }
    }
}

impl Output {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.value.to_le_bytes());
        write_bytes(out, &self.script);
    }

    /// Value and script; a value that the network would read as negative is refused.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, TransactionError> {
        let value = u64::from_le_bytes(reader.array()?);
        if i64::try_from(value).is_err() {
            return Err(reader.malformed("has a negative value"));
        }
        Ok(Self { value, script: read_bytes(reader)?.to_vec() })
    }
}

pub(super) fn read_inputs(reader: &mut Reader<'_>) -> Result<Vec<Input>, TransactionError> {
    let count = read_count(reader, SMALLEST_INPUT)?;
    if count == 0 {
        return Err(reader.malformed("has no inputs"));
    }
    let mut inputs = Vec::with_capacity(count);
    for _ in 0..count {
        let previous = OutPoint { id: reader.array()?, index: u32_le(reader)? };
        let script = read_bytes(reader)?.to_vec();
        inputs.push(Input { previous, script, sequence: u32_le(reader)?, witness: Vec::new() });
    }
    Ok(inputs)
}

pub(super) fn read_outputs(reader: &mut Reader<'_>) -> Result<Vec<Output>, TransactionError> {
    let count = read_count(reader, SMALLEST_OUTPUT)?;
    let mut outputs = Vec::with_capacity(count);
    for _ in 0..count {
        outputs.push(Output::read(reader)?);
    }
    Ok(outputs)
}

/// A count of things that take at least `smallest` bytes each: more than can follow are not believed.
fn read_count(reader: &mut Reader<'_>, smallest: usize) -> Result<usize, TransactionError> {
    let count = usize::try_from(read_size(reader)?).map_err(|_| reader.malformed("ends too early"))?;
    if count > reader.left() / smallest {
        return Err(reader.malformed("ends too early"));
    }
    Ok(count)
}

pub(super) fn u32_le(reader: &mut Reader<'_>) -> Result<u32, TransactionError> {
    Ok(u32::from_le_bytes(reader.array()?))
}

/// A compact size, in its shortest form only: ids are made of bytes, so there must be one way to write a number.
pub(super) fn read_size(reader: &mut Reader<'_>) -> Result<u64, TransactionError> {
    let (size, least) = match reader.byte()? {
        0xfd => (u64::from(u16::from_le_bytes(reader.array()?)), 0xfd),
        0xfe => (u64::from(u32::from_le_bytes(reader.array()?)), 0x1_0000),
        0xff => (u64::from_le_bytes(reader.array()?), 0x1_0000_0000),
        short => (u64::from(short), 0),
    };
    if size < least { Err(reader.malformed("has a number longer than it must be")) } else { Ok(size) }
}

/// Bytes behind their length.
pub(super) fn read_bytes<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], TransactionError> {
    let length = read_count(reader, 1)?;
    reader.take(length)
}

/// A compact size.
pub(super) fn write_size(out: &mut Vec<u8>, size: usize) {
    match (u8::try_from(size), u16::try_from(size), u32::try_from(size)) {
        (Ok(short), ..) if short < 0xfd => out.push(short),
        (_, Ok(size), _) => {
            out.push(0xfd);
            out.extend(size.to_le_bytes());
        }
        (_, _, Ok(size)) => {
            out.push(0xfe);
            out.extend(size.to_le_bytes());
        }
        _ => {
            out.push(0xff);
            out.extend(u64::try_from(size).unwrap_or(u64::MAX).to_le_bytes());
        }
    }
}

/// How many bytes a compact size takes.
pub(super) const fn size_length(size: usize) -> usize {
    match size {
        0..=0xfc => 1,
        0xfd..=0xffff => 3,
        _ => 5,
    }
}

/// Bytes behind their length.
pub(super) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_size(out, bytes.len());
    out.extend(bytes);
}
