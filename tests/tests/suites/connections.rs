//! Connections of web pages: approved by the user, one prompt for each page, and removed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's support fails the test"
)]

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const PAGE: &str = "https://app.example";

async fn connect(world: &World, origin: &str) -> (u16, Value) {
    world.call("POST", "/api/connections", json!({"origin": origin})).await
}

/// A page requests a connection while the user acts; returns the page's answer.
async fn connect_while<T>(world: &World, origin: &str, user: impl Future<Output = T>) -> (u16, Value) {
    tokio::join!(connect(world, origin), user).0
}

/// Waits for the one open prompt and answers it.
async fn answer_prompt(world: &World, approve: bool) -> Value {
    let prompt = loop {
        match world.prompts().await.as_slice() {
            [prompt] => break prompt.clone(),
            [] => tokio::task::yield_now().await,
            several => panic!("{several:?}"),
        }
    };
    assert_eq!(world.answer_prompt(&prompt, json!({"approve": approve})).await.0, 200);
    prompt
}

async fn connected(world: &World) -> Vec<String> {
    let connections = world.get("/api/connections").await["connections"].as_array().unwrap().clone();
    connections.iter().map(|connection| connection["origin"].as_str().unwrap().to_owned()).collect()
}

async fn changes(world: &World) -> Vec<Value> {
    let rows = world.table(Table::Audit).await;
    let entries = rows.iter().map(|row| serde_json::from_str::<Value>(&row.text).unwrap());
    entries
        .filter(|entry| entry["kind"] == "change")
        .map(|entry| json!([entry["what"], entry["subject"]]))
        .collect()
}

/// An approval connects and is stored; later requests need no prompt until the page is disconnected.
#[tokio::test(start_paused = true)]
async fn connect_and_disconnect() {
    let world = World::new().await;
    let asked = connect_while(&world, PAGE, answer_prompt(&world, true)).await;
    assert_eq!(asked, (200, json!({"origin": PAGE, "connected": true})));
    // There is no vault: nothing of one is granted.
    let now = world.browser.now();
    let connection = json!({"origin": PAGE, "connectedAt": now, "vaultIds": [], "chains": [], "currentChain": null,
        "expiresAt": now + 30 * 24 * 60 * 60 * 1000_u64, "usedAt": null});
    assert_eq!(world.get("/api/connections").await, json!({"connections": [connection]}));
    world.restart().await;
    let again = world.call("POST", "/api/connections", json!({"origin": PAGE})).await;
    assert_eq!(again, (200, json!({"origin": PAGE, "connected": true})));
    assert_eq!(world.prompts().await, Vec::<Value>::new());
    let target = "/api/connections/https%3A%2F%2Fapp.example";
    let out = (200, json!({"origin": PAGE, "connected": false}));
    assert_eq!(world.call("DELETE", target, Value::Null).await, out);
    assert_eq!(connected(&world).await, Vec::<String>::new());
    let gone = world.call("DELETE", target, Value::Null).await;
    assert_eq!((gone.0, &gone.1["error"]["code"]), (404, &json!("connection_not_found")));
    let noted = [json!(["dapp_connected", PAGE]), json!(["dapp_disconnected", PAGE])];
    assert_eq!(changes(&world).await, noted);
}

/// The prompt names the origin and nothing else; pages get an event when it opens and when it settles, and the badge
/// is shown while it is open.
#[tokio::test(start_paused = true)]
async fn prompt_names_the_origin() {
    let world = World::new().await;
    let user = async {
        let prompt = answer_prompt(&world, false).await;
        assert_eq!((&prompt["kind"], &prompt["origin"]), (&json!("connect_dapp"), &json!(PAGE)));
        assert_eq!(world.browser.notified(), [prompt["id"].as_str().unwrap()]);
    };
    assert_eq!(connect_while(&world, PAGE, user).await, (200, json!({"origin": PAGE, "connected": false})));
    let reported: Vec<Value> = world
        .events()
        .await
        .into_iter()
        .map(|event| json!([event.name, event.data["prompt"]["outcome"]]))
        .collect();
    assert_eq!(reported, [json!(["connect_dapp", null]), json!(["connect_dapp", "rejected"])]);
    assert_eq!(world.browser.attention(), 0);
    assert_eq!((connected(&world).await, changes(&world).await), (vec![], vec![]));
}

/// An unanswered prompt rejects the page when it expires.
#[tokio::test(start_paused = true)]
async fn unanswered_prompt_rejects() {
    let world = World::new().await;
    let reported = connect_while(&world, PAGE, world.pass(11 * 60 * 1000)).await;
    assert_eq!(reported, (200, json!({"origin": PAGE, "connected": false})));
    assert_eq!(connected(&world).await, Vec::<String>::new());
}

/// Concurrent requests of one page share one prompt and one answer; another page has its own.
#[tokio::test(start_paused = true)]
async fn one_prompt_per_page() {
    let world = World::new().await;
    let late = async {
        world.settle().await;
        connect(&world, PAGE).await
    };
    let user = async {
        world.pass(5).await;
        answer_prompt(&world, true).await
    };
    let (first, second, third, _) = tokio::join!(connect(&world, PAGE), connect(&world, PAGE), late, user);
    let yes = (200, json!({"origin": PAGE, "connected": true}));
    assert_eq!([first, second, third], [yes.clone(), yes.clone(), yes]);
    assert_eq!(world.table(Table::SettledPrompts).await.len(), 1);
    let other = connect_while(&world, "http://localhost:5173", answer_prompt(&world, true)).await;
    assert_eq!(other.0, 200);
    assert_eq!(connected(&world).await, ["http://localhost:5173", PAGE]);
}

