//! Payments: what leaves, what arrives, and what else the transaction says of it.

use super::amount::Money;
use super::explain::{address, asset, money, number, text};
use super::object::{Object, get};
use crate::Chain;
use crate::explain::{Bought, Effect, Swap};
use crate::facts::Facts;
use crate::{Amount, thorchain_memo};

/// `Amount` is then the most that is delivered, not what is delivered.
pub(super) const PARTIAL_PAYMENT: u32 = 0x0002_0000;
/// Offers below the limit's quality are passed over; the signature is in its one form. Not harmless is that only the
/// stated paths may be used: they can lead over offers of one account alone, at any price up to `SendMax`.
const HARMLESS_FLAGS: u32 = 0x0004_0000 | 0x8000_0000;

/// Fields that say more of the payment and give nothing away.
const DETAILS: &[&str] = &[
    "Paths",
    "DeliverMin",
    "InvoiceID",
    "SourceTag",
    "TicketSequence",
    "AccountTxnID",
    "NetworkID",
    "CredentialIDs",
    "DomainID",
];
/// Fields that the effect itself has.
const OF_EFFECT: &[&str] = &["Destination", "Amount", "DestinationTag", "Flags", "SendMax"];

/// What a payment does; `aside` are fields that are said elsewhere.
pub(super) fn effects(object: &Object, aside: &[&str], memo: &str, facts: Facts<'_>) -> Vec<Effect> {
    let mut effects = match moved(object, memo, facts) {
        Some(effects) => effects,
        None => return vec![named("Payment", object, |name| !aside.contains(&name), false)],
    };
    effects.extend(flags(object));
    let of_payment = |name: &str| aside.contains(&name) || OF_EFFECT.contains(&name);
    let details = named("Payment", object, |name| DETAILS.contains(&name), true);
    let rest = named("Payment", object, |name| !of_payment(name) && !DETAILS.contains(&name), false);
    effects.extend([details, rest].into_iter().filter(has_fields));
    effects
}

/// What arrives, and what is spent for it at most; where that is another currency, an exchange on the ledger. Nothing
/// where an amount has no place in explanations.
fn moved(object: &Object, memo: &str, facts: Facts<'_>) -> Option<Vec<Effect>> {
    let to = address(object, "Destination");
    let amount = money(object, "Amount")?;
    let (arrives, most) = (amount.units()?, money(object, "SendMax"));
    Some(match most.filter(|most| most.token() != amount.token()) {
        // No account stands for the ledger's offers; the one that receives is named instead.
        Some(most) => vec![Effect::Swap(Swap {
            provider: Some("XRP Ledger"),
            router: to.clone(),
            sell: asset(most),
            amount: most.units()?,
            buy: Some(Bought::Here(asset(amount))),
            minimum_out: least(object, arrives),
            recipient: Some(to),
        })],
        None => {
            let spent = most.map_or(Some(arrives), Money::units)?.max(arrives);
            let paid = thorchain_memo::payment(Chain::Ripple, facts, memo, &to, asset(amount), spent);
            let more = (spent > arrives).then(|| {
                Effect::note("SendMax", [("arrives", amount.text()), ("costs at most", text_of(object))])
            });
            [paid].into_iter().chain(more).collect()
        }
    })
}

fn text_of(object: &Object) -> String {
    money(object, "SendMax").map(Money::text).unwrap_or_default()
}

/// What is delivered at least.
fn least(object: &Object, amount: Amount) -> Option<Amount> {
    if is_partial(object) { money(object, "DeliverMin").and_then(Money::units) } else { Some(amount) }
}

fn is_partial(object: &Object) -> bool {
    number(object, "Flags").unwrap_or_default() & PARTIAL_PAYMENT != 0
}

/// The flags. A partial payment is harmless where it must deliver everything.
fn flags(object: &Object) -> Option<Effect> {
    let flags = number(object, "Flags").unwrap_or_default();
    let fields = [("flags", format!("{flags:#010x}"))];
    let whole = !is_partial(object) || get(object, "DeliverMin") == get(object, "Amount");
    let name = if is_partial(object) { "tfPartialPayment" } else { "Flags" };
    match flags & !(HARMLESS_FLAGS | PARTIAL_PAYMENT) {
        _ if flags == 0 => None,
        0 if whole => Some(Effect::note(name, fields)),
        _ => Some(Effect::other(name, fields)),
    }
}

/// The fields that are wanted, by their names.
pub(super) fn named(name: &str, object: &Object, wanted: impl Fn(&str) -> bool, harmless: bool) -> Effect {
    let shown = object.iter().filter(|(field, _)| wanted(field.name));
    let fields = shown.map(|(field, value)| (field.name, text(value)));
    if harmless { Effect::note(name, fields) } else { Effect::other(name, fields) }
}

fn has_fields(effect: &Effect) -> bool {
    match effect {
        Effect::Note { fields, .. } | Effect::Other { fields, .. } => !fields.is_empty(),
        _ => true,
    }
}
