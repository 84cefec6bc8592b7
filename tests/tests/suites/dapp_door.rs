//! Web pages at the door: who is let in, how often a page may ask, and that every request has one answer.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

pub(crate) const PAGE: &str = "https://app.example";
const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

pub(crate) fn page() -> WebPage {
    WebPage::new(PAGE, "doc1", 1)
}

pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

/// What the audit log tells of changes.
pub(crate) async fn changes(world: &World) -> Vec<String> {
    let rows = world.table(Table::Audit).await;
    let entries = rows.iter().map(|row| serde_json::from_str::<Value>(&row.text).unwrap());
    let changes = entries.filter(|entry| entry["kind"] == "change" && entry["subject"] == PAGE);
    changes.map(|entry| entry["what"].as_str().unwrap().to_owned()).collect()
}

async fn grants(world: &World) -> Vec<Value> {
    world.get("/api/connections").await["connections"].as_array().unwrap().clone()
}

/// Before a page is let in it learns what every page may know, and nothing else; no window opens.
#[tokio::test(start_paused = true)]
async fn strangers_learn_nothing() {
    let world = World::new().await.with_vault().await;
    let page = page();
    for (method, result) in [
        ("eth_chainId", json!("0x1")),
        ("net_version", json!("1")),
        ("eth_accounts", json!([])),
        ("eth_coinbase", Value::Null),
        ("wallet_getPermissions", json!([])),
        ("wallet_getSession", json!({"sessionScopes": {}, "sessionProperties": {}})),
        ("wallet_revokeSession", json!(true)),
    ] {
        assert_eq!(world.request(&page, method, json!([])).await, json!({"result": result}), "{method}");
    }
    let silent = world.request(&page, "solana_connect", json!({"silent": true})).await;
    assert_eq!(silent, json!({"result": {"accounts": []}}));
    for method in
        ["eth_blockNumber", "eth_call", "web3_clientVersion", "wallet_watchAsset", "wallet_invokeMethod"]
    {
        let params = json!({"scope": "eip155:1", "request": {"method": "eth_accounts"}});
        let params = if method == "wallet_invokeMethod" { params } else { json!([]) };
        assert_eq!(code(&world.request(&page, method, params).await), 4_100, "{method}");
    }
    for method in
        ["eth_sign", "eth_decrypt", "eth_subscribe", "eth_sendRawTransaction", "no_such", "__proto__"]
    {
        assert_eq!(code(&world.request(&page, method, json!([])).await), 4_200, "{method}");
    }
    let stranger = json!({"connected": false, "chainId": "0x1", "accounts": [], "solana": [], "sui": [], "sessions": {}});
    assert_eq!(world.page_state(PAGE).await, stranger);
    assert_eq!((world.prompts().await.len(), world.node_calls().len()), (0, 0));
    assert_eq!(world.table(Table::PageRequests).await.len(), 0);
}

/// An approval lets a page in for the active vault, its EVM chains and thirty days; it is told, recorded and audited.
#[tokio::test(start_paused = true)]
async fn connect_and_disconnect() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let account = address_of(0, "Ethereum");
    world.browser.take_pages_changed();
    let answer = world.request_and(&page, "eth_requestAccounts", json!([]), json!({"approve": true})).await;
    assert_eq!(answer, json!({"result": [account]}));
    assert_eq!(world.browser.take_pages_changed(), [PAGE]);
    assert_eq!(world.request(&page, "eth_accounts", json!([])).await, json!({"result": [account]}));
    // Another request needs no prompt.
    assert_eq!(world.request(&page, "eth_requestAccounts", json!([])).await, json!({"result": [account]}));
    let [grant] = grants(&world).await.try_into().unwrap();
    assert_eq!((&grant["vaultIds"], &grant["currentChain"]), (&json!([vault_id(0)]), &json!("Ethereum")));
    assert_eq!(grant["chains"].as_array().unwrap().len(), 14);
    let lasts = grant["expiresAt"].as_u64().unwrap() - grant["connectedAt"].as_u64().unwrap();
    assert_eq!(lasts, 30 * DAY);
    let state = world.page_state(PAGE).await;
    assert_eq!((&state["connected"], &state["accounts"]), (&json!(true), &json!([account])));
    world.restart().await;
    assert_eq!(world.page_state(PAGE).await, state);
    let gone = world.call("DELETE", "/api/connections/https%3A%2F%2Fapp.example", Value::Null).await;
    assert_eq!(gone, (200, json!({"origin": PAGE, "connected": false})));
    assert_eq!(world.browser.take_pages_changed(), [PAGE]);
    assert_eq!(world.request(&page, "eth_accounts", json!([])).await, json!({"result": []}));
    assert_eq!(changes(&world).await, ["dapp_connected", "dapp_disconnected"]);
}

