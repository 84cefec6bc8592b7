//! Bundles that run: from the agent's proposal over approval, password and nodes to the one result.

use chains::Chain;
use countersign_tests::bundle_run::{BundleRun, MINUTE, row, rows, unsent};
use countersign_tests::chain::{Chains, Fault, FaultKind};
use countersign_tests::evm::{USDC, approve_and_swap, pay, payments, with_receipt, with_receipt_timeout};
use countersign_tests::signer::fast_signer_address;
use serde_json::{Value, json};

/// T000-18, T000-45, T000-49, T000-53: one transaction is a bundle of one, signed from its raw bytes; its row has
/// every field.
#[tokio::test(start_paused = true)]
async fn one_transaction_is_a_bundle() {
    let run = BundleRun::of(json!([with_receipt(pay(7).step("a", 3))])).await;
    run.complete().await;
    let mined = run.chains.on("Ethereum").mined().to_vec();
    let [mined] = mined.as_slice() else { panic!("{mined:?}") };
    assert_eq!(
        (mined.signed.from.as_str(), mined.signed.nonce),
        (fast_signer_address().to_lowercase().as_str(), 7)
    );
    let row = json!({"id": "a", "sequence": 3, "chain": "Ethereum", "tx_hash": mined.signed.hash,
        "status": "confirmed", "error": null});
    let data = json!({"transactions": [row], "bundle_success": true});
    let expected =
        json!({"action": "sign_transaction_bundle", "action_id": "a1", "success": true, "data": data});
    assert_eq!(run.world.results(), [expected]);
}

/// T000-18, T000-43, T000-49: one bundle over several chains, run in order of `sequence` and not of the list; one
/// result.
#[tokio::test(start_paused = true)]
async fn several_chains_run_in_sequence() {
    let steps = json!([
        with_receipt(pay(8).step("third", 30)),
        with_receipt(pay(7).on_arbitrum().step("second", 20)),
        with_receipt(pay(7).step("first", 10)),
    ]);
    let run = BundleRun::of(steps).await;
    let played = run.complete().await;
    assert_eq!(played, ["first", "second", "third"].map(|id| row(id, "confirmed", "")));
    let ethereum = run.chains.on("Ethereum").sent.clone();
    let arbitrum = run.chains.on("Arbitrum").sent.clone();
    let places = [ethereum[0].place, arbitrum[0].place, ethereum[1].place];
    assert!(places[0] < places[1] && places[1] < places[2], "{places:?}");
    assert_eq!((ethereum.len(), arbitrum.len(), run.world.results().len()), (2, 1, 1));
}

/// T000-20, T000-36: with `wait_for_receipt` no transaction is signed or sent before the previous one is mined.
#[tokio::test(start_paused = true)]
async fn waits_for_each_receipt() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    for step in 0..3 {
        run.world.pass(40_000).await;
        let mut ledger = run.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.pool.len()), (step + 1, 1));
        assert_eq!(run.world.browser.signatures(), step + 1);
        ledger.mine(0);
    }
    assert_eq!(run.finish().await, ["a", "b", "c"].map(|id| row(id, "confirmed", "")));
}

/// T000-36: a step without `wait_for_receipt` is `pending` as soon as a node accepts it, and the next follows at
/// once; absent means false.
#[tokio::test(start_paused = true)]
async fn steps_without_receipts_are_pending() {
    let mut no_wait = pay(8).step("b", 1);
    no_wait["wait_for_receipt"] = json!(false);
    let run = BundleRun::on(Chains::mined_manually(), json!([pay(7).step("a", 0), no_wait])).await;
    run.start().await;
    assert_eq!(rows(&run.result()), [row("a", "pending", ""), row("b", "pending", "")]);
    assert_eq!(run.result()["success"], true);
    assert_eq!(run.chains.on("Ethereum").pool.len(), 2);
}

