//! Arbitrary fields.

use super::amount::{Decimal, Money, XRP};
use super::fields::{self, Field, Kind};
use super::object::{Object, Step, Value, sort};
use proptest::prelude::*;

/// Every field of the table that is no container, by name.
const PLAIN: &[&str] = &[
    "TransactionType",
    "TransferFee",
    "Flags",
    "SourceTag",
    "LastLedgerSequence",
    "TicketSequence",
    "EmailHash",
    "InvoiceID",
    "NFTokenSellOffer",
    "Amount",
    "SendMax",
    "NFTokenBrokerFee",
    "LPTokenOut",
    "SigningPubKey",
    "URI",
    "Condition",
    "Account",
    "Destination",
    "Holder",
    "TickSize",
    "Paths",
    "NFTokenOffers",
    "CredentialIDs",
    "Asset",
    "Asset2",
];

pub(super) fn any_money() -> impl Strategy<Value = Money> {
    let issued = (any_decimal(), any::<[u8; 20]>(), any::<[u8; 20]>())
        .prop_map(|(value, currency, issuer)| Money::Issued { value, currency, issuer });
    prop_oneof![(0u64..=100_000_000_000_000_000).prop_map(Money::Drops), issued]
}

pub(super) fn any_decimal() -> impl Strategy<Value = Decimal> {
    let parts = (any::<bool>(), 0u64..10_000_000_000_000_000, -80i32..=80);
    parts.prop_map(|(negative, digits, exponent)| {
        let sign = if negative { "-" } else { "" };
        Decimal::parse(&format!("{sign}{digits}e{exponent}")).unwrap_or_else(|| Decimal::parse("1").unwrap())
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let part = || prop::option::of(any::<[u8; 20]>());
    (part(), part(), part(), any::<[u8; 20]>()).prop_map(|(account, currency, issuer, or)| {
        let step = Step { account, currency, issuer };
        if step == Step::default() { Step { account: Some(or), ..step } } else { step }
    })
}

fn any_value(kind: Kind) -> BoxedStrategy<Value> {
    let bytes = |length| prop::collection::vec(any::<u8>(), length);
    match kind {
        Kind::UInt8 => any::<u8>().prop_map(|number| Value::Number(number.into())).boxed(),
        Kind::UInt16 => any::<u16>().prop_map(|number| Value::Number(number.into())).boxed(),
        Kind::UInt32 => any::<u32>().prop_map(Value::Number).boxed(),
        Kind::Hash128 => bytes(16..17).prop_map(Value::Hash).boxed(),
        Kind::Hash256 => bytes(32..33).prop_map(Value::Hash).boxed(),
        Kind::Amount => any_money().prop_map(Value::Amount).boxed(),
        Kind::Blob => {
            prop_oneof![bytes(0..40), bytes(190..200), bytes(12_470..12_490)].prop_map(Value::Blob).boxed()
        }
        Kind::Account => any::<[u8; 20]>().prop_map(Value::Account).boxed(),
        Kind::Paths => prop::collection::vec(prop::collection::vec(any_step(), 1..4), 1..4)
            .prop_map(Value::Paths)
            .boxed(),
        Kind::Hashes => prop::collection::vec(any::<[u8; 32]>(), 0..8).prop_map(Value::Hashes).boxed(),
        Kind::Issue => prop_oneof![
            Just(Value::Issue(XRP, None)),
            (any::<[u8; 20]>(), any::<[u8; 20]>()).prop_map(|(mut currency, issuer)| {
                currency[0] |= 1;
                Value::Issue(currency, Some(issuer))
            })
        ]
        .boxed(),
        Kind::Object | Kind::Array => unreachable!("not among the plain fields"),
    }
}

fn any_memos() -> impl Strategy<Value = (&'static Field, Value)> {
    let blob = || prop::collection::vec(any::<u8>(), 0..30).prop_map(Value::Blob);
    let memo = (blob(), blob()).prop_map(|(kind, data)| {
        let fields =
            vec![(fields::named("MemoType").unwrap(), kind), (fields::named("MemoData").unwrap(), data)];
        (fields::named("Memo").unwrap(), Value::Object(fields))
    });
    prop::collection::vec(memo, 0..3).prop_map(|memos| (fields::named("Memos").unwrap(), Value::Array(memos)))
}

/// Some fields, each once and in order.
pub(super) fn any_object() -> impl Strategy<Value = Object> {
    let names = prop::sample::subsequence(PLAIN, 0..PLAIN.len());
    let plain = names.prop_flat_map(|names| {
        let field = |name: &str| fields::named(name).unwrap();
        names
            .into_iter()
            .map(|name| any_value(field(name).kind).prop_map(move |value| (field(name), value)))
            .collect::<Vec<_>>()
    });
    (plain, prop::option::of(any_memos())).prop_map(|(mut object, memos)| {
        object.extend(memos);
        sort(&mut object);
        object
    })
}
