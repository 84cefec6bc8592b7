//! Tools of specification 004 through the whole core: who gives the result, when, and where it is shown.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::pending::{calls, config};
use countersign_tests::world::*;
use serde_json::{Value, json};

const HOST: &str = "api.weather.com";
const WEATHER: &str = "https://api.weather.com/current";

/// A world whose agent calls a tool of this configuration once, in its own conversation as the space.
async fn calling(tool: &Value, params: Value) -> World {
    let (world, agent) = World::with_told_agent().await;
    world.allow(&[HOST]).await;
    world.set_nodes(|_| Answer::json(&json!({"sky": "clear"})));
    world.import(std::slice::from_ref(tool)).await;
    world.enter(&world.conversation_id()).await;
    agent.calls(json!([calls("a1", tool["name"].as_str().unwrap(), params)]));
    world.say("go").await;
    if !world.prompts().await.is_empty() {
        world.answer(json!({"approve": true})).await;
    }
    world
}

/// The only result that the agent was told.
fn only_result(world: &World) -> Value {
    let [result] = world.results().try_into().unwrap();
    result
}

/// T004-9, T004-13, T004-17, T004-18, T004-19, T004-20, T004-22, T004-28, T004-29, T004-73: every combination of execution type,
/// address, `isAsync`, `timeout` and `visible`: the order is internal, address, async, sync; visibility changes only where
/// the call is shown; `timeout` only how long a sync call without an address waits.
#[tokio::test(start_paused = true)]
async fn every_combination() {
    for kind in ["gateway", "external", "space", "internal"] {
        for has_url in [false, true] {
            for is_async in [None, Some(false), Some(true)] {
                for timeout in [None, Some(5_000)] {
                    for visible in [None, Some(true), Some(false)] {
                        combination(kind, has_url, is_async, timeout, visible).await;
                    }
                }
            }
        }
    }
}

async fn combination(
    kind: &str,
    has_url: bool,
    is_async: Option<bool>,
    timeout: Option<u64>,
    visible: Option<bool>,
) {
    let what = format!("{kind} url {has_url} async {is_async:?} timeout {timeout:?} visible {visible:?}");
    let execution = if has_url { json!({"url": WEATHER, "method": "GET"}) } else { Value::Null };
    let fields = json!({"isAsync": is_async, "timeout": timeout, "visible": visible, "execution": execution});
    let is_async = is_async.unwrap_or(false);
    let world = calling(&config("tool", kind, fields), json!({"q": "Rome"})).await;
    let shown = usize::from(visible.unwrap_or(kind != "internal"));
    assert_eq!(world.tool_messages().await.len(), shown, "{what}");
    assert_eq!(world.calls().await.len(), 0, "{what}: no mark beside the message");
    if kind == "internal" || has_url {
        let data = if kind == "internal" {
            json!({"success": true, "args": {"q": "Rome"}})
        } else {
            json!({"sky": "clear"})
        };
        assert_eq!(only_result(&world)["data"], data, "{what}");
        let sent: Vec<String> = world.node_calls().into_iter().map(|call| call.url).collect();
        let expected: &[&str] =
            if kind == "internal" { &[] } else { &["https://api.weather.com/current?q=Rome"] };
        assert_eq!(
            (sent, world.pending().await.len()),
            (expected.iter().map(|url| (*url).to_owned()).collect(), 0),
            "{what}"
        );
        assert_eq!(world.tool_events().await, ["tool.started", "tool.done"], "{what}");
        return;
    }
    let [call] = world.pending().await.try_into().unwrap();
    if is_async {
        assert_eq!(
            only_result(&world)["data"],
            json!({"status": "pending", "pendingToolCallId": call["toolCallId"]}),
            "{what}"
        );
        assert_eq!((&call["status"], call.get("waitsUntil")), (&json!("pending"), None), "{what}");
        assert_eq!(world.tool_events().await, ["tool.started"], "{what}");
        assert_eq!(world.submit(&call, json!({"n": 1})).await.1["deliveredBy"], "inbox", "{what}");
        assert_eq!(world.inbox().len(), 1, "{what}");
    } else {
        let waits = timeout.unwrap_or(30_000);
        assert_eq!((world.results().len(), &call["status"]), (0, &json!("waiting")), "{what}");
        assert_eq!(
            call["waitsUntil"].as_u64().unwrap() - call["createdAt"].as_u64().unwrap(),
            waits,
            "{what}"
        );
        assert_eq!(world.submit(&call, json!({"n": 1})).await.1["deliveredBy"], "inline", "{what}");
        assert_eq!((&only_result(&world)["data"], world.inbox().len()), (&json!({"n": 1}), 0), "{what}");
    }
    assert_eq!(world.tool_events().await, ["tool.started", "tool.done"], "{what}");
    let states: Vec<Value> =
        world.tool_messages().await.iter().map(|message| json!([message[0], message[3]])).collect();
    assert_eq!(states, vec![json!(["done", {"n": 1}]); shown], "{what}");
    assert_eq!((world.pending().await.len(), world.work().await), (0, json!([])), "{what}");
}

