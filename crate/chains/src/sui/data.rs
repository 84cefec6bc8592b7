//! `TransactionData` and what it is made of, in the order of the bytes.

use super::bcs;
use super::command::Command;
use super::type_tag::TypeTag;
use crate::reader::Reader;
use crate::{TransactionError, encoding};

/// An account, an object or a package.
pub(super) type Address = [u8; 32];

/// The network takes no larger transaction.
const MAX_BYTES: usize = 128 * 1024;
const MAX_INPUTS: usize = 2048;
const MAX_COMMANDS: usize = 1024;
const MAX_GAS_OBJECTS: usize = 256;

/// The first version of the transaction's form; there is no other.
const V1: u32 = 0;
/// Everything that an account may send; the other kinds are the validators' own.
const PROGRAMMABLE: u32 = 0;

/// A transaction without its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TransactionData {
    /// Objects and values that the commands use.
    pub(super) inputs: Vec<Input>,
    /// What happens, in order; all of it or nothing.
    pub(super) commands: Vec<Command>,
    /// Who signs.
    pub(super) sender: Address,
    /// Who pays, and how much at most.
    pub(super) gas: Gas,
    /// Until when it may be executed.
    pub(super) expiration: Expiration,
}

/// A version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectRef {
    /// The object.
    pub(super) id: Address,
    /// Its version.
    pub(super) version: u64,
    /// The digest of its contents.
    pub(super) digest: [u8; 32],
}

/// An object or a value that commands use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// A value, itself in BCS.
    Pure(Vec<u8>),
    /// An object of the sender, or an immutable one.
    Owned(ObjectRef),
    /// A shared object.
    Shared {
        /// The object.
        id: Address,
        /// The version in which it became shared.
        initial_version: u64,
        /// Whether it is changed.
        mutable: bool,
    },
    /// An object that was sent to another object.
    Receiving(ObjectRef),
    /// Part of an address's balance.
    Withdrawal(Box<Withdrawal>),
}

/// Part of an address's balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Withdrawal {
    /// At most this much.
    pub(super) maximum: u64,
    /// Of this type.
    pub(super) kind: TypeTag,
    /// Of whom.
    pub(super) from: WithdrawFrom,
}

/// Whose balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WithdrawFrom {
    /// The sender's.
    Sender,
    /// The gas payer's.
    Sponsor,
    /// That of a sponsor who allowed it.
    Allowance {
        /// Whose.
        funder: Address,
        /// The object that allows it.
        allowance: Address,
    },
}

/// Who pays, and how much at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gas {
    /// SUI coins; all of them are merged into the first.
    pub(super) payment: Vec<ObjectRef>,
    /// Whose they are.
    pub(super) owner: Address,
    /// For a unit of gas.
    pub(super) price: u64,
    /// At most this much in all.
    pub(super) budget: u64,
}

/// Until when a transaction may be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expiration {
    /// As long as its objects do not change.
    None,
    /// Until the end of an epoch.
    Epoch(u64),
    /// Between two epochs or moments, on one chain.
    ValidDuring(Validity),
    /// The same, and only if certain validators propose it.
    Validity(Validity, Option<Proposers>),
}

/// Between two epochs or moments, on one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Validity {
    /// First and last epoch, first and last moment.
    pub(super) bounds: [Option<u64>; 4],
    /// The digest of the chain's first checkpoint.
    pub(super) chain: [u8; 32],
    /// Tells apart what is otherwise the same.
    pub(super) nonce: u32,
}

/// Validators of an epoch, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposers {
    /// The epoch.
    pub(super) epoch: u64,
    /// Their numbers.
    pub(super) indices: Vec<u32>,
}

type Read<T> = Result<T, TransactionError>;

impl TransactionData {
    /// Reads a whole transaction; `field` names the bytes in errors.
    pub(super) fn decode(field: &'static str, bytes: &[u8]) -> Read<Self> {
        let mut reader = Reader::new(field, bytes);
        if bytes.len() > MAX_BYTES {
            return Err(reader.malformed("is larger than the network takes"));
        }
        let data = Self::read(&mut reader)?;
        reader.finish()?;
        if data.encode() != bytes {
            return Err(TransactionError::Malformed { field, reason: "is not in its canonical form" });
        }
        Ok(data)
    }

    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        if bcs::uleb(reader)? != V1 {
            return Err(TransactionError::UnsupportedTxType { what: "newer Sui".to_owned() });
        }
        if bcs::uleb(reader)? != PROGRAMMABLE {
            return Err(TransactionError::UnsupportedTxType { what: "Sui system".to_owned() });
        }
        let inputs = bcs::sequence(reader, MAX_INPUTS, Input::read)?;
        let commands = bcs::sequence(reader, MAX_COMMANDS, Command::read)?;
        let sender = reader.array()?;
        let gas = Gas::read(reader)?;
        let expiration = Expiration::read(reader)?;
        let refers = |(index, command): (usize, &Command)| command.refers_back(inputs.len(), index);
        if !commands.iter().enumerate().all(refers) {
            return Err(reader.malformed("refers to an input or a result that is not there"));
        }
        Ok(Self { inputs, commands, sender, gas, expiration })
    }

    /// The bytes that are signed and sent.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0, 0];
        bcs::write_sequence(&mut out, &self.inputs, Input::write);
        bcs::write_sequence(&mut out, &self.commands, Command::write);
        out.extend(self.sender);
        self.gas.write(&mut out);
        self.expiration.write(&mut out);
        out
    }
}

