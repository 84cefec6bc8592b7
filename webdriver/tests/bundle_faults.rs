//! Bundles over a real node that is away, slow, busy, broken or forgetful, and over a chain that changes its mind. Only
//! the chain's own word is a failure; whatever else happens, one signed transaction a step leaves the wallet.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

mod world;

use agent_backend::ReceivedResult;
use nodes::evm::Unsigned;
use nodes::proxy::Told;
use nodes::{Fault, When};
use serde_json::{Value, json};
use std::time::Duration;
use world::bundle::{bundle_of, proposing, sent, transfer};
use world::chains::{Chains, Node, owner};
use world::run::{hashes, rows};
use world::vault::phrase;
use world::{PATIENCE, World};

const SEND: &str = "eth_sendRawTransaction";
const RECEIPT: &str = "eth_getTransactionReceipt";

struct Bench {
    chains: Chains,
    world: World,
}

impl Bench {
    async fn new() -> Self {
        let chains = Chains::start().await;
        let world = World::scripted(proposing([])).await;
        world.take_vault(&phrase("12 words")).await;
        world.use_nodes(chains.endpoints()).await;
        Self { chains, world }
    }

    fn node(&self) -> &Node {
        &self.chains.ethereum
    }

    /// Proposes steps on Ethereum whose receipts are waited for so many seconds. The person is asked for the approval.
    async fn propose(&mut self, seconds: u32, steps: Vec<Value>) {
        self.send(seconds, steps).await;
        self.world.prompts(1).await;
    }

    async fn send(&mut self, seconds: u32, mut steps: Vec<Value>) {
        for (place, step) in steps.iter_mut().enumerate() {
            step["id"] = json!(format!("step-{place}"));
            step["sequence"] = json!(place);
            step["receipt_timeout_seconds"] = json!(seconds);
        }
        self.world.propose(bundle_of("Faults", steps)).await;
    }

    /// Proposes payments with the next numbers.
    async fn propose_payments(&mut self, seconds: u32, count: u64) {
        let nonce = self.node().nonce().await;
        self.propose(seconds, (0..count).map(|place| transfer(1, nonce + place)).collect()).await;
    }

    async fn start(&self) {
        self.world.approve().await;
        self.world.give_password().await;
    }

    /// The hashes of a result whose steps are all confirmed are the last ones on the chain.
    async fn all_confirmed(&self, case: &str) {
        let result = self.world.result().await;
        let count = hashes(&result).len();
        assert_eq!(rows(&result), vec![("confirmed".to_owned(), String::new()); count], "{case}: {result:?}");
        let mined = self.node().hashes().await;
        assert_eq!(
            hashes(&result),
            mined[mined.len() - count..].iter().map(|hash| json!(hash)).collect::<Vec<_>>()
        );
    }
}

/// What a result says of a bundle that ended with this step.
fn ended(result: &ReceivedResult, status: &str, code: &str) {
    let rows = rows(result);
    assert_eq!(rows.last(), Some(&(status.to_owned(), code.to_owned())), "{result:?}");
    let error = result.error.as_deref().unwrap_or_default();
    assert!(!result.success && error.starts_with(&format!("{code}: ")), "{result:?}");
    assert_eq!(result.data.as_ref().unwrap()["bundle_success"], json!(false));
}

/// T000-46: a node that is slow, busy or broken, gives answers that are none, or takes a transaction and loses the answer,
/// delays a step and does not fail it. What it took is found and not sent again.
#[tokio::test]
async fn troubles_of_a_node_are_no_failures() {
    let mut bench = Bench::new().await;
    let slow = Fault::Delay(Duration::from_secs(2));
    // The fault, and how often the bytes are sent in spite of it.
    let faults = [
        (slow, 1),
        (Fault::LoseAnswer, 1),
        (Fault::Refuse, 2),
        (Fault::Status(429, Some(1)), 2),
        (Fault::Status(500, None), 2),
        (Fault::Body("<html>Bad Gateway</html>".to_owned()), 2),
        (Fault::Huge(2 << 20), 2),
    ];
    for (count, (fault, sends)) in (1..).zip(faults) {
        let case = format!("{fault:?}");
        let before = bench.node().proxy.count(SEND);
        bench.propose_payments(60, 1).await;
        bench.node().proxy.next(1, SEND, fault.clone());
        bench.node().proxy.next(1, RECEIPT, fault);
        bench.start().await;
        bench.all_confirmed(&case).await;
        assert_eq!(bench.node().proxy.count(SEND) - before, sends, "{case}");
        assert_eq!(bench.node().proxy.sent_raw().len(), count, "{case}");
        bench.node().proxy.clear();
    }
}

