//! What the agent answers, refuses and remembers.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod client;

use agent_backend::{Agent, Fault, Options, Request, Script, ScriptedAgent};
use client::{Call, LONG, actions, agent, done, events, message, open, opening, said, send, start};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};

const DEMO: &str = include_str!("../scripts/demo.toml");
const CHAT: &str = include_str!("../scripts/chat.toml");
const ONE: &str = "text = \"a\"\nactions = [{ id = \"{{uuid}}\", type = \"x\" }]";

/// The same key and body bring the same answer with the same ids; it is recorded as a repeat.
#[tokio::test]
async fn replay() {
    let agent = agent(ONE).await;
    let conversation = open(&agent).await;
    let first = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    let again = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    let other = send(&agent, &said(&conversation, "l", "go")).await.unwrap();
    assert_eq!(first.text(), again.text());
    assert_ne!(actions(&first.text()), actions(&other.text()));
    let repeats: Vec<_> = agent.requests().into_iter().map(|request| request.repeat).collect();
    assert_eq!(repeats, [false, false, true, false]);
}

#[tokio::test]
async fn key_belongs_to_one_request() {
    let agent = agent(ONE).await;
    let (conversation, elsewhere) = (open(&agent).await, open(&agent).await);
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    for request in [said(&conversation, "k", "go on"), said(&elsewhere, "k", "go")] {
        let reply = send(&agent, &request).await.unwrap();
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (409, &json!("idempotency_key_reused")));
    }
    assert_eq!(agent.violations().len(), 2);
}

/// Every client error has a status, and all but token, route and conversation are violations.
#[tokio::test]
async fn client_errors_are_refused() {
    let script = Script::parse(&format!("[[turn]]\nwhen.message = \"go\"\n{ONE}")).unwrap();
    let options = Options { token: Some("t".into()), ..Options::default() };
    let agent = Agent::start(script, options).await.unwrap();
    let with_token = |request: Request| request.header("Authorization", "Bearer t");
    let conversation =
        send(&agent, &with_token(opening())).await.unwrap().json()["id"].as_str().unwrap().to_owned();
    let result =
        |result: Value| message(&conversation, "r", &json!({"public_key": "p", "action_result": result}));

    let mut keyless = said(&conversation, "k", "go");
    keyless.headers.retain(|(name, _)| name != "Idempotency-Key");
    let mut not_json = said(&conversation, "k", "go");
    not_json.body = b"{".to_vec();
    let mut text = said(&conversation, "k", "go");
    text.headers[0].1 = "text/plain".into();
    let mut get = opening();
    get.method = "GET".into();

    let mut broken = 0;
    for (request, status, code, violation) in [
        (opening(), 401, "unauthorized", false),
        (said(&conversation, "k", "go").header("Authorization", "Bearer x"), 401, "unauthorized", false),
        (with_token(get), 405, "method_not_allowed", false),
        (with_token(Request::post("/agent/starters", &json!({}))), 404, "not_found", false),
        (with_token(said("nobody", "k", "go")), 404, "unknown_conversation", false),
        (with_token(Request::post("/agent/conversations", &json!({}))), 400, "invalid_request", true),
        (with_token(keyless), 400, "idempotency_key_missing", true),
        (with_token(not_json), 400, "invalid_request", true),
        (with_token(text), 415, "unsupported_media_type", true),
        (with_token(message(&conversation, "k", &json!({"public_key": "p"}))), 400, "invalid_request", true),
        (with_token(message(&conversation, "k", &json!([]))), 400, "invalid_request", true),
        (with_token(result(json!({"action": "x"}))), 422, "invalid_action_result", true),
        (
            with_token(result(json!({"action": "x", "action_id": "1", "success": false}))),
            422,
            "invalid_action_result",
            true,
        ),
    ] {
        let reply = send(&agent, &request).await.unwrap();
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (status, &json!(code)));
        let last = agent.requests().pop().unwrap();
        assert_eq!((last.status, last.refused.as_deref()), (status, Some(code)));
        broken += usize::from(violation);
        assert_eq!(agent.violations().len(), broken, "{:?}", agent.violations());
    }
    assert_eq!(agent.results(), []);
}

