//! Sites that are not what they seem: names, lists, and pages that are gone.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::dapp_door::{PAGE, code, page};
use countersign_tests::chain::Chains;
use countersign_tests::dapp::Dapp;
use countersign_tests::world::*;
use serde_json::{Value, json};

/// The codes of a prompt's reasons.
fn reasons(prompt: &Value) -> Vec<String> {
    let reasons = prompt["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()).collect()
}

/// What is to be said of a name stands on the prompt that lets it in, and on each later one.
#[tokio::test(start_paused = true)]
async fn names_are_looked_at() {
    let world = World::new().await.with_vault().await;
    let first = |origin: &'static str| {
        let world = &world;
        async move {
            let page = WebPage::new(origin, origin, 9);
            let asks = world.request(&page, "eth_requestAccounts", json!([]));
            let (_, prompt) = tokio::join!(asks, world.answer_next(json!({"approve": true})));
            reasons(&prompt)
        }
    };
    assert_eq!(first("https://app.uniswap.org").await, ["new_site"]);
    assert_eq!(first("https://app.uniswap-claim.example").await, ["look_alike_site", "new_site"]);
    assert_eq!(
        first("https://xn--uniswp-7nf.org").await,
        ["encoded_name", "mixed_scripts", "look_alike_site", "new_site"]
    );
    assert_eq!(first("http://localhost:3000").await, ["new_site"]);
    assert_eq!(first("https://my-own-exchange.example").await, ["new_site"]);
    // Of a site that the user uses.
    assert_eq!(first("https://my-0wn-exchange.example").await, ["look_alike_site", "new_site"]);
    let forged = WebPage::new("https://app.uniswap-claim.example", "d", 9);
    let token = json!({"type": "ERC20", "options": {"address": ALICE, "symbol": "T", "decimals": 1}});
    let asks = world.request(&forged, "wallet_watchAsset", token);
    let (_, prompt) = tokio::join!(asks, world.answer_next(json!({"approve": false})));
    assert_eq!(reasons(&prompt), ["look_alike_site", "tap_wanted"]);
}

/// A site of the user's list is refused without a window, until the user lets it in.
#[tokio::test(start_paused = true)]
async fn listed_sites_are_refused() {
    let world = World::new().await.with_vault().await;
    let list = |text: &str| json!({"text": text});
    assert_eq!(world.get("/api/sites/list").await["count"], 0);
    let (status, put) = world.call("PUT", "/api/sites/list", list("# bad\nexample\nevil.test\n")).await;
    assert_eq!((status, &put["count"]), (200, &json!(2)));
    world.restart().await;
    let page = page();
    let refused = world.request(&page, "eth_requestAccounts", json!([])).await;
    assert_eq!((code(&refused), &refused["error"]["data"]), (4_001, &json!({"reason": "listed"})));
    assert_eq!(world.prompts().await.len(), 0);
    let target = "/api/sites/https%3A%2F%2Fapp.example";
    let (status, site) = world.call("PATCH", target, json!({"letIn": true})).await;
    assert_eq!((status, &site["listed"], &site["letIn"]), (200, &json!("example"), &json!(true)));
    world.connect_page(&page).await;
    // A site that is connected and then listed asks for nothing more.
    assert_eq!(world.call("PATCH", target, json!({"letIn": false})).await.0, 200);
    let token = json!({"type": "ERC20", "options": {"address": ALICE, "symbol": "T", "decimals": 1}});
    let refused = world.request(&page, "wallet_watchAsset", token).await;
    assert_eq!((code(&refused), world.prompts().await.len()), (4_001, 0));
    // The list of others, with names that are fine and names that are imitated.
    let others = json!({"version": 2, "tolerance": 2, "fuzzylist": ["metamask.io"], "whitelist": ["app.example"], "blacklist": ["example"]});
    assert_eq!(world.call("PUT", "/api/sites/list", list(&others.to_string())).await.0, 200);
    assert!(world.request(&page, "eth_requestAccounts", json!([])).await["result"].is_array());
    let (status, body) = world.call("PUT", "/api/sites/list", list("two words.\u{7}")).await;
    assert_eq!((status, &body["error"]["path"]), (400, &json!("/text")));
    assert_eq!(world.call("PUT", "/api/sites/list", list("")).await.1["count"], 0);
}

/// A long list is kept in small pieces: looking a site up reads little.
#[tokio::test(start_paused = true)]
async fn long_lists_are_looked_up_in_pieces() {
    let world = World::new().await.with_vault().await;
    let names: String = (0..200_000).map(|number| format!("harmful-{number}.test\n")).collect();
    let started = std::time::Instant::now();
    let (status, put) = world.call("PUT", "/api/sites/list", json!({"text": names})).await;
    assert_eq!((status, &put["count"]), (200, &json!(200_000)));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let before = world.browser.traffic().bytes_read;
    let page = WebPage::new("https://a.b.harmful-199999.test", "d", 1);
    assert_eq!(code(&world.request(&page, "eth_requestAccounts", json!([])).await), 4_001);
    let read = world.browser.traffic().bytes_read - before;
    // A bucket has some 800 names of 20 letters; each of five names above the host has one.
    assert!(read < 200_000, "{read}");
    let too_long: String = (0..300_001).map(|number| format!("x{number}.test\n")).collect();
    let (status, body) = world.call("PUT", "/api/sites/list", json!({"text": too_long})).await;
    assert_eq!((status, &body["error"]["path"]), (400, &json!("/text")));
    assert_eq!(world.get("/api/sites/list").await["count"], 200_000, "the list before it stays");
}

