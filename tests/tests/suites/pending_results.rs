//! Results from outside: every status of the route, and every submitter, honest and hostile.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::pending::{Agent, calls, config};
use countersign_tests::tools::*;
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const SITE: &str = "https://app.example";
const EXTENSION: &str = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";

/// A world whose agent called `ask` once, of this record.
async fn called(kind: &str, block: Value) -> (World, Agent, Value) {
    let (world, agent) = World::with_told_agent().await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    let body = json!({"displayName": "Ask", "description": "Asks.", "argSchema": {"type": "object"}, "type": kind,
        "visible": false, "impl": block});
    world.put(&tool_path("ask"), body).await;
    agent.calls(json!([calls("a1", "ask", json!({"n": 1}))]));
    world.say("go").await;
    let [call] = world.pending().await.try_into().unwrap();
    (world, agent, call)
}

fn code(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["error"]["code"].as_str().unwrap_or_default())
}

/// T004-46, T004-50, T004-52, T004-53, T004-54: 200 once, then 409; 400 for what is missing; 404 for an unknown call; 403 for another run;
/// 413 for what is too large. `null` is a result.
#[tokio::test(start_paused = true)]
async fn every_status() {
    let (world, _, call) = called("external", json!({"isAsync": true})).await;
    let (run, id) = (call["runId"].as_str().unwrap(), call["toolCallId"].clone());
    for (run, body, status, error) in [
        (run, json!({"result": 1}), 400, "invalid_request"),
        (run, json!({"callId": id}), 400, "invalid_request"),
        (run, json!({"callId": 7, "result": 1}), 400, "invalid_request"),
        (run, json!({"callId": "", "result": 1}), 400, "invalid_request"),
        (run, json!([]), 400, "invalid_request"),
        (run, json!({"callId": "other", "result": 1}), 404, "call_not_found"),
        ("other", json!({"callId": id, "result": 1}), 403, "wrong_run"),
        (run, json!({"callId": id, "result": "x".repeat(1 << 20)}), 413, "body_too_large"),
    ] {
        assert_eq!(
            code(&world.submit_to(run, body.clone()).await),
            (status, error),
            "{:.80}",
            body.to_string()
        );
    }
    let (status, answer) = world.submit(&call, Value::Null).await;
    assert_eq!((status, answer), (200, json!({"callId": id, "status": "resolved", "deliveredBy": "inbox"})));
    assert_eq!(code(&world.submit(&call, json!(2)).await), (409, "already_resolved"));
    assert_eq!(world.inbox().iter().map(|item| item["result"].clone()).collect::<Vec<_>>(), [Value::Null]);
    let target = format!("/api/runs/{run}/tool-results");
    assert_eq!(world.refused("GET", &target, Value::Null).await, (405, "method_not_allowed".to_owned()));
    let row: Value = serde_json::from_str(&world.table(Table::PendingCalls).await[0].text).unwrap();
    assert_eq!(
        (&row["call"]["status"], row["call"].get("result"), row["call"]["resolvedAt"].is_u64()),
        (&json!("resolved"), Some(&Value::Null), true),
        "status and result are stored"
    );
}

/// T004-51: a call expires a day after it was made, or when its record says; the alarm brings it about, the message says so, and a
/// result afterwards is 410, also before the alarm.
#[tokio::test(start_paused = true)]
async fn calls_expire() {
    let (world, _, call) = called("space", json!({"isAsync": true})).await;
    assert_eq!(call["expiresAt"].as_u64().unwrap() - call["createdAt"].as_u64().unwrap(), 86_400_000);
    world.pass(86_400_000 + 60_000).await;
    assert_eq!(
        (world.pending().await.len(), code(&world.submit(&call, json!(1)).await)),
        (0, (410, "expired"))
    );
    assert_eq!(world.tool_events().await, ["tool.started", "tool.error"]);
    assert_eq!(world.inbox(), [Value::Null; 0]);

    let (world, _, call) = called("space", json!({"isAsync": true, "expiresIn": 1_000})).await;
    world.run(tokio::time::sleep(std::time::Duration::from_millis(1_000))).await;
    assert_eq!(code(&world.submit(&call, json!(1)).await), (410, "expired"));
    assert_eq!(world.table(Table::PendingCalls).await[0].key.split('/').next(), Some("settled"));
}

