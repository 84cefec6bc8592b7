//! Calls of a tool of an MCP server: through the wallet, and by the MCP project's own client in a page of an extension that
//! does nothing else. Both reach the server without asking it for permission first (CORS), and both keep their session.

use crate::cold_start;
use crate::shared::ask;
use anyhow::{Context, Result, ensure};
use nodes::Everything;
use serde_json::{Value, json};
use std::path::Path;
use webdriver::{Browser, Options, Page};

/// Times differ much from call to call: the disk has its moods.
const CALLS: u32 = 100;
const PAGE: &str = "mcp.html";
/// The peer's page and its script, in `dist/harness`.
const FILES: [&str; 2] = [PAGE, "mcp.js"];

/// All of it: the peer before and after ours, because the machine's speed changes from minute to minute.
pub(crate) async fn measure(extension: &Path, harness: &Path) -> Result<Value> {
    eprintln!("calls of an MCP tool, and the SDK");
    let server = Everything::start().await?;
    let before = peer(harness, server.url()).await?;
    let ours = ours(extension, server.url()).await?;
    let after = peer(harness, server.url()).await?;
    Ok(json!({ "ours": ours, "peer": [before, after] }))
}

async fn peer(harness: &Path, url: &str) -> Result<Value> {
    let folder = cold_start::empty_extension()?;
    // A worker that listens to requests is asked about each.
    std::fs::write(folder.path().join("worker.js"), "")?;
    for file in FILES {
        std::fs::copy(harness.join(file), folder.path().join(file)).with_context(|| file.to_owned())?;
    }
    let browser = Browser::launch(Options::new(folder.path())).await?;
    let page = browser.open(&browser.extension_url(PAGE)).await?;
    let args = vec![url.into(), "echo".into(), json!({"message": "hello"}), CALLS.into()];
    page.run("return (await window.mcp).measureCalls(...args)", args).await.context("in the SDK's page")
}

async fn ours(extension: &Path, url: &str) -> Result<Value> {
    // An idle page: one of ours would read again what a call changes.
    let folder = cold_start::copy(extension)?;
    let browser = Browser::launch(Options::new(folder.path())).await?;
    let page = browser.open(&browser.extension_url(cold_start::PAGE)).await?;
    page.controlled().await?;
    let tool = allow(&page, url, "echo").await?;
    let times = super::tools::invoke(&page, &tool, json!({"message": "hello"}), CALLS).await?;
    Ok(json!({ "calls": times }))
}

/// Adds a server, and allows one of its tools. Returns the tool's route in the store.
async fn allow(page: &Page, url: &str, name: &str) -> Result<String> {
    let body = json!({"name": "everything", "url": url, "transport": "http"});
    let server = ask(page, "POST", "/api/mcp/servers", body).await?;
    let id = text(&server, "id")?;
    ask(page, "POST", &format!("/api/mcp/servers/{id}/refresh"), json!({})).await?;
    let server = ask(page, "GET", &format!("/api/mcp/servers/{id}"), Value::Null).await?;
    let tools = server.get("tools").and_then(Value::as_array).context("a server without tools")?;
    let is_named = |tool: &&Value| tool.get("name").is_some_and(|found| found == name);
    let tool = tools.iter().find(is_named).with_context(|| format!("no {name} in {server}"))?;
    let digest = json!({ "digest": text(tool, "digest")? });
    ask(page, "POST", &format!("/api/mcp/servers/{id}/tools/{name}/allow"), digest).await?;
    let bundle = text(&server, "bundleID")?;
    let records = format!("/tools/tools?bundleIDs={bundle}&includeDisabled=true&recommendedPageSize=100");
    let records = ask(page, "GET", &records, Value::Null).await?;
    let records = records.get("tools").and_then(Value::as_array).context("a bundle without tools")?;
    let is_ours = |record: &&Value| record.pointer("/impl/tool").is_some_and(|found| found == name);
    let record = records.iter().find(is_ours).with_context(|| format!("no {name} in the store"))?;
    ensure!(record.pointer("/effective/isCallable") != Some(&json!(false)), "{record}");
    Ok(format!(
        "/tools/bundles/{bundle}/tools/{}/version/{}",
        text(record, "slug")?,
        text(record, "version")?
    ))
}

fn text(value: &Value, field: &str) -> Result<String> {
    let text = value.get(field).and_then(Value::as_str);
    text.map(str::to_owned).with_context(|| format!("no {field} in {value}"))
}
