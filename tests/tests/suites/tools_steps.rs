//! Tools of several steps: other tools, one after the other, with one consent.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};

const HOST: &str = "api.example.org";

/// An HTTP tool that takes `q` and gives what the host says.
fn step_tool(method: &str, path: &str) -> Value {
    let schema =
        json!({"type": "object", "properties": {"q": {"type": ["string", "number"]}}, "required": ["q"]});
    let block =
        json!({"method": method, "urlTemplate": format!("https://{HOST}/{path}?q=${{q}}"), "maxRetries": 1});
    let mut body = tool_body(json!({"impl": block, "argSchema": schema, "category": "read"}));
    body.as_object_mut().unwrap().remove("outputSchema");
    body
}

/// A tool of these steps.
fn steps_tool(steps: Value, output: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let mut block = json!({"steps": steps});
    if !output.is_null() {
        block["output"] = output;
    }
    let mut body =
        tool_body(json!({"type": "steps", "impl": block, "argSchema": schema, "category": "read"}));
    body.as_object_mut().unwrap().remove("outputSchema");
    body
}

/// A step.
fn step(id: &str, tool: &str, q: &str) -> Value {
    json!({"id": id, "tool": tool, "args": {"q": q}})
}

/// `locate` finds a place, `order` sends it somewhere.
fn two_steps() -> Value {
    steps_tool(
        json!([step("place", "locate", "${args.city}"), step("sent", "order", "${steps.place.id}")]),
        json!({"place": "${steps.place.name}", "order": "${steps.sent.n}", "text": "to ${args.city}"}),
    )
}

fn host(call: &NodeCall) -> Answer {
    match call.url.contains("/locate") {
        true => Answer::json(&json!({"id": 7, "name": "Roma"})),
        false => Answer::json(&json!({"n": 1})),
    }
}

async fn put_all(world: &World, main: Value) {
    world.allow(&[HOST]).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    world.put(&tool_path("locate"), step_tool("GET", "locate")).await;
    world.put(&tool_path("order"), step_tool("POST", "order")).await;
    world.put(&tool_path("main"), main).await;
    world.set_nodes(host);
}

async fn with_steps(main: Value) -> World {
    let world = World::new().await;
    put_all(&world, main).await;
    world
}

