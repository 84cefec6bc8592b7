//! What was consented to is signed, and nothing else.

use crate::vectors::{goldens, raws};
use crate::world::{
    Signed, accounts, address, inspect_one, keys, opened, payload_step, payment, secret, sign,
};
use chains::encoding::{array_from_hex, hex};
use chains::{Algorithm, Chain};
use countersign_signer::answer;
use proptest::prelude::*;
use std::collections::BTreeSet;
use vault::{Secret, public};
use wire::bundle::{StepRequest, TxDetails};
use wire::secret::SecretText;
use wire::signer::{KeyRequest, Opened, Refusal, Reply};
use wire::vault::VaultAccount;
use zeroize::Zeroizing;

const RECIPIENT: &str = "0x6c2D1A55808AA22C0b9328925E88b6Ab5Cca9c97";

/// Inspects a step and signs all of it with a vault.
fn sign_all(secret: &Secret, step: &StepRequest) -> Result<Vec<Signed>, Refusal> {
    let (keys, opened) = (secret.public().unwrap(), opened(secret, "call"));
    let decoded = inspect_one(&keys, step)?;
    let one = |(index, digest): (usize, &String)| sign(&opened, &keys, step, index, digest);
    let digests: Vec<String> = decoded.into_iter().map(|decoded| decoded.digest).collect();
    digests.iter().enumerate().map(one).collect()
}

