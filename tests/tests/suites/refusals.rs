//! Every refusal before a prompt: a bundle with one invalid step is refused as a whole, whichever step it is, with a
//! code, the step and the field; there is no prompt, no stored bundle, no signature and no request to a node. Each
//! test sends its invalid bundles as an agent does, and then a valid one that opens a prompt, which proves that the
//! defect caused the refusal.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "a test's support fails the test")]

use countersign_tests::evm::{Evm, PAYEE, bundle};
use countersign_tests::world::*;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

/// The sequence number of the invalid step.
const BAD: u32 = 4;

/// The first step of every bundle: valid.
fn first() -> Value {
    Evm::pays(PAYEE, 1).step("good", 0)
}

/// The second step of every bundle, before a defect is added.
fn second() -> Value {
    Evm::pays(PAYEE, 2).nonce(8).step("bad", BAD)
}

fn context(name: &str, value: Value) -> Value {
    let context = with(second()["chain_context"].clone(), name, value);
    with(second(), "chain_context", context)
}

/// A step with a keysign payload instead of raw bytes.
fn payload(text: Value) -> Value {
    with(without(without(second(), "unsigned_tx_hex"), "chain_context"), "keysign_payload", text)
}

/// A payment on Ethereum from the committed vectors, of another vault.
fn foreign_payload() -> String {
    let text = include_str!("../../vectors/evm/signed-tx-golden.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    let case = cases.iter().find(|case| case["name"] == "Ethereum: native coin");
    case.and_then(|case| case["keysign_payload_base64"].as_str()).unwrap_or_default().to_owned()
}

/// Sends each second step in its own bundle, after a valid first step, and then a valid bundle.
async fn assert_refused(cases: Vec<(Value, &str)>) {
    let bundles = cases.into_iter().map(|(bad, error)| (json!({"transactions": [first(), bad]}), error));
    assert_params_refused(bundles.collect()).await;
}

/// The same with whole parameters.
async fn assert_params_refused(cases: Vec<(Value, &str)>) {
    let mut actions: Vec<Value> = Vec::new();
    for (at, (params, _)) in cases.iter().enumerate() {
        actions.push(with(bundle(&format!("a{at}"), json!([])), "params", params.clone()));
    }
    let control = json!([bundle("control", json!([first(), second()]))]);
    let world =
        World::scripted(vec![turn(when_said("bad"), json!(actions)), turn(when_said("good"), control)]).await;
    world.make_vault(PASSWORD).await;
    world.say("bad").await;
    let results = world.results();
    assert_eq!(results.len(), cases.len(), "one result each: {results:?}");
    for (at, (result, (params, error))) in results.iter().zip(&cases).enumerate() {
        let expected = refused_bundle(&format!("a{at}"), "sign_transaction_bundle", error);
        assert_eq!(*result, expected, "{params}");
    }
    let records = world.records().await;
    assert_eq!((records["prompts"].len(), records["bundles"].len(), records["consents"].len()), (0, 0, 0));
    assert_eq!((world.browser.notified().len(), world.browser.signatures()), (0, 0));
    assert_eq!(world.node_calls(), [], "no node was asked");
    world.say("good").await;
    let prompts = world.prompts().await;
    let [prompt] = prompts.as_slice() else { panic!("one prompt, for the valid bundle: {prompts:?}") };
    assert_eq!(
        (&prompt["kind"], &prompt["title"]),
        (&json!("tx_bundle_approval"), &json!("Label of control"))
    );
    assert_eq!((world.results().len(), world.violations()), (cases.len(), vec![]));
}

/// Sends these steps; they open an approval, and the bundle shows them in this order.
async fn assert_accepted(steps: Value, order: &[&str]) {
    let world = World::proposing(json!([bundle("a1", steps)])).await;
    world.make_vault(PASSWORD).await;
    world.say("go").await;
    assert_eq!(world.results(), Vec::<Value>::new());
    let call = world.prompts().await[0]["callId"].as_str().unwrap_or_default().to_owned();
    let bundle = world.get(&format!("/api/bundles/{call}")).await;
    let shown: Vec<&Value> =
        bundle["steps"].as_array().into_iter().flatten().map(|step| &step["id"]).collect();
    assert_eq!(shown, order);
}

/// T000-19: a bundle without steps is refused.
#[tokio::test(start_paused = true)]
async fn empty_bundle_is_refused() {
    let array = "invalid_params: /transactions must be an array";
    assert_params_refused(vec![
        (json!({}), array),
        (json!({"transactions": null}), array),
        (json!({"transactions": {"0": first()}}), array),
        (json!({"transactions": []}), "invalid_params: /transactions must have at least one step"),
        (json!({"transactions": [first(), 7]}), "invalid_params: /transactions/1 must be an object"),
    ])
    .await;
}

/// T000-21: every step needs its own id.
#[tokio::test(start_paused = true)]
async fn duplicate_ids_are_refused() {
    let missing = "invalid_params: /transactions/1/id must be a non-empty string";
    assert_refused(vec![
        (with(second(), "id", json!("good")), "invalid_params: /transactions/1/id is another step's"),
        (without(second(), "id"), missing),
        (with(second(), "id", json!("")), missing),
        (with(second(), "id", json!(7)), "invalid_params: /transactions/1/id must be a string"),
    ])
    .await;
}

/// T000-22: `sequence` is the order, not the place in the array; T000-23: gaps are allowed.
#[tokio::test(start_paused = true)]
async fn sequence_decides_the_order() {
    let step = |id: &str, sequence, nonce| Evm::pays(PAYEE, 1).nonce(nonce).step(id, sequence);
    assert_accepted(json!([step("c", 40, 9), step("a", 0, 7), step("b", 3, 8)]), &["a", "b", "c"]).await;
}

/// T000-23: a sequence that is duplicate, negative, fractional or missing.
#[tokio::test(start_paused = true)]
async fn invalid_sequences_are_refused() {
    let whole = "invalid_params: /transactions/1/sequence must be a whole number from 0 on";
    let mut cases = vec![(
        with(second(), "sequence", json!(0)),
        "invalid_params: /transactions/1/sequence is another step's",
    )];
    for bad in [json!(-1), json!(1.5), json!("1"), json!(null), json!(1_u64 << 32)] {
        cases.push((with(second(), "sequence", bad), whole));
    }
    cases.push((without(second(), "sequence"), whole));
    assert_refused(cases).await;
}

/// T000-24: an unknown chain; a known one matches in any case.
#[tokio::test(start_paused = true)]
async fn unknown_chains_are_refused() {
    assert_refused(vec![
        (with(second(), "chain", json!("Narnia")), "unknown_chain: \"Narnia\" at /transactions/1/chain"),
        (
            with(second(), "chain", json!("Ether eum")),
            "unknown_chain: \"Ether eum\" at /transactions/1/chain",
        ),
        (with(second(), "chain", json!(1)), "invalid_params: /transactions/1/chain must be a string"),
        (without(second(), "chain"), "invalid_params: /transactions/1/chain must be a non-empty string"),
    ])
    .await;
    assert_accepted(json!([first(), with(second(), "chain", json!(" eThErEuM "))]), &["good", "bad"]).await;
}

/// T000-26: unknown signing modes. D15: a mode that the chain does not use.
#[tokio::test(start_paused = true)]
async fn invalid_signing_modes_are_refused() {
    assert_refused(vec![
        (
            with(second(), "signing_mode", json!("schnorr")),
            "invalid_params: /transactions/1/signing_mode must be ecdsa_secp256k1 or eddsa_ed25519",
        ),
        (
            without(second(), "signing_mode"),
            "invalid_params: /transactions/1/signing_mode must be a non-empty string",
        ),
        (
            with(second(), "signing_mode", json!("eddsa_ed25519")),
            "signing_mode_mismatch: step 4: signing_mode Ethereum does not sign with eddsa_ed25519",
        ),
    ])
    .await;
}

/// T000-27: both sources, or neither.
#[tokio::test(start_paused = true)]
async fn both_sources_or_neither_are_refused() {
    let neither = "invalid_params: /transactions/1 must have keysign_payload or unsigned_tx_hex";
    assert_refused(vec![
        (
            with(second(), "keysign_payload", json!(foreign_payload())),
            "invalid_params: /transactions/1 has both keysign_payload and unsigned_tx_hex",
        ),
        (without(second(), "unsigned_tx_hex"), neither),
        (with(second(), "unsigned_tx_hex", json!(null)), neither),
        (payload(json!("")), neither),
    ])
    .await;
}

/// T000-28: not base64, not the protobuf message, or a message without a required field.
#[tokio::test(start_paused = true)]
async fn invalid_payloads_are_refused() {
    let cut = foreign_payload().get(..64).unwrap_or_default().to_owned();
    assert_refused(vec![
        (payload(json!("not base64!")), "malformed: step 4: keysign_payload is not base64"),
        (payload(json!("/////w==")), "malformed: step 4: keysign_payload not a keysign payload"),
        (payload(json!(cut)), "malformed: step 4: keysign_payload not a keysign payload"),
        (payload(json!("CgA=")), "malformed: step 4: coin.chain is not a supported chain"),
        (payload(json!(7)), "invalid_params: /transactions/1/keysign_payload must be a string"),
    ])
    .await;
}

/// T000-29: no hex, or hex of odd length; the `0x` prefix is optional.
#[tokio::test(start_paused = true)]
async fn invalid_hex_is_refused() {
    let hex = second()["unsigned_tx_hex"].as_str().unwrap().to_owned();
    let digits = "invalid_params: /transactions/1/unsigned_tx_hex must be hex, two digits a byte";
    assert_refused(vec![
        (with(second(), "unsigned_tx_hex", json!(hex[..hex.len() - 1])), digits),
        (with(second(), "unsigned_tx_hex", json!(format!("{}zz", &hex[..hex.len() - 2]))), digits),
        (with(second(), "unsigned_tx_hex", json!("0x")), digits),
        (
            with(second(), "unsigned_tx_hex", json!(7)),
            "invalid_params: /transactions/1/unsigned_tx_hex must be a string",
        ),
    ])
    .await;
    assert_accepted(json!([first(), with(second(), "unsigned_tx_hex", json!(hex[2..]))]), &["good", "bad"])
        .await;
}

/// T000-30: raw bytes without `chain_context`.
#[tokio::test(start_paused = true)]
async fn missing_chain_context_is_refused() {
    let missing = "invalid_params: /transactions/1/chain_context must be there beside unsigned_tx_hex";
    assert_refused(vec![
        (without(second(), "chain_context"), missing),
        (with(second(), "chain_context", json!(null)), missing),
        (with(second(), "chain_context", json!("0x1")), missing),
    ])
    .await;
}

/// T000-31, D15: a chain id that is not hex, or differs from the chain's or from the one in the bytes.
#[tokio::test(start_paused = true)]
async fn mismatched_chain_ids_are_refused() {
    let hex =
        "invalid_params: /transactions/1/chain_context/chain_id must be a hex number that begins with 0x";
    let arbitrum = Evm { chain_id: 42_161, ..Evm::pays(PAYEE, 2) }.hex();
    assert_refused(vec![
        (context("chain_id", json!("1")), hex),
        (context("chain_id", json!(null)), hex),
        (
            context("chain_id", json!(1)),
            "invalid_params: /transactions/1/chain_context/chain_id must be a string",
        ),
        (
            context("chain_id", json!("0xa4b1")),
            "chain_mismatch: step 4: the transaction is for chain id 1, not for chain id 0xa4b1",
        ),
        (
            with(second(), "unsigned_tx_hex", json!(arbitrum)),
            "chain_mismatch: step 4: the transaction is for chain id 42161, not for Ethereum",
        ),
        (
            with(second(), "chain", json!("Arbitrum")),
            "chain_mismatch: step 4: the transaction is for chain id 1, not for Arbitrum",
        ),
    ])
    .await;
}

/// T000-32, D15: a derivation path that is not the chain's is not owned; what is no path is malformed.
#[tokio::test(start_paused = true)]
async fn foreign_derive_paths_are_refused() {
    let not_owned = |path: &str| {
        format!(
            "not_owned: step 4: chain_context.derive_path {path} is not the path of this vault's Ethereum account"
        )
    };
    let [next, bitcoin, root] = ["m/44'/60'/0'/0/1", "m/84'/0'/0'/0/0", "m"].map(not_owned);
    let no_path = "malformed: step 4: chain_context.derive_path is not a derivation path";
    assert_refused(vec![
        (context("derive_path", json!("m/44'/60'/0'/0/1")), &next),
        (context("derive_path", json!("m/84'/0'/0'/0/0")), &bitcoin),
        (context("derive_path", json!("m")), &root),
        (context("derive_path", json!("nowhere")), no_path),
        (context("derive_path", json!("m/44'/60'/0'/0/x")), no_path),
        (context("derive_path", json!("m/44'/60'/0'/0/2147483648")), no_path),
        (
            context("derive_path", json!(7)),
            "invalid_params: /transactions/1/chain_context/derive_path must be a string",
        ),
    ])
    .await;
}

/// Legacy bytes of six fields: no chain id in them.
const SIX_FIELDS: &str = "0xe0088477359400825208945aaeb6053f3e94c9b9a09f33669435e7ef1beaed0280";

/// D16: six-field legacy bytes are for the chain id beside them, which must be the chain's.
#[tokio::test(start_paused = true)]
async fn six_legacy_fields_take_the_chain_id_of_the_context() {
    let six = |chain_id: Value| {
        let context = json!({"chain_id": chain_id, "derive_path": "m/44'/60'/0'/0/0", "tx_type": "legacy"});
        with(with(second(), "unsigned_tx_hex", json!(SIX_FIELDS)), "chain_context", context)
    };
    assert_refused(vec![
        (
            six(json!("0x38")),
            "chain_mismatch: step 4: the transaction is for chain id 56, not for Ethereum",
        ),
        (
            with(six(json!("0x1")), "chain", json!("BSC")),
            "chain_mismatch: step 4: the transaction is for chain id 1, not for BSC",
        ),
        (
            six(json!(null)),
            "invalid_params: /transactions/1/chain_context/chain_id must be a hex number that begins with 0x",
        ),
        (
            with(second(), "unsigned_tx_hex", json!(SIX_FIELDS)),
            "tx_type_mismatch: step 4: chain_context.tx_type the transaction is of type legacy, the request says eip1559",
        ),
    ])
    .await;
    assert_accepted(json!([first(), six(json!("0x1"))]), &["good", "bad"]).await;
}

/// T000-33, D15: an unknown type, or one that differs from the bytes.
#[tokio::test(start_paused = true)]
async fn mismatched_transaction_types_are_refused() {
    let known = "invalid_params: /transactions/1/chain_context/tx_type must be legacy, eip1559 or eip2930";
    assert_refused(vec![
        (context("tx_type", json!("eip4844")), known),
        (context("tx_type", json!(null)), known),
        (
            context("tx_type", json!("legacy")),
            "tx_type_mismatch: step 4: chain_context.tx_type the transaction is of type eip1559, the request says legacy",
        ),
        (
            context("tx_type", json!("eip2930")),
            "tx_type_mismatch: step 4: chain_context.tx_type the transaction is of type eip1559, the request says eip2930",
        ),
    ])
    .await;
}

/// The error for [`foreign_payload`].
const FOREIGN: &str = "not_owned: step 4: keysign_payload 0xecEFB4D8Bc7f2cEfBd23E57dfc3f8b6d38924fD7 is not this vault's account";

/// D15: a payload whose sender is another vault. T000-30: `chain_context` beside a payload is ignored, or it would
/// cause another error.
#[tokio::test(start_paused = true)]
async fn payload_of_another_vault_is_refused() {
    let foreign = payload(json!(foreign_payload()));
    let nonsense = json!({"chain_id": 7, "derive_path": "nowhere", "tx_type": "none"});
    assert_refused(vec![(foreign.clone(), FOREIGN), (with(foreign, "chain_context", nonsense), FOREIGN)])
        .await;
}

/// D14: raw bytes for a chain without a raw form.
#[tokio::test(start_paused = true)]
async fn unsupported_raw_bytes_are_refused() {
    let ton = with(with(second(), "chain", json!("Ton")), "signing_mode", json!("eddsa_ed25519"));
    let ton = with(ton, "chain_context", json!({"chain_id": "-239"}));
    assert_refused(vec![(
        ton,
        "unsupported_unsigned_tx: step 4: Ton takes a keysign payload, not unsigned_tx_hex",
    )])
    .await;
}
