//! `add_chain`, `add_token` and `remove_token`, and the vault's coins (specification 000 §2, §3).
#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{Fault, Kind};
use countersign_tests::evm::{Evm, STRANGER, bundle};
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

/// A chain's native coin as stored, added by the user.
fn native_coin(chain: &str, ticker: &str, decimals: u8, price: &str) -> Value {
    json!({"chain": chain, "ticker": ticker, "address": address_of(0, chain), "decimals": decimals,
        "isNative": true, "priceProviderId": price, "addedBy": {"kind": "user"}, "confirmed": true,
        "decimalsFrom": "table"})
}

/// A well-known token as stored, added by the user, without optional fields.
fn token(chain: &str, ticker: &str, contract: &str, decimals: u8) -> Value {
    json!({"chain": chain, "ticker": ticker, "address": address_of(0, chain), "contractAddress": contract,
        "decimals": decimals, "isNative": false, "addedBy": {"kind": "user"}, "confirmed": true,
        "decimalsFrom": "table"})
}

/// The same coin, added by the agent.
fn by_agent(coin: Value) -> Value {
    with(coin, "addedBy", json!({"kind": "agent"}))
}

/// An `add_token` entry that our table does not know.
fn unlisted(ticker: &str, contract: &str, decimals: u8) -> Value {
    json!({"chain": "Base", "ticker": ticker, "contract_address": contract, "decimals": decimals})
}

/// Who added each token, whether it is confirmed, and where its decimals are from.
async fn standing(world: &World) -> Vec<(String, Value, Value)> {
    let tokens = world.coins().await.into_iter().filter(|coin| coin["isNative"] == false);
    tokens
        .map(|coin| (text(&coin["ticker"]), coin["confirmed"].clone(), coin["decimalsFrom"].clone()))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A node of an EVM chain that knows one token: its decimals, and whether it is a collection of items.
fn token_node(decimals: u8, collection: bool) -> impl FnMut(&NodeCall) -> Answer + 'static {
    let word = |number: u8| json!(format!("0x{number:064x}"));
    let answer = move |call: &Value| {
        let data = call["params"][0]["data"].as_str().unwrap_or_default();
        let result = match data.get(..10) {
            Some("0x313ce567") => word(decimals),
            Some("0x01ffc9a7") => word(u8::from(collection && data.contains("80ac58cd"))),
            _ => json!("0x"),
        };
        json!({"jsonrpc": "2.0", "id": call["id"], "result": result})
    };
    move |call| match &call.body {
        Value::Array(calls) => Answer::json(&calls.iter().map(answer).collect()),
        call => Answer::json(&answer(call)),
    }
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
    assert_eq!(world.coins().await, coins.map(by_agent));
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
    let other = with(unlisted("ABC", BOB, 6), "chain", json!("base"));
    let found = rows(&world, "add_token", json!({"tokens": [usdc("Base", USDC_BASE), other]})).await;
    let expected = [added("Base", "USDC", json!(USDC_BASE), true), added("Base", "ABC", json!(BOB), false)];
    assert_eq!(found, expected);
    rows(&world, "add_chain", json!({"chains": [{"chain": "Ethereum"}]})).await;
    let found = rows(&world, "add_token", json!({"tokens": [usdc("Ethereum", USDC)]})).await;
    assert_eq!(found, [added("Ethereum", "USDC", json!(USDC), false)]);
    let names: Vec<String> =
        world.coins().await.iter().map(|coin| format!("{} {}", coin["chain"], coin["ticker"])).collect();
    let expected = ["Base ETH", "Base USDC", "Base ABC", "Ethereum ETH", "Ethereum USDC"].map(|name| {
        let (chain, ticker) = name.split_once(' ').unwrap();
        format!("{chain:?} {ticker:?}")
    });
    assert_eq!(names, expected);
}

