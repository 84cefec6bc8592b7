//! Spaces: an agent enters conversations of its backend, reads and speaks there, and is asked for no tap.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};

/// The tools that specification 004 injects for every agent: five for spaces, seven for notes.
const INJECTED: [&str; 12] = [
    "enter_space",
    "leave_space",
    "send_message",
    "read_messages",
    "skip",
    "set_goals",
    "delete_goals",
    "set_memories",
    "delete_memories",
    "set_plans",
    "delete_plans",
    "get_plans",
];

/// An action without a hint: whether a tap is due is the wallet's decision.
pub(crate) fn plain(id: &str, kind: &str, params: Value) -> Value {
    json!({"id": id, "type": kind, "params": params})
}

/// A world whose agent proposes the actions of a turn when it is told the turn's word.
pub(crate) async fn agent(turns: &[(&str, Value)]) -> World {
    World::scripted(turns.iter().map(|(word, actions)| turn(when_said(word), actions.clone())).collect())
        .await
}

/// The data of each result, or its error.
pub(crate) fn given(world: &World) -> Vec<Value> {
    let outcome = |result: &Value| match &result["error"] {
        Value::Null => result["data"].clone(),
        error => error.clone(),
    };
    world.results().iter().map(outcome).collect()
}

const OUTSIDE: &str = "not_in_space: you are not in a space. Call enter_space first.";

/// T004-32, T004-33, T004-34: entering gives the history and makes the space active until it is left; outside of a space
/// nothing is sent or left.
#[tokio::test(start_paused = true)]
async fn enter_speak_leave() {
    let actions = json!([
        plain("1", "send_message", json!({"content": "too early"})),
        plain("2", "leave_space", json!({})),
        plain("3", "enter_space", json!({})),
        plain("4", "send_message", json!({"content": "  I am here.  "})),
        plain("5", "leave_space", json!({})),
        plain("6", "send_message", json!({"content": "too late"})),
    ]);
    let world = agent(&[("go", actions)]).await;
    let said = world.say("go").await;
    let space = world.conversation_id();
    let results = given(&world);
    assert_eq!(results[..2], [json!(OUTSIDE), json!(OUTSIDE)]);
    let entered = &results[2];
    assert_eq!((&entered["spaceId"], &entered["total"]), (&json!(space), &json!(1)));
    let [first] = entered["messages"].as_array().unwrap().as_slice() else { panic!("{entered}") };
    assert_eq!(
        (&first["id"], &first["role"], &first["content"]),
        (&json!(said), &json!("user"), &json!("go"))
    );
    assert!(first["createdAt"].as_str().unwrap().starts_with("2026-01-01T00:00:00"), "{first}");
    assert_eq!(results[3]["spaceId"], json!(space));
    assert_eq!(results[4..], [json!({"left": space}), json!(OUTSIDE)]);
    assert_eq!(
        world.messages().await,
        [json!(["user", "go", "done"]), json!(["agent", "I am here.", "done"])]
    );
    assert_eq!(world.prompts().await, [Value::Null; 0], "an agent's own records need no tap");
    assert_eq!(world.violations(), [""; 0]);
}

/// T004-40, T004-58: a message of an agent is a message in the same storage and stream as any other; the calls of built-ins
/// leave no mark in the conversation, and are in the record of calls and in the audit log.
#[tokio::test(start_paused = true)]
async fn built_ins_are_silent() {
    let actions = json!([
        plain("1", "enter_space", json!({})),
        plain("2", "send_message", json!({"content": "Hello."})),
        plain("3", "skip", json!({})),
        read_book("4"),
    ]);
    let world = agent(&[("go", actions)]).await;
    world.say("go").await;
    let marks: Vec<Value> = world.calls().await.iter().map(|call| call["type"].clone()).collect();
    assert_eq!(marks, ["get_address_book"]);
    let events = world.events().await;
    let told: Vec<&Value> =
        events.iter().filter(|event| event.name == "message").map(|event| &event.data).collect();
    let sent = told.iter().find(|data| data["message"]["content"] == "Hello.").unwrap();
    let timeline = world.timeline().await;
    assert!(timeline.contains(&json!({"kind": "message", "message": sent["message"]})), "{timeline:?}");
    let started = events.iter().filter(|event| event.name == "tool.started");
    let visible: Vec<Value> = started.map(|event| event.data["call"]["visible"].clone()).collect();
    assert_eq!(visible, [json!(false), json!(false), json!(false), Value::Null]);
    let calls = world.get("/api/calls").await["calls"].as_array().unwrap().len();
    assert_eq!((calls, world.results().len()), (4, 4));
    let entries = world.get("/api/audit").await["entries"].to_string();
    assert!(["enter_space", "send_message", "skip"].iter().all(|tool| entries.contains(tool)), "{entries}");
}