/// T000-37, T000-51, T000-52: after `receipt_timeout_seconds` the step is `timeout` with its hash, and the next step
/// is not started.
#[tokio::test(start_paused = true)]
async fn given_receipt_timeout() {
    let steps = json!([with_receipt_timeout(pay(7).step("a", 0), 20), with_receipt(pay(8).step("b", 1))]);
    let run = BundleRun::on(Chains::mined_manually(), steps).await;
    run.start().await;
    run.world.pass(19_000).await;
    assert_eq!(run.world.results(), [] as [Value; 0]);
    run.world.pass(1_100).await;
    assert_eq!(rows(&run.result()), [row("a", "timeout", "receipt_timeout")]);
    assert_eq!(run.result()["success"], false);
    assert_eq!(run.chains.on("Ethereum").raw().len(), 1);
}

/// T000-37: the default timeout is the chain's, 180 seconds on EVM chains, counted from the signature across
/// restarts.
#[tokio::test(start_paused = true)]
async fn default_receipt_timeout() {
    assert_eq!(Chain::Ethereum.facts().polling.timeout_seconds, 180);
    for restarts in [false, true] {
        let run = BundleRun::on(Chains::mined_manually(), json!([with_receipt(pay(7).step("a", 0))])).await;
        run.start().await;
        for _ in 0..3 {
            run.world.pass(50_000).await;
            if restarts {
                run.world.restart().await;
            }
        }
        run.world.pass(28_000).await;
        assert_eq!(run.world.results(), [] as [Value; 0]);
        run.world.pass(2_100).await;
        assert_eq!(rows(&run.result()), [row("a", "timeout", "receipt_timeout")], "{restarts}");
    }
}

/// T000-37: a long wait uses the alarm. Between two polls nothing keeps the worker alive; the worker that the alarm
/// starts continues.
#[tokio::test(start_paused = true)]
async fn long_wait_uses_the_alarm() {
    let run =
        BundleRun::on(Chains::mined_manually(), json!([with_receipt_timeout(pay(7).step("a", 0), 86_400)]))
            .await;
    run.start().await;
    run.world.pass(8 * 60 * MINUTE).await;
    assert_eq!(run.world.work().await, json!([]));
    let alarm = run.world.browser.alarm().expect("an alarm is set");
    assert!(alarm <= run.world.browser.now() + 2 * MINUTE, "{alarm}");
    run.world.restart().await;
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, [row("a", "confirmed", "")]);
}

/// T000-44, T000-49: a payload with an approval and a swap is one step of two transactions; the swap is signed after
/// the approval is mined, even without `wait_for_receipt`.
#[tokio::test(start_paused = true)]
async fn token_approval_and_swap() {
    let step = approve_and_swap("a", 0, &fast_signer_address(), 7);
    let run = BundleRun::on(Chains::mined_manually(), json!([step, with_receipt(pay(9).step("b", 1))])).await;
    run.start().await;
    run.world.pass(30_000).await;
    assert_eq!((run.world.browser.signatures(), run.progress().await[0].as_str()), (1, "sent"));
    run.chains.on("Ethereum").mine(0);
    run.world.pass(30_000).await;
    // The swap and, since its receipt is not waited for, the next step.
    assert_eq!(run.chains.on("Ethereum").pool.len(), 2);
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, [row("a", "pending", ""), row("b", "confirmed", "")]);
    let mined = run.chains.on("Ethereum").mined().to_vec();
    let first = &run.result()["data"]["transactions"][0];
    assert_eq!(first["approval_tx_hash"], mined[0].signed.hash);
    assert_eq!(first["tx_hash"], mined[1].signed.hash);
    assert_eq!(mined[0].signed.to.as_deref(), Some(USDC.to_lowercase().as_str()));
    assert!(mined[0].signed.data.starts_with("095ea7b3") && mined[1].signed.data.starts_with("12aa3caf"));
}

