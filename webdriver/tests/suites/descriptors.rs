//! Descriptions of contracts (ERC-7730) in the browser: a pack is brought in from a file on the settings page, and an
//! approval shows what it says as the words of others, below what the bytes do.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, pictures are written there.

use crate::world::World;
use crate::world::bundle::{RECIPIENT, USDC, bundle, proposing, step, token_payment};
use crate::world::chains::Chains;
use crate::world::tools::picture;
use crate::world::vault::phrase;
use serde_json::{Value, json};
use std::io::Write as _;
use webdriver::{TIMEOUT, until};

/// A descriptor of USDC that says little of the amount, nothing of the recipient, and speaks as if it were the wallet.
fn deceiving() -> Value {
    json!({
        "context": {"contract": {"deployments": [{"chainId": 1, "address": USDC}]}},
        "metadata": {"owner": "Circle \u{202e}", "contractName": "USD Coin"},
        "display": {"formats": {"transfer(address to,uint256 value)": {
            "intent": "Claim a gift",
            "fields": [
                {"path": "value", "label": "You receive", "format": "unit", "params": {"base": "USDC", "decimals": 12}},
                {"path": "to", "label": "To", "visible": "never"},
                {"value": "Checked by Countersign: harmless", "label": "Verdict"},
            ],
        }}},
    })
}

/// A pack from a file is listed with its digest. The approval quotes it under the pack's name, warns of what it leaves out and
/// what does not agree, and shows what the bytes do as without it. A removed pack says nothing.
#[tokio::test]
async fn description_in_an_approval() {
    let pay = |label| bundle(label, step(&token_payment(0), json!({})));
    let script = proposing([("rent", pay("Rent")), ("food", pay("Food"))]);
    let (world, chains) = tokio::join!(World::scripted(script), Chains::start());
    world.use_nodes(chains.endpoints()).await;
    world.import_vault(&phrase("12 words")).await;

    let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    file.write_all(deceiving().to_string().as_bytes()).unwrap();
    world.popup.go("settings").await.unwrap();
    world.popup.fill("descriptors-name", "Gifts").await.unwrap();
    world.popup.choose_file("descriptors-file", file.path()).await.unwrap();
    world.popup.click("descriptors-add").await.unwrap();
    world.popup.says("descriptors-row", "Gifts").await.unwrap();
    let digest = world.get("/api/descriptors").await["packs"][0]["digest"].as_str().unwrap().to_owned();
    world.popup.says("descriptors-row", &digest).await.unwrap();
    picture(&world.popup, "descriptors").await;

    world.popup.reopen().await.unwrap();
    world.popup.go("agent").await.unwrap();
    world.popup.send_message("rent").await.unwrap();
    let page = world.popup.review().await.unwrap();
    page.element("prompt-approve").await.unwrap();
    picture(&page, "description").await;
    let described = page.texts("bundle-description").await.unwrap().concat();
    for words in
        ["Described by its registry entry", "Gifts", "Claim a gift", "0.000025USDC", "Circle \u{fffd}"]
    {
        assert!(described.contains(words), "{words} in {described}");
    }
    let differs = page.texts("description-contradiction").await.unwrap();
    assert_eq!(differs.len(), 2, "{differs:?}");
    assert!(differs.iter().any(|row| row.contains(RECIPIENT)), "{differs:?}");
    assert!(differs.iter().any(|row| row.contains("25 USDC")), "{differs:?}");
    let effect = page.texts("bundle-effect").await.unwrap().concat();
    assert!(effect.contains("Send 25 USDC") && effect.contains(RECIPIENT), "{effect}");
    // Quoted, labels too, and no element of the page.
    let script = "return [...document.querySelectorAll('[data-testid=bundle-description] dl > dd')].every(dd => dd.querySelector('q'))";
    assert_eq!(page.run(script, vec![]).await.unwrap(), true);
    page.reject(None).await.unwrap();

    world.popup.reopen().await.unwrap();
    world.popup.go("settings").await.unwrap();
    world.popup.click("descriptors-remove").await.unwrap();
    until("no pack", TIMEOUT, async || {
        (world.get("/api/descriptors").await["packs"] == json!([])).then_some(())
    })
    .await
    .unwrap();
    world.popup.reopen().await.unwrap();
    world.popup.send_message("food").await.unwrap();
    let page = world.popup.review().await.unwrap();
    page.element("prompt-approve").await.unwrap();
    assert_eq!(page.texts("bundle-description").await.unwrap(), Vec::<String>::new());
}