async fn invoke(world: &World) -> Value {
    let path = format!("{}/invoke", tool_path("main"));
    let (status, answer) = world.call("POST", &path, json!({"args": {"city": "Rome"}})).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

fn urls(world: &World) -> Vec<String> {
    world.node_calls().iter().map(|call| call.url.rsplit('/').next().unwrap().to_owned()).collect()
}

/// T002-85: what a step gives is the argument of a later one, and the result is made of all of them.
#[tokio::test(start_paused = true)]
async fn steps_run_one_after_the_other() {
    let world = with_steps(two_steps()).await;
    let expected = json!({"ok": true, "value": {"place": "Roma", "order": 1, "text": "to Rome"}});
    assert_eq!(invoke(&world).await, expected);
    assert_eq!(urls(&world), ["locate?q=Rome", "order?q=7"]);
    let metrics = &world.get(&tool_path("main")).await["metrics"];
    assert_eq!((&metrics["callCount"], &metrics["failureCount"]), (&json!(1), &json!(0)));
    let path = format!("{}/invoke", tool_path("main"));
    let (status, answer) = world.call("POST", &path, json!({"args": {"city": 7}})).await;
    assert_eq!((status, &answer["error"]["path"]), (400, &json!("/args/city")));
}

/// T002-85: one consent shows every step with its host; nothing is sent before, and each step is the record that was shown.
#[tokio::test(start_paused = true)]
async fn one_consent_shows_all_steps() {
    let action = json!({"id": "a1", "type": "main", "params": {"city": "Rome"}, "auto_execute": true});
    let world = World::proposing(json!([action])).await;
    put_all(&world, two_steps()).await;
    world.say("go").await;
    let [call] = world.calls().await.try_into().unwrap();
    let steps = call["preview"]["steps"].as_array().unwrap();
    let shown: Vec<[&Value; 4]> =
        steps.iter().map(|step| [&step["tool"], &step["host"], &step["method"], &step["url"]]).collect();
    let expected = [
        ["locate", HOST, "GET", "https://api.example.org/locate?q=${q}"],
        ["order", HOST, "POST", "https://api.example.org/order?q=${q}"],
    ];
    assert_eq!(json!(shown), json!(expected));
    assert_eq!(world.node_calls(), []);
    let mut newer = step_tool("POST", "newer");
    newer["description"] = json!("Another one");
    world.settle().await;
    world.put(&path_of(BUNDLE, "order", "v2"), newer).await;
    world.restart().await;
    world.answer(json!({"approve": true})).await;
    let [result] = world.results().try_into().unwrap();
    assert_eq!(
        (&result["success"], urls(&world)),
        (&json!(true), vec!["locate?q=Rome".to_owned(), "order?q=7".to_owned()])
    );
}

/// T002-85: a step that fails ends the call with its own error; the steps after it are not run.
#[tokio::test(start_paused = true)]
async fn a_step_that_fails_is_the_last() {
    let world = with_steps(two_steps()).await;
    world.set_nodes(|_| Answer::status(404));
    let error = invoke(&world).await["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("http_status: step place: "), "{error}");
    assert_eq!(urls(&world), ["locate?q=Rome"]);
    // What an earlier step did not give is an error of the step that needs it.
    world.set_nodes(|_| Answer::json(&json!({})));
    let error = invoke(&world).await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("step sent: "), "{error}");
    assert_eq!(urls(&world).len(), 2);
}

/// T002-85: built-in tools that read can be steps; one that signs or changes something is refused when it is put.
#[tokio::test(start_paused = true)]
async fn functions_as_steps() {
    let book = json!({"id": "book", "tool": "get_address_book", "args": {}});
    let world = with_steps(steps_tool(json!([book]), json!("${steps.book.total_count}"))).await;
    assert_eq!(invoke(&world).await, json!({"ok": true, "value": 0}));
    for tool in ["sign_transaction_bundle", "add_token", "delete_address_book"] {
        let steps = json!([step("a", "locate", "x"), {"id": "b", "tool": tool, "args": {}}]);
        let (status, answer) = world.call("PUT", &tool_path("bad"), steps_tool(steps, Value::Null)).await;
        let error = &answer["error"];
        assert_eq!(
            (status, &error["code"], &error["path"]),
            (400, &json!("step_not_allowed"), &json!("/impl/steps/1/tool"))
        );
    }
    // Under another name it is found when it is called.
    let mut local = local_body("add_token");
    local["category"] = json!("read");
    world.put(&tool_path("innocent"), local).await;
    let steps = json!([{"id": "a", "tool": "innocent", "args": {}}]);
    world.put(&path_of(BUNDLE, "main", "v2"), steps_tool(steps, Value::Null)).await;
    let path = format!("{}/invoke", path_of(BUNDLE, "main", "v2"));
    let (_, answer) = world.call("POST", &path, json!({"args": {"city": "x"}})).await;
    assert!(answer.to_string().contains("step_not_allowed"), "{answer}");
}

/// T002-85, T003-12: a tool that calls itself, by itself or by others, is not called; nor is one whose steps are nested too
/// deep, or one of which a step is switched off.
#[tokio::test(start_paused = true)]
async fn cycles_are_refused() {
    let world = with_steps(two_steps()).await;
    let main = |tool: &str| {
        steps_tool(json!([{"id": "a", "tool": tool, "args": {"city": "${args.city}"}}]), Value::Null)
    };
    let refused = async |slug: &str| {
        let path = format!("{}/invoke", tool_path(slug));
        let (status, answer) = world.call("POST", &path, json!({"args": {"city": "x"}})).await;
        assert_ne!((status, &answer["ok"]), (200, &json!(true)), "{slug}: {answer}");
        answer.to_string()
    };
    let own = world.refused("PUT", &tool_path("self"), main("self")).await;
    world.put(&tool_path("one"), main("other")).await;
    refused("one").await;
    world.call("PUT", &tool_path("other"), main("one")).await;
    refused("one").await;
    refused("other").await;
    assert_eq!(own.0, 400);
    for (slug, calls) in
        [("deep1", "main"), ("deep2", "deep1"), ("deep3", "deep2"), ("deep4", "deep3"), ("deep5", "deep4")]
    {
        world.put(&tool_path(slug), main(calls)).await;
    }
    let path = format!("{}/invoke", tool_path("deep3"));
    let (_, answer) = world.call("POST", &path, json!({"args": {"city": "Rome"}})).await;
    assert_eq!(answer, json!({"ok": true, "value": {"place": "Roma", "order": 1, "text": "to Rome"}}));
    assert!(refused("deep5").await.contains("steps_nested"));
    let sent = world.node_calls().len();
    world.switch(&tool_path("order"), false).await;
    assert!(refused("main").await.contains("dependency_disabled"));
    assert_eq!(world.node_calls().len(), sent);
}

/// T002-85: what a step demands of the user is not lost among the others.
#[tokio::test(start_paused = true)]
async fn a_step_that_asks_makes_the_whole_ask() {
    let world = with_steps(two_steps()).await;
    let mut asks = step_tool("GET", "locate");
    asks["requiresConfirmation"] = json!(true);
    world.settle().await;
    world.put(&path_of(BUNDLE, "locate", "v2"), asks).await;
    let path = format!("{}/invoke", tool_path("main"));
    let body = json!({"args": {"city": "Rome"}}).to_string();
    let answering = async {
        world.settle().await;
        assert_eq!(world.node_calls(), []);
        world.answer(json!({"approve": true})).await;
    };
    let (reply, ()) = tokio::join!(world.reply("POST", &path, &body), answering);
    assert!(reply.body.contains("Roma"), "{}", reply.body);
}
