//! The pipeline: what a tool gave, arguments that are checked before anybody is asked, and calls that are cancelled.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::bundle_run::{BundleRun, code, row};
use countersign_tests::chain::Chains;
use countersign_tests::evm::payments;
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

/// The whole error of a cancelled call.
const CANCELLED: &str = "Request was cancelled";
const MINUTE: u64 = 60_000;

/// An action without a hint, which asks if the tool changes anything.
fn asking(id: &str, kind: &str, params: Value) -> Value {
    without(action(id, kind, params), "auto_execute")
}

/// The only call of the conversation, with what its tool gave.
async fn only_call(world: &World) -> Value {
    let calls = world.calls().await;
    assert_eq!(calls.len(), 1);
    world.get(&format!("/api/calls/{}", calls[0]["id"].as_str().unwrap())).await
}

/// What the tool of an agent's action gave, and the result that the agent got.
async fn given(action: Value) -> (Value, Value) {
    let world = World::proposing(json!([action])).await;
    world.say("go").await;
    (only_call(&world).await["toolResult"].clone(), world.results()[0].clone())
}

async fn cancel(world: &World, id: &str) -> (u16, Value) {
    world.call("POST", &format!("/api/calls/{id}/cancel"), Value::Null).await
}

/// The user's action, which runs as soon as the worker is let.
async fn begin(world: &World, action: &Value) -> String {
    let (status, body) = world.call("POST", "/api/actions?wait=false", json!({"actions": [action]})).await;
    assert_eq!(status, 202);
    body["callIds"][0].as_str().unwrap().to_owned()
}

/// T003-9, T003-18…T003-23, T003-27: what a tool gave has its name, the time, and data or an error; the answer to the
/// action is made of it, and only there are `success` and, beside an error, the rows of a failed call (T000-16, D12).
#[tokio::test(start_paused = true)]
async fn a_result_is_data_or_an_error() {
    let now = "2026-01-01T00:00:00.000Z";
    let (tool, answer) = given(save_entry("a1", "Alice")).await;
    assert_eq!(tool, json!({"tool": "add_address_book", "fetchedAt": now, "data": answer["data"]}));
    assert_eq!(answer["data"]["results"][0]["success"], true);

    let nowhere = json!({"entries": [{"title": "A", "address": ALICE, "chain": "Nowhere"}]});
    let (tool, answer) = given(action("a1", "add_address_book", nowhere)).await;
    let error = "unknown_chain: \"Nowhere\"";
    assert_eq!(tool, json!({"tool": "add_address_book", "fetchedAt": now, "error": error}));
    assert_eq!((&answer["success"], &answer["error"]), (&json!(false), &json!(error)));
    assert_eq!(answer["data"]["results"][0]["error"], error, "the report is the action's");

    let (tool, answer) = given(action("a1", "make_coffee", json!({}))).await;
    let error = "unknown_tool: there is no tool for the type \"make_coffee\"";
    assert_eq!(tool, json!({"tool": "make_coffee", "fetchedAt": now, "error": error}));
    assert_eq!(answer, failure("a1", "make_coffee", error));

    // An older name is the tool's own here, and the sender's in the answer.
    let old = json!({"name": "A", "address": ALICE, "chain": "Base"});
    let (tool, answer) = given(action("a1", "address_book_add", old)).await;
    assert_eq!((&tool["tool"], &answer["action"]), (&json!("add_address_book"), &json!("address_book_add")));
}

/// T003-26: the time is that of the attempt, also of one that fails, and not that of the arrival.
#[tokio::test(start_paused = true)]
async fn fetched_at_is_the_time_of_the_attempt() {
    for (chain, key) in [("Ethereum", "data"), ("Nowhere", "error")] {
        let params = json!({"entries": [{"title": "A", "address": ALICE, "chain": chain}]});
        let world = World::proposing(json!([asking("a1", "add_address_book", params)])).await;
        world.say("go").await;
        assert_eq!(only_call(&world).await.get("toolResult"), None, "it has not ended");
        world.pass(START + 5 * MINUTE - world.browser.now()).await;
        assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
        let result = only_call(&world).await["toolResult"].clone();
        assert_eq!(result["fetchedAt"], "2026-01-01T00:05:00.000Z");
        assert!(result.get(key).is_some(), "{result}");
    }
}

/// T003-4: arguments of every tool are checked before anybody is asked: a call that could only fail asks nobody.
#[tokio::test(start_paused = true)]
async fn arguments_are_checked_before_the_user_is_asked() {
    let table = [
        ("add_address_book", json!({"entries": {}}), "invalid_params: /entries must be an array"),
        ("add_address_book", json!({"entries": []}), "invalid_params: /entries must have at least one entry"),
        ("delete_address_book", json!({}), "invalid_params: /entries must be an array"),
        ("add_chain", json!({"chains": "Bitcoin"}), "invalid_params: /chains must be an array"),
        ("add_token", json!({"tokens": null}), "invalid_params: /tokens must be an array"),
        ("remove_token", json!({"tokens": []}), "invalid_params: /tokens must have at least one entry"),
        ("get_address_book", json!({"chain": 7}), "invalid_params: /chain must be a string"),
    ];
    for (kind, params, error) in table {
        let world = World::proposing(json!([asking("a1", kind, params)])).await;
        world.say("go").await;
        assert_eq!(world.results(), [failure("a1", kind, error)]);
        assert_eq!((world.prompts().await.len(), world.browser.notified().len()), (0, 0));
    }
    let none = asking("a1", "sign_transaction_bundle", json!({"transactions": []}));
    let world = World::proposing(json!([none])).await;
    world.say("go").await;
    let error = "invalid_params: /transactions must have at least one step";
    assert_eq!(world.results(), [refused_bundle("a1", "sign_transaction_bundle", error)]);
}