/// A message of an async call that expires says so.
#[tokio::test(start_paused = true)]
async fn expiry_is_shown() {
    let (world, agent) = World::with_told_agent().await;
    world.import(&[config("ask", "space", json!({"isAsync": true}))]).await;
    world.enter(&world.conversation_id()).await;
    agent.calls(json!([calls("a1", "ask", json!({}))]));
    world.say("go").await;
    world.pass(86_400_000 + 60_000).await;
    assert_eq!(world.tool_messages().await[0][0], "expired");
}

/// A result that the tool's schema forbids is refused with its place, and the call goes on.
#[tokio::test(start_paused = true)]
async fn results_fit_the_schema() {
    let (world, agent) = World::with_told_agent().await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    let body = json!({"displayName": "Ask", "description": "Asks.", "argSchema": {"type": "object"}, "type": "space",
        "visible": false, "outputSchema": schema, "impl": {}});
    world.put(&tool_path("ask"), body).await;
    agent.calls(json!([calls("a1", "ask", json!({}))]));
    world.say("go").await;
    let [call] = world.pending().await.try_into().unwrap();
    let (status, answer) = world.submit(&call, json!({"ok": 1})).await;
    assert_eq!((status, &answer["error"]["path"]), (400, &json!("/result/ok")));
    assert_eq!(world.submit(&call, json!({"ok": true})).await.0, 200);
    assert_eq!(world.results()[0]["data"], json!({"ok": true}));
}

/// T004-14: the agent's backend submits in an answer, in either dialect and in a plain body, for calls of its own conversation and
/// of external tools; a result that is read twice counts once.
#[tokio::test(start_paused = true)]
async fn agents_submit_in_answers() {
    for dialect in 0..3 {
        let (world, agent, call) = called("external", json!({"isAsync": dialect == 2})).await;
        let element =
            json!([{"run_id": call["runId"], "call_id": call["toolCallId"], "result": {"done": dialect}}]);
        match dialect {
            0 => agent.says(&[("tool_results", json!({"tool_results": element})), ("tool_results", element)]),
            1 => agent.says(&[("message", json!({"type": "data-tool_results", "data": element}))]),
            _ => agent.says(&[("tool_results", element)]),
        }
        world.say("more").await;
        let told = if dialect == 2 {
            world.inbox()[0]["result"].clone()
        } else {
            world.results()[0]["data"].clone()
        };
        assert_eq!(
            (told, world.inbox().len()),
            (json!({"done": dialect}), usize::from(dialect == 2)),
            "{dialect}"
        );
    }
}

/// T004-14: a backend names a call by ours or by its own id of the action, also without the run.
#[tokio::test(start_paused = true)]
async fn backend_names_the_call_or_the_action() {
    for name in ["call_id", "action_id"] {
        let (world, agent, call) = called("external", json!({"isAsync": true})).await;
        let actions = world.get("/api/calls").await;
        let action_id = actions["calls"][0]["actionId"].clone();
        let id = if name == "call_id" { call["toolCallId"].clone() } else { action_id };
        agent.says(&[("tool_results", json!([{name: id, "result": 1}]))]);
        world.say("go on").await;
        assert_eq!((world.pending().await.len(), world.inbox().len()), (0, 1), "{name}");
    }
}

