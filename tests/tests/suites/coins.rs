//! `add_chain` and `add_token`, and the vault's coins (specification 000 §2, §3).
#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{Fault, Kind};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/// An `add_token` entry: USDC at a contract.
fn usdc(chain: &str, contract: &str) -> Value {
    json!({"chain": chain, "ticker": "USDC", "contract_address": contract, "decimals": 6})
}

/// The row of an added token.
fn added(chain: &str, ticker: &str, contract: Value, chain_added: bool) -> Value {
    json!({"chain": chain, "ticker": ticker, "address": address_of(0, chain), "contract_address": contract,
        "success": true, "error": null, "chain_added": chain_added})
}

/// The row of an added chain.
fn chain_added(chain: &str, ticker: &str) -> Value {
    json!({"chain": chain, "ticker": ticker, "address": address_of(0, chain), "success": true, "error": null})
}

/// The same row as a failure.
fn rejected(row: Value, error: &str) -> Value {
    let row = with(with(row, "success", json!(false)), "error", json!(error));
    if row.get("chain_added").is_some() { with(row, "chain_added", json!(false)) } else { row }
}

/// A chain's native coin as stored.
fn native_coin(chain: &str, ticker: &str, decimals: u8, price: &str) -> Value {
    json!({"chain": chain, "ticker": ticker, "address": address_of(0, chain), "decimals": decimals,
        "isNative": true, "priceProviderId": price})
}

/// A token as stored, without optional fields.
fn token(chain: &str, ticker: &str, contract: &str, decimals: u8) -> Value {
    json!({"chain": chain, "ticker": ticker, "address": address_of(0, chain), "contractAddress": contract,
        "decimals": decimals, "isNative": false})
}

/// The rows of a user's action that succeeds.
async fn rows(world: &World, kind: &str, params: Value) -> Vec<Value> {
    let result = world.act_once(kind, params).await;
    result["data"]["results"].as_array().unwrap_or_else(|| panic!("{result}")).clone()
}

async fn modified(world: &World) -> usize {
    world.events().await.iter().filter(|event| event.name == "vaultModified").count()
}

/// T000-56, T000-62, T000-66, T000-68: "USDC on Ethereum, Arbitrum and Base" in one action of the agent: three rows
/// in order, each with the vault's address and every field, each chain with its native coin; six coins in the vault.
#[tokio::test(start_paused = true)]
async fn one_token_on_three_chains() {
    let arbitrum = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
    let tokens = json!([usdc("Ethereum", USDC), usdc("Arbitrum", arbitrum), usdc("Base", USDC_BASE)]);
    let world = World::proposing(json!([action("a1", "add_token", json!({"tokens": tokens}))])).await;
    let world = world.with_vault().await;
    world.say("add USDC").await;
    let results = [
        added("Ethereum", "USDC", json!(USDC), true),
        added("Arbitrum", "USDC", json!(arbitrum), true),
        added("Base", "USDC", json!(USDC_BASE), true),
    ];
    let data = json!({"results": results});
    assert_eq!(
        world.results(),
        [json!({"action": "add_token", "action_id": "a1", "success": true, "data": data})]
    );
    let coins = [
        native_coin("Arbitrum", "ETH", 18, "ethereum"),
        token("Arbitrum", "USDC", arbitrum, 6),
        native_coin("Base", "ETH", 18, "ethereum"),
        token("Base", "USDC", USDC_BASE, 6),
        native_coin("Ethereum", "ETH", 18, "ethereum"),
        token("Ethereum", "USDC", USDC, 6),
    ];
    assert_eq!(world.coins().await, coins);
    assert_eq!(
        (world.violations(), modified(&world).await),
        (vec![], 2),
        "one event for the new vault, one for its coins"
    );
}