/// The user chooses chains and a time; what is chosen wrongly is refused, and the prompt stays open.
#[tokio::test(start_paused = true)]
async fn the_user_chooses_what_is_granted() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let user = async {
        let prompt = world.next_prompt().await;
        assert_eq!(
            (&prompt["kind"], &prompt["origin"], &prompt["chains"]),
            (&json!("connect_dapp"), &json!(PAGE), &json!([]))
        );
        for (bad, path) in [
            (json!({"chains": ["Bitcoin"]}), "/grant/chains/0"),
            (json!({"chains": []}), "/grant/chains"),
            (json!({"days": 0}), "/grant/days"),
            (json!(7), "/grant"),
        ] {
            let (status, body) = world.answer_prompt(&prompt, json!({"approve": true, "grant": bad})).await;
            assert_eq!((status, &body["error"]["path"]), (400, &json!(path)), "{bad}");
        }
        let grant = json!({"chains": ["Base", "Solana"], "days": null});
        assert_eq!(world.answer_prompt(&prompt, json!({"approve": true, "grant": grant})).await.0, 200);
    };
    let answer = tokio::join!(world.request(&page, "eth_requestAccounts", json!([])), user).0;
    assert_eq!(answer, json!({"result": [address_of(0, "Base")]}));
    let [grant] = grants(&world).await.try_into().unwrap();
    assert_eq!((&grant["chains"], &grant["expiresAt"]), (&json!(["Base", "Solana"]), &Value::Null));
    assert_eq!(world.page_state(PAGE).await["chainId"], "0x2105");
    assert_eq!(world.page_state(PAGE).await["solana"][0]["address"], json!(address_of(0, "Solana")));
    // Changed later, in the settings.
    let target = "/api/connections/https%3A%2F%2Fapp.example";
    let (status, patched) = world.call("PATCH", target, json!({"chains": ["Ethereum"], "days": 1})).await;
    assert_eq!(
        (status, &patched["chains"], &patched["currentChain"]),
        (200, &json!(["Ethereum"]), &json!("Ethereum"))
    );
    assert_eq!(world.call("PATCH", target, json!({"bogus": 1})).await.0, 400);
    assert_eq!(world.call("PATCH", "/api/connections/https%3A%2F%2Fother.example", json!({})).await.0, 404);
    assert_eq!(world.page_state(PAGE).await["solana"], json!([]));
}

/// A grant ends at its time, by the alarm, with a worker or without; its pages are told.
#[tokio::test(start_paused = true)]
async fn a_grant_expires() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let answer = json!({"approve": true, "grant": {"days": 1}});
    world.request_and(&page, "eth_requestAccounts", json!([]), answer).await;
    world.pass(DAY - MINUTE).await;
    assert_eq!(grants(&world).await.len(), 1);
    world.restart().await;
    world.browser.take_pages_changed();
    world.pass(2 * MINUTE).await;
    assert_eq!((grants(&world).await.len(), world.browser.take_pages_changed()), (0, vec![PAGE.to_owned()]));
    assert_eq!(world.table(Table::Connections).await.len(), 0);
    assert_eq!(changes(&world).await, ["dapp_connected", "dapp_expired"]);
    assert_eq!(world.request(&page, "eth_accounts", json!([])).await, json!({"result": []}));
}

/// Accounts are those of the active vault, if the grant has it; with another, the page sees none until it is let in again.
#[tokio::test(start_paused = true)]
async fn accounts_follow_the_active_vault() {
    let world = World::new().await.with_vault().await;
    let page = page();
    world.connect_page(&page).await;
    world.browser.take_pages_changed();
    world.use_vault(1).await;
    assert!(world.browser.take_pages_changed().contains(&"*".to_owned()));
    let state = world.page_state(PAGE).await;
    assert_eq!((&state["connected"], &state["accounts"]), (&json!(true), &json!([])));
    assert_eq!(
        code(
            &world
                .request(
                    &page,
                    "wallet_watchAsset",
                    json!({"type": "ERC20", "options": {"address": ALICE, "symbol": "A", "decimals": 1}})
                )
                .await
        ),
        4_100
    );
    world.connect_page(&page).await;
    assert_eq!(world.page_state(PAGE).await["accounts"], json!([address_of(1, "Ethereum")]));
    world.use_vault(0).await;
    assert_eq!(world.page_state(PAGE).await["accounts"], json!([address_of(0, "Ethereum")]));
    // A vault that is deleted leaves the grant.
    let target = format!("/api/vaults/{}", vault_id(0));
    assert_eq!(world.call("DELETE", &target, json!({})).await.0, 200);
    let [grant] = grants(&world).await.try_into().unwrap();
    assert_eq!(grant["vaultIds"], json!([vault_id(1)]));
    let target = format!("/api/vaults/{}", vault_id(1));
    assert_eq!(world.call("DELETE", &target, json!({})).await.0, 200);
    assert_eq!(grants(&world).await, Vec::<Value>::new());
    assert_eq!(code(&world.request(&page, "eth_requestAccounts", json!([])).await), 4_100);
}

