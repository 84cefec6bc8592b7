//! EVM methods of web pages: EIP-1193, 2255, 3326, 3085, 747, and reads that are passed on.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::dapp_door::{PAGE, code, page};
use countersign_tests::world::*;
use proptest::prelude::*;
use runtime::store::Table;
use serde_json::{Value, json};

const TOKEN: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

async fn connected() -> (World, WebPage) {
    let world = World::new().await.with_vault().await;
    let page = page();
    world.connect_page(&page).await;
    world.browser.take_pages_changed();
    (world, page)
}

/// A node that answers a method with a result, and anything else with an error.
fn node(world: &World, answers: Vec<(&'static str, Value)>) {
    world.set_nodes(move |call| {
        let method = call.body["method"].as_str().unwrap_or_default().to_owned();
        let data = call.body["params"][0]["data"].as_str().unwrap_or_default().to_owned();
        let found = answers.iter().find(|(name, _)| *name == method || *name == data);
        let body = match found {
            Some((_, result)) => json!({"jsonrpc": "2.0", "id": 1, "result": result}),
            None => {
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32_601, "message": "no such method"}})
            }
        };
        Answer::json(&body)
    });
}

/// EIP-3326: within the grant at once, with `chainChanged`; another chain of ours after the user let the page use it; any other
/// is not known.
#[tokio::test(start_paused = true)]
async fn switching_chains() {
    let (world, page) = connected().await;
    let to = |id: &str| json!([{"chainId": id}]);
    assert_eq!(
        world.request(&page, "wallet_switchEthereumChain", to("0x2105")).await,
        json!({"result": null})
    );
    assert_eq!(world.browser.take_pages_changed(), [PAGE]);
    assert_eq!(world.request(&page, "eth_chainId", json!([])).await, json!({"result": "0x2105"}));
    assert_eq!(world.request(&page, "net_version", json!([])).await, json!({"result": "8453"}));
    assert_eq!(world.page_state(PAGE).await["chainId"], "0x2105");
    // Where it is already nothing changes.
    assert_eq!(
        world.request(&page, "wallet_switchEthereumChain", to("0x2105")).await,
        json!({"result": null})
    );
    assert_eq!(world.browser.take_pages_changed(), [] as [String; 0]);
    assert_eq!(code(&world.request(&page, "wallet_switchEthereumChain", to("0x539")).await), 4_902);
    assert_eq!(world.prompts().await.len(), 0);
    // A chain that the user took out of the grant.
    let target = "/api/connections/https%3A%2F%2Fapp.example";
    assert_eq!(world.call("PATCH", target, json!({"chains": ["Base"]})).await.0, 200);
    let refused =
        world.request_and(&page, "wallet_switchEthereumChain", to("0xa"), json!({"approve": false})).await;
    assert_eq!(code(&refused), 4_001);
    let user = async {
        let prompt = world.next_prompt().await;
        assert_eq!(prompt["chains"], json!(["Optimism"]));
        world.answer_prompt(&prompt, json!({"approve": true})).await
    };
    let (allowed, _) = tokio::join!(world.request(&page, "wallet_switchEthereumChain", to("0xa")), user);
    assert_eq!(allowed, json!({"result": null}));
    assert_eq!(world.request(&page, "eth_chainId", json!([])).await, json!({"result": "0xa"}));
    assert_eq!(world.get("/api/connections").await["connections"][0]["chains"], json!(["Base", "Optimism"]));
}

