//! From a killed worker to its first answer, compared with an empty JavaScript worker.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use webdriver::{Browser, Options, Page};

const WARM_UP: usize = 5;
const ROUNDS: usize = 30;

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
    const body = JSON.stringify({ actions: [{ id: args[0], type: "get_address_book" }] });
    const start = performance.now();
    const response = await fetch("/api/actions", { method: "POST", body });
    const answer = await response.json();
    return [performance.now() - start, response.status, answer];
"#;

/// Milliseconds of every round, of Countersign and of the empty worker, measured in turns.
pub(crate) async fn measure(extension: &Path) -> Result<Value> {
    eprintln!("cold start, {} rounds", WARM_UP + ROUNDS);
    let (ours, empty) = (copy(extension)?, empty_extension()?);
    let (ours, empty) = (Subject::start(ours).await?, Subject::start(empty).await?);
    let (mut our_times, mut empty_times) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + ROUNDS {
        let (time, answer) = ours.first_answer(round).await?;
        let success = answer.pointer("/results/0/success");
        ensure!(success == Some(&Value::Bool(true)), "the core answered {answer}");
        let (empty_time, _) = empty.first_answer(round).await?;
        if round >= WARM_UP {
            our_times.push(time);
            empty_times.push(empty_time);
        }
    }
    Ok(json!({ "ours": our_times, "peer": empty_times }))
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
    async fn first_answer(&self, round: usize) -> Result<(f64, Value)> {
        self.browser.kill_worker().await?;
        ensure!(!self.browser.worker_is_running().await?, "something else starts the worker");
        let answer = self.page.run(FIRST_ANSWER, vec![format!("cold-{round}").into()]).await?;
        let time = answer.get(0).and_then(Value::as_f64).context("the page gave no time")?;
        ensure!(answer.get(1) == Some(&json!(200)), "the worker answered {answer}");
        Ok((time, answer.get(2).cloned().unwrap_or_default()))
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
    let kept = kept.filter(|(name, _)| !["icons", "action", "side_panel"].contains(&name.as_str()));
    let manifest: Value = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
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
