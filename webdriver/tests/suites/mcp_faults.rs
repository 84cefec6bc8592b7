//! MCP servers that break off, and workers that die while an answer is open: one outcome each, and nothing is called twice.

use crate::world::PATIENCE;
use crate::world::mcp::McpWorld;
use crate::world::tools::picture;
use nodes::{McpOptions, ModernMcp};
use serde_json::json;
use webdriver::{not_yet, until};

/// M16: the worker is killed while a server's stream is open. The call has one outcome, which is said to be unknown, and the server
/// was called once. A stream that the server breaks off ends the same way.
#[tokio::test]
async fn broken_stream_has_one_outcome() {
    let server = ModernMcp::start().await.unwrap();
    let it =
        McpWorld::start(&[("hold", "modern__hold", json!({})), ("break", "modern__break-stream", json!({}))])
            .await;
    it.add("modern", server.url()).await;
    it.wait_for("modern", "ready").await;
    it.open_tools("modern").await;
    it.allow("hold").await;
    it.allow("break-stream").await;

    it.say("hold").await;
    approve(&it, "hold", &server).await;
    it.browser.kill_worker_after(called(&server, "hold")).await.unwrap();
    server.release().await.unwrap();
    let result = it.results(1).await.remove(0);
    assert!(result.error.as_deref().is_some_and(|error| error.starts_with("outcome_unknown")), "{result:?}");
    assert_eq!(server.count("hold").await.unwrap(), 1);

    it.say("break").await;
    approve(&it, "break-stream", &server).await;
    let result = it.results(2).await.remove(1);
    assert!(result.error.as_deref().is_some_and(|error| error.starts_with("outcome_unknown")), "{result:?}");
    assert_eq!((server.count("break-stream").await.unwrap(), it.arrived()), (1, 2));
    assert_eq!(it.agent.violations(), Vec::<String>::new());
}

/// Waits until the tool runs; approves the call if it is asked about.
async fn approve(it: &McpWorld, tool: &str, server: &ModernMcp) {
    until(&format!("{tool} to run"), PATIENCE, async || {
        let prompts = it.get("/api/prompts").await["prompts"].as_array()?.clone();
        if let Some(prompt) = prompts.first() {
            it.popup.answer_prompt(prompt, json!({"approve": true})).await.ok()?;
        }
        (server.count(tool).await.ok()? > 0).then_some(())
    })
    .await
    .unwrap();
}

async fn called(server: &ModernMcp, tool: &str) -> Result<(), nodes::Error> {
    until(&format!("{tool} to run"), PATIENCE, async || match server.count(tool).await {
        Ok(0) | Err(_) => Err(not_yet("no call")),
        Ok(_) => Ok(()),
    })
    .await
    .unwrap();
    Ok(())
}

/// A server that refuses extensions by their `Origin` is explained, and reached after the user chose the rule for its address.
/// Chromium takes the rule at its next start, which the page says.
#[tokio::test]
async fn refused_origin_is_explained() {
    let server = ModernMcp::with(McpOptions { refuses_origin: true, ..McpOptions::default() }).await.unwrap();
    let mut it = McpWorld::start(&[]).await;
    it.add("strict", server.url()).await;
    it.wait_for("strict", "origin_refused").await;
    it.page.element("mcp-without-origin-strict").await.unwrap();
    picture(&it.page, "mcp-origin").await;
    it.page.click("mcp-without-origin-strict").await.unwrap();
    it.page.element("mcp-restart").await.unwrap();
    it.restart().await;
    it.page.click("mcp-refresh-strict").await.unwrap();
    let ready = it.wait_for("strict", "ready").await;
    assert_eq!(ready["withoutOrigin"], true);
    let last = server.requests().await.unwrap().pop().unwrap();
    assert_eq!(last.headers.get("origin"), None);
}