/// T000-50, T000-52: a node that is away before anything is signed leaves nothing behind: no hash, no bytes.
#[tokio::test]
async fn away_before_signing() {
    let mut bench = Bench::new().await;
    bench.propose_payments(3, 2).await;
    bench.node().proxy.always("eth_*", Fault::Refuse);
    bench.start().await;
    let result = bench.world.result().await;
    ended(&result, "failed", "node_unreachable");
    assert_eq!(hashes(&result), [Value::Null]);
    assert_eq!(bench.node().proxy.sent_raw(), Vec::<String>::new());
}

/// T000-51: a node that is away after it took a transaction leaves its sender in doubt: the step is a timeout with its
/// hash, and the next one is not begun. When the node is back, the truth comes to the agent by itself.
#[tokio::test]
async fn away_after_signing() {
    let mut bench = Bench::new().await;
    bench.propose_payments(3, 2).await;
    let node = bench.node();
    let mut held = node.proxy.hold(SEND, When::After);
    bench.start().await;
    held.wait_arrived().await.unwrap();
    node.proxy.always("eth_*", Fault::Refuse);
    held.drop_connection();
    let result = bench.world.result().await;
    ended(&result, "timeout", "receipt_timeout");
    let mined = node.hashes().await;
    assert_eq!(hashes(&result), mined.iter().map(|hash| json!(hash)).collect::<Vec<_>>());
    assert_eq!((mined.len(), node.proxy.sent_raw().len()), (1, 1));

    node.proxy.clear();
    let late = bench
        .world
        .agent
        .wait_for(|state| state.results().iter().find(|other| other.key != result.key).cloned(), PATIENCE * 3)
        .await
        .unwrap();
    let row = json!({"id": "step-0", "sequence": 0, "chain": "Ethereum", "tx_hash": mined[0], "status": "confirmed",
        "error": null});
    assert_eq!(late.data, Some(json!({"transactions": [row], "bundle_success": false, "late": true})));
    assert_eq!((late.action_id, late.success), (result.action_id, true));
    assert_eq!(node.proxy.sent_raw().len(), 1);
}

/// A node that has the transaction already, from whomever, is no node that refuses it.
#[tokio::test]
async fn already_known() {
    let mut bench = Bench::new().await;
    bench.propose_payments(60, 1).await;
    let node = bench.node();
    node.anvil.set_automine(false).await.unwrap();
    let mut held = node.proxy.hold(SEND, When::Before);
    bench.start().await;
    let raw = held.wait_arrived().await.unwrap().raw().unwrap();
    node.anvil.rpc(SEND, json!([raw])).await.unwrap();
    held.release();
    let answer = node.proxy.wait_for(
        "the node's answer",
        |calls| calls.iter().find(|call| call.is(SEND) && call.told == Told::Truth)?.answer.clone(),
        PATIENCE,
    );
    let answer = answer.await.unwrap();
    assert!(answer.body["error"].is_object(), "{answer:?}");
    bench.world.steps(&["sent"]).await;
    node.anvil.set_automine(true).await.unwrap();
    node.anvil.mine().await.unwrap();
    bench.all_confirmed("already known").await;
    assert_eq!(node.proxy.count(SEND), 1);
}

