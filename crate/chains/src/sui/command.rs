//! The commands of a programmable transaction, and what they refer to.

use super::bcs;
use super::data::Address;
use super::type_tag::TypeTag;
use crate::TransactionError;
use crate::reader::Reader;

const MAX_ARGUMENTS: usize = 512;
const MAX_MODULES: usize = 64;

/// What a command works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// The coin that pays for the transaction.
    GasCoin,
    /// An input.
    Input(u16),
    /// The only result of an earlier command.
    Result(u16),
    /// One of several results of an earlier command.
    Nested(u16, u16),
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// Calls a function of a package.
    MoveCall(Box<MoveCall>),
    /// Gives objects to an address.
    TransferObjects {
        /// Which.
        objects: Vec<Argument>,
        /// To whom.
        address: Argument,
    },
    /// Takes new coins out of one.
    SplitCoins {
        /// Out of this one.
        coin: Argument,
        /// One for each amount.
        amounts: Vec<Argument>,
    },
    /// Puts coins into one.
    MergeCoins {
        /// Into this one.
        destination: Argument,
        /// These.
        sources: Vec<Argument>,
    },
    /// A new package.
    Publish(Package),
    /// A vector of values.
    MakeMoveVec {
        /// Of what; needed where the vector is empty or of plain values.
        kind: Option<TypeTag>,
        /// The values.
        elements: Vec<Argument>,
    },
    /// A new version of a package.
    Upgrade {
        /// Its code.
        code: Package,
        /// The version before.
        package: Address,
        /// What allows it.
        ticket: Argument,
    },
}

/// A call of a Move function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoveCall {
    /// The package.
    pub(super) package: Address,
    /// Its module.
    pub(super) module: String,
    /// The function.
    pub(super) function: String,
    /// What it is generic over.
    pub(super) types: Vec<TypeTag>,
    /// What it is called with.
    pub(super) arguments: Vec<Argument>,
}

/// The code of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    /// Compiled modules.
    pub(super) modules: Vec<Vec<u8>>,
    /// Packages that it uses.
    pub(super) dependencies: Vec<Address>,
}

type Read<T> = Result<T, TransactionError>;

impl Argument {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        match reader.byte()? {
            0 => Ok(Self::GasCoin),
            1 => bcs::u16(reader).map(Self::Input),
            2 => bcs::u16(reader).map(Self::Result),
            3 => Ok(Self::Nested(bcs::u16(reader)?, bcs::u16(reader)?)),
            _ => Err(reader.malformed("has an argument of an unknown kind")),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::GasCoin => out.push(0),
            Self::Input(index) => {
                out.push(1);
                out.extend(index.to_le_bytes());
            }
            Self::Result(command) => {
                out.push(2);
                out.extend(command.to_le_bytes());
            }
            Self::Nested(command, index) => {
                out.push(3);
                out.extend(command.to_le_bytes());
                out.extend(index.to_le_bytes());
            }
        }
    }

    /// Whether it refers to one of so many inputs or to one of so many earlier commands.
    fn exists(self, inputs: usize, commands: usize) -> bool {
        match self {
            Self::GasCoin => true,
            Self::Input(index) => usize::from(index) < inputs,
            Self::Result(command) | Self::Nested(command, _) => usize::from(command) < commands,
        }
    }
}

impl Command {
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        match reader.byte()? {
            0 => Ok(Self::MoveCall(Box::new(MoveCall::read(reader)?))),
            1 => Ok(Self::TransferObjects { objects: arguments(reader)?, address: Argument::read(reader)? }),
            2 => Ok(Self::SplitCoins { coin: Argument::read(reader)?, amounts: arguments(reader)? }),
            3 => Ok(Self::MergeCoins { destination: Argument::read(reader)?, sources: arguments(reader)? }),
            4 => Package::read(reader).map(Self::Publish),
            5 => Ok(Self::MakeMoveVec {
                kind: bcs::option(reader, TypeTag::read)?,
                elements: arguments(reader)?,
            }),
            6 => Ok(Self::Upgrade {
                code: Package::read(reader)?,
                package: reader.array()?,
                ticket: Argument::read(reader)?,
            }),
            _ => Err(reader.malformed("has a command of an unknown kind")),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::MoveCall(call) => {
                out.push(0);
                call.write(out);
            }
            Self::TransferObjects { objects, address } => {
                out.push(1);
                bcs::write_sequence(out, objects, Argument::write);
                address.write(out);
            }
            Self::SplitCoins { coin: first, amounts: rest } => write_coins(2, first, rest, out),
            Self::MergeCoins { destination: first, sources: rest } => write_coins(3, first, rest, out),
            Self::Publish(package) => {
                out.push(4);
                package.write(out);
            }
            Self::MakeMoveVec { kind, elements } => {
                out.push(5);
                bcs::write_option(out, kind.as_ref(), TypeTag::write);
                bcs::write_sequence(out, elements, Argument::write);
            }
            Self::Upgrade { code, package, ticket } => {
                out.push(6);
                code.write(out);
                out.extend(package);
                ticket.write(out);
            }
        }
    }

    /// Everything that it works on.
    pub(super) fn arguments(&self) -> Vec<Argument> {
        let one_and_more = |one: &Argument, more: &[Argument]| [std::slice::from_ref(one), more].concat();
        match self {
            Self::MoveCall(call) => call.arguments.clone(),
            Self::TransferObjects { objects, address } => one_and_more(address, objects),
            Self::SplitCoins { coin, amounts } => one_and_more(coin, amounts),
            Self::MergeCoins { destination, sources } => one_and_more(destination, sources),
            Self::Publish(_) => Vec::new(),
            Self::MakeMoveVec { elements, .. } => elements.clone(),
            Self::Upgrade { ticket, .. } => vec![*ticket],
        }
    }

    /// Whether all that it works on is an input or comes from a command before.
    pub(super) fn refers_back(&self, inputs: usize, commands: usize) -> bool {
        self.arguments().into_iter().all(|argument| argument.exists(inputs, commands))
    }
}

fn arguments(reader: &mut Reader<'_>) -> Read<Vec<Argument>> {
    bcs::sequence(reader, MAX_ARGUMENTS, Argument::read)
}

/// Splitting and merging look alike.
fn write_coins(variant: u8, first: &Argument, rest: &[Argument], out: &mut Vec<u8>) {
    out.push(variant);
    first.write(out);
    bcs::write_sequence(out, rest, Argument::write);
}

impl MoveCall {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        Ok(Self {
            package: reader.array()?,
            module: bcs::identifier(reader)?,
            function: bcs::identifier(reader)?,
            types: bcs::sequence(reader, MAX_ARGUMENTS, TypeTag::read)?,
            arguments: arguments(reader)?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.package);
        bcs::write_bytes(out, self.module.as_bytes());
        bcs::write_bytes(out, self.function.as_bytes());
        bcs::write_sequence(out, &self.types, TypeTag::write);
        bcs::write_sequence(out, &self.arguments, Argument::write);
    }
}

impl Package {
    fn read(reader: &mut Reader<'_>) -> Read<Self> {
        Ok(Self {
            modules: bcs::sequence(reader, MAX_MODULES, |reader| Ok(bcs::bytes(reader)?.to_vec()))?,
            dependencies: bcs::sequence(reader, MAX_ARGUMENTS, |reader| reader.array())?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        bcs::write_sequence(out, &self.modules, |module, out| bcs::write_bytes(out, module));
        bcs::write_sequence(out, &self.dependencies, |package, out| out.extend(package));
    }

    /// Length of the code.
    pub(super) fn len(&self) -> usize {
        self.modules.iter().map(Vec::len).sum()
    }
}
