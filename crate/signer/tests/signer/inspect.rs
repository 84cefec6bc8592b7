//! Steps are decoded whole, or refused with a reason and a place.

use crate::vectors::{goldens, raws};
use crate::world::{accounts, address, inspect, inspect_one, keys, payload_step, payment, step};
use chains::Chain;
use countersign_signer::answer;
use std::collections::BTreeSet;
use wire::bundle::{StepRequest, StepSource, TransactionRole};
use wire::explain::{Asset, Effect, Quantity};
use wire::signer::{DecodeRequest, Refusal, Reply, TokenName};
use wire::vault::{PublicKeys, VaultAccount};

const RECIPIENT: &str = "0x6c2D1A55808AA22C0b9328925E88b6Ab5Cca9c97";

/// Every payload of the oracles is decoded under the key that signs it, and is paid by that key's account. Zcash waits
/// for a fact that only the network knows, and a transaction with another payer is refused.
#[test]
fn every_payload_of_the_vectors() {
    let mut seen = BTreeSet::new();
    for case in goldens() {
        let (keys, chain) = (case.keys(), case.chain());
        match inspect_one(&keys, &case.step()) {
            Ok(decoded) => {
                for transaction in &decoded {
                    let expected = (chain.name(), address(&keys, chain));
                    let explanation = &transaction.explanation;
                    assert_eq!(
                        (explanation.chain.as_str(), explanation.from.clone()),
                        expected,
                        "{}",
                        case.name
                    );
                    assert_eq!(transaction.contradictions, [], "{}", case.name);
                    assert_eq!(transaction.digest.len(), 64, "{}", case.name);
                }
                seen.insert(chain.kind());
            }
            Err(refusal) => {
                let expected = match case.name.as_str() {
                    "page: somebody else pays" => "not_owned",
                    // A branch of the network, or values that no signature covers: only a node knows them.
                    _ if matches!(chain, Chain::Zcash | Chain::Dogecoin | Chain::Dash) => {
                        "network_fact_missing"
                    }
                    name => panic!("{name}: {refusal:?}"),
                };
                assert_eq!((refusal.code.as_str(), refusal.step), (expected, Some(0)), "{}", case.name);
            }
        }
    }
    assert_eq!(seen.len(), 11, "{seen:?}");
}

/// Raw bytes are decoded or refused as their vectors say; a refusal names step and field.
#[test]
fn every_raw_transaction_of_the_vectors() {
    let cases = raws();
    for case in &cases.valid {
        let decoded = inspect_one(&case.keys(), &case.step());
        let decoded = decoded.unwrap_or_else(|refusal| panic!("{}: {refusal:?}", case.name));
        assert_eq!(decoded.len(), 1, "{}", case.name);
        assert_eq!(decoded[0].explanation.from, address(&case.keys(), case.chain()), "{}", case.name);
    }
    for case in &cases.malformed {
        let refusal = inspect_one(&case.keys(), &case.step()).expect_err(&case.name);
        assert!(refusal.step == Some(0) && refusal.field.is_some(), "{}: {refusal:?}", case.name);
    }
}

/// What a person and the policy see of a payment.
#[test]
fn a_payment_in_words() {
    let keys = keys(1);
    let payload = payment(&keys, Chain::Ethereum, RECIPIENT, "1500000000000000000");
    let decoded = inspect_one(&keys, &payload_step(&payload)).unwrap().remove(0);
    let found = decoded.explanation;
    assert_eq!(decoded.role, TransactionRole::Transfer);
    let quantity = |units: &str, shown: &str| Quantity { units: units.into(), shown: shown.into() };
    let transfer = Effect::Transfer {
        asset: Asset::Native { ticker: "ETH".into() },
        to: RECIPIENT.into(),
        amount: quantity("1500000000000000000", "1.5 ETH"),
    };
    assert_eq!(found.effects, [transfer]);
    assert_eq!(found.fee, Some(quantity("630000000000000", "0.00063 ETH")));
    assert_eq!((found.gas_limit.as_deref(), found.nonce.as_deref()), (Some("21000"), Some("5")));
}

