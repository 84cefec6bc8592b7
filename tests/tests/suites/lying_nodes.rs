//! A node that lies beside honest ones: a bundle ends by the truth or by its deadline, never by the lie.

use countersign_tests::bundle_run::{BundleRun, MINUTE, Row, code, row, rows, unsent};
use countersign_tests::chain::{Chains, Fault, FaultKind};
use countersign_tests::evm::{pay, payments, with_receipt, with_receipt_timeout};
use countersign_tests::signer::fast_signer_address;
use serde_json::json;

const SEND: &str = "eth_sendRawTransaction";
const RECEIPT: &str = "eth_getTransactionReceipt";
const NONCE: &str = "eth_getTransactionCount";

const LIAR: &str = "https://liar.example";
const GOOD: &str = "https://good.example";
const OTHER: &str = "https://second.example/v3/key";

const HOUR: u64 = 60 * MINUTE;

/// The liar before the honest node, and behind it.
const ORDERS: [[&str; 2]; 2] = [[LIAR, GOOD], [GOOD, LIAR]];
/// The liar at each place among three.
const THREE: [[&str; 3]; 3] = [[LIAR, GOOD, OTHER], [GOOD, LIAR, OTHER], [GOOD, OTHER, LIAR]];

/// What the liar answers to a method, always.
fn lie(method: &'static str, answer: FaultKind) -> Fault {
    Fault::on(method, answer).times(u32::MAX).of(LIAR)
}

/// The receipt of a transaction that worked, or of one that did not.
fn receipt(worked: bool) -> FaultKind {
    let status = if worked { "0x1" } else { "0x0" };
    FaultKind::Result(json!({"transactionHash": "0x00", "status": status, "blockNumber": "0x65"}))
}

fn confirmed(ids: &[&str]) -> Vec<Row> {
    ids.iter().map(|id| row(id, "confirmed", "")).collect()
}

/// A receipt for what is not in a block: the next step is not signed, the step says which node says what, and goes on
/// when the transaction is mined in truth; also if the worker stops meanwhile.
#[tokio::test(start_paused = true)]
async fn lying_confirmation_waits_for_the_truth() {
    for (order, restarts) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
        let run = BundleRun::on(Chains::mined_manually(), payments(2)).await;
        run.use_nodes(&order).await;
        run.chains.fault(lie(RECEIPT, receipt(true)));
        run.start().await;
        run.world.pass(10_000).await;
        if restarts {
            run.world.restart().await;
            run.world.pass(10_000).await;
        }
        assert_eq!(run.progress().await, ["sent", "queued"], "{order:?}");
        assert_eq!((run.world.browser.signatures(), run.world.results()), (1, Vec::new()));
        let error = run.error_of(0).await;
        if order[0] == LIAR {
            let said = "liar.example says confirmed, good.example says it waits for a block";
            assert_eq!(error, format!("nodes_disagree: Two nodes disagree: {said}"));
        } else {
            assert_eq!(error, "", "the liar is not asked while the honest node knows better");
        }
        run.chains.each(|ledger| ledger.delay = 0);
        assert_eq!(run.finish().await, confirmed(&["a", "b"]));
        assert_eq!(run.chains.on("Ethereum").nonces(), [7, 8]);
    }
}

/// A receipt for what is never mined: a time-out whose reason names both nodes, and no second step. Polled on after the
/// end, it is reported when both nodes have it.
#[tokio::test(start_paused = true)]
async fn lying_confirmation_times_out() {
    for order in ORDERS {
        let run = BundleRun::on(Chains::mined_manually(), payments(2)).await;
        run.use_nodes(&order).await;
        run.chains.fault(lie(RECEIPT, receipt(true)));
        assert_eq!(run.complete().await, [row("a", "timeout", "receipt_timeout")], "{order:?}");
        if order[0] == LIAR {
            let error = run.error_of(0).await;
            assert!(
                error.starts_with("receipt_timeout: nodes_disagree: Two nodes disagree: liar.example"),
                "{error}"
            );
        }
        run.world.pass(HOUR).await;
        assert_eq!(run.world.results().len(), 1, "the lie is not reported after the end either");
        run.chains.on("Ethereum").mine(0);
        run.world.pass(HOUR).await;
        assert_eq!(rows(&run.result()), confirmed(&["a"]));
        assert_eq!((run.world.results().len(), run.world.browser.signatures()), (2, 1));
    }
}

