//! Web pages that may ask: let in by a person, one question at a time, and shut out again.

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

async fn asking(world: &World, origin: &str) -> (u16, Value) {
    world.call("POST", "/api/connections", json!({"origin": origin})).await
}

/// A page asks, and while it waits the person does something; what the page learns.
async fn while_asking<T>(world: &World, origin: &str, person: impl Future<Output = T>) -> (u16, Value) {
    tokio::join!(asking(world, origin), person).0
}

/// The person's answer to the one question that is open, once it is.
async fn answering(world: &World, approve: bool) -> Value {
    let prompt = loop {
        match world.prompts().await.as_slice() {
            [prompt] => break prompt.clone(),
            [] => tokio::task::yield_now().await,
            several => panic!("{several:?}"),
        }
    };
    let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let answer = json!({"approve": approve, "digest": prompt["digest"]});
    assert_eq!(world.call("POST", &target, answer).await.0, 200);
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

/// A yes connects and is kept; then the page is let in without a question, until it is shut out.
#[tokio::test(start_paused = true)]
async fn let_in_and_shut_out() {
    let world = World::new().await;
    let asked = while_asking(&world, PAGE, answering(&world, true)).await;
    assert_eq!(asked, (200, json!({"origin": PAGE, "connected": true})));
    let connections = json!({"connections": [{"origin": PAGE, "connectedAt": world.browser.now()}]});
    assert_eq!(world.get("/api/connections").await, connections);
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

/// The question names the origin and nothing else, pages are told of it when it is asked and when it is settled, and
/// the badge is there as long as it stands.
#[tokio::test(start_paused = true)]
async fn the_question_names_the_origin() {
    let world = World::new().await;
    let person = async {
        let prompt = answering(&world, false).await;
        assert_eq!((&prompt["kind"], &prompt["origin"]), (&json!("connect_dapp"), &json!(PAGE)));
        assert_eq!(world.browser.summoned(), [prompt["id"].as_str().unwrap()]);
    };
    assert_eq!(while_asking(&world, PAGE, person).await, (200, json!({"origin": PAGE, "connected": false})));
    let told: Vec<Value> = world
        .events()
        .await
        .into_iter()
        .map(|event| json!([event.name, event.data["prompt"]["outcome"]]))
        .collect();
    assert_eq!(told, [json!(["connect_dapp", null]), json!(["connect_dapp", "rejected"])]);
    assert_eq!(world.browser.attention(), 0);
    assert_eq!((connected(&world).await, changes(&world).await), (vec![], vec![]));
}

/// Nobody answers: the page is told no when the question's time is over.
#[tokio::test(start_paused = true)]
async fn silence_is_no() {
    let world = World::new().await;
    let told = while_asking(&world, PAGE, world.pass(11 * 60 * 1000)).await;
    assert_eq!(told, (200, json!({"origin": PAGE, "connected": false})));
    assert_eq!(connected(&world).await, Vec::<String>::new());
}

/// Several requests of one page, at once or while its question stands, share one question and one answer; another page
/// has its own.
#[tokio::test(start_paused = true)]
async fn one_question_for_one_page() {
    let world = World::new().await;
    let late = async {
        world.settle().await;
        asking(&world, PAGE).await
    };
    let person = async {
        world.pass(5).await;
        answering(&world, true).await
    };
    let (first, second, third, _) = tokio::join!(asking(&world, PAGE), asking(&world, PAGE), late, person);
    let yes = (200, json!({"origin": PAGE, "connected": true}));
    assert_eq!([first, second, third], [yes.clone(), yes.clone(), yes]);
    assert_eq!(world.table(Table::Prompts).await.len(), 1);
    let other = while_asking(&world, "http://localhost:5173", answering(&world, true)).await;
    assert_eq!(other.0, 200);
    assert_eq!(connected(&world).await, ["http://localhost:5173", PAGE]);
}

/// The worker dies while the question stands: the answer is kept all the same.
#[tokio::test(start_paused = true)]
async fn the_answer_outlives_the_one_who_asked() {
    let world = World::new().await;
    tokio::select! {
        told = asking(&world, PAGE) => panic!("{told:?}"),
        () = world.pass(5) => {}
    }
    world.restart().await;
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
    assert_eq!(connected(&world).await, [PAGE]);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_origin_is_refused() {
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

/// The person's rules are replaced as a whole, kept, and noted; what is refused is named and changes nothing.
#[tokio::test(start_paused = true)]
async fn rules_are_kept_or_refused_as_a_whole() {
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

/// No bundle was ever asked for.
#[tokio::test(start_paused = true)]
async fn no_bundles() {
    let world = World::new().await;
    assert_eq!(world.get("/api/bundles").await, json!({"bundles": [], "cursor": null}));
    let missing = world.call("GET", "/api/bundles/none", Value::Null).await;
    assert_eq!((missing.0, &missing.1["error"]["code"]), (404, &json!("bundle_not_found")));
}