/// T004-14: a backend submits neither for another conversation, nor for another run, nor for a person; what is malformed says
/// nothing.
#[tokio::test(start_paused = true)]
async fn hostile_backends_submit_nothing() {
    let (world, agent, call) = called("external", json!({"isAsync": true})).await;
    let own = json!({"run_id": call["runId"], "call_id": call["toolCallId"], "result": 1});
    world.begin().await;
    agent.says(&[("tool_results", json!([own]))]);
    world.say("from another conversation").await;
    assert_eq!(world.pending().await.len(), 1);
    world.resume_conversation(&call_conversation(&world, &call).await);
    let bad = json!([with(own.clone(), "run_id", json!("other")), with(own.clone(), "call_id", json!("other")), without(own.clone(), "result"),
        without(own, "call_id"), 7, null, {"run_id": 1, "call_id": 2, "result": 3}]);
    agent.says(&[("tool_results", bad), ("tool_results", json!("x"))]);
    world.say("malformed").await;
    assert_eq!((world.pending().await.len(), world.inbox().len()), (1, 0));

    let (world, agent, call) = called("space", json!({"isAsync": true})).await;
    agent.says(&[(
        "tool_results",
        json!([{"run_id": call["runId"], "call_id": call["toolCallId"], "result": true}]),
    )]);
    world.say("for the user").await;
    assert_eq!((world.pending().await.len(), world.inbox().len()), (1, 0));
}

async fn call_conversation(world: &World, call: &Value) -> String {
    let id = call["toolCallId"].as_str().unwrap();
    world.get(&format!("/api/calls/{id}")).await["source"]["conversationId"].as_str().unwrap().to_owned()
}

async fn connect(world: &World, origin: &str) {
    let core = world.core();
    let body = json!({"origin": origin}).to_string();
    let asked = core.handle("POST", "/api/connections", &body);
    let answered = async {
        loop {
            if let [prompt] = world.prompts().await.as_slice() {
                return world.answer_prompt(prompt, json!({"approve": true})).await;
            }
        }
    };
    let (reply, _) = world.run(async { tokio::join!(asked, answered) }).await;
    assert!(reply.status < 300, "{}", reply.body);
}

fn result_message(call: &Value, token: &Value, result: Value) -> Value {
    json!({"type": "countersign.toolResult", "runId": call["runId"], "callId": call["callId"], "token": token, "result": result})
}

/// T004-14: a connected page and another extension see the calls that are theirs, each with a token, and submit with it.
#[tokio::test(start_paused = true)]
async fn outside_submitters() {
    for origin in [SITE, EXTENSION] {
        let (world, _, pending) = called("external", json!({"submitters": [SITE, EXTENSION]})).await;
        connect(&world, SITE).await;
        let listed = world.outside(origin, json!({"type": "countersign.externalCalls"})).await;
        let [call] = listed["calls"].as_array().unwrap().as_slice() else { panic!("{listed}") };
        let expected = json!({"runId": pending["runId"], "callId": pending["toolCallId"], "toolName": "ask", "args": {"n": 1}, "token": call["token"]});
        assert_eq!((call, call["token"].as_str().unwrap().len()), (&expected, 43));
        let rows = world.records().await;
        let all: String = rows.values().flatten().map(|row| row.text.as_str()).collect();
        assert!(!all.contains(call["token"].as_str().unwrap()), "only its hash is kept");
        world.restart().await;
        let answer = world.outside(origin, result_message(call, &call["token"], json!({"ok": 1}))).await;
        assert_eq!(
            answer,
            json!({"status": 200, "body": {"callId": call["callId"], "status": "resolved", "deliveredBy": "inline"}})
        );
        assert_eq!(world.results()[0]["data"], json!({"ok": 1}));
        let again = world.outside(origin, result_message(call, &call["token"], json!(2))).await;
        assert_eq!(
            (&again["status"], &again["body"]["error"]["code"]),
            (&json!(409), &json!("already_resolved"))
        );
    }
}

