//! The wallet: chains and tokens that the agent or the user adds, in IndexedDB and on the page, across restarts of
//! the worker.

use crate::world::{PATIENCE, World};
use agent_backend::Fault;
use serde_json::{Value, json};
use webdriver::{Popup, TIMEOUT, until};

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/// Two chains, one of them unknown; a token on two new chains; the first token again, in the legacy form.
const WALLET: &str = r#"
name = "Wallet"
[[turn]]
when.message = "hold"
text = "Adding."
actions = [
  '''{"id": "{{uuid:chains}}", "type": "add_chain", "title": "Chains", "auto_execute": true,
      "params": {"chains": [{"chain": "solana"}, {"chain": "Atlantis"}]}}''',
  '''{"id": "{{uuid:tokens}}", "type": "add_token", "title": "USDC", "auto_execute": true, "params": {"tokens": [
      {"chain": "Ethereum", "ticker": "USDC", "contract_address": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
       "decimals": 6, "logo": "https://logo.example/usdc.png", "price_provider_id": "usd-coin"},
      {"chain": "Base", "ticker": "USDC", "contract_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "decimals": 6}]}}''',
  '''{"id": "{{uuid:coin}}", "type": "add_coin", "title": "USDC again", "auto_execute": true,
      "params": {"chain": "Ethereum", "symbol": "USDC"}}''',
]
[[turn]]
when.last_result = true
text = "All done."
"#;

/// A vault whose accounts other libraries derived.
fn vault() -> Value {
    let vaults: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/derive/derived-addresses.json")).unwrap();
    vaults[0].clone()
}

fn address(chain: &str) -> Value {
    let vault = vault();
    let entry = vault["chains"].as_array().unwrap().iter().find(|entry| entry["chain"] == chain).cloned();
    entry.unwrap()["address"].clone()
}

/// A wallet with a vault and an agent that follows the script.
async fn with_vault(script: &str) -> World {
    let world = World::new(script).await;
    add_vault(&world).await;
    world
}

async fn add_vault(world: &World) {
    let vault = vault();
    let keys = json!({"kind": "watch", "name": "Savings", "publicKeyEcdsa": vault["ecdsa"],
        "publicKeyEddsa": vault["eddsa"], "hexChainCode": vault["chain_code"]});
    let (status, view) = world.api("POST", "/api/vaults", keys).await;
    assert_eq!((status, &view["active"]), (201, &json!(true)), "{view}");
}

/// The coins in IndexedDB, in key order.
async fn stored(world: &World) -> Vec<Value> {
    let records = world.popup.idb("countersign", "coins").await.unwrap();
    records.iter().map(|record| serde_json::from_str(record.as_str().unwrap()).unwrap()).collect()
}

fn expected_coins() -> Vec<Value> {
    let own = |chain: &str, ticker: &str, decimals: u8, price: &str| {
        json!({"chain": chain, "ticker": ticker, "address": address(chain), "decimals": decimals,
            "isNative": true, "priceProviderId": price, "addedBy": {"kind": "agent"}, "confirmed": true,
            "decimalsFrom": "table"})
    };
    let usdc = |chain: &str, contract: &str| {
        json!({"chain": chain, "ticker": "USDC", "address": address(chain), "contractAddress": contract,
            "decimals": 6, "isNative": false, "addedBy": {"kind": "agent"}, "confirmed": true,
            "decimalsFrom": "table"})
    };
    let mut full = usdc("Ethereum", USDC);
    full["logo"] = json!("https://logo.example/usdc.png");
    full["priceProviderId"] = json!("usd-coin");
    vec![
        own("Base", "ETH", 18, "ethereum"),
        usdc("Base", USDC_BASE),
        own("Ethereum", "ETH", 18, "ethereum"),
        full,
        own("Solana", "SOL", 9, "solana"),
    ]
}

