//! The worker and the browser are killed at every state of a bundle and during every effect. In every case each
//! transaction is on its chain once, one signed transaction for each step left the wallet, and the agent has one
//! successful result.

use crate::world::bundle::{bundle_of, proposing, transfer};
use crate::world::chains::{Chains, Node};
use crate::world::run::{hashes, rows};
use crate::world::vault::phrase;
use crate::world::{PATIENCE, World};
use agent_backend::{Agent, Fault};
use nodes::When;
use nodes::proxy::Held;
use serde_json::json;
use std::time::Duration;
use webdriver::until;

/// The effect during which a step is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// The node is asked whether the step can be signed.
    Check,
    /// Signed; the node never gets it.
    Lost,
    /// Signed; the node gets it after the kill.
    Delayed,
    /// The node accepted it; its answer did not arrive.
    Taken,
    /// The node has it in the mempool and mines no block.
    Waiting,
    /// The node is asked for the receipt.
    Asked,
    /// The node answered with the receipt; the answer did not arrive.
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
struct Fixture {
    chains: Chains,
    world: World,
    /// Number of bundles.
    count: usize,
    /// The agents that proposed them.
    agents: Vec<Agent>,
}

impl Fixture {
    async fn new() -> Self {
        let chains = Chains::start().await;
        let world = World::scripted(proposing([])).await;
        world.import_vault(&phrase("12 words")).await;
        world.use_nodes(chains.endpoints()).await;
        Self { chains, world, count: 0, agents: Vec::new() }
    }

    /// The node of a step.
    fn node(&self, step: usize) -> &Node {
        if step == 1 { &self.chains.arbitrum } else { &self.chains.ethereum }
    }

    /// Three payments: on Ethereum, on Arbitrum, on Ethereum. The approval prompt is open afterwards.
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

    /// Starts the bundle and holds the first request with this method that is about a step.
    async fn hold(&self, step: usize, name: &str, when: When) -> Held {
        if step < 2 {
            let held = self.node(step).proxy.hold(name, when);
            self.start().await;
            return held;
        }
        // The last step uses the first one's node: its requests come after those to the other node.
        let mut before = self.node(1).proxy.hold("eth_sendRawTransaction", When::Before);
        self.start().await;
        before.wait_arrived().await.unwrap();
        let held = self.node(step).proxy.hold(name, when);
        before.release();
        held
    }

    /// Brings a step to a moment. Returns what holds it there.
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

    /// Starts the bundle on a chain that mines no block with the step.
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

    /// Continues after the kill as the network would. `sent` requests were sent before.
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

    /// Checks that everything happened once.
    async fn check(&self, case: &str) {
        let result = self.world.result().await;
        assert_eq!(rows(&result), vec![("confirmed".to_owned(), String::new()); 3], "{case}: {result:?}");
        let (near, far) = (self.chains.ethereum.hashes().await, self.chains.arbitrum.hashes().await);
        assert_eq!((near.len(), far.len()), (2 * self.count, self.count), "{case}");
        let own = [&near[near.len() - 2], &far[far.len() - 1], &near[near.len() - 1]];
        assert_eq!(hashes(&result), own.map(|hash| json!(hash)), "{case}");
        let sent = [&self.chains.ethereum, &self.chains.arbitrum].map(|node| node.proxy.sent_raw().len());
        assert_eq!(sent, [2 * self.count, self.count], "{case}: one signature for each step");
        self.world.prompts(0).await;
    }

    /// Checks that nothing was added later, for all bundles.
    fn check_all(&self) {
        let all = self.agents.iter().skip(1).chain([&self.world.agent]);
        for (case, agent) in all.enumerate() {
            let results = agent.results();
            assert_eq!(results.iter().filter(|result| !result.repeat).count(), 1, "{case}: {results:?}");
            assert_eq!(agent.violations(), Vec::<String>::new(), "{case}");
        }
    }
}

/// T000-55, T000-2: the worker is killed at every moment of every step.
#[tokio::test]
async fn worker_killed_at_every_moment_of_every_step() {
    let mut fixture = Fixture::new().await;
    for moment in MOMENTS {
        for step in 0..3 {
            let case = format!("{moment:?} of step {step}");
            fixture.propose().await;
            let held = fixture.reach(step, moment).await;
            let sent = fixture.node(step).proxy.count("eth_sendRawTransaction");
            fixture.kill().await;
            fixture.go_on(step, moment, held, sent).await;
            fixture.check(&case).await;
            // A transaction that the node already has is found there and not sent again; otherwise it is sent.
            let untaken = matches!(moment, Moment::Check | Moment::Lost | Moment::Delayed);
            let expected = usize::from(untaken) + usize::from(step == 0);
            assert_eq!(fixture.node(step).proxy.count("eth_sendRawTransaction") - sent, expected, "{case}");
        }
    }
    fixture.check_all();
}