/// T004-35: pages from the newest backwards, each from its oldest message to its newest, with the number of all; 50 where no
/// limit is given, 200 at most. The space is the active one, or the one that is named.
#[tokio::test(start_paused = true)]
async fn pages_of_messages() {
    let page = |id: &str, params: Value| plain(id, "read_messages", params);
    let world = agent(&[(
        "read",
        json!([
            page("0", json!({})),
            plain("1", "enter_space", json!({})),
            page("2", json!({})),
            page("3", json!({"offset": 2, "limit": 3})),
            page("4", json!({"offset": 59, "limit": 200})),
            page("5", json!({"offset": 100})),
            page("6", json!({"limit": 201})),
            page("7", json!({"limit": 0})),
            page("8", json!({"offset": -1})),
        ]),
    )])
    .await;
    for number in 0..59 {
        world.say(&format!("n{number}")).await;
    }
    world.say("read").await;
    let results = given(&world);
    let contents = |result: &Value| -> Vec<String> {
        let messages = result["messages"].as_array().unwrap().iter();
        messages
            .map(|message| message["content"].as_str().unwrap().to_owned())
            .filter(|text| !text.contains(' '))
            .collect()
    };
    assert_eq!(results[0], json!(OUTSIDE));
    let total = results[1]["total"].as_u64().unwrap() as usize;
    assert_eq!(results[2]["messages"], results[1]["messages"]);
    assert_eq!(results[2]["messages"].as_array().unwrap().len(), 50);
    assert_eq!(results[2]["messages"][49]["content"], "read", "the newest is the last");
    assert_eq!(
        results[3]["messages"].as_array().unwrap()[..],
        results[2]["messages"].as_array().unwrap()[45..48]
    );
    let oldest = results[4]["messages"].as_array().unwrap();
    assert_eq!((oldest.len(), &oldest[0]["content"]), (total - 59, &json!("n0")));
    assert_eq!(contents(&results[4])[0], "n0");
    assert_eq!(
        (&results[5]["total"], results[5]["messages"].as_array().unwrap().len() <= 50),
        (&json!(total), true)
    );
    for (result, path) in results[6..].iter().zip(["/limit", "/limit", "/offset"]) {
        assert!(result.as_str().unwrap().starts_with(&format!("invalid_params: {path}")), "{result}");
    }
}

/// T004-32: an agent enters conversations of its own backend; one of another backend is as unknown as one that does not
/// exist. A page enters any.
#[tokio::test(start_paused = true)]
async fn foreign_spaces_are_unknown() {
    let world = World::answering(|sent| {
        let Some(space) = sent.body["content"].as_str().and_then(|said| said.strip_prefix("enter ")) else {
            return Answer::events(&[]);
        };
        let action = |id: &str, kind: &str| plain(&format!("{id}{space}"), kind, json!({"spaceId": space}));
        Answer::events(&[(
            "actions",
            json!({"actions": [action("e", "enter_space"), action("r", "read_messages")]}),
        )])
    })
    .await;
    world.say("mine").await;
    let own = world.conversation_id();
    let empty = world.begin().await;
    world.set_backend(OTHER_URL).await;
    let foreign = world.begin().await;
    world.say("a secret of the other agent").await;
    world.set_backend(URL).await;
    world.begin().await;
    for space in ["nowhere", &foreign, &empty] {
        world.say(&format!("enter {space}")).await;
    }
    assert_eq!(given(&world), vec![json!("not_found"); 6]);
    world.say(&format!("enter {own}")).await;
    let entered = given(&world).pop().unwrap();
    assert_eq!((&entered["spaceId"], &entered["total"]), (&json!(own), &json!(1)));
    let page = world.act_once("enter_space", json!({"spaceId": foreign})).await;
    assert_eq!(page["data"]["spaceId"], json!(foreign));
    assert_eq!(
        world.act_once("enter_space", json!({})).await["error"],
        "not_found",
        "a page has no space of its own"
    );
}

