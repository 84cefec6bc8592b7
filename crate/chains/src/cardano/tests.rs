//! CBOR and bodies: what is read, what is refused, and that nothing breaks on any bytes.

use super::body::{Body, OutPoint, Output, TokenId, Tokens};
use super::cbor::{Items, Writer};
use super::{Payment, metadata};
use crate::explain::{Effect, Fee};
use crate::facts::Facts;
use crate::signing::PublicKey;
use crate::transaction::{Account, Unsigned as _};
use crate::{Chain, TransactionError};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

fn body() -> Body {
    let output = Output { address: vec![0x61; 29], coins: 5, tokens: Tokens::new(), extra: 0 };
    let input = OutPoint { transaction: [1; 32], index: 0 };
    Body { inputs: vec![input], outputs: vec![output], fee: 7, last_slot: Some(9), auxiliary: None }
}

fn reason(bytes: &[u8]) -> String {
    Body::decode("body", bytes).unwrap_err().to_string()
}

fn item(bytes: &[u8]) -> Result<&[u8], TransactionError> {
    Items::new("item", bytes).item()
}

fn account() -> Account {
    Account { chain: Chain::Cardano, key: PublicKey::Ed25519([7; 32]), address: "addr".to_owned() }
}

#[test]
fn numbers_have_one_form() {
    let forms: [(u64, &[u8]); 6] = [
        (23, &[0x17]),
        (24, &[0x18, 24]),
        (256, &[0x19, 1, 0]),
        (1 << 16, &[0x1a, 0, 1, 0, 0]),
        (1 << 32, &[0x1b, 0, 0, 0, 1, 0, 0, 0, 0]),
        (u64::MAX, &[0x1b, 255, 255, 255, 255, 255, 255, 255, 255]),
    ];
    for (number, bytes) in forms {
        assert_eq!(Writer::new().uint(number).finish(), bytes);
        assert_eq!(Items::new("x", bytes).uint().unwrap(), number);
    }
    for long in
        [&[0x18, 23][..], &[0x19, 0, 255], &[0x1a, 0, 0, 255, 255], &[0x1b, 0, 0, 0, 0, 255, 255, 255, 255]]
    {
        let error = Items::new("x", long).uint().unwrap_err();
        assert_eq!(error.to_string(), "x has a number that is not in its shortest form");
    }
}

#[test]
fn items_are_passed_over_whole() {
    for whole in
        [&[0x82, 1, 2][..], &[0xa1, 1, 0x41, 9], &[0xd9, 1, 2, 0x80], &[0xf6], &[0x21], &[0x62, b'a', b'b']]
    {
        assert_eq!(item(whole).unwrap(), whole);
        let followed = [whole, &[0]].concat();
        assert_eq!(item(&followed).unwrap(), whole);
        assert!(item(&whole[..whole.len() - 1]).is_err());
    }
    for unknown in
        [&[0x9f, 1, 0xff][..], &[0x5f, 0xff], &[0xfb, 0, 0, 0, 0, 0, 0, 0, 0], &[0xf8, 32], &[0xff]]
    {
        assert!(item(unknown).is_err(), "{unknown:?}");
    }
}

/// A list that says it has 2^63 items, and lists in lists as deep as there are bytes.
#[test]
fn counts_and_depth_cost_nothing() {
    assert!(item(&[0x9b, 0x7f, 255, 255, 255, 255, 255, 255, 255]).is_err());
    assert!(item(&[0xbb, 255, 255, 255, 255, 255, 255, 255, 255]).is_err());
    assert!(item(&[0x5b, 255, 255, 255, 255, 255, 255, 255, 255]).is_err());
    let deep = [vec![0x81; 1_000_000], vec![0]].concat();
    assert_eq!(item(&deep).unwrap().len(), deep.len());
    assert!(Items::new("x", &[0x9a, 0, 255, 255, 255]).array().is_err());
}

#[test]
fn a_body_is_refused_for_what_is_wrong_with_it() {
    let good = body().encode();
    assert_eq!(Body::decode("body", &good).unwrap(), body());
    assert_eq!(reason(&[good.as_slice(), &[0]].concat()), "body has bytes after its end");
    assert_eq!(reason(&[0xa1, 2, 7]), "body lacks inputs, outputs or a fee");
    assert_eq!(reason(&[0xa2, 2, 7, 2, 7]), "body has a field twice");
    assert_eq!(reason(&[0xa1, 15, 0]), "body is for another network");
    assert_eq!(reason(&[0xa1, 0, 0xd8, 30, 0x80]), "body has a tag that is not expected");
    assert_eq!(reason(&[0xa1, 0, 0x81, 0x80]), "body has an input of another form");
    assert_eq!(reason(&[0xa1, 1, 0x81, 0]), "body has an output of another form");
    assert_eq!(reason(&[0xa1, 1, 0x81, 0xa1, 1, 5]), "body has an output without address or value");
    assert_eq!(reason(&[0xa1, 1, 0x81, 0x82, 0x40, 0x81, 5]), "body has a value of another form");
    assert_eq!(reason(&[0x80]), "body has an item of another kind than expected");
}