/// One prompt for each origin: a hundred requests at once share it up to eight, and the rest is refused with a code.
#[tokio::test(start_paused = true)]
async fn a_hundred_connects_open_one_prompt() {
    let world = World::new().await.with_vault().await;
    let pages: Vec<WebPage> = (0..100).map(|tab| WebPage::new(PAGE, &format!("d{tab}"), tab)).collect();
    let asks = pages.iter().map(|page| world.request(page, "eth_requestAccounts", json!([])));
    let user = async {
        world.pass(50).await;
        world.answer_next(json!({"approve": true})).await
    };
    let all = async {
        let mut asks: Vec<_> = asks.map(Box::pin).collect();
        let mut answers = Vec::new();
        std::future::poll_fn(|context| {
            asks.retain_mut(|ask| match ask.as_mut().poll(context) {
                std::task::Poll::Ready(answer) => {
                    answers.push(answer);
                    false
                }
                std::task::Poll::Pending => true,
            });
            if asks.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        answers
    };
    let (answers, _) = tokio::join!(all, user);
    let count = |wanted: i64| answers.iter().filter(|answer| code(answer) == wanted).count();
    assert_eq!((count(0), count(-32_002), answers.len()), (8, 92, 100));
    assert_eq!(world.table(Table::SettledPrompts).await.len(), 1);
    assert_eq!(changes(&world).await, ["dapp_connected"]);
}

/// Two rejections in a row: the page must wait, each time twice as long, and no window opens meanwhile. What it asks is
/// counted; an approval forgives it, and the user can block it.
#[tokio::test(start_paused = true)]
async fn rejected_pages_must_wait() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let reject = json!({"approve": false});
    for _ in 0..2 {
        let answer = world.request_and(&page, "eth_requestAccounts", json!([]), reject.clone()).await;
        assert_eq!(code(&answer), 4_001);
    }
    let refused = world.request(&page, "eth_requestAccounts", json!([])).await;
    assert_eq!((code(&refused), &refused["error"]["data"]), (-32_005, &json!({"retryAfterMs": 60_000})));
    assert_eq!(
        code(&world.request(&page, "wallet_createSession", json!({"scopes": {"eip155:1": {}}})).await),
        -32_005
    );
    assert_eq!(world.prompts().await.len(), 0);
    let site = world.get("/api/sites").await["sites"][0].clone();
    assert_eq!(
        (&site["refused"], &site["origin"], &site["connected"]),
        (&json!(2), &json!(PAGE), &json!(false))
    );
    // Another page is not concerned.
    let other = WebPage::new("https://other.example", "d", 2);
    assert_eq!(
        code(&world.request_and(&other, "eth_requestAccounts", json!([]), reject.clone()).await),
        4_001
    );
    world.pass(MINUTE).await;
    world.restart().await;
    assert_eq!(code(&world.request_and(&page, "eth_requestAccounts", json!([]), reject).await), 4_001);
    let refused = world.request(&page, "eth_requestAccounts", json!([])).await;
    assert_eq!(refused["error"]["data"], json!({"retryAfterMs": 120_000}));
    world.pass(2 * MINUTE).await;
    world.connect_page(&page).await;
    let site = world.get("/api/sites").await["sites"][0].clone();
    assert_eq!(
        (&site["refused"], &site["pausedUntil"], &site["connected"]),
        (&json!(0), &Value::Null, &json!(true))
    );
}

/// The user blocks a site: what it asks is refused without a window, and so is what it had asked.
#[tokio::test(start_paused = true)]
async fn blocked_sites_are_not_heard() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let target = "/api/sites/https%3A%2F%2Fapp.example";
    let user = async {
        world.next_prompt().await;
        assert_eq!(world.call("PATCH", target, json!({"blocked": true})).await.0, 200);
    };
    let answer = tokio::join!(world.request(&page, "eth_requestAccounts", json!([])), user).0;
    assert_eq!(code(&answer), 4_001);
    let answer = world.request(&page, "eth_requestAccounts", json!([])).await;
    assert_eq!((code(&answer), &answer["error"]["data"]), (4_001, &json!({"reason": "blocked"})));
    assert_eq!(world.prompts().await.len(), 0);
    assert_eq!(world.call("PATCH", target, json!({"blocked": 1})).await.0, 400);
    assert_eq!(world.call("PATCH", target, json!({"blocked": false})).await.0, 200);
    world.connect_page(&page).await;
    assert_eq!(changes(&world).await, ["site_blocked", "site_unblocked", "dapp_connected"]);
}