/// T000-13, T000-14, D1: a result names a proposed action, by its type, under one key.
#[tokio::test]
async fn results_must_match_proposals() {
    let agent = agent("actions = [{ id = \"a\", type = \"x\" }, { id = \"b\" }]").await;
    let conversation = open(&agent).await;
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    for (key, action, id, violations) in [
        ("r1", "x", "a", 0),
        ("r1", "x", "a", 0),
        ("r2", "", "b", 0),
        ("r3", "x", "a", 1),
        ("r4", "x", "c", 2),
    ] {
        assert_eq!(send(&agent, &done(&conversation, key, action, id)).await.unwrap().status, 200);
        assert_eq!(agent.violations().len(), violations, "{:?}", agent.violations());
    }
    let repeats: Vec<_> = agent.results().into_iter().map(|result| result.repeat).collect();
    assert_eq!(repeats, [false, true, false, true, false]);
    let renamed = agent_with_renamed_type().await;
    assert!(renamed[0].contains("T000-13"), "{renamed:?}");
}

async fn agent_with_renamed_type() -> Vec<String> {
    let agent = agent("actions = [{ id = \"a\", type = \"address_book_add\" }]").await;
    let conversation = open(&agent).await;
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    send(&agent, &done(&conversation, "r", "add_address_book", "a")).await.unwrap();
    agent.violations()
}

/// D4: a bundle whose receipt came after the deadline may be reported once more.
#[tokio::test]
async fn late_result_is_not_a_violation() {
    let agent = agent("actions = [{ id = \"a\", type = \"sign_transaction_bundle\" }]").await;
    let conversation = open(&agent).await;
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    for (key, status) in [("r1", "timeout"), ("r2", "confirmed")] {
        let result = json!({"action": "sign_transaction_bundle", "action_id": "a", "success": true,
            "data": {"transactions": [{"status": status}]}});
        let request = message(&conversation, key, &json!({"public_key": "p", "action_result": result}));
        assert_eq!(send(&agent, &request).await.unwrap().status, 200);
    }
    assert_eq!(agent.violations(), [] as [&str; 0]);
}

/// A stopped agent drops old and new connections; restarted, it has its state again on the same port.
#[tokio::test]
async fn stop_and_restart() {
    let agent = agent(ONE).await;
    let (conversation, url) = (open(&agent).await, agent.url());
    let before = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    agent.set_fault(Fault::hold_results());
    let call = Call::send(&agent, &done(&conversation, "r", "x", "")).await.unwrap();
    agent.wait_for(|state| (state.held() == 1).then_some(()), LONG).await.unwrap();

    agent.stop().await;
    assert_eq!(call.finish().await, None);
    assert_eq!(agent.held(), 0);
    assert!(Call::send(&agent, &opening()).await.is_err());

    agent.restart().await.unwrap();
    agent.release();
    assert_eq!(agent.url(), url);
    let after = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert_eq!(before.text(), after.text());
    assert_eq!(agent.results().len(), 1);
}