impl ObjectRef {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        Ok(Self { id: reader.array()?, version: bcs::u64(reader)?, digest: bcs::digest(reader)? })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.id);
        out.extend(self.version.to_le_bytes());
        bcs::write_bytes(out, &self.digest);
    }
}

impl Input {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        match reader.byte()? {
            0 => Ok(Self::Pure(bcs::bytes(reader)?.to_vec())),
            1 => Self::read_object(reader),
            2 => Ok(Self::Withdrawal(Box::new(Withdrawal::read(reader)?))),
            _ => Err(reader.malformed("has an input of an unknown kind")),
        }
    }

    fn read_object(reader: &mut Reader<'_>) -> Read<Self> {
        match reader.byte()? {
            0 => ObjectRef::read(reader).map(Self::Owned),
            1 => Ok(Self::Shared {
                id: reader.array()?,
                initial_version: bcs::u64(reader)?,
                mutable: bcs::boolean(reader)?,
            }),
            2 => ObjectRef::read(reader).map(Self::Receiving),
            _ => Err(reader.malformed("has an object of an unknown kind")),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Pure(bytes) => {
                out.push(0);
                bcs::write_bytes(out, bytes);
            }
            Self::Owned(object) => {
                out.extend([1, 0]);
                object.write(out);
            }
            Self::Shared { id, initial_version, mutable } => {
                out.extend([1, 1]);
                out.extend(id);
                out.extend(initial_version.to_le_bytes());
                out.push(u8::from(*mutable));
            }
            Self::Receiving(object) => {
                out.extend([1, 2]);
                object.write(out);
            }
            Self::Withdrawal(withdrawal) => {
                out.push(2);
                withdrawal.write(out);
            }
        }
    }
}

impl Withdrawal {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let unknown = "has a withdrawal of an unknown kind";
        if reader.byte()? != 0 {
            return Err(reader.malformed(unknown));
        }
        let maximum = bcs::u64(reader)?;
        if reader.byte()? != 0 {
            return Err(reader.malformed(unknown));
        }
        let kind = TypeTag::read(reader)?;
        let from = match reader.byte()? {
            0 => WithdrawFrom::Sender,
            1 => WithdrawFrom::Sponsor,
            2 => WithdrawFrom::Allowance { funder: reader.array()?, allowance: reader.array()? },
            _ => return Err(reader.malformed(unknown)),
        };
        Ok(Self { maximum, kind, from })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(0);
        out.extend(self.maximum.to_le_bytes());
        out.push(0);
        self.kind.write(out);
        match &self.from {
            WithdrawFrom::Sender => out.push(0),
            WithdrawFrom::Sponsor => out.push(1),
            WithdrawFrom::Allowance { funder, allowance } => {
                out.push(2);
                out.extend(funder);
                out.extend(allowance);
            }
        }
    }
}

impl Gas {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        Ok(Self {
            payment: bcs::sequence(reader, MAX_GAS_OBJECTS, ObjectRef::read)?,
            owner: reader.array()?,
            price: bcs::u64(reader)?,
            budget: bcs::u64(reader)?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        bcs::write_sequence(out, &self.payment, ObjectRef::write);
        out.extend(self.owner);
        out.extend(self.price.to_le_bytes());
        out.extend(self.budget.to_le_bytes());
    }
}

impl Expiration {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        match reader.byte()? {
            0 => Ok(Self::None),
            1 => bcs::u64(reader).map(Self::Epoch),
            2 => Validity::read(reader).map(Self::ValidDuring),
            3 => Ok(Self::Validity(Validity::read(reader)?, bcs::option(reader, Proposers::read)?)),
            _ => Err(reader.malformed("has an expiration of an unknown kind")),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::None => out.push(0),
            Self::Epoch(epoch) => {
                out.push(1);
                out.extend(epoch.to_le_bytes());
            }
            Self::ValidDuring(validity) => {
                out.push(2);
                validity.write(out);
            }
            Self::Validity(validity, proposers) => {
                out.push(3);
                validity.write(out);
                bcs::write_option(out, proposers.as_ref(), Proposers::write);
            }
        }
    }

    /// The chain that it names.
    pub(super) const fn chain(&self) -> Option<&[u8; 32]> {
        match self {
            Self::None | Self::Epoch(_) => None,
            Self::ValidDuring(validity) | Self::Validity(validity, _) => Some(&validity.chain),
        }
    }
}

impl Validity {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let mut bounds = [None; 4];
        for bound in &mut bounds {
            *bound = bcs::option(reader, bcs::u64)?;
        }
        Ok(Self { bounds, chain: bcs::digest(reader)?, nonce: bcs::u32(reader)? })
    }

    fn write(&self, out: &mut Vec<u8>) {
        for bound in &self.bounds {
            bcs::write_option(out, bound.as_ref(), |bound, out| out.extend(bound.to_le_bytes()));
        }
        bcs::write_bytes(out, &self.chain);
        out.extend(self.nonce.to_le_bytes());
    }
}

impl Proposers {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let proposers =
            Self { epoch: bcs::u64(reader)?, indices: bcs::sequence(reader, MAX_BYTES, bcs::u32)? };
        if proposers.indices.is_empty() {
            return Err(reader.malformed("names no proposer"));
        }
        Ok(proposers)
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.epoch.to_le_bytes());
        bcs::write_sequence(out, &self.indices, |index, out| out.extend(index.to_le_bytes()));
    }
}

/// An address as it is written.
pub(super) fn full(address: &Address) -> String {
    format!("0x{}", encoding::hex(address))
}