/// T000-56, T000-69: each tool requires an array with at least one entry.
#[tokio::test(start_paused = true)]
async fn empty_and_missing_arrays_are_rejected() {
    let world = World::new().await.with_vault().await;
    for (kind, name) in [("add_token", "tokens"), ("add_chain", "chains"), ("remove_token", "tokens")] {
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
        rows(&world, "add_token", json!({"tokens": [unlisted("ABC", contract, decimals)]})).await;
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
    assert_eq!(first, added("Ethereum", "USDC", json!(USDC), true), "in checksum form, under its own ticker");
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
            let native = chain.native();
            let expected = native_coin(chain.name(), native.ticker, native.decimals, chain.facts().price_id);
            let address = json!(address_of(index, chain.name()));
            assert_eq!(coin, with(expected, "address", address));
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
    for (kind, name) in [("add_chain", "chains"), ("add_token", "tokens"), ("remove_token", "tokens")] {
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

/// What an agent calls a token is no other token's name, for the agent, a page and the user alike; each refusal has its
/// own code and names its place, and nothing of the entry is stored.
#[tokio::test(start_paused = true)]
async fn tickers_of_others_are_refused() {
    let usdc = format!("ticker_taken: /tokens/0/ticker is taken on this chain by USDC at {USDC_BASE}");
    let native = "ticker_taken: /tokens/0/ticker is taken on this chain by its native coin ETH";
    let invalid = "invalid_ticker: /tokens/0/ticker must be 1 to 16 characters of a-z, A-Z, 0-9 and . $ + -";
    let contradicted = "decimals_contradicted: /tokens/0/decimals must be 6, as the token has them";
    let table = [
        (unlisted("USDC", ALICE, 6), usdc.as_str()),
        (unlisted("usdc", ALICE, 6), usdc.as_str()),
        (unlisted("U.S.D.C", ALICE, 6), usdc.as_str()),
        (unlisted("eth", ALICE, 18), native),
        (unlisted("USDС", ALICE, 6), invalid),
        (unlisted("US DC", ALICE, 6), invalid),
        (unlisted("ABCDEFGHIJKLMNOPQ", ALICE, 6), invalid),
        (unlisted("\u{202e}CBA", ALICE, 6), invalid),
        (unlisted("USDC", USDC_BASE, 18), contradicted),
        (unlisted("ABC", USDC_BASE, 0), contradicted),
    ];
    for (entry, error) in table {
        let agents = World::proposing(json!([action("a1", "add_token", json!({"tokens": [entry]}))])).await;
        let agents = agents.with_vault().await;
        agents.say("go").await;
        let users = World::new().await.with_vault().await;
        let own = users.act_once("add_token", json!({"tokens": [entry]})).await;
        let result = &agents.results()[0];
        assert_eq!(result["error"], error, "{entry}");
        let row = &result["data"]["results"][0];
        let fields = [&row["success"], &row["error"], &row["chain_added"], &row["contract_address"]];
        assert_eq!(fields, [&json!(false), &json!(error), &json!(false), &entry["contract_address"]]);
        assert_eq!(own["error"], error, "the user's own request is held to the same");
        for world in [&agents, &users] {
            assert_eq!((world.coins().await, world.node_calls()), (vec![], vec![]));
        }
    }
}

/// A token whose decimals the chain contradicts is refused, and so is a collection of items; what the chain confirms says
/// so, and where no node answers the decimals are the request's.
#[tokio::test(start_paused = true)]
async fn the_chain_is_asked_for_decimals() {
    let entry = json!({"tokens": [unlisted("ABC", ALICE, 18)]});
    let proposing =
        async || World::proposing(json!([action("a1", "add_token", entry.clone())])).await.with_vault().await;
    let refusals = [
        (token_node(6, false), "decimals_contradicted: /tokens/0/decimals must be 6, as the token has them"),
        (
            token_node(18, true),
            "token_is_collection: /tokens/0/contract_address is a collection of items, which have no amounts",
        ),
    ];
    for (node, error) in refusals {
        let world = proposing().await;
        world.set_nodes(node);
        world.say("go").await;
        assert_eq!((&world.results()[0]["error"], world.coins().await), (&json!(error), vec![]));
    }
    let world = proposing().await;
    world.set_nodes(token_node(18, false));
    world.say("go").await;
    assert_eq!(standing(&world).await, [("ABC".to_owned(), json!(false), json!("node"))]);
    for node in [Answer::Down, Answer::Silent, Answer::status(500), Answer::json(&json!("nonsense"))] {
        let world = proposing().await;
        world.set_nodes(move |_| node.clone());
        world.say("go").await;
        world.pass(10_000).await;
        assert_eq!(standing(&world).await, [("ABC".to_owned(), json!(false), json!("request"))]);
        assert_eq!(world.results()[0]["success"], true);
    }
}

/// The target of a route about a token of the active vault.
fn of_token(chain: &str, contract: &str, what: &str) -> String {
    format!("/api/vaults/active/coins/{chain}/{}{what}", contract.replace('/', "%2F"))
}

/// A token that the agent added is not confirmed until the user confirms it, also across restarts; the user's own and
/// those of our table need no confirmation. Confirming is logged, told to pages, and done once.
#[tokio::test(start_paused = true)]
async fn the_user_confirms_the_agents_tokens() {
    let tokens = json!([unlisted("ABC", ALICE, 18), usdc("Base", USDC_BASE)]);
    let world = World::proposing(json!([action("a1", "add_token", json!({"tokens": tokens}))])).await;
    let world = world.with_vault().await;
    world.say("go").await;
    rows(&world, "add_token", json!({"tokens": [unlisted("OWN", BOB, 18)]})).await;
    world.restart().await;
    let unconfirmed = [
        ("ABC".to_owned(), json!(false), json!("request")),
        ("USDC".to_owned(), json!(true), json!("table")),
        ("OWN".to_owned(), json!(true), json!("request")),
    ];
    assert_eq!(standing(&world).await, unconfirmed);

    let before = modified(&world).await;
    let (status, coin) =
        world.call("POST", &of_token("base", &ALICE.to_lowercase(), "/confirm"), json!({})).await;
    assert_eq!(
        (status, &coin["confirmed"], &coin["addedBy"]),
        (200, &json!(true), &json!({"kind": "agent"}))
    );
    world.restart().await;
    assert_eq!(standing(&world).await[0].1, json!(true));
    assert_eq!(modified(&world).await, before + 1);
    let log = world.get("/api/audit").await["entries"].to_string();
    assert_eq!(log.matches("token_confirmed").count(), 1);
    let records = world.records().await;
    assert_eq!(world.call("POST", &of_token("Base", ALICE, "/confirm"), json!({})).await, (200, coin));
    assert_eq!(world.records().await, records, "the second time changes nothing");
}

/// A token is checked again when the user confirms it: what a node says by then counts, and a name that an earlier version
/// let through is not confirmed.
#[tokio::test(start_paused = true)]
async fn confirming_checks_again() {
    let world =
        World::proposing(json!([action("a1", "add_token", json!({"tokens": [unlisted("ABC", ALICE, 2)]}))]));
    let world = world.await.with_vault().await;
    world.say("go").await;
    let before = world.coins().await;
    // A node that failed is not asked for a moment.
    world.pass(2_000).await;
    world.set_nodes(token_node(18, false));
    let (status, body) = world.call("POST", &of_token("Base", ALICE, "/confirm"), json!({})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("decimals_contradicted")));
    assert_eq!(world.coins().await, before);
    world.set_nodes(token_node(2, false));
    let (status, coin) = world.call("POST", &of_token("Base", ALICE, "/confirm"), json!({})).await;
    assert_eq!((status, &coin["confirmed"], &coin["decimalsFrom"]), (200, &json!(true), &json!("node")));

    let fake = without(
        without(with(token("Base", "USDC", BOB, 6), "confirmed", json!(false)), "addedBy"),
        "decimalsFrom",
    );
    world
        .write(Table::Coins, &format!("{}/Base/{}", vault_id(0), BOB.to_lowercase()), &fake.to_string())
        .await;
    let (status, body) = world.call("POST", &of_token("Base", BOB, "/confirm"), json!({})).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("ticker_taken")));
    world.browser.set_signer_unavailable(true);
    let (status, body) = world.call("POST", &of_token("Base", BOB, "/confirm"), json!({})).await;
    assert_eq!((status, &body["error"]["code"]), (503, &json!("signer_unavailable")));
}

