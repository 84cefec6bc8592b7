//! The measurement of `cargo xtask soak`: bundles of three steps on two chains, one after the other, while the worker
//! is killed at random moments and the browser is restarted regularly. At the end the chains, their proxies and the
//! agent are checked: every step once, with one signature, and one result for each bundle.

mod count;
mod rng;
#[path = "../shared/mod.rs"]
mod shared;

use agent_backend::{Agent, Options as AgentOptions, ReceivedResult, Script, State, Turn};
use anyhow::{Context, Result, bail};
use nodes::When;
use nodes::evm::Unsigned;
use nodes::proxy::Held;
use rng::Rng;
use serde_json::{Value, json};
use shared::{Chains, NewVault, PASSWORD, ask, make_vault};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use webdriver::{Browser, Options, Popup};

/// The browser is restarted in the middle of every bundle with this interval, or of the middle one if there are
/// fewer.
const RESTART_EVERY: usize = 200;
/// A bundle that takes longer than this is lost.
const PATIENCE: Duration = Duration::from_secs(240);
/// A bundle takes about a second; it is killed at most twice, within this many milliseconds.
const KILLED_WITHIN: u64 = 1_200;
const RECIPIENT: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
/// A line of progress after this many bundles.
const REPORT_EVERY: usize = 25;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let (bundles, seed) = arguments()?;
    println!("{bundles} bundles of three steps; to do the same again: --bundles {bundles} --seed {seed}");
    let mut soak = Soak::start(bundles, seed).await?;
    let begun = Instant::now();
    for number in 0..bundles {
        soak.bundle(number).await.with_context(|| format!("in bundle {number} of seed {seed}"))?;
        if (number + 1) % REPORT_EVERY == 0 {
            let Soak { kills, restarts, .. } = soak;
            println!("  {} bundles, {kills} kills, {restarts} restarts, {:.0?}", number + 1, begun.elapsed());
        }
    }
    let took = begun.elapsed();
    let counted = count::count(&soak.chains, &soak.agent, &soak.vault.address, bundles).await?;
    println!("\n{counted}");
    println!(
        "kills     {}, {} of them while a transaction was being sent",
        soak.kills, soak.kills_in_sending
    );
    println!("restarts  {}", soak.restarts);
    println!("time      {took:.0?}, {:.1?} a bundle", took / u32::try_from(bundles)?);
    counted.verdict()
}

/// `--bundles N` and `--seed S`.
fn arguments() -> Result<(usize, u64)> {
    let (mut bundles, mut seed) = (1_000, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{word} needs a number"))?;
        match word.as_str() {
            "--bundles" => bundles = value.parse().context("--bundles needs a number")?,
            "--seed" => seed = Some(value.parse().context("--seed needs a number")?),
            _ => bail!("soak knows `--bundles N` and `--seed S`, not `{word}`"),
        }
    }
    Ok((bundles.max(1), seed.unwrap_or_else(rng::fresh_seed)))
}

struct Soak {
    chains: Chains,
    agent: Agent,
    vault: NewVault,
    browser: Browser,
    popup: Popup,
    rng: Rng,
    /// The browser is restarted in the middle of every bundle with this interval.
    restart_every: usize,
    kills: usize,
    /// Kills while a transaction was being sent.
    kills_in_sending: usize,
    restarts: usize,
}

impl Soak {
    async fn start(bundles: usize, seed: u64) -> Result<Self> {
        let browser = Browser::launch(Options::from_env()?).await?;
        let popup = browser.popup().await?;
        let chains = Chains::start().await?;
        let vault = make_vault(&popup, "Soak").await?;
        for node in chains.both() {
            node.fund(&vault.address, 1_000_000).await?;
        }
        let agent = Agent::start(script(bundles)?, AgentOptions::default()).await?;
        chains.connect(&popup, &agent.url()).await?;
        Ok(Self {
            chains,
            agent,
            vault,
            browser,
            popup,
            rng: Rng::new(seed),
            restart_every: RESTART_EVERY.min(bundles.div_ceil(2)),
            kills: 0,
            kills_in_sending: 0,
            restarts: 0,
        })
    }

