//! A web page and the wallet: from a request to the prompt that the user sees, and to the answer of a read that is allowed
//! already. The peer is an extension that does nothing but echo: a content script and a worker with the same port between them.
//! And what the in-page script costs a page while it loads.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use webdriver::{Browser, Options, Page, Site, Wallet, WalletOptions, not_yet, until};

/// Times differ from call to call by more than the sides do.
const CALLS: u32 = 300;
const PROMPTS: usize = 9;
const LOADS: usize = 15;

const PAGE: &str = "<!doctype html><meta charset=utf-8><title>bench</title><p>A page.";

const ECHO_MANIFEST: &str = r#"{
    "manifest_version": 3, "name": "echo", "version": "1",
    "background": { "service_worker": "worker.js" },
    "host_permissions": ["http://127.0.0.1/*"],
    "content_scripts": [{ "matches": ["http://127.0.0.1/*"], "js": ["content.js"], "run_at": "document_start" }]
}"#;

const ECHO_CONTENT: &str = r#"
    let port;
    const open = () => {
        port = chrome.runtime.connect({ name: "echo" });
        port.onMessage.addListener((message) => window.postMessage({ target: "page", ...message }, location.origin));
        port.onDisconnect.addListener(() => { port = undefined; });
    };
    window.addEventListener("message", ({ source, data }) => {
        if (source !== window || data?.target !== "content") return;
        if (!port) open();
        port.postMessage({ id: data.id, method: data.method, params: data.params });
    });
"#;

/// Answers at once, or with what a node answers.
const ECHO_WORKER: &str = r#"
    const ask = async (url) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
        const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
        return (await response.json()).result;
    };
    chrome.runtime.onConnect.addListener((port) => port.onMessage.addListener(async ({ id, method, params }) =>
        port.postMessage({ id, result: method === "node" ? await ask(params[0]) : params })));
"#;

/// Milliseconds of each call, one after the other.
const OUR_CALLS: &str = r#"
    const [method, count] = args;
    const provider = await new Promise((resolve) => {
        addEventListener("eip6963:announceProvider", ({ detail }) => resolve(detail.provider), { once: true });
        dispatchEvent(new Event("eip6963:requestProvider"));
    });
    const times = [];
    for (let i = 0; i < count; i++) {
        const start = performance.now();
        const result = await provider.request({ method, params: [] });
        times.push(performance.now() - start);
        if (result === undefined || result.length === 0) throw new Error("nothing was answered");
    }
    return times;
"#;

const ECHO_CALLS: &str = r#"
    const [method, params, count] = args;
    const waiting = new Map();
    addEventListener("message", ({ data }) => {
        if (data?.target !== "page") return;
        waiting.get(data.id)?.(data.result);
        waiting.delete(data.id);
    });
    const times = [];
    for (let id = 0; id < count; id++) {
        const start = performance.now();
        const answer = new Promise((resolve) => waiting.set(id, resolve));
        postMessage({ target: "content", id, method, params }, location.origin);
        const result = await answer;
        times.push(performance.now() - start);
        if (result === undefined) throw new Error("nothing was echoed");
    }
    return times;
"#;

/// When the page asks, in milliseconds since 1970.
const ASK: &str = r#"
    const provider = await new Promise((resolve) => {
        addEventListener("eip6963:announceProvider", ({ detail }) => resolve(detail.provider), { once: true });
        dispatchEvent(new Event("eip6963:requestProvider"));
    });
    window.answered = undefined;
    const asked = performance.timeOrigin + performance.now();
    provider.request({ method: "personal_sign", params: args }).then(() => { window.answered = true; }, (error) => { window.answered = error.message; });
    return asked;
"#;

/// When the largest part of the prompt was painted, in milliseconds since 1970.
const PAINTED: &str = r#"
    if (!document.querySelector("[data-testid=prompt-approve]")) return null;
    const entries = await new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: "largest-contentful-paint", buffered: true });
        setTimeout(() => resolve([]), 1000);
    });
    const painted = entries.at(-1)?.startTime ?? performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    return painted === undefined ? null : performance.timeOrigin + painted;
"#;

