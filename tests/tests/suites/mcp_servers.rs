//! MCP servers: added, listed, changed and removed, in every era, with lists that are good, old, endless or hostile.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::mcp::*;
use countersign_tests::tools::path_of;
use countersign_tests::world::*;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// A world with a server that speaks this.
pub(crate) async fn with_server(speaks: Speaks) -> (World, Rc<RefCell<Peer>>) {
    let (world, peer) = (World::new().await, Peer::new(speaks));
    let server = world.add_mcp(&peer, json!({})).await;
    assert_eq!(server["state"], json!({"name": "ready"}), "{server}");
    (world, peer)
}

pub(crate) async fn server(world: &World) -> Value {
    world.get("/api/mcp/servers").await["servers"][0].clone()
}

async fn refresh(world: &World) -> Value {
    let path = format!("/api/mcp/servers/{}/refresh", server(world).await["id"].as_str().unwrap());
    world.call("POST", &path, Value::Null).await.1
}

fn names(server: &Value) -> Vec<String> {
    let tools = server["tools"].as_array().unwrap().iter();
    tools
        .filter(|tool| tool["problem"].is_null())
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// T004-2, T004-70, M14: tools are discovered on servers of every era, and what a server speaks is remembered.
#[tokio::test(start_paused = true)]
async fn every_era() {
    for (speaks, version) in
        [(Speaks::Modern, "2026-07-28"), (Speaks::Legacy, "2025-11-25"), (Speaks::Sse, "2024-11-05")]
    {
        let (world, peer) = with_server(speaks).await;
        let listed = server(&world).await;
        assert_eq!(
            (&listed["protocolVersion"], names(&listed).len()),
            (&json!(version), peer.borrow().tools.len())
        );
        let before = world.node_calls().len();
        world.restart().await;
        assert_eq!(refresh(&world).await["state"], json!({"name": "ready"}));
        let again: Vec<Value> =
            world.node_calls().iter().skip(before).map(|call| call.body["method"].clone()).collect();
        let probes = again.iter().filter(|method| *method == "server/discover").count();
        assert_eq!(probes, 0, "{speaks:?}: {again:?}");
        world.allow_mcp("echo").await;
        let result = world.act_once("peer__echo", json!({"text": "hi"})).await;
        assert_eq!(result["data"]["content"][0]["text"], r#"{"text":"hi"}"#, "{speaks:?}: {result}");
        assert_eq!(peer.borrow().violations, [""; 0], "{speaks:?}");
    }
}

/// M14: a server that speaks another era by now is asked anew.
#[tokio::test(start_paused = true)]
async fn another_era() {
    let (world, peer) = with_server(Speaks::Modern).await;
    world.allow_mcp("echo").await;
    peer.borrow_mut().speaks = Speaks::Legacy;
    let result = world.act_once("peer__echo", json!({})).await;
    assert_eq!(result["success"], true, "{result}");
    assert_eq!(server(&world).await["protocolVersion"], "2025-11-25");
    peer.borrow_mut().speaks = Speaks::Modern;
    let result = world.act_once("peer__echo", json!({})).await;
    assert_eq!((&result["success"], peer.borrow().executed.len()), (&json!(true), 2));
}

/// M3: pages are read to their end, an empty cursor is one, a refused cursor restarts the list, and a list without an
/// end is no list.
#[tokio::test(start_paused = true)]
async fn pages() {
    let (world, peer) = (World::new().await, Peer::new(Speaks::Modern));
    peer.borrow_mut().page = 4;
    let count = peer.borrow().tools.len();
    let listed = world.add_mcp(&peer, json!({})).await;
    assert_eq!(names(&listed).len(), count);
    let cursors: Vec<Value> =
        world.node_calls().iter().map(|call| call.body["params"]["cursor"].clone()).collect();
    assert!(cursors.contains(&json!("")), "{cursors:?}");
    peer.borrow_mut().refuses_cursor = true;
    assert_eq!(names(&refresh(&world).await).len(), count);
    peer.borrow_mut().endless = true;
    let before = world.node_calls().len();
    let failed = refresh(&world).await;
    assert!(failed["state"]["error"].as_str().unwrap().contains("no end"), "{failed}");
    assert!(world.node_calls().len() - before <= 101);
    assert_eq!(names(&failed).len(), count, "what was listed before stays");
}

/// M4, T004-68: a list holds as long as the server says; a new worker has it at once, and an old one is read again.
#[tokio::test(start_paused = true)]
async fn lists_grow_old() {
    let (world, peer) = (World::new().await, Peer::new(Speaks::Modern));
    peer.borrow_mut().ttl = Some(120_000);
    world.add_mcp(&peer, json!({})).await;
    peer.borrow_mut().tools.truncate(1);
    world.pass(100_000).await;
    let before = world.node_calls().len();
    world.restart().await;
    world.settle().await;
    assert_eq!(
        (names(&server(&world).await).len(), world.node_calls().len()),
        (15, before),
        "from the store"
    );
    world.pass(30_000).await;
    world.restart().await;
    world.settle().await;
    assert_eq!(names(&server(&world).await), ["echo"]);
}

/// M4: a server that says that its tools changed is asked for them.
#[tokio::test(start_paused = true)]
async fn a_list_that_changed() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    world.allow_mcp("silent").await;
    let call = begin(&world, "peer__silent", json!({})).await;
    peer.borrow_mut().tools.push(tool("fresh", json!({})));
    peer.borrow_mut().send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    peer.borrow_mut().finish(text("done"));
    world.settle().await;
    assert_eq!(result(&world, &call).await["success"], true);
    assert!(names(&server(&world).await).contains(&"fresh".to_owned()));
}

/// T004-69: `allowedTools` filters what is listed and what is called; absent, everything is offered.
#[tokio::test(start_paused = true)]
async fn allowed_tools() {
    let (world, peer) = (World::new().await, Peer::new(Speaks::Modern));
    let listed = world.add_mcp(&peer, json!({"allowedTools": ["echo", "sum"]})).await;
    assert_eq!(names(&listed), ["echo", "sum"]);
    world.allow_mcp("echo").await;
    world.allow_mcp("sum").await;
    let path = format!("/api/mcp/servers/{}", listed["id"].as_str().unwrap());
    // A call that waits when its tool is no longer wanted.
    let (status, answer) = world.call("PATCH", &path, json!({"allowedTools": ["echo"]})).await;
    assert_eq!((status, names(&answer)), (200, vec!["echo".to_owned()]));
    let refused = world.act_once("peer__sum", json!({})).await;
    assert!(refused["error"].as_str().unwrap().starts_with("unknown_tool"), "{refused}");
    assert_eq!(peer.borrow().executed, []);
    let (_, answer) = world.call("PATCH", &path, json!({"allowedTools": null})).await;
    assert_eq!(names(&answer).len(), 15);
}

/// T004-70: a program cannot be started; the answer says what to do instead.
#[tokio::test(start_paused = true)]
async fn no_stdio() {
    let world = World::new().await;
    let body = json!({"name": "Files", "url": "npx files", "transport": "stdio"});
    let (status, answer) = world.call("POST", "/api/mcp/servers", body).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!("stdio_unsupported")));
    assert!(answer["error"]["message"].as_str().unwrap().contains("proxy"), "{answer}");
}