/// T004-30, T004-61: a message goes to the space that was entered, wherever the call came from, and wakes no agent there.
#[tokio::test(start_paused = true)]
async fn messages_go_to_the_active_space() {
    let world = World::answering(|sent| match sent.body["content"].as_str() {
        Some(said) if said.starts_with("tell ") => {
            let space = said.trim_start_matches("tell ");
            let actions = [
                plain("1", "enter_space", json!({"spaceId": space})),
                plain("2", "send_message", json!({"content": "From afar."})),
            ];
            Answer::events(&[("actions", json!({"actions": actions}))])
        }
        _ => Answer::events(&[]),
    })
    .await;
    world.say("hello").await;
    let there = world.conversation_id();
    let here = world.begin().await;
    world.say(&format!("tell {there}")).await;
    assert_eq!(world.messages().await.len(), 1, "nothing is shown where the call came from");
    world.resume_conversation(&there);
    assert_eq!(world.messages().await[1..], [json!(["agent", "From afar.", "done"])]);
    let turns = world.messages_sent().iter().filter(|sent| sent.body.get("action_result").is_none()).count();
    assert_eq!(turns, 2, "the two messages of the user");
    world.restart().await;
    world.resume_conversation(&here);
    let active = world.table(runtime::store::Table::AgentNotes).await;
    assert!(active[0].text.contains(&there), "it outlives the worker");
}

/// T004-36: skipping changes nothing and says nothing.
#[tokio::test(start_paused = true)]
async fn skip_does_nothing() {
    let world = agent(&[("go", json!([plain("1", "skip", json!({}))]))]).await;
    world.say("go").await;
    assert_eq!(given(&world), [json!({"skipped": true})]);
    assert_eq!(world.messages().await, [json!(["user", "go", "done"])]);
    let records = world.records().await;
    assert_eq!(
        (&records["agent_notes"], &records["outbox"], &records["pending"]),
        (&vec![], &vec![], &vec![])
    );
}

/// T004-31: built-ins are declared to every agent, and no tool of the user's has their name, runs their code, or takes their
/// place.
#[tokio::test(start_paused = true)]
async fn built_ins_cannot_be_overridden() {
    let world = World::proposing(json!([])).await;
    world.put(&bundle_path(BUNDLE), bundle_body()).await;
    for name in INJECTED {
        let slug = name.replace('_', "-");
        let taken = world.refused("PUT", &tool_path(&slug), tool_body(json!({}))).await;
        assert_eq!(taken.1, "name_taken", "{name}: {taken:?}");
        let local = tool_body(json!({"type": "local", "impl": {"goFunc": name}}));
        let (status, answer) = world.call("PUT", &tool_path("alias"), local).await;
        assert_eq!(status, 400, "{name}: {answer}");
        let step = json!({"type": "steps", "impl": {"steps": [{"id": "a", "tool": name, "args": {}}]}});
        let (status, answer) = world.call("PUT", &tool_path("steps"), tool_body(step)).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("step_not_allowed")), "{name}: {answer}");
        let path = path_of(WALLET_BUNDLE, &slug, "v1");
        assert_eq!(world.call("DELETE", &path, Value::Null).await.0, 403, "{name}");
    }
    world.say("go").await;
    let tools = world.messages_sent()[0].body["context"]["tools"].clone();
    let declared: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(INJECTED.iter().all(|name| declared.contains(name)), "{declared:?}");
}

/// T004-1: only the two tools that name a space take one; every other is called with the same parameters in any space.
#[tokio::test(start_paused = true)]
async fn no_tool_is_told_its_space() {
    let world = agent(&[
        ("one", json!([read_book("1")])),
        ("enter", json!([plain("2", "enter_space", json!({}))])),
        ("two", json!([read_book("3")])),
    ])
    .await;
    for word in ["one", "enter", "two"] {
        world.say(word).await;
    }
    let tools = world.messages_sent()[0].body["context"]["tools"].clone();
    let takes: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["schema"].to_string().contains("spaceId"))
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(takes, ["enter_space", "read_messages"]);
    let calls = world.calls().await;
    assert_eq!((&calls[0]["params"], &calls[0]["params"]), (&json!({}), &calls[1]["params"]));
}

/// The kill switch stops what an agent would write; what it asks for a tap for is asked about.
#[tokio::test(start_paused = true)]
async fn rules_still_hold() {
    let enter = |id: &str| plain(id, "enter_space", json!({}));
    let asking = with(enter("2"), "auto_execute", json!(false));
    let reading = plain("3", "read_messages", json!({}));
    let world =
        agent(&[("go", json!([enter("1")])), ("ask", json!([asking])), ("read", json!([reading]))]).await;
    assert_eq!(world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0, 200);
    world.say("go").await;
    assert!(given(&world)[0].as_str().unwrap().starts_with("kill_switch"), "{:?}", given(&world));
    world.say("read").await;
    assert_eq!(given(&world)[1], json!(OUTSIDE), "it may look");
    assert_eq!(world.call("PUT", "/api/policy", json!({"killSwitch": false})).await.0, 200);
    world.say("ask").await;
    assert_eq!(world.prompts().await.len(), 1);
}
