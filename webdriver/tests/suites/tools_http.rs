//! HTTP tools against a server that is slow, endless, busy or elsewhere, over the browser's `fetch`.

use crate::world::tools::{ToolWorld, picture};
use nodes::tools::{Answer, CallerOutcome, Piece};
use serde_json::json;
use std::time::Duration;
use webdriver::HttpTool;

const CANCELLED: &str = "Request was cancelled";
/// Longer than any test.
const NEVER: Duration = Duration::from_secs(600);

/// T002-81, T003-29, T003-34: an answer of server-sent events is shown in the palette as it comes, and Stop ends its request; one that ends is a list
/// of its data. A call is stopped by its id as well: the server sees its caller leave.
#[tokio::test]
async fn streams_are_shown_and_stopped() {
    let it = ToolWorld::start().await;
    let stream =
        HttpTool::get("follow-news", &it.server.url("/news")).with("stream", true).with("timeoutMs", 60_000);
    let stream = stream.field("timeout", 60_000);
    it.put(&stream).await;
    let pieces = vec![Piece::text("data: first news\n\ndata: second news\n\n"), Piece::Pause(NEVER)];
    it.server.next(1, "/news", Answer::chunked("text/event-stream", pieces));
    it.popup.go("agent").await.unwrap();
    it.popup.click("palette-open").await.unwrap();
    it.popup.fill("palette-search", "follow").await.unwrap();
    it.popup.click("palette-option").await.unwrap();
    it.popup.click("run-tool").await.unwrap();
    it.popup.says("run-progress", "first news").await.unwrap();
    it.popup.says("run-progress", "second news").await.unwrap();
    picture(&it.popup, "progress").await;
    it.popup.click("run-stop").await.unwrap();
    it.popup.says("run-error", "cancelled").await.unwrap();
    assert_eq!(it.server.wait_ended("/news").await.unwrap().outcome, CallerOutcome::Left);

    let pieces = vec![Piece::text("data: 1\n\n"), Piece::text("data: {\"a\":2}\n\n")];
    it.server.next(1, "/news", Answer::chunked("text/event-stream", pieces));
    assert_eq!(it.value(&stream, json!({})).await, Ok(json!([1, {"a": 2}])));

    // The agent's call, on its card.
    let agents = HttpTool::get("get-weather", &it.server.url("/news?of=${city}"))
        .argument("city", json!({"type": "string"}))
        .with("stream", true)
        .with("timeoutMs", 60_000)
        .field("timeout", 60_000);
    it.put(&agents).await;
    let pieces = vec![Piece::text("data: third news\n\n"), Piece::Pause(NEVER)];
    it.server.next(1, "/news", Answer::chunked("text/event-stream", pieces));
    it.popup.click("run-close").await.unwrap();
    it.popup.send_message("weather in Rome").await.unwrap();
    it.popup.approve().await.unwrap();
    it.popup.says("card-progress", "third news").await.unwrap();
    picture(&it.popup, "card-progress").await;
    it.popup.click("call-stop").await.unwrap();
    let result = it.results(1).await.remove(0);
    assert_eq!((result.success, result.error.as_deref()), (false, Some(CANCELLED)));
    assert_eq!(it.server.wait_ended("/news").await.unwrap().outcome, CallerOutcome::Left);

    let silent = HttpTool::get("be-silent", &it.server.url("/silent")).field("timeout", 60_000);
    it.put(&silent).await;
    let id = it.new_id().await;
    let path = format!("{}/invoke", silent.path());
    let call = it.popup.begin("POST", &path, Some(json!({"id": id, "args": {}}))).await.unwrap();
    it.server.wait_count("/silent", 1).await.unwrap();
    let (status, answer) = it.api("POST", &format!("/api/calls/{id}/cancel"), json!(null)).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(call.wait().await.unwrap(), (200, json!({"ok": false, "error": CANCELLED})));
    assert_eq!(it.server.wait_ended("/silent").await.unwrap().outcome, CallerOutcome::Left);
    assert_eq!((it.metrics(&silent).await, it.server.count("/silent")), ((1, 1, true), 1));
}

/// T002-35, T002-70, T002-80, T002-83: redirects are refused and their target is not asked; a body without an end is left at the bound; a request is repeated
/// when the server says later, unless that is too late; calls in a minute are counted across the worker's death.
#[tokio::test]
async fn servers_misbehave() {
    let it = ToolWorld::start().await;
    let get = |slug: &str, path: &str| HttpTool::get(slug, &it.server.url(path));

    for code in [302, 308] {
        let redirect = get(&format!("redirect-{code}"), &format!("/redirect/{code}"));
        it.put(&redirect).await;
        assert_eq!(it.code(&redirect).await, "redirect_refused");
    }
    assert_eq!((it.server.count("/redirect/*"), it.server.count("/echo")), (2, 0));

    let endless = get("endless", "/endless").with("maxResponseBytes", 100_000);
    it.put(&endless).await;
    assert_eq!(it.code(&endless).await, "response_too_large");
    let request = it.server.wait_ended("/endless").await.unwrap();
    assert_eq!((request.outcome, it.server.count("/endless")), (CallerOutcome::Left, 1));

    let busy = get("busy", "/limited/1/1/soon").with("timeoutMs", 60_000).field("timeout", 60_000);
    it.put(&busy).await;
    assert_eq!(it.value(&busy, json!({})).await, Ok(json!({"attempt": 2})));
    let late = get("late", "/limited/1/3600/late");
    it.put(&late).await;
    assert_eq!((it.code(&late).await.as_str(), it.server.count("/limited/1/3600/late")), ("http_status", 1));
    let flaky = get("flaky", "/flaky/2/503/x").with("timeoutMs", 60_000).field("timeout", 60_000);
    it.put(&flaky).await;
    assert_eq!(it.value(&flaky, json!({})).await, Ok(json!({"attempt": 3})));
    let order = HttpTool::post("order", &it.server.url("/status/503"), "{}");
    it.put(&order).await;
    assert_eq!((it.code(&order).await.as_str(), it.server.count("/status/503")), ("http_status", 1));

    let rare = get("rare", "/text").with("responseEncoding", "text").field("maxCallsPerMinute", 1);
    it.put(&rare).await;
    assert!(it.value(&rare, json!({})).await.is_ok());
    for _ in 0..2 {
        let (status, answer) = it.popup.invoke(&rare, json!({})).await.unwrap();
        assert_eq!((status, &answer["error"]["code"]), (429, &json!("rate_limited")), "{answer}");
        assert!(
            answer["error"]["retryAfterMillis"].as_u64().is_some_and(|millis| millis <= 60_000),
            "{answer}"
        );
        assert!(it.browser.kill_worker().await.unwrap(), "no worker was running");
    }
    assert_eq!((it.server.count("/text"), it.metrics(&rare).await), (1, (1, 0, true)));
}
