//! Bundles that run: from the agent's proposal over approval, password and nodes to the one result.

use chains::Chain;
use countersign_tests::chain::{Chains, Fault, Trouble};
use countersign_tests::evm::{Evm, PAYEE, USDC, approve_and_swap, waiting, waiting_for};
use countersign_tests::signer::light_address;
use countersign_tests::story::{MINUTE, Story, row, rows, unsent};
use serde_json::{Value, json};

/// A payment with a nonce.
fn pay(nonce: u64) -> Evm {
    Evm::pays(PAYEE, 1_000).nonce(nonce)
}

/// Three payments on Ethereum, each with its receipt waited for.
fn three() -> Value {
    json!([waiting(pay(7).step("a", 0)), waiting(pay(8).step("b", 1)), waiting(pay(9).step("c", 2))])
}

/// T000-18, T000-45, T000-49, T000-53: one transaction is a bundle of one, signed from its raw bytes; its row has
/// every field.
#[tokio::test(start_paused = true)]
async fn one_transaction_is_a_bundle() {
    let story = Story::of(json!([waiting(pay(7).step("a", 3))])).await;
    story.play().await;
    let mined = story.chains.on("Ethereum").mined().to_vec();
    let [mined] = mined.as_slice() else { panic!("{mined:?}") };
    assert_eq!(
        (mined.signed.from.as_str(), mined.signed.nonce),
        (light_address().to_lowercase().as_str(), 7)
    );
    let row = json!({"id": "a", "sequence": 3, "chain": "Ethereum", "tx_hash": mined.signed.hash,
        "status": "confirmed", "error": null});
    let data = json!({"transactions": [row], "bundle_success": true});
    let expected =
        json!({"action": "sign_transaction_bundle", "action_id": "a1", "success": true, "data": data});
    assert_eq!(story.world.results(), [expected]);
}

/// T000-18, T000-43, T000-49: one bundle over several chains, run in order of `sequence` and not of the list; one
/// result.
#[tokio::test(start_paused = true)]
async fn several_chains_run_in_sequence() {
    let steps = json!([
        waiting(pay(8).step("third", 30)),
        waiting(pay(7).on_arbitrum().step("second", 20)),
        waiting(pay(7).step("first", 10)),
    ]);
    let story = Story::of(steps).await;
    let played = story.play().await;
    assert_eq!(played, ["first", "second", "third"].map(|id| row(id, "confirmed", "")));
    let ethereum = story.chains.on("Ethereum").sent.clone();
    let arbitrum = story.chains.on("Arbitrum").sent.clone();
    let at = [ethereum[0].at, arbitrum[0].at, ethereum[1].at];
    assert!(at.is_sorted() && at[0] < at[1] && at[1] < at[2], "{at:?}");
    assert_eq!((ethereum.len(), arbitrum.len(), story.world.results().len()), (2, 1, 1));
}

/// T000-20, T000-36: with `wait_for_receipt` no transaction is signed or sent before the previous one is mined.
#[tokio::test(start_paused = true)]
async fn waits_for_each_receipt() {
    let story = Story::on(Chains::by_hand(), three()).await;
    story.begin().await;
    for step in 0..3 {
        story.world.pass(40_000).await;
        let mut ledger = story.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.pool.len()), (step + 1, 1));
        assert_eq!(story.world.browser.signatures(), step + 1);
        ledger.mine(0);
    }
    assert_eq!(story.end().await, ["a", "b", "c"].map(|id| row(id, "confirmed", "")));
}

/// T000-36: a step without `wait_for_receipt` is `pending` as soon as a node accepts it, and the next follows at
/// once; absent means false.
#[tokio::test(start_paused = true)]
async fn steps_without_receipts_are_pending() {
    let mut told = pay(8).step("b", 1);
    told["wait_for_receipt"] = json!(false);
    let story = Story::on(Chains::by_hand(), json!([pay(7).step("a", 0), told])).await;
    story.begin().await;
    assert_eq!(rows(&story.result()), [row("a", "pending", ""), row("b", "pending", "")]);
    assert_eq!(story.result()["success"], true);
    assert_eq!(story.chains.on("Ethereum").pool.len(), 2);
}

