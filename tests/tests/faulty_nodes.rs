//! Faulty nodes: how a bundle ends, which bytes are sent, and how often.

use countersign_tests::chain::{Chains, Fault, Trouble};
use countersign_tests::evm::{Evm, PAYEE, waiting, waiting_for};
use countersign_tests::signer::light_address;
use countersign_tests::story::{MINUTE, Row, Story, code, row, unsent};
use serde_json::{Value, json};

const SEND: &str = "eth_sendRawTransaction";
const RECEIPT: &str = "eth_getTransactionReceipt";
const GOOD: &str = "https://good.example";

fn pay(nonce: u64) -> Evm {
    Evm::pays(PAYEE, 1_000).nonce(nonce)
}

fn one() -> Value {
    json!([waiting(pay(7).step("a", 0))])
}

fn two() -> Value {
    json!([waiting(pay(7).step("a", 0)), waiting(pay(8).step("b", 1))])
}

fn confirmed() -> Vec<Row> {
    vec![row("a", "confirmed", "")]
}

/// T000-50: no node answers before the approval and until the step's deadline: nothing is signed.
#[tokio::test(start_paused = true)]
async fn unreachable_before_signing_fails_at_deadline() {
    let story = Story::of(json!([waiting_for(pay(7).step("a", 0), 60), pay(8).step("b", 1)])).await;
    story.chains.fault(Fault::always(Trouble::Down));
    let before = story.world.browser.now();
    assert_eq!(story.play().await, [unsent("a", "node_unreachable")]);
    let took = story.world.browser.now() - before;
    assert!((60_000..62_000).contains(&took), "{took}");
    assert_eq!(story.world.browser.signatures(), 0);
    // The approval showed that the step was not checked.
    assert_eq!(story.view().await["steps"][0]["findings"][0]["code"], "unchecked");
}

/// A fault that ends before the step's deadline only delays it, at any point: the same bytes, mined once.
#[tokio::test(start_paused = true)]
async fn temporary_faults_only_delay() {
    let troubles = [
        Trouble::Down,
        Trouble::Silent,
        Trouble::Slow(4_000),
        Trouble::Slow(20_000),
        Trouble::Status(500),
        Trouble::Status(503),
        Trouble::Later(7),
        Trouble::Garbage,
        Trouble::Huge,
        Trouble::Lost,
        Trouble::Error(-32_005, "limit exceeded"),
        Trouble::Error(-32_603, "Internal error"),
    ];
    let methods =
        ["eth_chainId", "eth_getTransactionCount", "eth_getBalance", "eth_estimateGas", SEND, RECEIPT];
    for trouble in troubles {
        for method in methods {
            for times in [1, 3] {
                let story = Story::of(one()).await;
                story.world.say("go").await;
                story.approve().await;
                story.chains.fault(Fault::on(method, trouble.clone()).times(times));
                story.open().await;
                let ended = if story.world.results().is_empty() { story.end().await } else { vec![] };
                assert_eq!(ended, confirmed(), "{trouble:?} {method} {times}");
                let ledger = story.chains.on("Ethereum");
                assert_eq!((ledger.raw().len(), ledger.nonces()), (1, vec![7]), "{trouble:?} {method}");
            }
        }
    }
}

/// A node's `Retry-After` of half a minute is honoured.
#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    let story = Story::of(one()).await;
    story.chains.fault(Fault::on(SEND, Trouble::Later(30)));
    assert_eq!(story.play().await, confirmed());
    let [first, again] = story.chains.asked(SEND).try_into().expect("sent twice");
    assert!((30_000..40_000).contains(&(again - first)), "{}", again - first);
    let all = ["eth_chainId", RECEIPT, SEND].iter().flat_map(|method| story.chains.asked(method));
    assert_eq!(all.filter(|at| (first + 1..first + 30_000).contains(at)).count(), 0);
}

/// A node accepts the transaction and loses this answer and the receipts: the hash is looked up, the bytes are sent
/// again, and the node answers `already known`.
#[tokio::test(start_paused = true)]
async fn already_known_counts_as_sent() {
    let story = Story::on(Chains::by_hand(), one()).await;
    story.chains.fault(Fault::on(SEND, Trouble::Lost));
    story.chains.fault(Fault::on(RECEIPT, Trouble::Garbage).times(2));
    story.begin().await;
    story.world.pass(20_000).await;
    let sent = story.chains.on("Ethereum").sent.clone();
    assert_eq!(
        sent.iter().map(|sent| sent.refused.as_deref()).collect::<Vec<_>>(),
        [None, Some("already known")]
    );
    assert_eq!(sent[0].raw, sent[1].raw);
    assert_eq!(story.progress().await, ["sent"]);
    story.chains.on("Ethereum").mine(0);
    assert_eq!(story.end().await, confirmed());
}

/// T000-55: a transaction that the mempool drops is sent again, the same bytes each time.
#[tokio::test(start_paused = true)]
async fn dropped_transaction_is_sent_again() {
    let story = Story::on(Chains::by_hand(), one()).await;
    story.begin().await;
    for _ in 0..3 {
        story.world.pass(10_000).await;
        story.chains.on("Ethereum").drop_pool();
    }
    story.world.pass(10_000).await;
    story.chains.on("Ethereum").mine(0);
    assert_eq!(story.end().await, confirmed());
    let ledger = story.chains.on("Ethereum");
    assert_eq!((ledger.sent.len(), ledger.raw().len()), (4, 1));
}