/// A worker that is stopped between a prompt's commit and its notification: the next one notifies the user, of open prompts alone.
#[tokio::test(start_paused = true)]
async fn next_worker_notifies_of_open_prompts() {
    let world = World::new().await;
    tokio::select! {
        reported = connect(&world, PAGE) => panic!("{reported:?}"),
        () = world.pass(5) => {}
    }
    let id = world.prompts().await[0]["id"].as_str().unwrap().to_owned();
    world.browser.forget_notified();
    world.restart().await;
    assert_eq!((world.browser.notified(), world.browser.attention()), (vec![id], 1));
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
    world.browser.forget_notified();
    world.restart().await;
    assert_eq!((world.browser.notified(), world.browser.attention()), (vec![], 0));
}

/// The worker crashes while the prompt is open: the answer is stored.
#[tokio::test(start_paused = true)]
async fn answer_survives_a_crash() {
    let world = World::new().await;
    tokio::select! {
        reported = connect(&world, PAGE) => panic!("{reported:?}"),
        () = world.pass(5) => {}
    }
    world.restart().await;
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
    assert_eq!(connected(&world).await, [PAGE]);
}

#[tokio::test(start_paused = true)]
async fn invalid_origins_are_refused() {
    let world = World::new().await;
    let before = world.records().await;
    for bad in [
        json!({"origin": "http://app.example"}),
        json!({"origin": "https://app.example/"}),
        json!({"origin": 7}),
        json!({}),
    ] {
        let (status, body) = world.call("POST", "/api/connections", bad.clone()).await;
        assert_eq!((status, &body["error"]["path"]), (400, &json!("/origin")), "{bad}");
    }
    let odd = world.call("DELETE", "/api/connections/%zz", Value::Null).await;
    assert_eq!((odd.0, &odd.1["error"]["code"]), (400, &json!("invalid_request")));
    assert_eq!(world.call("PUT", "/api/connections", json!({})).await.0, 405);
    assert_eq!(world.records().await, before);
}

/// The user's policy is replaced as a whole, stored and logged; an invalid policy is refused with its path and
/// changes nothing.
#[tokio::test(start_paused = true)]
async fn policy_is_replaced_or_refused_as_a_whole() {
    let world = World::new().await;
    let none = json!({"killSwitch": false, "limits": [], "recipients": null, "contracts": null, "tools": []});
    assert_eq!(world.get("/api/policy").await, none);
    let rules = with(
        with(none, "killSwitch", json!(true)),
        "recipients",
        json!([{"chain": "Ethereum", "address": ALICE}]),
    );
    assert_eq!(world.call("PUT", "/api/policy", rules.clone()).await, (200, rules.clone()));
    world.restart().await;
    assert_eq!(world.get("/api/policy").await, rules);
    assert_eq!(changes(&world).await, [json!(["policy_changed", null])]);
    let before = world.records().await;
    let (status, body) = world
        .call(
            "PUT",
            "/api/policy",
            with(rules.clone(), "recipients", json!([{"chain": "Nowhere", "address": ALICE}])),
        )
        .await;
    assert_eq!(
        (status, &body["error"]["code"], &body["error"]["path"]),
        (400, &json!("unknown_chain"), &json!("/recipients/0/chain"))
    );
    let (status, body) = world.call("PUT", "/api/policy", with(rules, "bogus", json!(1))).await;
    assert_eq!((status, &body["error"]["code"]), (400, &json!("invalid_request")));
    assert_eq!(world.records().await, before);
}

/// Addresses are checked by the signer. Without it a new one is refused; the kill switch beside those that are kept works.
#[tokio::test(start_paused = true)]
async fn kill_switch_needs_no_signer() {
    let world = World::new().await;
    let listed = |address: &str| json!([{"chain": "Ethereum", "address": address}]);
    let rules = |kill_switch: bool, address: &str| json!({"killSwitch": kill_switch, "limits": [], "recipients": listed(address), "contracts": null, "tools": []});
    assert_eq!(world.call("PUT", "/api/policy", rules(false, ALICE)).await.0, 200);
    world.browser.set_signer_unavailable(true);
    let (status, body) = world.call("PUT", "/api/policy", rules(true, BOB)).await;
    assert_eq!((status, &body["error"]["code"]), (503, &json!("signer_unavailable")));
    assert_eq!(world.get("/api/policy").await, rules(false, ALICE));
    assert_eq!(world.call("PUT", "/api/policy", rules(true, ALICE)).await, (200, rules(true, ALICE)));
}

/// No bundle exists.
#[tokio::test(start_paused = true)]
async fn no_bundles() {
    let world = World::new().await;
    assert_eq!(world.get("/api/bundles").await, json!({"bundles": [], "cursor": null}));
    let missing = world.call("GET", "/api/bundles/none", Value::Null).await;
    assert_eq!((missing.0, &missing.1["error"]["code"]), (404, &json!("bundle_not_found")));
}
