//! The message: everything of a transaction but its signatures, and the bytes that Ed25519 signs as they are.

use crate::TransactionError;
use crate::reader::Reader;

/// The first bit of a message that names its version; without it, the first byte counts the signers.
const VERSIONED: u8 = 0x80;

/// What a packet of the network carries. A larger transaction cannot be sent.
pub(super) const MAX_LENGTH: usize = 1232;

/// An account, a program, a mint: the network tells them apart, the bytes do not.
pub(super) type Key = [u8; 32];

/// Which layout the message has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// Without lookup tables.
    Legacy,
    /// With lookup tables.
    V0,
}

/// What the transaction does, and who must sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) version: Version,
    pub(super) header: Header,
    /// Signers first, in each half those that are written first. The first one pays.
    pub(super) keys: Vec<Key>,
    /// A recent block, or what a nonce account stores.
    pub(super) blockhash: [u8; 32],
    pub(super) instructions: Vec<Instruction>,
    /// Where further accounts are to be found.
    pub(super) lookups: Vec<Lookup>,
}

/// How many of the keys sign and how many are only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) signers: u8,
    pub(super) readonly_signers: u8,
    pub(super) readonly_others: u8,
}

/// One call of a program. Accounts are places in the keys, and behind them in the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) program: u8,
    pub(super) accounts: Vec<u8>,
    pub(super) data: Vec<u8>,
}

/// Accounts that are named by their places in a table on the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lookup {
    pub(super) table: Key,
    pub(super) writable: Vec<u8>,
    pub(super) readonly: Vec<u8>,
}

/// An account of a message as far as its bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// By its key.
    Key(&'a Key),
    /// By its place in a table, whose contents only the network knows.
    Entry { table: &'a Key, index: u8 },
}

impl Message {
    /// Reads what is left of `reader` as one message.
    pub(super) fn decode(mut reader: Reader<'_>) -> Result<Self, TransactionError> {
        let version = version(&mut reader)?;
        let [signers, readonly_signers, readonly_others] = reader.array()?;
        let header = Header { signers, readonly_signers, readonly_others };
        let keys = list(&mut reader, 32, Reader::array)?;
        let blockhash = reader.array()?;
        let instructions = list(&mut reader, 3, Instruction::decode)?;
        let lookups = match version {
            Version::Legacy => Vec::new(),
            Version::V0 => list(&mut reader, 34, Lookup::decode)?,
        };
        let message = Self { version, header, keys, blockhash, instructions, lookups };
        message.check().map_err(|reason| reader.malformed(reason))?;
        reader.finish()?;
        Ok(message)
    }

    /// The bytes that are signed.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(MAX_LENGTH);
        if self.version == Version::V0 {
            out.push(VERSIONED);
        }
        out.extend([self.header.signers, self.header.readonly_signers, self.header.readonly_others]);
        put_length(&mut out, self.keys.len());
        out.extend(self.keys.iter().flatten());
        out.extend(self.blockhash);
        put_length(&mut out, self.instructions.len());
        for instruction in &self.instructions {
            out.push(instruction.program);
            put_bytes(&mut out, &instruction.accounts);
            put_bytes(&mut out, &instruction.data);
        }
        if self.version == Version::V0 {
            put_length(&mut out, self.lookups.len());
        }
        for lookup in &self.lookups {
            out.extend(lookup.table);
            put_bytes(&mut out, &lookup.writable);
            put_bytes(&mut out, &lookup.readonly);
        }
        out
    }

    /// The rules by which the network drops a message unread; the reason is the end of a sentence.
    fn check(&self) -> Result<(), &'static str> {
        let Header { signers, readonly_signers, readonly_others } = self.header;
        if readonly_signers >= signers {
            return Err("has no fee payer");
        }
        if usize::from(signers) + usize::from(readonly_others) > self.keys.len() {
            return Err("counts more accounts than it names");
        }
        let named_twice = |(index, key)| self.keys.iter().skip(index + 1).any(|other| other == key);
        if self.keys.iter().enumerate().any(named_twice) {
            return Err("names an account twice");
        }
        if self.lookups.iter().any(|lookup| lookup.writable.is_empty() && lookup.readonly.is_empty()) {
            return Err("names a lookup table of which it uses nothing");
        }
        let accounts = self.keys.len() + self.lookups.iter().map(Lookup::len).sum::<usize>();
        if accounts > 256 {
            return Err("has more accounts than can be counted");
        }
        for instruction in &self.instructions {
            let program = usize::from(instruction.program);
            if program == 0 || program >= self.keys.len() {
                return Err("calls a program that it does not name");
            }
            if instruction.accounts.iter().any(|&account| usize::from(account) >= accounts) {
                return Err("passes an account that it does not name");
            }
        }
        Ok(())
    }

    /// Who must sign, in the order of the signatures.
    pub(super) fn signers(&self) -> &[Key] {
        self.keys.get(..usize::from(self.header.signers)).unwrap_or_default()
    }

    /// Who pays.
    pub(super) fn payer(&self) -> Option<&Key> {
        self.keys.first()
    }

    /// The program that an instruction calls.
    pub(super) fn program(&self, instruction: &Instruction) -> Option<&Key> {
        self.keys.get(usize::from(instruction.program))
    }

    /// The account at a place: first the keys, then what the tables give for writing, then for reading.
    pub(super) fn account(&self, place: u8) -> Option<Named<'_>> {
        if let Some(key) = self.keys.get(usize::from(place)) {
            return Some(Named::Key(key));
        }
        let entry = |table, index: &u8| Named::Entry { table, index: *index };
        let writable = self
            .lookups
            .iter()
            .flat_map(|lookup| lookup.writable.iter().map(move |index| entry(&lookup.table, index)));
        let readonly = self
            .lookups
            .iter()
            .flat_map(|lookup| lookup.readonly.iter().map(move |index| entry(&lookup.table, index)));
        writable.chain(readonly).nth(usize::from(place).checked_sub(self.keys.len())?)
    }
}