/// T004-23, T004-30: a visible tool without a space is refused with the specification's words; nothing is asked, sent or
/// written as pending, and no message is made.
#[tokio::test(start_paused = true)]
async fn visible_needs_a_space() {
    for (kind, fields) in [
        ("space", json!({"isAsync": true})),
        ("space", json!({})),
        ("internal", json!({"visible": true})),
        ("gateway", json!({"execution": {"url": WEATHER, "method": "GET"}})),
    ] {
        let (world, agent) = World::with_told_agent().await;
        world.allow(&[HOST]).await;
        world.import(&[config("confirmAction", kind, fields)]).await;
        agent.calls(json!([calls("a1", "confirmAction", json!({}))]));
        world.say("go").await;
        let error = "Tool \"confirmAction\" is visible but you are not in a space. Call enter_space first.";
        assert_eq!(world.results(), [failure("a1", "confirmAction", error)], "{kind}");
        assert_eq!((world.prompts().await.len(), world.node_calls().len()), (0, 0), "{kind}");
        assert_eq!((world.pending().await.len(), world.tool_messages().await.len()), (0, 0), "{kind}");
        assert_eq!(world.tool_events().await, ["tool.started", "tool.error"], "{kind}");
    }
}

/// T004-1, T004-30, T004-74: the call is shown in the space that the agent was in when it began; its arguments are what was
/// sent, in any space.
#[tokio::test(start_paused = true)]
async fn space_is_captured_at_the_call() {
    let (world, agent) = World::with_told_agent().await;
    let own = world.conversation_id();
    let other = world.begin().await;
    world.resume_conversation(&own);
    world.import(&[config("confirmAction", "space", json!({}))]).await;
    world.enter(&other).await;
    agent.calls(json!([calls("a1", "confirmAction", json!({"text": "Go?"}))]));
    world.say("go").await;
    world.enter(&own).await;
    let [call] = world.pending().await.try_into().unwrap();
    assert_eq!(call["args"], json!({"text": "Go?"}));
    world.submit(&call, json!(true)).await;
    assert_eq!((world.tool_messages().await.len(), world.calls().await.len()), (0, 0));
    world.resume_conversation(&other);
    let expected = json!(["done", "confirmAction", {"text": "Go?"}, true, null]);
    assert_eq!(world.tool_messages().await, [expected]);
}

/// T004-24: the specification's example with an address, with the fields that it requires of every configuration.
#[tokio::test(start_paused = true)]
async fn example_fetch_weather() {
    let example = config(
        "fetchWeather",
        "gateway",
        json!({"visible": true, "execution": {"url": WEATHER, "method": "GET"}}),
    );
    let world = calling(&example, json!({"city": "Rome"})).await;
    let calls = world.node_calls();
    assert_eq!(
        (calls.len(), calls[0].method.as_str(), calls[0].url.as_str()),
        (1, "GET", "https://api.weather.com/current?city=Rome")
    );
    let expected = json!(["done", "fetchWeather", {"city": "Rome"}, {"sky": "clear"}, null]);
    assert_eq!(world.tool_messages().await, [expected]);
}

