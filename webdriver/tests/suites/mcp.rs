//! Servers of the Model Context Protocol that others wrote: added by hand, allowed tool by tool, called by the agent.

use crate::world::mcp::McpWorld;
use crate::world::tools::picture;
use nodes::mcp::Transport;
use nodes::{Everything, ModernMcp};
use serde_json::json;

/// M1, M8, M13, M14: the reference server is added by hand and one tool is allowed. The agent calls it and gets its structured result; a
/// second tool asks the user by a form in the popup, and its answer reaches the server.
#[tokio::test]
async fn reference_server_by_hand() {
    let server = Everything::start().await.unwrap();
    let it = McpWorld::start(&[
        ("weather", "everything__get-structured-content", json!({"location": "New York"})),
        ("form", "everything__trigger-elicitation-request", json!({})),
    ])
    .await;
    it.add("everything", server.url()).await;
    let listed = it.wait_for("everything", "ready").await;
    assert_eq!(listed["protocolVersion"], "2025-11-25");
    it.open_tools("everything").await;
    it.allow("get-structured-content").await;
    picture(&it.page, "mcp-server").await;

    it.popup.go("agent").await.unwrap();
    it.popup.send_message("weather").await.unwrap();
    if it.arrived() == 0 {
        it.popup.approve().await.unwrap();
    }
    let result = it.results(1).await.remove(0);
    let data = result.data.clone().unwrap_or_default().to_string();
    assert!(result.success && data.contains("temperature"), "{result:?}");
    picture(&it.popup, "mcp-result").await;

    // Not allowed yet: the call is asked about first, and then the server asks.
    it.popup.send_message("form").await.unwrap();
    let prompt = it.asked().await;
    assert_eq!(prompt["kind"], "confirmation_required", "{prompt}");
    it.popup.approve().await.unwrap();
    it.popup.says("prompt-server", "everything").await.unwrap();
    picture(&it.popup, "mcp-form").await;
    let prompt = it.asked().await;
    assert_eq!(prompt["kind"], "elicitation", "{prompt}");
    fill_name(&it, "Ada").await;
    it.popup.click("prompt-submit").await.unwrap();
    let result = it.results(2).await.remove(1);
    let data = result.data.clone().unwrap_or_default().to_string();
    assert!(result.success && data.contains("Ada"), "{result:?}");
    assert_eq!(it.agent.violations(), Vec::<String>::new());
}

/// Types into the field `name` of the server's form.
async fn fill_name(it: &McpWorld, name: &str) {
    let type_it = "const field = [...document.querySelectorAll('.elicitation input, .elicitation textarea')]
        .find((input) => input.type !== 'checkbox' && input.value === '');
        field.value = args[0];
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
        return field.name";
    it.popup.run(type_it, vec![json!(name)]).await.unwrap();
}

/// M4, M10: a definition that changed is asked about with the difference, and counts as allowed only after that.
#[tokio::test]
async fn changed_definition_asks_again() {
    let server = ModernMcp::start().await.unwrap();
    let it = McpWorld::start(&[("echo", "modern__echo", json!({"text": "hello"}))]).await;
    it.add("modern", server.url()).await;
    let listed = it.wait_for("modern", "ready").await;
    assert_eq!(listed["protocolVersion"], "2026-07-28");
    it.open_tools("modern").await;
    it.allow("echo").await;

    let changes = json!({"description": "Says what it is told, and tells others."});
    server.redefine("echo", changes.as_object().unwrap().clone()).await.unwrap();
    it.page.click("mcp-refresh-modern").await.unwrap();
    it.page.says("mcp-difference", "tells others").await.unwrap();
    picture(&it.page, "mcp-changed").await;

    it.popup.go("agent").await.unwrap();
    it.popup.send_message("echo").await.unwrap();
    let prompt = it.asked().await;
    assert_eq!(prompt["kind"], "confirmation_required", "{prompt}");
    it.popup.says("mcp-difference", "tells others").await.unwrap();
    picture(&it.popup, "mcp-changed-asked").await;
    assert_eq!(server.count("echo").await.unwrap(), 0, "nothing is sent before the approval");
    it.popup.approve().await.unwrap();
    let result = it.results(1).await.remove(0);
    assert!(result.success, "{result:?}");
    let tools = it.server("modern").await["tools"].clone();
    let echo = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "echo").unwrap().clone();
    assert_eq!((&echo["standing"]["name"], server.count("echo").await.unwrap()), (&json!("allowed"), 1));
}

/// M1: HTTP+SSE of 2024 is spoken where a server offers no more.
#[tokio::test]
async fn server_of_2024() {
    let server = Everything::with(Transport::Sse).await.unwrap();
    let it = McpWorld::start(&[("echo", "old__echo", json!({"message": "hello"}))]).await;
    it.add("old", server.url()).await;
    it.wait_for("old", "ready").await;
    it.open_tools("old").await;
    it.allow("echo").await;
    it.say("echo").await;
    if it.arrived() == 0 {
        it.answer("confirmation_required", json!({"approve": true})).await;
    }
    let result = it.results(1).await.remove(0);
    assert!(result.success && format!("{:?}", result.data).contains("hello"), "{result:?}");
}