/// No more than ten requests of an origin wait for the user at once.
#[tokio::test(start_paused = true)]
async fn a_flood_of_requests_is_bounded() {
    let world = World::new().await.with_vault().await;
    let page = page();
    world.connect_page(&page).await;
    let token = |number: u8| json!({"type": "ERC20", "options": {"address": format!("0x{number:040x}"), "symbol": "T", "decimals": 1}});
    for number in 1..=10 {
        let ask = world.request(&page, "wallet_watchAsset", token(number));
        tokio::select! {
            biased;
            answer = ask => panic!("{answer}"),
            () = world.pass(200) => {}
        }
    }
    assert_eq!(world.prompts().await.len(), 10);
    let refused = world.request(&page, "wallet_watchAsset", token(11)).await;
    assert_eq!(code(&refused), -32_005);
    assert_eq!(world.prompts().await.len(), 10);
    // Reads go on, and so do requests of other origins.
    assert!(world.request(&page, "eth_accounts", json!([])).await["result"].is_array());
    // Prompts expire, and there is room again.
    world.pass(11 * MINUTE).await;
    let again = world.request_and(&page, "wallet_watchAsset", token(12), json!({"approve": true})).await;
    assert_eq!(again, json!({"result": true}));
}

/// The ids of one origin say nothing to another.
#[tokio::test(start_paused = true)]
async fn ids_belong_to_their_origin() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let answer = tokio::join!(
        world.send(&page, "same-1", "eth_requestAccounts", json!([])),
        world.answer_next(json!({"approve": true}))
    )
    .0;
    assert!(answer["result"].is_array());
    let other = WebPage::new("https://evil.example", "doc1", 1);
    let answer = tokio::join!(
        world.send(&other, "same-1", "eth_requestAccounts", json!([])),
        world.answer_next(json!({"approve": false}))
    )
    .0;
    assert_eq!(code(&answer), 4_001);
    assert_eq!(world.page_state("https://evil.example").await["connected"], false);
}

/// A request that is sent again finds its answer; a reloaded document goes on with what the one before it asked.
#[tokio::test(start_paused = true)]
async fn requests_are_found_again() {
    let world = World::new().await.with_vault().await;
    let page = page();
    tokio::select! {
        biased;
        answer = world.send(&page, "a-1", "eth_requestAccounts", json!([])) => panic!("{answer}"),
        () = world.pass(50) => {}
    }
    // The same request again waits for the same prompt.
    tokio::select! {
        biased;
        answer = world.send(&page, "a-1", "eth_requestAccounts", json!([])) => panic!("{answer}"),
        () = world.pass(50) => {}
    }
    assert_eq!(world.prompts().await.len(), 1);
    world.page_gone(&page).await;
    let prompt = world.next_prompt().await;
    assert_eq!(prompt["reasons"][0]["code"], "page_gone");
    // The tab is reloaded: the new document joins, and is answered.
    let reloaded = page.reloaded("doc2");
    let asks = world.send(&reloaded, "b-1", "eth_requestAccounts", json!([]));
    let answer = tokio::join!(asks, world.answer_next(json!({"approve": false}))).0;
    assert_eq!(code(&answer), 4_001);
    // Of the first request too this is the answer, and not a new prompt.
    assert_eq!(code(&world.send(&page, "a-1", "eth_requestAccounts", json!([])).await), 4_001);
    assert_eq!(world.table(Table::SettledPrompts).await.len(), 1);
}

