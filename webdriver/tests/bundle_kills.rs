//! The worker and the browser die at every state of a bundle, and in the middle of whatever they do there. In every case
//! each transaction is on its chain once, one signed transaction a step ever left the wallet, and the agent has one
//! result, which says that all went well.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

mod world;

use agent_backend::{Agent, Fault};
use nodes::When;
use nodes::proxy::Held;
use serde_json::json;
use webdriver::until;
use world::bundle::{bundle_of, proposing, transfer};
use world::chains::{Chains, Node};
use world::run::{hashes, rows};
use world::vault::phrase;
use world::{PATIENCE, World};

/// In the middle of what a step is caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// The node is asked whether it can be signed.
    Check,
    /// It is signed, and the node never hears of it.
    Lost,
    /// It is signed, and the node hears of it when all is over.
    Delayed,
    /// The node has taken it, and nobody has heard that it did.
    Taken,
    /// The node has it and makes no block.
    Waiting,
    /// The node is asked for the receipt.
    Asked,
    /// The node has answered that it is in a block, and nobody has heard that it did.
    Answered,
}

const MOMENTS: [Moment; 7] = [
    Moment::Check,
    Moment::Lost,
    Moment::Delayed,
    Moment::Taken,
    Moment::Waiting,
    Moment::Asked,
    Moment::Answered,
];

/// A wallet and its two chains, for one bundle after the other.
struct Bench {
    chains: Chains,
    world: World,
    /// How many bundles there were.
    count: usize,
    /// Those that have proposed them.
    agents: Vec<Agent>,
}

impl Bench {
    async fn new() -> Self {
        let chains = Chains::start().await;
        let world = World::scripted(proposing([])).await;
        world.take_vault(&phrase("12 words")).await;
        world.use_nodes(chains.endpoints()).await;
        Self { chains, world, count: 0, agents: Vec::new() }
    }

    /// The node that a step goes to.
    fn node(&self, step: usize) -> &Node {
        if step == 1 { &self.chains.arbitrum } else { &self.chains.ethereum }
    }

    /// Three payments: on Ethereum, on Arbitrum, on Ethereum. The person is asked for the approval.
    async fn propose(&mut self) {
        let (near, far) = (self.chains.ethereum.nonce().await, self.chains.arbitrum.nonce().await);
        let steps = [(1, near), (42_161, far), (1, near + 1)].into_iter().enumerate().map(
            |(place, (chain, nonce))| {
                let mut step = transfer(chain, nonce);
                step["sequence"] = json!(place);
                step["id"] = json!(format!("pay-{place}"));
                step
            },
        );
        let action = bundle_of(&format!("Case {}", self.count), steps.collect());
        self.agents.push(self.world.propose(action).await);
        self.count += 1;
        self.world.prompts(1).await;
    }

    async fn start(&self) {
        self.world.approve().await;
        self.world.give_password().await;
    }

    /// Starts the bundle and holds the first request of a name that is about a step.
    async fn hold(&self, step: usize, name: &str, when: When) -> Held {
        if step < 2 {
            let held = self.node(step).proxy.hold(name, when);
            self.start().await;
            return held;
        }
        // The last step's node is the first one's: its requests come after those to the other.
        let mut before = self.node(1).proxy.hold("eth_sendRawTransaction", When::Before);
        self.start().await;
        before.wait_arrived().await.unwrap();
        let held = self.node(step).proxy.hold(name, when);
        before.release();
        held
    }

