//! Permissions with bounds on arguments, through the whole core.
#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

/// An action without a hint that saves addresses on these chains.
fn saves(id: &str, chains: &[&str]) -> Value {
    let entry = |chain: &&str| json!({"title": format!("{id} {chain}"), "address": ALICE, "chain": chain});
    let entries: Vec<Value> = chains.iter().map(entry).collect();
    without(action(id, "add_address_book", json!({"entries": entries})), "auto_execute")
}

/// Contacts on Ethereum only, so many a day.
fn on_ethereum(per_day: u32) -> Value {
    let chain = json!({"path": "/entries/*/chain", "rule": {"kind": "one_of", "values": ["Ethereum"]}});
    json!({"kind": "allow", "perDay": per_day, "until": null, "arguments": [chain]})
}

fn rules(decision: &Value) -> Value {
    let rule = json!({"tool": "add_address_book", "who": {"kind": "agent"}, "decision": decision});
    json!({"killSwitch": false, "limits": [], "recipients": null, "contracts": null, "tools": [rule]})
}

/// An agent that proposes the actions, each when its id is said, under rules.
async fn proposing(actions: &[Value], rules: &Value) -> World {
    let turns =
        actions.iter().map(|action| turn(when_said(action["id"].as_str().unwrap_or("")), json!([action])));
    let world = World::scripted(turns.collect()).await;
    assert_eq!(world.call("PUT", "/api/policy", rules.clone()).await, (200, rules.clone()));
    world
}

/// Why the only open prompt asks; nothing where none is open.
async fn asked(world: &World) -> Vec<Value> {
    let prompts = world.prompts().await;
    let reasons = prompts.first().map(|prompt| prompt["reasons"].clone()).unwrap_or_default();
    reasons.as_array().into_iter().flatten().map(|reason| reason["code"].clone()).collect()
}

/// A remembered approval holds for calls within its bounds. Any other is asked about, with any hint, and says which
/// argument is outside.
#[tokio::test(start_paused = true)]
async fn calls_outside_the_bounds_are_asked_about() {
    let first = saves("first", &["Base"]);
    let actions = [
        (saves("same", &["Ethereum"]), true),
        (saves("both", &["Ethereum", "Ethereum"]), true),
        (saves("other", &["Base"]), false),
        (saves("mixed", &["Ethereum", "Base"]), false),
        (saves("spelled", &["ethereum"]), false),
        (with(saves("hinted", &["Base"]), "auto_execute", json!(true)), false),
        (
            without(
                action("legacy", "address_book_add", json!({"name": "A", "address": ALICE, "chain": "Base"})),
                "auto_execute",
            ),
            false,
        ),
    ];
    let all: Vec<Value> =
        [first].into_iter().chain(actions.iter().map(|(action, _)| action.clone())).collect();
    let none = json!({"killSwitch": false, "limits": [], "recipients": null, "contracts": null, "tools": []});
    let world = proposing(&all, &none).await;
    world.say("first").await;
    assert_eq!(asked(&world).await, ["tap_wanted"]);
    let answer = json!({"approve": true, "remember": on_ethereum(9)});
    assert_eq!(world.answer(answer).await.0, 200);
    assert_eq!(world.get("/api/policy").await, rules(&on_ethereum(9)));
    for (action, within) in actions {
        world.say(action["id"].as_str().unwrap()).await;
        let codes = asked(&world).await;
        let expected: &[&str] = match action.get("auto_execute") {
            _ if within => &[],
            Some(_) => &["outside_bounds"],
            None => &["outside_bounds", "tap_wanted"],
        };
        assert_eq!(codes, expected, "{action}");
        if !within {
            let message = world.prompts().await[0]["reasons"][0]["message"].clone();
            assert_eq!(message, "“/entries/*/chain” is not what you allowed of add_address_book for good.");
            assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
        }
    }
    assert_eq!(world.book().await.len(), 4, "the first, the same and both");
}

/// The count of a day's calls is a row: it outlives the worker, and calls outside of the bounds do not use it up. A denial
/// beats the permission, the kill switch beats everything.
#[tokio::test(start_paused = true)]
async fn bounds_are_counted_across_restarts() {
    let ids = ["a", "b", "c", "d", "e", "f"];
    let chains = ["Ethereum", "Base", "Ethereum", "Ethereum", "Ethereum", "Ethereum"];
    let actions: Vec<Value> = ids.iter().zip(chains).map(|(id, chain)| saves(id, &[chain])).collect();
    let world = proposing(&actions, &rules(&on_ethereum(2))).await;
    let mut codes = Vec::new();
    for id in &ids[..4] {
        world.say(id).await;
        codes.push(asked(&world).await);
        if !world.prompts().await.is_empty() {
            assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
        }
        world.restart().await;
        world.settle().await;
    }
    let none: [&str; 0] = [];
    assert_eq!(codes[0], none);
    assert_eq!(codes[1], ["outside_bounds", "tap_wanted"]);
    assert_eq!(codes[2], none);
    assert_eq!(codes[3], ["bounds_used_up", "tap_wanted"]);
    let deny = json!({"tool": "add_address_book", "who": {"kind": "anybody"}, "decision": {"kind": "deny"}});
    let mut denied = rules(&on_ethereum(9));
    denied["tools"].as_array_mut().unwrap().push(deny);
    assert_eq!(world.call("PUT", "/api/policy", denied.clone()).await.0, 200);
    world.say("e").await;
    assert_eq!(world.call("PUT", "/api/policy", with(denied, "killSwitch", json!(true))).await.0, 200);
    world.say("f").await;
    let error =
        |result: &Value| result["error"].as_str().unwrap_or_default().split(':').next().map(str::to_owned);
    let ends: Vec<_> = world.results().iter().filter_map(error).collect();
    assert_eq!(ends[4..], ["tool_denied", "kill_switch"]);
    assert_eq!(world.prompts().await, [] as [Value; 0]);
}

