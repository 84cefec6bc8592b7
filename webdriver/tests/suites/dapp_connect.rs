//! A page is let in, uses what it was granted, and is shown out.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, a picture of what the person sees is written there.

use crate::world::dapp::{Dapp, answer, answers, begin, found, heard, hears, request};
use crate::world::vault::{address, phrase};
use crate::world::{PATIENCE, World};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use webdriver::{Approval, Browser, Options, Page, Popup, TIMEOUT, until};

/// The window that shows the open prompt.
async fn asked(world: &World) -> Approval {
    let prompt = world.prompts(1).await.remove(0);
    assert_eq!(prompt["kind"], "connect_dapp", "{prompt}");
    world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap()
}

/// Lets a page in by its prompt; returns its accounts.
async fn connect(world: &World, page: &Page) -> Value {
    begin(page, "connect", "eth_requestAccounts", Value::Null).await;
    asked(world).await.approve().await.unwrap();
    answer(page, "connect").await["result"].clone()
}

async fn granted(world: &World) -> Vec<Value> {
    world.get("/api/connections").await["connections"].as_array().unwrap().clone()
}

/// A page asks, the person sees its origin and lets it in for a week on two chains; the page gets the account, and events;
/// the person disconnects it in the settings, and the page hears of it.
#[tokio::test]
async fn page_is_let_in_and_shown_out() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    assert_eq!(request(&page, "eth_accounts", Value::Null).await, json!([]));
    assert_eq!(request(&page, "eth_blockNumber", Value::Null).await["code"], 4100);

    begin(&page, "connect", "eth_requestAccounts", Value::Null).await;
    let window = asked(&world).await;
    window.says("prompt-origin", &dapp.origin()).await.unwrap();
    window.fill("grant-days", "7").await.unwrap();
    window.click("grant-chain-Base").await.unwrap();
    window.approve().await.unwrap();
    let mine = address(&phrase("12 words"), "Ethereum");
    assert_eq!(answer(&page, "connect").await["result"], json!([mine]));
    assert_eq!(request(&page, "eth_accounts", Value::Null).await, json!([mine]));
    assert_eq!(hears(&page, "connect").await, json!({"chainId": "0x1"}));
    assert_eq!(hears(&page, "accountsChanged").await, json!([mine]));
    let grant = granted(&world).await.remove(0);
    let chains: Vec<&str> = grant["chains"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(
        chains.contains(&"Ethereum") && !chains.contains(&"Base") && !chains.contains(&"Bitcoin"),
        "{grant}"
    );
    let week = grant["expiresAt"].as_u64().unwrap() - grant["connectedAt"].as_u64().unwrap();
    assert_eq!(week, 7 * 24 * 60 * 60 * 1_000);

    world.popup.go("settings").await.unwrap();
    world.popup.says("connection-row", &dapp.origin()).await.unwrap();
    world.popup.click("connection-remove").await.unwrap();
    assert_eq!(hears(&page, "disconnect").await, 4900);
    assert_eq!(hears(&page, "accountsChanged").await, json!([]));
    assert_eq!(request(&page, "eth_accounts", Value::Null).await, json!([]));
    assert!(granted(&world).await.is_empty());
}

/// A rejection is code 4001; the page is told once and sees nothing.
#[tokio::test]
async fn rejection_is_an_error() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    begin(&page, "connect", "eth_requestAccounts", Value::Null).await;
    asked(&world).await.reject(None).await.unwrap();
    assert_eq!(answer(&page, "connect").await["code"], 4001);
    assert_eq!(request(&page, "eth_accounts", Value::Null).await, json!([]));
    assert_eq!(heard(&page).await, json!([]));
}

/// Another chain and another vault are events. The vault that the grant does not have is not shown.
#[tokio::test]
async fn chain_and_vault_are_events() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    let accounts = connect(&world, &page).await;
    assert_eq!(
        request(&page, "wallet_switchEthereumChain", json!([{"chainId": "0x2105"}])).await,
        Value::Null
    );
    assert_eq!(hears(&page, "chainChanged").await, "0x2105");
    assert_eq!(request(&page, "eth_chainId", Value::Null).await, "0x2105");

    let other = phrase("24 words");
    let second = world.import_vault(&other).await;
    let (status, _) = world.api("POST", &format!("/api/vaults/{second}/activate"), Value::Null).await;
    assert!(status < 300);
    assert_eq!(hears(&page, "accountsChanged").await, json!([]));
    let first = phrase("12 words")["ecdsa"].as_str().unwrap().to_owned();
    world.api("POST", &format!("/api/vaults/{first}/activate"), Value::Null).await;
    until("the account again", PATIENCE, async || {
        (hears(&page, "accountsChanged").await == accounts).then_some(())
    })
    .await
    .unwrap();
}

/// A page that was reloaded while the person was asked finds the same question, and one answer.
#[tokio::test]
async fn reload_finds_the_open_request() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    begin(&page, "connect", "eth_requestAccounts", Value::Null).await;
    let first = world.prompts(1).await.remove(0);
    page.reload().await.unwrap();
    found(&page).await;
    begin(&page, "connect", "eth_requestAccounts", Value::Null).await;
    begin(&page, "again", "eth_requestAccounts", Value::Null).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(world.prompts(1).await[0]["id"], first["id"]);
    asked(&world).await.approve().await.unwrap();
    let result = answer(&page, "connect").await;
    assert_eq!(result["result"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(answer(&page, "again").await, result);
    assert_eq!(answers(&page, "connect").await.len(), 1);
}

/// The worker is killed while the question is open, and again after it was answered: the page gets one answer.
#[tokio::test]
async fn open_question_survives_the_worker() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    begin(&page, "connect", "eth_requestAccounts", Value::Null).await;
    world.prompts(1).await;
    for _ in 0..2 {
        world.browser.kill_worker().await.unwrap();
    }
    assert_eq!(answers(&page, "connect").await, Vec::<Value>::new());
    asked(&world).await.approve().await.unwrap();
    world.browser.kill_worker().await.unwrap();
    let result = answer(&page, "connect").await;
    assert_eq!(result["result"].as_array().map(Vec::len), Some(1), "{result}");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(answers(&page, "connect").await.len(), 1);
}