/// T000-37, T000-51, T000-52: after `receipt_timeout_seconds` the step is `timeout` with its hash, and the next step
/// is not started.
#[tokio::test(start_paused = true)]
async fn given_receipt_timeout() {
    let steps = json!([waiting_for(pay(7).step("a", 0), 20), waiting(pay(8).step("b", 1))]);
    let story = Story::on(Chains::by_hand(), steps).await;
    story.begin().await;
    story.world.pass(19_000).await;
    assert_eq!(story.world.results(), [] as [Value; 0]);
    story.world.pass(1_100).await;
    assert_eq!(rows(&story.result()), [row("a", "timeout", "receipt_timeout")]);
    assert_eq!(story.result()["success"], false);
    assert_eq!(story.chains.on("Ethereum").raw().len(), 1);
}

/// T000-37: the default timeout is the chain's, 180 seconds on EVM chains, counted from the signature across
/// restarts.
#[tokio::test(start_paused = true)]
async fn default_receipt_timeout() {
    assert_eq!(Chain::Ethereum.facts().polling.timeout_seconds, 180);
    for restarts in [false, true] {
        let story = Story::on(Chains::by_hand(), json!([waiting(pay(7).step("a", 0))])).await;
        story.begin().await;
        for _ in 0..3 {
            story.world.pass(50_000).await;
            if restarts {
                story.world.restart().await;
            }
        }
        story.world.pass(28_000).await;
        assert_eq!(story.world.results(), [] as [Value; 0]);
        story.world.pass(2_100).await;
        assert_eq!(rows(&story.result()), [row("a", "timeout", "receipt_timeout")], "{restarts}");
    }
}

/// T000-37: a long wait uses the alarm. Between two polls nothing keeps the worker alive; the worker that the alarm
/// starts continues.
#[tokio::test(start_paused = true)]
async fn long_wait_uses_the_alarm() {
    let story = Story::on(Chains::by_hand(), json!([waiting_for(pay(7).step("a", 0), 86_400)])).await;
    story.begin().await;
    story.world.pass(8 * 60 * MINUTE).await;
    assert_eq!(story.world.work().await, json!([]));
    let alarm = story.world.browser.alarm().expect("an alarm is set");
    assert!(alarm <= story.world.browser.now() + 2 * MINUTE, "{alarm}");
    story.world.restart().await;
    story.chains.on("Ethereum").mine(0);
    assert_eq!(story.end().await, [row("a", "confirmed", "")]);
}

/// T000-44, T000-49: a payload with an approval and a swap is one step of two transactions; the swap is signed after
/// the approval is mined, even without `wait_for_receipt`.
#[tokio::test(start_paused = true)]
async fn token_approval_and_swap() {
    let step = approve_and_swap("a", 0, &light_address(), 7);
    let story = Story::on(Chains::by_hand(), json!([step, waiting(pay(9).step("b", 1))])).await;
    story.begin().await;
    story.world.pass(30_000).await;
    assert_eq!((story.world.browser.signatures(), story.progress().await[0].as_str()), (1, "sent"));
    story.chains.on("Ethereum").mine(0);
    story.world.pass(30_000).await;
    // The swap and, since its receipt is not waited for, the next step.
    assert_eq!(story.chains.on("Ethereum").pool.len(), 2);
    story.chains.on("Ethereum").mine(0);
    assert_eq!(story.end().await, [row("a", "pending", ""), row("b", "confirmed", "")]);
    let mined = story.chains.on("Ethereum").mined().to_vec();
    let first = &story.result()["data"]["transactions"][0];
    assert_eq!(first["approval_tx_hash"], mined[0].signed.hash);
    assert_eq!(first["tx_hash"], mined[1].signed.hash);
    assert_eq!(mined[0].signed.to.as_deref(), Some(USDC.to_lowercase().as_str()));
    assert!(mined[0].signed.data.starts_with("095ea7b3") && mined[1].signed.data.starts_with("12aa3caf"));
}