    /// Proposes a bundle, answers its prompts and disturbs it, until the agent has its result.
    async fn bundle(&mut self, number: usize) -> Result<()> {
        let begun = Instant::now();
        let mut kills: Vec<Duration> = (0..self.rng.below(3)).map(|_| self.moment()).collect();
        let mut restart = (number % self.restart_every == self.restart_every / 2).then(|| self.moment() / 3);
        let mut held = self.hold();
        let conversation = ask(&self.popup, "POST", "/api/conversations", json!({})).await?;
        let id = conversation.get("id").and_then(Value::as_str).context("a conversation without an id")?;
        let path = format!("/api/conversations/{id}/messages");
        ask(&self.popup, "POST", &path, json!({"content": message(number)})).await?;
        loop {
            let came = |state: &State| {
                let of_this = |result: &&ReceivedResult| result.action_id == action_id(number);
                state.results().iter().rev().find(of_this).cloned()
            };
            let pause = Duration::from_millis(self.rng.below(25));
            if self.agent.wait_for(came, pause).await.is_ok() {
                return Ok(());
            }
            let passed = begun.elapsed();
            if restart.take_if(|moment| *moment <= passed).is_some() {
                self.browser.restart().await?;
                self.popup = self.browser.popup().await?;
                self.restarts += 1;
            }
            let before = kills.len();
            kills.retain(|moment| *moment > passed);
            let sending = arrived(&mut held).await;
            if (kills.len() < before || sending.is_some()) && self.kill().await? {
                self.kills += 1;
                self.kills_in_sending += usize::from(sending.is_some());
                // A request in transit reaches the node, or not, after its sender was killed.
                if let Some(request) = sending
                    && self.rng.below(2) == 0
                {
                    request.drop_connection();
                }
                continue;
            }
            if passed > PATIENCE {
                let bundles = ask(&self.popup, "GET", "/api/bundles", Value::Null).await?;
                let last = bundles.pointer("/bundles/0").cloned().unwrap_or_default();
                bail!("no result after {PATIENCE:?}; the wallet says {last:#}");
            }
            self.answer().await?;
        }
    }

    /// Kills the worker. Returns whether it is gone: one that hashes a password on a loaded machine cannot be stopped
    /// in time.
    async fn kill(&self) -> Result<bool> {
        match self.browser.kill_worker().await {
            Err(webdriver::Error::Timeout { .. }) => Ok(false),
            killed => Ok(killed?),
        }
    }

    /// In a third of the bundles the worker is killed while a transaction is in transit: before the node has it, or
    /// after.
    fn hold(&mut self) -> Option<Held> {
        let when = if self.rng.below(2) == 0 { When::Before } else { When::After };
        let node = if self.rng.below(2) == 0 { &self.chains.ethereum } else { &self.chains.arbitrum };
        (self.rng.below(3) == 0).then(|| node.proxy.hold("eth_sendRawTransaction", when))
    }

    fn moment(&mut self) -> Duration {
        Duration::from_millis(self.rng.below(KILLED_WITHIN))
    }

    /// Approves every open prompt. A prompt that ended meanwhile is skipped.
    async fn answer(&self) -> Result<()> {
        let prompts = ask(&self.popup, "GET", "/api/prompts", Value::Null).await?;
        for prompt in prompts.get("prompts").and_then(Value::as_array).into_iter().flatten() {
            let answer = match prompt.get("kind").and_then(Value::as_str) {
                Some("password_required") => {
                    json!({"approve": true, "password": PASSWORD, "keepUnlocked": true})
                }
                _ => json!({"approve": true}),
            };
            let (status, body) = self.popup.answer_prompt(prompt, answer).await?;
            if ![200, 404, 409, 410].contains(&status) {
                bail!("an answer was refused: {status} {body}");
            }
        }
        Ok(())
    }
}

/// The held request, once it has arrived.
async fn arrived(held: &mut Option<Held>) -> Option<Held> {
    let waits = held.as_mut()?.wait_arrived();
    match tokio::time::timeout(Duration::from_millis(1), waits).await {
        Ok(Ok(_)) => held.take(),
        _ => None,
    }
}

/// The message that asks for the bundle; no number is a part of another.
fn message(number: usize) -> String {
    format!("bundle {number:06}")
}

fn action_id(number: usize) -> String {
    format!("soak-{number:06}")
}

/// A turn for every bundle. The nonces of all transactions are known before the first is sent: two for each bundle on
/// Ethereum, one on Arbitrum.
fn script(bundles: usize) -> Result<Script> {
    let turn = |number: usize| -> Result<Turn> {
        let first = u64::try_from(number)?;
        let steps = [step(0, 1, 2 * first)?, step(1, 42_161, first)?, step(2, 1, 2 * first + 1)?];
        let action = json!({"id": action_id(number), "type": "sign_transaction_bundle", "title": message(number),
            "params": {"transactions": steps, "bundle_label": message(number)}});
        let turn = json!({"when": {"message": message(number)}, "text": "Three steps.", "actions": [action]});
        serde_json::from_value(turn).context("a turn of the soak")
    };
    let turns = (0..bundles).map(turn).collect::<Result<_>>()?;
    Ok(Script { name: "Soak".to_owned(), turns })
}

/// A small payment.
fn step(sequence: u32, chain_id: u64, nonce: u64) -> Result<Value> {
    let bytes =
        Unsigned { chain_id, nonce, gas: 21_000, to: Some(RECIPIENT), value: 1_000_000, data: "" }.hex()?;
    Ok(json!({
        "id": format!("step-{sequence}"),
        "sequence": sequence,
        "chain": if chain_id == 1 { "Ethereum" } else { "Arbitrum" },
        "action": "Pay",
        "signing_mode": "ecdsa_secp256k1",
        "unsigned_tx_hex": bytes,
        "chain_context": {"chain_id": format!("{chain_id:#x}"), "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559"},
        "wait_for_receipt": true,
    }))
}