    /// Brings a step to a moment, and what holds it there.
    async fn reach(&self, step: usize, moment: Moment) -> Option<Held> {
        let (name, when, status) = match moment {
            Moment::Check => ("eth_getTransactionCount", When::Before, "signing"),
            Moment::Lost | Moment::Delayed => ("eth_sendRawTransaction", When::Before, "signed"),
            Moment::Taken => ("eth_sendRawTransaction", When::After, "signed"),
            Moment::Waiting => ("", When::Before, "sent"),
            Moment::Asked => ("eth_getTransactionReceipt", When::Before, "sent"),
            Moment::Answered => ("eth_getTransactionReceipt", When::After, "sent"),
        };
        let held = if moment == Moment::Waiting {
            self.unmined(step).await;
            None
        } else {
            let mut held = self.hold(step, name, when).await;
            held.wait_arrived().await.unwrap();
            Some(held)
        };
        let all = ["confirmed", "confirmed", "confirmed"];
        let mut expected = ["queued"; 3];
        expected[..step].copy_from_slice(&all[..step]);
        expected[step] = status;
        self.world.steps(&expected).await;
        held
    }

    /// Starts the bundle on a chain that makes no block with the step.
    async fn unmined(&self, step: usize) {
        let anvil = &self.node(step).anvil;
        if step < 2 {
            anvil.set_automine(false).await.unwrap();
            self.start().await;
        } else {
            let mut before = self.node(1).proxy.hold("eth_sendRawTransaction", When::Before);
            self.start().await;
            before.wait_arrived().await.unwrap();
            anvil.set_automine(false).await.unwrap();
            before.release();
        }
    }

    /// What becomes of the moment after the death: the network does what it would have done. So much was sent before.
    async fn go_on(&self, step: usize, moment: Moment, held: Option<Held>, sent: usize) {
        match (moment, held) {
            (Moment::Waiting, _) => {
                let anvil = &self.node(step).anvil;
                anvil.set_automine(true).await.unwrap();
                anvil.mine().await.unwrap();
            }
            (Moment::Delayed, Some(held)) => {
                // The wallet does not wait for it: the next worker sends the same bytes.
                let proxy = &self.node(step).proxy;
                proxy.wait_count("eth_sendRawTransaction", sent + 1).await.unwrap();
                held.release();
            }
            (_, Some(held)) => held.drop_connection(),
            (_, None) => {}
        }
    }

    async fn kill(&self) {
        assert!(self.world.browser.kill_worker().await.unwrap(), "no worker was running");
    }

    /// Everything happened once.
    async fn check(&self, case: &str) {
        let result = self.world.result().await;
        assert_eq!(rows(&result), vec![("confirmed".to_owned(), String::new()); 3], "{case}: {result:?}");
        let (near, far) = (self.chains.ethereum.hashes().await, self.chains.arbitrum.hashes().await);
        assert_eq!((near.len(), far.len()), (2 * self.count, self.count), "{case}");
        let own = [&near[near.len() - 2], &far[far.len() - 1], &near[near.len() - 1]];
        assert_eq!(hashes(&result), own.map(|hash| json!(hash)), "{case}");
        let sent = [&self.chains.ethereum, &self.chains.arbitrum].map(|node| node.proxy.sent_raw().len());
        assert_eq!(sent, [2 * self.count, self.count], "{case}: one signature a step");
        self.world.prompts(0).await;
    }

    /// Nothing came afterwards, for any of the bundles.
    fn check_all(&self) {
        let all = self.agents.iter().skip(1).chain([&self.world.agent]);
        for (case, agent) in all.enumerate() {
            let results = agent.results();
            assert_eq!(results.iter().filter(|result| !result.repeat).count(), 1, "{case}: {results:?}");
            assert_eq!(agent.violations(), Vec::<String>::new(), "{case}");
        }
    }
}

/// T000-55, T000-2: the worker is killed in every moment of every step.
#[tokio::test]
async fn the_worker_dies_in_every_moment_of_every_step() {
    let mut bench = Bench::new().await;
    for moment in MOMENTS {
        for step in 0..3 {
            let case = format!("{moment:?} of step {step}");
            bench.propose().await;
            let held = bench.reach(step, moment).await;
            let sent = bench.node(step).proxy.count("eth_sendRawTransaction");
            bench.kill().await;
            bench.go_on(step, moment, held, sent).await;
            bench.check(&case).await;
            // What the node had taken before is found there and not sent again; what it had not is sent.
            let untaken = matches!(moment, Moment::Check | Moment::Lost | Moment::Delayed);
            let expected = usize::from(untaken) + usize::from(step == 0);
            assert_eq!(bench.node(step).proxy.count("eth_sendRawTransaction") - sent, expected, "{case}");
        }
    }
    bench.check_all();
}

