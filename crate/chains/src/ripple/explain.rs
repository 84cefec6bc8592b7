//! What a transaction does, read back from its bytes.

use super::amount::{Money, currency_text, token_id};
use super::fields;
use super::object::{Object, Step, Value, get};
use super::payload::PARTIAL_PAYMENT;
use super::{Prepared, account_text};
use crate::encoding;
use crate::explain::{Asset, Bought, Effect, Explanation, Fee, Swap};
use crate::transaction::Account;

/// Fields that are said elsewhere in an explanation, or say nothing about what happens.
const ASIDE: &[&str] =
    &["TransactionType", "Account", "Fee", "Sequence", "SigningPubKey", "Memos", "LastLedgerSequence"];
/// The same of a payment, whose effect has them.
const OF_PAYMENT: &[&str] = &["Destination", "Amount", "DestinationTag", "Flags"];

pub(super) fn explain(transaction: &Prepared, account: &Account) -> Explanation {
    let object = &transaction.object;
    let kind = number(object, "TransactionType").and_then(|code| u16::try_from(code).ok());
    let name = kind.and_then(fields::type_name).unwrap_or("transaction");
    let memo = memos(object);
    let tag = number(object, "DestinationTag").filter(|_| name == "Payment");
    let mut effects = match name {
        "Payment" => payment(transaction),
        _ => vec![other(name, object, ASIDE)],
    };
    if let (Some(tag), true) = (tag, memo.is_some()) {
        effects.push(Effect::note("DestinationTag", [("tag", tag.to_string())]));
    }
    Explanation {
        chain: account.chain,
        from: address(object, "Account"),
        target: None,
        effects,
        memo: memo.or_else(|| tag.map(|tag| tag.to_string())),
        parties: Vec::new(),
        fee: money(object, "Fee").and_then(Money::units).map_or(Fee::Unknown, Fee::AtMost),
        gas_limit: None,
        nonce: number(object, "TicketSequence").or_else(|| number(object, "Sequence")).map(u64::from),
    }
}

fn payment(transaction: &Prepared) -> Vec<Effect> {
    let object = &transaction.object;
    let flags = number(object, "Flags").unwrap_or_default();
    let rest = other("Payment", object, &[ASIDE, OF_PAYMENT].concat());
    let mut effects = vec![transfer(object)];
    if flags != 0 {
        let name = if flags & PARTIAL_PAYMENT == 0 { "Flags" } else { "tfPartialPayment" };
        effects.push(Effect::note(name, [("flags", format!("{flags:#010x}"))]));
    }
    if matches!(&rest, Effect::Other { fields, .. } if !fields.is_empty()) {
        effects.push(rest);
    }
    effects
}

/// What arrives; where another currency is spent for it, an exchange on the ledger.
fn transfer(object: &Object) -> Effect {
    let to = address(object, "Destination");
    let whole = || other("Payment", object, ASIDE);
    let Some(amount) = money(object, "Amount") else { return whole() };
    let Some(units) = amount.units() else { return whole() };
    match money(object, "SendMax").filter(|most| most.token() != amount.token()) {
        None => Effect::Transfer { asset: asset(amount), to, amount: units },
        Some(most) => match most.units() {
            Some(spent) => Effect::Swap(Swap {
                provider: Some("XRP Ledger"),
                router: to.clone(),
                sell: asset(most),
                amount: spent,
                buy: Some(Bought::Here(asset(amount))),
                minimum_out: Some(units),
                recipient: Some(to),
            }),
            None => whole(),
        },
    }
}

fn asset(money: &Money) -> Asset {
    money.token().map_or(Asset::Native, |id| Asset::Token { id })
}

/// Every field by its name, without those that are said elsewhere.
fn other(name: &str, object: &Object, without: &[&str]) -> Effect {
    let shown = object.iter().filter(|(field, value)| {
        let without_flags = field.name == "Flags" && *value == Value::Number(0);
        !without_flags && !without.contains(&field.name)
    });
    let fields = shown.map(|(field, value)| (field.name.to_owned(), text(value))).collect();
    Effect::Other { name: name.to_owned(), fields }
}

fn text(value: &Value) -> String {
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

/// The texts of all memos; what is no text is shown in hex.
fn memos(object: &Object) -> Option<String> {
    let Some(Value::Array(memos)) = get(object, "Memos") else { return None };
    let data = |value: &Value| match value {
        Value::Object(memo) => match get(memo, "MemoData") {
            Some(Value::Blob(bytes)) => Some(encoding::readable(bytes)),
            _ => None,
        },
        _ => None,
    };
    let texts: Vec<String> = memos.iter().filter_map(|(_, memo)| data(memo)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

pub(super) fn number(object: &Object, name: &str) -> Option<u32> {
    match get(object, name) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    }
}

fn money<'a>(object: &'a Object, name: &str) -> Option<&'a Money> {
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