/// T004-14, T004-25, T004-42, T004-43, T004-47, T004-48, T004-49, T004-56: the example that waits ten seconds: within them the
/// result is the call's own, later the agent has had its error and finds the result in its inbox.
#[tokio::test(start_paused = true)]
async fn example_fetch_external_data() {
    let example = config(
        "fetchExternalData",
        "external",
        json!({"visible": false, "isAsync": false, "timeout": 10_000}),
    );
    let query = json!({"query": "active projects"});
    let found = json!({"source": "pm-api", "results": [1, 2, 3]});
    let world = calling(&example, query.clone()).await.with_vault().await;
    let [call] = world.pending().await.try_into().unwrap();
    assert_eq!(
        (&call["toolName"], &call["args"], &call["status"]),
        (&json!("fetchExternalData"), &query, &json!("waiting"))
    );
    assert_eq!(call["runId"], world.messages_sent()[0].key, "the run is the turn that brought the call");
    world.pass(3_000).await;
    assert_eq!(world.submit(&call, found.clone()).await.0, 200);
    assert_eq!(
        only_result(&world),
        json!({"action": "fetchExternalData", "action_id": "a1", "success": true, "data": found})
    );
    assert_eq!(
        (world.inbox().len(), world.tool_messages().await.len(), world.calls().await.len()),
        (0, 0, 0)
    );

    let world = calling(&example, query).await;
    let [call] = world.pending().await.try_into().unwrap();
    world.pass(9_990).await;
    assert_eq!(world.results().len(), 0);
    world.pass(20).await;
    assert_eq!(only_result(&world), failure("a1", "fetchExternalData", "Tool timed out after 10000ms"));
    assert_eq!(world.pending().await[0]["status"], "pending");
    assert_eq!(world.submit(&call, found.clone()).await.1["deliveredBy"], "inbox");
    let item = json!({"id": format!("tr:{}", call["toolCallId"].as_str().unwrap()), "type": "tool_result",
        "tool": "fetchExternalData", "callId": call["toolCallId"], "result": found});
    assert_eq!(world.inbox(), [item]);
    assert_eq!(
        world.tool_events().await,
        ["tool.started", "tool.error"],
        "one end, also if the result comes later"
    );
}

/// T004-15, T004-26, T004-41, T004-54, T004-55, T004-57, T004-67: the example that is answered by a person: pending at once,
/// shown as one that needs an answer, and told by the inbox when the answer comes, though the worker died meanwhile.
#[tokio::test(start_paused = true)]
async fn example_confirm_action() {
    let example = config("confirmAction", "space", json!({"visible": true, "isAsync": true}));
    let world = calling(&example, json!({"text": "Confirm booking?"})).await;
    let [call] = world.pending().await.try_into().unwrap();
    assert_eq!(
        only_result(&world)["data"],
        json!({"status": "pending", "pendingToolCallId": call["toolCallId"]})
    );
    let before = json!(["requires_action", "confirmAction", {"text": "Confirm booking?"}, null, null]);
    assert_eq!(world.tool_messages().await, [before]);
    world.reopen().await;
    world.pass(60_000).await;
    assert_eq!(world.submit(&call, json!({"confirmed": true})).await.0, 200);
    let after = json!(["done", "confirmAction", {"text": "Confirm booking?"}, {"confirmed": true}, null]);
    assert_eq!(world.tool_messages().await, [after]);
    let [item] = world.inbox().try_into().unwrap();
    assert_eq!(
        (&item["tool"], &item["callId"], &item["result"]),
        (&json!("confirmAction"), &call["toolCallId"], &json!({"confirmed": true}))
    );
    assert_eq!(world.tool_events().await, ["tool.started", "tool.done"]);
}

/// T004-16, T004-27, T004-28, T004-59, T004-62, T004-64: the example that shows a chart: the arguments are the result at once,
/// and the message has both.
#[tokio::test(start_paused = true)]
async fn example_display_chart() {
    let chart = json!({"kind": "bar", "values": [1, 2, 3]});
    let world = calling(&config("displayChart", "internal", json!({"visible": true})), chart.clone()).await;
    let output = json!({"success": true, "args": chart});
    assert_eq!(only_result(&world)["data"], output);
    assert_eq!(world.tool_messages().await, [json!(["done", "displayChart", chart, output, null])]);
    assert_eq!(world.tool_events().await, ["tool.started", "tool.done"]);
    let message =
        world.timeline().await.into_iter().find(|item| item["message"]["tool"].is_object()).unwrap();
    assert_eq!(
        (&message["message"]["role"], &message["message"]["tool"]["execution"]),
        (&json!("agent"), &json!("internal"))
    );
}

/// T004-58, T004-60, T004-61: a message of a tool is stored and told like any other; what it shows reaches no agent but the one
/// that called, and nothing but the result.
#[tokio::test(start_paused = true)]
async fn tool_messages_trigger_no_agent() {
    let world = calling(&config("displayChart", "internal", json!({"visible": true})), json!({"n": 1})).await;
    let sent = world.messages_sent();
    let kinds: Vec<bool> = sent.iter().map(|sent| sent.body.get("action_result").is_some()).collect();
    assert_eq!((kinds, world.inbox().len()), (vec![false, true], 0));
    let told: Vec<Value> = world
        .events()
        .await
        .into_iter()
        .filter(|event| event.name == "message")
        .filter(|event| event.data["message"]["tool"].is_object())
        .map(|event| event.data["message"]["state"].clone())
        .collect();
    assert_eq!(told, ["done"]);
}

