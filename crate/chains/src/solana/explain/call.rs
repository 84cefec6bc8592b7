//! An instruction with its accounts looked up, and its data.

use crate::Amount;
use crate::explain::{Effect, Function};
use crate::reader::Reader;
use crate::solana::base58;
use crate::solana::message::{Instruction, Key, Message, Named};

/// An instruction with its accounts looked up.
pub(super) struct Call<'a> {
    pub(super) program: &'a Key,
    pub(super) accounts: Vec<Named<'a>>,
    pub(super) data: &'a [u8],
}

impl<'a> Call<'a> {
    pub(super) fn new(message: &'a Message, instruction: &'a Instruction) -> Option<Self> {
        let accounts = instruction.accounts.iter().filter_map(|place| message.account(*place)).collect();
        Some(Self { program: message.program(instruction)?, accounts, data: &instruction.data })
    }

    /// The account at this place among those that are passed.
    pub(super) fn account(&self, place: usize) -> Option<Named<'a>> {
        self.accounts.get(place).copied()
    }

    /// The account at this place, if the message names it by its key.
    pub(super) fn key(&self, place: usize) -> Option<Key> {
        as_key(self.account(place)?)
    }

    /// How the account at this place is spelt.
    pub(super) fn name(&self, place: usize) -> Option<String> {
        self.account(place).map(spell)
    }

    pub(super) fn args(&self) -> Args<'a> {
        Args::new(self.data)
    }

    pub(super) fn unknown(&self) -> Effect {
        let selector = self.data.first_chunk().copied();
        let function = Function::Unknown { selector, bytes: self.data.len() };
        Effect::Call { contract: base58(self.program), value: Amount::ZERO, function }
    }

    /// The accounts under these names, in their order. Nothing where one of them is in a lookup table.
    pub(super) fn fields<'b>(&self, names: &[&'b str]) -> Option<Vec<(&'b str, String)>> {
        let field = |(place, name): (usize, &&'b str)| Some((*name, base58(&self.key(place)?)));
        names.iter().enumerate().map(field).collect()
    }
}

/// The key of an account that is named by it.
pub(super) const fn as_key(account: Named<'_>) -> Option<Key> {
    match account {
        Named::Key(key) => Some(*key),
        Named::Entry { .. } => None,
    }
}

/// An account as it is shown.
pub(super) fn spell(account: Named<'_>) -> String {
    match account {
        Named::Key(key) => base58(key),
        Named::Entry { table, index } => format!("lookup table {}[{index}]", base58(table)),
    }
}

/// An instruction's data, read from the front.
pub(super) struct Args<'a>(Reader<'a>);

impl<'a> Args<'a> {
    pub(super) const fn new(data: &'a [u8]) -> Self {
        Self(Reader::new("", data))
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.0.byte().ok()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.0.array().ok().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.0.array().ok().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.0.array().ok().map(u64::from_le_bytes)
    }

    pub(super) fn key(&mut self) -> Option<Key> {
        self.0.array().ok()
    }

    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        self.0.take(count).ok().map(drop)
    }

    /// A text with its length before it in 64 bits.
    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.u64()?).ok()?;
        String::from_utf8(self.0.take(length).ok()?.to_vec()).ok()
    }

    /// Nothing may be left.
    pub(super) fn end(self) -> Option<()> {
        self.0.finish().ok()
    }
}