/// A node that forgets what it took is sent the same bytes again.
#[tokio::test]
async fn dropped_from_the_mempool() {
    let mut bench = Bench::new().await;
    bench.propose_payments(60, 1).await;
    let node = bench.node();
    node.anvil.set_automine(false).await.unwrap();
    bench.start().await;
    bench.world.steps(&["sent"]).await;
    let hash = bench.world.bundle().await["progress"][0]["txHash"].as_str().unwrap().to_owned();
    assert!(node.anvil.drop_transaction(&hash).await.unwrap());
    node.proxy.wait_count(SEND, 2).await.unwrap();
    node.anvil.set_automine(true).await.unwrap();
    node.anvil.mine().await.unwrap();
    bench.all_confirmed("dropped").await;
    assert_eq!((node.proxy.sent_raw().len(), node.hashes().await), (1, vec![hash]));
}

/// A chain that takes a confirmed step back between two steps is sent the same bytes again, before the next is signed.
#[tokio::test]
async fn reorganised_between_steps() {
    let mut bench = Bench::new().await;
    bench.propose_payments(60, 2).await;
    let node = bench.node();
    let mut first = node.proxy.hold(SEND, When::Before);
    bench.start().await;
    first.wait_arrived().await.unwrap();
    let before = node.anvil.snapshot().await.unwrap();
    let mut second = node.proxy.hold("eth_getTransactionCount", When::Before);
    first.release();
    second.wait_arrived().await.unwrap();
    bench.world.steps(&["confirmed", "signing"]).await;
    node.anvil.revert(&before).await.unwrap();
    assert_eq!(node.nonce().await, 0);
    second.release();
    bench.all_confirmed("reorganised").await;
    assert_eq!((node.proxy.count(SEND), node.proxy.sent_raw().len(), node.hashes().await.len()), (3, 2, 2));
}

/// T000-46, T000-47, T000-48, T000-50: what a contract reverts has failed, with its hash; what comes after it is neither
/// signed nor sent, and not in the result.
#[tokio::test]
async fn reverted() {
    let mut bench = Bench::new().await;
    let contract = bench.node().anvil.deploy("Reverter", &[]).await.unwrap();
    let refused =
        Unsigned { chain_id: 1, nonce: 1, gas: 60_000, to: Some(&contract), value: 1, data: "0x12345678" };
    bench.propose(60, vec![transfer(1, 0), sent(&refused), transfer(1, 2)]).await;
    bench.start().await;
    let result = bench.world.result().await;
    ended(&result, "failed", "transaction_failed");
    assert_eq!(rows(&result).len(), 2);
    let mined = bench.node().anvil.transactions_from(&owner()).await.unwrap();
    assert_eq!(mined.iter().map(|one| one.succeeded).collect::<Vec<_>>(), [true, false]);
    assert_eq!(hashes(&result), mined.iter().map(|one| json!(one.hash)).collect::<Vec<_>>());
    assert_eq!(bench.node().proxy.sent_raw().len(), 2);
}

/// T000-47, T000-50: what the node refuses by the chain's rules has failed, with its hash.
#[tokio::test]
async fn rejected() {
    let mut bench = Bench::new().await;
    bench.propose_payments(60, 2).await;
    bench.node().anvil.set_balance(&owner(), 1).await.unwrap();
    bench.start().await;
    let result = bench.world.result().await;
    ended(&result, "failed", "broadcast_rejected");
    assert_eq!((rows(&result).len(), hashes(&result)[0].is_string()), (1, true));
    assert_eq!((bench.node().nonce().await, bench.node().proxy.sent_raw().len()), (0, 1));
}

/// A node of another chain is found out before anybody is asked.
#[tokio::test]
async fn of_another_chain() {
    let mut bench = Bench::new().await;
    let elsewhere = bench.chains.arbitrum.proxy.url();
    bench.world.use_nodes(json!({"endpoints": {"Ethereum": {"url": elsewhere}}})).await;
    bench.send(60, vec![transfer(1, 0)]).await;
    let result = bench.world.result().await;
    let error = result.error.as_deref().unwrap_or_default();
    assert!(!result.success && error.starts_with("wrong_network: step 0: "), "{result:?}");
    assert_eq!(bench.world.get("/api/prompts").await["prompts"], json!([]));
    assert_eq!(bench.chains.arbitrum.proxy.sent_raw(), Vec::<String>::new());
}
