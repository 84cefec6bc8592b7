//! PSBTs: what is signed, what is refused and why.

use super::support::*;
use countersign_chains::explain::{Asset, Effect};
use countersign_chains::signing::{Signature, SignatureError};
use countersign_chains::{Amount, Chain, TransactionError, encoding};
use proptest::collection::vec;
use proptest::prelude::*;

fn code(psbt: &Psbt) -> &'static str {
    psbt.read(Chain::Bitcoin).unwrap_err().code()
}

fn own() -> Vec<u8> {
    p2wpkh(key_hash())
}

#[test]
fn explains_outputs_change_and_fee() {
    let explanation = Psbt::spending(&[own(), nested()]).read(Chain::Bitcoin).unwrap().explain();
    let to = encoding::hex(&[9; 20]);
    assert_eq!(explanation.from, account(Chain::Bitcoin).address);
    assert_eq!(explanation.fee.known(), Some(Amount::from(1000)));
    let [
        Effect::Transfer { asset: Asset::Native, to: found, amount },
        Effect::Change { to: back, amount: rest },
    ] = explanation.effects.as_slice()
    else {
        panic!("{:?}", explanation.effects)
    };
    assert!(found.starts_with("bc1q"), "{to}");
    assert_eq!((*amount, *rest), (Amount::from(120_000), Amount::from(79_000)));
    assert_eq!(*back, explanation.from);
}

/// Each kind of own input has its own way to show the signature; the id does not depend on witnesses.
#[test]
fn signs_every_kind_of_own_input() {
    let transaction = Psbt::spending(&[own(), nested(), p2pkh(key_hash())]).read(Chain::Bitcoin).unwrap();
    assert_eq!(transaction.images().len(), 3);
    let signed = transaction.compile(&sign(&transaction)).unwrap();
    let hex = encoding::hex(&signed.bytes);
    assert!(hex.starts_with("020000000001"), "witnesses are announced");
    let program = encoding::hex(&[&[22], own().as_slice()].concat());
    assert!(hex.contains(&format!("17{}", &program[..4])), "the program of the nested input: {hex}");
    assert_eq!(signed.id.len(), 64);
}

/// Chains without SegWit sign the same form, with the earlier transaction as proof of the value.
#[test]
fn signs_legacy_inputs_with_their_earlier_transaction() {
    for chain in [Chain::Dogecoin, Chain::Dash] {
        let psbt = Psbt::spending(&[p2pkh(key_hash())]);
        let transaction = psbt.read(chain).unwrap();
        transaction.compile(&sign(&transaction)).unwrap();
        let mut without = psbt;
        without.inputs = vec![vec![pair(&[1], &output(100_000, &p2pkh(key_hash())))]];
        let refused = without.read(chain).unwrap_err();
        assert_eq!(refused, TransactionError::Missing { field: "non_witness_utxo" });
    }
}

/// Bitcoin Cash covers the value in the signature: the output alone is proof enough.
#[test]
fn bitcoin_cash_needs_the_output_only() {
    let mut psbt = Psbt::spending(&[p2pkh(key_hash())]);
    psbt.inputs = vec![vec![pair(&[1], &output(100_000, &p2pkh(key_hash())))]];
    let transaction = psbt.read(Chain::BitcoinCash).unwrap();
    let signed = transaction.compile(&sign(&transaction)).unwrap();
    let key = encoding::hex(account(Chain::BitcoinCash).key.as_bytes());
    assert!(encoding::hex(&signed.bytes).contains(&format!("4121{key}")), "hash type 41 before the key");
}

/// Tokens on Bitcoin and Bitcoin Cash move by what an unspendable output says: only a plain text is a text.
#[test]
fn data_that_is_no_text_is_not_read() {
    let explained = |script: &[u8]| {
        let mut psbt = Psbt::spending(&[own()]);
        psbt.tx = unsigned_tx(&[([3; 32], 0)], &[(60_000, foreign_script()), (0, script.to_vec())]);
        psbt.read(Chain::Bitcoin).unwrap().explain()
    };
    let text = explained(b"\x6a\x05hello");
    assert_eq!((text.memo.as_deref(), text.effects.len()), (Some("hello"), 1));
    // A runestone, an SLP transfer, bytes that are no text, a text and more.
    for script in [
        &b"\x6a\x5d\x04\x00\xc0\xa2\x33"[..],
        b"\x6a\x04SLP\0\x01\x01",
        b"\x6a\x02\xff\xfe",
        b"\x6a\x01a\x01b",
    ] {
        let explanation = explained(script);
        assert_eq!(explanation.memo, None);
        let unread =
            |effect: &Effect| matches!(effect, Effect::Unknown { bytes, .. } if *bytes == script.len() - 1);
        assert!(explanation.effects.iter().any(unread), "{:?}", explanation.effects);
    }
}

#[test]
fn refuses_zcash() {
    let refused = Psbt::spending(&[p2pkh(key_hash())]).read(Chain::Zcash).unwrap_err();
    assert_eq!(refused.code(), "unsupported_unsigned_tx");
}