/// T000-62, T000-68: the first of two tokens on a new chain adds the chain; a token on an existing chain does not.
#[tokio::test(start_paused = true)]
async fn first_token_adds_the_chain() {
    let world = World::new().await.with_vault().await;
    let usdt = json!({"chain": "base", "ticker": "USDT", "contract_address": BOB, "decimals": 6});
    let found = rows(&world, "add_token", json!({"tokens": [usdc("Base", USDC_BASE), usdt]})).await;
    let expected = [added("Base", "USDC", json!(USDC_BASE), true), added("Base", "USDT", json!(BOB), false)];
    assert_eq!(found, expected);
    rows(&world, "add_chain", json!({"chains": [{"chain": "Ethereum"}]})).await;
    let found = rows(&world, "add_token", json!({"tokens": [usdc("Ethereum", USDC)]})).await;
    assert_eq!(found, [added("Ethereum", "USDC", json!(USDC), false)]);
    let names: Vec<String> =
        world.coins().await.iter().map(|coin| format!("{} {}", coin["chain"], coin["ticker"])).collect();
    let expected = ["Base ETH", "Base USDC", "Base USDT", "Ethereum ETH", "Ethereum USDC"].map(|name| {
        let (chain, ticker) = name.split_once(' ').unwrap();
        format!("{chain:?} {ticker:?}")
    });
    assert_eq!(names, expected);
}

/// T000-56, T000-69: both tools require an array with at least one entry.
#[tokio::test(start_paused = true)]
async fn empty_and_missing_arrays_are_rejected() {
    let world = World::new().await.with_vault().await;
    for (kind, name) in [("add_token", "tokens"), ("add_chain", "chains")] {
        for (params, problem) in [
            (json!({}), "must be an array"),
            (json!({name: {"chain": "Base"}}), "must be an array"),
            (json!({name: null}), "must be an array"),
            (json!({name: []}), "must have at least one entry"),
        ] {
            let result = world.act_once(kind, params.clone()).await;
            let error = format!("invalid_params: /{name} {problem}");
            assert_eq!((&result["success"], &result["error"]), (&json!(false), &json!(error)), "{params}");
        }
        let result = world.act_once(kind, json!({name: [7]})).await;
        assert_eq!(result["error"], format!("invalid_params: /{name}/0 must be an object"));
    }
    assert_eq!(world.coins().await, [json!(null); 0]);
}

/// T000-57, T000-67: an entry without a required field fails with that field's path, the others are added, and rows
/// keep the order of the entries.
#[tokio::test(start_paused = true)]
async fn every_entry_is_attempted() {
    let world = World::new().await.with_vault().await;
    let good = usdc("Base", USDC_BASE);
    let entries = [
        without(good.clone(), "chain"),
        without(good.clone(), "ticker"),
        with(good.clone(), "ticker", json!(" ")),
        without(good.clone(), "decimals"),
        without(good.clone(), "contract_address"),
        with(good.clone(), "contract_address", json!("")),
        with(good.clone(), "is_native", json!("yes")),
        with(good.clone(), "contract_address", json!(7)),
        json!("Base"),
        good,
    ];
    let result = world.act_once("add_token", json!({"tokens": entries})).await;
    let rows = result["data"]["results"].as_array().unwrap();
    let errors: Vec<&Value> = rows.iter().map(|row| &row["error"]).collect();
    let problems = [
        "/0/chain must be a non-empty string",
        "/1/ticker must be a non-empty string",
        "/2/ticker must be a non-empty string",
        "/3/decimals must be an integer from 0 to 255",
        "/4/contract_address must be a non-empty string",
        "/5/contract_address must be a non-empty string",
        "/6/is_native must be true or false",
        "/7/contract_address must be a string",
        "/8 must be an object",
    ];
    let mut expected: Vec<Value> =
        problems.iter().map(|problem| json!(format!("invalid_params: /tokens{problem}"))).collect();
    expected.push(Value::Null);
    assert_eq!(errors, expected.iter().collect::<Vec<_>>());
    assert_eq!((&result["success"], result.get("error")), (&json!(true), None));
    // The row of a refused entry has the fields that could be read; the vault has none of them.
    let first = json!({"chain": null, "ticker": "USDC", "address": null, "contract_address": USDC_BASE,
        "success": false, "error": expected[0], "chain_added": false});
    assert_eq!((&rows[0], &rows[9]), (&first, &added("Base", "USDC", json!(USDC_BASE), true)));
    assert_eq!(world.coins().await.len(), 2);
}

