//! Faulty nodes: how a bundle ends, which bytes are sent, and how often.

use countersign_tests::bundle_run::{BundleRun, MINUTE, Row, code, row, unsent};
use countersign_tests::chain::{Chains, Fault, FaultKind};
use countersign_tests::evm::{pay, payments, with_receipt, with_receipt_timeout};
use countersign_tests::signer::fast_signer_address;
use serde_json::{Value, json};

const SEND: &str = "eth_sendRawTransaction";
const RECEIPT: &str = "eth_getTransactionReceipt";
const GOOD: &str = "https://good.example";
const OTHER: &str = "https://second.example";

fn confirmed() -> Vec<Row> {
    vec![row("a", "confirmed", "")]
}

/// T000-50: no node answers before the approval and until the step's deadline: nothing is signed.
#[tokio::test(start_paused = true)]
async fn unreachable_before_signing_fails_at_deadline() {
    let run =
        BundleRun::of(json!([with_receipt_timeout(pay(7).step("a", 0), 60), pay(8).step("b", 1)])).await;
    run.chains.fault(Fault::always(FaultKind::Down));
    let before = run.world.browser.now();
    assert_eq!(run.complete().await, [unsent("a", "node_unreachable")]);
    let took = run.world.browser.now() - before;
    assert!((60_000..62_000).contains(&took), "{took}");
    assert_eq!(run.world.browser.signatures(), 0);
    // The approval showed that the step was not checked.
    assert_eq!(run.view().await["steps"][0]["findings"][0]["code"], "unchecked");
}

/// A fault that ends before the step's deadline only delays it, at any point: the same bytes, mined once.
#[tokio::test(start_paused = true)]
async fn temporary_faults_only_delay() {
    let kinds = [
        FaultKind::Down,
        FaultKind::Silent,
        FaultKind::Slow(4_000),
        FaultKind::Slow(20_000),
        FaultKind::Status(500),
        FaultKind::Status(503),
        FaultKind::RetryAfter(7),
        FaultKind::Garbage,
        FaultKind::Oversized,
        FaultKind::LostAnswer,
        FaultKind::Error(-32_005, "limit exceeded"),
        FaultKind::Error(-32_603, "Internal error"),
    ];
    let methods =
        ["eth_chainId", "eth_getTransactionCount", "eth_getBalance", "eth_estimateGas", SEND, RECEIPT];
    for kind in kinds {
        for method in methods {
            for times in [1, 3] {
                let run = BundleRun::of(payments(1)).await;
                run.world.say("go").await;
                run.approve().await;
                run.chains.fault(Fault::on(method, kind.clone()).times(times));
                run.unlock().await;
                let ended = run.first_result().await;
                assert_eq!(ended, confirmed(), "{kind:?} {method} {times}");
                let ledger = run.chains.on("Ethereum");
                assert_eq!((ledger.raw().len(), ledger.nonces()), (1, vec![7]), "{kind:?} {method}");
            }
        }
    }
}

/// A node's `Retry-After` of half a minute is honoured.
#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    let run = BundleRun::of(payments(1)).await;
    run.chains.fault(Fault::on(SEND, FaultKind::RetryAfter(30)));
    assert_eq!(run.complete().await, confirmed());
    let [first, again] = run.chains.request_times(SEND).try_into().expect("sent twice");
    assert!((30_000..40_000).contains(&(again - first)), "{}", again - first);
    let all = ["eth_chainId", RECEIPT, SEND].iter().flat_map(|method| run.chains.request_times(method));
    assert_eq!(all.filter(|at| (first + 1..first + 30_000).contains(at)).count(), 0);
}

/// A node accepts the transaction and loses this answer and the receipts: the hash is looked up, the bytes are sent
/// again, and the node answers `already known`.
#[tokio::test(start_paused = true)]
async fn already_known_counts_as_sent() {
    let run = BundleRun::on(Chains::mined_manually(), payments(1)).await;
    run.chains.fault(Fault::on(SEND, FaultKind::LostAnswer));
    run.chains.fault(Fault::on(RECEIPT, FaultKind::Garbage).times(2));
    run.start().await;
    run.world.pass(20_000).await;
    let sent = run.chains.on("Ethereum").sent.clone();
    assert_eq!(
        sent.iter().map(|sent| sent.refused.as_deref()).collect::<Vec<_>>(),
        [None, Some("already known")]
    );
    assert_eq!(sent[0].raw, sent[1].raw);
    assert_eq!(run.progress().await, ["sent"]);
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, confirmed());
}

