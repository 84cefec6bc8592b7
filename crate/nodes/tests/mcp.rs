//! The MCP servers start, answer in their era, and count.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[allow(dead_code, reason = "other tests use the rest")]
mod client;

use client::exchange;
use nodes::mcp::Transport;
use nodes::{Everything, McpOptions, ModernMcp};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

const ACCEPT: &str = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
const VERSION: &str = "2026-07-28";

/// Host and path of an endpoint.
fn parts(url: &str) -> (String, String) {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    (format!("http://{host}"), format!("/{path}"))
}

/// Sends one message; returns the head and the messages of the answer, as JSON or as events.
async fn post(url: &str, headers: &str, body: &Value) -> Option<(String, Vec<Value>)> {
    let (host, path) = parts(url);
    let headers = format!("{ACCEPT}{headers}");
    let (head, body) = exchange(&host, "POST", &path, &headers, &body.to_string()).await?;
    let text = String::from_utf8(body).unwrap();
    let messages: Vec<Value> = text
        .lines()
        .map(|line| line.strip_prefix("data:").unwrap_or(line).trim())
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(Value::is_object)
        .collect();
    Some((head, messages))
}

/// A request of 2026-07-28 and its last message.
async fn modern(url: &str, method: &str, params: Value, headers: &str) -> (String, Value) {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        "progressToken": "p",
    });
    let name = params["name"].as_str().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let headers = format!("mcp-protocol-version: {VERSION}\r\nmcp-method: {method}\r\n{name}{headers}");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (head, messages) = post(url, &headers, &body).await.unwrap();
    (head, messages.last().cloned().unwrap_or_default())
}

async fn call(url: &str, tool: &str, arguments: Value) -> Value {
    modern(url, "tools/call", json!({ "name": tool, "arguments": arguments }), "").await.1
}

#[tokio::test]
async fn everything_has_sessions() {
    let server = Everything::start().await.unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let (head, messages) = post(server.url(), "", &hello).await.unwrap();
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    assert_eq!(messages[0]["result"]["protocolVersion"], "2025-11-25");
    let headers = format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n");
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert!(post(server.url(), &headers, &told).await.unwrap().0.contains(" 202 "));
    let echo = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "message": "hello" } } });
    let (_, messages) = post(server.url(), &headers, &echo).await.unwrap();
    assert_eq!(messages[0]["result"]["content"][0]["text"], "Echo: hello");
}

#[tokio::test]
async fn everything_names_its_endpoint() {
    let server = Everything::with(Transport::Sse).await.unwrap();
    let (host, path) = parts(server.url());
    let mut stream = TcpStream::connect(host.strip_prefix("http://").unwrap()).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let endpoint = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some(data) = line.strip_prefix("data: ") {
            break data.to_owned();
        }
    };
    assert!(endpoint.starts_with("/message?sessionId="), "{endpoint}");
}

#[tokio::test]
async fn modern_lists_in_pages() {
    let options = McpOptions { page_size: 4, ttl_millis: 5_000, ..McpOptions::default() };
    let server = ModernMcp::with(options).await.unwrap();
    let (mut names, mut cursors, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let result = modern(server.url(), "tools/list", params, "").await.1["result"].clone();
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(5_000), &json!("private")));
        names.extend(result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()));
        let Some(cursor) = result.get("nextCursor") else { break };
        cursors.push(cursor.clone());
        params = json!({ "cursor": cursor });
    }
    assert_eq!((names.len(), cursors), (11, vec![json!(""), json!("page-2")]));
    let (_, unknown) = modern(server.url(), "tools/list", json!({ "cursor": "page-9" }), "").await;
    assert_eq!(unknown["error"]["code"], -32602);

    let changes = json!({ "description": "Pays more." });
    server.redefine("pay", changes.as_object().unwrap().clone()).await.unwrap();
    server.set(McpOptions::default()).await.unwrap();
    let tools = modern(server.url(), "tools/list", json!({}), "").await.1["result"]["tools"].clone();
    let pay = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "pay").unwrap().clone();
    assert_eq!(pay["description"], "Pays more.");
}

#[tokio::test]
async fn modern_asks_for_input() {
    let server = ModernMcp::start().await.unwrap();
    let asked = call(server.url(), "book-table", json!({ "when": "8" })).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    let again = json!({
        "name": "book-table", "arguments": { "when": "8" }, "requestState": asked["requestState"],
        "inputResponses": { "guests": { "action": "accept", "content": { "guests": 3 } } },
    });
    let booked = modern(server.url(), "tools/call", again, "").await.1;
    let text = format!("a table for 3 at 8, {}", asked["requestState"].as_str().unwrap());
    assert_eq!(booked["result"]["content"][0]["text"], text);
    assert_eq!(server.count("book-table").await.unwrap(), 2);
}

#[tokio::test]
async fn modern_counts_a_lost_result() {
    let server = ModernMcp::start().await.unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "break-stream", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": "p" } } });
    let headers =
        format!("mcp-protocol-version: {VERSION}\r\nmcp-method: tools/call\r\nmcp-name: break-stream\r\n");
    let heard = post(server.url(), &headers, &body).await;
    let results = heard.map(|(_, messages)| messages).unwrap_or_default();
    assert!(results.iter().all(|message| message.get("result").is_none()), "{results:?}");
    assert_eq!(server.count("break-stream").await.unwrap(), 1);
}

#[tokio::test]
async fn modern_is_strict_about_headers() {
    let server = ModernMcp::start().await.unwrap();
    let near = |headers: &'static str| {
        let params = json!({ "name": "find-nearby", "arguments": { "what": "tea", "region": "Köln" } });
        modern(server.url(), "tools/call", params, headers)
    };
    let (head, refused) = near("").await;
    assert!(head.contains(" 400 "), "{head}");
    assert_eq!(refused["error"]["code"], -32020);
    let (_, found) = near("mcp-param-region: =?base64?S8O2bG4=?=\r\n").await;
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    assert_eq!(server.count("find-nearby").await.unwrap(), 1);
    let versions: Vec<_> = server.requests().await.unwrap();
    assert!(versions.iter().all(|request| request.headers["mcp-protocol-version"] == VERSION));

    server.set(McpOptions { refuses_origin: true, ..McpOptions::default() }).await.unwrap();
    let (head, refused) =
        modern(server.url(), "tools/list", json!({}), "origin: chrome-extension://abc\r\n").await;
    assert!(head.contains(" 403 "), "{head}");
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("Invalid Origin"), "{refused}");
    let (head, _) = modern(server.url(), "tools/list", json!({}), "").await;
    assert!(head.contains(" 200 "), "{head}");
}
