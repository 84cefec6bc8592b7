//! The XRP ledger: what holds for any payload text and any signature.

#![expect(clippy::unwrap_used, reason = "a test's own mistake must fail it")]

#[path = "common/unsigned.rs"]
mod unsigned;

use countersign_chains::signing::{PublicKey, Signature};
use countersign_chains::{Account, Chain, Transaction, TransactionError, encoding, keysign};
use k256::ecdsa::SigningKey;
use k256::ecdsa::signature::hazmat::PrehashSigner;
use proptest::prelude::*;
use std::sync::LazyLock;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, RippleSpecific, SignRipple, SwapKitSwapPayload};

const KEY: &str = "8778cc93c6596387e751d2dc693bbd93e434bd233bc5b68a826c56131821cb63";

static SECRET: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::from_slice(&encoding::from_hex("key", KEY).unwrap()).unwrap());

fn account() -> Account {
    let key = SECRET.verifying_key().to_sec1_point(true).as_bytes().try_into().unwrap();
    let address = "rJTJMuEEAvq6iYpYqwQoWDj8Fkxf6CfDW9".to_owned();
    Account { chain: Chain::Ripple, key: PublicKey::Secp256k1(key), address }
}

fn payload(memo: &str, raw_json: Option<String>) -> KeysignPayload {
    let address = account().address;
    let coin = Coin { chain: "Ripple".to_owned(), address, is_native_token: true, ..Coin::default() };
    let specific =
        RippleSpecific { sequence: 99, gas: 10, last_ledger_sequence: 7, ..RippleSpecific::default() };
    KeysignPayload {
        coin: Some(coin),
        to_address: "rpuHwvCqxWDDsRnDJWykjxKNYpAz6tsGPK".to_owned(),
        to_amount: "1000".to_owned(),
        memo: Some(memo.to_owned()),
        sign_data: raw_json.map(|raw_json| SignData::SignRipple(SignRipple { raw_json })),
        blockchain_specific: Some(BlockchainSpecific::RippleSpecific(specific)),
        ..KeysignPayload::default()
    }
}

fn read(payload: &KeysignPayload) -> Result<Vec<Transaction>, TransactionError> {
    keysign::transactions(payload, &account(), &countersign_chains::transaction::NetworkFacts::default())
}

fn sign(transaction: &Transaction) -> [u8; 64] {
    let image = transaction.images().first().unwrap();
    let signature: k256::ecdsa::Signature = SECRET.sign_prehash(image.as_bytes()).unwrap();
    signature.to_bytes().as_slice().try_into().unwrap()
}

/// Each of the 512 bits of a signature counts.
#[test]
fn no_bit_of_a_signature_may_change() {
    let transaction = read(&payload("", None)).unwrap().remove(0);
    let signature = sign(&transaction);
    assert!(transaction.compile(&[Signature(signature)]).is_ok());
    for bit in 0..512 {
        let mut changed = signature;
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[Signature(changed)]).is_err(), "bit {bit}");
    }
    assert!(transaction.compile(&[]).is_err());
}

/// Of the two signatures that ECDSA allows, the ledger takes the one with the low S; both give the same bytes.
#[test]
fn a_high_s_is_turned_low() {
    let transaction = read(&payload("memo", None)).unwrap().remove(0);
    let signature = sign(&transaction);
    let (r, s) = k256::ecdsa::Signature::from_slice(&signature).unwrap().split_scalars();
    let high = k256::ecdsa::Signature::from_scalars(r, -s).unwrap();
    let high: [u8; 64] = high.to_bytes().as_slice().try_into().unwrap();
    assert_ne!(high, signature);
    let signed = transaction.compile(&[Signature(signature)]).unwrap();
    assert_eq!(transaction.compile(&[Signature(high)]).unwrap(), signed);
}

#[test]
fn claims_of_a_payload_are_not_signed() {
    let swap = SwapKitSwapPayload { sub_provider: "NEAR".to_owned(), ..SwapKitSwapPayload::default() };
    let swap_payload = Some(SwapPayload::SwapkitSwapPayload(swap));
    let base = KeysignPayload { swap_payload, ..payload("=:b:bc1", None) };
    let changed = unsigned::Change::of_claims().apply(base.clone());
    assert_ne!(base, changed);
    let (base, changed) = (read(&base).unwrap(), read(&changed).unwrap());
    assert_eq!((base[0].images(), base[0].explain()), (changed[0].images(), changed[0].explain()));
    assert_ne!(base[0].claims(), changed[0].claims());
}

proptest! {
    /// What no signature covers changes neither what is explained nor whom it names.
    #[test]
    fn unsigned_fields_change_no_fact(change in unsigned::change(), choice in 0..3) {
        let given = |kind: &str| {
            let account = account().address;
            Some(format!(r#"{{"TransactionType":"{kind}","Account":"{account}","OfferSequence":3}}"#))
        };
        let base = match choice {
            0 => payload("12", None),
            1 => payload("=:BTC.BTC:bc1", None),
            _ => payload("", given("OfferCancel")),
        };
        if let (Ok(first), Ok(second)) = (read(&base), read(&change.apply(base.clone())))
            && first[0].images() == second[0].images()
        {
            prop_assert_eq!(first[0].explain(), second[0].explain());
            prop_assert_eq!(first[0].explain().every_party(), second[0].explain().every_party());
        }
    }

    #[test]
    fn any_memo_is_carried_or_refused(memo in "\\PC{0,200}") {
        if let Ok(transactions) = read(&payload(&memo, None)) {
            let found = transactions[0].explain().memo;
            prop_assert_eq!(found.unwrap_or_default(), memo);
        }
    }

    #[test]
    fn any_json_is_read_or_refused(name in "[A-Z][a-zA-Z]{0,12}", value in "[\\[\\]{}\":,0-9a-zA-Z]{0,60}") {
        let account = account().address;
        let json = format!("{{\"TransactionType\":\"AccountSet\",\"Account\":\"{account}\",\"{name}\":{value}}}");
        if let Ok(transactions) = read(&payload("", Some(json))) {
            let _ = transactions[0].explain();
        }
    }
}