/// EIP-3085: a chain of ours is added to the vault and the page is on it; nothing of the page's nodes is taken.
#[tokio::test(start_paused = true)]
async fn adding_chains() {
    let (world, page) = connected().await;
    let base = json!([{"chainId": "0x2105", "chainName": "Base", "rpcUrls": ["https://evil.example/rpc"],
        "nativeCurrency": {"name": "Ether", "symbol": "ETH", "decimals": 18}}]);
    let user = async {
        let prompt = world.next_prompt().await;
        assert_eq!(
            (&prompt["kind"], prompt["title"].as_str().unwrap().contains("Base")),
            (&json!("confirmation_required"), true)
        );
        world.answer_prompt(&prompt, json!({"approve": true})).await
    };
    let (added, _) = tokio::join!(world.request(&page, "wallet_addEthereumChain", base.clone()), user);
    assert_eq!(added, json!({"result": null}));
    assert_eq!(world.request(&page, "eth_chainId", json!([])).await, json!({"result": "0x2105"}));
    let coins = world.coins().await;
    assert_eq!(
        (&coins[0]["chain"], &coins[0]["addedBy"]),
        (&json!("Base"), &json!({"kind": "dapp", "origin": PAGE}))
    );
    assert!(!world.records().await["settings"].iter().any(|row| row.text.contains("evil.example")));
    // Once more no prompt opens.
    assert_eq!(world.request(&page, "wallet_addEthereumChain", base.clone()).await, json!({"result": null}));
    for (bad, wanted) in [
        (json!([{"chainId": "0x539", "chainName": "X", "rpcUrls": ["https://x.example"]}]), 4_902),
        (json!([{"chainId": "0x1", "chainName": "Base", "rpcUrls": ["https://x.example"]}]), -32_602),
        (
            json!([{"chainId": "0x2105", "chainName": "Base", "rpcUrls": ["https://me:secret@x.example"]}]),
            -32_602,
        ),
        (
            json!([{"chainId": "0x2105", "chainName": "Base", "rpcUrls": ["https://x.example"],
                "nativeCurrency": {"name": "USD Coin", "symbol": "USDC", "decimals": 6}}]),
            -32_602,
        ),
        (json!([{"chainId": "0x2105"}]), -32_602),
        (json!([]), -32_602),
    ] {
        assert_eq!(code(&world.request(&page, "wallet_addEthereumChain", bad).await), wanted);
    }
    assert_eq!(world.prompts().await.len(), 0);
}

/// EIP-747: the contract's own word against the page's; a contradiction is refused before anybody is asked.
#[tokio::test(start_paused = true)]
async fn watching_assets() {
    let (world, page) = connected().await;
    let symbol = format!("0x{:064x}{:064x}{:0<64}", 32, 3, "414243");
    node(&world, vec![("0x95d89b41", json!(symbol)), ("0x313ce567", json!(format!("0x{:064x}", 6)))]);
    let asset = |symbol: &str, decimals: u8| json!({"type": "ERC20", "options": {"address": TOKEN, "symbol": symbol, "decimals": decimals}});
    for (bad, path) in [
        (asset("USDC", 6), "/options/symbol"),
        (asset("ABC", 18), "/options/decimals"),
        (json!({"type": "ERC721", "options": {"address": TOKEN}}), "/type"),
    ] {
        let refused = world.request(&page, "wallet_watchAsset", bad.clone()).await;
        assert_eq!((code(&refused), &refused["error"]["data"]["path"]), (-32_602, &json!(path)), "{bad}");
    }
    assert_eq!(world.prompts().await.len(), 0);
    let answer =
        world.request_and(&page, "wallet_watchAsset", asset("ABC", 6), json!({"approve": true})).await;
    assert_eq!(answer, json!({"result": true}));
    let coin = world.coins().await.into_iter().find(|coin| coin["ticker"] == "ABC").unwrap();
    assert_eq!(
        (&coin["decimals"], &coin["addedBy"]["origin"], &coin["confirmed"]),
        (&json!(6), &json!(PAGE), &json!(false))
    );
    // The contract says what the page leaves out.
    let short = json!([{"type": "ERC20", "options": {"address": BOB}}]);
    let answer = world.request_and(&page, "wallet_watchAsset", short, json!({"approve": false})).await;
    assert_eq!(code(&answer), 4_001);
}