/// Rows of an earlier version say nothing of who added a token: those of our table are fine, all others count as the
/// agent's, and so do all of them where the table cannot be asked.
#[tokio::test(start_paused = true)]
async fn tokens_of_earlier_versions_are_the_agents() {
    let world = World::new().await.with_vault().await;
    let earlier = |coin: Value| without(without(without(coin, "addedBy"), "confirmed"), "decimalsFrom");
    let native = native_coin("Base", "ETH", 18, "ethereum");
    let rows = [
        ("", native.clone()),
        (USDC_BASE, token("Base", "USDC", USDC_BASE, 6)),
        (ALICE, token("Base", "ABC", ALICE, 6)),
        // Under another name, or with other decimals, it is not what the table means.
        (
            "0x4200000000000000000000000000000000000006",
            token("Base", "SAFE", "0x4200000000000000000000000000000000000006", 18),
        ),
    ];
    for (contract, coin) in &rows {
        let key = format!("{}/Base/{}", vault_id(0), contract.to_lowercase());
        world.write(Table::Coins, &key, &earlier(coin.clone()).to_string()).await;
    }
    let confirmed = async || -> Vec<(String, bool)> {
        let coins = world.coins().await.into_iter();
        coins.map(|coin| (text(&coin["ticker"]), coin["confirmed"] == true)).collect()
    };
    let expected = [("ETH", true), ("SAFE", false), ("ABC", false), ("USDC", true)];
    assert_eq!(confirmed().await, expected.map(|(ticker, known)| (ticker.to_owned(), known)));
    assert_eq!(world.coins().await[0], without(native, "addedBy"));
    world.browser.set_signer_unavailable(true);
    let unsure = [("ETH", true), ("SAFE", false), ("ABC", false), ("USDC", false)];
    assert_eq!(confirmed().await, unsure.map(|(ticker, known)| (ticker.to_owned(), known)));
}

