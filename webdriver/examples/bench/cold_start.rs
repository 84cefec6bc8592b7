//! From a killed worker to its first answer, compared with an empty JavaScript worker.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use webdriver::{Browser, Options, Page};

const WARM_UP: usize = 5;
const ROUNDS: usize = 30;
/// How long a worker is left to itself after its first answer.
const SETTLE: Duration = Duration::from_millis(300);

/// A page of the extension that sends nothing: the popup would start the worker by itself.
pub(crate) const PAGE: &str = "bench.html";

/// Answers requests and does nothing else.
const EMPTY_WORKER: &str = r#"
    self.addEventListener("install", () => self.skipWaiting());
    self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
    self.addEventListener("fetch", (event) => {
        if (new URL(event.request.url).pathname.startsWith("/api/")) event.respondWith(new Response("{}"));
    });
"#;

/// Timed in the page, over everything that its user waits for.
const FIRST_ANSWER: &str = r#"
    const [method, target, body] = args;
    const start = performance.now();
    const response = await fetch(target, body === null ? { method } : { method, body });
    const answer = await response.json();
    return [performance.now() - start, response.status, answer];
"#;

/// A few years of use: contacts, calls, events and log entries, written past the worker.
const FILL: &str = r#"
    const open = indexedDB.open("countersign");
    const database = await new Promise((resolve, reject) => {
        open.onsuccess = () => resolve(open.result);
        open.onerror = () => reject(open.error);
    });
    const tables = ["contacts", "calls", "events", "audit", "counters"];
    const transaction = database.transaction(tables, "readwrite", { durability: "relaxed" });
    const [contacts, calls, events, audit, counters] = tables.map((table) => transaction.objectStore(table));
    const number = (n) => String(n).padStart(16, "0");
    const text = JSON.stringify;
    for (let n = 1; n <= 10_000; n++) {
        const id = `018f0000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
        const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
        const title = `Contact ${(n * 7919) % 10_000}`;
        contacts.put(text({ id, title, address, chain: "Ethereum", addedBy: "user" }), id);
        const result = { action: "get_address_book", action_id: id, success: true };
        calls.put(text({ id, actionId: id, type: "get_address_book", title, result }), id);
        events.put(text({ event: "vaultModified", data: {} }), number(n));
    }
    for (let n = 1; n <= 100_000; n++) {
        const entry = { number: n, at: n, kind: "change", what: "settings_changed", subject: null };
        audit.put(text({ ...entry, previous: "0".repeat(64), hash: "0".repeat(64) }), number(n));
    }
    counters.put("10000", "events");
    await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
    });
    database.close();
"#;

/// What a page of contacts asks for.
const READ: (&str, &str) = ("GET", "/api/contacts?limit=100");

/// Milliseconds of every round, taken in turns: a first read (`ours`), the same with a large database (`grown`), a
/// first call (`call`), and any request to the empty worker (`peer`).
pub(crate) async fn measure(extension: &Path) -> Result<Value> {
    eprintln!("cold start, {} rounds", WARM_UP + ROUNDS);
    let ours = Subject::start(copy(extension)?).await?;
    let grown = Subject::start(copy(extension)?).await?;
    let empty = Subject::start(empty_extension()?).await?;
    grown.fill().await?;
    let (mut our_times, mut grown_times, mut call_times, mut empty_times) = (vec![], vec![], vec![], vec![]);
    for round in 0..WARM_UP + ROUNDS {
        let (time, answer) = ours.first_answer(READ, None).await?;
        ensure!(answer.get("total") == Some(&json!(0)), "the worker answered {answer}");
        let (grown_time, answer) = grown.first_answer(READ, None).await?;
        ensure!(answer.get("total") == Some(&json!(10_000)), "the worker answered {answer}");
        let call = json!({ "actions": [{ "id": format!("cold-{round}"), "type": "get_address_book" }] });
        let (call_time, answer) = ours.first_answer(("POST", "/api/actions"), Some(call)).await?;
        let success = answer.pointer("/results/0/success");
        ensure!(success == Some(&Value::Bool(true)), "the core answered {answer}");
        let (empty_time, _) = empty.first_answer(READ, None).await?;
        if round >= WARM_UP {
            our_times.push(time);
            grown_times.push(grown_time);
            call_times.push(call_time);
            empty_times.push(empty_time);
        }
    }
    Ok(json!({ "ours": our_times, "grown": grown_times, "call": call_times, "peer": empty_times }))
}

/// An extension in its own browser, with one of its pages open.
struct Subject {
    page: Page,
    browser: Browser,
    _folder: TempDir,
}

impl Subject {
    async fn start(folder: TempDir) -> Result<Self> {
        let browser = Browser::launch(Options::new(folder.path())).await?;
        let page = browser.open(&browser.extension_url(PAGE)).await?;
        page.controlled().await?;
        Ok(Self { page, browser, _folder: folder })
    }

    /// Kills the worker, sends a request, and waits for the answer.
    async fn first_answer(
        &self,
        (method, target): (&str, &str),
        body: Option<Value>,
    ) -> Result<(f64, Value)> {
        self.browser.kill_worker().await?;
        ensure!(!self.browser.worker_is_running().await?, "something else starts the worker");
        let body = body.map(|body| body.to_string());
        let answer = self.page.run(FIRST_ANSWER, vec![method.into(), target.into(), json!(body)]).await?;
        let time = answer.get(0).and_then(Value::as_f64).context("the page gave no time")?;
        ensure!(answer.get(1) == Some(&json!(200)), "the worker answered {answer}");
        // What the core does after it is not part of the next start.
        tokio::time::sleep(SETTLE).await;
        Ok((time, answer.get(2).cloned().unwrap_or_default()))
    }

    /// Fills the database, and lets a start make of it what it keeps beside.
    async fn fill(&self) -> Result<()> {
        self.page.fetch("GET", "/api/health", None).await?;
        self.browser.kill_worker().await?;
        self.page.run(FILL, Vec::new()).await?;
        self.page.fetch("GET", "/api/health", None).await?;
        tokio::time::sleep(Duration::from_secs(5)).await;
        Ok(())
    }
}

/// The built extension with an idle page added.
pub(crate) fn copy(extension: &Path) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("countersign-bench-").tempdir()?;
    copy_files(extension, folder.path())
        .with_context(|| format!("could not copy {}; `cargo xtask build` makes it", extension.display()))?;
    std::fs::write(folder.path().join(PAGE), "<!doctype html>")?;
    Ok(folder)
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            std::fs::create_dir(&target)?;
            copy_files(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Our manifest without the entries that need files.
pub(crate) fn empty_extension() -> Result<TempDir> {
    let manifest: Value = serde_json::from_str(include_str!("../../../manifest.json"))?;
    let kept = manifest.as_object().context("the manifest is an object")?.iter();
    let with_files = ["icons", "action", "side_panel", "default_locale", "name", "description"];
    let kept = kept.filter(|(name, _)| !with_files.contains(&name.as_str()));
    let kept = kept.map(|(name, value)| (name.clone(), value.clone()));
    let manifest: Value = kept.chain([("name".to_owned(), json!("empty"))]).collect();
    let folder = tempfile::Builder::new().prefix("countersign-empty-").tempdir()?;
    let files = [
        ("manifest.json", manifest.to_string().as_str()),
        ("worker.js", EMPTY_WORKER),
        (PAGE, "<!doctype html>"),
    ]
    .map(|(name, content)| (folder.path().join(name), content.to_owned()));
    for (path, content) in files {
        std::fs::write(path, content)?;
    }
    Ok(folder)
}