/// Checks the three results, once and in order.
async fn check_results(world: &World) {
    let results = world.results(3).await;
    let token = |chain: &str, contract: &str, added: bool| {
        json!({"chain": chain, "ticker": "USDC", "address": address(chain), "contract_address": contract,
            "success": true, "error": null, "chain_added": added})
    };
    let solana = json!({"chain": "Solana", "ticker": "SOL", "address": address("Solana"), "success": true, "error": null});
    let nowhere = json!({"chain": "Atlantis", "ticker": null, "address": null, "success": false,
        "error": "unknown_chain: \"Atlantis\""});
    assert_eq!(results[0].data, Some(json!({"results": [solana, nowhere]})));
    let tokens = [token("Ethereum", USDC, true), token("Base", USDC_BASE, true)];
    assert_eq!(results[1].data, Some(json!({"results": tokens})));
    let again = results[2].data.as_ref().unwrap();
    assert_eq!((&again["results"][0]["error"], &again["symbol"]), (&json!("already_exists"), &json!("USDC")));
    let outcomes: Vec<bool> = results.iter().map(|result| result.success).collect();
    assert_eq!((results.len(), outcomes), (3, vec![true, true, false]));
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// The text of each shown chain.
async fn shown(popup: &Popup, count: usize) -> Vec<String> {
    until(&format!("{count} chains"), TIMEOUT, async || {
        popup.chains().await.ok().filter(|rows| rows.len() == count)
    })
    .await
    .unwrap()
}

/// T000-56, T000-60, T000-62…68, T000-70…75: chains and tokens in a conversation: rows at the backend, coins in
/// IndexedDB, and an open wallet page shows them as they are added.
#[tokio::test]
async fn agent_adds_chains_and_tokens() {
    let world = with_vault(WALLET).await;
    let page = world.browser.popup().await.unwrap();
    page.go("wallet").await.unwrap();
    until("the empty page", TIMEOUT, async || page.empty_state().await.ok()?).await.unwrap();
    world.popup.go("agent").await.unwrap();
    world.popup.send_message("hold these").await.unwrap();
    check_results(&world).await;
    assert_eq!(stored(&world).await, expected_coins());
    assert_eq!(world.get("/api/vaults/active/coins").await, json!({"coins": expected_coins()}));
    let rows = shown(&page, 3).await;
    for (row, parts) in rows.iter().zip([
        &["Base", "ETH", address("Base").as_str().unwrap(), "USDC"][..],
        &["Ethereum", "ETH", address("Ethereum").as_str().unwrap(), "USDC"],
        &["Solana", "SOL", address("Solana").as_str().unwrap()],
    ]) {
        assert!(parts.iter().all(|part| row.contains(part)), "{parts:?} in {row}");
    }
    let cards = world.popup.settled_cards(3).await.unwrap();
    assert!(cards[1].text.contains("Added 2 tokens") && cards[0].text.contains("Added 1 chain"), "{cards:?}");
}

/// T000-2, T000-63, T000-64: the worker is killed when the actions are stored and none has run, and again when all
/// have run and no result has arrived: every coin exists once, every result arrives once.
#[tokio::test]
async fn killed_while_coins_are_added() {
    let world = with_vault(WALLET).await;
    let id = world.conversation().await;
    world.hold_lane(&id).await;
    world.say_in(&id, "hold").await;
    world.calls(&id, "received", 3).await;
    assert_eq!(stored(&world).await, Vec::<Value>::new());
    world.agent.set_fault(Fault::status(503).on_results());
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    world.release_lane().await;

    world.calls(&id, "done", 3).await;
    assert_eq!((stored(&world).await, world.arrived()), (expected_coins(), 0));
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    world.agent.clear_faults();
    world.get("/api/health").await;
    check_results(&world).await;
    assert_eq!(stored(&world).await, expected_coins());
}

/// In the form: without a vault the page says what to do and links there; with one, a chain is added by its name or
/// refused with a sentence, and its address can be copied.
#[tokio::test]
async fn wallet_form() {
    let world = World::new(WALLET).await;
    let page = &world.popup;
    page.go("wallet").await.unwrap();
    let empty = until("the empty page", TIMEOUT, async || page.empty_state().await.ok()?).await.unwrap();
    assert!(empty.contains("No vault yet"), "{empty}");
    page.click("wallet-setup").await.unwrap();
    page.element("onboarding-create").await.unwrap();
    page.goto(&world.browser.extension_url("popup.html?view=tab#wallet")).await.unwrap();
    until("the empty page", TIMEOUT, async || page.empty_state().await.ok()?).await.unwrap();
    add_vault(&world).await;
    until("a vault without chains", TIMEOUT, async || {
        page.empty_state().await.ok()?.filter(|text| text.contains("No chains yet"))
    })
    .await
    .unwrap();

    page.add_chain("sui").await.unwrap();
    let rows = shown(page, 1).await;
    assert!(rows[0].contains("Sui") && rows[0].contains(address("Sui").as_str().unwrap()), "{rows:?}");
    for (name, words) in [("SUI", "already exists"), ("Atlantis", "not known"), ("QBTC", "no key")] {
        page.add_chain(name).await.unwrap();
        until(words, PATIENCE, async || {
            page.texts("problem").await.ok()?.into_iter().find(|text| text.contains(words))
        })
        .await
        .unwrap();
    }
    let allow = json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
    page.cdp("Browser.grantPermissions", allow).await.unwrap();
    page.click("wallet-copy").await.unwrap();
    let copied = until("the copy", TIMEOUT, async || {
        page.run("return navigator.clipboard.readText()", vec![]).await.ok().filter(|text| *text != "")
    });
    assert_eq!(copied.await.unwrap(), address("Sui"));
    let link = "return document.querySelector('[data-testid=wallet-chain] a')?.href";
    let expected = format!("https://suiscan.xyz/mainnet/account/{}", address("Sui").as_str().unwrap());
    assert_eq!(page.run(link, vec![]).await.unwrap(), json!(expected));
}

/// A token that our table does not know, and one that pretends to be another.
const UNKNOWN_TOKENS: &str = r#"
name = "Tokens"
[[turn]]
when.message = "hold"
text = "Adding."
actions = [
  '''{"id": "{{uuid:tokens}}", "type": "add_token", "title": "Tokens", "auto_execute": true, "params": {"tokens": [
      {"chain": "Base", "ticker": "ABC", "contract_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "decimals": 18},
      {"chain": "Base", "ticker": "USDC", "contract_address": "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "decimals": 6}]}}''',
]
"#;

/// The shown tokens once there are this many.
async fn tokens(popup: &Popup, count: usize) -> Vec<String> {
    until(&format!("{count} tokens"), TIMEOUT, async || {
        popup.tokens().await.ok().filter(|rows| rows.len() == count)
    })
    .await
    .unwrap()
}

/// A token that the agent added is marked on the page until the user confirms it; one under another's ticker is refused. A
/// token is removed with two presses, and the mark, the confirmation and the removal survive the worker's death.
#[tokio::test]
async fn agents_token_is_marked_confirmed_and_removed() {
    let world = with_vault(UNKNOWN_TOKENS).await;
    world.popup.go("agent").await.unwrap();
    world.popup.send_message("hold these").await.unwrap();
    let results = world.results(1).await;
    let rows = &results[0].data.as_ref().unwrap()["results"];
    assert_eq!(rows[0]["success"], true);
    assert!(rows[1]["error"].as_str().unwrap().starts_with("ticker_taken: /tokens/1/ticker "), "{rows}");

    let page = &world.popup;
    page.go("wallet").await.unwrap();
    let shown = tokens(page, 1).await;
    let contract = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    for part in ["ABC", contract, "Added by the agent", "18 decimals"] {
        assert!(shown[0].contains(part), "{part} in {shown:?}");
    }
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    page.click("token-confirm").await.unwrap();
    until("the mark to go", PATIENCE, async || {
        page.texts("token-unconfirmed").await.ok().filter(Vec::is_empty)
    })
    .await
    .unwrap();
    assert_eq!(stored(&world).await[1]["confirmed"], true);

    page.click("wallet-remove").await.unwrap();
    assert_eq!(stored(&world).await.len(), 2, "one press removes nothing");
    page.click("wallet-remove-cancel").await.unwrap();
    tokens(page, 1).await;
    page.click("wallet-remove").await.unwrap();
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    page.click("wallet-remove-confirm").await.unwrap();
    tokens(page, 0).await;
    let left = stored(&world).await;
    assert_eq!((left.len(), &left[0]["isNative"]), (1, &json!(true)));
}
