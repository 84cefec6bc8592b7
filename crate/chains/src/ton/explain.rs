//! What a letter does, read from the cell that is signed.

use super::Letter;
use super::cell::{AccountId, Builder, Cell, Slice};
use super::message::{COMMENT, ITEM_TRANSFER, ItemTransfer, JETTON_TRANSFER, JettonTransfer, Message};
use super::message::{IGNORE_ERRORS, Order, PAY_FEES_SEPARATELY, SEND_ALL};
use crate::explain::{Asset, Effect, Explanation, Fee, Function, Party, PartyRole};
use crate::facts::{Facts, Wanted};
use crate::transaction::Account;
use crate::{Amount, Chain, thorchain_memo};
use wire::node::FactQuery;

/// A comment is cut off here; longer ones only come from applications.
const MAX_COMMENT_CELLS: usize = 64;
/// What pays for a transfer of a jetton or an item on its way: wallets attach up to a tenth of a coin. More than that is
/// a payment to the contract.
const MAX_FOR_GAS: u128 = 100_000_000;

pub(super) fn explain(letter: &Letter, account: &Account, facts: Facts<'_>) -> Explanation {
    let (told, order) = read(letter, facts);
    let mut parties = told.parties;
    parties.extend(told.memos.iter().flat_map(|memo| thorchain_memo::parties(memo)));
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects: told.effects,
        memo: (!told.memos.is_empty()).then(|| told.memos.join("\n")),
        parties,
        fee: Fee::SetByChain,
        gas_limit: None,
        nonce: order.map(|order| u64::from(order.sequence)),
    }
}

/// What is asked of nodes: which jettons are sent, and where swap networks take deposits if a comment is for one.
pub(super) fn wanted(letter: &Letter) -> Vec<Wanted> {
    let (told, _) = read(letter, Facts::default());
    let deposits = told.memos.iter().flat_map(|memo| thorchain_memo::wanted(memo));
    let wallet = |address| Wanted { chain: Chain::Ton, query: FactQuery::TokenAccount { address } };
    told.jetton_wallets.into_iter().map(wallet).chain(deposits).collect()
}

fn read<'a>(letter: &Letter, facts: Facts<'a>) -> (Told<'a>, Option<Order>) {
    let mut told = Told {
        facts,
        own: letter.wallet,
        effects: Vec::new(),
        parties: Vec::new(),
        memos: Vec::new(),
        jetton_wallets: Vec::new(),
    };
    let order = Order::decode(&letter.body);
    match &order {
        Some(order) => {
            order.messages.iter().for_each(|message| told.message(message));
            told.note("valid until", vec![("seconds since 1970", order.valid_until.to_string())]);
        }
        None => told.unknown("wallet order", &letter.body),
    }
    (told, order)
}

struct Told<'a> {
    facts: Facts<'a>,
    /// Who signs.
    own: AccountId,
    effects: Vec<Effect>,
    parties: Vec<Party>,
    memos: Vec<String>,
    jetton_wallets: Vec<String>,
}