/// The row of a removed token.
fn removed(chain: &str, ticker: &str, contract: &str) -> Value {
    json!({"chain": chain, "ticker": ticker, "contract_address": contract, "success": true, "error": null})
}

/// `remove_token`: every entry is attempted, by contract or by a ticker that only one token of the chain has; a chain's own
/// coin stays. Pages are told once, and a token that was removed can be added again.
#[tokio::test(start_paused = true)]
async fn tokens_are_removed() {
    let world = World::new().await.with_vault().await;
    let tokens = json!([
        usdc("Base", USDC_BASE),
        unlisted("ABC", ALICE, 6),
        unlisted("ABC", BOB, 6),
        usdc("Ethereum", USDC)
    ]);
    rows(&world, "add_token", json!({"tokens": tokens})).await;
    let before = modified(&world).await;
    let entries = json!([
        {"chain": "base", "contract_address": USDC_BASE.to_lowercase(), "ticker": "other"},
        {"chain": "Base", "contract_address": USDC_BASE},
        {"chain": "Base", "ticker": "abc"},
        {"chain": "Base", "ticker": "ETH"},
        {"chain": "Base", "is_native": true},
        {"chain": "Base"},
        {"chain": "Atlantis", "ticker": "ABC"},
        {"ticker": "ABC"},
        7,
        {"chain": "Base", "contract_address": ALICE},
        {"chain": "Base", "ticker": "abc"},
    ]);
    let result = world.act_once("remove_token", json!({"tokens": entries})).await;
    let rows_found = result["data"]["results"].as_array().unwrap();
    let errors: Vec<&Value> = rows_found.iter().map(|row| &row["error"]).collect();
    let expected = [
        Value::Null,
        json!("not_found"),
        json!("ambiguous_match"),
        json!("native_coin: /tokens/3 is the chain's own coin, which stays with its chain"),
        json!("native_coin: /tokens/4 is the chain's own coin, which stays with its chain"),
        json!("invalid_params: /tokens/5 needs a contract_address or a ticker"),
        json!("unknown_chain: \"Atlantis\""),
        json!("invalid_params: /tokens/7/chain must be a non-empty string"),
        json!("invalid_params: /tokens/8 must be an object"),
        Value::Null,
        Value::Null,
    ];
    assert_eq!(errors, expected.iter().collect::<Vec<_>>());
    assert_eq!(rows_found[0], removed("Base", "USDC", USDC_BASE));
    assert_eq!(
        (&rows_found[9], &rows_found[10]),
        (&removed("Base", "ABC", ALICE), &removed("Base", "ABC", BOB))
    );
    assert_eq!((&result["success"], modified(&world).await), (&json!(true), before + 1));
    let left: Vec<Value> = world.coins().await.iter().map(|coin| coin["ticker"].clone()).collect();
    assert_eq!(left, ["ETH", "ETH", "USDC"]);

    let nothing =
        world.act_once("remove_token", json!({"tokens": [{"chain": "Base", "ticker": "USDC"}]})).await;
    assert_eq!((&nothing["error"], modified(&world).await), (&json!("not_found"), before + 1));
    let again = rows(&world, "add_token", json!({"tokens": [usdc("Base", USDC_BASE)]})).await;
    assert_eq!(again, [added("Base", "USDC", json!(USDC_BASE), false)]);
}