/// No event is lost by a death: what changed while no worker ran is told when the next one has news.
#[tokio::test]
async fn events_reach_pages_of_a_dead_worker() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    connect(&world, &page).await;
    hears(&page, "accountsChanged").await;
    world.browser.kill_worker().await.unwrap();
    let path = format!("/api/connections/{}", dapp.origin().replace(':', "%3A").replace('/', "%2F"));
    assert_eq!(world.api("DELETE", &path, Value::Null).await.0, 200);
    assert_eq!(hears(&page, "disconnect").await, 4900);
}

/// "Use on this page": in the popup, for the page that the person looks at; the page has the wallet at once, and after a
/// reload.
#[tokio::test]
async fn used_on_this_page() {
    let world = World::offered_with_vault().await;
    world.offer(json!({"mode": "off"})).await;
    let dapp = Dapp::serve().await;
    let page = world.browser.open(&dapp.site.url("index.html")).await.unwrap();
    let tabs = "const [tab] = await chrome.tabs.query({ url: `${args[0]}/*` }); return tab.id";
    let tab = world.popup.run(tabs, vec![dapp.origin().into()]).await.unwrap();
    let popup =
        world.browser.open(&world.browser.extension_url(&format!("popup.html?for={tab}"))).await.unwrap();
    popup.says("use-here", &dapp.origin()).await.unwrap();
    popup.click("use-here-button").await.unwrap();
    popup.element("use-here-done").await.unwrap();
    found(&page).await;
    assert_eq!(request(&page, "eth_chainId", Value::Null).await, "0x1");
    let pages = world.get("/api/settings").await["pages"].clone();
    assert_eq!((&pages["mode"], &pages["sites"]), (&json!("sites"), &json!([dapp.origin()])));
    page.reload().await.unwrap();
    found(&page).await;
    assert_eq!(page.run("return announced.length", vec![]).await.unwrap(), 1, "one wallet");
}

async fn picture(page: &Page, name: &str) {
    let Some(folder) = std::env::var_os("COUNTERSIGN_PICTURES") else { return };
    for (width, height) in [(420, 720), (900, 1_400), (360, 900)] {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        page.cdp("Emulation.setDeviceMetricsOverride", size).await.unwrap();
        let file = Path::new(&folder).join(format!("{name}-{width}.png"));
        page.screenshot(&file).await.unwrap();
    }
    page.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await.unwrap();
}

async fn fits(page: &Page) {
    let size = json!({"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": false});
    page.cdp("Emulation.setDeviceMetricsOverride", size).await.unwrap();
    let wide = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(page.run(wide, vec![]).await.unwrap(), true, "nothing is wider than the page");
    page.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await.unwrap();
}

/// A long name in punycode with a look-alike letter, in light and dark, in English and German, narrow and wide: all of it
/// is shown, and nothing is cut off.
#[tokio::test]
async fn origin_is_shown_whole() {
    let origin = "https://app.secure-login.uniswap.org.xn--80ak6aa92e.com:8443";
    for (dark, language) in [(false, "en"), (true, "de")] {
        let mut options = Options::from_env().unwrap();
        (options.dark, options.language) = (dark, Some(language.to_owned()));
        let browser = Browser::launch(options).await.unwrap();
        let popup = browser.popup().await.unwrap();
        vault(&popup).await;
        let asked = popup.begin("POST", "/api/connections", Some(json!({"origin": origin}))).await.unwrap();
        let prompt = until("a prompt", TIMEOUT, async || {
            let (_, prompts) = popup.fetch("GET", "/api/prompts", None).await.ok()?;
            prompts["prompts"].get(0).cloned()
        })
        .await
        .unwrap();
        let window = browser.approval(prompt["id"].as_str().unwrap()).await.unwrap();
        window.says("prompt-origin", origin).await.unwrap();
        let shown = window.texts("prompt-origin").await.unwrap().remove(0);
        assert_eq!(shown.replace('\n', ""), origin);
        window.says("origin-reads", "uniswap.org.аррӏе.com").await.unwrap();
        window.element("origin-mixed").await.unwrap();
        picture(&window, &format!("connect-{language}")).await;
        fits(&window).await;
        window.approve().await.unwrap();
        asked.wait().await.unwrap();
        popup.go("settings").await.unwrap();
        popup.says("connection-row", "uniswap").await.unwrap();
        let scroll = "document.querySelector('[data-testid=sites-panel]').scrollIntoView()";
        popup.run(scroll, vec![]).await.unwrap();
        picture(&popup, &format!("pages-{language}")).await;
        fits(&popup).await;
    }
}

async fn vault(popup: &Popup) {
    let phrase = phrase("12 words");
    let body = json!({"kind": "local", "name": "Main", "password": crate::world::vault::PASSWORD,
        "mnemonic": phrase["words"], "passphrase": phrase["passphrase"]});
    assert_eq!(popup.fetch("POST", "/api/vaults", Some(body)).await.unwrap().0, 201);
}