/// A revert that did not happen: not failed, but not confirmed either, because the two contradict each other for good.
/// When the liar is gone, the outcome is reported.
#[tokio::test(start_paused = true)]
async fn lying_revert_is_no_failure() {
    for order in ORDERS {
        let run = BundleRun::of(payments(2)).await;
        run.use_nodes(&order).await;
        run.chains.fault(lie(RECEIPT, receipt(false)));
        assert_eq!(run.complete().await, [row("a", "timeout", "receipt_timeout")], "{order:?}");
        let error = run.error_of(0).await;
        assert!(error.contains("liar.example says failed (reverted)"), "{error}");
        assert!(error.contains("good.example says confirmed"), "{error}");
        run.chains.clear_faults();
        run.world.pass(HOUR).await;
        assert_eq!(rows(&run.result()), confirmed(&["a"]));
    }
}

/// With two honest nodes beside it, a liar changes nothing, whatever it lies about and wherever it stands.
#[tokio::test(start_paused = true)]
async fn two_honest_nodes_outvote_a_liar() {
    let lies = [
        (RECEIPT, receipt(true)),
        (RECEIPT, receipt(false)),
        (NONCE, FaultKind::Result(json!("0x63"))),
        (SEND, FaultKind::Error(-32_000, "insufficient funds for gas * price + value")),
        ("eth_chainId", FaultKind::Result(json!("0x5"))),
    ];
    for order in THREE {
        for (method, answer) in &lies {
            let run = BundleRun::of(payments(2)).await;
            run.use_nodes(&order).await;
            run.chains.fault(lie(method, answer.clone()));
            assert_eq!(run.complete().await, confirmed(&["a", "b"]), "{order:?} {method} {answer:?}");
            assert_eq!(run.chains.on("Ethereum").nonces(), [7, 8]);
        }
    }
}

/// A nonce that is not used: the bundle is not refused, and the approval shows that the nodes disagree. After the
/// approval the step waits; it goes on when the liar is gone, and fails unsigned at its deadline when it stays.
#[tokio::test(start_paused = true)]
async fn lying_nonce_refuses_nothing() {
    let said = "Two nodes disagree: liar.example says it can no longer be sent \
        (Its number 7 is used: the account's next is 99), good.example says it can be sent";
    for stays in [false, true] {
        let run = BundleRun::of(json!([with_receipt_timeout(pay(7).step("a", 0), 60)])).await;
        run.use_nodes(&ORDERS[0]).await;
        run.chains.fault(lie(NONCE, FaultKind::Result(json!("0x63"))));
        run.world.say("go").await;
        let found = run.view().await["steps"][0]["findings"].clone();
        assert_eq!(found, json!([{"code": "unchecked", "message": format!("{said}.")}]));
        run.approve().await;
        run.unlock().await;
        run.world.pass(10_000).await;
        assert_eq!((run.progress().await, run.world.browser.signatures()), (vec!["signing".to_owned()], 0));
        assert_eq!(run.error_of(0).await, format!("nodes_disagree: {said}"));
        if stays {
            assert_eq!(run.finish().await, [unsent("a", "nodes_disagree")]);
            assert_eq!(run.world.browser.signatures(), 0);
        } else {
            run.chains.clear_faults();
            assert_eq!(run.finish().await, confirmed(&["a"]));
        }
    }
    let run = BundleRun::of(payments(1)).await;
    run.use_nodes(&ORDERS[1]).await;
    run.chains.fault(lie(NONCE, FaultKind::Result(json!("0x63"))));
    assert_eq!(run.complete().await, confirmed(&["a"]));
}

/// A rejection of the liar alone: the honest node takes the bytes.
#[tokio::test(start_paused = true)]
async fn lying_rejection_is_not_final() {
    for order in ORDERS {
        let run = BundleRun::of(payments(2)).await;
        run.use_nodes(&order).await;
        run.chains.fault(lie(SEND, FaultKind::Error(-32_000, "insufficient funds for gas * price + value")));
        assert_eq!(run.complete().await, confirmed(&["a", "b"]), "{order:?}");
        let ledger = run.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (2, vec![7, 8]));
    }
}