/// T000-44, T000-47: a failed token approval ends its step: the swap is never signed.
#[tokio::test(start_paused = true)]
async fn failed_token_approval_ends_the_step() {
    let run = BundleRun::of(json!([approve_and_swap("a", 0, &fast_signer_address(), 7)])).await;
    run.chains.on("Ethereum").reverts.insert(7);
    assert_eq!(run.complete().await, [row("a", "failed", "transaction_failed")]);
    assert_eq!(run.world.browser.signatures(), 1);
}

/// T000-46: an error while polling for a receipt is not a failure of the transaction.
#[tokio::test(start_paused = true)]
async fn receipt_errors_are_retried() {
    let kinds = [
        FaultKind::Down,
        FaultKind::Silent,
        FaultKind::Status(500),
        FaultKind::Garbage,
        FaultKind::Error(-32_603, "busy"),
    ];
    for kind in kinds {
        let run = BundleRun::of(json!([with_receipt(pay(7).step("a", 0))])).await;
        run.chains.fault(Fault::on("eth_getTransactionReceipt", kind.clone()).times(4));
        assert_eq!(run.complete().await, [row("a", "confirmed", "")], "{kind:?}");
        assert!(run.chains.request_times("eth_getTransactionReceipt").len() > 4);
        assert_eq!(run.chains.on("Ethereum").sent.len(), 1, "{kind:?}");
    }
}

/// T000-46, T000-47, T000-48, T000-50, T000-52: a reverted transaction is `failed` with its hash; earlier steps are
/// in the result, and later steps are neither signed nor sent nor in the result.
#[tokio::test(start_paused = true)]
async fn first_failure_stops() {
    let run = BundleRun::of(payments(3)).await;
    run.chains.on("Ethereum").reverts.insert(8);
    assert_eq!(run.complete().await, [row("a", "confirmed", ""), row("b", "failed", "transaction_failed")]);
    assert_eq!((run.result()["success"].clone(), run.world.browser.signatures()), (json!(false), 2));
    assert_eq!(run.chains.on("Ethereum").raw().len(), 2);
    assert_eq!(run.result()["error"], "transaction_failed: reverted");
}

/// T000-50: a step that fails before it is sent has no hash: another transaction used its nonce.
#[tokio::test(start_paused = true)]
async fn failure_before_sending_has_no_hash() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    run.chains.on("Ethereum").mine(0);
    run.chains.on("Ethereum").set_next_nonce(&fast_signer_address(), 9);
    assert_eq!(run.finish().await, [row("a", "confirmed", ""), unsent("b", "stale_transaction")]);
    assert_eq!(run.world.browser.signatures(), 1);
}

/// T000-55: a worker that restarts between broadcast and receipt polls for the receipt. It signs nothing, and sends
/// only the same bytes.
#[tokio::test(start_paused = true)]
async fn restart_before_the_receipt() {
    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    for _ in 0..4 {
        run.world.pass(3_000).await;
        run.world.restart().await;
    }
    assert_eq!((run.world.browser.signatures(), run.chains.on("Ethereum").raw().len()), (1, 1));
    run.chains.each(|ledger| ledger.delay = 0);
    assert_eq!(run.finish().await, ["a", "b", "c"].map(|id| row(id, "confirmed", "")));
    assert_eq!(run.chains.on("Ethereum").raw().len(), 3);
}

/// T000-55: the mempool drops the transaction while no worker runs: the same bytes are sent again.
#[tokio::test(start_paused = true)]
async fn dropped_while_stopped() {
    let run = BundleRun::on(Chains::mined_manually(), json!([with_receipt(pay(7).step("a", 0))])).await;
    run.start().await;
    run.chains.on("Ethereum").drop_pool();
    run.world.reopen().await;
    run.chains.each(|ledger| ledger.delay = 0);
    assert_eq!(run.finish().await, [row("a", "confirmed", "")]);
    let ledger = run.chains.on("Ethereum");
    assert_eq!((ledger.sent.len(), ledger.raw().len()), (2, 1));
}
