//! Bundles under way: from the agent's proposal over approval, password and nodes to the one result.

use chains::Chain;
use countersign_tests::chain::{Chains, Fault, Trouble};
use countersign_tests::evm::{Evm, PAYEE, USDC, approve_and_swap, waiting, waiting_for};
use countersign_tests::signer::light_address;
use countersign_tests::story::{MINUTE, Story, row, rows, unsent};
use serde_json::{Value, json};

/// A payment with a number.
fn pay(nonce: u64) -> Evm {
    Evm::pays(PAYEE, 1_000).nonce(nonce)
}

/// Three payments on Ethereum, each waited for.
fn three() -> Value {
    json!([waiting(pay(7).step("a", 0)), waiting(pay(8).step("b", 1)), waiting(pay(9).step("c", 2))])
}

/// T000-18, T000-45, T000-49, T000-53: one transaction is a bundle of one, signed from its raw bytes; its row says all
/// there is to say.
#[tokio::test(start_paused = true)]
async fn one_transaction() {
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

/// T000-18, T000-43, T000-49: several chains in one bundle, in the order of `sequence` and not of the list; one result.
#[tokio::test(start_paused = true)]
async fn several_chains_in_order() {
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

/// T000-20, T000-36: with receipts waited for, no transaction is sent, or even signed, before the one before it is in a
/// block.
#[tokio::test(start_paused = true)]
async fn never_two_under_way() {
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

/// T000-36: a step whose receipt nobody waits for is `pending` as soon as a node has it, and the next follows at once;
/// absent is the same as false.
#[tokio::test(start_paused = true)]
async fn nobody_waits() {
    let mut told = pay(8).step("b", 1);
    told["wait_for_receipt"] = json!(false);
    let story = Story::on(Chains::by_hand(), json!([pay(7).step("a", 0), told])).await;
    story.begin().await;
    assert_eq!(rows(&story.result()), [row("a", "pending", ""), row("b", "pending", "")]);
    assert_eq!(story.result()["success"], true);
    assert_eq!(story.chains.on("Ethereum").pool.len(), 2);
}

/// T000-37, T000-51, T000-52: a given time is kept to: then nobody knows, the hash is there, and the next step is not
/// begun.
#[tokio::test(start_paused = true)]
async fn a_given_time() {
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

/// T000-37: without one it is the chain's own, 180 seconds on EVM chains, counted from the signature, whichever worker
/// counts.
#[tokio::test(start_paused = true)]
async fn the_chains_own_time() {
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

/// T000-37: a long wait is no timer. Between two looks nothing keeps the worker alive; the alarm is set, and a worker
/// that it starts goes on.
#[tokio::test(start_paused = true)]
async fn a_long_wait_is_an_alarm() {
    let story = Story::on(Chains::by_hand(), json!([waiting_for(pay(7).step("a", 0), 86_400)])).await;
    story.begin().await;
    story.world.pass(8 * 60 * MINUTE).await;
    assert_eq!(story.world.work().await, json!([]));
    let alarm = story.world.browser.alarm().expect("somebody must go on");
    assert!(alarm <= story.world.browser.now() + 2 * MINUTE, "{alarm}");
    story.world.restart().await;
    story.chains.on("Ethereum").mine(0);
    assert_eq!(story.end().await, [row("a", "confirmed", "")]);
}

/// T000-44, T000-49: a payload of an allowance and a swap is one step and two transactions; the second is signed when
/// the first is in a block, though nobody waits for the step's receipt.
#[tokio::test(start_paused = true)]
async fn an_allowance_and_its_swap() {
    let step = approve_and_swap("a", 0, &light_address(), 7);
    let story = Story::on(Chains::by_hand(), json!([step, waiting(pay(9).step("b", 1))])).await;
    story.begin().await;
    story.world.pass(30_000).await;
    assert_eq!((story.world.browser.signatures(), story.progress().await[0].as_str()), (1, "sent"));
    story.chains.on("Ethereum").mine(0);
    story.world.pass(30_000).await;
    // The swap and, since nobody waits for it, the step after it.
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

/// T000-44, T000-47: an allowance that fails ends its step: the swap is never signed.
#[tokio::test(start_paused = true)]
async fn an_allowance_that_fails() {
    let story = Story::of(json!([approve_and_swap("a", 0, &light_address(), 7)])).await;
    story.chains.on("Ethereum").reverts.insert(7);
    assert_eq!(story.play().await, [row("a", "failed", "transaction_failed")]);
    assert_eq!(story.world.browser.signatures(), 1);
}

/// T000-46: whatever goes wrong while a receipt is asked for is no failure of the transaction.
#[tokio::test(start_paused = true)]
async fn errors_while_asking_for_the_receipt() {
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

/// T000-46, T000-47, T000-48, T000-50, T000-52: a transaction that the chain reverts has failed and keeps its hash; what
/// ran before it is told, and what would have come after it is neither signed nor sent nor told.
#[tokio::test(start_paused = true)]
async fn the_first_failure_stops() {
    let story = Story::of(three()).await;
    story.chains.on("Ethereum").reverts.insert(8);
    assert_eq!(story.play().await, [row("a", "confirmed", ""), row("b", "failed", "transaction_failed")]);
    assert_eq!((story.result()["success"].clone(), story.world.browser.signatures()), (json!(false), 2));
    assert_eq!(story.chains.on("Ethereum").raw().len(), 2);
    assert_eq!(story.result()["error"], "transaction_failed: reverted");
}

/// T000-50: what fails before it is sent has no hash: its number was used by somebody else meanwhile.
#[tokio::test(start_paused = true)]
async fn failed_before_it_was_sent() {
    let story = Story::on(Chains::by_hand(), three()).await;
    story.begin().await;
    story.chains.on("Ethereum").mine(0);
    story.chains.on("Ethereum").use_elsewhere(&light_address(), 9);
    assert_eq!(story.end().await, [row("a", "confirmed", ""), unsent("b", "stale_transaction")]);
    assert_eq!(story.world.browser.signatures(), 1);
}

/// T000-55: a worker that dies between the broadcast and the receipt is followed by one that asks for the receipt. It
/// signs nothing, and whatever it sends are the same bytes.
#[tokio::test(start_paused = true)]
async fn a_death_before_the_receipt() {
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

/// T000-55: the same if the mempool forgets it while nobody lives: the same bytes go out again.
#[tokio::test(start_paused = true)]
async fn forgotten_while_nobody_lived() {
    let story = Story::on(Chains::by_hand(), json!([waiting(pay(7).step("a", 0))])).await;
    story.begin().await;
    story.chains.on("Ethereum").drop_pool();
    story.world.reopen().await;
    story.chains.each(|ledger| ledger.delay = 0);
    assert_eq!(story.end().await, [row("a", "confirmed", "")]);
    let ledger = story.chains.on("Ethereum");
    assert_eq!((ledger.sent.len(), ledger.raw().len()), (2, 1));
}
