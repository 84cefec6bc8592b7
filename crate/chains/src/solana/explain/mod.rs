//! What a message does, as far as its bytes tell.
//!
//! A program is known by its address; its instructions are read exactly, and one byte more or less than expected makes
//! an instruction unknown. What only the network knows, such as the contents of a lookup table, is not guessed: whom an
//! instruction pays must be in the message, or its worth is not read. Wrapped coins are coins: an account may hold either,
//! and turning one into the other gives nothing away.

mod budget;
mod call;
mod jupiter;
mod pools;
mod stake;
mod system;
mod token;
mod wallets;

use super::message::{Key, Message};
use super::{base58, program};
use crate::explain::{Asset, Effect, Explanation, Fee, Party, PartyRole};
use crate::facts::{Facts, Wanted};
use crate::transaction::Account;
use crate::{Amount, Chain, encoding, thorchain_memo};
use call::{Args, Call, spell};
use wallets::Wallets;
use wire::node::FactQuery;

/// What one instruction does, and whom it names beside; nothing where it cannot be decoded.
type Read = Option<Told>;

pub(super) use system::advances_nonce;

/// What an instruction does, and whom it names beside.
#[derive(Default)]
struct Told {
    effects: Vec<Effect>,
    parties: Vec<Party>,
}

impl Told {
    fn nothing() -> Self {
        Self::default()
    }

    /// Something that gives nothing away.
    fn note<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Effect::note(name, fields).into()
    }

    /// Something whose worth is not read.
    fn other<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Effect::other(name, fields).into()
    }

    fn and(mut self, address: String, role: PartyRole) -> Self {
        self.parties.push(Party::new(address, role));
        self
    }
}

impl From<Effect> for Told {
    fn from(effect: Effect) -> Self {
        Self { effects: vec![effect], parties: Vec::new() }
    }
}

/// Explains a message that `account` signs.
pub(super) fn explain(message: &Message, account: &Account, facts: Facts<'_>) -> Explanation {
    let view = View::new(message, account, facts);
    let mut told = Told::nothing();
    let mut memos: Vec<&[u8]> = Vec::new();
    if let Some(payer) = message.payer().filter(|payer| **payer != view.own) {
        told.effects.push(Effect::note("feePayer", [("address", base58(payer))]));
    }
    for call in calls(message) {
        if is_memo(&call) {
            memos.push(call.data);
            continue;
        }
        let found = view.read(&call).unwrap_or_else(|| call.unknown().into());
        told.effects.extend(found.effects);
        told.parties.extend(found.parties);
    }
    let texts: Vec<_> = memos.iter().map(|memo| String::from_utf8_lossy(memo)).collect();
    told.parties.extend(texts.iter().flat_map(|text| thorchain_memo::parties(text)));
    if let [text] = texts.as_slice() {
        told.effects = deposited(told.effects, text, facts);
    }
    let further = memos.iter().skip(1);
    told.effects.extend(further.map(|memo| Effect::note("memo", [("text", encoding::readable(memo))])));
    let budget = budget::read(message);
    Explanation {
        chain: Chain::Solana,
        from: account.address.clone(),
        target: None,
        effects: told.effects,
        memo: memos.first().map(|memo| encoding::readable(memo)),
        parties: told.parties,
        fee: budget.as_ref().map_or(Fee::Unknown, |budget| Fee::AtMost(budget.fee(message))),
        gas_limit: budget.and_then(|budget| budget.limit).map(u64::from),
        nonce: None,
    }
}

/// What is asked of nodes: whose the token accounts are that the message does not prove, and where swap networks take
/// deposits if the memo is for one.
pub(super) fn wanted(message: &Message, account: &Account) -> Vec<Wanted> {
    let view = View::new(message, account, Facts::default());
    for call in calls(message) {
        view.read(&call);
    }
    let account =
        |key: Key| Wanted { chain: Chain::Solana, query: FactQuery::TokenAccount { address: base58(&key) } };
    let mut memos = calls(message).filter(is_memo).map(|call| String::from_utf8_lossy(call.data));
    let deposits = memos.next().map(|memo| thorchain_memo::wanted(&memo)).unwrap_or_default();
    view.wallets.unproven().into_iter().map(account).chain(deposits).collect()
}