/// T000-58: decimals are an integer from 0 to 255, as a JSON number.
#[tokio::test(start_paused = true)]
async fn decimals_are_validated() {
    let world = World::new().await.with_vault().await;
    let entry = |decimals: Value| with(usdc("Base", USDC_BASE), "decimals", decimals);
    let bad =
        [json!(256), json!(-1), json!(6.5), json!("6"), json!(null), json!(true), json!(1e30), json!([6])];
    for decimals in bad {
        let found = rows(&world, "add_token", json!({"tokens": [entry(decimals.clone())]})).await;
        let error = "invalid_params: /tokens/0/decimals must be an integer from 0 to 255";
        assert_eq!(
            (&found[0]["error"], &found[0]["chain_added"]),
            (&json!(error), &json!(false)),
            "{decimals}"
        );
    }
    assert_eq!(world.coins().await, [json!(null); 0], "the chain was not added either");
    for (decimals, contract) in [(0, ALICE), (255, BOB)] {
        let entry = with(entry(json!(decimals)), "contract_address", json!(contract));
        rows(&world, "add_token", json!({"tokens": [entry]})).await;
    }
    let mut stored: Vec<u64> =
        world.coins().await.iter().skip(1).map(|coin| coin["decimals"].as_u64().unwrap()).collect();
    stored.sort_unstable();
    assert_eq!(stored, [0, 255]);
}

/// T000-59, T000-64: logo and price id are optional, stored and returned; a token is native only if it says so.
#[tokio::test(start_paused = true)]
async fn metadata_is_stored() {
    let world = World::new().await.with_vault().await;
    let full = json!({"chain": "Solana", "ticker": "JUP", "decimals": 6, "price_provider_id": "jupiter",
        "contract_address": "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", "logo": "https://logo.example/j.png"});
    let native = json!({"chain": "Sui", "ticker": "SUI", "decimals": 9, "is_native": true,
        "logo": "https://logo.example/s.png", "price_provider_id": "other"});
    rows(&world, "add_token", json!({"tokens": [full, native]})).await;
    let jup = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN";
    let stored = with(token("Solana", "JUP", jup, 6), "logo", json!("https://logo.example/j.png"));
    let sui = with(native_coin("Sui", "SUI", 9, "other"), "logo", json!("https://logo.example/s.png"));
    assert_eq!(
        world.coins().await,
        [native_coin("Solana", "SOL", 9, "solana"), with(stored, "priceProviderId", json!("jupiter")), sui]
    );
}

/// T000-61, T000-70: chains are matched in any case and by alias; the canonical name is stored and returned. An
/// unknown chain fails its entry.
#[tokio::test(start_paused = true)]
async fn chains_match_any_case_and_alias() {
    let world = World::new().await.with_vault().await;
    let chains = json!([{"chain": " sOLANA "}, {"chain": "bitcoin-cash"}, {"chain": "Solana2"}, {"chain": "smartchain"}]);
    let found = rows(&world, "add_chain", json!({"chains": chains})).await;
    let unknown = json!({"chain": "Solana2", "ticker": null, "address": null, "success": false,
        "error": "unknown_chain: \"Solana2\""});
    let expected = [
        chain_added("Solana", "SOL"),
        chain_added("Bitcoin-Cash", "BCH"),
        unknown,
        chain_added("BSC", "BNB"),
    ];
    assert_eq!(found, expected);
    let tokens = json!([usdc("eTHEREUM", USDC), usdc("Ether", USDC)]);
    let found = rows(&world, "add_token", json!({"tokens": tokens})).await;
    assert_eq!(found[0], added("Ethereum", "USDC", json!(USDC), true));
    assert_eq!(found[1]["error"], "unknown_chain: \"Ether\"");
    let stored: Vec<Value> = world.coins().await.iter().map(|coin| coin["chain"].clone()).collect();
    assert_eq!(stored, ["BSC", "Bitcoin-Cash", "Ethereum", "Ethereum", "Solana"]);
}