/// All of it: the echo before and after ours, because the machine's speed changes from minute to minute.
pub(crate) async fn measure(extension: &Path) -> Result<Value> {
    eprintln!("requests of a page, and an echo");
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("index.html"), PAGE)?;
    let site = Site::serve(folder.path()).await?;
    let wallet = Wallet::start(WalletOptions::with(Options::new(extension))).await?;
    let node = wallet.node()?.url().to_owned();
    let before = echo(&site, &node).await?;
    let dapp = wallet.open_dapp(&site.url("index.html")).await?;
    let connected = dapp.begin("eth_requestAccounts", Value::Null).await?;
    wallet.approve().await?;
    connected.wait().await?;
    close_windows(&wallet).await?;
    let accounts = dapp.run(OUR_CALLS, vec!["eth_accounts".into(), CALLS.into()]).await?;
    let block = dapp.run(OUR_CALLS, vec!["eth_blockNumber".into(), CALLS.into()]).await?;
    let after = echo(&site, &node).await?;
    let prompts = prompts(&wallet, &dapp).await?;
    let load = load(&wallet, &site).await?;
    let name = "inpage.js";
    let bytes = std::fs::metadata(extension.join(name)).with_context(|| name.to_owned())?.len();
    Ok(json!({
        "accounts": accounts, "block": block, "echo": [before, after], "prompts": prompts,
        "load": load, "inpageBytes": bytes,
    }))
}

async fn echo(site: &Site, node: &str) -> Result<Value> {
    let folder: TempDir = tempfile::Builder::new().prefix("countersign-echo-").tempdir()?;
    for (name, content) in
        [("manifest.json", ECHO_MANIFEST), ("content.js", ECHO_CONTENT), ("worker.js", ECHO_WORKER)]
    {
        std::fs::write(folder.path().join(name), content)?;
    }
    let browser = Browser::launch(Options::new(folder.path())).await?;
    let page = browser.open(&site.url("index.html")).await?;
    let echoed = page.run(ECHO_CALLS, vec!["echo".into(), json!([]), CALLS.into()]).await?;
    let through = page.run(ECHO_CALLS, vec!["node".into(), json!([node]), CALLS.into()]).await?;
    Ok(json!({ "echo": echoed, "node": through }))
}

/// From the request to the painted prompt, each time in a new window.
async fn prompts(wallet: &Wallet, dapp: &Page) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for round in 0..PROMPTS {
        let message = format!("0x68656c6c6f{round:02x}");
        let asked = dapp.run(ASK, vec![message.into(), wallet.address().into()]).await?;
        let asked = asked.as_f64().context("no time")?;
        let window = wallet.prompt().await?;
        let painted = until("the prompt to be painted", webdriver::TIMEOUT, async || {
            window.run(PAINTED, vec![]).await?.as_f64().ok_or_else(|| not_yet("not painted"))
        })
        .await?;
        times.push(painted - asked);
        wallet.approve_in(&window).await?;
        until("the signature", webdriver::TIMEOUT, async || {
            match dapp.run("return window.answered ?? null", vec![]).await? {
                Value::Bool(true) => Ok(()),
                other => Err(not_yet(other)),
            }
        })
        .await?;
        close_windows(wallet).await?;
    }
    Ok(times)
}

/// A window that is open already would show the next prompt sooner.
async fn close_windows(wallet: &Wallet) -> Result<()> {
    for window in wallet.browser().approvals().await? {
        // It may close itself meanwhile.
        let _ = window.close().await;
    }
    Ok(())
}

/// Milliseconds of the main thread for our script in the page, at each load, from the browser's trace.
async fn load(wallet: &Wallet, site: &Site) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for _ in 0..LOADS {
        let mut devtools = wallet.browser().devtools().await?;
        let config = json!({ "includedCategories": ["devtools.timeline"] });
        let start = json!({ "transferMode": "ReportEvents", "traceConfig": config });
        devtools.call(None, "Tracing.start", start).await?;
        let page = wallet.open_dapp(&site.url("index.html")).await?;
        page.close().await?;
        devtools.call(None, "Tracing.end", json!({})).await?;
        let mut spent = 0.0;
        loop {
            let event = devtools.event().await?;
            match event.get("method").and_then(Value::as_str) {
                Some("Tracing.dataCollected") => spent += of_script(&event),
                Some("Tracing.tracingComplete") => break,
                _ => {}
            }
        }
        ensure!(spent > 0.0, "the trace does not name our script");
        times.push(spent);
    }
    Ok(times)
}

/// The milliseconds of the main thread for the in-page script: its evaluation, which contains its compilation. Not those in which
/// the thread waited for a core.
fn of_script(collected: &Value) -> f64 {
    let events = collected.pointer("/params/value").and_then(Value::as_array).into_iter().flatten();
    let is_ours = |event: &&Value| {
        let url = event.pointer("/args/data/url").and_then(Value::as_str).unwrap_or_default();
        event.get("name").is_some_and(|name| name == "EvaluateScript") && url.contains("/inpage")
    };
    events.filter(is_ours).filter_map(|event| event.get("tdur")?.as_f64()).sum::<f64>() / 1000.0
}