/// T003-25: a question to the user is no result: the call waits, and nothing is told to the agent.
/// T003-34: a call that waits is cancelled together with its prompt, once; the agent is told the exact words, without data.
#[tokio::test(start_paused = true)]
async fn a_waiting_call_is_cancelled_with_its_prompt() {
    let params = json!({"entries": [{"title": "A", "address": ALICE, "chain": "Base"}]});
    let actions = json!([asking("a1", "add_address_book", params), save_entry("a2", "Next")]);
    let world = World::proposing(actions).await;
    world.say("go").await;
    let call = world.calls().await[0].clone();
    assert_eq!((&call["state"]["name"], world.results().len()), (&json!("waiting"), 0));
    let id = call["id"].as_str().unwrap();
    let prompt = world.prompts().await.remove(0);

    let (status, cancelled) = cancel(&world, id).await;
    let expected = failure("a1", "add_address_book", CANCELLED);
    assert_eq!((status, &cancelled["state"]["result"]), (200, &expected));
    let at = &cancelled["toolResult"]["fetchedAt"];
    assert_eq!(
        cancelled["toolResult"],
        json!({"tool": "add_address_book", "fetchedAt": at, "error": CANCELLED})
    );
    assert!(at.as_str().unwrap().ends_with('Z'));
    world.settle().await;
    assert_eq!((world.prompts().await.len(), world.browser.attention()), (0, 0));
    let late = world.answer_prompt(&prompt, json!({"approve": true})).await;
    assert_eq!((late.0, &late.1["error"]["code"]), (409, &json!("already_answered")));
    // The next call of the lane goes on.
    assert_eq!(world.results()[0], expected);
    assert_eq!((world.results().len(), world.book().await.len()), (2, 1));

    let again = cancel(&world, id).await;
    assert_eq!((again.0, &again.1["error"]["code"]), (409, &json!("call_ended")));
    let unknown = cancel(&world, "none").await;
    assert_eq!((unknown.0, &unknown.1["error"]["code"]), (404, &json!("call_not_found")));
    world.restart().await;
    world.settle().await;
    assert_eq!(world.results().len(), 2, "nothing is told twice");
}

/// The records that tools change.
async fn holdings(world: &World) -> [Vec<runtime::store::Row>; 2] {
    [world.table(Table::Contacts).await, world.table(Table::Coins).await]
}

