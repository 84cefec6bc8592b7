//! Bundles with a real node that is down, slow, overloaded, broken or forgetful, and with a chain that reorganises.
//! Only a failure on the chain fails a step; in every case one signed transaction for each step leaves the wallet.

use crate::world::bundle::{bundle_of, proposing, sent, transfer};
use crate::world::chains::{Chains, Node, owner};
use crate::world::run::{hashes, rows};
use crate::world::vault::phrase;
use crate::world::{PATIENCE, World};
use agent_backend::ReceivedResult;
use nodes::evm::Unsigned;
use nodes::proxy::CallerOutcome;
use nodes::{Fault, When};
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "eth_sendRawTransaction";
const RECEIPT: &str = "eth_getTransactionReceipt";

struct Fixture {
    chains: Chains,
    world: World,
}

impl Fixture {
    async fn new() -> Self {
        let chains = Chains::start().await;
        let world = World::scripted(proposing([])).await;
        world.import_vault(&phrase("12 words")).await;
        world.use_nodes(chains.endpoints()).await;
        Self { chains, world }
    }

    fn node(&self) -> &Node {
        &self.chains.ethereum
    }

    /// Proposes steps on Ethereum with this receipt timeout in seconds. The approval prompt is open afterwards.
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

    /// Proposes payments with the next nonces.
    async fn propose_payments(&mut self, seconds: u32, count: u64) {
        let nonce = self.node().nonce().await;
        self.propose(seconds, (0..count).map(|place| transfer(1, nonce + place)).collect()).await;
    }

    async fn start(&self) {
        self.world.approve().await;
        self.world.give_password().await;
    }

    /// Checks that all steps of the result are confirmed, and that their hashes are the last ones on the chain.
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

/// Checks the result of a bundle that ended with this step.
fn check_ended(result: &ReceivedResult, status: &str, code: &str) {
    let rows = rows(result);
    assert_eq!(rows.last(), Some(&(status.to_owned(), code.to_owned())), "{result:?}");
    let error = result.error.as_deref().unwrap_or_default();
    assert!(!result.success && error.starts_with(&format!("{code}: ")), "{result:?}");
    assert_eq!(result.data.as_ref().unwrap()["bundle_success"], json!(false));
}

/// T000-46: a node that is slow, overloaded or broken, answers invalid data, or accepts a transaction and loses the
/// answer, delays a step and does not fail it. An accepted transaction is found and not sent again.
#[tokio::test]
async fn node_faults_only_delay() {
    let mut fixture = Fixture::new().await;
    let slow = Fault::Delay(Duration::from_secs(2));
    // The fault, and how often the bytes are sent despite it.
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
        let before = fixture.node().proxy.count(SEND);
        fixture.propose_payments(60, 1).await;
        fixture.node().proxy.next(1, SEND, fault.clone());
        fixture.node().proxy.next(1, RECEIPT, fault);
        fixture.start().await;
        fixture.all_confirmed(&case).await;
        assert_eq!(fixture.node().proxy.count(SEND) - before, sends, "{case}");
        assert_eq!(fixture.node().proxy.sent_raw().len(), count, "{case}");
        fixture.node().proxy.clear();
    }
}

/// T000-50, T000-52: a node that is down before signing leaves no hash and no bytes.
#[tokio::test]
async fn unreachable_before_signing_fails() {
    let mut fixture = Fixture::new().await;
    fixture.propose_payments(3, 2).await;
    fixture.node().proxy.always("eth_*", Fault::Refuse);
    fixture.start().await;
    let result = fixture.world.result().await;
    check_ended(&result, "failed", "node_unreachable");
    assert_eq!(hashes(&result), [Value::Null]);
    assert_eq!(fixture.node().proxy.sent_raw(), Vec::<String>::new());
}

/// T000-51: a node that goes down after it accepted a transaction leaves its outcome unknown: the step is a timeout
/// with its hash, and the next one is not started. When the node is back, the agent gets the outcome.
#[tokio::test]
async fn unreachable_after_signing_times_out() {
    let mut fixture = Fixture::new().await;
    fixture.propose_payments(3, 2).await;
    let node = fixture.node();
    let mut held = node.proxy.hold(SEND, When::After);
    fixture.start().await;
    held.wait_arrived().await.unwrap();
    node.proxy.always("eth_*", Fault::Refuse);
    held.drop_connection();
    let result = fixture.world.result().await;
    check_ended(&result, "timeout", "receipt_timeout");
    let mined = node.hashes().await;
    assert_eq!(hashes(&result), mined.iter().map(|hash| json!(hash)).collect::<Vec<_>>());
    assert_eq!((mined.len(), node.proxy.sent_raw().len()), (1, 1));

    node.proxy.clear();
    let late = fixture
        .world
        .agent
        .wait_for(|state| state.results().iter().find(|other| other.key != result.key).cloned(), PATIENCE * 3)
        .await
        .unwrap();
    let row = json!({"id": "step-0", "sequence": 0, "chain": "Ethereum", "tx_hash": mined[0], "status": "confirmed",
        "error": null});
    assert_eq!(late.data, Some(json!({"transactions": [row], "bundle_success": false, "late": true})));
    // D12: the second step was skipped.
    assert_eq!((late.action_id, late.success), (result.action_id, false));
    assert_eq!(node.proxy.sent_raw().len(), 1);
}