/// T000-50: a dropped transaction whose nonce another transaction used can never be mined: failed after the
/// broadcast.
#[tokio::test(start_paused = true)]
async fn dropped_and_replaced_fails() {
    let story = Story::on(Chains::by_hand(), two()).await;
    story.begin().await;
    story.chains.on("Ethereum").drop_pool();
    story.chains.on("Ethereum").use_elsewhere(&light_address(), 8);
    assert_eq!(story.end().await, [row("a", "failed", "stale_transaction")]);
    assert_eq!(story.world.browser.signatures(), 1);
}

/// A reorg removes the first step's block before the second is signed: the first is waited for again, sent again if
/// dropped, and the second follows it.
#[tokio::test(start_paused = true)]
async fn reorg_between_steps() {
    for forget in [false, true] {
        let story = Story::of(two()).await;
        story.world.say("go").await;
        story.approve().await;
        // The first check of the second step reaches no node.
        story.chains.fault(Fault::on("eth_getTransactionCount", Trouble::Says(json!("0x7"))));
        story.chains.fault(Fault::on("eth_getTransactionCount", Trouble::Down));
        story.open().await;
        while story.progress().await[0] != "confirmed" {
            story.world.pass(10).await;
        }
        story.chains.each(|ledger| ledger.delay = u64::MAX);
        story.chains.on("Ethereum").undo(0, forget);
        story.world.pass(10_000).await;
        assert_eq!(story.progress().await, ["sent", "signing"]);
        assert_eq!(story.world.browser.signatures(), 1);
        story.chains.each(|ledger| ledger.delay = 0);
        assert_eq!(story.end().await, ["a", "b"].map(|id| row(id, "confirmed", "")), "{forget}");
        let ledger = story.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (2, vec![7, 8]));
        assert_eq!(ledger.undone.len(), 1);
    }
}

/// A node of another network before the approval: the bundle is refused.
#[tokio::test(start_paused = true)]
async fn wrong_network_refuses_the_bundle() {
    let story = Story::of(one()).await;
    story.chains.fault(Fault::on("eth_chainId", Trouble::Says(json!("0x5"))));
    story.world.say("go").await;
    assert_eq!(code(&story.result()["error"]), "wrong_network");
    assert_eq!(story.world.browser.summoned(), [] as [String; 0]);
}

/// T000-50: a node of another network after the approval: nothing is signed.
#[tokio::test(start_paused = true)]
async fn wrong_network_after_approval() {
    let story = Story::of(one()).await;
    story.world.say("go").await;
    story.approve().await;
    story.chains.fault(Fault::on("eth_chainId", Trouble::Says(json!("0x5"))));
    story.open().await;
    story.world.settle().await;
    assert_eq!(countersign_tests::story::rows(&story.result()), [unsent("a", "wrong_network")]);
    assert_eq!(story.world.browser.signatures(), 0);
}

/// T000-50: the node rejects the bytes at the first broadcast: failed with the hash, and sent once.
#[tokio::test(start_paused = true)]
async fn rejected_broadcast_fails() {
    let story = Story::of(two()).await;
    story.world.say("go").await;
    story.approve().await;
    story.chains.on("Ethereum").balance = 1;
    story.open().await;
    story.world.settle().await;
    let rows = countersign_tests::story::rows(&story.result());
    assert_eq!(rows, [row("a", "failed", "broadcast_rejected")]);
    assert_eq!(story.chains.on("Ethereum").sent.len(), 1);
    let error = story.result()["error"].clone();
    assert_eq!(error, "broadcast_rejected: insufficient funds for gas * price + value");
}

/// One working node among faulty ones is enough, at any place in the list.
#[tokio::test(start_paused = true)]
async fn one_working_node_is_enough() {
    let bad = [
        Trouble::Down,
        Trouble::Garbage,
        Trouble::Status(500),
        Trouble::Later(600),
        Trouble::Huge,
        Trouble::Error(-32_005, "limit exceeded"),
        // Behind, or on another network.
        Trouble::Says(Value::Null),
        Trouble::Says(json!("0x5")),
    ];
    for (half, place) in [(0, 0), (0, 4), (1, 2), (1, 4)] {
        let story = Story::of(two()).await;
        story.chains.add_node("Ethereum", GOOD);
        let mut urls: Vec<String> = Vec::new();
        for (number, trouble) in bad.chunks(4).nth(half).unwrap().iter().enumerate() {
            let url = format!("https://bad{number}.example");
            story.chains.add_node("Ethereum", &url);
            story.chains.fault(Fault::always(trouble.clone()).of(&url));
            urls.push(url);
        }
        urls.insert(place, GOOD.to_owned());
        let endpoint = json!({"url": urls[0], "others": urls[1..]});
        let (status, body) =
            story.world.call("PATCH", "/api/settings", json!({"endpoints": {"Ethereum": endpoint}})).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(story.play().await, ["a", "b"].map(|id| row(id, "confirmed", "")), "{half} {place}");
        let ledger = story.chains.on("Ethereum");
        assert_eq!((ledger.raw().len(), ledger.nonces()), (2, vec![7, 8]));
    }
}

/// T000-51: every node fails after the broadcast: `timeout`, with the hash.
#[tokio::test(start_paused = true)]
async fn unreachable_after_broadcast_times_out() {
    let story = Story::of(two()).await;
    story.chains.fault(Fault::on(RECEIPT, Trouble::Down).times(u32::MAX));
    let before = story.world.browser.now();
    assert_eq!(story.play().await, [row("a", "timeout", "receipt_timeout")]);
    assert!(story.world.browser.now() - before >= 3 * MINUTE);
    assert_eq!(story.chains.on("Ethereum").nonces(), [7]);
}