/// T003-29, T003-33, T003-34: every tool, cancelled at every point of its way: it is cancelled, and then nothing was
/// written and nothing is asked of any node afterwards; or it was done before, and then the cancelling is refused.
#[tokio::test(start_paused = true)]
async fn every_tool_is_cancelled_at_any_point() {
    let token =
        |ticker: &str| json!({"chain": "Base", "ticker": ticker, "contract_address": ALICE, "decimals": 18});
    let tools = [
        read_book("1"),
        save_entry("1", "Alice"),
        action("1", "delete_address_book", json!({"entries": [{"title": "Bob"}]})),
        action("1", "add_chain", json!({"chains": [{"chain": "Bitcoin"}]})),
        action("1", "add_token", json!({"tokens": [token("ABC")]})),
        action("1", "remove_token", json!({"tokens": [{"chain": "Ethereum", "ticker": "USDC"}]})),
    ];
    let usdc = json!({"chain": "Ethereum", "ticker": "USDC", "decimals": 6,
        "contract_address": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"});
    for tool in tools {
        let mut cancelled = 0;
        for steps in 0.. {
            let world = World::new().await.with_vault().await;
            world.save(&[("Bob", BOB, "Ethereum")]).await;
            assert_eq!(world.act_once("add_token", json!({"tokens": [usdc]})).await["success"], true);
            let before = holdings(&world).await;
            let id = begin(&world, &tool).await;
            world.steps(steps).await;
            let (status, call) = cancel(&world, &id).await;
            let asked = world.node_calls().len();
            if status == 409 {
                assert_eq!(call["error"]["code"], "call_ended", "{tool} after {steps} steps");
                break;
            }
            assert_eq!(status, 200, "{call}");
            let kind = tool["type"].as_str().unwrap();
            assert_eq!(call["state"]["result"], failure("1", kind, CANCELLED));
            let commits = world.browser.traffic().commits;
            world.settle().await;
            assert_eq!(holdings(&world).await, before, "{tool} after {steps} steps");
            assert_eq!(world.node_calls().len(), asked, "{tool} after {steps} steps");
            assert!(world.browser.traffic().commits <= commits + 1, "daily trimming at most");
            assert_eq!(world.work().await, json!([]));
            cancelled += 1;
        }
        assert!(cancelled >= 3, "{tool}: {cancelled}");
    }
}

/// T003-29: a call that waits for nodes is given up at once, also while a page waits for its answer.
#[tokio::test(start_paused = true)]
async fn a_call_under_way_is_given_up_at_once() {
    let world = World::new().await.with_vault().await;
    world.set_nodes(|_| Answer::Silent);
    let token = json!({"chain": "Base", "ticker": "ABC", "contract_address": ALICE, "decimals": 18});
    let body = json!({"actions": [action("1", "add_token", json!({"tokens": [token]}))]}).to_string();
    let (core, began) = (world.core(), world.browser.now());
    let answered = world
        .run(async {
            let page = core.handle("POST", "/api/actions", &body);
            let stop = async {
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                let calls = core.handle("GET", "/api/calls", "").await.body;
                let calls: Value = serde_json::from_str(&calls).unwrap();
                let target = format!("/api/calls/{}/cancel", calls["calls"][0]["id"].as_str().unwrap());
                core.handle("POST", &target, "").await.status
            };
            tokio::join!(page, stop)
        })
        .await;
    let results: Value = serde_json::from_str(&answered.0.body).unwrap();
    assert_eq!((answered.1, &results["results"]), (200, &json!([failure("1", "add_token", CANCELLED)])));
    assert_eq!((world.browser.now() - began, world.node_calls().len()), (500, 1));
    assert_eq!(world.coins().await, [] as [Value; 0]);
}

/// T003-29: the kill switch gives up what is under way, unless it is the user's own.
#[tokio::test(start_paused = true)]
async fn the_kill_switch_cancels_what_is_under_way() {
    let token = json!({"chain": "Base", "ticker": "ABC", "contract_address": ALICE, "decimals": 18});
    let add = action("a1", "add_token", json!({"tokens": [token]}));
    let world = World::proposing(json!([add])).await.with_vault().await;
    world.set_nodes(|_| Answer::Silent);
    world.say("go").await;
    let own = begin(&world, &with(add, "id", json!("own"))).await;
    world.settle().await;
    assert_eq!((world.node_calls().len(), world.results().len()), (2, 0));
    assert_eq!(world.call("PUT", "/api/policy", json!({"killSwitch": true})).await.0, 200);
    world.settle().await;
    assert_eq!(world.results(), [failure("a1", "add_token", CANCELLED)]);
    world.pass(10_000).await;
    let own = world.get(&format!("/api/calls/{own}")).await;
    assert_eq!((&own["state"]["result"]["success"], world.coins().await.len()), (&json!(true), 2));
}

/// T003-29: a bundle is cancelled while it is reviewed and while it waits; one that runs is stopped, which ends it after the
/// step that it has begun.
#[tokio::test(start_paused = true)]
async fn a_bundle_is_cancelled_or_stopped() {
    let refused = refused_bundle("a1", "sign_transaction_bundle", CANCELLED);
    for steps in [0, 30, 60, 100, 1_000] {
        let run = BundleRun::of(payments(2)).await;
        run.world.post_message("go").await;
        run.world.steps(steps).await;
        let calls = run.world.calls().await;
        let Some(call) = calls.first() else { continue };
        let (status, call) = cancel(&run.world, call["id"].as_str().unwrap()).await;
        assert_eq!((status, &call["state"]["result"]), (200, &refused), "after {steps} steps");
        run.world.settle().await;
        assert_eq!((run.world.prompts().await.len(), run.world.browser.signatures()), (0, 0));
        assert_eq!(run.world.results(), std::slice::from_ref(&refused));
    }

    let run = BundleRun::on(Chains::mined_manually(), payments(3)).await;
    run.start().await;
    let id = run.view().await["id"].as_str().unwrap().to_owned();
    let (status, call) = cancel(&run.world, &id).await;
    assert_eq!((status, &call["state"]["name"]), (200, &json!("approved")));
    run.chains.on("Ethereum").mine(0);
    assert_eq!(run.finish().await, [row("a", "confirmed", "")]);
    assert_eq!(code(&run.result()["error"]), "stopped_by_user");
    assert_eq!(run.world.browser.signatures(), 1);
}

/// A bundle that waits for the password has nothing under way: it is cancelled with the prompt.
#[tokio::test(start_paused = true)]
async fn a_bundle_is_cancelled_at_its_password() {
    let run = BundleRun::of(payments(1)).await;
    run.world.say("go").await;
    run.approve().await;
    let id = run.view().await["id"].as_str().unwrap().to_owned();
    let (status, call) = cancel(&run.world, &id).await;
    let refused = refused_bundle("a1", "sign_transaction_bundle", CANCELLED);
    assert_eq!((status, &call["state"]["result"]), (200, &refused));
    run.world.settle().await;
    assert_eq!((run.world.prompts().await.len(), run.world.results()), (0, vec![refused]));
}