/// An agent's removal is asked for as other changes are, also in its older form, whose result has the older fields; the
/// coins and the result are one commit.
#[tokio::test(start_paused = true)]
async fn an_agents_removal_is_asked_for() {
    let entry = json!({"chain": "base", "symbol": "USDC"});
    let asked = without(action("a1", "remove_coin", entry), "auto_execute");
    let world = World::proposing(json!([asked])).await.with_vault().await;
    rows(&world, "add_token", json!({"tokens": [usdc("Base", USDC_BASE)]})).await;
    world.say("go").await;
    let prompts = world.prompts().await;
    assert_eq!((prompts.len(), &prompts[0]["kind"]), (1, &json!("confirmation_required")));
    assert_eq!(world.coins().await.len(), 2);
    let target = format!("/api/prompts/{}", text(&prompts[0]["id"]));
    let answer = json!({"approve": true, "digest": prompts[0]["digest"]});
    assert_eq!(world.call("POST", &target, answer).await.0, 200);
    let mut seen = Vec::new();
    for _ in 0..400 {
        world.steps(1).await;
        let calls = world.table(Table::Calls).await;
        let removal = calls.iter().find(|row| row.text.contains("remove_coin"));
        let done = removal.is_some_and(|row| row.text.contains("\"name\":\"done\""));
        seen.push((world.table(Table::Coins).await.len(), done));
    }
    seen.dedup();
    assert_eq!(seen.last(), Some(&(1, true)));
    assert!(seen.iter().all(|state| [(2, false), (1, true)].contains(state)), "{seen:?}");
    world.settle().await;
    let row = removed("Base", "USDC", USDC_BASE);
    let data = with(with(row.clone(), "symbol", json!("USDC")), "results", json!([row]));
    assert_eq!(world.results()[0]["data"], data);
}