/// Certificates, withdrawals, minting, collateral, votes: none of it is a payment.
#[test]
fn a_body_that_does_more_than_pay_is_refused() {
    for field in [4, 5, 6, 9, 11, 13, 14, 16, 18, 19, 22] {
        let bytes = Writer::new().map(1).uint(field).array(0).finish();
        let error = Body::decode("body", &bytes).unwrap_err();
        assert_eq!(error.code(), "unsafe_transaction", "{field}");
    }
}

#[test]
fn a_datum_is_seen() {
    let hash = [0x58, 32].into_iter().chain([3; 32]).collect::<Vec<u8>>();
    let listed = Writer::new().array(3).bytes(&[0x61; 29]).uint(5).raw(&hash).finish();
    let mapped = Writer::new().map(3).uint(0).bytes(&[0x61; 29]).uint(1).uint(5).uint(2).raw(&hash).finish();
    for output in [listed, mapped] {
        let writer = Writer::new().map(3).uint(0).array(0).uint(1).array(1).raw(&output);
        let bytes = writer.uint(2).uint(7).finish();
        let read = Body::decode("body", &bytes).unwrap();
        assert_eq!(read.outputs[0].extra, 34);
        let payment = Payment { body: bytes, auxiliary: None };
        let effects = payment.explain(&account(), Facts::default()).effects;
        let unread = Effect::Unknown { what: "datum or script".to_owned(), bytes: 34 };
        assert_eq!(effects[1], unread);
        // Also where it returns to the signer.
        let own = Account { address: crate::address::cardano::encode(&[0x61; 29]).unwrap(), ..account() };
        let effects = payment.explain(&own, Facts::default()).effects;
        assert!(matches!(&effects[0], Effect::Change { .. }));
        assert_eq!(effects[1], unread);
    }
}

#[test]
fn what_is_not_known_is_said_to_be_unknown() {
    let payment = Payment { body: vec![0x80], auxiliary: Some(vec![0xa0]) };
    let explanation = payment.explain(&account(), Facts::default());
    let unknown = |what: &str| Effect::Unknown { what: what.to_owned(), bytes: 1 };
    assert_eq!(explanation.effects, [unknown("transaction body"), unknown("auxiliary data")]);
    assert_eq!((explanation.fee, explanation.memo), (Fee::Unknown, None));
}

fn any_tokens() -> impl Strategy<Value = Tokens> {
    let id = (prop_oneof![Just([1; 28]), any::<[u8; 28]>()], vec(any::<u8>(), 0..=32))
        .prop_map(|(policy, name)| TokenId::new(policy, name));
    btree_map(id, any::<u64>(), 0..6)
}

fn any_body() -> impl Strategy<Value = Body> {
    let input =
        (any::<[u8; 32]>(), any::<u64>()).prop_map(|(transaction, index)| OutPoint { transaction, index });
    let output = (vec(any::<u8>(), 0..60), any::<u64>(), any_tokens())
        .prop_map(|(address, coins, tokens)| Output { address, coins, tokens, extra: 0 });
    (vec(input, 0..30), vec(output, 0..5), any::<u64>(), any::<Option<u64>>(), any::<Option<[u8; 32]>>())
        .prop_map(|(inputs, outputs, fee, last_slot, auxiliary)| Body {
            inputs,
            outputs,
            fee,
            last_slot,
            auxiliary,
        })
}

proptest! {
    #[test]
    fn a_body_is_read_as_it_was_written(body in any_body()) {
        let bytes = body.encode();
        let read = Body::decode("body", &bytes).unwrap();
        prop_assert_eq!(read.encode(), bytes.clone());
        prop_assert_eq!(read, body);
        prop_assert_eq!(item(&bytes).unwrap().len(), bytes.len());
    }

    #[test]
    fn no_bytes_break_the_reader(
        noise in vec(any::<u8>(), 0..200),
        body in any_body(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut broken = body.encode();
        let place = place.index(broken.len());
        broken[place] = byte;
        for bytes in [noise, broken] {
            let _ = item(&bytes);
            let _ = metadata::decode(&bytes);
            let payment = Payment { body: bytes.clone(), auxiliary: Some(bytes.clone()) };
            let explanation = payment.explain(&account(), Facts::default());
            if let Ok(body) = Body::decode("body", &bytes) {
                prop_assert_eq!(explanation.fee, Fee::AtMost(crate::Amount::from(body.fee)));
            }
        }
    }

    #[test]
    fn a_memo_is_read_as_it_was_written(memo in "\\PC{1,200}") {
        let bytes = metadata::encode(&memo);
        prop_assert_eq!(metadata::decode(&bytes).unwrap(), memo);
    }
}