/// A token has its well-known name, else the name that the vault has for it on that very chain, else its units.
#[test]
fn a_token_is_called_by_its_name() {
    let keys = keys(1);
    let mut payload = payment(&keys, Chain::Ethereum, RECIPIENT, "1500000");
    let shown = |contract: &str, tokens: &[TokenName], payload: &mut wire::keysign::KeysignPayload| {
        let coin = payload.coin.as_mut().unwrap();
        (coin.is_native_token, coin.contract_address) = (false, contract.into());
        let steps = vec![payload_step(payload)];
        let accounts = accounts(&keys, &steps);
        let request = DecodeRequest::Inspect { accounts, steps, tokens: tokens.to_vec() };
        let Reply::Inspected { steps } = answer(request) else { panic!("refused") };
        match &steps[0][0].explanation.effects[0] {
            Effect::Transfer { asset: Asset::Token { ticker, .. }, amount, .. } => {
                (ticker.clone(), amount.shown.clone())
            }
            other => panic!("{other:?}"),
        }
    };
    let token = |chain: &str, id: &str| TokenName {
        chain: chain.into(),
        id: id.into(),
        ticker: "OWN".into(),
        decimals: 2,
        by_agent: false,
    };
    let usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    let own = [token("Ethereum", usdc), token("Ethereum", RECIPIENT)];
    assert_eq!(shown(usdc, &own, &mut payload), (Some("USDC".into()), "1.5 USDC".into()));
    assert_eq!(shown(RECIPIENT, &own, &mut payload), (Some("OWN".into()), "15000 OWN".into()));
    let elsewhere = [token("Base", RECIPIENT)];
    assert_eq!(
        shown(RECIPIENT, &elsewhere, &mut payload),
        (None, format!("1500000 units of {RECIPIENT} (decimals unknown)"))
    );
}

fn refused(keys: &PublicKeys, step: &StepRequest) -> (String, Option<String>) {
    let fine = payload_step(&payment(keys, Chain::Ethereum, RECIPIENT, "1"));
    let Refusal { code, step, field, message } = inspect(keys, &[fine, step.clone()]).unwrap_err();
    assert_eq!(step, Some(1), "{code}: {message}");
    (code, field)
}

/// D15: what stands beside the bytes must agree with them, and the account must be the vault's.
#[test]
fn a_disagreement_is_refused_by_step_and_field() {
    let (keys, other) = (keys(1), keys(2));
    let fine = payload_step(&payment(&keys, Chain::Ethereum, RECIPIENT, "1"));
    let told = |code: &str, field: &str| (code.to_owned(), Some(field.to_owned()));

    let step = StepRequest { chain: "Nowhere".into(), ..fine.clone() };
    assert_eq!(refused(&keys, &step), told("unknown_chain", "chain"));
    let step = StepRequest { chain: "Base".into(), ..fine.clone() };
    assert_eq!(refused(&keys, &step), told("chain_mismatch", "chain"));
    let step = StepRequest { chain: "QBTC".into(), ..fine.clone() };
    assert_eq!(refused(&keys, &step), told("unsupported_chain", "chain"));
    let step = StepRequest { signing_mode: "eddsa_ed25519".into(), ..fine.clone() };
    assert_eq!(refused(&keys, &step), told("signing_mode_mismatch", "signing_mode"));
    let foreign = payload_step(&payment(&other, Chain::Ethereum, RECIPIENT, "1"));
    assert_eq!(refused(&keys, &foreign), told("not_owned", "keysign_payload"));
    let nonsense = |text: &str| {
        let keysign_payload = text.to_owned();
        crate::world::step(Chain::Ethereum, StepSource::Payload { keysign_payload })
    };
    assert_eq!(refused(&keys, &nonsense("!")), told("malformed", "keysign_payload"));
    assert_eq!(refused(&keys, &nonsense("/////w==")), told("malformed", "keysign_payload"));
    assert_eq!(refused(&keys, &nonsense("")), told("missing_field", "coin"));
}