/// A node that already has the transaction does not reject it.
#[tokio::test]
async fn already_known_is_accepted() {
    let mut fixture = Fixture::new().await;
    fixture.propose_payments(60, 1).await;
    let node = fixture.node();
    node.anvil.set_automine(false).await.unwrap();
    let mut held = node.proxy.hold(SEND, When::Before);
    fixture.start().await;
    let raw = held.wait_arrived().await.unwrap().raw().unwrap();
    node.anvil.rpc(SEND, json!([raw])).await.unwrap();
    held.release();
    let answer = node.proxy.wait_for(
        "the node's answer",
        |calls| {
            calls
                .iter()
                .find(|call| call.is(SEND) && call.outcome == CallerOutcome::NodeAnswer)?
                .answer
                .clone()
        },
        PATIENCE,
    );
    let answer = answer.await.unwrap();
    assert!(answer.body["error"].is_object(), "{answer:?}");
    fixture.world.steps(&["sent"]).await;
    node.anvil.set_automine(true).await.unwrap();
    node.anvil.mine().await.unwrap();
    fixture.all_confirmed("already known").await;
    assert_eq!(node.proxy.count(SEND), 1);
}

/// A transaction that the node drops is sent again, the same bytes.
#[tokio::test]
async fn dropped_transaction_is_sent_again() {
    let mut fixture = Fixture::new().await;
    fixture.propose_payments(60, 1).await;
    let node = fixture.node();
    node.anvil.set_automine(false).await.unwrap();
    fixture.start().await;
    fixture.world.steps(&["sent"]).await;
    let hash = fixture.world.bundle().await["progress"][0]["txHash"].as_str().unwrap().to_owned();
    assert!(node.anvil.drop_transaction(&hash).await.unwrap());
    node.proxy.wait_count(SEND, 2).await.unwrap();
    node.anvil.set_automine(true).await.unwrap();
    node.anvil.mine().await.unwrap();
    fixture.all_confirmed("dropped").await;
    assert_eq!((node.proxy.sent_raw().len(), node.hashes().await), (1, vec![hash]));
}

/// A reorg of a confirmed step while the next one is sent: its same bytes are sent again, and both are confirmed.
#[tokio::test]
async fn reorg_between_steps() {
    let mut fixture = Fixture::new().await;
    fixture.propose_payments(60, 2).await;
    let node = fixture.node();
    let mut first = node.proxy.hold(SEND, When::Before);
    fixture.start().await;
    first.wait_arrived().await.unwrap();
    let before = node.anvil.snapshot().await.unwrap();
    let mut second = node.proxy.hold(SEND, When::Before);
    first.release();
    second.wait_arrived().await.unwrap();
    node.anvil.revert(&before).await.unwrap();
    assert_eq!(node.nonce().await, 0);
    second.release();
    fixture.all_confirmed("reorganised").await;
    assert_eq!((node.proxy.count(SEND), node.proxy.sent_raw().len(), node.hashes().await.len()), (3, 2, 2));
}

/// T000-46, T000-47, T000-48, T000-50: a reverted transaction is `failed` with its hash; the steps after it are
/// neither signed nor sent, and not in the result.
#[tokio::test]
async fn reverted_transaction_fails() {
    let mut fixture = Fixture::new().await;
    let contract = fixture.node().anvil.deploy("Reverter", &[]).await.unwrap();
    let refused =
        Unsigned { chain_id: 1, nonce: 1, gas: 60_000, to: Some(&contract), value: 1, data: "0x12345678" };
    fixture.propose(60, vec![transfer(1, 0), sent(&refused), transfer(1, 2)]).await;
    fixture.start().await;
    let result = fixture.world.result().await;
    check_ended(&result, "failed", "transaction_failed");
    assert_eq!(rows(&result).len(), 2);
    let mined = fixture.node().anvil.transactions_from(&owner()).await.unwrap();
    assert_eq!(mined.iter().map(|one| one.succeeded).collect::<Vec<_>>(), [true, false]);
    assert_eq!(hashes(&result), mined.iter().map(|one| json!(one.hash)).collect::<Vec<_>>());
    assert_eq!(fixture.node().proxy.sent_raw().len(), 2);
}

/// T000-47, T000-50: a transaction that the node rejects by the chain's rules is `failed` with its hash.
#[tokio::test]
async fn rejected_transaction_fails() {
    let mut fixture = Fixture::new().await;
    fixture.propose_payments(60, 2).await;
    fixture.node().anvil.set_balance(&owner(), 1).await.unwrap();
    fixture.start().await;
    let result = fixture.world.result().await;
    check_ended(&result, "failed", "broadcast_rejected");
    assert_eq!((rows(&result).len(), hashes(&result)[0].is_string()), (1, true));
    assert_eq!((fixture.node().nonce().await, fixture.node().proxy.sent_raw().len()), (0, 1));
}

/// A node of another network is detected before any prompt.
#[tokio::test]
async fn wrong_network_is_refused() {
    let mut fixture = Fixture::new().await;
    let elsewhere = fixture.chains.arbitrum.proxy.url();
    fixture.world.use_nodes(json!({"endpoints": {"Ethereum": {"url": elsewhere}}})).await;
    fixture.send(60, vec![transfer(1, 0)]).await;
    let result = fixture.world.result().await;
    let error = result.error.as_deref().unwrap_or_default();
    assert!(!result.success && error.starts_with("wrong_network: step 0: "), "{result:?}");
    assert_eq!(fixture.world.get("/api/prompts").await["prompts"], json!([]));
    assert_eq!(fixture.chains.arbitrum.proxy.sent_raw(), Vec::<String>::new());
}