/// M5: tools are named by our name for the server, which no two servers share; the same tool of two servers is two tools.
#[tokio::test(start_paused = true)]
async fn names_of_servers() {
    let (world, _) = with_server(Speaks::Modern).await;
    let again = json!({"name": "PEER!", "url": "https://other.example/mcp", "transport": "http"});
    assert_eq!(world.refused("POST", "/api/mcp/servers", again).await, (409, "server_name_taken".to_owned()));
    let peer = Peer::new(Speaks::Modern);
    let second = world.add_mcp(&peer, json!({"name": "Second One"})).await;
    let echo =
        second["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "echo").unwrap().clone();
    assert_eq!(echo["callableAs"], "second_one__echo");
    assert_eq!(world.mcp_tool("echo").await["callableAs"], "peer__echo");
}

/// M5, M6, M7: a tool of a bad name, an unsupported dialect, a schema elsewhere or bad headers is not offered, and
/// the page is told why; the others are.
#[tokio::test(start_paused = true)]
async fn bad_tools() {
    let (world, peer) = (World::new().await, Peer::new(Speaks::Modern));
    let schema = |schema: Value| json!({"inputSchema": schema});
    let deep = (0..40)
        .fold(json!({"type": "object"}), |inner, _| json!({"type": "object", "properties": {"a": inner}}));
    let header = json!({"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}});
    peer.borrow_mut().tools = vec![
        tool("good", json!({})),
        tool("Good", json!({})),
        tool("good", json!({"description": "another"})),
        tool("a b", json!({})),
        tool(
            "dialect",
            schema(json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"})),
        ),
        tool(
            "elsewhere",
            schema(json!({"type": "object", "properties": {"a": {"$ref": "https://evil.example/s"}}})),
        ),
        tool("deep", schema(deep)),
        tool("header", schema(header)),
        tool("none", schema(json!({"type": "string"}))),
        tool("task", json!({"execution": {"taskSupport": "required"}})),
    ];
    let listed = world.add_mcp(&peer, json!({})).await;
    assert_eq!(names(&listed), ["Good", "good"]);
    let problem = |name: &str| {
        let tools = listed["tools"].as_array().unwrap();
        let found = tools.iter().find(|tool| tool["name"] == name && !tool["problem"].is_null()).unwrap();
        found["problem"].as_str().unwrap().split(':').next().unwrap().to_owned()
    };
    for (name, code) in [
        ("good", "repeated_name"),
        ("a b", "invalid_name"),
        ("dialect", "unsupported_schema"),
        ("elsewhere", "unsupported_schema"),
        ("deep", "unsupported_schema"),
        ("header", "invalid_header"),
        ("none", "invalid_input_schema"),
        ("task", "tasks_required"),
    ] {
        assert_eq!(problem(name), code, "{name}");
    }
    assert!(world.node_calls().iter().all(|call| call.url == MCP_URL), "no schema is fetched");
}

/// A server's tools are a bundle like any other: it is found, switched and counted; nothing else of it is changed by pages. A
/// removed server leaves nothing.
#[tokio::test(start_paused = true)]
async fn a_bundle_of_its_own() {
    let (world, peer) = with_server(Speaks::Modern).await;
    world.allow_mcp("echo").await;
    let id = server(&world).await["id"].as_str().unwrap().to_owned();
    let found = world.get("/tools/search?q=peer").await;
    assert!(found["tools"].as_array().unwrap().len() > 10, "{found}");
    let record =
        found["tools"].as_array().unwrap().iter().find(|tool| tool["slug"] == "echo").unwrap().clone();
    assert_eq!(
        (&record["type"], &record["visible"], &record["category"]),
        (&json!("mcp"), &json!(false), &json!("side_effect"))
    );
    let path = path_of(&id, "echo", record["version"].as_str().unwrap());
    for (method, path, body) in [
        ("PUT", format!("/tools/bundles/{id}"), json!({"slug": "x", "displayName": "x", "description": "x"})),
        ("DELETE", format!("/tools/bundles/{id}"), Value::Null),
        ("DELETE", path.clone(), Value::Null),
        ("GET", format!("/tools/bundles/{id}/export"), Value::Null),
    ] {
        assert_eq!(
            world.refused(method, &path, body).await,
            (403, "read_only".to_owned()),
            "{method} {path}"
        );
    }
    world.switch(&path, false).await;
    let off = world.act_once("peer__echo", json!({})).await;
    assert!(off["error"].as_str().unwrap().starts_with("tool_disabled"), "{off}");
    // Another definition stays switched off.
    peer.borrow_mut().tools[0]["description"] = json!("Another.");
    refresh(&world).await;
    let off = world.act_once("peer__echo", json!({})).await;
    assert!(off["error"].as_str().unwrap().starts_with("tool_disabled"), "{off}");
    assert_eq!(peer.borrow().executed, []);
    let (status, _) = world.call("DELETE", &format!("/api/mcp/servers/{id}"), Value::Null).await;
    assert_eq!((status, world.get("/api/mcp/servers").await), (204, json!({"servers": []})));
    let left = world.records().await;
    for table in ["tools", "tool_documents", "tool_ids", "tool_bundles", "mcp"] {
        assert_eq!(left[table].len(), 0, "{table}");
    }
}

/// A server that wants no extensions says so in its state, and so does one that wants a sign-in or is not there.
#[tokio::test(start_paused = true)]
async fn states() {
    let (world, peer) = (World::new().await, Peer::new(Speaks::Modern));
    peer.borrow_mut().refuses = Some((403, "Invalid Origin header".to_owned()));
    let added = world.add_mcp(&peer, json!({})).await;
    assert_eq!(added["state"], json!({"name": "origin_refused"}));
    peer.borrow_mut().refuses = Some((401, String::new()));
    assert_eq!(refresh(&world).await["state"], json!({"name": "sign_in_required"}));
    peer.borrow_mut().refuses = Some((500, String::new()));
    assert_eq!(refresh(&world).await["state"]["error"], "http_status: the server answered with status 500");
    world.set_nodes(|_| Answer::Redirect);
    let redirected = refresh(&world).await;
    assert!(redirected["state"]["error"].as_str().unwrap().starts_with("redirect_refused"), "{redirected}");
    world.set_nodes(|_| Answer::Silent);
    let silent = refresh(&world).await;
    assert!(silent["state"]["error"].as_str().unwrap().starts_with("host_unreachable"), "{silent}");
    peer.borrow_mut().refuses = None;
    world.serve_mcp(&peer);
    assert_eq!(refresh(&world).await["state"], json!({"name": "ready"}));
}

/// A server on a new host needs the password; another on the same host does not.
#[tokio::test(start_paused = true)]
async fn a_new_host_needs_the_password() {
    let world = World::new().await;
    world.make_vault("correct horse battery").await;
    let peer = Peer::new(Speaks::Modern);
    world.serve_mcp(&peer);
    let body = json!({"name": "Peer", "url": MCP_URL, "transport": "http"});
    assert_eq!(
        world.refused("POST", "/api/mcp/servers", body.clone()).await,
        (403, "password_required".to_owned())
    );
    assert_eq!(world.node_calls(), [], "nothing is sent before");
    let (status, _) = world
        .call("POST", "/api/mcp/servers", with(body.clone(), "password", json!("correct horse battery")))
        .await;
    assert_eq!(status, 201);
    let (status, _) = world.call("POST", "/api/mcp/servers", with(body, "name", json!("Other"))).await;
    assert_eq!(status, 201);
}

/// M17: a body that is too large is no list.
#[tokio::test(start_paused = true)]
async fn large_lists() {
    let (world, peer) = (World::new().await, Peer::new(Speaks::Modern));
    peer.borrow_mut().tools = vec![tool("large", json!({"description": "x".repeat(9 << 20)}))];
    let added = world.add_mcp(&peer, json!({})).await;
    assert!(
        added["state"]["error"].as_str().unwrap().starts_with("response_too_large"),
        "{}",
        added["state"]
    );
    peer.borrow_mut().tools = (0..1_001).map(|number| tool(&format!("t{number}"), json!({}))).collect();
    assert!(refresh(&world).await["state"]["error"].as_str().unwrap().contains("more than 1000 tools"));
}

/// Begins a call of a page; its id.
pub(crate) async fn begin(world: &World, kind: &str, params: Value) -> String {
    let id = format!("begun-{}", world.browser.now());
    let action = json!({"id": id, "type": kind, "title": kind, "params": params, "auto_execute": true});
    let (status, answer) = world.call("POST", "/api/actions?wait=false", json!({"actions": [action]})).await;
    assert_eq!(status, 202, "{answer}");
    world.settle().await;
    answer["callIds"].as_array().or(answer["call_ids"].as_array()).unwrap()[0].as_str().unwrap().to_owned()
}

/// The result of a call; `null` while it has none.
pub(crate) async fn result(world: &World, id: &str) -> Value {
    world.get(&format!("/api/calls/{id}")).await["state"]["result"].clone()
}

/// The outcomes of requests in the audit log, oldest first.
pub(crate) async fn outcomes(world: &World) -> Vec<String> {
    let log = world.get("/api/audit").await;
    let entries = log["entries"].as_array().unwrap().iter().rev();
    let requests = entries.filter(|entry| entry["kind"] == "tool_request");
    requests.map(|entry| entry["outcome"].as_str().unwrap().to_owned()).collect()
}