/// What both nodes say ends the bundle as one node's word does: a revert, a rejection, a used nonce, another network.
#[tokio::test(start_paused = true)]
async fn two_nodes_that_agree_end_a_bundle() {
    let on_two = || async {
        let run = BundleRun::of(payments(2)).await;
        run.use_nodes(&[GOOD, OTHER]).await;
        run
    };
    let run = on_two().await;
    run.chains.on("Ethereum").reverts.insert(7);
    assert_eq!(run.complete().await, [row("a", "failed", "transaction_failed")]);

    let run = on_two().await;
    run.world.say("go").await;
    run.approve().await;
    run.chains.on("Ethereum").balance = 1;
    run.unlock().await;
    run.world.settle().await;
    assert_eq!(rows(&run.result()), [row("a", "failed", "broadcast_rejected")]);

    let run = on_two().await;
    run.chains.on("Ethereum").set_next_nonce(&fast_signer_address(), 9);
    run.world.say("go").await;
    assert_eq!(code(&run.result()["error"]), "stale_transaction");

    let run = on_two().await;
    run.chains.fault(Fault::on("eth_chainId", FaultKind::Result(json!("0x5"))).times(2));
    run.world.say("go").await;
    assert_eq!(code(&run.result()["error"]), "wrong_network");
}

/// The second node is away or limited: the step waits, says for which node, and ends when it answers.
#[tokio::test(start_paused = true)]
async fn second_node_is_waited_for() {
    for (kind, away) in [(FaultKind::Down, 20_000), (FaultKind::RetryAfter(30), 20_000)] {
        let run = BundleRun::of(payments(1)).await;
        run.use_nodes(&[GOOD, OTHER]).await;
        run.chains.fault(Fault::always(kind.clone()).of(OTHER));
        run.start().await;
        run.world.pass(away).await;
        assert_eq!(run.progress().await, ["sent"], "{kind:?}");
        let error = run.error_of(0).await;
        let said = "nodes_disagree: Two nodes must agree: good.example says confirmed, second.example ";
        assert!(error.starts_with(said) && !error.contains("key"), "{error}");
        run.chains.clear_faults();
        assert_eq!(run.finish().await, confirmed(&["a"]));
    }
}

/// The user removes a second node that stays away: the step that waits for it goes on with the first one's word.
#[tokio::test(start_paused = true)]
async fn removed_second_node_is_not_waited_for() {
    let run = BundleRun::of(payments(2)).await;
    run.use_nodes(&[GOOD, OTHER]).await;
    run.chains.fault(Fault::always(FaultKind::Down).of(OTHER));
    run.start().await;
    run.world.pass(20_000).await;
    assert_eq!(run.progress().await, ["sent", "queued"]);
    run.use_nodes(&[GOOD]).await;
    assert_eq!(run.finish().await, confirmed(&["a", "b"]));
}

/// Two spellings of one node's address: it needs no second, and is none.
#[tokio::test(start_paused = true)]
async fn two_spellings_are_one_node() {
    let run = BundleRun::of(payments(1)).await;
    run.use_nodes(&["https://good.example", "https://GOOD.example:443"]).await;
    run.chains.fault(Fault::always(FaultKind::Down).of("https://GOOD.example:443"));
    assert_eq!(run.complete().await, confirmed(&["a"]));
}

/// The second node costs one exchange for each receipt, and none besides.
#[tokio::test(start_paused = true)]
async fn second_node_costs_one_exchange_a_step() {
    for (urls, exchanges) in [(&[GOOD][..], 2), (&[GOOD, OTHER], 3)] {
        let step =
            |at: u64| with_receipt(pay(7 + at).step(&format!("s{at}"), u32::try_from(at).unwrap_or(0)));
        let run = BundleRun::of(json!([step(0), step(1), step(2), step(3)])).await;
        run.use_nodes(urls).await;
        run.world.say("go").await;
        run.approve().await;
        let before = run.world.node_calls().len();
        run.unlock().await;
        assert_eq!(run.first_result().await.len(), 4);
        // A check, and for each of four steps a broadcast and one lookup, or two.
        assert_eq!(run.world.node_calls().len() - before, 1 + 4 * exchanges);
    }
}
