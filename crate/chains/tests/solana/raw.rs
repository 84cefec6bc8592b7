//! `unsigned_tx_hex`: what is signed, and what is refused.

use crate::given::*;
use ed25519_dalek::Signer as _;

fn code(bytes: &Bytes) -> &'static str {
    refusal(bytes.read()).0
}

fn reason(bytes: &Bytes) -> String {
    let (code, reason) = refusal(bytes.read());
    assert_eq!(code, "malformed", "{reason}");
    reason
}

#[test]
fn legacy_and_version_0_are_signed_as_they_are() {
    for version in [None, Some(0x80)] {
        let bytes = Bytes { version, ..Bytes::transfer() };
        let transaction = bytes.read().unwrap();
        assert_eq!(transaction.images()[0].as_bytes(), bytes.message());
        let signature = signer(1).sign(&bytes.message()).to_bytes();
        let signed = sign(&transaction);
        assert_eq!(signed.bytes, Bytes { signatures: vec![signature], ..bytes }.encode());
        assert_eq!(signed.id, base58(&signature));
    }
}

#[test]
fn another_payer_is_not_owned() {
    let mut bytes = Bytes::transfer();
    bytes.keys.swap(0, 1);
    assert_eq!(
        refusal(bytes.read()),
        ("not_owned", format!("{} is not this vault's account", base58(&public(2))))
    );
}

#[test]
fn a_version_of_the_future_is_named() {
    let bytes = Bytes { version: Some(0x81), ..Bytes::transfer() };
    let expected = ("unsupported_tx_type", "version 1 transactions are not signed here".to_owned());
    assert_eq!(refusal(bytes.read()), expected);
}

/// The second signer of a transaction that two must sign.
fn two_signers(second: [u8; 64]) -> Bytes {
    Bytes { signatures: vec![[0; 64], second], header: [2, 0, 1], ..Bytes::transfer() }
}

#[test]
fn empty_foreign_signature_slot_is_refused() {
    let expected =
        ("unsupported_payload", "not supported: a transaction that others must sign too".to_owned());
    assert_eq!(refusal(two_signers([0; 64]).read()), expected);
}

#[test]
fn a_slot_that_others_filled_is_kept() {
    let message = two_signers([0; 64]).message();
    let theirs = signer(2).sign(&message).to_bytes();
    let signed = sign(&two_signers(theirs).read().unwrap());
    let expected =
        Bytes { signatures: vec![signer(1).sign(&message).to_bytes(), theirs], ..two_signers(theirs) };
    assert_eq!(signed.bytes, expected.encode());
}

#[test]
fn a_slot_that_others_filled_wrongly_is_refused() {
    let theirs = signer(3).sign(&two_signers([0; 64]).message()).to_bytes();
    assert_eq!(reason(&two_signers(theirs)), "unsigned_tx_hex has a signature that does not cover it");
}

#[test]
fn as_many_signatures_as_signers() {
    for count in [0, 2] {
        let bytes = Bytes { signatures: vec![[0; 64]; count], ..Bytes::transfer() };
        assert_eq!(reason(&bytes), "unsigned_tx_hex has another number of signatures than of signers");
    }
}

#[test]
fn counts_of_the_header_fit() {
    let header = |header| Bytes { header, ..Bytes::transfer() };
    assert_eq!(reason(&header([1, 1, 1])), "unsigned_tx_hex has no fee payer");
    assert_eq!(reason(&header([0, 0, 1])), "unsigned_tx_hex has no fee payer");
    assert_eq!(reason(&header([1, 0, 3])), "unsigned_tx_hex counts more accounts than it names");
    assert!(header([1, 0, 2]).read().is_ok());
}

#[test]
fn every_place_is_one_of_the_message() {
    let mut no_program = Bytes::transfer();
    no_program.instructions[0].0 = 3;
    assert_eq!(reason(&no_program), "unsigned_tx_hex calls a program that it does not name");
    let mut payer_called = Bytes::transfer();
    payer_called.instructions[0].0 = 0;
    assert_eq!(reason(&payer_called), "unsigned_tx_hex calls a program that it does not name");
    let mut no_account = Bytes::transfer();
    no_account.instructions[0].1 = vec![0, 3];
    assert_eq!(reason(&no_account), "unsigned_tx_hex passes an account that it does not name");
    no_account.lookups = vec![(public(9), vec![0], vec![])];
    assert!(no_account.read().is_ok());
    let mut looked_up = Bytes { lookups: vec![(public(9), vec![0], vec![])], ..Bytes::transfer() };
    looked_up.instructions[0].0 = 3;
    assert_eq!(reason(&looked_up), "unsigned_tx_hex calls a program that it does not name");
}

#[test]
fn accounts_are_named_once() {
    let mut bytes = Bytes::transfer();
    bytes.keys[1] = bytes.keys[0];
    assert_eq!(reason(&bytes), "unsigned_tx_hex names an account twice");
}

#[test]
fn lookup_tables_are_used_and_counted() {
    let unused = Bytes { lookups: vec![(public(9), vec![], vec![])], ..Bytes::transfer() };
    assert_eq!(reason(&unused), "unsigned_tx_hex names a lookup table of which it uses nothing");
    let many = Bytes { lookups: vec![(public(9), vec![0; 200], vec![0; 54])], ..Bytes::transfer() };
    assert_eq!(reason(&many), "unsigned_tx_hex has more accounts than can be counted");
}

#[test]
fn lengths_have_their_shortest_form() {
    let bytes = Bytes::transfer().encode();
    for long in
        [vec![0x81, 0x00], vec![0x81, 0x80, 0x00], vec![0x81, 0x80, 0x80, 0x00], vec![0xff, 0xff, 0x04]]
    {
        let tampered = [long, bytes[1..].to_vec()].concat();
        assert_eq!(refusal(read(&tampered)).0, "malformed");
    }
}

#[test]
fn nothing_is_missing_and_nothing_left_over() {
    for version in [None, Some(0x80)] {
        let bytes = Bytes { version, ..Bytes::transfer() }.encode();
        for length in 0..bytes.len() {
            assert_eq!(refusal(read(&bytes[..length])).0, "malformed", "{length}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert_eq!(refusal(read(&longer)).0, "malformed");
    }
}

#[test]
fn what_no_packet_carries_is_refused() {
    let with_data = |length| {
        let mut bytes = Bytes::transfer();
        bytes.instructions[0].2 = vec![0; length];
        bytes
    };
    let spare = 1232 - with_data(200).encode().len();
    assert!(with_data(200 + spare).read().is_ok());
    assert_eq!(reason(&with_data(201 + spare)), "unsigned_tx_hex is longer than the network carries");
}

#[test]
fn counts_that_the_bytes_cannot_hold_reserve_nothing() {
    let mut bytes = vec![0xff, 0xff, 0x03];
    bytes.extend([0; 100]);
    assert_eq!(refusal(read(&bytes)), ("malformed", "unsigned_tx_hex ends too early".to_owned()));
}

#[test]
fn a_bare_message_is_no_transaction() {
    assert_eq!(refusal(read(&Bytes::transfer().message())).0, "malformed");
}

#[test]
fn every_other_mark_is_refused_with_a_code() {
    assert_eq!(code(&Bytes { keys: vec![], ..Bytes::transfer() }), "malformed");
}
