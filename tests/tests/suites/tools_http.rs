//! HTTP tools through the whole core: what is sent, how often, what comes of it, and what a worker's death leaves.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;

pub(crate) const HOST: &str = "api.example.org";
const URL: &str = "https://api.example.org/v1/weather?q=${city}";

/// A world with a tool `weather` of this `impl`, whose host is allowed.
async fn with_tool(block: Value) -> World {
    let world = World::with_bundle().await;
    world.allow(&[HOST]).await;
    world.put(&tool_path("weather"), weather(block)).await;
    world
}

/// The body of the tool.
pub(crate) fn weather(block: Value) -> Value {
    let mut block = block;
    let fields = block.as_object_mut().unwrap();
    fields.entry("urlTemplate").or_insert(json!(URL));
    let mut body = tool_body(json!({"impl": block, "category": "read"}));
    body.as_object_mut().unwrap().remove("outputSchema");
    body
}

/// The arguments of most calls.
fn rome() -> Value {
    json!({"args": {"city": "Rome"}})
}

async fn invoke(world: &World, args: Value) -> (u16, Value) {
    world.call("POST", &format!("{}/invoke", tool_path("weather")), args).await
}

/// What the tool gives for a city.
async fn value(world: &World) -> Value {
    let (status, answer) = invoke(world, rome()).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// How often something was sent, and when.
pub(crate) fn sent_at(world: &World) -> Vec<u64> {
    world.node_calls().iter().map(|call| call.at).collect()
}

/// The outcomes of attempts in the audit log, oldest first.
pub(crate) async fn outcomes(world: &World) -> Vec<String> {
    let log = world.get("/api/audit").await;
    let entries = log["entries"].as_array().unwrap().iter().rev();
    let requests = entries.filter(|entry| entry["kind"] == "tool_request");
    requests.map(|entry| entry["outcome"].as_str().unwrap().to_owned()).collect()
}

pub(crate) async fn metrics(world: &World) -> (u64, u64) {
    let metrics = &world.get(&tool_path("weather")).await["metrics"];
    (metrics["callCount"].as_u64().unwrap(), metrics["failureCount"].as_u64().unwrap())
}

/// Answers one after the other; the last for ever.
fn one_after_the_other(world: &World, answers: Vec<Answer>) {
    let next = Cell::new(0);
    world.set_nodes(move |_| {
        let at = next.replace(next.get() + 1);
        answers[at.min(answers.len() - 1)].clone()
    });
}

pub(crate) fn good() -> Answer {
    Answer::json(&json!({"weather": {"text": "sun"}}))
}

/// T002-10, T002-22, T002-33, T002-54, T002-72: the request is built from templates, sent once, and its value is extracted;
/// the answer has nothing else at its top.
#[tokio::test(start_paused = true)]
async fn a_tool_is_invoked() {
    let block = json!({"urlTemplate": "https://api.example.org/v1/${city}?q=${city}&v=${version}",
        "headers": {"X-Version": "weather/${version}"}, "extractExpr": "$.weather.text"});
    let world = with_tool(block).await;
    world.set_nodes(|_| good());
    let (status, answer) = invoke(&world, json!({"args": {"city": "São/&"}})).await;
    assert_eq!((status, answer), (200, json!({"ok": true, "value": "sun"})));
    let [call] = world.node_calls().try_into().unwrap();
    let expected =
        ("GET", "https://api.example.org/v1/S%C3%A3o%2F%26?q=S%C3%A3o%2F%26&v=v1", Some("weather/v1"));
    assert_eq!((call.method.as_str(), call.url.as_str(), call.header("x-version")), expected);
    assert_eq!(call.body, Value::Null);
    assert_eq!((outcomes(&world).await, metrics(&world).await), (vec!["200".to_owned()], (1, 0)));
    let log = world.get("/api/audit").await.to_string();
    assert!(!log.contains("v1/S") && log.contains(HOST), "{log}");
}

/// T002-24: a body is a template too, with arguments escaped where they stand.
#[tokio::test(start_paused = true)]
async fn a_body_is_sent() {
    let block = json!({"method": "POST", "bodyTemplate": r#"{"q": "${city}"}"#});
    let world = with_tool(block).await;
    world.set_nodes(|_| good());
    let (_, answer) = invoke(&world, json!({"args": {"city": "a\"b\n"}})).await;
    assert_eq!(answer["ok"], true);
    let [call] = world.node_calls().try_into().unwrap();
    assert_eq!((call.method.as_str(), &call.body), ("POST", &json!({"q": "a\"b\n"})));
    assert_eq!(call.header("content-type"), Some("application/json"));
}

/// T002-68, D11: arguments that break the schema are answered with their place, and nothing is sent, written or counted;
/// what is absent gets its default.
#[tokio::test(start_paused = true)]
async fn arguments_are_checked_first() {
    let world = World::with_bundle().await;
    world.allow(&[HOST]).await;
    let schema = json!({"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string"}, "days": {"type": "integer", "default": 3}}});
    let mut body = weather(json!({"urlTemplate": "https://api.example.org/${city}/${days}"}));
    body["argSchema"] = schema;
    world.put(&tool_path("weather"), body).await;
    world.set_nodes(|_| good());
    let calls = world.records().await["calls"].clone();
    for (args, path) in [
        (json!({"args": {"city": 7}}), "/args/city"),
        (json!({"args": {}}), "/args/city"),
        (json!({}), "/args/city"),
        (json!({"args": {"city": "x", "days": "y"}}), "/args/days"),
        (json!({"args": []}), "/args"),
    ] {
        let (status, answer) = invoke(&world, args.clone()).await;
        let error = &answer["error"];
        assert_eq!(
            (status, &error["code"], &error["path"]),
            (400, &json!("invalid_params"), &json!(path)),
            "{args}"
        );
    }
    assert_eq!((world.node_calls(), metrics(&world).await), (vec![], (0, 0)));
    assert_eq!(world.records().await["calls"], calls);
    assert_eq!(invoke(&world, rome()).await.1["ok"], true);
    assert_eq!(world.node_calls()[0].url, "https://api.example.org/Rome/3");
}

/// T002-74: a tool that cannot be called is refused before its arguments are looked at.
#[tokio::test(start_paused = true)]
async fn a_tool_that_is_off_is_not_called() {
    let world = with_tool(json!({})).await;
    let path = format!("{}/invoke", tool_path("weather"));
    let refused = async |reason: &str| {
        let (status, answer) = world.call("POST", &path, json!({"args": {"city": 7}})).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"]), (403, &json!("tool_disabled")));
        assert!(error["message"].as_str().unwrap().ends_with(reason), "{error}");
    };
    world.switch(&tool_path("weather"), false).await;
    refused("tool_disabled").await;
    world.switch(&bundle_path(BUNDLE), false).await;
    refused("bundle_disabled").await;
    world.switch(&bundle_path(BUNDLE), true).await;
    world.switch(&tool_path("weather"), true).await;
    world.allow(&[]).await;
    refused("host_not_allowed").await;
    let gone = format!("{}/invoke", tool_path("other"));
    assert_eq!(world.refused("POST", &gone, rome()).await, (404, "tool_not_found".to_owned()));
    assert_eq!(world.refused("GET", &path, Value::Null).await.0, 405);
    assert_eq!(world.node_calls(), []);
}

/// T002-78: a built-in is invoked like any other, and is refused like any other.
#[tokio::test(start_paused = true)]
async fn a_built_in_is_invoked() {
    let world = World::new().await;
    let path = path_of(WALLET_BUNDLE, "get-address-book", "v1");
    let (status, answer) = world.call("POST", &format!("{path}/invoke"), json!({})).await;
    assert_eq!((status, answer), (200, json!({"ok": true, "value": {"entries": [], "total_count": 0}})));
    world.browser.set_toolbox_unavailable(true);
    assert_eq!(world.call("POST", &format!("{path}/invoke"), json!({})).await.0, 200, "it needs no toolbox");
    world.browser.set_toolbox_unavailable(false);
    let metrics = world.get(&path).await["metrics"].clone();
    assert_eq!((&metrics["callCount"], &metrics["failureCount"]), (&json!(2), &json!(0)));
    world.switch(&path, false).await;
    assert_eq!(
        world.refused("POST", &format!("{path}/invoke"), json!({})).await,
        (403, "tool_disabled".to_owned())
    );
    let result = world.act_once("get_address_book", json!({})).await;
    assert_eq!(result["error"], "tool_disabled: the tool cannot be called: tool_disabled");
}

/// T002-25, T002-27, T002-28, T002-30: what the host answers becomes a value, an error, or `null` where the tool says so.
#[tokio::test(start_paused = true)]
async fn answers_become_values() {
    let text = |body: &str| Answer::Http(200, "text/plain", body.to_owned());
    let failed = |code: &str| json!({"ok": false, "code": code});
    for (block, answer, expected) in [
        (json!({}), good(), json!({"ok": true, "value": {"weather": {"text": "sun"}}})),
        (json!({}), Answer::status(404), failed("http_status")),
        (json!({}), text("no JSON"), failed("response_not_json")),
        (json!({"responseEncoding": "text"}), text("t = 7 C"), json!({"ok": true, "value": "t = 7 C"})),
        (
            json!({"responseEncoding": "text", "extractExpr": r"(\d+) C"}),
            text("t = 7 C"),
            json!({"ok": true, "value": "7"}),
        ),
        (json!({"extractExpr": "$.none"}), good(), failed("no_match")),
        (json!({"successCodes": [404]}), Answer::status(404), json!({"ok": true, "value": {}})),
        (json!({"successCodes": [201]}), good(), failed("http_status")),
        (json!({"errorMode": "empty"}), Answer::status(404), json!({"ok": true, "value": null})),
        (json!({"errorMode": "empty", "maxRetries": 0}), Answer::Down, json!({"ok": true, "value": null})),
        (json!({"errorMode": "empty"}), Answer::Redirect, json!({"ok": true, "value": null})),
        (
            json!({"responseEncoding": "text"}),
            Answer::Bytes("text/plain", b"\xef\xbb\xbfcaf\xe9".to_vec()),
            json!({"ok": true, "value": "caf\u{fffd}"}),
        ),
    ] {
        let world = with_tool(block.clone()).await;
        one_after_the_other(&world, vec![answer]);
        let mut answer = value(&world).await;
        if let Some(error) = answer["error"].as_str() {
            answer = failed(error.split(':').next().unwrap());
        }
        assert_eq!(answer, expected, "{block}");
    }
}

/// T002-71: a value that breaks the output's schema is an error, also where failures give `null`.
#[tokio::test(start_paused = true)]
async fn values_are_checked() {
    let world = World::with_bundle().await;
    world.allow(&[HOST]).await;
    let mut body = weather(json!({"extractExpr": "$.weather.text", "errorMode": "empty"}));
    body["outputSchema"] = json!({"type": "string", "maxLength": 3});
    world.put(&tool_path("weather"), body).await;
    one_after_the_other(&world, vec![good(), Answer::json(&json!({"weather": {"text": "cloudy"}}))]);
    assert_eq!(value(&world).await, json!({"ok": true, "value": "sun"}));
    let error = value(&world).await["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("output_mismatch: "), "{error}");
    assert_eq!(metrics(&world).await, (2, 1));
}

/// T002-70: what may pass is tried again, after pauses that grow; each attempt is in the audit log.
#[tokio::test(start_paused = true)]
async fn passing_failures_are_tried_again() {
    for failure in [408, 425, 429, 500, 502, 503, 504, 0] {
        let world = with_tool(json!({"maxRetries": 2})).await;
        let fails = if failure == 0 { Answer::Down } else { Answer::status(failure) };
        one_after_the_other(&world, vec![fails.clone(), fails.clone(), good()]);
        assert_eq!(value(&world).await["ok"], true, "{failure}");
        let at = sent_at(&world);
        let pauses = (at[1] - at[0], at[2] - at[1]);
        assert!((125..=251).contains(&pauses.0) && (250..=501).contains(&pauses.1), "{pauses:?}");
        let outcome = if failure == 0 { "host_unreachable".to_owned() } else { failure.to_string() };
        assert_eq!(outcomes(&world).await, [outcome.as_str(), &outcome, "200"]);
        assert_eq!(metrics(&world).await, (1, 0));
        one_after_the_other(&world, vec![fails]);
        assert_eq!(value(&world).await["ok"], false, "{failure}");
        assert_eq!(
            (sent_at(&world).len(), metrics(&world).await),
            (6, (2, 1)),
            "no more than the tool allows"
        );
    }
}

/// T002-70: other failures are not tried again: another attempt would be answered so too.
#[tokio::test(start_paused = true)]
async fn other_failures_are_not() {
    for (answer, code) in [
        (Answer::status(400), "http_status"),
        (Answer::status(401), "http_status"),
        (Answer::status(501), "http_status"),
        (Answer::Redirect, "redirect_refused"),
        (Answer::Http(200, "text/plain", "x".repeat(2_000_000)), "response_too_large"),
    ] {
        let world = with_tool(json!({})).await;
        one_after_the_other(&world, vec![answer]);
        let error = value(&world).await["error"].as_str().unwrap().to_owned();
        assert_eq!((error.split(':').next(), sent_at(&world).len()), (Some(code), 1), "{error}");
    }
}

/// T002-70: a host that says when to come back is not asked before; one that says a time that is too late, not again.
#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    let world = with_tool(json!({})).await;
    one_after_the_other(&world, vec![Answer::RetryAfter(429, 4), good()]);
    assert_eq!(value(&world).await["ok"], true);
    let at = sent_at(&world);
    assert!((4_000..4_010).contains(&(at[1] - at[0])), "{at:?}");
    one_after_the_other(&world, vec![Answer::RetryAfter(429, 60), good()]);
    let before = world.browser.now();
    assert_eq!(value(&world).await["ok"], false);
    assert!(world.browser.now() - before < 100 && sent_at(&world).len() == 3);
}

/// T002-70: what cannot be repeated is sent once, and if no answer came its outcome is unknown, which no mode hides; with a
/// key that makes it repeatable, all attempts have the same one.
#[tokio::test(start_paused = true)]
async fn what_cannot_be_repeated_is_sent_once() {
    for method in ["POST", "PATCH"] {
        let world = with_tool(json!({"method": method, "errorMode": "empty"})).await;
        one_after_the_other(&world, vec![Answer::status(503), Answer::Down]);
        assert_eq!(value(&world).await, json!({"ok": true, "value": null}));
        let error = value(&world).await["error"].as_str().unwrap().to_owned();
        assert!(error.starts_with("outcome_unknown: "), "{error}");
        assert_eq!(outcomes(&world).await, ["503", "outcome_unknown"]);
        assert_eq!(sent_at(&world).len(), 2);
    }
    for method in ["PUT", "DELETE", "OPTIONS", "HEAD"] {
        let world = with_tool(json!({"method": method})).await;
        one_after_the_other(&world, vec![Answer::status(503), good()]);
        assert_eq!((value(&world).await["ok"].clone(), sent_at(&world).len()), (json!(true), 2), "{method}");
    }
    let world = with_tool(json!({"method": "POST", "idempotencyHeader": "Idempotency-Key"})).await;
    one_after_the_other(&world, vec![Answer::Down, Answer::status(500), good()]);
    assert_eq!(value(&world).await["ok"], true);
    assert_eq!(value(&world).await["ok"], true);
    let keys: Vec<_> =
        world.node_calls().iter().map(|call| call.header("idempotency-key").unwrap().to_owned()).collect();
    assert!(keys[0] == keys[1] && keys[1] == keys[2] && keys[2] != keys[3], "{keys:?}");
}

/// T002-26, T003-8: the time of the request counts over all attempts, and ends a request that is under way.
#[tokio::test(start_paused = true)]
async fn time_counts_over_all_attempts() {
    let world = with_tool(json!({"timeoutMs": 2_000, "maxRetries": 10})).await;
    world.set_nodes(|_| Answer::Slow(900, Box::new(Answer::status(503))));
    let before = world.browser.now();
    let answer = value(&world).await;
    assert_eq!(answer["error"], "timed_out: no answer within 2000 ms");
    assert!((2_000..2_100).contains(&(world.browser.now() - before)), "{}", world.browser.now() - before);
    world.set_nodes(|_| Answer::Silent);
    let before = world.browser.now();
    assert_eq!(value(&world).await["error"], "timed_out: no answer within 2000 ms");
    assert!((2_000..2_100).contains(&(world.browser.now() - before)));
    let world = with_tool(json!({"timeoutMs": 2_000, "method": "POST", "errorMode": "empty"})).await;
    world.set_nodes(|_| Answer::Silent);
    let error = value(&world).await["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("outcome_unknown: no answer within 2000 ms"), "{error}");
}

/// T003-8, T003-26, T003-34: the definition's own time ends the call as cancelled, for any time of the request.
#[tokio::test(start_paused = true)]
async fn the_definition_has_its_own_time() {
    let world = World::with_bundle().await;
    world.allow(&[HOST]).await;
    let mut body = weather(json!({"timeoutMs": 60_000, "errorMode": "empty"}));
    body["timeout"] = json!(1_500);
    world.put(&tool_path("weather"), body).await;
    world.set_nodes(|_| Answer::Silent);
    let before = world.browser.now();
    assert_eq!(value(&world).await, json!({"ok": false, "error": "Request was cancelled"}));
    assert!((1_500..1_600).contains(&(world.browser.now() - before)));
    let call = &world.get("/api/calls").await["calls"][0];
    let call = world.get(&format!("/api/calls/{}", call["id"].as_str().unwrap())).await;
    assert_eq!(call["toolResult"]["error"], "Request was cancelled");
    assert_eq!(call["toolResult"].get("data"), None);
    assert_eq!(outcomes(&world).await, ["cancelled"]);
}

/// T002-80: a request or a response at the edge of its bound passes; one byte more does not.
#[tokio::test(start_paused = true)]
async fn sizes_are_bounded() {
    let block = json!({"method": "PUT", "bodyTemplate": "${city}", "maxRequestBytes": 10, "maxResponseBytes": 20,
        "responseEncoding": "text", "headers": {"Content-Type": "text/plain"}});
    let world = with_tool(block).await;
    one_after_the_other(
        &world,
        vec![Answer::Http(200, "", "x".repeat(20)), Answer::Http(200, "", "x".repeat(21))],
    );
    let sized = |bytes: usize| json!({"args": {"city": "x".repeat(bytes)}});
    assert_eq!(invoke(&world, sized(11)).await.1["error"], "request_too_large: the request is too large");
    assert_eq!(world.node_calls(), []);
    assert_eq!(invoke(&world, sized(10)).await.1, json!({"ok": true, "value": "x".repeat(20)}));
    let error = invoke(&world, sized(10)).await.1["error"].as_str().unwrap().to_owned();
    assert_eq!(error, "response_too_large: the response is larger than 20 bytes");
    // One that does not end is not read to its end.
    world.set_nodes(|_| Answer::Drip((0..1_000).map(|_| (100, "0123456789".to_owned())).collect()));
    let before = world.browser.now();
    assert_eq!(invoke(&world, sized(1)).await.1["ok"], false);
    assert!(world.browser.now() - before < 1_000);
}

/// T002-81: a stream of events is shown while it comes, and its value is the list of their data.
#[tokio::test(start_paused = true)]
async fn streams_are_shown_while_they_come() {
    let chunks = || {
        vec![
            (1_000, "data: {\"n\":1}\n\nda".to_owned()),
            (1_000, "ta: {\"n\":2}\n\ndata: [DONE]\n\n".to_owned()),
        ]
    };
    for (block, expected) in [
        (json!({"stream": true}), json!([{"n": 1}, {"n": 2}, "[DONE]"])),
        (json!({"stream": true, "extractExpr": "$[*].n"}), json!([1, 2])),
        (json!({"stream": true, "responseEncoding": "text"}), json!([r#"{"n":1}"#, r#"{"n":2}"#, "[DONE]"])),
    ] {
        let world = with_tool(block.clone()).await;
        world.set_nodes(move |_| Answer::Drip(chunks()));
        let last = world.events().await.last().map_or(0, |event| event.id);
        assert_eq!(value(&world).await, json!({"ok": true, "value": expected}), "{block}");
        let events = world.events_after(last).await;
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "tool.started",
                "tool.streaming",
                "tool.streaming",
                "tool.streaming",
                "action_result",
                "tool.done"
            ]
        );
        let id = &events[0].data["call"]["id"];
        assert_eq!(events[1].data, json!({"callId": id, "data": "{\"n\":1}"}));
    }
    // A stream that breaks off is like any other answer that does.
    let world = with_tool(json!({"stream": true, "maxResponseBytes": 30})).await;
    world.set_nodes(move |_| Answer::Drip(chunks()));
    assert!(value(&world).await["error"].as_str().unwrap().starts_with("response_too_large"));
}

/// T002-22, T002-32, T002-34: a secret is filled in where its name stands, and is in nothing else: not in the call, its
/// preview, the events, the audit log, or the answer of a host that repeats it. No argument takes its place.
#[tokio::test(start_paused = true)]
async fn secrets_are_only_in_the_request() {
    const SECRET: &str = "sk-Zq7+43";
    let block = json!({"urlTemplate": "https://api.example.org/?q=${city}&key=${API_KEY}",
        "headers": {"X-Key": "${API_KEY}"}, "maxRetries": 0});
    let world = World::with_bundle().await;
    world.browser.use_fast_signer();
    world.allow(&[HOST]).await;
    world.make_vault("correct horse battery").await;
    world.unlock("correct horse battery").await;
    let mut body = weather(block);
    body["argSchema"]["properties"]["API_KEY"] = json!({"type": "string"});
    world.put(&tool_path("weather"), body).await;
    assert_eq!(value(&world).await["error"], "secret_missing: there is no secret API_KEY");
    assert_eq!(world.call("PUT", "/api/secrets/API_KEY", json!({"value": SECRET})).await.0, 201);
    world.set_nodes(|call| Answer::json(&json!({"you": call.url, "key": call.header("x-key")})));
    let (_, answer) = invoke(&world, json!({"args": {"city": "Rome", "API_KEY": "mine"}})).await;
    assert_eq!(answer["value"]["key"], "***", "{answer}");
    let [call] = world.node_calls().try_into().unwrap();
    assert_eq!(call.url, "https://api.example.org/?q=Rome&key=sk-Zq7%2B43");
    assert_eq!(call.header("x-key"), Some(SECRET));
    world.set_nodes(|_| Answer::Down);
    value(&world).await;
    let everything = format!("{:?}{answer}{:?}", world.records().await, world.events().await);
    assert!(!everything.contains("Zq7"), "{everything}");
    let shown = &world.get("/api/calls").await["calls"][0];
    assert_eq!(shown["preview"]["secrets"], json!(["API_KEY"]));
    assert_eq!(shown["preview"]["url"], "https://api.example.org/?q=Rome&key=\u{2039}API_KEY\u{203a}");
}

/// A call that needs a secret of a locked vault asks for the password, with what it sends, and goes on with it.
#[tokio::test(start_paused = true)]
async fn a_locked_vault_is_asked_for() {
    let world = World::with_bundle().await;
    world.browser.use_fast_signer();
    world.allow(&[HOST]).await;
    world.make_vault("correct horse battery").await;
    let body = json!({"value": "s3cret", "password": "correct horse battery"});
    assert_eq!(world.call("PUT", "/api/secrets/API_KEY", body).await.0, 201);
    let vault = world.get("/api/vaults").await["vaults"][0]["id"].as_str().unwrap().to_owned();
    world.call("POST", &format!("/api/vaults/{vault}/lock"), Value::Null).await;
    let block = json!({"method": "POST", "headers": {"Authorization": "Bearer ${API_KEY}"}});
    world.put(&tool_path("weather"), weather(block)).await;
    world.set_nodes(|_| good());
    let (path, body) = (format!("{}/invoke", tool_path("weather")), rome().to_string());
    let answering = async {
        world.settle().await;
        let [prompt] = world.prompts().await.try_into().unwrap();
        assert_eq!((&prompt["kind"], &prompt["why"]), (&json!("password_required"), &json!("secrets")));
        assert_eq!(world.node_calls(), []);
        // A worker's death changes nothing of it.
        let answer = json!({"approve": true, "password": "correct horse battery"});
        assert_eq!(world.answer_prompt(&prompt, answer).await.0, 200);
    };
    let (reply, ()) = tokio::join!(world.reply("POST", &path, &body), answering);
    assert_eq!(
        (reply.status, reply.body.as_str()),
        (200, r#"{"ok":true,"value":{"weather":{"text":"sun"}}}"#)
    );
    let [call] = world.node_calls().try_into().unwrap();
    assert_eq!(call.header("authorization"), Some("Bearer s3cret"));
    assert_eq!(metrics(&world).await, (1, 0));
}

/// T003-29, T003-33, T003-34: a call that is stopped answers so at once, its request is ended, and nothing is sent after it;
/// where the request may have reached the host, the audit log says so.
#[tokio::test(start_paused = true)]
async fn a_call_is_stopped() {
    for (method, outcome) in [("GET", "cancelled"), ("POST", "outcome_unknown")] {
        let world = with_tool(json!({"method": method, "maxRetries": 5, "errorMode": "empty"})).await;
        world.set_nodes(|_| Answer::Silent);
        let (path, body) = (format!("{}/invoke", tool_path("weather")), rome().to_string());
        let stopping = async {
            world.settle().await;
            let calls = world.get("/api/calls").await;
            let id = calls["calls"][0]["id"].as_str().unwrap().to_owned();
            let (status, call) = world.call("POST", &format!("/api/calls/{id}/cancel"), Value::Null).await;
            assert_eq!((status, &call["toolResult"]["error"]), (200, &json!("Request was cancelled")));
        };
        let before = world.browser.now();
        let (reply, ()) = tokio::join!(world.reply("POST", &path, &body), stopping);
        assert_eq!(reply.body, r#"{"ok":false,"error":"Request was cancelled"}"#);
        assert!(world.browser.now() - before < 100);
        world.pass(60_000).await;
        assert_eq!((sent_at(&world).len(), outcomes(&world).await), (1, vec![outcome.to_owned()]));
        assert_eq!((metrics(&world).await, world.work().await), ((1, 1), json!([])));
    }
}

/// T003-33: a call that is stopped while it waits for the next attempt sends nothing more.
#[tokio::test(start_paused = true)]
async fn a_call_is_stopped_between_two_attempts() {
    let world = with_tool(json!({"maxRetries": 5})).await;
    world.set_nodes(|_| Answer::RetryAfter(503, 5));
    let (path, body) = (format!("{}/invoke", tool_path("weather")), rome().to_string());
    let stopping = async {
        world.pass(1_000).await;
        let id = world.get("/api/calls").await["calls"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(world.call("POST", &format!("/api/calls/{id}/cancel"), Value::Null).await.0, 200);
    };
    let (reply, ()) = tokio::join!(world.reply("POST", &path, &body), stopping);
    assert_eq!(reply.body, r#"{"ok":false,"error":"Request was cancelled"}"#);
    world.pass(60_000).await;
    assert_eq!((sent_at(&world).len(), outcomes(&world).await), (1, vec!["503".to_owned()]));
}

/// T003-29: a trial run is stopped by the id that its page gave it, with its request; another is not.
#[tokio::test(start_paused = true)]
async fn a_trial_run_is_stopped() {
    let world = World::with_bundle().await;
    world.allow(&[HOST]).await;
    world.set_nodes(|_| Answer::Silent);
    let mut draft = weather(json!({"maxRetries": 5}));
    for (name, value) in [("bundleID", BUNDLE), ("slug", "weather"), ("version", "v1")] {
        draft[name] = json!(value);
    }
    let body = json!({"id": "mine", "tool": draft, "args": {"city": "Rome"}}).to_string();
    let stopping = async {
        for id in ["other", "mine"] {
            world.settle().await;
            assert_eq!(world.call("DELETE", &format!("/tools/test/{id}"), Value::Null).await.0, 204);
        }
    };
    let before = world.browser.now();
    let (reply, ()) = tokio::join!(world.reply("POST", "/tools/test", &body), stopping);
    let trial: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(trial["result"], json!({"ok": false, "error": "Request was cancelled"}), "{trial}");
    assert!(world.browser.now() - before < 100);
    world.pass(60_000).await;
    assert_eq!(sent_at(&world).len(), 1);
}

/// T002-73: parallel calls are all counted, also those that a worker's death cut off.
#[tokio::test(start_paused = true)]
async fn every_call_is_counted() {
    let world = with_tool(json!({"maxRetries": 0})).await;
    one_after_the_other(&world, vec![good(), Answer::status(500), Answer::Slow(50, Box::new(good()))]);
    let (path, body) = (format!("{}/invoke", tool_path("weather")), rome().to_string());
    let call = || world.reply("POST", &path, &body);
    for _ in 0..10 {
        let (a, b, c, d) = tokio::join!(call(), call(), call(), call());
        assert!([a, b, c, d].iter().all(|reply| reply.status == 200));
    }
    assert_eq!((metrics(&world).await, sent_at(&world).len()), ((40, 1), 40));
    world.settle().await;
    world.restart().await;
    assert_eq!(metrics(&world).await, (40, 1));
}

/// T003-24, T003-27: a toolbox that is not there, or gives up in the middle, is an error, and nothing is sent for it twice.
#[tokio::test(start_paused = true)]
async fn no_toolbox_is_an_error() {
    let world = Rc::new(with_tool(json!({})).await);
    world.browser.set_toolbox_unavailable(true);
    let path = format!("{}/invoke", tool_path("weather"));
    assert_eq!(world.refused("POST", &path, rome()).await, (503, "toolbox_unavailable".to_owned()));
    world.browser.set_toolbox_unavailable(false);
    let browser = Rc::clone(&world.browser);
    world.set_nodes(move |_| {
        browser.set_toolbox_unavailable(true);
        good()
    });
    let error = value(&world).await["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("toolbox_unavailable"), "{error}");
    assert_eq!(sent_at(&world).len(), 1);
}

/// The same id again is the same call: a page that lost the worker asks again and sends nothing twice.
#[tokio::test(start_paused = true)]
async fn an_id_names_one_call() {
    let world = with_tool(json!({"method": "POST"})).await;
    world.set_nodes(|_| good());
    let id = fresh_id(&world);
    let body = json!({"args": {"city": "Rome"}, "id": id});
    let first = invoke(&world, body.clone()).await;
    assert_eq!(first, invoke(&world, body).await);
    assert_eq!((first.0, sent_at(&world).len()), (200, 1));
    for id in [json!("x"), json!(7), json!("0190b7b6-b7b6-7a01-9a05-a22a6e0af101")] {
        let refused = invoke(&world, json!({"args": {"city": "Rome"}, "id": id})).await;
        assert_eq!((refused.0, &refused.1["error"]["path"]), (400, &json!("/id")), "{id}");
    }
}

/// T002-83: no more calls in a minute than the tool allows, counted on disk: a restart forgets none.
#[tokio::test(start_paused = true)]
async fn calls_in_a_minute_are_bounded() {
    let world = World::with_bundle().await;
    world.allow(&[HOST]).await;
    let mut body = weather(json!({"maxRetries": 3}));
    body["maxCallsPerMinute"] = json!(2);
    world.put(&tool_path("weather"), body).await;
    one_after_the_other(&world, vec![Answer::status(503), good()]);
    assert_eq!(value(&world).await["ok"], true, "attempts of one call are one call");
    world.pass(20_000).await;
    assert_eq!(value(&world).await["ok"], true);
    world.restart().await;
    let (status, answer) = invoke(&world, rome()).await;
    let error = &answer["error"];
    assert_eq!((status, &error["code"]), (429, &json!("rate_limited")));
    let wait = error["retryAfterMillis"].as_u64().unwrap();
    assert!((39_000..40_000).contains(&wait), "{error}");
    let sent = sent_at(&world).len();
    assert_eq!(
        invoke(&world, json!({"args": {}})).await.0,
        400,
        "that its arguments are wrong is said first"
    );
    world.pass(wait - 1).await;
    assert_eq!(invoke(&world, rome()).await.0, 429);
    assert_eq!(sent_at(&world).len(), sent);
    world.pass(1).await;
    assert_eq!(value(&world).await["ok"], true);
    // Of calls at the same time no more get through.
    world.pass(60_000).await;
    let (path, body) = (format!("{}/invoke", tool_path("weather")), rome().to_string());
    let call = || world.reply("POST", &path, &body);
    let (a, b, c, d) = tokio::join!(call(), call(), call(), call());
    let good = [a, b, c, d].iter().filter(|reply| reply.body.contains("sun")).count();
    assert_eq!((good, sent_at(&world).len()), (2, sent + 3));
}

/// T002-8: a trial run shows the request with its secrets masked, each attempt, the answer, the extraction and the check;
/// nothing is stored or counted.
#[tokio::test(start_paused = true)]
async fn a_draft_is_tried() {
    let world = World::new().await;
    world.allow(&[HOST]).await;
    let mut draft = weather(json!({"extractExpr": "$.weather.text", "maxRetries": 2}));
    draft["outputSchema"] = json!({"type": "string"});
    draft["bundleID"] = json!("new");
    one_after_the_other(&world, vec![Answer::status(503), good()]);
    let tried =
        |draft: Value, args: Value| world.call("POST", "/tools/test", json!({"tool": draft, "args": args}));
    let before = world.records().await;
    let (status, mut trial) = tried(draft.clone(), json!({"city": "Rome"})).await;
    assert_eq!(status, 200, "{trial}");
    assert!(
        trial["attempts"].as_array_mut().unwrap().iter_mut().all(|attempt| attempt["millis"].take().is_u64())
    );
    assert_eq!(
        (&trial["attempts"], &trial["extracted"], &trial["validation"], &trial["result"]),
        (
            &json!([{"status": 503, "millis": null}, {"status": 200, "millis": null}]),
            &json!("sun"),
            &json!([]),
            &json!({"ok": true, "value": "sun"})
        )
    );
    assert_eq!(trial["request"]["url"], "https://api.example.org/v1/weather?q=Rome");
    assert_eq!(
        trial["response"],
        json!({"status": 200, "contentType": "application/json", "body": "{\"weather\":{\"text\":\"sun\"}}"})
    );
    draft["outputSchema"] = json!({"type": "integer"});
    let (_, trial) = tried(draft.clone(), json!({"city": "Rome"})).await;
    assert_eq!((trial["validation"].as_array().unwrap().len(), &trial["extracted"]), (1, &json!("sun")));
    assert!(trial["result"]["error"].as_str().unwrap().starts_with("output_mismatch"), "{trial}");
    let (status, wrong) = tried(draft.clone(), json!({})).await;
    assert_eq!((status, &wrong["error"]["path"]), (400, &json!("/args/city")));
    draft["impl"]["urlTemplate"] = json!("https://other.example/?q=${city}");
    let (_, trial) = tried(draft.clone(), json!({"city": "Rome"})).await;
    assert_eq!((&trial["request"], &trial["result"]["ok"]), (&Value::Null, &json!(false)));
    assert!(trial["result"]["error"].as_str().unwrap().starts_with("host_not_allowed"), "{trial}");
    draft["impl"]["urlTemplate"] = json!("ftp://other.example/");
    let (status, wrong) = tried(draft, json!({})).await;
    assert_eq!((status, &wrong["error"]["path"]), (400, &json!("/tool/impl/urlTemplate")));
    let after = world.records().await;
    for table in ["calls", "tools", "tool_uses", "tool_metrics", "pending"] {
        assert_eq!(before[table], after[table], "{table}");
    }
    assert_eq!(outcomes(&world).await, ["503", "200", "200"]);
}

/// T002-84: a curl command becomes a draft.
#[tokio::test(start_paused = true)]
async fn curl_becomes_a_draft() {
    let world = World::new().await;
    let curl = "curl 'https://api.example.org/v1?q=Rome' -H 'Authorization: Bearer abc123abc123abc123'";
    let (status, draft) = world.call("POST", "/tools/draft", json!({"curl": curl})).await;
    assert_eq!(status, 200, "{draft}");
    assert!(
        draft["impl"]["urlTemplate"].as_str().unwrap().starts_with("https://api.example.org/v1?q="),
        "{draft}"
    );
    assert!(
        draft["secrets"].is_array() && draft["notes"].is_array() && !draft.to_string().contains("abc123")
    );
    assert_eq!(world.refused("POST", "/tools/draft", json!({"curl": "rm -rf /"})).await.0, 400);
    assert_eq!(world.refused("POST", "/tools/draft", json!({})).await.0, 400);
}

/// An id as a page makes it.
fn fresh_id(world: &World) -> String {
    let time = format!("{:012x}", world.browser.now());
    format!("{}-{}-7abc-8abc-0123456789ab", &time[..8], &time[8..])
}