#[test]
fn refuses_inputs_of_others() {
    for script in [foreign_script(), p2pkh([9; 20]), p2sh([9; 20])] {
        assert_eq!(code(&Psbt::spending(&[own(), script])), "not_owned");
    }
    // A chain without SegWit has no witness programs to sign for.
    assert_eq!(Psbt::spending(&[own()]).read(Chain::Dogecoin).unwrap_err().code(), "not_owned");
}

#[test]
fn refuses_what_is_not_a_psbt() {
    assert_eq!(read_psbt(Chain::Bitcoin, b"psbt\xfe").unwrap_err().code(), "malformed");
    assert_eq!(read_psbt(Chain::Bitcoin, b"psbt\xff\x00").unwrap_err().code(), "malformed", "no transaction");
}

#[test]
fn refuses_other_versions() {
    let mut psbt = Psbt::spending(&[own()]);
    psbt.global = vec![pair(&[0xfb], &2_u32.to_le_bytes())];
    assert_eq!(code(&psbt), "unsupported_tx_type");
    psbt.global = vec![pair(&[0xfb], &0_u32.to_le_bytes())];
    assert!(psbt.read(Chain::Bitcoin).is_ok());
}

#[test]
fn refuses_a_key_twice() {
    let mut psbt = Psbt::spending(&[own()]);
    psbt.global = vec![pair(&[0xfc, 1], b"a"), pair(&[0xfc, 1], b"a")];
    assert_eq!(code(&psbt), "malformed");
    let mut psbt = Psbt::spending(&[own()]);
    let coin = psbt.inputs[0][0].clone();
    psbt.inputs[0].push(coin);
    assert_eq!(code(&psbt), "malformed");
}

#[test]
fn refuses_keys_that_are_longer_than_their_type() {
    for key in [[0, 1], [1, 0], [3, 0], [4, 0], [7, 0]] {
        let mut psbt = Psbt::spending(&[own()]);
        psbt.inputs[0].push(pair(&key, b"x"));
        assert_eq!(code(&psbt), "malformed", "{key:?}");
    }
}

/// Derivations, signatures of others, proprietary and unknown pairs do not change what is signed.
#[test]
fn other_pairs_do_not_enter_what_is_signed() {
    let plain = Psbt::spending(&[own()]);
    let mut more = plain.clone();
    more.global =
        vec![pair(&[0x01, 2, 3], b"xpub"), pair(&[0xfc, 9], b"proprietary"), pair(&[0x77], b"unknown")];
    more.inputs[0].extend([
        pair(&[0x02, 1], b"signature"),
        pair(&[0x06, 1], b"path"),
        pair(&[0xee], b"unknown"),
    ]);
    let images = |psbt: &Psbt| psbt.read(Chain::Bitcoin).unwrap().images().to_vec();
    assert_eq!(images(&plain), images(&more));
}

#[test]
fn refuses_every_hash_type_but_all() {
    for hash_type in [0_u32, 2, 3, 0x41, 0x81, 0x101] {
        let mut psbt = Psbt::spending(&[own()]);
        psbt.inputs[0].push(pair(&[3], &hash_type.to_le_bytes()));
        assert_eq!(code(&psbt), "unsupported_payload", "{hash_type:x}");
    }
    let mut psbt = Psbt::spending(&[own()]);
    psbt.inputs[0].push(pair(&[3], &1_u32.to_le_bytes()));
    assert!(psbt.read(Chain::Bitcoin).is_ok());
}

#[test]
fn refuses_inputs_that_are_signed_already() {
    for kind in [7, 8] {
        let mut psbt = Psbt::spending(&[own()]);
        psbt.inputs[0].push(pair(&[kind], b"x"));
        assert_eq!(code(&psbt), "unsupported_payload");
    }
    let mut psbt = Psbt::spending(&[own()]);
    let at = psbt.tx.len() - 4 - 31 - 31 - 1 - 4 - 1;
    assert_eq!(psbt.tx[at], 0, "the length of the input's script");
    psbt.tx.splice(at..=at, [1, 0x51]);
    assert_eq!(code(&psbt), "malformed");
}

#[test]
fn refuses_scripts_that_an_input_does_not_need() {
    for (script, kind, value) in
        [(own(), 4, own()), (nested(), 4, foreign_script()), (nested(), 5, own()), (own(), 5, own())]
    {
        let mut psbt = Psbt::spending(&[script]);
        psbt.inputs[0].push(pair(&[kind], &value));
        assert_eq!(code(&psbt), "malformed");
    }
    let mut psbt = Psbt::spending(&[nested()]);
    psbt.inputs[0].push(pair(&[4], &own()));
    assert!(psbt.read(Chain::Bitcoin).is_ok());
}

