//! Bundles of payments on a node that mines at once: the time of a step from the approval to the result, how it grows
//! with the number of steps, and the worker's memory.

use crate::cold_start;
use crate::shared::{PASSWORD, ask, make_vault};
use anyhow::{Context, Result, ensure};
use nodes::Anvil;
use nodes::evm::Unsigned;
use nodes::example::ETHER;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use webdriver::{Browser, Options, Page, Site};

/// The number of steps in the example of specification 000 §1.4, and the number of rounds.
const STEPS: usize = 3;
const ROUNDS: usize = 15;
/// viem runs before, between and after our bundles: the machine's speed changes from minute to minute.
const PEER_ROUNDS: usize = ROUNDS / 3;
/// Numbers of steps. Short bundles run several times; a long one is a mean of many steps by itself.
const GROWTH: [usize; 5] = [1, TEN, 50, 100, 200];
const TEN: usize = 10;
/// For one look at the worker's memory.
const SEARCH: Duration = Duration::from_secs(20);
const RECIPIENT: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
/// The publicly known key of one of anvil's accounts.
const ANVIL_KEY: &str = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/// Proposes a bundle, approves it, and waits for its result; timed from the approval.
const RUN: &str = r#"
    const send = (path, body) => fetch(path, { method: "POST", body: JSON.stringify(body) }).then((r) => r.json());
    let end;
    const done = send("/api/actions", { actions: [args[0]] }).then((answer) => { end = performance.now(); return answer; });
    let prompt;
    while (!prompt && end === undefined) {
        const { prompts } = await fetch("/api/prompts").then((r) => r.json());
        prompt = prompts[0];
    }
    if (!prompt) return [0, await done];
    const start = performance.now();
    await send(`/api/prompts/${prompt.id}`, { approve: true, digest: prompt.digest });
    const answer = await done;
    const { bundles } = await fetch("/api/bundles").then((r) => r.json());
    return [end - start, answer, bundles[0].progress.map((step) => step.transactions[0])];
"#;

/// Milliseconds for each step, of Countersign, of viem and of the node alone; by number of steps; and bytes of
/// memory.
pub(crate) async fn measure(extension: &Path, site: &Site) -> Result<Value> {
    eprintln!("bundles of {STEPS} steps, and viem");
    let anvil = Anvil::start(1).await?;
    let mut peer = Peer::default();
    peer.measure(site, &anvil).await?;
    let subject = Subject::start(extension, anvil).await?;
    let (mut ours, mut sending) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let ran = subject.run(STEPS).await?;
        if round > 0 {
            ours.push(ran.step);
            sending.push(ran.sending);
        }
    }
    peer.measure(site, &subject.anvil).await?;
    // A worker that has not run a bundle yet.
    subject.browser.kill_worker().await?;
    subject.run(1).await?;
    let after_one = subject.memory().await?;
    let (mut growth, mut all_steps) = (Vec::new(), 1);
    for steps in GROWTH {
        eprintln!("bundles of {steps} steps");
        let mut times = Vec::new();
        for _ in 0..(50 / steps).clamp(1, 10) {
            all_steps += steps;
            times.push(subject.run(steps).await?.step);
        }
        eprintln!("  {times:.1?} ms a step");
        growth.push(json!({"steps": steps, "times": times}));
        if steps == TEN {
            peer.measure(site, &subject.anvil).await?;
        }
    }
    let after_all = subject.memory().await?;
    Ok(json!({
        "ours": ours, "oursSending": sending, "peer": peer.payment, "peerSending": peer.sending,
        "node": peer.node, "growth": growth,
        "memory": {"steps": all_steps, "afterOne": after_one, "afterAll": after_all},
    }))
}

/// Milliseconds of a payment: with viem, until the node has it, and with the node alone.
#[derive(Default)]
struct Peer {
    payment: Vec<Value>,
    sending: Vec<Value>,
    node: Vec<Value>,
}

impl Peer {
    async fn measure(&mut self, site: &Site, anvil: &Anvil) -> Result<()> {
        let args = vec![anvil.url().into(), ANVIL_KEY.into(), STEPS.into(), PEER_ROUNDS.into()];
        let measured = super::call(site, ("send.html", "send"), "measureSending", args).await?;
        let lists =
            [("peer", &mut self.payment), ("peerSending", &mut self.sending), ("node", &mut self.node)];
        for (name, list) in lists {
            let times = measured.get(name).and_then(Value::as_array).context("viem gave no times")?;
            list.extend(times.iter().cloned());
        }
        Ok(())
    }
}

/// The time of a bundle, in milliseconds.
struct Ran {
    /// A step in total.
    step: f64,
    /// A step until a node has it, counted from the end of the previous one: without the wait for its receipt.
    sending: f64,
}