/// T000-44, T000-47: a failed token approval ends its step: the swap is never signed.
#[tokio::test(start_paused = true)]
async fn failed_token_approval_ends_the_step() {
    let story = Story::of(json!([approve_and_swap("a", 0, &light_address(), 7)])).await;
    story.chains.on("Ethereum").reverts.insert(7);
    assert_eq!(story.play().await, [row("a", "failed", "transaction_failed")]);
    assert_eq!(story.world.browser.signatures(), 1);
}

/// T000-46: an error while polling for a receipt is not a failure of the transaction.
#[tokio::test(start_paused = true)]
async fn receipt_errors_are_retried() {
    let troubles = [
        Trouble::Down,
        Trouble::Silent,
        Trouble::Status(500),
        Trouble::Garbage,
        Trouble::Error(-32_603, "busy"),
    ];
    for trouble in troubles {
        let story = Story::of(json!([waiting(pay(7).step("a", 0))])).await;
        story.chains.fault(Fault::on("eth_getTransactionReceipt", trouble.clone()).times(4));
        assert_eq!(story.play().await, [row("a", "confirmed", "")], "{trouble:?}");
        assert!(story.chains.asked("eth_getTransactionReceipt").len() > 4);
        assert_eq!(story.chains.on("Ethereum").sent.len(), 1, "{trouble:?}");
    }
}

/// T000-46, T000-47, T000-48, T000-50, T000-52: a reverted transaction is `failed` with its hash; earlier steps are
/// in the result, and later steps are neither signed nor sent nor in the result.
#[tokio::test(start_paused = true)]
async fn first_failure_stops() {
    let story = Story::of(three()).await;
    story.chains.on("Ethereum").reverts.insert(8);
    assert_eq!(story.play().await, [row("a", "confirmed", ""), row("b", "failed", "transaction_failed")]);
    assert_eq!((story.result()["success"].clone(), story.world.browser.signatures()), (json!(false), 2));
    assert_eq!(story.chains.on("Ethereum").raw().len(), 2);
    assert_eq!(story.result()["error"], "transaction_failed: reverted");
}

/// T000-50: a step that fails before it is sent has no hash: another transaction used its nonce.
#[tokio::test(start_paused = true)]
async fn failure_before_sending_has_no_hash() {
    let story = Story::on(Chains::by_hand(), three()).await;
    story.begin().await;
    story.chains.on("Ethereum").mine(0);
    story.chains.on("Ethereum").use_elsewhere(&light_address(), 9);
    assert_eq!(story.end().await, [row("a", "confirmed", ""), unsent("b", "stale_transaction")]);
    assert_eq!(story.world.browser.signatures(), 1);
}

/// T000-55: a worker that restarts between broadcast and receipt polls for the receipt. It signs nothing, and sends
/// only the same bytes.
#[tokio::test(start_paused = true)]
async fn restart_before_the_receipt() {
    let story = Story::on(Chains::by_hand(), three()).await;
    story.begin().await;
    for _ in 0..4 {
        story.world.pass(3_000).await;
        story.world.restart().await;
    }
    assert_eq!((story.world.browser.signatures(), story.chains.on("Ethereum").raw().len()), (1, 1));
    story.chains.each(|ledger| ledger.delay = 0);
    assert_eq!(story.end().await, ["a", "b", "c"].map(|id| row(id, "confirmed", "")));
    assert_eq!(story.chains.on("Ethereum").raw().len(), 3);
}

/// T000-55: the mempool drops the transaction while no worker runs: the same bytes are sent again.
#[tokio::test(start_paused = true)]
async fn dropped_while_stopped() {
    let story = Story::on(Chains::by_hand(), json!([waiting(pay(7).step("a", 0))])).await;
    story.begin().await;
    story.chains.on("Ethereum").drop_pool();
    story.world.reopen().await;
    story.chains.each(|ledger| ledger.delay = 0);
    assert_eq!(story.end().await, [row("a", "confirmed", "")]);
    let ledger = story.chains.on("Ethereum");
    assert_eq!((ledger.sent.len(), ledger.raw().len()), (2, 1));
}