/// A well-known name at another contract, a wrong checksum, another chain: refused by their place, and no one is asked.
#[tokio::test(start_paused = true)]
async fn assets_that_deceive() {
    let (world, page) = connected().await;
    let said = |text: &str| {
        let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        format!("0x{:064x}{:064x}{digits:0<64}", 32, text.len())
    };
    let asset = |options: Value| json!({"type": "ERC20", "options": options});
    for (symbol, options, path) in [
        ("USDC", json!({"address": TOKEN}), "/options/symbol"),
        ("USDC", json!({"address": TOKEN, "symbol": "USDC", "decimals": 6}), "/options/symbol"),
        ("usdt", json!({"address": TOKEN}), "/options/symbol"),
        ("ETH", json!({"address": TOKEN}), "/options/symbol"),
        ("AB\u{202e}C", json!({"address": TOKEN}), "/options/symbol"),
        ("USDС", json!({"address": TOKEN}), "/options/symbol"),
        ("ABC", json!({"address": TOKEN.replace("aAeb", "AAeb")}), "/options/address"),
        ("ABC", json!({"address": TOKEN, "chainId": 137}), "/options/chainId"),
        ("ABC", json!({"address": TOKEN, "chainId": "0x89"}), "/options/chainId"),
    ] {
        node(
            &world,
            vec![("0x95d89b41", json!(said(symbol))), ("0x313ce567", json!(format!("0x{:064x}", 6)))],
        );
        let refused = world.request(&page, "wallet_watchAsset", asset(options.clone())).await;
        assert_eq!(
            (code(&refused), &refused["error"]["data"]["path"]),
            (-32_602, &json!(path)),
            "{symbol} {options} {refused}"
        );
    }
    assert_eq!((world.prompts().await.len(), world.table(Table::Calls).await.len()), (0, 0));
    assert_eq!(world.table(Table::PageRequests).await.len(), 1, "that of the connection");
    node(&world, vec![("0x95d89b41", json!(said("ABC"))), ("0x313ce567", json!(format!("0x{:064x}", 6)))]);
    let good = asset(json!({"address": TOKEN, "chainId": "0x1", "image": "https://x.example/a.png"}));
    let answer = world.request_and(&page, "wallet_watchAsset", good, json!({"approve": true})).await;
    assert_eq!(answer, json!({"result": true}));
}

/// What keeps state at a node, changes anything, or is a power of the node's owner never reaches it.
#[tokio::test(start_paused = true)]
async fn powers_of_nodes_are_not_passed_on() {
    let (world, page) = connected().await;
    node(&world, vec![]);
    for method in [
        "eth_sendRawTransaction",
        "eth_subscribe",
        "eth_newFilter",
        "eth_getFilterChanges",
        "eth_signTransaction",
        "eth_getEncryptionPublicKey",
        "eth_decrypt",
        "eth_signAuthorization",
        "wallet_signAuthorization",
        "wallet_requestExecutionPermissions",
        "debug_traceTransaction",
        "admin_addPeer",
        "personal_unlockAccount",
        "personal_importRawKey",
        "engine_newPayloadV3",
        "txpool_content",
        "anvil_setBalance",
        "hardhat_impersonateAccount",
        "evm_mine",
        "miner_start",
        "eth_submitWork",
        "eth_call ",
        "ETH_CALL",
        "eth_call\u{0}",
    ] {
        assert_eq!(code(&world.request(&page, method, json!([])).await), 4_200, "{method}");
    }
    assert_eq!((world.node_calls().len(), world.prompts().await.len()), (0, 0));
}

/// What a node says of a call that reverts reaches the page whole: client libraries read the reason from `data`.
#[tokio::test(start_paused = true)]
async fn reverts_reach_the_page() {
    let (world, page) = connected().await;
    let error = json!({"code": 3, "message": "execution reverted: no", "data": "0x08c379a0"});
    let told = error.clone();
    world.set_nodes(move |_| Answer::json(&json!({"jsonrpc": "2.0", "id": 1, "error": told})));
    let overrides = json!([{"to": ALICE, "data": "0x"}, "latest", {ALICE: {"balance": "0x1"}}]);
    for (method, params) in [("eth_call", overrides.clone()), ("eth_estimateGas", json!([{"to": ALICE}]))] {
        assert_eq!(world.request(&page, method, params).await, json!({"error": error}));
    }
    assert_eq!(world.node_calls()[0].body["params"], overrides);
    // Some nodes say it with another status.
    let told = error.clone();
    world.set_nodes(move |_| {
        Answer::Http(400, "application/json", json!({"jsonrpc": "2.0", "id": 1, "error": told}).to_string())
    });
    assert_eq!(world.request(&page, "eth_call", overrides).await, json!({"error": error}));
}

