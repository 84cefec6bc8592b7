//! What a transaction does, from its fields.

use super::abi::Signature;
use super::call::{Call, Reading};
use super::functions::{self, Meaning};
use super::{Fields, deposit};
use crate::address::evm;
use crate::encoding::plain_text;
use crate::explain::{Asset, Effect};
use crate::facts::{Facts, Wanted};
use crate::{Account, thorchain_memo, token};
use wire::node::FactQuery;

/// What happens, and the text that goes with a plain transfer.
pub(super) fn of(fields: &Fields, account: &Account, facts: Facts<'_>) -> (Reading, Option<String>) {
    let Some(contract) = fields.to else {
        let create = Effect::Create { value: fields.value, bytes: fields.data.len() };
        return (Reading::whole(vec![create]), None);
    };
    if fields.data.is_empty() {
        let to = evm::encode(&contract);
        let paid = Effect::Transfer { asset: Asset::Native, to, amount: fields.value };
        return (Reading::whole(vec![paid]), None);
    }
    let call = Call::new(account, facts, contract, fields.value);
    if let Some(reading) = call.read(&fields.data) {
        return (reading, None);
    }
    // Data that a person can read. The arguments of a call have zeros in them and are no text.
    let memo = plain_text(&fields.data);
    let paid = memo.and_then(|memo| deposit::payment(&call, memo));
    // Unless a node says that a network reads it, text is a call too: a contract reads the first four letters as a function.
    let reading = paid.unwrap_or_else(|| Reading {
        effects: vec![call.unknown(&fields.data, fields.value)],
        parties: memo.map(thorchain_memo::parties).unwrap_or_default(),
        ..Reading::default()
    });
    (reading, memo.map(str::to_owned))
}

/// What nodes are asked: where the networks take deposits, if there is a memo for one; whether a contract is a collection,
/// if an amount might be the number of an item.
pub(super) fn wanted(fields: &Fields, account: &Account) -> Vec<Wanted> {
    let Some(contract) = fields.to else { return Vec::new() };
    let Some((selector, data)) = fields.data.split_first_chunk() else { return Vec::new() };
    let found = functions::find(None, *selector);
    if let Some((Meaning::Transfer | Meaning::Approve, text)) = found {
        let id = evm::encode(&contract);
        let is_known = token::on(account.chain).iter().any(|token| token.contract.eq_ignore_ascii_case(&id));
        let may_be_item = text.starts_with("transferFrom(") || text.starts_with("approve(");
        let asked = Wanted { chain: account.chain, query: FactQuery::Token { id } };
        return Some(asked).filter(|_| may_be_item && !is_known).into_iter().collect();
    }
    let arguments = functions::named(*selector).and_then(|text| Signature::parse(text)?.decode(data));
    let of_call = arguments.as_ref().and_then(|arguments| arguments.text("memo"));
    of_call.or_else(|| plain_text(&fields.data)).map(thorchain_memo::wanted).unwrap_or_default()
}
