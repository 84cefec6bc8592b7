//! Raw transactions: what is refused, by which name, and signatures that are not ours.

use crate::{CALLS, RAW, account, caller, key, read};
use countersign_chains::Chain;
use countersign_chains::encoding::hex;
use countersign_chains::signing::Signature;
use countersign_chains::unsigned::{self, Context};
use k256::ecdsa::signature::hazmat::PrehashSigner;

#[test]
fn refused_types_are_named() {
    let refused = |name: &str| {
        let case = RAW["malformed"].as_array().unwrap().iter().find(|case| case["name"] == name).unwrap();
        read(case["unsigned_tx_hex"].as_str().unwrap()).unwrap_err().to_string()
    };
    assert_eq!(refused("blobs"), "EIP-4844 (blob) with 1 blobs transactions are not signed here");
    let set_code = refused("set code");
    assert!(set_code.starts_with("EIP-7702 (set code) to 0x"), "{set_code}");
    assert_eq!(refused("a type that does not exist"), "type 0x05 transactions are not signed here");
    assert_eq!(read("0x03").unwrap_err().to_string(), "EIP-4844 (blob) transactions are not signed here");
    assert_eq!(
        read("0x04c0").unwrap_err().to_string(),
        "EIP-7702 (set code) transactions are not signed here"
    );
}

/// D16: legacy bytes of six fields take the chain id beside them, which is hashed and must be the chain's.
#[test]
fn six_legacy_fields_take_the_chain_id_of_the_context() {
    let case =
        RAW["valid"].as_array().unwrap().iter().find(|case| case["name"] == "legacy: six fields").unwrap();
    let key = key(case["private_key_hex"].as_str().unwrap());
    let account = account(Chain::Ethereum, &key, case["from"].as_str().unwrap());
    let with = |chain_id: Option<&str>| {
        let context = Context { chain_id: chain_id.map(str::to_owned), ..Context::default() };
        unsigned::transaction(case["unsigned_tx_hex"].as_str().unwrap(), &account, &context)
    };
    let refused = |chain_id: Option<&str>| with(chain_id).unwrap_err().to_string();
    let transaction = with(Some("0x1")).unwrap();
    assert_eq!(hex(transaction.images()[0].as_bytes()), case["expected"]["hash"].as_str().unwrap());
    assert_eq!(refused(Some("0x38")), "the transaction is for chain id 56, not for Ethereum");
    assert_eq!(refused(None), "chain_context.chain_id is missing");
}

#[test]
fn a_chain_id_in_the_context_is_hex() {
    let case = &CALLS["calls"][0];
    let with = |chain_id: &str| {
        let context = Context { chain_id: Some(chain_id.to_owned()), ..Context::default() };
        let result = unsigned::transaction(case["unsigned_tx_hex"].as_str().unwrap(), &caller(), &context);
        result.map_or_else(|error| error.code(), |_| "read")
    };
    assert_eq!(with("0x1"), "read");
    assert_eq!(with("0x01"), "read");
    for (chain_id, code) in [
        ("0x2", "chain_mismatch"),
        ("1", "malformed"),
        ("0x", "malformed"),
        ("0x+1", "malformed"),
        ("", "malformed"),
    ] {
        assert_eq!(with(chain_id), code, "{chain_id}");
    }
}

/// Every bit of the signature counts: with one flipped, nothing is built.
#[test]
fn a_flipped_bit_of_a_signature_is_refused() {
    let case = &RAW["valid"][0];
    let key = key(case["private_key_hex"].as_str().unwrap());
    let account =
        account(Chain::parse(case["chain"].as_str().unwrap()).unwrap(), &key, case["from"].as_str().unwrap());
    let context = Context::default();
    let transaction =
        unsigned::transaction(case["unsigned_tx_hex"].as_str().unwrap(), &account, &context).unwrap();
    let image = transaction.images()[0].clone();
    let signature: k256::ecdsa::Signature = key.sign_prehash(image.as_bytes()).unwrap();
    let good: [u8; 64] = signature.to_bytes().into();
    let signed = transaction.compile(&[Signature(good)]).unwrap();
    assert_eq!(format!("0x{}", hex(&signed.bytes)), case["expected"]["signed_tx_hex"].as_str().unwrap());
    for bit in 0..512 {
        let mut bad = good;
        bad[bit / 8] ^= 1 << (bit % 8);
        let error = transaction.compile(&[Signature(bad)]).unwrap_err();
        assert_eq!(error.code(), "invalid_signature", "bit {bit}");
    }
}
