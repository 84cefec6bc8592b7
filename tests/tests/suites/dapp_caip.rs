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
        (json!({"requiredScopes": {"eip155:1": {"methods": ["eth_sign"]}}}), 5_101),
        (json!({"requiredScopes": {"eip155:1": {"notifications": ["eth_subscription"]}}}), 5_102),
        (json!({"requiredScopes": {"eip155:1": {"methods": ["made_up"]}}}), 5_201),
        (json!({"requiredScopes": {"eip155:1": {"notifications": ["made_up"]}}}), 5_202),
        (json!({"optionalScopes": {"eip155:1": {}}, "scopedProperties": []}), 5_300),
        (json!({"optionalScopes": {"eip155:1": {"scopedProperties": {}}}}), 5_301),
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
    for method in ["wallet_createSession", "wallet_getSession", "wallet_revokeSession", "wallet_invokeMethod"]
    {
        let answer = world.request(&page, method, json!({"sessionId": "0xdeadbeef"})).await;
        assert_eq!(code(&answer), 5_500, "{method}");
    }
    for params in
        [json!({"scopes": "x"}), json!({"scopes": ["not a scope"]}), json!({"bogus": 1}), json!([7])]
    {
        assert_eq!(code(&world.request(&page, "wallet_revokeSession", params).await), -32_602);
    }
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
        (invoke("eip155:1", "wallet_invokeMethod"), 4_200),
        (invoke("eip155:1", "wallet_revokeSession"), 4_200),
        (invoke("eip155:1", "countersign_signTransactionBundle"), 4_200),
        (invoke("eip155:1", "solana_signMessage"), 4_200),
        (invoke("eip155:1", "made_up"), 4_200),
        (invoke("wallet:eip155", "eth_accounts"), 4_100),
        (invoke("eip155", "eth_accounts"), 4_100),
        (invoke(SOLANA, "signMessage"), 4_100),
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

/// CAIP-285 with scopes: only these are left, once and for the page that says so; the last one ends the session.
#[tokio::test(start_paused = true)]
async fn some_scopes_are_revoked() {
    let world = World::new().await.with_vault().await;
    let (page, other) = (page(), WebPage::new("https://other.example", "o", 2));
    let create = json!({"scopes": {"eip155:1": {}, "eip155:8453": {}, SOLANA: {}}});
    for page in [&page, &other] {
        world.request_and(page, "wallet_createSession", create.clone(), json!({"approve": true})).await;
    }
    world.browser.take_pages_changed();
    let revoke = async |scopes: Value| {
        let answer = world.request(&page, "wallet_revokeSession", json!({ "scopes": scopes })).await;
        assert_eq!(answer, json!({"result": true}));
        scopes_of(&world, &page).await
    };
    assert_eq!(revoke(json!(["eip155:10", "cosmos:cosmoshub-4"])).await, ["eip155:1", "eip155:8453", SOLANA]);
    assert_eq!(world.browser.take_pages_changed(), Vec::<String>::new());
    assert_eq!(revoke(json!([SOLANA])).await, ["eip155:1", "eip155:8453"]);
    assert_eq!(world.browser.take_pages_changed(), [PAGE]);
    assert_eq!(revoke(json!(["eip155:1"])).await, ["eip155:8453"]);
    assert_eq!(world.request(&page, "eth_chainId", json!([])).await, json!({"result": "0x2105"}));
    assert_eq!(revoke(json!(["eip155:8453"])).await, Vec::<String>::new());
    assert_eq!(world.request(&page, "eth_accounts", json!([])).await, json!({"result": []}));
    assert_eq!(world.page_state(PAGE).await["connected"], false);
    // Another origin's session is its own.
    assert_eq!(scopes_of(&world, &other).await, ["eip155:1", "eip155:8453", SOLANA]);
}

async fn scopes_of(world: &World, page: &WebPage) -> Vec<String> {
    scopes(&world.request(page, "wallet_getSession", json!({})).await, "sessionScopes")
}

const EXTENSION: &str = "abcdefghijklmnopabcdefghijklmnop";

async fn name_extensions(world: &World, ids: Value) {
    let settings = json!({"pages": {"extensions": ids}, "password": "correct horse battery"});
    let (status, body) = world.call("PATCH", "/api/settings", settings).await;
    assert_eq!(status, 200, "{body}");
}

/// Another extension has a session if the user named it, and only then; its origin is no page's.
#[tokio::test(start_paused = true)]
async fn named_extensions() {
    let world = World::new().await;
    world.make_vault("correct horse battery").await;
    let origin = format!("chrome-extension://{EXTENSION}");
    let port = WebPage::new(&origin, "port-1", 0);
    let create = json!({"scopes": {"eip155:1": {}}});
    let ask = async |method: &str| world.request(&port, method, create.clone()).await;
    assert_eq!(code(&ask("wallet_createSession").await), 4_100);
    assert_eq!(world.prompts().await.len(), 0);
    name_extensions(&world, json!([EXTENSION])).await;
    let user = world.answer_next(json!({"approve": true}));
    let (created, prompt) = tokio::join!(ask("wallet_createSession"), user);
    assert_eq!(
        (scopes(&created, "scopes"), &prompt["origin"]),
        (vec!["eip155:1".to_owned()], &json!(origin))
    );
    // One that the user did not name, and one whose id is in another's name.
    for other in ["ponmlkjihgfedcbaponmlkjihgfedcba", &format!("{EXTENSION}.evil"), "", "*"] {
        let other = WebPage::new(&format!("chrome-extension://{other}"), "port", 0);
        assert_eq!(code(&world.request(&other, "wallet_getSession", json!({})).await), 4_100);
    }
    let read = json!({"scope": "eip155:1", "request": {"method": "eth_chainId", "params": []}});
    assert_eq!(world.request(&port, "wallet_invokeMethod", read.clone()).await, json!({"result": "0x1"}));
    // No longer named: its session is of no use to it, and of use again if the user changes their mind.
    name_extensions(&world, json!([])).await;
    assert_eq!(code(&world.request(&port, "wallet_invokeMethod", read.clone()).await), 4_100);
    name_extensions(&world, json!([EXTENSION])).await;
    assert_eq!(world.request(&port, "wallet_invokeMethod", read).await, json!({"result": "0x1"}));
}

/// The worker dies, or the port closes, while the user is asked: the extension connects again, asks the same, and gets the one
/// answer to the one prompt.
#[tokio::test(start_paused = true)]
async fn extensions_that_reconnect() {
    for dies in [true, false] {
        let world = World::new().await;
        world.make_vault("correct horse battery").await;
        name_extensions(&world, json!([EXTENSION])).await;
        let origin = format!("chrome-extension://{EXTENSION}");
        let (first, second) = (WebPage::new(&origin, "port-1", 0), WebPage::new(&origin, "port-2", 0));
        let create = json!({"scopes": {"eip155:1": {}}});
        tokio::select! {
            biased;
            _ = world.request(&first, "wallet_createSession", create.clone()) => panic!("answered before the user did"),
            shown = world.next_prompt() => assert_eq!(shown["kind"], "connect_dapp"),
        }
        if dies {
            world.restart().await;
        }
        world.page_gone(&first).await;
        let user = async {
            let prompt = world.next_prompt().await;
            assert_eq!(world.answer_prompt(&prompt, json!({"approve": true})).await.0, 200);
        };
        let (answer, ()) = tokio::join!(world.request(&second, "wallet_createSession", create.clone()), user);
        assert_eq!(scopes(&answer, "scopes"), ["eip155:1"], "{dies}");
        assert_eq!(world.prompts().await.len(), 0, "{dies}");
    }
}