/// The earlier transaction must have the id that is spent, and the output at that place.
#[test]
fn refuses_proofs_of_something_else() {
    let legacy = p2pkh(key_hash());
    let mut psbt = Psbt::spending(std::slice::from_ref(&legacy));
    psbt.inputs =
        vec![vec![pair(&[0], &unsigned_tx(&[([8; 32], 0)], &[(1, foreign_script()), (900_000, legacy)]))]];
    assert_eq!(code(&psbt), "malformed");
    let short = unsigned_tx(&[([8; 32], 0)], &[(1, foreign_script())]);
    let mut psbt = Psbt::spending(&[own()]);
    psbt.tx = unsigned_tx(&[(sha256d(&short), 1)], &[(1, foreign_script()), (1, foreign_script())]);
    psbt.inputs = vec![vec![pair(&[0], &short)]];
    assert_eq!(code(&psbt), "malformed");
}

#[test]
fn refuses_two_different_outputs_for_one_input() {
    let mut psbt = Psbt::spending(&[p2pkh(key_hash())]);
    psbt.inputs[0].push(pair(&[1], &output(100_001, &p2pkh(key_hash()))));
    assert_eq!(code(&psbt), "malformed");
}

#[test]
fn refuses_an_input_of_unknown_value() {
    let mut psbt = Psbt::spending(&[own()]);
    psbt.inputs[0].clear();
    assert_eq!(code(&psbt), "missing_field");
}

#[test]
fn refuses_to_spend_more_than_there_is_and_a_coin_twice() {
    let mut psbt = Psbt::spending(&[own()]);
    psbt.tx = unsigned_tx(&[([3; 32], 0)], &[(60_000, foreign_script()), (40_001, own())]);
    assert_eq!(code(&psbt), "insufficient_funds");
    psbt.tx = unsigned_tx(&[([3; 32], 0)], &[(u64::MAX / 2, foreign_script()), (u64::MAX / 2, own())]);
    assert_eq!(code(&psbt), "invalid_amount");
    let mut psbt = Psbt::spending(&[own(), own()]);
    psbt.tx = unsigned_tx(&[([3; 32], 0), ([3; 32], 0)], &[(1, foreign_script()), (1, own())]);
    assert_eq!(code(&psbt), "malformed");
}

#[test]
fn false_context_is_refused() {
    let hex = encoding::hex(&Psbt::spending(&[own()]).bytes());
    let read = |chain_id: Option<&str>, tx_type: Option<&str>| {
        let context = countersign_chains::unsigned::Context {
            chain_id: chain_id.map(ToOwned::to_owned),
            tx_type: tx_type.map(ToOwned::to_owned),
            derive_path: None,
        };
        countersign_chains::unsigned::transaction(&hex, &account(Chain::Bitcoin), &context)
    };
    assert!(read(Some("bitcoin"), Some("psbt")).is_ok());
    assert_eq!(read(Some("0x1"), None).unwrap_err().code(), "chain_mismatch");
    assert_eq!(read(None, Some("eip1559")).unwrap_err().code(), "tx_type_mismatch");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Cut anywhere, or with anything behind it, it is refused.
    #[test]
    fn ends_where_it_ends(cut in any::<prop::sample::Index>(), more in any::<u8>()) {
        let bytes = Psbt::spending(&[own(), nested()]).bytes();
        prop_assert!(read_psbt(Chain::Bitcoin, &bytes[..cut.index(bytes.len())]).is_err());
        prop_assert!(read_psbt(Chain::Bitcoin, &[bytes.as_slice(), &[more]].concat()).is_err());
    }

    /// A changed byte is refused, or changes what is signed, or is in a part that is not signed.
    #[test]
    fn damage_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), start in vec(any::<u8>(), 0..64)) {
        let mut bytes = Psbt::spending(&[own(), p2pkh(key_hash())]).bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(transaction) = read_psbt(Chain::Bitcoin, &bytes) {
            let _ = transaction.explain();
            transaction.compile(&sign(&transaction)).unwrap();
        }
        let _ = read_psbt(Chain::Litecoin, &[b"psbt\xff".as_slice(), &start].concat());
        let _ = read_psbt(Chain::BitcoinCash, &start);
    }

    /// No bit of a signature can be changed, and none given for another input.
    #[test]
    fn compile_refuses_every_flipped_bit(input in 0_usize..3, bit in 0_usize..512) {
        let transaction = Psbt::spending(&[own(), nested(), p2pkh(key_hash())]).read(Chain::Bitcoin).unwrap();
        let mut signatures = sign(&transaction);
        signatures[input].0[bit / 8] ^= 1 << (bit % 8);
        prop_assert_eq!(transaction.compile(&signatures), Err(SignatureError::Invalid { index: input }));
    }
}

#[test]
fn compile_refuses_another_number_of_signatures() {
    let transaction = Psbt::spending(&[own(), nested()]).read(Chain::Bitcoin).unwrap();
    let mut signatures = sign(&transaction);
    signatures.swap(0, 1);
    assert_eq!(transaction.compile(&signatures), Err(SignatureError::Invalid { index: 0 }));
    signatures.push(Signature([1; 64]));
    assert_eq!(transaction.compile(&signatures), Err(SignatureError::Count { expected: 2, found: 3 }));
}