/// An answer that no document received is given to the one that asks again within five minutes; one that was received is not
/// given twice.
#[tokio::test(start_paused = true)]
async fn answers_are_given_once() {
    let world = World::new().await.with_vault().await;
    let page = page();
    world.connect_page(&page).await;
    let token = json!({"type": "ERC20", "options": {"address": ALICE, "symbol": "T", "decimals": 1}});
    let core = world.core();
    let text = json!({"id": "a-1", "method": "wallet_watchAsset", "params": token}).to_string();
    let lost = core.page(PAGE, "doc1", 1, &text);
    let reloads = async {
        world.next_prompt().await;
        world.page_gone(&page).await;
        world.answer_next(json!({"approve": false})).await;
    };
    let (lost, ()) = tokio::join!(world.run(lost), reloads);
    assert_eq!(code(&serde_json::from_str(&lost).unwrap()), 4_001);
    let reloaded = page.reloaded("doc2");
    assert_eq!(code(&world.request(&reloaded, "wallet_watchAsset", token.clone()).await), 4_001);
    // That answer was received: the same request is another one from now on.
    let third = page.reloaded("doc3");
    let answer = world.request_and(&third, "wallet_watchAsset", token, json!({"approve": true})).await;
    assert_eq!(answer, json!({"result": true}));
}

/// A revocation refuses what the page waits for with 4100, in either order; there is one answer.
#[tokio::test(start_paused = true)]
async fn revocation_races_a_pending_request() {
    let token = json!({"type": "ERC20", "options": {"address": ALICE, "symbol": "T", "decimals": 1}});
    let target = "/api/connections/https%3A%2F%2Fapp.example";
    for steps in 0..40 {
        let world = World::new().await.with_vault().await;
        let page = page();
        world.connect_page(&page).await;
        let user = async {
            let prompt = world.next_prompt().await;
            let approve = world.answer_prompt(&prompt, json!({"approve": true}));
            let revoke = async {
                world.steps(steps).await;
                world.call("DELETE", target, Value::Null).await
            };
            tokio::join!(approve, revoke)
        };
        let (answer, _) = tokio::join!(world.request(&page, "wallet_watchAsset", token.clone()), user);
        world.settle().await;
        let held = world.coins().await.iter().any(|coin| coin["ticker"] == "T");
        match held {
            true => assert_eq!(answer, json!({"result": true}), "{steps}"),
            false => assert_eq!(code(&answer), 4_100, "{steps}: {answer}"),
        }
        assert_eq!((grants(&world).await.len(), world.prompts().await.len()), (0, 0), "{steps}");
    }
}

/// Envelopes, origins and methods that are wrong get a code and no record.
#[tokio::test(start_paused = true)]
async fn bad_envelopes_get_a_code() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let before = world.records().await;
    let deep = format!(
        r#"{{"id":"a","method":"eth_accounts","params":{}1{}}}"#,
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let large = json!({"id": "a", "method": "eth_accounts", "params": ["x".repeat(10 << 20)]}).to_string();
    for (text, wanted) in [
        ("", -32_700),
        ("nonsense", -32_700),
        (deep.as_str(), -32_700),
        (large.as_str(), -32_602),
        ("[]", -32_600),
    ] {
        assert_eq!(code(&world.send_text(&page, text).await), wanted);
    }
    let polluted =
        r#"{"id":"a","method":"eth_accounts","params":[],"__proto__":{"method":"eth_sign"},"constructor":1}"#;
    assert_eq!(world.send_text(&page, polluted).await, json!({"result": []}));
    for origin in [
        "null",
        "file://",
        "http://app.example",
        "data:text/html",
        "https://App.example",
        "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
    ] {
        let page = WebPage::new(origin, "d", 1);
        assert_eq!(code(&world.request(&page, "eth_requestAccounts", json!([])).await), 4_100, "{origin}");
    }
    assert_eq!(world.records().await, before);
}

/// A row of version 10 lets a page submit results, and shows it no account.
#[tokio::test(start_paused = true)]
async fn connections_of_version_10() {
    use runtime::store::Write;
    let world = World::new().await.with_vault().await;
    let row = json!({"origin": PAGE, "connectedAt": 5}).to_string();
    world.tamper(vec![Write::Put(Table::Connections, PAGE.to_owned(), row)]).await;
    let page = page();
    assert_eq!(world.request(&page, "eth_accounts", json!([])).await, json!({"result": []}));
    assert_eq!(world.page_state(PAGE).await["connected"], false);
    assert_eq!(grants(&world).await[0]["chains"], json!([]));
    world.connect_page(&page).await;
    assert_eq!(world.page_state(PAGE).await["accounts"], json!([address_of(0, "Ethereum")]));
}

/// Requests are forgotten after a day.
#[tokio::test(start_paused = true)]
async fn requests_are_trimmed() {
    let world = World::new().await.with_vault().await;
    world.connect_page(&page()).await;
    assert_eq!(world.table(Table::PageRequests).await.len(), 1);
    world.pass(2 * DAY).await;
    world.act_once("get_address_book", json!({})).await;
    world.pass(MINUTE).await;
    assert_eq!(world.table(Table::PageRequests).await.len(), 0);
}