/// EIP-2255: permissions are a view of the grant.
#[tokio::test(start_paused = true)]
async fn permissions() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let ask = json!([{"eth_accounts": {}, "endowment:permitted-chains": {"caveats": [
        {"type": "restrictNetworkSwitching", "value": ["0x1", "0x2105"]}]}}]);
    let granted = world.request_and(&page, "wallet_requestPermissions", ask, json!({"approve": true})).await;
    let view = |granted: &Value| -> Vec<Value> {
        let permissions = granted["result"].as_array().unwrap().clone();
        permissions
            .iter()
            .map(|one| json!([one["parentCapability"], one["invoker"], one["caveats"]]))
            .collect()
    };
    let expected = [
        json!(["eth_accounts", PAGE, [{"type": "restrictReturnedAccounts", "value": [address_of(0, "Ethereum")]}]]),
        json!(["endowment:permitted-chains", PAGE, [{"type": "restrictNetworkSwitching", "value": ["0x1", "0x2105"]}]]),
    ];
    assert_eq!(view(&granted), expected);
    assert_eq!(view(&world.request(&page, "wallet_getPermissions", json!([])).await), expected);
    assert_eq!(
        code(&world.request(&page, "wallet_requestPermissions", json!([{"eth_sign": {}}])).await),
        -32_602
    );
    let revoked = world.request(&page, "wallet_revokePermissions", json!([{"eth_accounts": {}}])).await;
    assert_eq!(revoked, json!({"result": null}));
    assert_eq!(world.request(&page, "wallet_getPermissions", json!([])).await, json!({"result": []}));
    assert_eq!(world.table(Table::Connections).await.len(), 0);
    assert_eq!(
        world.request(&page, "wallet_revokePermissions", json!([{"eth_accounts": {}}])).await,
        json!({"result": null})
    );
}

/// Reads go to the node of the page's chain as they are; the node's error is passed on, and what it does not answer is 4901.
#[tokio::test(start_paused = true)]
async fn reads_are_passed_on() {
    let (world, page) = connected().await;
    node(&world, vec![("eth_blockNumber", json!("0x10")), ("eth_getBalance", json!("0x1"))]);
    assert_eq!(world.request(&page, "eth_blockNumber", Value::Null).await, json!({"result": "0x10"}));
    let sent = world.node_calls().pop().unwrap();
    assert_eq!(sent.body, json!({"jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber", "params": []}));
    let refused = world.request(&page, "eth_call", json!([{"to": ALICE}, "latest"])).await;
    assert_eq!(refused["error"], json!({"code": -32_601, "message": "no such method"}));
    assert_eq!(code(&world.request(&page, "eth_getBalance", json!({"address": ALICE})).await), -32_602);
    assert_eq!(
        world.request(&page, "wallet_switchEthereumChain", json!([{"chainId": "0x2105"}])).await,
        json!({"result": null})
    );
    world.request(&page, "eth_getBalance", json!([ALICE, "latest"])).await;
    assert!(world.node_calls().pop().unwrap().url.contains("/base/"));
    world.set_nodes(|_| Answer::Down);
    assert_eq!(code(&world.request(&page, "eth_blockNumber", json!([])).await), 4_901);
    // A node that failed is left alone for a moment.
    assert_eq!(code(&world.request(&page, "eth_blockNumber", json!([])).await), -32_005);
    world.pass(5_000).await;
    let large = "0".repeat(2 << 20);
    world.set_nodes(move |_| Answer::json(&json!({"id": 1, "result": large})));
    assert_eq!(code(&world.request(&page, "eth_getLogs", json!([{}])).await), -32_005);
    node(&world, vec![("eth_blockNumber", json!("0x11"))]);
    assert_eq!(world.request(&page, "eth_blockNumber", json!([])).await, json!({"result": "0x11"}));
}