/// T000-40, T000-17: the worker is killed while the approval is asked for, while the password is, when the last receipt is on
/// disk and the result is not, when the backend does not take the result, and when it has it and has not said so.
#[tokio::test]
async fn the_worker_dies_before_the_first_step_and_after_the_last() {
    let mut bench = Bench::new().await;
    bench.propose().await;
    bench.kill().await;
    bench.start().await;
    bench.check("approval").await;

    bench.propose().await;
    bench.world.approve().await;
    bench.world.password_asked().await;
    bench.kill().await;
    bench.world.give_password().await;
    bench.check("password").await;

    bench.propose().await;
    let mut held = bench.hold(2, "eth_getTransactionReceipt", When::After).await;
    held.wait_arrived().await.unwrap();
    bench.world.freeze_before("calls").await;
    held.release();
    until("three receipts on disk", PATIENCE, async || {
        let records = bench.world.popup.idb("countersign", "transmissions").await.ok()?;
        let confirmed =
            |record: &&serde_json::Value| record.to_string().contains(r#"\"status\":\"confirmed\""#);
        (records.iter().filter(confirmed).count() == 3 * bench.count).then_some(())
    })
    .await
    .unwrap();
    bench.kill().await;
    bench.check("result").await;

    bench.propose().await;
    bench.world.agent.set_fault(Fault::status(503).on_results());
    bench.start().await;
    bench.world.steps(&["confirmed"; 3]).await;
    until("the end", PATIENCE, async || (bench.world.bundle().await["state"] == "done").then_some(()))
        .await
        .unwrap();
    assert_eq!(bench.world.arrived(), 0);
    bench.kill().await;
    bench.world.agent.clear_faults();
    bench.check("delivery").await;

    bench.propose().await;
    bench.world.agent.set_fault(Fault::hold_results().times(1));
    bench.start().await;
    bench.world.agent.wait_for(|state| (state.held() > 0).then_some(()), PATIENCE).await.unwrap();
    bench.kill().await;
    bench.world.agent.clear_faults();
    bench.world.agent.release();
    bench.check("its receipt").await;
    bench.check_all();
}

/// T000-55, T000-42: the browser ends at every state of the second step, in good order or not. The password is asked
/// for again, and only if something is still to be signed.
#[tokio::test]
async fn the_browser_ends_at_every_state() {
    let mut bench = Bench::new().await;
    for (crash, moment) in [
        (true, Moment::Check),
        (false, Moment::Lost),
        (true, Moment::Taken),
        (true, Moment::Waiting),
        (false, Moment::Answered),
    ] {
        let case = format!("{moment:?}, crash: {crash}");
        bench.propose().await;
        let held = bench.reach(1, moment).await;
        bench.again(crash).await;
        bench.go_on(1, moment, held, 0).await;
        bench.world.give_password().await;
        bench.check(&case).await;
    }

    bench.propose().await;
    bench.again(true).await;
    bench.start().await;
    bench.check("approval").await;

    bench.propose().await;
    bench.world.approve().await;
    bench.world.password_asked().await;
    bench.again(false).await;
    bench.world.give_password().await;
    bench.check("password").await;

    // Everything is signed: nobody is asked for anything.
    bench.propose().await;
    let held = bench.reach(2, Moment::Waiting).await;
    bench.again(true).await;
    bench.go_on(2, Moment::Waiting, held, 0).await;
    bench.check("last step").await;
    bench.check_all();
}

impl Bench {
    /// Ends the browser and starts it again.
    async fn again(&mut self, crash: bool) {
        let browser = &mut self.world.browser;
        if crash {
            browser.crash().await.unwrap()
        } else {
            browser.restart().await.unwrap()
        }
        self.world.popup = self.world.browser.popup().await.unwrap();
    }
}