/// The extension with an unlocked vault, and an idle page.
struct Subject {
    anvil: Anvil,
    owner: String,
    page: Page,
    browser: Browser,
    _folder: tempfile::TempDir,
}

impl Subject {
    async fn start(extension: &Path, anvil: Anvil) -> Result<Self> {
        let folder = cold_start::copy(extension)?;
        let browser = Browser::launch(Options::new(folder.path())).await?;
        let page = browser.open(&browser.extension_url(cold_start::PAGE)).await?;
        page.controlled().await?;
        let vault = make_vault(&page, "Bench").await?;
        anvil.set_balance(&vault.address, 1_000 * ETHER).await?;
        let settings = json!({"endpoints": {"Ethereum": {"url": anvil.url()}}, "password": PASSWORD});
        ask(&page, "PATCH", "/api/settings", settings).await?;
        let open = json!({"password": PASSWORD, "minutes": 60});
        ask(&page, "POST", &format!("/api/vaults/{}/unlock", vault.id), open).await?;
        Ok(Self { anvil, owner: vault.address, page, browser, _folder: folder })
    }

    /// Runs a bundle of this many steps.
    async fn run(&self, steps: usize) -> Result<Ran> {
        let first = self.anvil.nonce(&self.owner).await?;
        let payments = (0..steps).map(|index| payment(index, first)).collect::<Result<Vec<_>>>()?;
        let action = json!({"id": format!("bench-{first}-{steps}"), "type": "sign_transaction_bundle",
            "params": {"transactions": payments}});
        let answer = self.page.run(RUN, vec![action]).await?;
        let success = answer.pointer("/1/results/0/success");
        ensure!(success == Some(&json!(true)), "a bundle of {steps} steps: {answer}");
        let mined = self.anvil.nonce(&self.owner).await? - first;
        ensure!(usize::try_from(mined)? == steps, "{mined} of {steps} payments are on the chain");
        let time = answer.get(0).and_then(Value::as_f64).context("the page gave no time")?;
        let progress = answer.get(2).and_then(Value::as_array).context("the page gave no progress")?;
        let at = |step: &Value, name: &str| step.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let sent = progress.iter().zip(progress.iter().skip(1));
        let sending: f64 = sent.map(|(before, step)| at(step, "sentAt") - at(before, "settledAt")).sum();
        Ok(Ran { step: time / steps as f64, sending: sending / (steps as f64 - 1.0) })
    }

    /// The same, or nothing where the browser does not say: it sometimes leaves the search for the modules' memories open.
    async fn memory(&self) -> Result<Value> {
        match tokio::time::timeout(SEARCH, self.measured_memory()).await {
            Ok(measured) => measured,
            Err(_) => Ok(Value::Null),
        }
    }

    /// Bytes of the modules' memory, and of the worker's JavaScript heap after a garbage collection.
    async fn measured_memory(&self) -> Result<Value> {
        ask(&self.page, "GET", "/api/health", Value::Null).await?;
        let mut devtools = self.browser.devtools().await?;
        let targets = devtools.targets().await?;
        let worker =
            targets.iter().find(|target| target.kind == "service_worker").context("no worker runs")?;
        let session = devtools.attach(worker).await?;
        let mut call =
            async |method: &str, params: Value| devtools.call(Some(&session), method, params).await;
        call("HeapProfiler.collectGarbage", json!({})).await?;
        let heap = call("Runtime.getHeapUsage", json!({})).await?;
        let kind = call("Runtime.evaluate", json!({"expression": "WebAssembly.Memory.prototype"})).await?;
        let kind = json!({"prototypeObjectId": kind.pointer("/result/objectId")});
        let memories = call("Runtime.queryObjects", kind).await?;
        let sum = json!({"objectId": memories.pointer("/objects/objectId"), "returnByValue": true,
            "functionDeclaration": "function () { return this.reduce((sum, one) => sum + one.buffer.byteLength, 0) }"});
        let wasm = call("Runtime.callFunctionOn", sum).await?;
        devtools.detach(&session).await?;
        Ok(json!({"wasm": wasm.pointer("/result/value"), "heap": heap.get("usedSize")}))
    }
}

fn payment(index: usize, first: u64) -> Result<Value> {
    let nonce = first + u64::try_from(index)?;
    let payment =
        Unsigned { chain_id: 1, nonce, gas: 21_000, to: Some(RECIPIENT), value: 1_000_000, data: "" };
    Ok(json!({
        "id": format!("step-{index}"), "sequence": index, "chain": "Ethereum", "action": "Pay",
        "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": payment.hex()?,
        "chain_context": {"chain_id": "0x1", "derive_path": "m/44'/60'/0'/0/0", "tx_type": "eip1559"},
        "wait_for_receipt": true,
    }))
}