/// The user's second node is asked where the first does not answer.
#[tokio::test(start_paused = true)]
async fn reads_go_to_the_next_node() {
    let (world, page) = connected().await;
    let nodes =
        json!({"endpoints": {"Ethereum": {"url": "https://one.example", "others": ["https://two.example"]}}});
    assert_eq!(world.call("PATCH", "/api/settings", nodes).await.0, 200);
    world.set_nodes(|call| match call.url.starts_with("https://one.example") {
        true => Answer::Http(200, "text/html", "<html>".to_owned()),
        false => Answer::json(&json!({"id": 1, "result": "0x2"})),
    });
    assert_eq!(world.request(&page, "eth_blockNumber", json!([])).await, json!({"result": "0x2"}));
}

/// Solana and Sui: let in by themselves, left by themselves; the last one left ends the grant.
#[tokio::test(start_paused = true)]
async fn other_families() {
    let world = World::new().await.with_vault().await;
    let page = page();
    let answer = world.request_and(&page, "solana_connect", json!({}), json!({"approve": true})).await;
    let account = answer["result"]["accounts"][0].clone();
    assert_eq!(account["address"], json!(address_of(0, "Solana")));
    assert_eq!(world.page_state(PAGE).await["accounts"], json!([]));
    assert_eq!(world.request(&page, "solana_connect", json!([{"silent": true}])).await, answer);
    let sui = world.request_and(&page, "sui_connect", Value::Null, json!({"approve": true})).await;
    assert_eq!(sui["result"]["accounts"][0]["address"], json!(address_of(0, "Sui")));
    assert_eq!(world.request(&page, "solana_disconnect", json!([])).await, json!({"result": null}));
    let state = world.page_state(PAGE).await;
    assert_eq!((&state["solana"], state["sui"].as_array().unwrap().len()), (&json!([]), 1));
    world.request(&page, "sui_disconnect", json!([])).await;
    assert_eq!(world.page_state(PAGE).await["connected"], false);
    assert_eq!(code(&world.request(&page, "solana_connect", json!({"silent": "yes"})).await), -32_602);
}

const METHODS: &[&str] = &[
    "eth_requestAccounts",
    "wallet_requestPermissions",
    "wallet_revokePermissions",
    "wallet_switchEthereumChain",
    "wallet_addEthereumChain",
    "wallet_watchAsset",
    "wallet_createSession",
    "wallet_invokeMethod",
    "solana_connect",
    "wallet_revokeSession",
    "eth_call",
    "eth_getBalance",
    "eth_sign",
    "web3_sha3",
    "constructor",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "(0x)?[0-9a-f]{0,10}|eip155:[0-9]{0,5}|.{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof![
            Just("chainId".to_owned()),
            Just("type".to_owned()),
            Just("options".to_owned()),
            Just("scopes".to_owned()),
            Just("scope".to_owned()),
            Just("request".to_owned()),
            Just("method".to_owned()),
            Just("__proto__".to_owned()),
            Just("eth_accounts".to_owned()),
            Just("rpcUrls".to_owned()),
            "eip155:[0-9]{1,3}",
            "[a-z]{0,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever a stranger sends, it is answered with a result or a code and a sentence; only a request to be let in opens a
    /// prompt, and never more than one.
    #[test]
    fn any_parameters_are_answered(params in any_json(), method in prop::sample::select(METHODS)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = World::new().await.with_vault().await;
            let page = page();
            let answer = tokio::select! {
                biased;
                answer = world.request(&page, method, params.clone()) => Some(answer),
                () = world.pass(1_000) => None,
            };
            let asks = ["eth_requestAccounts", "wallet_requestPermissions", "wallet_createSession", "solana_connect"];
            match answer {
                None => assert!(asks.contains(&method) && world.prompts().await.len() == 1, "{method} {params}"),
                Some(answer) => {
                    assert_eq!(world.prompts().await.len(), 0, "{method} {params}");
                    let told = answer["error"]["code"].is_i64() && answer["error"]["message"].is_string();
                    assert!(told || answer.get("result").is_some(), "{answer}");
                }
            }
        });
    }
}