#[tokio::test]
async fn browsers_are_allowed() {
    let agent = agent(ONE).await;
    let mut preflight = opening();
    preflight.method = "OPTIONS".into();
    let reply = send(&agent, &preflight).await.unwrap();
    assert_eq!(reply.status, 204);
    assert!(reply.header("access-control-allow-headers").unwrap().contains("Idempotency-Key"));
    assert_eq!(agent.requests(), []);
    for request in [opening(), Request::post("/agent/conversations", &json!({}))] {
        let reply = send(&agent, &request).await.unwrap();
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    }
    // What was received is for the program that started the agent, not for web pages.
    let mut results = opening();
    (results.method, results.path) = ("GET".into(), "/control/results".into());
    assert_eq!(send(&agent, &results).await.unwrap().header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn timeout_says_what_was_seen() {
    let agent = agent(ONE).await;
    open(&agent).await;
    let timeout = agent.wait_for(|_| None::<()>, std::time::Duration::ZERO).await.unwrap_err();
    assert!(timeout.to_string().contains("/agent/conversations 200"), "{timeout}");
}

/// The program prints its URL, then every result; faults are set and the record is read over HTTP.
#[tokio::test]
async fn program_serves_a_script() {
    let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_countersign-agent"))
        .args(["--script", concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/chat.toml")])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().unwrap();
    let at = |request: Request| {
        let url = url.clone();
        async move { client::send_to(&url, &request).await.unwrap() }
    };
    let control = |method: &str, name: &str, body: Value| {
        let mut request = Request::post(format!("/control/{name}"), &body);
        request.method = method.into();
        at(request)
    };
    let conversation = at(opening()).await.json()["id"].as_str().unwrap().to_owned();
    let stream = at(said(&conversation, "k", "one action")).await.text();
    let id = actions(&stream)[0]["id"].as_str().unwrap().to_owned();

    let fault = json!({"kind": "status", "status": 503, "on": "results", "times": 1});
    assert_eq!(control("POST", "fault", fault).await.status, 200);
    assert_eq!(at(done(&conversation, "r", "get_address_book", &id)).await.status, 503);
    assert_eq!(control("POST", "fault", json!({"kind": "status", "status": 500})).await.status, 200);
    assert_eq!(control("POST", "clear", json!({})).await.status, 200);
    assert_eq!(control("POST", "release", json!({})).await.status, 200);
    assert_eq!(control("POST", "fault", json!({"kind": "cat"})).await.status, 400);
    assert_eq!(at(done(&conversation, "r", "get_address_book", &id)).await.status, 200);
    assert_eq!(lines.next_line().await.unwrap().unwrap(), format!("get_address_book {id}: ok {{}}"));

    let results = control("GET", "results", json!({})).await.json();
    assert_eq!((results.as_array().unwrap().len(), &results[0]["action_id"]), (1, &json!(id)));
    assert_eq!(control("GET", "requests", json!({})).await.json().as_array().unwrap().len(), 4);
    assert_eq!(control("GET", "violations", json!({})).await.json(), json!([]));
    assert_eq!(control("GET", "held", json!({})).await.json(), json!(0));
}

/// Sends a request without a socket. Returns the answer's text.
fn ask(scripted: &mut ScriptedAgent, request: Request) -> String {
    let answer = scripted.answer(request);
    assert_eq!(answer.status, 200);
    String::from_utf8(answer.bytes()).unwrap()
}

fn open_in(scripted: &mut ScriptedAgent) -> String {
    serde_json::from_str::<Value>(&ask(scripted, opening())).unwrap()["id"].as_str().unwrap().to_owned()
}

fn content(text: &str) -> String {
    let (_, data) = events(text).into_iter().find(|(name, _)| name == "message").unwrap();
    serde_json::from_str::<Value>(&data).unwrap()["message"]["content"].as_str().unwrap().to_owned()
}

/// The demo: five actions in order, an empty answer to each result but the last, then a summary; repeatable.
#[test]
fn demo_script() {
    let mut scripted = ScriptedAgent::new(Script::parse(DEMO).unwrap(), 7);
    let conversation = open_in(&mut scripted);
    let mut seen = Vec::new();
    for round in 0..2 {
        let text = ask(&mut scripted, said(&conversation, &format!("k{round}"), "Please save my CONTACTS"));
        let proposed = actions(&text);
        let kinds: Vec<_> = proposed.iter().map(|action| action["type"].as_str()).collect();
        assert_eq!(
            kinds,
            [
                Some("add_address_book"),
                Some("address_book_add"),
                None,
                Some("order_pizza"),
                Some("get_address_book")
            ]
        );
        for (at, action) in proposed.iter().enumerate() {
            let id = action["id"].as_str().unwrap().to_owned();
            let success = at != 2 && at != 3;
            let mut result = json!({"action": action["type"].as_str().unwrap_or_default(), "action_id": id,
                "success": success, "data": {"total_count": 3}});
            if !success {
                result["error"] = json!("unknown_tool");
            }
            let body = json!({"public_key": "02ab", "action_result": result});
            let said = content(&ask(&mut scripted, message(&conversation, &id, &body)));
            if at < 4 {
                assert_eq!(said, "");
            } else {
                assert!(said.starts_with("Done: 3 of my requests were carried out and 2 were not"), "{said}");
                assert!(said.ends_with("Contacts in your address book: 3."), "{said}");
            }
            assert!(!seen.contains(&id));
            seen.push(id);
        }
    }
    assert!(content(&ask(&mut scripted, said(&conversation, "h", "hm?"))).contains("save my contacts"));
    assert_eq!(scripted.record().violations, [] as [&str; 0]);
    assert_eq!(scripted.record().delivered().count(), 10);
}

/// The other script: labels, repeated ids, split actions, conditions on success, extra events.
#[test]
fn chat_script() {
    let mut scripted = ScriptedAgent::new(Script::parse(CHAT).unwrap(), 7);
    let conversation = open_in(&mut scripted);
    let mut turn = 0;
    let mut say = |scripted: &mut ScriptedAgent, what: &str| {
        turn += 1;
        ask(scripted, said(&conversation, &format!("k{turn}"), what))
    };
    assert_eq!(content(&say(&mut scripted, "Hello")), "Hello, this is answer 1.");
    assert_eq!(content(&say(&mut scripted, "xyz")), "There is nothing in my script for that.");
    let one = actions(&say(&mut scripted, "one action"));
    assert_eq!(actions(&say(&mut scripted, "same again")), one);
    let split = say(&mut scripted, "split");
    assert_eq!(events(&split).iter().filter(|(name, _)| name == "actions").count(), 3);
    assert_eq!(actions(&split).len(), 3);
    assert!(
        say(&mut scripted, "extra")
            .contains(": ping\n\nevent: tool_progress\ndata: {\"label\":\"Searching\"")
    );
    let document: Value = serde_json::from_str(&say(&mut scripted, "document")).unwrap();
    assert_eq!(document["actions"][0]["type"], "get_address_book");

    let id = one[0]["id"].as_str().unwrap();
    let result = |key: &str, extra: Value| {
        let mut result = json!({"action": "get_address_book", "action_id": id});
        result.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        message(&conversation, key, &json!({"public_key": "p", "action_result": result}))
    };
    let good = result("r", json!({"success": true, "data": {"total_count": 4}}));
    assert_eq!(content(&ask(&mut scripted, good)), "You have 4 contacts.");
    let bad = result("s", json!({"success": false, "error": "locked"}));
    assert_eq!(content(&ask(&mut scripted, bad)), "That did not work.");
}

/// The same seed and requests give the same bytes, so that a failing run can be repeated.
#[test]
fn runs_are_repeatable() {
    let run = |seed| {
        let mut scripted = ScriptedAgent::new(Script::parse(CHAT).unwrap(), seed);
        let conversation = open_in(&mut scripted);
        ask(&mut scripted, said(&conversation, "k", "split"))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// A turn marked `once` leaves the next message to the turn after it.
#[tokio::test]
async fn once_turn_answers_once() {
    let agent = start(
        "[[turn]]\nwhen.any_message = true\nonce = true\ntext = \"first\"\n\
         [[turn]]\nwhen.any_message = true\ntext = \"later\"",
    )
    .await;
    let conversation = open(&agent).await;
    for (key, expected) in [("a", "first"), ("b", "later"), ("a", "first"), ("c", "later")] {
        let reply = send(&agent, &said(&conversation, key, "x")).await.unwrap();
        assert_eq!(content(&reply.text()), expected);
    }
}

const TOOLS: &str = include_str!("../scripts/tools.toml");

fn weather_tool() -> Value {
    json!({"name": "get_weather", "description": "The weather in a city.", "asks": false,
        "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}})
}

fn with_tools(conversation: &str, key: &str, text: &str, tools: &Value) -> Request {
    let body = json!({"public_key": "02ab", "content": text, "context": {"tools": tools}});
    message(conversation, key, &body)
}

/// An agent proposes a tool if it is declared, uses its result, and forgets it when it is no longer declared.
#[test]
fn declared_tools() {
    let mut scripted = ScriptedAgent::new(Script::parse(TOOLS).unwrap(), 7);
    let conversation = open_in(&mut scripted);
    let none = ask(&mut scripted, said(&conversation, "k1", "What is the weather in Lisbon?"));
    assert_eq!(content(&none), "I have no tool for the weather. I may use: none.");

    let text = "What is the weather in Lisbon?";
    let proposed = ask(&mut scripted, with_tools(&conversation, "k2", text, &json!([weather_tool()])));
    assert_eq!(content(&proposed), "I'll look up the weather in Lisbon.");
    let action = actions(&proposed).remove(0);
    assert_eq!((&action["type"], &action["params"]), (&json!("get_weather"), &json!({"city": "Lisbon"})));
    assert_eq!(scripted.record().tools[0].name, "get_weather");

    let result = |key: &str, success: bool, more: Value| {
        let mut result = json!({"action": "get_weather", "action_id": action["id"], "success": success});
        result.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message(&conversation, key, &json!({"public_key": "02ab", "action_result": result}))
    };
    let told = ask(&mut scripted, result("r1", true, json!({"data": {"temperature": 21.5}})));
    assert_eq!(content(&told), "The weather service says: {\"temperature\":21.5}");

    // What a request does not mention stays declared; an empty list ends it.
    assert_eq!(actions(&ask(&mut scripted, said(&conversation, "k3", "weather in Rome"))).len(), 1);
    let switched_off = ask(&mut scripted, with_tools(&conversation, "k4", "weather in Rome", &json!([])));
    assert_eq!(content(&switched_off), "I have no tool for the weather. I may use: none.");
    assert_eq!(scripted.record().tools, []);
    assert_eq!(scripted.record().violations, [] as [&str; 0]);
}

#[test]
fn failed_tool_is_told_and_declarations_are_read() {
    let script = "
        [[turn]]
        when.message = 'describe'
        when.tool = 'get_weather'
        text = '{{tool:get_weather:/description}} {{tool:get_weather:/asks}} {{tool:get_weather:/schema/required/0}} {{tool:other:/asks}}'
        [[turn]]
        when.message = 'go'
        actions = [{ id = '{{uuid:a}}', type = 'get_weather' }]
        [[turn]]
        when.any_result = true
        when.no_tool = 'place_order'
        text = 'It failed: {{error:a}}'
    ";
    let mut scripted = ScriptedAgent::new(Script::parse(script).unwrap(), 7);
    let conversation = open_in(&mut scripted);
    let tools = json!([weather_tool()]);
    let described = ask(&mut scripted, with_tools(&conversation, "k1", "describe", &tools));
    assert_eq!(content(&described), "The weather in a city. false city ?");
    let id = actions(&ask(&mut scripted, said(&conversation, "k2", "go")))[0]["id"].clone();
    let failed =
        json!({"action": "get_weather", "action_id": id, "success": false, "error": "http_status: 503"});
    let body = json!({"public_key": "02ab", "action_result": failed, "context": {"tools": tools}});
    assert_eq!(
        content(&ask(&mut scripted, message(&conversation, "r", &body))),
        "It failed: http_status: 503"
    );
}

/// A message that is repeated with other tools is the same message; one with a malformed context is refused.
#[tokio::test]
async fn context_is_not_part_of_the_message() {
    let agent = start(TOOLS).await;
    let conversation = open(&agent).await;
    let text = "weather in Oslo";
    let first = send(&agent, &with_tools(&conversation, "k", text, &json!([weather_tool()]))).await.unwrap();
    let again = send(&agent, &with_tools(&conversation, "k", text, &json!([]))).await.unwrap();
    assert_eq!((first.status, first.text()), (again.status, again.text()));
    assert_eq!(agent.tools(), []);
    let wrong = send(&agent, &with_tools(&conversation, "l", text, &json!([{"name": "A"}]))).await.unwrap();
    assert_eq!((wrong.status, &wrong.json()["error"]["code"]), (422, &json!("invalid_context")));
    assert_eq!(agent.violations().len(), 1);
}

/// Items of the inbox are answered by their own turns, told once under one key, and recorded.
#[tokio::test]
async fn inbox() {
    let agent = start(
        r#"
        [[turn]]
        when.inbox_tool = "confirmAction"
        text = "Confirmed: {{inbox:/result/ok}}"
        [[turn]]
        when.inbox = "plan_due"
        text = "Time for {{inbox:/plan/text}}"
        [[turn]]
        when.any_message = true
        text = "Hello"
        "#,
    )
    .await;
    let conversation = open(&agent).await;
    let told =
        |key: &str, item: &Value| message(&conversation, key, &json!({"public_key": "p", "inbox": [item]}));
    let result = json!({"id": "tr:c", "type": "tool_result", "tool": "confirmAction", "callId": "c", "result": {"ok": true}});
    let due = json!({"id": "plan:1:5", "type": "plan_due", "plan": {"text": "rent"}});
    let other = json!({"id": "x", "type": "future"});
    let said = async |key: &str, item: &Value| {
        let reply = send(&agent, &told(key, item)).await.unwrap();
        let last = events(&reply.text()).into_iter().find(|(name, _)| name == "message").unwrap().1;
        serde_json::from_str::<Value>(&last).unwrap()["message"]["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(said("k1", &result).await, "Confirmed: true");
    assert_eq!(said("k1", &result).await, "Confirmed: true");
    assert_eq!(said("k2", &due).await, "Time for rent");
    assert_eq!(said("k3", &other).await, "");
    assert_eq!(agent.violations(), [] as [&str; 0]);
    said("k4", &due).await;
    assert_eq!(agent.violations().len(), 1);
    let seen: Vec<_> = agent.inbox().into_iter().map(|item| (item.id, item.repeat)).collect();
    let expected = [("tr:c", false), ("tr:c", true), ("plan:1:5", false), ("x", false), ("plan:1:5", true)];
    assert_eq!(seen, expected.map(|(id, repeat)| (id.to_owned(), repeat)));
}

/// Parameters are streamed before the action, and results of pending calls are sent, in every dialect.
#[tokio::test]
async fn tool_input_and_results() {
    let turn = |dialect: &str| {
        format!(
            r#"
            dialect = "{dialect}"
            actions = [{{ id = "a", type = "t", params = {{ city = "Bern" }} }}]
            events = [
              {{ tool_input = 8 }},
              {{ tool_input = {{ id = "b", type = "u", delta = '{{"x' }} }},
              {{ tool_results = [{{ run_id = "r", call_id = "{{{{pending:x}}}}", result = 1 }}] }},
            ]
            "#
        )
    };
    let results = r#"{"tool_results":[{"call_id":"?","result":1,"run_id":"r"}]}"#;
    let stream = async |dialect: &str| {
        let agent = agent(&turn(dialect)).await;
        let conversation = open(&agent).await;
        send(&agent, &said(&conversation, "k", "go")).await.unwrap()
    };
    let named = events(&stream("events").await.text());
    let listed: Vec<_> = named.iter().map(|(name, data)| (name.as_str(), data.as_str())).collect();
    assert_eq!(
        listed[..4],
        [
            ("tool_input", r#"{"delta":"{\"city\":","id":"a","type":"t"}"#),
            ("tool_input", r#"{"delta":"\"Bern\"}","id":"a","type":"t"}"#),
            ("tool_input", r#"{"delta":"{\"x","id":"b","type":"u"}"#),
            ("tool_results", results),
        ]
    );
    let typed: Vec<Value> = events(&stream("ui-message-stream").await.text())
        .iter()
        .filter_map(|(_, data)| serde_json::from_str(data).ok())
        .collect();
    assert_eq!(
        typed[1..7],
        [
            json!({"type": "tool-input-start", "toolCallId": "a", "toolName": "t"}),
            json!({"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": "{\"city\":"}),
            json!({"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": "\"Bern\"}"}),
            json!({"type": "tool-input-start", "toolCallId": "b", "toolName": "u"}),
            json!({"type": "tool-input-delta", "toolCallId": "b", "inputTextDelta": "{\"x"}),
            json!({"type": "data-tool_results", "data": serde_json::from_str::<Value>(results).unwrap()}),
        ]
    );
    let document = stream("json").await.json();
    assert_eq!(document["tool_results"][0]["run_id"], json!("r"));
}
