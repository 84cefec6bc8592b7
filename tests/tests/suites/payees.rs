//! Who counts as paid before: parties of confirmed transactions, and nobody else.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::bundle_run::{BundleRun, MINUTE, row};
use countersign_tests::chain::Chains;
use countersign_tests::evm::{Evm, PAYEE, STRANGER, bundle, with_receipt};
use countersign_tests::world::*;
use runtime::store::{Batch, Durability, Table, Write};
use serde_json::{Value, json};

const HOUR: u64 = 60 * MINUTE;

/// Two payments, each to somebody else, with their receipts waited for.
fn two_payments() -> Value {
    json!([
        with_receipt(Evm::pays(PAYEE, 1_000).step("a", 0)),
        with_receipt(Evm::pays(STRANGER, 1_000).nonce(8).step("b", 1)),
    ])
}

/// Who was paid before, as it is stored.
async fn paid(world: &World) -> Vec<String> {
    let address = |key: String| key.rsplit('/').next().unwrap_or_default().to_owned();
    world.table(Table::Payees).await.into_iter().map(|row| address(row.key)).collect()
}

/// Whether a proposed payment to each of these warns of a first payment. Every proposal is rejected.
async fn is_first(run: &BundleRun, to: &[&'static str]) -> Vec<bool> {
    let mut warned = Vec::new();
    for address in to {
        let id = format!("look-{address}-{}", run.world.browser.now());
        let action = bundle(&id, json!([Evm::pays(address, 1).nonce(9).step("x", 0)]));
        let target = "/api/actions?wait=false";
        assert_eq!(run.world.call("POST", target, json!({"actions": [action]})).await.0, 202);
        run.world.settle().await;
        let prompts = run.world.prompts().await;
        let reasons = prompts[0]["reasons"].as_array().unwrap().clone();
        warned.push(reasons.iter().any(|reason| reason["code"] == "first_time_recipient"));
        run.world.answer(json!({"approve": false})).await;
    }
    warned
}

/// A bundle that was approved and ended before it paid leaves nobody known; nor does one that was rejected.
#[tokio::test(start_paused = true)]
async fn approval_alone_makes_nobody_known() {
    let run = BundleRun::of(two_payments()).await;
    run.world.say("go").await;
    run.approve().await;
    run.world.answer(json!({"approve": false})).await;
    assert_eq!(run.world.results().len(), 1, "it was ended before the password");
    assert_eq!(
        (paid(&run.world).await, is_first(&run, &[PAYEE, STRANGER]).await),
        (vec![], vec![true, true])
    );
}

/// The recipient of a confirmed step is known from its confirmation on; that of the step that reverted is not.
#[tokio::test(start_paused = true)]
async fn confirmed_payments_make_known() {
    let run = BundleRun::on(Chains::mined_manually(), two_payments()).await;
    run.chains.on("Ethereum").reverts.insert(8);
    run.start().await;
    assert_eq!(paid(&run.world).await, [""; 0]);
    run.chains.on("Ethereum").mine(0);
    run.world.pass(MINUTE).await;
    assert_eq!(paid(&run.world).await, [PAYEE]);
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, [row("a", "confirmed", ""), row("b", "failed", "transaction_failed")]);
    assert_eq!(paid(&run.world).await, [PAYEE]);
    assert_eq!(is_first(&run, &[PAYEE, STRANGER]).await, [false, true]);
}

/// A step that timed out makes nobody known, until its receipt comes after all; one whose receipt nobody waits for, when
/// it comes.
#[tokio::test(start_paused = true)]
async fn late_confirmation_makes_known() {
    for (step, code) in [
        (with_receipt(Evm::pays(PAYEE, 1_000).step("a", 0)), "timeout"),
        (Evm::pays(PAYEE, 1_000).step("a", 0), "pending"),
    ] {
        let run = BundleRun::on(Chains::mined_manually(), json!([step])).await;
        let rows = run.complete().await;
        assert_eq!(rows[0].1, code);
        run.world.pass(HOUR).await;
        assert_eq!((paid(&run.world).await, is_first(&run, &[PAYEE]).await), (vec![], vec![true]), "{code}");
        run.chains.on("Ethereum").mine(0);
        run.world.pass(HOUR).await;
        assert_eq!(paid(&run.world).await, [PAYEE], "{code}");
        assert_eq!(is_first(&run, &[PAYEE]).await, [false], "{code}");
    }
}

/// What reverts after its bundle's end makes nobody known.
#[tokio::test(start_paused = true)]
async fn late_failure_makes_nobody_known() {
    let run = BundleRun::on(Chains::mined_manually(), json!([Evm::pays(PAYEE, 1_000).step("a", 0)])).await;
    run.complete().await;
    run.chains.on("Ethereum").reverts.insert(7);
    run.chains.on("Ethereum").mine(0);
    run.world.pass(HOUR).await;
    assert_eq!((run.progress().await, paid(&run.world).await), (vec!["failed".to_owned()], vec![]));
}

/// Who was paid goes with the vault, also where the confirmation comes after it.
#[tokio::test(start_paused = true)]
async fn payees_go_with_their_vault() {
    let run = BundleRun::on(Chains::mined_manually(), json!([Evm::pays(PAYEE, 1_000).step("a", 0)])).await;
    run.complete().await;
    let vault = run.world.table(Table::Vaults).await.remove(0).key;
    let gone = Write::Delete(Table::Vaults, vault);
    run.world.commit(Batch::unowned(Durability::Strict, Vec::new(), vec![gone])).await;
    run.chains.on("Ethereum").mine(0);
    run.world.pass(HOUR).await;
    assert_eq!((run.progress().await, paid(&run.world).await), (vec!["confirmed".to_owned()], vec![]));
}

/// A row that an earlier version wrote at an approval still counts.
#[tokio::test(start_paused = true)]
async fn earlier_payees_stay_known() {
    let run = BundleRun::of(json!([])).await;
    let vault = run.world.get("/api/vaults").await["vaults"][0]["id"].as_str().unwrap().to_owned();
    let key = format!("{vault}/Ethereum/{PAYEE}");
    run.world.write(Table::Payees, &key, &(START - 400 * 24 * HOUR).to_string()).await;
    assert_eq!(is_first(&run, &[PAYEE, STRANGER]).await, [false, true]);
}
