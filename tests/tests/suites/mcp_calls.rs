//! Calls of MCP tools: what is sent, what comes of it, and what is never sent twice.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::mcp_servers::{begin, outcomes, result, server, with_server};
use countersign_tests::mcp::*;
use countersign_tests::world::*;
use serde_json::{Value, json};
use std::cell::RefCell;

/// How many calls the server ran.
fn executed(peer: &RefCell<Peer>) -> usize {
    peer.borrow().executed.len()
}

const ERAS: [Speaks; 2] = [Speaks::Modern, Speaks::Legacy];

/// Allows a tool and calls it.
async fn call(world: &World, tool: &str) -> Value {
    world.allow_mcp(tool).await;
    world.act_once(&format!("peer__{tool}"), json!({"text": "hi"})).await
}

fn error(result: &Value) -> &str {
    result["error"].as_str().unwrap_or_default()
}

/// T004-71, M1, M2: a call is executed on the server, its result is the agent's, and the conversation shows nothing of it;
/// comments, priming events and answers to others are left out.
#[tokio::test(start_paused = true)]
async fn a_call() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        let result = call(&world, "echo").await;
        assert_eq!(result["data"], text(r#"{"text":"hi"}"#), "{result}");
        let result = call(&world, "wrong_id").await;
        assert_eq!(result["data"], text("yours"), "{result}");
        let calls = world.get("/api/calls").await;
        assert_eq!(calls["calls"][0]["visible"], false);
        assert_eq!(calls["calls"][0]["preview"]["host"], "mcp.example");
        assert_eq!((executed(&peer), outcomes(&world).await), (2, vec!["200".to_owned(); 2]));
        assert_eq!(peer.borrow().violations, [""; 0]);
        assert_eq!(world.records().await["mcp"].iter().filter(|row| row.key.starts_with("run/")).count(), 0);
    }
}

/// M8: a structured result is what `outputSchema` says, and is missed where it is promised.
#[tokio::test(start_paused = true)]
async fn structured_results() {
    let (world, _) = with_server(Speaks::Modern).await;
    assert_eq!(call(&world, "sum").await["data"], json!({"content": [], "structuredContent": {"sum": 3}}));
    for tool in ["bad_sum", "no_sum"] {
        let result = call(&world, tool).await;
        assert!(error(&result).starts_with("output_mismatch"), "{tool}: {result}");
    }
}

/// M9: what the tool says of its own failure is output for the agent; an error of the protocol is a failure with its code.
#[tokio::test(start_paused = true)]
async fn failures() {
    for speaks in ERAS {
        let (world, _) = with_server(speaks).await;
        let failed = call(&world, "fail").await;
        assert_eq!((error(&failed), &failed["success"]), ("tool_failed: no such user", &json!(false)));
        assert_eq!(failed["data"]["content"][0]["text"], "no such user");
        assert_eq!(error(&call(&world, "refuse").await), "mcp_error: refused (-32603)");
    }
}

/// M6: arguments that break the schema are refused before anything is sent.
#[tokio::test(start_paused = true)]
async fn arguments() {
    let (world, peer) = with_server(Speaks::Modern).await;
    world.allow_mcp("echo").await;
    let refused = world.act_once("peer__echo", json!({"text": 7})).await;
    assert!(error(&refused).starts_with("invalid_params: /text"), "{refused}");
    assert_eq!(peer.borrow().executed, []);
}