/// Hosts files name this machine, and lists name hosts in letters that browsers encode.
#[tokio::test(start_paused = true)]
async fn lists_of_every_form() {
    let world = World::new().await.with_vault().await;
    let first = async |origin: &str| {
        let page = WebPage::new(origin, origin, 9);
        let asks = world.request(&page, "eth_requestAccounts", json!([]));
        let user = async {
            for _ in 0..200 {
                if let [prompt] = world.prompts().await.as_slice() {
                    world.answer_prompt(prompt, json!({"approve": true})).await;
                }
                world.steps(1).await;
            }
        };
        tokio::join!(asks, user).0
    };
    let hosts = "127.0.0.1 localhost\n::1 localhost\n0.0.0.0 evil.test worse.test\n0.0.0.0 bücher.test\n";
    let (status, put) = world.call("PUT", "/api/sites/list", json!({"text": hosts})).await;
    assert_eq!((status, &put["count"]), (200, &json!(3)));
    assert!(first("http://localhost:3000").await["result"].is_array());
    for origin in ["https://evil.test", "https://app.worse.test:8443", "https://xn--bcher-kva.test"] {
        assert_eq!(code(&first(origin).await), 4_001, "{origin}");
    }
    assert!(first("https://notevil.test").await["result"].is_array());
}

/// A site that is listed after it was let in keeps its connection, and gets nothing signed: neither a message nor a payment.
#[tokio::test(start_paused = true)]
async fn sites_that_are_listed_later() {
    let page = Dapp::connected(Chains::new()).await;
    let (status, _) = page.world.call("PUT", "/api/sites/list", json!({"text": "app.example\n"})).await;
    assert_eq!(status, 200);
    let requests = [
        ("personal_sign", json!(["hello", page.account])),
        ("eth_sendTransaction", json!([page.pays(5)])),
        ("wallet_requestPermissions", json!([{"eth_accounts": {}}])),
    ];
    for (index, (method, params)) in requests.into_iter().enumerate() {
        let asked = page.ask(&index.to_string(), method, params).await;
        if method == "wallet_requestPermissions" {
            // It has these already, and learns nothing new.
            assert!(asked.answer().unwrap()["result"].is_array(), "{method} {:?}", asked.answer());
            continue;
        }
        let error = asked.answer().unwrap()["error"].clone();
        assert_eq!(
            (&error["code"], &error["data"]["reason"]),
            (&json!(4_001), &json!("listed")),
            "{method} {error}"
        );
    }
    assert_eq!((page.world.prompts().await.len(), page.chains.on("Ethereum").raw().len()), (0, 0));
    // The user lets it in though it is listed: it is heard again.
    let target = "/api/sites/https%3A%2F%2Fapp.example";
    assert_eq!(page.world.call("PATCH", target, json!({"letIn": true})).await.0, 200);
    let asked = page.ask("again", "eth_sendTransaction", json!([page.pays(5)])).await;
    page.approve().await;
    asked.result();
}

/// Origins that no browser writes are no keys: neither a dot at the end nor another spelling is another way in.
#[tokio::test(start_paused = true)]
async fn other_spellings_are_no_origins() {
    let world = World::new().await.with_vault().await;
    world.connect_page(&page()).await;
    for origin in [
        "https://app.example.",
        "https://APP.example",
        "https://app.example:443",
        "https://app.example/",
        "https://app.example@evil.test",
        "http://app.example",
        "null",
        "file://",
        "data:text/html,x",
        "blob:https://app.example/1",
        &format!("https://{}.example", "a".repeat(300)),
    ] {
        let page = WebPage::new(origin, "d", 1);
        for method in ["eth_accounts", "eth_requestAccounts", "wallet_getSession", "solana_connect"] {
            assert_eq!(code(&world.request(&page, method, json!([])).await), 4_100, "{origin} {method}");
        }
        assert_eq!(world.page_state(origin).await["accounts"], json!([]), "{origin}");
    }
}

/// A prompt whose page is gone says so; an answer to what was shown before is stale.
#[tokio::test(start_paused = true)]
async fn pages_that_are_gone() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let user = async {
        let shown = world.next_prompt().await;
        world.page_gone(&page).await;
        let (status, body) = world.answer_prompt(&shown, json!({"approve": true})).await;
        assert_eq!((status, &body["error"]["code"]), (409, &json!("stale_answer")));
        let marked = world.next_prompt().await;
        assert_eq!(reasons(&marked), ["page_gone", "new_site"]);
        assert_eq!(world.answer_prompt(&marked, json!({"approve": false})).await.0, 200);
    };
    let (answer, ()) = tokio::join!(world.request(&page, "eth_requestAccounts", json!([])), user);
    assert_eq!(code(&answer), 4_001);
    let changed = world.events().await.into_iter().filter(|event| event.name == "prompt_changed").count();
    assert_eq!(changed, 1);
    let sites = world.get("/api/sites").await["sites"].clone();
    assert_eq!((&sites[0]["origin"], &sites[0]["shown"]), (&json!(PAGE), &json!("app.example")));
}