/// Keys of Ed25519 are a vault's own: its signed transactions have the ids that the oracles say.
#[test]
fn ed25519_payloads_become_the_transactions_of_the_oracles() {
    let mut seen = BTreeSet::new();
    for case in goldens().iter().filter(|case| case.chain().algorithm() == Algorithm::Eddsa) {
        let key = Zeroizing::new(array_from_hex("key", &case.private_key_hex).unwrap());
        let secret = Secret::root(Zeroizing::new([1; 32]), key, Zeroizing::new([1; 32])).unwrap();
        match sign_all(&secret, &case.step()) {
            Ok(signed) => {
                let (_, _, id) = signed.last().unwrap();
                let expected = &case.expected.transaction_hash;
                assert!(expected.is_empty() || expected == id, "{}: {id}, not {expected}", case.name);
                seen.insert(case.chain().kind());
            }
            Err(refusal) => assert_eq!(refusal.code, "not_owned", "{}: {refusal:?}", case.name),
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

/// The payloads of the oracles, with the vault's account in place of theirs: their signatures verify, or they would
/// not have been built in.
#[test]
fn ecdsa_payloads_are_signed_with_the_vaults_own_keys() {
    let (secret, mut seen) = (secret(1), BTreeSet::new());
    let accounts = public::keys(&secret.public().unwrap()).unwrap();
    for case in goldens().iter().filter(|case| case.chain().algorithm() == Algorithm::Ecdsa) {
        let (account, mut payload) = (accounts.account(case.chain()).unwrap(), case.payload());
        let coin = payload.coin.as_mut().unwrap();
        coin.address = account.address.clone();
        coin.hex_public_key = hex(account.key.as_bytes());
        // Bytes inside, made for the oracle's account, are refused: that is what the other tests show.
        if let Ok(signed) = sign_all(&secret, &payload_step(&payload)) {
            assert!(signed.iter().all(|(bytes, _, id)| !bytes.is_empty() && id.len() >= 64), "{}", case.name);
            seen.insert((case.chain().kind(), signed.len()));
        }
    }
    let kinds: BTreeSet<_> = seen.iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds.len(), 5, "{seen:?}");
    assert!(seen.iter().any(|(_, transactions)| *transactions == 2), "no approval and swap: {seen:?}");
}

/// Raw bytes of EVM chains name no sender: any vault signs them, and the same bytes always the same.
#[test]
fn raw_bytes_are_signed_as_they_are() {
    let cases = raws();
    for case in cases.valid.iter().filter(|case| case.chain().evm_id().is_some()) {
        let [first, second] = [1, 1].map(|byte| sign_all(&secret(byte), &case.step()).unwrap());
        assert_eq!(first, second, "{}", case.name);
        assert_ne!(first, sign_all(&secret(2), &case.step()).unwrap(), "{}", case.name);
    }
}

fn fixture() -> (StepRequest, String, Opened) {
    let step = payload_step(&payment(&keys(1), Chain::Ethereum, RECIPIENT, "5"));
    let digest = inspect_one(&keys(1), &step).unwrap().remove(0).digest;
    (step, digest, opened(&secret(1), "call 7"))
}

/// T000-35: what is claimed changes no signed byte.
#[test]
fn claims_change_no_signed_byte() {
    let (step, digest, opened) = fixture();
    let lie = || Some("0x0000000000000000000000000000000000000001".to_owned());
    let details = TxDetails {
        description: lie(),
        from: lie(),
        to: lie(),
        value: lie(),
        token_symbol: lie(),
        amount_human: lie(),
        contract_name: lie(),
        gas_limit: lie(),
    };
    let lying = StepRequest { details, ..step.clone() };
    let signed = sign(&opened, &keys(1), &step, 0, &digest).unwrap();
    assert_eq!(sign(&opened, &keys(1), &lying, 0, &digest), Ok(signed));
}

fn any_details() -> impl Strategy<Value = TxDetails> {
    let number = any::<u64>().prop_map(|number| number.to_string());
    let address = any::<[u8; 20]>().prop_map(|bytes| format!("0x{}", hex(&bytes)));
    let claim = || proptest::option::of(prop_oneof![".{0,24}", number.clone(), address.clone()]);
    let (one, other) = ((claim(), claim(), claim(), claim()), (claim(), claim(), claim(), claim()));
    (one, other).prop_map(
        |((description, from, to, value), (token_symbol, amount_human, contract_name, gas_limit))| {
            TxDetails { description, from, to, value, token_symbol, amount_human, contract_name, gas_limit }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// T000-35: for any `tx_details`, the digests that consent is bound to, and every signed byte, are those of the
    /// same step without a word about it; on chains of four kinds, and for raw bytes.
    #[test]
    fn any_claims_change_no_signed_byte(details in any_details()) {
        let payments = [Chain::Ethereum, Chain::Bitcoin, Chain::Solana, Chain::Cosmos];
        let payloads = payments.map(|chain| payload_step(&payment(&keys(1), chain, &address(&keys(2), chain), "70000")));
        let raw = raws().valid.into_iter().find(|case| case.name == "Ethereum: legacy").unwrap().step();
        for step in payloads.into_iter().chain([raw]) {
            let digests = |step: &StepRequest| -> Vec<String> {
                inspect_one(&keys(1), step).unwrap().into_iter().map(|decoded| decoded.digest).collect()
            };
            let claimed = StepRequest { details: details.clone(), ..step.clone() };
            prop_assert_eq!(digests(&claimed), digests(&step));
            prop_assert_eq!(sign_all(&secret(1), &claimed).unwrap(), sign_all(&secret(1), &step).unwrap());
        }
    }
}

/// A step that was changed after the consent is another transaction.
#[test]
fn other_bytes_than_those_consented_to_are_not_signed() {
    let (_, digest, opened) = fixture();
    let changed = payload_step(&payment(&keys(1), Chain::Ethereum, RECIPIENT, "6"));
    assert_eq!(sign(&opened, &keys(1), &changed, 0, &digest).unwrap_err().code, "digest_mismatch");
    let other_chain = StepRequest { chain: "Base".into(), ..changed };
    assert_eq!(sign(&opened, &keys(1), &other_chain, 0, &digest).unwrap_err().code, "chain_mismatch");
    let (step, ..) = fixture();
    assert_eq!(sign(&opened, &keys(1), &step, 1, &digest).unwrap_err().code, "no_such_transaction");
    assert_eq!(sign(&opened, &keys(1), &step, 0, "").unwrap_err().code, "digest_mismatch");
}

/// The account of a request is not believed: with another key, or another address, nothing is signed.
#[test]
fn a_wrong_account_is_not_signed_for() {
    let raw = raws().valid.into_iter().find(|case| case.name == "Ethereum: legacy").unwrap().step();
    let steps = std::slice::from_ref(&raw);
    // The bytes name no sender, so the digest is the same for every account.
    let digest = inspect_one(&keys(1), &raw).unwrap().remove(0).digest;
    let refused = |account: VaultAccount| {
        let (opened, step) = (opened(&secret(1), "call 7"), raw.clone());
        match answer(KeyRequest::Sign { opened, account, step, index: 0, digest: digest.clone() }) {
            Reply::Refused(refusal) => refusal.code,
            other => panic!("{other:?}"),
        }
    };
    let (own, other) = (accounts(&keys(1), steps).remove(0), accounts(&keys(2), steps).remove(0));
    assert_eq!(refused(other.clone()), "not_owned");
    assert_eq!(refused(VaultAccount { public_key: other.public_key, ..own.clone() }), "account_mismatch");
    assert_eq!(refused(VaultAccount { address: other.address, ..own.clone() }), "account_mismatch");
    assert_eq!(refused(VaultAccount { chain: "Base".into(), ..own }), "chain_mismatch");
}

/// An opened vault is good for what it was opened for, and for its own accounts.
#[test]
fn an_opened_vault_opens_for_its_purpose_only() {
    let (step, digest, fine) = fixture();
    let refused = |opened: &Opened| sign(opened, &keys(1), &step, 0, &digest).unwrap_err().code;
    assert_eq!(refused(&Opened { binding: "call 8".into(), ..fine.clone() }), "wrong_key");
    assert_eq!(refused(&Opened { key: SecretText::new(String::new()), ..fine.clone() }), "wrong_key");
    let other_key = SecretText::new(chains::encoding::base64(&[8; 32]));
    assert_eq!(refused(&Opened { key: other_key, ..fine.clone() }), "wrong_key");
    assert_eq!(refused(&Opened { sealed: SecretText::new("AAAA".into()), ..fine.clone() }), "seal_malformed");
    assert_eq!(refused(&opened(&secret(2), "call 7")), "not_owned");
}