/// Wider bounds, fewer, and none need the password, in the rules and in an answer; tighter ones and a denial do not.
#[tokio::test(start_paused = true)]
async fn wider_bounds_need_the_password() {
    let world = proposing(&[saves("a", &["Base"])], &rules(&on_ethereum(9))).await;
    world.browser.use_fast_signer();
    world.make_vault(PASSWORD).await;
    let mut wider = on_ethereum(9);
    wider["arguments"][0]["rule"]["values"] = json!(["Ethereum", "Base"]);
    let without_bounds = without(on_ethereum(9), "arguments");
    for (changed, path) in [
        (rules(&wider), "/tools/0"),
        (rules(&without_bounds), "/tools/0"),
        (with(rules(&wider), "tools", json!([])), "/tools"),
    ] {
        let (status, body) = world.call("PUT", "/api/policy", changed).await;
        let error = &body["error"];
        assert_eq!(
            (status, &error["code"], &error["path"]),
            (403, &json!("password_required"), &json!(path))
        );
    }
    let mut tighter = on_ethereum(8);
    let title = json!({"path": "/entries/*/title", "rule": {"kind": "begins_with", "text": "a"}});
    tighter["arguments"].as_array_mut().unwrap().push(title);
    assert_eq!(world.call("PUT", "/api/policy", rules(&tighter)).await, (200, rules(&tighter)));

    world.say("a").await;
    let prompt = world.prompts().await[0].clone();
    let answer = json!({"approve": true, "remember": wider});
    let (status, body) = world.answer_prompt(&prompt, answer.clone()).await;
    assert_eq!((status, &body["error"]["path"]), (403, &json!("/remember")));
    assert_eq!(world.answer(with(answer, "password", json!(PASSWORD))).await.0, 200);
    assert_eq!(world.get("/api/policy").await, rules(&wider));
    let denied = rules(&json!({"kind": "deny"}));
    assert_eq!(world.call("PUT", "/api/policy", denied.clone()).await, (200, denied));
}

/// Bounds that cannot be held are refused at their place, in the rules and in an answer.
#[tokio::test(start_paused = true)]
async fn bounds_that_cannot_be_held_are_refused() {
    let world = World::proposing(json!([saves("a", &["Base"])])).await;
    world.say("go").await;
    let prompt = world.prompts().await[0].clone();
    let bounded = |bound: Value| with(on_ethereum(1), "arguments", json!([bound]));
    for (bound, place) in [
        (json!({"path": "city", "rule": {"kind": "absent"}}), "/0/path"),
        (json!({"path": "/city", "rule": {"kind": "one_of", "values": []}}), "/0/rule/values"),
        (json!({"path": "/city", "rule": {"kind": "one_of", "values": [{}]}}), "/0/rule/values"),
        (json!({"path": "/city", "rule": {"kind": "at_most", "value": "many"}}), "/0/rule/value"),
        (json!({"path": "/city", "rule": {"kind": "begins_with", "text": ""}}), "/0/rule/text"),
    ] {
        let (status, body) = world.call("PUT", "/api/policy", rules(&bounded(bound.clone()))).await;
        let error = (status, body["error"]["code"].clone(), body["error"]["path"].clone());
        assert_eq!(
            error,
            (400, json!("invalid_bound"), json!(format!("/tools/0/decision/arguments{place}")))
        );
        let answer = json!({"approve": true, "remember": bounded(bound)});
        let (status, body) = world.answer_prompt(&prompt, answer).await;
        assert_eq!((status, &body["error"]["path"]), (400, &json!(format!("/remember/arguments{place}"))));
    }
    for unknown in [
        json!({"path": "/a", "rule": {"kind": "odd"}}),
        json!({"path": "/a"}),
        json!({"rule": {"kind": "absent"}}),
    ] {
        assert_eq!(world.call("PUT", "/api/policy", rules(&bounded(unknown))).await.0, 400);
    }
    assert_eq!(world.prompts().await.len(), 1);
}