/// T000-55: a transaction that the mempool drops is sent again, the same bytes each time.
#[tokio::test(start_paused = true)]
async fn dropped_transaction_is_sent_again() {
    let run = BundleRun::on(Chains::mined_manually(), payments(1)).await;
    run.start().await;
    for _ in 0..3 {
        run.world.pass(10_000).await;
        run.chains.on("Ethereum").drop_pool();
    }
    run.world.pass(10_000).await;
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, confirmed());
    let ledger = run.chains.on("Ethereum");
    assert_eq!((ledger.sent.len(), ledger.raw().len()), (4, 1));
}

/// T000-50: a dropped transaction whose nonce another transaction used can never be mined: failed after the
/// broadcast.
#[tokio::test(start_paused = true)]
async fn dropped_and_replaced_fails() {
    let run = BundleRun::on(Chains::mined_manually(), payments(2)).await;
    run.start().await;
    run.chains.on("Ethereum").drop_pool();
    run.chains.on("Ethereum").set_next_nonce(&fast_signer_address(), 8);
    assert_eq!(run.finish().await, [row("a", "failed", "stale_transaction")]);
    assert_eq!(run.world.browser.signatures(), 1);
}

/// A reorg removes the first step's block before the second is signed: the first is waited for again, sent again if
/// dropped, and the second follows it.
#[tokio::test(start_paused = true)]
async fn reorg_between_steps() {
    for forget in [false, true] {
        let run = BundleRun::of(payments(2)).await;
        run.world.say("go").await;
        run.approve().await;
        // The second step is checked with the first one's receipt, by a node that has not counted it yet: that check is
        // repeated, and then reaches no node.
        run.chains.fault(Fault::on("eth_getTransactionCount", FaultKind::Result(json!("0x7"))).times(2));
        run.chains.fault(Fault::on("eth_getTransactionCount", FaultKind::Down));
        run.unlock().await;
        while run.progress().await[0] != "confirmed" {
            run.world.pass(10).await;
        }
        run.chains.each(|ledger| ledger.delay = u64::MAX);
        run.chains.on("Ethereum").reorg(0, forget);
        run.world.pass(10_000).await;
        assert_eq!(run.progress().await, ["sent", "signing"]);
        assert_eq!(run.world.browser.signatures(), 1);
        run.chains.each(|ledger| ledger.delay = 0);
        assert_eq!(run.finish().await, ["a", "b"].map(|id| row(id, "confirmed", "")), "{forget}");
        let ledger = run.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (2, vec![7, 8]));
        assert_eq!(ledger.reorged.len(), 1);
    }
}

/// A node of another network before the approval: the bundle is refused.
#[tokio::test(start_paused = true)]
async fn wrong_network_refuses_the_bundle() {
    let run = BundleRun::of(payments(1)).await;
    run.chains.fault(Fault::on("eth_chainId", FaultKind::Result(json!("0x5"))));
    run.world.say("go").await;
    assert_eq!(code(&run.result()["error"]), "wrong_network");
    assert_eq!(run.world.browser.notified(), [] as [String; 0]);
}

/// T000-50: a node of another network after the approval: nothing is signed.
#[tokio::test(start_paused = true)]
async fn wrong_network_after_approval() {
    let run = BundleRun::of(payments(1)).await;
    run.world.say("go").await;
    run.approve().await;
    run.chains.fault(Fault::on("eth_chainId", FaultKind::Result(json!("0x5"))));
    run.unlock().await;
    run.world.settle().await;
    assert_eq!(countersign_tests::bundle_run::rows(&run.result()), [unsent("a", "wrong_network")]);
    assert_eq!(run.world.browser.signatures(), 0);
}