/// T004-29: a silent call leaves nothing in the conversation; it is among the calls, in the events and in the audit log.
#[tokio::test(start_paused = true)]
async fn silent_calls_leave_no_mark() {
    let world = calling(&config("note", "internal", json!({})), json!({"n": 1})).await;
    assert_eq!((world.tool_messages().await.len(), world.calls().await.len()), (0, 0));
    let calls = world.get("/api/calls").await["calls"].as_array().unwrap().clone();
    assert_eq!((&calls[0]["tool"], &calls[0]["visible"]), (&json!("note"), &json!(false)));
    let started = world.events().await.into_iter().find(|event| event.name == "tool.started").unwrap();
    assert_eq!(started.data["call"]["visible"], false);
    let log = world.get("/api/audit").await;
    assert!(
        log["entries"]
            .as_array()
            .unwrap()
            .iter()
            .any(|entry| entry["kind"] == "result" && entry["tool"] == "note"),
        "{log}"
    );
}

/// T004-65, T004-66: a tool that fails has one `tool.error`, and its message says why.
#[tokio::test(start_paused = true)]
async fn failures_are_shown() {
    let fetch = config("fetchWeather", "gateway", json!({"execution": {"url": WEATHER, "method": "GET"}}));
    let (world, agent) = World::with_told_agent().await;
    world.allow(&[HOST]).await;
    world.set_nodes(|_| Answer::status(404));
    world.import(&[fetch]).await;
    world.enter(&world.conversation_id()).await;
    agent.calls(json!([calls("a1", "fetchWeather", json!({}))]));
    world.say("go").await;
    world.answer(json!({"approve": true})).await;
    let error = only_result(&world)["error"].clone();
    assert_eq!(world.tool_messages().await, [json!(["failed", "fetchWeather", {}, null, error])]);
    assert_eq!(world.tool_events().await, ["tool.started", "tool.error"]);
}

/// T004-66: every call that was told to begin is told to end exactly once, whatever its tool and its end.
#[tokio::test(start_paused = true)]
async fn one_end_for_every_call() {
    let (world, agent) = World::with_told_agent().await;
    world.import(&[config("wait", "external", json!({"visible": false, "timeout": 1_000}))]).await;
    agent.calls(json!([read_book("a1"), calls("a2", "nothing", json!({})), calls("a3", "wait", json!({})), {"id": "a4"},
        save_entry("a5", "Alice"), calls("a6", "add_chain", json!({"chains": 7}))]));
    world.say("go").await;
    world.pass(2_000).await;
    world.act_once("add_address_book", json!({"entries": []})).await;
    let mut ends = std::collections::BTreeMap::<String, Vec<String>>::new();
    for event in world.events().await.into_iter().filter(|event| event.name.starts_with("tool.")) {
        let id = event.data["callId"].as_str().or(event.data["call"]["id"].as_str()).unwrap().to_owned();
        ends.entry(id).or_default().push(event.name);
    }
    assert_eq!((ends.len(), world.results().len()), (7, 6));
    for (id, names) in ends {
        assert!(
            names == ["tool.started", "tool.done"] || names == ["tool.started", "tool.error"],
            "{id}: {names:?}"
        );
    }
}

/// T004-20, T004-21: a worker that dies while a tool waits leaves a wait that ends as it would have: with the result inline, or
/// with the same error at the same time, which the alarm brings.
#[tokio::test(start_paused = true)]
async fn waits_survive_the_worker() {
    let tool = config("ask", "space", json!({"timeout": 45_000}));
    let world = calling(&tool, json!({})).await;
    let [call] = world.pending().await.try_into().unwrap();
    world.restart().await;
    world.pass(10_000).await;
    assert_eq!(world.submit(&call, json!("yes")).await.1["deliveredBy"], "inline");
    assert_eq!(only_result(&world)["data"], "yes");

    let world = calling(&tool, json!({})).await;
    world.restart().await;
    world.pass(46_000).await;
    assert_eq!(only_result(&world)["error"], "Tool timed out after 45000ms");
    assert_eq!(world.tool_messages().await[0][0], "failed");
}

