//! The history of bundles: newest first, filtered by state, outcome and chain, in pages.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::evm::{Evm, PAYEE, STRANGER, bundle};
use countersign_tests::world::*;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

/// A bundle with a false claim: blocked, so it ends without a prompt.
fn contradicted(id: &str) -> Value {
    let step = Evm::pays(PAYEE, 1).step("s0", 0);
    bundle(id, json!([with(step, "tx_details", json!({"to": STRANGER}))]))
}

/// A bundle that opens an approval, on another chain.
fn approvable(id: &str) -> Value {
    let step = Evm { chain_id: 8453, ..Evm::pays(PAYEE, 1) }.step("s0", 0);
    bundle(id, json!([with(step, "chain", json!("Base"))]))
}

/// The labels of a page, and the cursor of the next.
async fn page(world: &World, query: &str) -> (Vec<String>, Option<String>) {
    let page = world.get(&format!("/api/bundles?{query}")).await;
    let label = |bundle: &Value| bundle["label"].as_str().unwrap().replace("Label of ", "");
    let labels = page["bundles"].as_array().unwrap().iter().map(label).collect();
    (labels, page["cursor"].as_str().map(str::to_owned))
}

async fn world(actions: Value) -> World {
    let world = World::new().await;
    world.make_vault(PASSWORD).await;
    let (status, body) = world.call("POST", "/api/actions?wait=false", json!({"actions": actions})).await;
    assert_eq!(status, 202, "{body}");
    world.settle().await;
    world
}

/// Filters return matching bundles by their current state.
#[tokio::test(start_paused = true)]
async fn filters_by_state_outcome_and_chain() {
    let world = world(json!([contradicted("a1"), contradicted("a2"), approvable("a3")])).await;
    let labels = async |query: &str| page(&world, query).await.0;
    assert_eq!(labels("").await, ["a3", "a2", "a1"]);
    assert_eq!(labels("state=asking").await, ["a3"]);
    assert_eq!(labels("state=done&outcome=failed").await, ["a2", "a1"]);
    assert_eq!(labels("outcome=failed&chain=Ethereum").await, ["a2", "a1"]);
    assert_eq!(labels("chain=Base").await, ["a3"]);
    for nothing in
        ["state=running", "state=approved", "outcome=success", "chain=Base&state=done", "chain=Sui"]
    {
        assert_eq!(labels(nothing).await, Vec::<String>::new(), "{nothing}");
    }
    assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
    assert_eq!(labels("state=asking").await, Vec::<String>::new());
    assert_eq!(labels("chain=Base&outcome=failed").await, ["a3"]);
}

/// Every page is full however sparse the matches are, and the pages together list each bundle once.
#[tokio::test(start_paused = true)]
async fn filtered_pages_are_full() {
    let mut actions: Vec<Value> = (0..99).map(|number| contradicted(&format!("a{number}"))).collect();
    actions.push(approvable("last"));
    let world = world(json!(actions)).await;
    let (status, body) = world
        .call(
            "POST",
            "/api/actions?wait=false",
            json!({"actions": [contradicted("b0"), contradicted("b1"), contradicted("b2")]}),
        )
        .await;
    assert_eq!(status, 202, "{body}");
    world.settle().await;

    let mut expected: Vec<String> = vec!["b2".into(), "b1".into(), "b0".into()];
    expected.extend((0..99).rev().map(|number| format!("a{number}")));
    let (mut found, mut cursor, mut sizes) = (Vec::new(), String::new(), Vec::new());
    loop {
        let (labels, next) = page(&world, &format!("outcome=failed&cursor={cursor}")).await;
        sizes.push(labels.len());
        found.extend(labels);
        match next {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!((found, sizes), (expected, vec![50, 50, 2]));
    // The only match is on the second unfiltered page, and found by the first filtered request.
    assert_eq!(page(&world, "chain=Base").await, (vec!["last".to_owned()], None));
}

/// An invalid filter is refused with its path.
#[tokio::test(start_paused = true)]
async fn invalid_filters_are_refused() {
    let world = World::new().await;
    let refused = async |query: &str| {
        let (status, body) = world.call("GET", &format!("/api/bundles?{query}"), Value::Null).await;
        (status, body["error"]["code"].clone(), body["error"]["path"].clone())
    };
    let code = |code: &str, path: &str| (400, json!(code), json!(path));
    assert_eq!(refused("state=lost").await, code("invalid_request", "?state"));
    assert_eq!(refused("outcome=maybe").await, code("invalid_request", "?outcome"));
    assert_eq!(refused("chain=Nowhere").await, code("unknown_chain", "?chain"));
    assert_eq!(world.get("/api/bundles?state=&outcome=&chain=").await["bundles"], json!([]));
}
