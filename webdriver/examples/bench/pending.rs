//! Many calls whose results come from outside: how long one takes when there are a thousand, how long they take to expire, and
//! how long a page that opens late waits for all that happened before.

use crate::cold_start;
use crate::shared::ask;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use webdriver::{Browser, Options, Page};

const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af102";
const CALLS: u32 = 1_000;
/// Longer than it takes to make the calls.
const EXPIRES_IN: Duration = Duration::from_secs(120);
/// So often a page is opened.
const PAGES: usize = 7;

/// Reads the stream of events from its beginning to the event that was last when the page was opened.
const READ_EVENTS: &str = r#"
    const [last] = args;
    const start = performance.now();
    const response = await fetch("/api/events?after=0");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "", bytes = 0, events = 0, first;
    for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream ended");
        first ??= performance.now() - start;
        bytes += value.length;
        text += value;
        let end;
        while ((end = text.indexOf("\n\n")) >= 0) {
            const id = Number(/^id: ?(\d+)$/m.exec(text.slice(0, end))?.[1]);
            text = text.slice(end + 2);
            if (Number.isNaN(id)) continue;
            events++;
            if (id >= last) {
                await reader.cancel();
                return { first, all: performance.now() - start, events, bytes };
            }
        }
    }
"#;

/// Reads the list of pending calls.
const LIST: &str = r#"
    const start = performance.now();
    const { pendingCalls } = await (await fetch("/api/pending-calls")).json();
    if (pendingCalls.length === 0) throw new Error("no calls are pending");
    return performance.now() - start;
"#;

/// The number of the newest event.
const LAST_EVENT: &str = r#"
    const open = indexedDB.open("countersign");
    const database = await new Promise((resolve, reject) => {
        open.onsuccess = () => resolve(open.result);
        open.onerror = () => reject(open.error);
    });
    const cursor = database.transaction("events").objectStore("events").openKeyCursor(null, "prev");
    const key = await new Promise((resolve, reject) => {
        cursor.onsuccess = () => resolve(cursor.result?.key);
        cursor.onerror = () => reject(cursor.error);
    });
    database.close();
    return Number(key);
"#;

/// Waits until no call is pending; the first request starts the worker.
const EXPIRE: &str = r#"
    const start = performance.now();
    let most = 0;
    for (;;) {
        const response = await fetch("/api/pending-calls");
        const { pendingCalls } = await response.json();
        most = Math.max(most, pendingCalls.length);
        if (pendingCalls.length === 0) return { time: performance.now() - start, most };
        if (performance.now() - start > 120_000) throw new Error(`${pendingCalls.length} calls do not expire`);
        await new Promise((done) => setTimeout(done, 20));
    }
"#;

/// All of it.
pub(crate) async fn measure(extension: &Path) -> Result<Value> {
    eprintln!("{CALLS} pending calls");
    let folder = cold_start::copy(extension)?;
    let browser = Browser::launch(Options::new(folder.path())).await?;
    let page = idle(&browser).await?;
    let tool = tool(&page).await?;
    let times = super::tools::invoke(&page, &tool, json!({"n": 1}), CALLS).await?;
    let made = Instant::now();
    let count = pending(&page).await?;
    ensure!(count >= CALLS as usize, "only {count} calls are pending");

    let last = page.run(LAST_EVENT, Vec::new()).await?;
    let (mut late, mut list) = (Vec::new(), Vec::new());
    for _ in 0..PAGES {
        let opened = idle(&browser).await?;
        late.push(opened.run(READ_EVENTS, vec![last.clone()]).await.context("events of a late page")?);
        // Timed in the page: the driver would carry the whole list.
        list.push(opened.run(LIST, Vec::new()).await?);
        opened.close().await?;
    }

    // No alarm wakes the worker while the deadlines pass; its next start finds all of them.
    browser.kill_worker().await?;
    page.run("await chrome.alarms.clearAll(); return true", Vec::new()).await?;
    let left = EXPIRES_IN.saturating_sub(made.elapsed()) + Duration::from_secs(1);
    tokio::time::sleep(left).await;
    let expiry = page.run(EXPIRE, Vec::new()).await.context("expiry")?;
    let time = expiry.get("time").cloned().unwrap_or_default();
    // How many the first answers still had: the worker was not started by anything else meanwhile.
    let most = expiry.get("most").cloned().unwrap_or_default();
    Ok(json!({
        "calls": times, "count": count, "list": list, "late": late, "expiry": [time], "expiryBegan": most,
    }))
}

/// A page that sends nothing by itself.
async fn idle(browser: &Browser) -> Result<Page> {
    let page = browser.open(&browser.extension_url(cold_start::PAGE)).await?;
    page.controlled().await?;
    Ok(page)
}

async fn pending(page: &Page) -> Result<usize> {
    let answer = ask(page, "GET", "/api/pending-calls", Value::Null).await?;
    Ok(answer.get("pendingCalls").and_then(Value::as_array).context("no list")?.len())
}

/// A tool whose result comes from outside, later.
async fn tool(page: &Page) -> Result<String> {
    let bundle = json!({"slug": "bench", "displayName": "Bench", "isEnabled": true, "description": ""});
    ask(page, "PUT", &format!("/tools/bundles/{BUNDLE}"), bundle).await?;
    let path = format!("/tools/bundles/{BUNDLE}/tools/ask-outside/version/v1");
    let expires_in = u64::try_from(EXPIRES_IN.as_millis())?;
    let tool = json!({
        "displayName": "Ask outside", "description": "Asks for a result that comes later.", "type": "external",
        "isEnabled": true, "visible": false, "argSchema": {"type": "object"},
        "impl": {"isAsync": true, "expiresIn": expires_in},
    });
    ask(page, "PUT", &path, tool).await?;
    Ok(path)
}
