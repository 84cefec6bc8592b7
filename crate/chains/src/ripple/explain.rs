//! What a transaction does, read back from its bytes.

use super::amount::{Money, currency_text, token_id};
use super::object::{Object, Step, Value, get};
use super::payment::named;
use super::{account_text, fields, parties, payment};
use crate::explain::{Asset, Effect, Explanation, Fee};
use crate::facts::{Facts, Wanted};
use crate::transaction::Account;
use crate::{encoding, thorchain_memo};
use std::borrow::Cow;

/// Fields that are said elsewhere in an explanation, or say nothing about what happens.
const ASIDE: &[&str] =
    &["TransactionType", "Account", "Fee", "Sequence", "SigningPubKey", "Memos", "LastLedgerSequence"];
/// Types that take back what the account offered or set aside: they give nothing away.
const HARMLESS: &[&str] =
    &["OfferCancel", "TicketCreate", "CheckCancel", "NFTokenCancelOffer", "EscrowCancel"];
/// Says that the signature is in its one form, and nothing else.
const CANONICAL: u32 = 0x8000_0000;

pub(super) fn explain(object: &Object, account: &Account, facts: Facts<'_>) -> Explanation {
    let name = kind(object);
    let memos = memos(object);
    let tag = number(object, "DestinationTag").filter(|_| name == "Payment");
    let mut effects = match name {
        "Payment" => payment::effects(object, ASIDE, &only(&memos), facts),
        _ => vec![other(name, object)],
    };
    if let (Some(tag), false) = (tag, memos.is_empty()) {
        effects.push(Effect::note("DestinationTag", [("tag", tag.to_string())]));
    }
    // Whom a payment pays, its effect names: the account of a swap network is no recipient.
    let named = effects.iter().any(|effect| matches!(effect, Effect::Transfer { .. } | Effect::Swap(_)));
    let mut parties = if named { Vec::new() } else { parties::of(name, object) };
    parties.extend(memos.iter().flat_map(|memo| thorchain_memo::parties(&String::from_utf8_lossy(memo))));
    let shown = memos.iter().map(|memo| encoding::readable(memo)).collect::<Vec<_>>();
    let memo = (!shown.is_empty()).then(|| shown.join("\n"));
    Explanation {
        chain: account.chain,
        from: address(object, "Account"),
        target: None,
        effects,
        memo: memo.or_else(|| tag.map(|tag| tag.to_string())),
        parties,
        fee: money(object, "Fee").and_then(Money::units).map_or(Fee::Unknown, Fee::AtMost),
        gas_limit: None,
        nonce: number(object, "TicketSequence").or_else(|| number(object, "Sequence")).map(u64::from),
    }
}

/// What is asked of nodes about a payment with this memo.
pub(super) fn wanted(object: &Object) -> Vec<Wanted> {
    if kind(object) == "Payment" { thorchain_memo::wanted(&only(&memos(object))) } else { Vec::new() }
}

/// The memo that a swap network reads: the only one.
fn only<'a>(memos: &[&'a [u8]]) -> Cow<'a, str> {
    match memos {
        [memo] => String::from_utf8_lossy(memo),
        _ => Cow::Borrowed(""),
    }
}

fn kind(object: &Object) -> &'static str {
    let code = number(object, "TransactionType").and_then(|code| u16::try_from(code).ok());
    code.and_then(fields::type_name).unwrap_or("transaction")
}

pub(super) fn asset(money: &Money) -> Asset {
    money.token().map_or(Asset::Native, |id| Asset::Token { id })
}

/// A transaction of another type: every field by its name.
fn other(name: &str, object: &Object) -> Effect {
    let flags = number(object, "Flags").unwrap_or_default();
    let harmless = HARMLESS.contains(&name) && flags & !CANONICAL == 0;
    named(name, object, |field| !ASIDE.contains(&field) && (field != "Flags" || flags != 0), harmless)
}

pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Hash(bytes) | Value::Blob(bytes) => encoding::hex(bytes).to_ascii_uppercase(),
        Value::Amount(money) => money.text(),
        Value::Account(account) => account_text(account),
        Value::Object(object) | Value::Array(object) => {
            let entry = |(field, value): &(&fields::Field, Value)| format!("{}: {}", field.name, text(value));
            object.iter().map(entry).collect::<Vec<_>>().join(", ")
        }
        Value::Paths(paths) => {
            let path = |path: &Vec<Step>| path.iter().map(step).collect::<Vec<_>>().join(" > ");
            paths.iter().map(path).collect::<Vec<_>>().join(" | ")
        }
        Value::Hashes(hashes) => {
            hashes.iter().map(|hash| encoding::hex(hash).to_ascii_uppercase()).collect::<Vec<_>>().join(", ")
        }
        Value::Issue(currency, Some(issuer)) => token_id(currency, issuer),
        Value::Issue(currency, None) => currency_text(currency),
    }
}

fn step(step: &Step) -> String {
    let parts = [
        step.account.as_ref().map(account_text),
        step.currency.as_ref().map(currency_text),
        step.issuer.as_ref().map(account_text),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("/")
}

/// The data of all memos.
fn memos<'a>(object: &'a Object) -> Vec<&'a [u8]> {
    let Some(Value::Array(memos)) = get(object, "Memos") else { return Vec::new() };
    let data = |value: &'a Value| match value {
        Value::Object(memo) => match get(memo, "MemoData") {
            Some(Value::Blob(bytes)) => Some(bytes.as_slice()),
            _ => None,
        },
        _ => None,
    };
    memos.iter().filter_map(|(_, memo)| data(memo)).collect()
}

pub(super) fn number(object: &Object, name: &str) -> Option<u32> {
    match get(object, name) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

pub(super) fn money<'a>(object: &'a Object, name: &str) -> Option<&'a Money> {
    match get(object, name) {
        Some(Value::Amount(money)) => Some(money),
        _ => None,
    }
}

/// The account in a field; empty where there is none.
pub(super) fn address(object: &Object, name: &str) -> String {
    match get(object, name) {
        Some(Value::Account(account)) => account_text(account),
        _ => String::new(),
    }
}