/// D15: a well-formed path that is not the vault's is `not_owned`.
#[test]
fn raw_context_must_agree_with_the_bytes() {
    let cases = raws();
    let case = cases.valid.iter().find(|case| case.name == "Ethereum: legacy").unwrap();
    let keys = case.keys();
    let with = |change: fn(&mut Option<String>, &mut Option<String>, &mut Option<String>)| {
        let mut wrong = case.step();
        let StepSource::Raw { chain_id, derive_path, tx_type, .. } = &mut wrong.source else { panic!("raw") };
        change(chain_id, derive_path, tx_type);
        let refusal = inspect_one(&keys, &wrong).unwrap_err();
        (refusal.code, refusal.field.unwrap())
    };
    let told = |code: &str, field: &str| (code.to_owned(), field.to_owned());
    assert_eq!(with(|id, _, _| *id = Some("0x2".into())), told("chain_mismatch", "chain"));
    assert_eq!(
        with(|_, path, _| *path = Some("m/44'/60'/0'/0/1".into())),
        told("not_owned", "chain_context.derive_path")
    );
    assert_eq!(
        with(|_, path, _| *path = Some("nowhere".into())),
        told("malformed", "chain_context.derive_path")
    );
    assert_eq!(
        with(|_, _, kind| *kind = Some("eip1559".into())),
        told("tx_type_mismatch", "chain_context.tx_type")
    );
}

/// D14: other chains have no raw form.
#[test]
fn a_chain_without_a_raw_form_is_refused() {
    let (chain_id, derive_path, tx_type) = (None, None, None);
    let source = StepSource::Raw { unsigned_tx_hex: "00".into(), chain_id, derive_path, tx_type };
    let refusal = inspect_one(&keys(1), &step(Chain::Ton, source)).unwrap_err();
    let told = (refusal.code.as_str(), refusal.field.as_deref());
    assert_eq!(told, ("unsupported_unsigned_tx", Some("unsigned_tx_hex")));
}

/// An account comes with the request and is not believed: its key is a point, its address the key's own.
#[test]
fn accounts_are_checked() {
    let steps = [payload_step(&payment(&keys(1), Chain::Ethereum, RECIPIENT, "1"))];
    let (kept, other) = (accounts(&keys(1), &steps).remove(0), accounts(&keys(2), &steps).remove(0));
    let refused = |accounts: Vec<VaultAccount>| {
        let request = DecodeRequest::Inspect { accounts, steps: steps.to_vec(), tokens: Vec::new() };
        let Reply::Refused(refusal) = answer(request) else { panic!("not refused") };
        assert_eq!(refusal.step, Some(0));
        (refusal.code, refusal.field.unwrap())
    };
    let told = |code: &str, field: &str| (code.to_owned(), field.to_owned());
    let no_point = VaultAccount { public_key: "ff".repeat(33), ..kept.clone() };
    assert_eq!(refused(vec![no_point]), told("invalid_public_key", "publicKey"));
    let short = VaultAccount { public_key: "02".into(), ..kept.clone() };
    assert_eq!(refused(vec![short]), told("malformed_key", "publicKey"));
    let mixed = VaultAccount { public_key: other.public_key.clone(), ..kept.clone() };
    assert_eq!(refused(vec![mixed]), told("account_mismatch", "keysign_payload"));
    assert_eq!(refused(vec![other]), told("not_owned", "keysign_payload"));
    let elsewhere = VaultAccount { chain: "Base".into(), ..kept };
    assert_eq!(refused(vec![elsewhere]), told("chain_key_missing", "chain"));
    assert_eq!(refused(Vec::new()), told("chain_key_missing", "chain"));
}