/// T000-50: the node rejects the bytes at the first broadcast: failed with the hash, and sent once.
#[tokio::test(start_paused = true)]
async fn rejected_broadcast_fails() {
    let run = BundleRun::of(payments(2)).await;
    run.world.say("go").await;
    run.approve().await;
    run.chains.on("Ethereum").balance = 1;
    run.unlock().await;
    run.world.settle().await;
    let rows = countersign_tests::bundle_run::rows(&run.result());
    assert_eq!(rows, [row("a", "failed", "broadcast_rejected")]);
    assert_eq!(run.chains.on("Ethereum").sent.len(), 1);
    let error = run.result()["error"].clone();
    assert_eq!(error, "broadcast_rejected: insufficient funds for gas * price + value");
}

/// Two working nodes among faulty ones are enough, at any place in the list.
#[tokio::test(start_paused = true)]
async fn two_working_nodes_are_enough() {
    let bad = [
        FaultKind::Down,
        FaultKind::Garbage,
        FaultKind::Status(500),
        FaultKind::RetryAfter(600),
        FaultKind::Oversized,
        FaultKind::Error(-32_005, "limit exceeded"),
        // Behind, or on another network.
        FaultKind::Result(Value::Null),
        FaultKind::Result(json!("0x5")),
    ];
    for (half, place) in [(0, 0), (0, 4), (1, 2), (1, 4)] {
        let run = BundleRun::of(payments(2)).await;
        let mut urls: Vec<String> = Vec::new();
        for (number, kind) in bad.chunks(4).nth(half).unwrap().iter().enumerate() {
            let url = format!("https://bad{number}.example");
            run.chains.fault(Fault::always(kind.clone()).of(&url));
            urls.push(url);
        }
        urls.insert(place, GOOD.to_owned());
        urls.insert(3, OTHER.to_owned());
        run.use_nodes(&urls.iter().map(String::as_str).collect::<Vec<_>>()).await;
        assert_eq!(run.complete().await, ["a", "b"].map(|id| row(id, "confirmed", "")), "{half} {place}");
        let ledger = run.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (2, vec![7, 8]));
    }
}

/// T000-51: every node fails after the broadcast: `timeout`, with the hash.
#[tokio::test(start_paused = true)]
async fn unreachable_after_broadcast_times_out() {
    let run = BundleRun::of(payments(2)).await;
    run.chains.fault(Fault::on(RECEIPT, FaultKind::Down).times(u32::MAX));
    let before = run.world.browser.now();
    assert_eq!(run.complete().await, [row("a", "timeout", "receipt_timeout")]);
    assert!(run.world.browser.now() - before >= 3 * MINUTE);
    assert_eq!(run.chains.on("Ethereum").nonces(), [7]);
}

/// A node that takes no batches gets the same requests one by one, and is not asked for a batch again.
#[tokio::test(start_paused = true)]
async fn node_without_batches_gets_single_requests() {
    let steps = json!([with_receipt(pay(7).step("a", 0)), with_receipt(pay(8).step("b", 1))]);
    let run = BundleRun::of(steps).await;
    run.chains.refuse_batches();
    assert_eq!(run.complete().await, [row("a", "confirmed", ""), row("b", "confirmed", "")]);
    let batches = run.world.node_calls().iter().filter(|call| call.body.is_array()).count();
    assert_eq!(batches, 1);
}

/// The check of the next step goes out in the batch that asks for the receipt; a step is two exchanges then.
#[tokio::test(start_paused = true)]
async fn next_check_is_batched_with_the_receipt() {
    let step = |at: u64| with_receipt(pay(7 + at).step(&format!("s{at}"), u32::try_from(at).unwrap_or(0)));
    let run = BundleRun::of(json!([step(0), step(1), step(2), step(3)])).await;
    run.world.say("go").await;
    run.approve().await;
    let before = run.world.node_calls().len();
    run.unlock().await;
    assert_eq!(run.first_result().await.len(), 4);
    // A check, and for each of four steps a broadcast and a batch.
    assert_eq!(run.world.node_calls().len() - before, 1 + 4 * 2);
}