/// T004-14: no other origin, no page that is not connected, no other token, no token of another call, run or origin.
#[tokio::test(start_paused = true)]
async fn hostile_outside_submitters() {
    let (world, agent, _) =
        called("external", json!({"isAsync": true, "submitters": [SITE, EXTENSION]})).await;
    let list = json!({"type": "countersign.externalCalls"});
    let refused = world.outside(SITE, list.clone()).await;
    assert_eq!(
        (&refused["status"], &refused["body"]["error"]["code"]),
        (&json!(403), &json!("not_allowed")),
        "not connected"
    );
    connect(&world, SITE).await;
    agent.calls(json!([calls("a2", "ask", json!({}))]));
    world.say("again").await;
    let of_site = world.outside(SITE, list.clone()).await["calls"].clone();
    let of_extension = world.outside(EXTENSION, list.clone()).await["calls"].clone();
    let (first, second) = (&of_site[0], &of_site[1]);
    assert_ne!(first["runId"], second["runId"]);
    for other in ["https://evil.example", "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba", "null", ""] {
        let calls = world.outside(other, list.clone()).await;
        assert!(calls["calls"].as_array().is_none_or(Vec::is_empty), "{other}: {calls}");
        let answer = world.outside(other, result_message(first, &first["token"], json!(1))).await;
        assert_eq!(answer["status"], 403, "{other}");
    }
    for (what, origin, call, token) in [
        ("no token", SITE, first, json!("")),
        ("another token", SITE, first, json!("A".repeat(43))),
        ("a token of another call", SITE, first, second["token"].clone()),
        ("a token of another origin", SITE, first, of_extension[0]["token"].clone()),
        ("a token of another origin", EXTENSION, first, first["token"].clone()),
        (
            "a token with another run",
            SITE,
            &with(first.clone(), "runId", second["runId"].clone()),
            first["token"].clone(),
        ),
    ] {
        let answer = world.outside(origin, result_message(call, &token, json!(1))).await;
        assert_eq!(answer["status"], 403, "{what}: {answer}");
    }
    let unknown = world
        .outside(SITE, result_message(&with(first.clone(), "callId", json!("x")), &first["token"], json!(1)))
        .await;
    assert_eq!(unknown["status"], 404);
    for message in [
        json!({"type": "other"}),
        json!([]),
        json!({"type": "countersign.toolResult"}),
        without(result_message(first, &json!(""), json!(1)), "result"),
    ] {
        assert_eq!(world.outside(SITE, message.clone()).await["status"], 400, "{message}");
    }
    assert_eq!(world.call("DELETE", "/api/connections/https%3A%2F%2Fapp.example", Value::Null).await.0, 200);
    let answer = world.outside(SITE, result_message(first, &first["token"], json!(1))).await;
    assert_eq!(answer["status"], 403, "no longer connected");
    assert_eq!((world.pending().await.len(), world.inbox().len()), (2, 0));
}

/// Calls of pages have no agent: a late result is kept in the row, and no inbox has it.
#[tokio::test(start_paused = true)]
async fn pages_calls_have_no_inbox() {
    let world = World::new().await;
    world.import(&[config("ask", "space", json!({"isAsync": true, "visible": false}))]).await;
    let result = world.act_once("ask", json!({})).await;
    assert_eq!(result["data"]["status"], "pending", "{result}");
    let [call] = world.pending().await.try_into().unwrap();
    assert_eq!((world.submit(&call, json!("yes")).await.0, world.sent().len()), (200, 0));
    let row: Value = serde_json::from_str(&world.table(Table::PendingCalls).await[0].text).unwrap();
    assert_eq!(row["call"]["result"], "yes");
}

/// A page that waits for a call is answered when the result comes.
#[tokio::test(start_paused = true)]
async fn pages_wait_too() {
    let world = World::new().await;
    world.import(&[config("ask", "external", json!({"visible": false}))]).await;
    let core = world.core();
    let body = json!({"actions": [calls("u1", "ask", json!({}))]}).to_string();
    let act = core.handle("POST", "/api/actions", &body);
    let answer = async {
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        let pending: Value =
            serde_json::from_str(&core.handle("GET", "/api/pending-calls", "").await.body).unwrap();
        let call = &pending["pendingCalls"][0];
        let body = json!({"callId": call["toolCallId"], "result": 7}).to_string();
        core.handle("POST", &format!("/api/runs/{}/tool-results", call["runId"].as_str().unwrap()), &body)
            .await
            .status
    };
    let (reply, status) = world.run(async { tokio::join!(act, answer) }).await;
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!((status, &body["results"][0]["data"]), (200, &json!(7)));
}