impl Instruction {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, TransactionError> {
        let program = reader.byte()?;
        Ok(Self { program, accounts: bytes(reader)?, data: bytes(reader)? })
    }
}

impl Lookup {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, TransactionError> {
        Ok(Self { table: reader.array()?, writable: bytes(reader)?, readonly: bytes(reader)? })
    }

    fn len(&self) -> usize {
        self.writable.len() + self.readonly.len()
    }
}

fn version(reader: &mut Reader<'_>) -> Result<Version, TransactionError> {
    match reader.peek() {
        Some(byte) if byte & VERSIONED == 0 => Ok(Version::Legacy),
        Some(VERSIONED) => reader.byte().map(|_| Version::V0),
        Some(byte) => {
            Err(TransactionError::UnsupportedTxType { what: format!("version {}", byte & !VERSIONED) })
        }
        None => Err(reader.malformed("ends too early")),
    }
}

/// A number of at most 16 bits: seven bits to a byte, the low ones first, and no byte more than needed.
pub(super) fn length(reader: &mut Reader<'_>) -> Result<usize, TransactionError> {
    let mut value = 0;
    for shift in [0, 7, 14] {
        let byte = reader.byte()?;
        value |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let shortest = byte != 0 || shift == 0;
            return if shortest && value <= usize::from(u16::MAX) {
                Ok(value)
            } else {
                Err(reader.malformed("has a length that is not in its shortest form"))
            };
        }
    }
    Err(reader.malformed("has a length of more than 16 bits"))
}

/// As many elements as a length says, each at least `smallest` bytes long.
fn list<'a, T>(
    reader: &mut Reader<'a>,
    smallest: usize,
    element: fn(&mut Reader<'a>) -> Result<T, TransactionError>,
) -> Result<Vec<T>, TransactionError> {
    let count = length(reader)?;
    if count.saturating_mul(smallest) > reader.left() {
        return Err(reader.malformed("ends too early"));
    }
    (0..count).map(|_| element(reader)).collect()
}

fn bytes(reader: &mut Reader<'_>) -> Result<Vec<u8>, TransactionError> {
    let count = length(reader)?;
    reader.take(count).map(<[u8]>::to_vec)
}

/// Writes what [`length`] reads. Nothing here is as long as 2¹⁶.
pub(super) fn put_length(out: &mut Vec<u8>, value: usize) {
    let mut rest = u16::try_from(value).unwrap_or(u16::MAX);
    loop {
        let [low, _] = (rest & 0x7f).to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend(bytes);
}