/// T000-63: a token that exists is `already_exists` in any case of an EVM contract, and nothing is written; on other
/// chains contracts are case-sensitive.
#[tokio::test(start_paused = true)]
async fn duplicate_tokens_are_rejected() {
    let world = World::new().await.with_vault().await;
    let add = async |chain: &str, contract: &str| {
        let entry = json!({"chain": chain, "ticker": "X", "contract_address": contract, "decimals": 6});
        rows(&world, "add_token", json!({"tokens": [entry]})).await.pop().unwrap()
    };
    let first = add("Ethereum", &USDC.to_lowercase()).await;
    assert_eq!(first, added("Ethereum", "X", json!(USDC), true), "stored in checksum form");
    let before = (world.table(Table::Coins).await, modified(&world).await);
    let swapped: String = USDC
        .chars()
        .map(|c| if c.is_lowercase() && c != 'x' { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
        .collect();
    let upper = format!("0x{}", USDC.trim_start_matches("0x").to_uppercase());
    for contract in [USDC, &USDC.to_lowercase(), &upper, &swapped] {
        let row = add("ethereum", contract).await;
        let expected = rejected(added("Ethereum", "X", json!(contract), false), "already_exists");
        assert_eq!(row, expected, "{contract}");
    }
    assert_eq!((world.table(Table::Coins).await, modified(&world).await), before);
    // The same contract on another chain is another token.
    assert_eq!(add("Base", USDC).await, added("Base", "X", json!(USDC), true));
    for denom in ["ibc/ABC", "ibc/abc"] {
        assert_eq!(add("Cosmos", denom).await["success"], true, "{denom}");
    }
    assert_eq!(add("Cosmos", "ibc/abc").await["error"], "already_exists");
}

/// T000-63 and D5: adding the native coin by `add_token` adds the chain; if the chain exists, the result is
/// `already_exists`.
#[tokio::test(start_paused = true)]
async fn native_token_adds_its_chain() {
    let world = World::new().await.with_vault().await;
    let sol = json!({"chain": "Solana", "ticker": "SOL", "decimals": 9, "is_native": true});
    let row = added("Solana", "SOL", Value::Null, true);
    let found = rows(&world, "add_token", json!({"tokens": [sol.clone(), sol]})).await;
    assert_eq!(found, [row.clone(), rejected(row, "already_exists")]);
    assert_eq!(world.coins().await, [native_coin("Solana", "SOL", 9, "solana")]);
    let chain = rows(&world, "add_chain", json!({"chains": [{"chain": "Solana"}]})).await;
    assert_eq!(chain, [rejected(chain_added("Solana", "SOL"), "already_exists")]);
    // The former ticker TON, and native coins with a wrong ticker or wrong decimals.
    let gram =
        json!({"chain": "Ton", "ticker": "TON", "decimals": 9, "is_native": true, "contract_address": ""});
    let found = rows(&world, "add_token", json!({"tokens": [gram]})).await;
    assert_eq!(found, [added("Ton", "GRAM", Value::Null, true)]);
    for (entry, problem) in [
        (
            json!({"chain": "Base", "ticker": "USDC", "decimals": 18, "is_native": true}),
            "/tokens/0/ticker is not the native coin of Base, which is ETH",
        ),
        (
            json!({"chain": "Base", "ticker": "eth", "decimals": 6, "is_native": true}),
            "/tokens/0/decimals must be 18, as ETH has them",
        ),
    ] {
        let found = rows(&world, "add_token", json!({"tokens": [entry]})).await;
        assert_eq!(found[0]["error"], format!("invalid_params: {problem}"));
    }
}

/// A contract that is invalid on its chain is refused with its own error, and the chain is not added.
#[tokio::test(start_paused = true)]
async fn invalid_contracts_are_rejected() {
    let world = World::new().await.with_vault().await;
    let wrong_case = USDC.replace("0xA0b8", "0xA0B8");
    for (chain, contract) in [
        ("Ethereum", "0x1234"),
        ("Ethereum", wrong_case.as_str()),
        ("Ethereum", "0x0000000000000000000000000000000000000000"),
        ("Base", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"),
        ("Solana", USDC),
        ("Tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"),
        ("Cosmos", "ibc/ with blanks"),
    ] {
        let found = rows(&world, "add_token", json!({"tokens": [usdc(chain, contract)]})).await;
        let error = found[0]["error"].as_str().unwrap();
        assert!(error.starts_with(&format!("invalid_address: {chain}: ")), "{contract}: {error}");
        assert_eq!(
            (&found[0]["chain_added"], &found[0]["contract_address"]),
            (&json!(false), &json!(contract))
        );
    }
    let long = with(usdc("Cosmos", "x"), "logo", json!("x".repeat(2_001)));
    let found = rows(&world, "add_token", json!({"tokens": [long]})).await;
    assert_eq!(found[0]["error"], "invalid_params: /tokens/0 has a text of more than 2000 bytes");
    assert_eq!(world.coins().await, [json!(null); 0]);
}

/// T000-64: no commit leaves a token without its chain's native coin, or coins without the result.
#[tokio::test(start_paused = true)]
async fn coins_and_result_are_one_commit() {
    let world =
        World::proposing(json!([action("a1", "add_token", json!({"tokens": [usdc("Base", USDC_BASE)]}))]));
    let world = world.await.with_vault().await;
    world.post_message("go").await;
    let mut seen = Vec::new();
    for _ in 0..400 {
        world.steps(1).await;
        let done = world.table(Table::Calls).await.iter().any(|row| row.text.contains("\"name\":\"done\""));
        seen.push((world.table(Table::Coins).await.len(), done));
    }
    seen.dedup();
    assert_eq!(seen, [(0, false), (2, true)]);
}

/// T000-65, T000-74: pages receive `vaultModified` once for each call that changed the vault, and not otherwise.
#[tokio::test(start_paused = true)]
async fn vault_modified_once_per_change() {
    let world = World::new().await.with_vault().await;
    let mut received = modified(&world).await;
    let chains = json!({"chains": [{"chain": "Solana"}, {"chain": "Sui"}, {"chain": "Nowhere"}]});
    let tokens = json!({"tokens": [usdc("Base", USDC_BASE), usdc("Base", BOB)]});
    let nothing = json!({"tokens": [usdc("Base", "0x12"), usdc("Base", USDC_BASE)]});
    for (kind, params, change) in [
        ("add_chain", &chains, 1),
        ("add_chain", &chains, 0),
        ("add_token", &tokens, 1),
        ("add_token", &tokens, 0),
        ("add_token", &nothing, 0),
        ("add_token", &json!({"tokens": []}), 0),
    ] {
        world.act_once(kind, params.clone()).await;
        received += change;
        assert_eq!(modified(&world).await, received, "{kind} {params}");
    }
    // Activating another vault is a change; activating the same one is not.
    world.use_vault(1).await;
    world.use_vault(1).await;
    assert_eq!(modified(&world).await, received + 2);
}

/// T000-70, T000-72, T000-73, T000-75: every chain but QBTC is derived from public keys alone, without a prompt: the
/// addresses that other libraries derive, the ticker and the coin of each chain. QBTC fails with the reason.
#[tokio::test(start_paused = true)]
async fn every_chain_is_derived_from_public_keys() {
    let world = World::new().await;
    for index in [0, 1] {
        world.use_vault(index).await;
        let chains: Vec<Value> =
            chains::Chain::ALL.iter().map(|chain| json!({"chain": chain.name()})).collect();
        let found = rows(&world, "add_chain", json!({"chains": chains})).await;
        for (chain, row) in chains::Chain::ALL.iter().zip(&found) {
            let ticker = chain.native().ticker;
            let expected = if *chain == chains::Chain::Qbtc {
                json!({"chain": "QBTC", "ticker": "QBTC", "address": null, "success": false,
                    "error": "unsupported_chain: QBTC needs a key that this vault does not have"})
            } else {
                let address = address_of(index, chain.name());
                json!({"chain": chain.name(), "ticker": ticker, "address": address, "success": true, "error": null})
            };
            assert_eq!(*row, expected);
        }
        let coins = world.coins().await;
        assert_eq!((coins.len(), found.len()), (38, 39));
        for coin in coins {
            let chain = chains::Chain::parse(coin["chain"].as_str().unwrap()).unwrap();
            let expected = json!({"chain": chain.name(), "ticker": chain.native().ticker,
                "address": address_of(index, chain.name()), "decimals": chain.native().decimals,
                "isNative": true, "priceProviderId": chain.facts().price_id});
            assert_eq!(coin, expected);
        }
    }
    assert_eq!(world.prompts().await, [json!(null); 0]);
}

/// T000-71, T000-75: a chain added before, or twice in one request, is `already_exists`.
#[tokio::test(start_paused = true)]
async fn a_chain_is_added_once() {
    let world = World::new().await.with_vault().await;
    let chains = json!({"chains": [{"chain": "Tron"}, {"chain": "TRON"}, {"chain": "Dash"}]});
    let found = rows(&world, "add_chain", json!(chains)).await;
    let (tron, dash) = (chain_added("Tron", "TRX"), chain_added("Dash", "DASH"));
    assert_eq!(found, [tron.clone(), rejected(tron.clone(), "already_exists"), dash.clone()]);
    let again = world.act_once("add_chain", chains).await;
    let exists = |row| rejected(row, "already_exists");
    assert_eq!(again["data"]["results"], json!([exists(tron.clone()), exists(tron), exists(dash)]));
    assert_eq!((&again["success"], &again["error"]), (&json!(false), &json!("already_exists")));
}

/// T000-60, T000-71, T000-109: the legacy scalar parameters work like one entry, and the result has the legacy scalar
/// fields beside the row (D9).
#[tokio::test(start_paused = true)]
async fn legacy_scalar_parameters() {
    let world = World::new().await.with_vault().await;
    let with_scalars = |row: Value| {
        let scalars = with(row.clone(), "symbol", row["ticker"].clone());
        with(scalars, "results", json!([row]))
    };
    let chain = world.act_once("add_chain", json!({"chain": "solana"})).await;
    assert_eq!(chain["data"], with_scalars(chain_added("Solana", "SOL")));
    let coin = world.act_once("add_coin", json!({"chain": "ethereum", "symbol": "USDC"})).await;
    assert_eq!(coin["data"], with_scalars(added("Ethereum", "USDC", json!(USDC), true)));
    let again = world.act_once("add_coin", with(usdc("Ethereum", USDC), "ticker", json!("USDC"))).await;
    let row = rejected(added("Ethereum", "USDC", json!(USDC), false), "already_exists");
    assert_eq!((&again["data"], &again["error"]), (&with_scalars(row), &json!("already_exists")));
    let new = world.act_once("add_token", json!({"tokens": [usdc("Base", USDC_BASE)]})).await;
    assert_eq!(fields(&new["data"]).keys().collect::<Vec<_>>(), ["results"]);
    let old = world.act_once("add_coin", json!({"chain": "Sui", "symbol": "sui"})).await;
    assert_eq!(old["data"]["results"], json!([added("Sui", "SUI", Value::Null, true)]));
}

/// Coins belong to their vault: another vault has none of them, and switching back restores them. Without a vault
/// both tools are refused.
#[tokio::test(start_paused = true)]
async fn coins_belong_to_a_vault() {
    let world = World::new().await;
    for (kind, name) in [("add_chain", "chains"), ("add_token", "tokens")] {
        let result = world.act_once(kind, json!({name: [usdc("Base", USDC_BASE)]})).await;
        let error = "no_vault: there is no vault yet that could hold anything";
        assert_eq!((&result["success"], &result["error"]), (&json!(false), &json!(error)));
    }
    let missing = json!({"error": {"code": "vault_not_found", "message": "there is no such vault"}});
    let target = |id: &str| format!("/api/vaults/{id}/coins");
    assert_eq!(world.call("GET", &target("active"), Value::Null).await, (404, missing.clone()));

    world.use_vault(0).await;
    rows(&world, "add_chain", json!({"chains": [{"chain": "Base"}]})).await;
    world.use_vault(1).await;
    assert_eq!(world.coins().await, [json!(null); 0]);
    let other = rows(&world, "add_chain", json!({"chains": [{"chain": "Base"}]})).await;
    assert_eq!(other[0]["address"], address_of(1, "Base"));
    let (first, second) = (vaults()[0]["ecdsa"].clone(), vaults()[1]["ecdsa"].clone());
    let by_key = world.get(&target(second.as_str().unwrap())).await;
    assert_eq!(by_key["coins"], json!(world.coins().await));
    let of_first = world.get(&target(first.as_str().unwrap())).await;
    assert_eq!(of_first["coins"], json!([native_coin("Base", "ETH", 18, "ethereum")]));
    assert_eq!(world.call("GET", &target("other"), Value::Null).await, (404, missing));
    assert_eq!(world.call("POST", &target("active"), json!({})).await.0, 405);
    world.use_vault(0).await;
    assert_eq!(world.coins().await, [native_coin("Base", "ETH", 18, "ethereum")]);
}

/// T000-2, T000-63: a repeated action is answered from its record, with `success`, and not by adding again.
#[tokio::test(start_paused = true)]
async fn repeated_action_is_answered_from_record() {
    let add = action("a1", "add_chain", json!({"chains": [{"chain": "Base"}]}));
    let world = World::proposing(json!([add])).await.with_vault().await;
    world.set_fault(Fault::new(Kind::RepeatActions { action: Some(0) }));
    world.say("go").await;
    let results = world.results();
    let data = json!({"results": [chain_added("Base", "ETH")]});
    assert!(!results.is_empty() && results.iter().all(|result| result["data"] == data), "{results:?}");
    assert_eq!(world.coins().await.len(), 1);
}