/// DELETE of a token on the page: once, logged, with the coins that are left; a chain's own coin is no token.
#[tokio::test(start_paused = true)]
async fn the_user_removes_tokens_on_the_page() {
    let world = World::new().await.with_vault().await;
    let denom = json!({"chain": "Cosmos", "ticker": "ABC", "contract_address": "ibc/ABC", "decimals": 6});
    rows(&world, "add_token", json!({"tokens": [usdc("Base", USDC_BASE), denom]})).await;
    let before = modified(&world).await;
    let (status, body) = world.call("DELETE", &of_token("Cosmos", "ibc/ABC", ""), Value::Null).await;
    let left = [
        native_coin("Base", "ETH", 18, "ethereum"),
        token("Base", "USDC", USDC_BASE, 6),
        native_coin("Cosmos", "ATOM", 6, "cosmos"),
    ];
    assert_eq!((status, &body["coins"]), (200, &json!(left)));
    assert_eq!(modified(&world).await, before + 1);
    let log = world.get("/api/audit").await["entries"].to_string();
    assert_eq!(log.matches("token_removed").count(), 1);
    let refusals = [
        (of_token("Cosmos", "ibc/ABC", ""), 404, "coin_not_found"),
        (of_token("Base", "", ""), 409, "native_coin"),
        (of_token("Atlantis", "x", ""), 400, "unknown_chain"),
        (of_token("Base", "%zz", ""), 400, "invalid_request"),
        ("/api/vaults/other/coins/Base/x".to_owned(), 404, "vault_not_found"),
    ];
    for (target, expected, code) in refusals {
        for (method, target) in [("DELETE", target.clone()), ("POST", format!("{target}/confirm"))] {
            let (status, body) = world.call(method, &target, Value::Null).await;
            assert_eq!((status, &body["error"]["code"]), (expected, &json!(code)), "{method} {target}");
        }
    }
    assert_eq!(world.call("GET", &of_token("Base", "x", ""), Value::Null).await.0, 405);
    assert_eq!(world.coins().await, left);
    world.restart().await;
    assert_eq!(world.coins().await, left);
}

/// The name and decimals under which an agent added a token are its claim: an amount of it is in smallest units, until the
/// user confirms the token.
#[tokio::test(start_paused = true)]
async fn an_agents_token_names_nothing_until_confirmed() {
    const TOKEN: &str = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb";
    let entry = json!({"chain": "Ethereum", "ticker": "ABC", "contract_address": TOKEN, "decimals": 6});
    let sends =
        |id: &str, units: u128| json!([bundle(id, json!([Evm::sends(TOKEN, STRANGER, units).step("a", 0)]))]);
    let world = World::scripted(vec![
        turn(when_said("add"), json!([action("a1", "add_token", json!({"tokens": [entry]}))])),
        turn(when_said("send"), sends("b1", 1_500_000)),
        turn(when_said("again"), sends("b2", 2_500_000)),
    ])
    .await;
    world.make_vault("correct horse battery").await;
    world.say("add it").await;
    let effect = async || {
        let prompts = world.prompts().await;
        let bundle = world.get(&format!("/api/bundles/{}", text(&prompts[0]["callId"]))).await;
        let digest = prompts[0]["digest"].clone();
        assert_eq!(world.answer(json!({"approve": false, "digest": digest})).await.0, 200);
        bundle["steps"][0]["transactions"][0]["explanation"]["effects"][0].clone()
    };
    world.say("send some").await;
    let claimed = effect().await;
    let units = format!("1500000 units of {TOKEN} (decimals unknown)");
    let asset = &claimed["asset"];
    assert_eq!(
        [&claimed["amount"]["shown"], &asset["ticker"], &asset["agentTicker"], &asset["contract"]],
        [&json!(units), &Value::Null, &json!("ABC"), &json!("unknown")]
    );
    assert_eq!(world.call("POST", &of_token("Ethereum", TOKEN, "/confirm"), json!({})).await.0, 200);
    world.say("again").await;
    let named = effect().await;
    let asset = &named["asset"];
    assert_eq!(
        [&named["amount"]["shown"], &asset["ticker"], &asset["source"], &asset["contract"]],
        [&json!("2.5 ABC"), &json!("ABC"), &json!("user"), &json!("known")]
    );
}
