//! Sessions over several chains: CAIP-25, 27, 285 and 312, as views of one grant.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::dapp_door::{PAGE, code, page};
use countersign_tests::world::*;
use serde_json::{Value, json};

const SOLANA: &str = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";

fn scopes(answer: &Value, name: &str) -> Vec<String> {
    answer["result"][name].as_object().unwrap().keys().cloned().collect()
}

/// Both shapes: chains that the wallet does not have are left out, unless they are required.
#[tokio::test(start_paused = true)]
async fn both_shapes() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let earlier = json!({"requiredScopes": {"eip155:1": {"methods": ["personal_sign"], "notifications": []}},
        "optionalScopes": {SOLANA: {"methods": [], "notifications": []}, "eip155:1337": {"methods": [], "notifications": []}}});
    let user = async {
        let prompt = world.next_prompt().await;
        assert_eq!(prompt["chains"], json!(["Ethereum", "Solana"]));
        world.answer_prompt(&prompt, json!({"approve": true})).await
    };
    let (created, _) = tokio::join!(world.request(&page, "wallet_createSession", earlier), user);
    assert_eq!(scopes(&created, "sessionScopes"), ["eip155:1", SOLANA]);
    let account = created["result"]["sessionScopes"]["eip155:1"]["accounts"][0].clone();
    assert_eq!(account, json!(format!("eip155:1:{}", address_of(0, "Ethereum"))));
    let session = world.request(&page, "wallet_getSession", json!({})).await;
    assert_eq!(session["result"]["sessionScopes"], created["result"]["sessionScopes"]);
    assert_eq!(world.page_state(PAGE).await["sessions"], created["result"]["sessionScopes"]);
    // The current shape adds a chain to the same grant.
    let current = json!({"scopes": {"eip155:8453": {}}});
    let more =
        world.request_and(&page, "wallet_createSession", current.clone(), json!({"approve": true})).await;
    assert_eq!(scopes(&more, "scopes"), ["eip155:1", "eip155:8453", SOLANA]);
    // What is granted already is asked about no more, and an EVM page sees the same grant.
    assert_eq!(world.request(&page, "wallet_createSession", current).await, more);
    assert_eq!(
        world.request(&page, "eth_accounts", json!([])).await["result"],
        json!([address_of(0, "Ethereum")])
    );
    world.browser.take_pages_changed();
    assert_eq!(world.request(&page, "wallet_revokeSession", json!({})).await, json!({"result": true}));
    assert_eq!(world.browser.take_pages_changed(), [PAGE]);
    assert_eq!(world.page_state(PAGE).await["sessions"], json!({}));
}

/// Refusals have the codes of CAIP-25, and open no window.
#[tokio::test(start_paused = true)]
async fn refusals() {
    let world = World::new().await.with_vault().await;
    let page = page();
    for (params, wanted) in [
        (json!({"scopes": {"eip155:1337": {}}}), 5_100),
        (json!({"requiredScopes": {"eip155:1337": {}}}), 5_100),
        (json!({"optionalScopes": {"eip155:1": {}}, "sessionProperties": {}}), 5_302),
        (json!({}), -32_602),
        (json!([1]), -32_602),
    ] {
        assert_eq!(
            code(&world.request(&page, "wallet_createSession", params.clone()).await),
            wanted,
            "{params}"
        );
    }
    assert_eq!(code(&world.request(&page, "wallet_revokeSession", json!({"sessionId": "x"})).await), -32_602);
    assert_eq!(world.prompts().await.len(), 0);
    let rejected = world
        .request_and(
            &page,
            "wallet_createSession",
            json!({"scopes": {"eip155:1": {}}}),
            json!({"approve": false}),
        )
        .await;
    assert_eq!(code(&rejected), 4_001);
}

/// The user may let a page use some of the chains that it asks for; if none of them, no scope was authorized (5000).
#[tokio::test(start_paused = true)]
async fn some_of_the_scopes() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let ask = json!({"scopes": {"eip155:1": {}, "eip155:8453": {}}});
    let none = json!({"approve": true, "grant": {"chains": ["Optimism"]}});
    let refused = world.request_and(&page, "wallet_createSession", ask.clone(), none).await;
    assert_eq!(code(&refused), 5_000);
    let some = json!({"approve": true, "grant": {"chains": ["Base"]}});
    let created = world.request_and(&page, "wallet_createSession", ask, some).await;
    assert_eq!(scopes(&created, "scopes"), ["eip155:10", "eip155:8453"]);
}

/// CAIP-27: a method runs on the chain of its scope, and the page stays on its own.
#[tokio::test(start_paused = true)]
async fn invoking_methods() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let create = json!({"scopes": {"eip155:1": {}, "eip155:8453": {}}});
    world.request_and(&page, "wallet_createSession", create, json!({"approve": true})).await;
    world.set_nodes(|call| Answer::json(&json!({"id": 1, "result": call.url})));
    let invoke =
        |scope: &str, method: &str| json!({"scope": scope, "request": {"method": method, "params": []}});
    let answer = world.request(&page, "wallet_invokeMethod", invoke("eip155:8453", "eth_blockNumber")).await;
    assert!(answer["result"].as_str().unwrap().contains("/base/"), "{answer}");
    assert_eq!(
        world.request(&page, "wallet_invokeMethod", invoke("eip155:8453", "eth_chainId")).await,
        json!({"result": "0x2105"})
    );
    assert_eq!(world.request(&page, "eth_chainId", json!([])).await, json!({"result": "0x1"}));
    for (params, wanted) in [
        (invoke("eip155:10", "eth_blockNumber"), 4_100),
        (invoke("eip155:1337", "eth_blockNumber"), 4_100),
        (invoke(SOLANA, "signMessage"), 4_100),
        (invoke("nonsense scope", "eth_call"), -32_602),
        (invoke("eip155:1", "wallet_invokeMethod"), 4_200),
        (invoke("eip155:1", "wallet_switchEthereumChain"), 4_200),
        (invoke("eip155:1", "eth_sign"), 4_200),
        (json!({"scope": "eip155:1"}), -32_602),
        (json!({"scope": "eip155:1", "request": {"method": 7}}), -32_602),
        (json!({"scope": "eip155:1", "request": {"method": "eth_call", "params": "x"}}), -32_602),
        (json!([]), -32_602),
    ] {
        assert_eq!(
            code(&world.request(&page, "wallet_invokeMethod", params.clone()).await),
            wanted,
            "{params}"
        );
    }
}