/// A call that waits is not taken back by deleting its tool.
#[tokio::test(start_paused = true)]
async fn waits_survive_their_tool() {
    let world = calling(&config("ask", "space", json!({})), json!({})).await;
    let [call] = world.pending().await.try_into().unwrap();
    let path = "/tools/bundles/019a0000-0000-7000-8000-000000000002/tools/ask/version/v1";
    assert_eq!(world.call("DELETE", path, Value::Null).await.0, 204);
    world.restart().await;
    assert_eq!(world.submit(&call, json!("yes")).await.0, 200);
    assert_eq!(only_result(&world)["data"], "yes");
}

/// A waiting call is cancelled with its row in one commit, by the user or by the kill switch; a result afterwards is refused.
#[tokio::test(start_paused = true)]
async fn waits_are_cancelled() {
    for by_switch in [false, true] {
        let world = calling(&config("ask", "space", json!({})), json!({})).await;
        let [call] = world.pending().await.try_into().unwrap();
        let id = call["toolCallId"].as_str().unwrap();
        let status = match by_switch {
            true => world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0,
            false => world.call("POST", &format!("/api/calls/{id}/cancel"), Value::Null).await.0,
        };
        world.settle().await;
        assert_eq!((status, &only_result(&world)["error"]), (200, &json!("Request was cancelled")));
        assert_eq!((world.pending().await.len(), world.submit(&call, json!(1)).await.0), (0, 410));
        assert_eq!(world.tool_events().await, ["tool.started", "tool.error"]);
        assert_eq!((&world.tool_messages().await[0][0], world.inbox().len()), (&json!("failed"), 0));
    }
}

/// T004-72: every execution type is under the same checks: arguments by the schema, the policy's rules, the user's consent.
#[tokio::test(start_paused = true)]
async fn one_pipeline_for_all() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    for kind in ["external", "space", "internal"] {
        for (params, prompts) in [(json!({"n": "x"}), 0), (json!({"n": 1}), 1)] {
            let (world, agent) = World::with_told_agent().await;
            world.import(&[config("tool", kind, json!({"visible": false, "inputSchema": schema}))]).await;
            let deny =
                json!({"tools": [{"tool": "tool", "who": {"kind": "agent"}, "decision": {"kind": "deny"}}]});
            agent.calls(json!([with(calls("a1", "tool", params.clone()), "auto_execute", json!(false))]));
            agent.calls(json!([with(calls("a2", "tool", params), "auto_execute", json!(true))]));
            world.say("go").await;
            assert_eq!((world.prompts().await.len(), world.pending().await.len()), (prompts, 0), "{kind}");
            if prompts == 0 {
                let error = only_result(&world)["error"].clone();
                assert!(error.as_str().unwrap().starts_with("invalid_params: /n "), "{error}");
                continue;
            }
            world.answer(json!({"approve": false})).await;
            assert!(only_result(&world)["error"].as_str().unwrap().starts_with("rejected_by_user"), "{kind}");
            let (status, answer) = world.call("PUT", "/api/policy", deny).await;
            assert_eq!(status, 200, "{answer}");
            world.say("again").await;
            let error = world.results()[1]["error"].clone();
            assert!(error.as_str().unwrap().starts_with("tool_denied"), "{kind}: {error}");
            assert_eq!(world.pending().await.len(), 0);
        }
    }
}

/// T004-66: a page that opens late has the message from the timeline, and the events after that.
#[tokio::test(start_paused = true)]
async fn late_pages_get_a_snapshot() {
    let world = calling(&config("ask", "space", json!({"isAsync": true})), json!({})).await;
    let body = world.get(&format!("/api/conversations/{}/messages", world.conversation_id())).await;
    let shown =
        body["items"].as_array().unwrap().iter().find(|item| item["message"]["tool"].is_object()).unwrap();
    assert_eq!(shown["message"]["state"], "requires_action");
    let [call] = world.pending().await.try_into().unwrap();
    world.submit(&call, json!(1)).await;
    let later: Vec<String> = world
        .events_after(body["lastEventId"].as_u64().unwrap())
        .await
        .into_iter()
        .map(|event| event.name)
        .collect();
    assert!(later.contains(&"tool.done".to_owned()) && later.contains(&"message".to_owned()), "{later:?}");
    assert!(!later.contains(&"tool.started".to_owned()));
}