/// M7: arguments go into the headers that the schema names; a server that wants other headers is listed again, and the call
/// sent once more if the tool is still the one that was allowed.
#[tokio::test(start_paused = true)]
async fn headers() {
    let (world, peer) = with_server(Speaks::Modern).await;
    let schema =
        json!({"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}});
    peer.borrow_mut().tools[0] = tool("echo", json!({"inputSchema": schema}));
    let id = server(&world).await["id"].as_str().unwrap().to_owned();
    world.call("POST", &format!("/api/mcp/servers/{id}/refresh"), Value::Null).await;
    world.allow_mcp("echo").await;
    peer.borrow_mut().wants_headers = true;
    let result = world.act_once("peer__echo", json!({"text": "é"})).await;
    assert_eq!(result["success"], true, "{result}");
    let last = world.node_calls().pop().unwrap();
    assert_eq!(
        (last.header("mcp-param-text"), last.header("mcp-name")),
        (Some("=?base64?w6k=?="), Some("echo"))
    );
    assert_eq!(peer.borrow().executed.len(), 1);
    peer.borrow_mut().wants_headers = true;
    peer.borrow_mut().tools[0] = tool("echo", json!({"description": "Changed."}));
    let result = world.act_once("peer__echo", json!({"text": "x"})).await;
    assert!(error(&result).starts_with("definition_changed"), "{result}");
    assert_eq!((peer.borrow().executed.len(), peer.borrow().violations.len()), (1, 0));
}

/// M11: progress is shown while the tool works, in numbers, not too often.
#[tokio::test(start_paused = true)]
async fn progress() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        world.allow_mcp("slow").await;
        let id = begin(&world, "peer__slow", json!({})).await;
        world.settle().await;
        let token = peer_token(&world);
        for done in [2.0, 2.5] {
            world.pass(400).await;
            peer.borrow_mut().send(&json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": done}}));
            world.settle().await;
        }
        peer.borrow_mut().finish(text("done"));
        world.settle().await;
        assert_eq!(result(&world, &id).await["data"], text("done"));
        let events = world.events().await.into_iter().filter(|event| event.name == "tool.streaming");
        let done: Vec<Value> = events.map(|event| event.data["progress"]["done"].clone()).collect();
        assert_eq!(done, [json!(0.5), json!(2.0), json!(2.5)], "{speaks:?}");
    }
}

fn peer_token(world: &World) -> Value {
    let calls = world.node_calls();
    let call = calls.iter().rev().find(|call| call.body["method"] == "tools/call").unwrap();
    call.body["params"]["_meta"]["progressToken"].clone()
}

/// M12, M16: a call without an answer ends when its time is over, is cancelled in the way of the era, and may have been
/// executed; progress keeps it, but not for longer than it has.
#[tokio::test(start_paused = true)]
async fn time_is_over() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        world.allow_mcp("silent").await;
        let id = begin(&world, "peer__silent", json!({})).await;
        world.pass(61_000).await;
        let ended = result(&world, &id).await;
        assert!(error(&ended).starts_with("outcome_unknown: no answer within"), "{ended}");
        let notices = peer
            .borrow()
            .notices
            .iter()
            .filter(|notice| notice["method"] == "notifications/cancelled")
            .count();
        assert_eq!(notices, usize::from(speaks == Speaks::Legacy));
        assert_eq!((executed(&peer), outcomes(&world).await), (1, vec!["outcome_unknown".to_owned()]));
        let id = begin(&world, "peer__silent", json!({})).await;
        let token = peer_token(&world);
        for done in 0..9 {
            world.pass(40_000).await;
            peer.borrow_mut().send(&json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": done}}));
            world.settle().await;
        }
        assert!(error(&result(&world, &id).await).starts_with("outcome_unknown"), "{speaks:?}");
    }
}

/// M12: a call that the user cancels ends at once; a legacy server is told, a modern one sees the stream close.
#[tokio::test(start_paused = true)]
async fn cancelled() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        world.allow_mcp("silent").await;
        let id = begin(&world, "peer__silent", json!({})).await;
        let (status, _) = world.call("POST", &format!("/api/calls/{id}/cancel"), Value::Null).await;
        world.settle().await;
        assert_eq!((status, error(&result(&world, &id).await)), (200, "Request was cancelled"));
        let told = peer.borrow().notices.iter().any(|notice| notice["method"] == "notifications/cancelled");
        assert_eq!(told, speaks == Speaks::Legacy);
        // An answer that comes later is nobody's.
        peer.borrow_mut().finish(text("late"));
        world.settle().await;
        assert_eq!(error(&result(&world, &id).await), "Request was cancelled");
    }
}

