//! The instructions that a keysign payload stands for, and how they become a message.

use super::message::{Header, Instruction, Key, Message, Version};
use super::program;
use crate::order;

/// A program's call before its accounts have places.
#[derive(Debug, Clone)]
pub(super) struct Call {
    program: Key,
    accounts: Vec<Passed>,
    data: Vec<u8>,
}

/// An account as it is passed.
#[derive(Debug, Clone, Copy)]
struct Passed {
    key: Key,
    signs: bool,
    written: bool,
}

const fn reads(key: Key) -> Passed {
    Passed { key, signs: false, written: false }
}

const fn writes(key: Key) -> Passed {
    Passed { key, signs: false, written: true }
}

const fn signs(key: Key) -> Passed {
    Passed { key, signs: true, written: false }
}

const fn pays(key: Key) -> Passed {
    Passed { key, signs: true, written: true }
}

/// What is paid for each unit of computation, in millionths of a lamport.
pub(super) fn compute_price(price: u64) -> Call {
    let data = [&[3], price.to_le_bytes().as_slice()].concat();
    Call { program: program::COMPUTE_BUDGET, accounts: Vec::new(), data }
}

/// How many units of computation may be used.
pub(super) fn compute_limit(limit: u32) -> Call {
    let data = [&[2], limit.to_le_bytes().as_slice()].concat();
    Call { program: program::COMPUTE_BUDGET, accounts: Vec::new(), data }
}

/// A public text.
pub(super) fn memo(text: &str) -> Call {
    Call { program: program::MEMO, accounts: Vec::new(), data: text.as_bytes().to_vec() }
}

/// Lamports from one account to another.
pub(super) fn transfer(from: Key, to: Key, lamports: u64) -> Call {
    let data = [2u32.to_le_bytes().as_slice(), &lamports.to_le_bytes()].concat();
    Call { program: program::SYSTEM, accounts: vec![pays(from), writes(to)], data }
}

/// A token, with the program that keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) program: Key,
    pub(super) mint: Key,
    pub(super) decimals: u8,
}

impl Token {
    /// Makes the associated account of `owner`. The rent account is no longer needed and still passed: wallets must
    /// agree on every byte.
    pub(super) fn create_account(&self, payer: Key, account: Key, owner: Key) -> Call {
        let fixed = [owner, self.mint, program::SYSTEM, self.program, program::RENT].map(reads);
        let accounts = [pays(payer), writes(account)].into_iter().chain(fixed).collect();
        Call { program: program::ASSOCIATED_TOKEN, accounts, data: Vec::new() }
    }

    /// `TransferChecked`: refused by the program if mint or decimals are not the token's.
    pub(super) fn transfer(&self, owner: Key, from: Key, to: Key, amount: u64) -> Call {
        let accounts = vec![writes(from), reads(self.mint), writes(to), signs(owner)];
        let data = [&[12], amount.to_le_bytes().as_slice(), &[self.decimals]].concat();
        Call { program: self.program, accounts, data }
    }
}

/// A version 0 message of these calls, or nothing if it had more accounts than can be counted.
///
/// Who signs comes before who does not, and in each half who is written before who is only read; in each of the four
/// groups first the accounts of all calls in their order, then the programs.
pub(super) fn compile(payer: Key, blockhash: [u8; 32], calls: &[Call]) -> Option<Message> {
    let mut passed = vec![pays(payer)];
    let programs = calls.iter().map(|call| reads(call.program));
    for account in calls.iter().flat_map(|call| call.accounts.iter().copied()).chain(programs) {
        match passed.iter_mut().find(|known| known.key == account.key) {
            Some(known) => {
                known.signs |= account.signs;
                known.written |= account.written;
            }
            None => passed.push(account),
        }
    }
    order::sort_by_key(&mut passed, |account| (!account.signs, !account.written));
    let count = |signs, written: bool| {
        let wanted = |account: &&Passed| account.signs == signs && account.written == written;
        u8::try_from(passed.iter().filter(wanted).count()).ok()
    };
    let header = Header {
        signers: count(true, true)?.checked_add(count(true, false)?)?,
        readonly_signers: count(true, false)?,
        readonly_others: count(false, false)?,
    };
    let keys: Vec<Key> = passed.iter().map(|account| account.key).collect();
    let place = |key: &Key| u8::try_from(keys.iter().position(|known| known == key)?).ok();
    let instruction = |call: &Call| {
        Some(Instruction {
            program: place(&call.program)?,
            accounts: call.accounts.iter().map(|account| place(&account.key)).collect::<Option<_>>()?,
            data: call.data.clone(),
        })
    };
    let instructions = calls.iter().map(instruction).collect::<Option<_>>()?;
    Some(Message { version: Version::V0, header, keys, blockhash, instructions, lookups: Vec::new() })
}
