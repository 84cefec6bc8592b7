//! What a message does, as far as its bytes tell.
//!
//! A program is known by its address; its instructions are read exactly, and one byte more or less than expected makes
//! an instruction unknown. What only the network knows, such as the contents of a lookup table, is not guessed.

mod budget;
mod jupiter;
mod stake;
mod system;
mod token;

use super::message::{Instruction, Key, Message, Named};
use super::{Stated, base58, program};
use crate::explain::{Asset, Effect, Explanation, Fee, Function};
use crate::reader::Reader;
use crate::transaction::Account;
use crate::{Amount, Chain, encoding, thorchain_memo};

/// What one instruction does, or nothing where it cannot be decoded.
type Effects = Option<Vec<Effect>>;

pub(super) use system::advances_nonce;

/// Explains a message that `account` signs.
pub(super) fn explain(message: &Message, account: &Account, stated: Stated) -> Explanation {
    let own = super::key(account).unwrap_or_default();
    let view = View { own, wallets: token::wallets(message, own, stated.receiver) };
    let mut effects = Vec::new();
    let mut memo: Option<String> = None;
    if let Some(payer) = message.payer().filter(|payer| **payer != own) {
        effects.push(Effect::note("feePayer", [("address", base58(payer))]));
    }
    for call in message.instructions.iter().filter_map(|instruction| Call::new(message, instruction)) {
        match text(&call).filter(|_| memo.is_none()) {
            Some(text) => memo = Some(text),
            None => effects.extend(view.effects(&call).unwrap_or_else(|| vec![call.unknown()])),
        }
    }
    if let (Some(network), Some(memo)) = (stated.network, &memo) {
        effects = effects.into_iter().map(|effect| deposit(network, memo, effect)).collect();
    }
    let budget = budget::read(message);
    Explanation {
        chain: Chain::Solana,
        from: account.address.clone(),
        target: None,
        effects,
        memo,
        parties: Vec::new(),
        fee: budget.as_ref().map_or(Fee::Unknown, |budget| Fee::AtMost(budget.fee(message))),
        gas_limit: budget.and_then(|budget| budget.limit).map(u64::from),
        nonce: None,
    }
}

/// What the memo asks the network to do with a transfer.
fn deposit(network: Chain, memo: &str, effect: Effect) -> Effect {
    let asked = match &effect {
        Effect::Transfer { asset, to, amount } => thorchain_memo::effect(network, memo, to, asset, *amount),
        _ => None,
    };
    asked.unwrap_or(effect)
}

/// The text of a memo.
fn text(call: &Call<'_>) -> Option<String> {
    let is_memo = [program::MEMO, program::MEMO_V1].contains(call.program);
    is_memo.then(|| encoding::readable(call.data))
}

/// What decoding needs to know beside the instruction.
struct View {
    /// Who signs.
    own: Key,
    /// Token accounts whose owner and mint the bytes prove.
    wallets: token::Wallets,
}

impl View {
    fn effects(&self, call: &Call<'_>) -> Effects {
        match *call.program {
            program::SYSTEM => system::effects(self, call),
            program::TOKEN | program::TOKEN_2022 => token::effects(self, call),
            program::ASSOCIATED_TOKEN => token::create_effects(call),
            program::STAKE => stake::effects(call),
            program::JUPITER => jupiter::effects(self, call),
            program::COMPUTE_BUDGET => budget::Setting::decode(call.data).map(|_| Vec::new()),
            program::MEMO | program::MEMO_V1 => Some(vec![Effect::note("memo", [("text", text(call)?)])]),
            _ => None,
        }
    }

    /// A movement of `asset` from `from`, on the word of `authority`.
    fn moved(&self, asset: Asset, authority: Named<'_>, from: String, to: String, amount: u64) -> Effect {
        let amount = Amount::from(amount);
        if authority == Named::Key(&self.own) {
            Effect::Transfer { asset, to, amount }
        } else {
            Effect::TransferFrom { asset, from, to, amount }
        }
    }
}

/// An instruction with its accounts looked up.
struct Call<'a> {
    program: &'a Key,
    accounts: Vec<Named<'a>>,
    data: &'a [u8],
}

impl<'a> Call<'a> {
    fn new(message: &'a Message, instruction: &'a Instruction) -> Option<Self> {
        let accounts = instruction.accounts.iter().filter_map(|place| message.account(*place)).collect();
        Some(Self { program: message.program(instruction)?, accounts, data: &instruction.data })
    }

    /// The account at this place among those that are passed.
    fn account(&self, place: usize) -> Option<Named<'a>> {
        self.accounts.get(place).copied()
    }

    /// How it is spelt.
    fn name(&self, place: usize) -> Option<String> {
        self.account(place).map(spell)
    }

    fn args(&self) -> Args<'a> {
        Args(Reader::new("", self.data))
    }

    fn unknown(&self) -> Effect {
        let selector = self.data.first_chunk().copied();
        let function = Function::Unknown { selector, bytes: self.data.len() };
        Effect::Call { contract: base58(self.program), value: Amount::ZERO, function }
    }
}

/// An instruction's data, read from the front.
struct Args<'a>(Reader<'a>);

impl Args<'_> {
    fn u8(&mut self) -> Option<u8> {
        self.0.byte().ok()
    }

    fn u16(&mut self) -> Option<u16> {
        self.0.array().ok().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.0.array().ok().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.0.array().ok().map(u64::from_le_bytes)
    }

    fn key(&mut self) -> Option<Key> {
        self.0.array().ok()
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.0.take(count).ok().map(drop)
    }

    /// A text with its length before it in 64 bits.
    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.u64()?).ok()?;
        String::from_utf8(self.0.take(length).ok()?.to_vec()).ok()
    }

    /// Nothing may be left.
    fn end(self) -> Option<()> {
        self.0.finish().ok()
    }
}

/// An account as it is shown.
fn spell(account: Named<'_>) -> String {
    match account {
        Named::Key(key) => base58(key),
        Named::Entry { table, index } => format!("lookup table {}[{index}]", base58(table)),
    }
}

/// An effect whose fields are the accounts under these names, in their order.
fn plain(call: &Call<'_>, name: &str, accounts: &[&str]) -> Option<Effect> {
    let field = |(place, label): (usize, &&str)| Some(((*label).to_owned(), call.name(place)?));
    let fields = accounts.iter().enumerate().map(field).collect::<Option<_>>()?;
    Some(Effect::Other { name: name.to_owned(), fields })
}