/// A broken stream is taken up again after its last event, when the server says; the call is not sent again.
#[tokio::test(start_paused = true)]
async fn a_broken_stream_is_taken_up() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    peer.borrow_mut().retry = Some(3_000);
    world.allow_mcp("broken").await;
    let id = begin(&world, "peer__broken", json!({})).await;
    peer.borrow_mut().cut();
    world.pass(2_900).await;
    assert_eq!(
        world.node_calls().iter().filter(|call| call.header("last-event-id").is_some()).count(),
        0,
        "not before `retry`"
    );
    world.pass(300).await;
    let resumed: Vec<_> =
        world.node_calls().into_iter().filter(|call| call.header("last-event-id").is_some()).collect();
    assert_eq!(resumed.len(), 1);
    assert_eq!(
        (resumed[0].header("last-event-id"), resumed[0].header("mcp-session-id")),
        (Some("0/0"), Some("session-1"))
    );
    peer.borrow_mut().finish(text("done"));
    world.settle().await;
    assert_eq!((result(&world, &id).await["data"].clone(), peer.borrow().executed.len()), (text("done"), 1));
}

/// M16: after a broken stream that cannot be taken up, the outcome is unknown and the call is never made again.
#[tokio::test(start_paused = true)]
async fn a_broken_stream_is_unknown() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        peer.borrow_mut().resumable = false;
        world.allow_mcp("broken").await;
        let id = begin(&world, "peer__broken", json!({})).await;
        peer.borrow_mut().cut();
        world.pass(120_000).await;
        let ended = result(&world, &id).await;
        assert!(error(&ended).starts_with("outcome_unknown: the answer broke off"), "{ended}");
        assert_eq!((executed(&peer), outcomes(&world).await), (1, vec!["outcome_unknown".to_owned()]));
    }
}

/// M15: a session that the server has forgotten is opened anew, and the call, which was not executed, is sent once more.
#[tokio::test(start_paused = true)]
async fn a_lost_session() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    peer.borrow_mut().sessions.clear();
    assert_eq!(call(&world, "echo").await["success"], true);
    assert_eq!((peer.borrow().executed.len(), peer.borrow().sessions.len()), (1, 1));
    assert_eq!(peer.borrow().violations, [""; 0]);
}

/// M15, M16: a session that is lost while a stream is broken cannot be taken up: the outcome is unknown.
#[tokio::test(start_paused = true)]
async fn a_session_lost_meanwhile() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    world.allow_mcp("broken").await;
    let id = begin(&world, "peer__broken", json!({})).await;
    peer.borrow_mut().sessions.clear();
    peer.borrow_mut().cut();
    world.pass(5_000).await;
    assert!(error(&result(&world, &id).await).starts_with("outcome_unknown"));
    assert_eq!(peer.borrow().executed.len(), 1);
}

/// M17: an event that is too large ends the call, which may have been executed.
#[tokio::test(start_paused = true)]
async fn huge_events() {
    for speaks in ERAS {
        let (world, peer) = with_server(speaks).await;
        let ended = call(&world, "huge").await;
        assert!(error(&ended).starts_with("outcome_unknown: the answer is larger than"), "{ended}");
        assert_eq!(peer.borrow().executed.len(), 1);
    }
}

/// M13: only what was declared is done for a server; a ping is answered, sampling and roots are refused.
#[tokio::test(start_paused = true)]
async fn requests_of_the_server() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    assert_eq!(call(&world, "sample").await["data"], text("done"));
    let answers = peer.borrow().answers.clone();
    let [ping, sampling, roots] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!((&ping["id"], &ping["result"]), (&json!("p"), &json!({})));
    for refused in [sampling, roots] {
        assert_eq!(refused["error"]["code"], -32_601, "{refused}");
    }
    assert_eq!(world.prompts().await, [] as [Value; 0]);
}

/// Two calls at the same time have ids of their own, and each its own answer.
#[tokio::test(start_paused = true)]
async fn two_at_once() {
    let (world, peer) = with_server(Speaks::Legacy).await;
    world.allow_mcp("silent").await;
    world.allow_mcp("echo").await;
    let first = begin(&world, "peer__silent", json!({})).await;
    let second = begin(&world, "peer__echo", json!({"text": "b"})).await;
    assert_eq!(
        (result(&world, &first).await, result(&world, &second).await["success"].clone()),
        (Value::Null, json!(true))
    );
    assert_eq!(peer.borrow().violations, [""; 0]);
}