/// T000-40, T000-17: the worker is killed during the approval prompt, during the password prompt, between the last
/// receipt and the stored result, while the backend refuses the result, and between the result's arrival and its
/// acknowledgement.
#[tokio::test]
async fn worker_killed_before_the_first_step_and_after_the_last() {
    let mut fixture = Fixture::new().await;
    fixture.propose().await;
    fixture.kill().await;
    fixture.start().await;
    fixture.check("approval").await;

    fixture.propose().await;
    fixture.world.approve().await;
    fixture.world.wait_for_password_prompt().await;
    fixture.kill().await;
    fixture.world.give_password().await;
    fixture.check("password").await;

    fixture.propose().await;
    let mut held = fixture.hold(2, "eth_getTransactionReceipt", When::After).await;
    held.wait_arrived().await.unwrap();
    fixture.world.freeze_before("calls").await;
    held.release();
    // The receipt and the result are one commit, which waits for the frozen table; a kill a moment too early is only
    // the case before.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let records = fixture.world.popup.idb("countersign", "transmissions").await.unwrap();
    let confirmed = |record: &&serde_json::Value| record.to_string().contains(r#"\"status\":\"confirmed\""#);
    assert_eq!(records.iter().filter(confirmed).count(), 3 * fixture.count - 1, "{records:?}");
    fixture.kill().await;
    fixture.check("result").await;

    fixture.propose().await;
    fixture.world.agent.set_fault(Fault::status(503).on_results());
    fixture.start().await;
    fixture.world.steps(&["confirmed"; 3]).await;
    until("the end", PATIENCE, async || (fixture.world.bundle().await["state"] == "done").then_some(()))
        .await
        .unwrap();
    assert_eq!(fixture.world.arrived(), 0);
    fixture.kill().await;
    fixture.world.agent.clear_faults();
    fixture.check("delivery").await;

    fixture.propose().await;
    fixture.world.agent.set_fault(Fault::hold_results().times(1));
    fixture.start().await;
    fixture.world.agent.wait_for(|state| (state.held() > 0).then_some(()), PATIENCE).await.unwrap();
    fixture.kill().await;
    fixture.world.agent.clear_faults();
    fixture.world.agent.release();
    fixture.check("its receipt").await;
    fixture.check_all();
}

/// T000-55, T000-42: the browser is closed or killed at every state of the second step. The password is prompted for
/// again only if something is still to be signed.
#[tokio::test]
async fn browser_ended_at_every_state() {
    let mut fixture = Fixture::new().await;
    for (crash, moment) in [
        (true, Moment::Check),
        (false, Moment::Lost),
        (true, Moment::Taken),
        (true, Moment::Waiting),
        (false, Moment::Answered),
    ] {
        let case = format!("{moment:?}, crash: {crash}");
        fixture.propose().await;
        let held = fixture.reach(1, moment).await;
        fixture.restart_browser(crash).await;
        fixture.go_on(1, moment, held, 0).await;
        fixture.world.give_password().await;
        fixture.check(&case).await;
    }

    fixture.propose().await;
    fixture.restart_browser(true).await;
    fixture.start().await;
    fixture.check("approval").await;

    fixture.propose().await;
    fixture.world.approve().await;
    fixture.world.wait_for_password_prompt().await;
    fixture.restart_browser(false).await;
    fixture.world.give_password().await;
    fixture.check("password").await;

    // Everything is signed: no prompt opens.
    fixture.propose().await;
    let held = fixture.reach(2, Moment::Waiting).await;
    fixture.restart_browser(true).await;
    fixture.go_on(2, Moment::Waiting, held, 0).await;
    fixture.check("last step").await;
    fixture.check_all();
}

impl Fixture {
    /// Ends the browser and starts it again.
    async fn restart_browser(&mut self, crash: bool) {
        let browser = &mut self.world.browser;
        if crash {
            browser.crash().await.unwrap()
        } else {
            browser.restart().await.unwrap()
        }
        self.world.popup = self.world.browser.popup().await.unwrap();
    }
}
