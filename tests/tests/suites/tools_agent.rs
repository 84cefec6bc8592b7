//! HTTP tools that an agent calls: what the user is shown first, what is sent after that, and what the agent is told.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::tools_http::{HOST, good, metrics, outcomes, sent_at, weather};
use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};

/// A world whose agent proposes the tool, with these fields of the action.
async fn agent(block: Value, fields: Value) -> World {
    let mut action = json!({"id": "a1", "type": "weather", "title": "Weather", "params": {"city": "Rome"}});
    for (name, value) in fields.as_object().unwrap() {
        action[name] = value.clone();
    }
    let world = World::proposing(json!([action])).await;
    world.allow(&[HOST]).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    world.put(&tool_path("weather"), weather(block)).await;
    world.set_nodes(|_| good());
    world
}

/// T003-16, T003-25: before an agent's first call to a host the user is shown what is sent and with which secrets, and
/// nothing is sent; the answer is bound to what was shown.
#[tokio::test(start_paused = true)]
async fn an_agents_call_is_shown_first() {
    let block =
        json!({"method": "POST", "bodyTemplate": r#"{"q":"${city}"}"#, "headers": {"Accept": "text/plain"}});
    let world = agent(block, json!({"auto_execute": true})).await;
    world.say("go").await;
    let [prompt] = world.prompts().await.try_into().unwrap();
    let [call] = world.calls().await.try_into().unwrap();
    assert_eq!((&prompt["kind"], world.node_calls()), (&json!("confirmation_required"), vec![]));
    let mut preview = call["preview"].clone();
    assert_eq!(preview["digest"].as_str().unwrap().len(), 64);
    preview.as_object_mut().unwrap().retain(|name, _| name != "digest" && name != "toolId");
    assert_eq!(
        preview,
        json!({"tool": "weather", "host": HOST, "method": "POST", "url": "https://api.example.org/v1/weather?q=Rome",
            "headers": {"Accept": "text/plain", "Content-Type": "application/json"}, "body": "{\"q\":\"Rome\"}",
            "secrets": [], "steps": []})
    );
    assert_eq!((&call["tool"], &prompt["subject"]), (&json!("weather"), &call["shown"]));
    world.restart().await;
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
    let [result] = world.results().try_into().unwrap();
    assert_eq!((&result["success"], &result["data"]), (&json!(true), &json!({"weather": {"text": "sun"}})));
    assert_eq!((sent_at(&world).len(), metrics(&world).await), (1, (1, 0)));
    assert_eq!(world.violations(), [""; 0]);
}

/// T003-16: what the user refuses is not sent, and is an error to the agent.
#[tokio::test(start_paused = true)]
async fn a_refused_call_is_not_sent() {
    let world = agent(json!({}), json!({})).await;
    world.say("go").await;
    world.answer(json!({"approve": false})).await;
    let [result] = world.results().try_into().unwrap();
    assert!(result["error"].as_str().unwrap().starts_with("rejected_by_user"), "{result}");
    assert_eq!((sent_at(&world).len(), metrics(&world).await), (0, (0, 0)));
}

/// The exact record is called that the user was shown, also if newer versions come meanwhile; one that is switched off or may not
/// reach its host any more is not.
#[tokio::test(start_paused = true)]
async fn what_was_shown_is_what_is_called() {
    let newer = json!({"urlTemplate": "https://api.example.org/newer?q=${city}"});
    let world = agent(json!({}), json!({})).await;
    world.say("go").await;
    world.settle().await;
    world.put(&path_of(BUNDLE, "weather", "v2"), weather(newer)).await;
    world.restart().await;
    world.answer(json!({"approve": true})).await;
    assert_eq!(world.node_calls()[0].url, "https://api.example.org/v1/weather?q=Rome");
    for (change, code) in [(0, "tool_disabled"), (1, "tool_disabled"), (2, "tool_not_found")] {
        let world = agent(json!({}), json!({})).await;
        world.say("go").await;
        match change {
            0 => drop(world.switch(&bundle_path(BUNDLE), false).await),
            1 => world.allow(&[]).await,
            _ => assert_eq!(world.call("DELETE", &tool_path("weather"), Value::Null).await.0, 204),
        }
        world.answer(json!({"approve": true})).await;
        let [result] = world.results().try_into().unwrap();
        assert!(result["error"].as_str().unwrap().starts_with(code), "{result}");
        assert_eq!(world.node_calls(), []);
    }
}

/// T002-68: an agent's wrong arguments are an error before anybody is asked.
#[tokio::test(start_paused = true)]
async fn an_agents_arguments_are_checked_first() {
    let world = agent(json!({}), json!({"params": {"city": 7}})).await;
    world.say("go").await;
    assert_eq!(world.prompts().await, [Value::Null; 0]);
    let [result] = world.results().try_into().unwrap();
    assert!(result["error"].as_str().unwrap().starts_with("invalid_params: /city"), "{result}");
    let unknown = World::proposing(json!([{"id": "a", "type": "weather", "params": {}}])).await;
    unknown.browser.set_toolbox_unavailable(true);
    unknown.say("go").await;
    let [result] = unknown.results().try_into().unwrap();
    assert!(
        result["error"].as_str().unwrap().starts_with("unknown_tool"),
        "without tools no toolbox is asked"
    );
}

/// T003-29: the kill switch ends what is under way for others; nothing is sent after it.
#[tokio::test(start_paused = true)]
async fn the_kill_switch_ends_requests() {
    let world = agent(json!({"maxRetries": 5}), json!({"auto_execute": true})).await;
    world.set_nodes(|_| Answer::Silent);
    world.say("go").await;
    world.answer(json!({"approve": true})).await;
    assert_eq!(sent_at(&world).len(), 1);
    assert_eq!(world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0, 200);
    world.settle().await;
    let [result] = world.results().try_into().unwrap();
    assert_eq!(result["error"], "Request was cancelled");
    world.pass(60_000).await;
    assert_eq!((sent_at(&world).len(), outcomes(&world).await), (1, vec!["cancelled".to_owned()]));
}

/// T002-83: an agent that calls too often is told so.
#[tokio::test(start_paused = true)]
async fn an_agent_is_bounded_too() {
    let actions: Vec<Value> = (0..3)
        .map(|n| json!({"id": format!("a{n}"), "type": "weather", "params": {"city": "Rome"}, "auto_execute": true}))
        .collect();
    let world = World::proposing(json!(actions)).await;
    world.allow(&[HOST]).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    let mut body = weather(json!({}));
    body["maxCallsPerMinute"] = json!(2);
    world.put(&tool_path("weather"), body).await;
    world.set_nodes(|_| good());
    world.say("go").await;
    world.answer(json!({"approve": true})).await;
    let results = world.results();
    let good: Vec<bool> = results.iter().map(|result| result["success"] == true).collect();
    assert_eq!(good, [true, true, false]);
    assert!(results[2]["error"].as_str().unwrap().starts_with("rate_limited: "), "{}", results[2]);
    assert_eq!(sent_at(&world).len(), 2);
}

/// The agent is told of the tools that it may call, with every message, and with a result if they changed; without tools of
/// the user's no toolbox is asked.
#[tokio::test(start_paused = true)]
async fn the_agent_knows_its_tools() {
    let world = World::proposing(json!([read_book("a1")])).await;
    let declared = |at: usize| -> Vec<String> {
        let tools = world.messages_sent()[at].body["context"]["tools"].clone();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.as_array().map(|tools| tools.iter().map(name).collect()).unwrap_or_default()
    };
    world.browser.set_toolbox_unavailable(true);
    world.say("go").await;
    world.browser.set_toolbox_unavailable(false);
    assert_eq!(declared(0).len(), BUILT_INS);
    assert!(declared(0).contains(&"add_token".to_owned()));
    assert_eq!(world.messages_sent()[1].body.get("context"), None, "it knows them");
    world.allow(&[HOST]).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    world.put(&tool_path("weather"), weather(json!({}))).await;
    world.switch(&path_of(WALLET_BUNDLE, "add-token", "v1"), false).await;
    world.say("again").await;
    let names = declared(2);
    assert!(names.contains(&"weather".to_owned()) && !names.contains(&"add_token".to_owned()), "{names:?}");
    let sent = world.messages_sent();
    let tools = sent[2].body["context"]["tools"].as_array().unwrap();
    let weather = tools.iter().find(|tool| tool["name"] == "weather").unwrap();
    assert_eq!(weather["schema"]["properties"], json!({"city": {"type": "string"}}));
    assert_eq!(
        (&weather["asks"], &weather["description"]),
        (&json!(false), &json!("Fetch current weather for a city"))
    );
    assert_eq!(world.violations(), [""; 0]);
}

/// What is declared is bounded: the newest that fit.
#[tokio::test(start_paused = true)]
async fn declarations_are_bounded() {
    let world = World::proposing(json!([])).await;
    world.allow(&[HOST]).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    let mut body = weather(json!({}));
    body["argSchema"]["description"] = json!("x".repeat(20_000));
    for slug in ["a", "b", "c", "d", "e"] {
        world.put(&tool_path(slug), body.clone()).await;
        world.settle().await;
    }
    world.say("go").await;
    let context = &world.messages_sent()[0].body["context"];
    let own: Vec<&str> = context["tools"].as_array().unwrap()[BUILT_INS..]
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(own, ["e", "d", "c"]);
    assert!(context.to_string().len() < 100_000);
}