impl Told<'_> {
    fn message(&mut self, message: &Message) {
        if message.mode & !(SEND_ALL | IGNORE_ERRORS | PAY_FEES_SEPARATELY) != 0 {
            self.effects.push(Effect::other("send mode", [("mode", message.mode.to_string())]));
        }
        if message.mode & SEND_ALL != 0 {
            self.note("send the whole balance", vec![("to", message.to.text(message.bounce))]);
        }
        if let Some(state) = &message.state_init {
            self.effects.push(Effect::Create { value: Amount::ZERO, bytes: state.total_bytes() });
        }
        let mut body = message.body.slice();
        if body.is_empty() {
            return self.coins(message, "");
        }
        match body.u32() {
            Some(COMMENT) if let Some(text) = comment(&body) => {
                self.coins(message, &text);
                self.memos.push(text);
            }
            Some(JETTON_TRANSFER) if let Some(transfer) = JettonTransfer::decode(body.clone()) => {
                self.jetton(message, &transfer);
            }
            Some(ITEM_TRANSFER) if let Some(transfer) = ItemTransfer::decode(body.clone()) => {
                self.item(message, &transfer);
            }
            operation => {
                let (contract, value) = (message.to.text(message.bounce), coins_of(message));
                let bytes = message.body.total_bytes();
                let function = Function::Unknown { selector: operation.map(u32::to_be_bytes), bytes };
                self.effects.push(Effect::Call { contract, value, function });
            }
        }
    }

    fn coins(&mut self, message: &Message, comment: &str) {
        let (to, amount) = (message.to.text(message.bounce), coins_of(message));
        let (chain, asset) = (Chain::Ton, Asset::Native);
        self.effects.push(thorchain_memo::payment(chain, self.facts, comment, &to, asset, amount));
    }

    fn jetton(&mut self, message: &Message, transfer: &JettonTransfer<'_>) {
        let wallet = message.to.text(true);
        let asset = Asset::Token { id: self.jetton_of(&wallet).unwrap_or_else(|| wallet.clone()) };
        self.jetton_wallets.push(wallet);
        let to = transfer.destination.text(false);
        self.effects.push(Effect::Transfer { asset, to, amount: Amount::from(transfer.amount) });
        self.attached("jetton transfer", message, transfer.query, transfer.forward, transfer.response);
        self.forwarded(transfer.custom, &transfer.payload);
    }

    /// The jetton of a wallet that a node says is the signer's. The bytes do not say, so without a node the wallet stands
    /// for the jetton.
    fn jetton_of(&self, wallet: &str) -> Option<String> {
        let fact = self.facts.token_account(wallet)?;
        let read = |text| AccountId::parse("address", text).ok();
        let jetton = read(fact.token).filter(|_| read(fact.owner) == Some(self.own))?;
        Some(jetton.text(true))
    }

    fn item(&mut self, message: &Message, transfer: &ItemTransfer<'_>) {
        let asset = Asset::Item { collection: message.to.text(true), id: Amount::ZERO };
        let to = transfer.owner.text(false);
        self.effects.push(Effect::Transfer { asset, to, amount: Amount::from(1) });
        self.attached("item transfer", message, transfer.query, transfer.forward, transfer.response);
        self.forwarded(transfer.custom, &transfer.payload);
    }

    /// The coins that pay for a transfer on its way; what is left goes to `response`, if one is named. The contract may be
    /// anybody's, so what is more than the way costs is a payment to it.
    fn attached(
        &mut self,
        name: &str,
        message: &Message,
        query: u64,
        forward: u128,
        response: Option<AccountId>,
    ) {
        let (contract, value) = (message.to.text(message.bounce), coins_of(message));
        if value > Amount::from(MAX_FOR_GAS) {
            let to = contract.clone();
            self.effects.push(Effect::Transfer { asset: Asset::Native, to, amount: value });
        }
        let mut fields = vec![
            ("contract", contract),
            ("attached", value.to_string()),
            ("forwarded", forward.to_string()),
            ("query", query.to_string()),
        ];
        if let Some(response) = response.map(|response| response.text(false)) {
            self.parties.push(Party::new(response.clone(), PartyRole::Refund));
            fields.push(("rest returns to", response));
        }
        self.note(name, fields);
    }

    /// What goes to the jetton's or item's own code, and on to the receiver.
    fn forwarded(&mut self, custom: Option<&Cell>, payload: &Slice<'_>) {
        if let Some(custom) = custom {
            self.unknown("custom payload", custom);
        }
        if payload.is_empty() {
            return;
        }
        let mut text = payload.clone();
        match text.u32() {
            Some(COMMENT) if let Some(text) = comment(&text) => self.memos.push(text),
            _ => {
                let cell = Builder::new().slice(payload).fixed();
                self.unknown("forward payload", &cell);
            }
        }
    }

    fn note(&mut self, name: &str, fields: Vec<(&str, String)>) {
        self.effects.push(Effect::note(name, fields));
    }

    fn unknown(&mut self, what: &str, cell: &Cell) {
        self.effects.push(Effect::Unknown { what: what.to_owned(), bytes: cell.total_bytes() });
    }
}

/// What a message takes from the account. A message that sends everything names no amount, and any limit is below it.
fn coins_of(message: &Message) -> Amount {
    if message.mode & SEND_ALL == 0 { Amount::from(message.value) } else { Amount::MAX }
}

/// Text in whole bytes, continued in one reference after the other; `None` if it is something else.
fn comment(slice: &Slice<'_>) -> Option<String> {
    let mut slice = slice.clone();
    let mut bytes = Vec::new();
    for _ in 0..MAX_COMMENT_CELLS {
        if !slice.bits_left().is_multiple_of(8) {
            return None;
        }
        bytes.extend(slice.bytes(slice.bits_left() / 8)?);
        let Some(next) = slice.reference() else {
            return String::from_utf8(bytes).ok();
        };
        if !slice.is_empty() {
            return None;
        }
        slice = next.slice();
    }
    None
}