/// What the memo asks a swap network to do with the one payment of a message.
fn deposited(effects: Vec<Effect>, memo: &str, facts: Facts<'_>) -> Vec<Effect> {
    let pays = |effect: &&Effect| matches!(effect, Effect::Transfer { .. });
    if effects.iter().filter(pays).count() != 1 {
        return effects;
    }
    let paid = |effect| match effect {
        Effect::Transfer { asset, to, amount } => {
            thorchain_memo::payment(Chain::Solana, facts, memo, &to, asset, amount)
        }
        other => other,
    };
    effects.into_iter().map(paid).collect()
}

fn calls(message: &Message) -> impl Iterator<Item = Call<'_>> {
    message.instructions.iter().filter_map(|instruction| Call::new(message, instruction))
}

fn is_memo(call: &Call<'_>) -> bool {
    [program::MEMO, program::MEMO_V1].contains(call.program)
}

/// What decoding needs to know beside the instruction.
struct View<'a> {
    /// Who signs.
    own: Key,
    /// Token accounts whose owner and mint are known.
    wallets: Wallets<'a>,
    /// New accounts that this message makes the signer's.
    held: Vec<Key>,
}

impl<'a> View<'a> {
    fn new(message: &'a Message, account: &Account, facts: Facts<'a>) -> Self {
        let own = super::key(account).unwrap_or_default();
        let held = |call: Call<'_>| match *call.program {
            program::TOKEN | program::TOKEN_2022 => {
                token::initialised(&call).filter(|wallet| wallet.owner == own).map(|wallet| wallet.account)
            }
            program::STAKE => stake::initialised(&call, &own),
            program::SYSTEM => system::initialised_nonce(&call, &own),
            _ => None,
        };
        let held = calls(message).filter_map(held).collect();
        Self { own, wallets: Wallets::new(message, own, facts), held }
    }

    fn read(&self, call: &Call<'_>) -> Read {
        match *call.program {
            program::SYSTEM => system::read(self, call),
            program::TOKEN | program::TOKEN_2022 => token::read(self, call),
            program::ASSOCIATED_TOKEN => token::read_create(self, call),
            program::STAKE => stake::read(self, call),
            program::JUPITER => jupiter::read(self, call),
            program::RAYDIUM_AMM | program::RAYDIUM_CPMM | program::ORCA_WHIRLPOOL => pools::read(self, call),
            program::COMPUTE_BUDGET => budget::Setting::decode(call.data).map(|_| Told::nothing()),
            _ => None,
        }
    }

    fn is_own(&self, key: &Key) -> bool {
        self.own == *key
    }
}

/// What goes from one account to another.
struct Moved {
    /// Nothing where the token is not known.
    asset: Option<Asset>,
    /// Whose word it is done on.
    by_signer: bool,
    from: String,
    /// Nothing where the account is in a lookup table.
    to: Option<String>,
    amount: u64,
}

impl Moved {
    /// The movement. One of something unknown, or to an account that the message does not name, is not weighed.
    fn told(self, place: String) -> Told {
        let Self { asset, by_signer, from, to, amount } = self;
        let units = Amount::from(amount);
        match (asset, to) {
            (Some(asset), Some(to)) if by_signer => Effect::Transfer { asset, to, amount: units }.into(),
            (Some(asset), Some(to)) => Effect::TransferFrom { asset, from, to, amount: units }.into(),
            (_, to) => {
                let to = to.unwrap_or(place);
                let fields = [("from", from), ("to", to.clone()), ("amount", amount.to_string())];
                Told::other("transfer", fields).and(to, PartyRole::Recipient)
            }
        }
    }
}
