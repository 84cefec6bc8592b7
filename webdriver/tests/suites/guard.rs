//! What guards the user's decisions, as the pages show it: the password before anything is loosened, the digest of what is
//! shown, and prompts that are not open.

use crate::world::World;
use crate::world::bundle::{bundle, payment, proposing, step};
use crate::world::vault::{PASSWORD, phrase};
use serde_json::{Value, json};
use webdriver::{Page, TIMEOUT, not_yet, until};

/// An agent that pays, and one that saves a contact; a vault to pay from.
async fn world() -> World {
    let save = json!({"id": "{{uuid}}", "type": "add_address_book", "title": "Save Ann", "params": {"entries":
        [{"title": "Ann", "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Ethereum"}]}});
    let pay = |nonce, label| bundle(label, step(&payment(nonce), json!({})));
    let script = proposing([("ann", save), ("rent", pay(0, "Rent")), ("food", pay(1, "Food"))]);
    let world = World::scripted(script).await;
    world.import_vault(&phrase("12 words")).await;
    world
}

/// The test id of the element that has the focus.
async fn focused(page: &Page) -> String {
    let focus = "return document.activeElement?.dataset.testid ?? document.activeElement?.tagName ?? ''";
    page.run(focus, vec![]).await.unwrap().as_str().unwrap_or_default().to_owned()
}

async fn has_focus(page: &Page, test_id: &str) {
    until(&format!("the focus on {test_id}"), TIMEOUT, async || {
        let focused = focused(page).await;
        if focused == test_id { Ok(()) } else { Err(not_yet(focused)) }
    })
    .await
    .unwrap();
}

async fn gone(page: &Page, test_id: &str) {
    until(&format!("no {test_id}"), TIMEOUT, async || {
        let texts = page.texts(test_id).await?;
        if texts.is_empty() { Ok(()) } else { Err(not_yet(texts)) }
    })
    .await
    .unwrap();
}

/// A setting that loosens something: the password field appears with the reason and the focus, a wrong password is
/// refused, the right one saves. A setting that tightens asks for nothing.
#[tokio::test]
async fn settings_ask_for_the_password() {
    let world = world().await;
    let page = &world.popup;
    page.go("settings").await.unwrap();
    page.fill("settings-auto-lock", "10").await.unwrap();
    page.click("settings-signing-save").await.unwrap();
    until("the shorter time", TIMEOUT, async || {
        (world.get("/api/settings").await["autoLockMinutes"] == 10).then_some(())
    })
    .await
    .unwrap();
    gone(page, "gate-password").await;

    page.fill("settings-skip-approval", "always").await.unwrap();
    page.click("settings-signing-save").await.unwrap();
    page.says("gate-reason", "This skips more of your approvals").await.unwrap();
    has_focus(page, "gate-password").await;
    assert_eq!(world.get("/api/settings").await["skipApproval"], "confirmed");
    page.fill("gate-password", "not the password").await.unwrap();
    page.click("settings-signing-save").await.unwrap();
    page.says("problem", "The password is wrong").await.unwrap();
    assert_eq!(world.get("/api/settings").await["skipApproval"], "confirmed");
    page.fill("gate-password", PASSWORD).await.unwrap();
    page.click("settings-signing-save").await.unwrap();
    until("the laxer setting", TIMEOUT, async || {
        (world.get("/api/settings").await["skipApproval"] == "always").then_some(())
    })
    .await
    .unwrap();
    gone(page, "gate-password").await;
    assert!(!page.idb_all().await.unwrap().to_string().contains(PASSWORD));
}

/// The same for buttons: the emergency stop works at once; allowing again asks below the button. Esc gives up, and the
/// focus is back on the button.
#[tokio::test]
async fn allowing_again_asks_for_the_password() {
    let world = world().await;
    let page = &world.popup;
    page.go("settings").await.unwrap();
    page.click("policy-kill-switch").await.unwrap();
    page.says("policy-kill-switch", "Allow again").await.unwrap();
    page.click("policy-kill-switch").await.unwrap();
    page.says("gate-reason", "This turns the emergency stop off").await.unwrap();
    has_focus(page, "gate-password").await;
    page.element("gate-password").await.unwrap().send_keys("\u{e00c}").await.unwrap();
    gone(page, "gate-password").await;
    has_focus(page, "policy-kill-switch").await;
    assert_eq!(world.get("/api/policy").await["killSwitch"], true);
    page.click("policy-kill-switch").await.unwrap();
    // Enter submits, as in every form.
    page.fill("gate-password", &format!("{PASSWORD}\u{e007}")).await.unwrap();
    page.says("policy-kill-switch", "Stop everything").await.unwrap();
    assert_eq!(world.get("/api/policy").await["killSwitch"], false);
}

/// A new node and a new agent ask; a list that is begun does not, and one more address in it does.
#[tokio::test]
async fn nodes_agents_and_lists_ask_for_the_password() {
    let world = world().await;
    let page = &world.popup;
    page.set_backend("http://127.0.0.1:9", None).await.unwrap();
    page.says("gate-reason", "This lets another agent propose").await.unwrap();
    page.fill("gate-password", PASSWORD).await.unwrap();
    page.click("settings-save").await.unwrap();
    until("the other agent", TIMEOUT, async || {
        (world.get("/api/settings").await["backend"]["url"] == "http://127.0.0.1:9").then_some(())
    })
    .await
    .unwrap();

    page.click("endpoint-change").await.unwrap();
    page.fill("endpoint-url", "http://127.0.0.1:7").await.unwrap();
    page.click("endpoint-save").await.unwrap();
    page.says("gate-reason", "This uses another node").await.unwrap();
    page.fill("gate-password", PASSWORD).await.unwrap();
    page.click("endpoint-save").await.unwrap();
    gone(page, "gate-reason").await;
    assert!(world.get("/api/settings").await["endpoints"].to_string().contains("http://127.0.0.1:7"));

    let details = "document.querySelectorAll('details').forEach((e) => { e.open = true; }); return true";
    page.run(details, vec![]).await.unwrap();
    page.fill("policy-recipient-chain", "Ethereum").await.unwrap();
    page.fill("policy-recipient-address", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045").await.unwrap();
    page.click("policy-recipient-add").await.unwrap();
    page.says("policy-recipient-row", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045").await.unwrap();
    gone(page, "gate-reason").await;
    page.fill("policy-recipient-address", "0x52908400098527886E0F7030069857D2E4169EE7").await.unwrap();
    page.click("policy-recipient-add").await.unwrap();
    page.says("gate-reason", "This allows another address").await.unwrap();
    page.fill("gate-password", PASSWORD).await.unwrap();
    page.click("policy-recipient-add").await.unwrap();
    page.says("policy-recipient-row", "0x52908400098527886E0F7030069857D2E4169EE7").await.unwrap();
}

/// "Always allow" in a prompt is loosening: the action does not run before the password is right.
#[tokio::test]
async fn always_allow_asks_for_the_password() {
    let world = world().await;
    let page = &world.popup;
    page.go("agent").await.unwrap();
    page.send_message("ann").await.unwrap();
    page.click("prompt-for-good").await.unwrap();
    page.click("prompt-always-allow").await.unwrap();
    page.says("gate-reason", "This allows an action without asking you").await.unwrap();
    has_focus(page, "gate-password").await;
    assert_eq!((world.arrived(), world.get("/api/policy").await["tools"].clone()), (0, json!([])));
    page.fill("gate-password", "not the password").await.unwrap();
    page.click("prompt-always-allow").await.unwrap();
    page.says("prompt-error", "The password is wrong").await.unwrap();
    page.fill("gate-password", PASSWORD).await.unwrap();
    page.click("prompt-always-allow").await.unwrap();
    assert!(world.results(1).await[0].success);
    assert_eq!(world.get("/api/policy").await["tools"][0]["decision"]["kind"], "allow");
}

/// An answer without the digest of what was shown is refused. A page whose bundle is not the one that the prompt names
/// says so: it cannot be approved, only rejected.
#[tokio::test]
async fn only_what_is_shown_can_be_approved() {
    let world = world().await;
    world.say("rent").await;
    let prompt = world.prompts(1).await.remove(0);
    let path = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let (status, body) = world.api("POST", &path, json!({"approve": true})).await;
    assert_eq!((status, &body["error"]["path"]), (400, &json!("/digest")));
    let other = json!({"approve": true, "digest": prompt["subject"]});
    assert_eq!(world.api("POST", &path, other).await.1["error"]["code"], "stale_answer");

    let bundles = world.popup.idb_all().await.unwrap()["countersign/bundles"].clone();
    let (key, row) = (bundles[0][0].as_str().unwrap(), bundles[0][1].as_str().unwrap());
    let mut row: Value = serde_json::from_str(row).unwrap();
    assert_eq!(row["shown"], prompt["subject"]);
    row["shown"] = json!("00".repeat(32));
    world.popup.idb_put("countersign", "bundles", key, &row.to_string()).await.unwrap();
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    let page = world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap();
    page.says("problem", "What is shown is not what you are asked about").await.unwrap();
    let enabled = "return ['prompt-approve', 'prompt-reject']
        .map((id) => document.querySelector(`[data-testid=${id}]`)?.ariaDisabled)";
    until("only the rejection to be enabled", TIMEOUT, async || {
        let found = page.run(enabled, vec![]).await?;
        if found == json!(["true", "false"]) { Ok(()) } else { Err(not_yet(found)) }
    })
    .await
    .unwrap();
    page.element("prompt-approve").await.unwrap().click().await.unwrap();
    assert_eq!(world.prompts(1).await, [prompt], "the press did not count");
    page.reject(None).await.unwrap();
    world.prompts(0).await;
}

/// A page that is opened for a prompt that is not open says what became of it, and shows no other in its place; a link
/// leads to the open ones.
#[tokio::test]
async fn page_of_a_prompt_that_is_not_open() {
    let world = world().await;
    world.say("rent").await;
    let rent = world.prompts(1).await.remove(0);
    assert_eq!(world.popup.answer_prompt(&rent, json!({"approve": false})).await.unwrap().0, 200);
    world.say("food").await;
    let food = world.prompts(1).await.remove(0);

    for (id, title) in [("none", "No such request"), (rent["id"].as_str().unwrap(), "Already rejected")] {
        let page = world.browser.approval(id).await.unwrap();
        page.says("prompt-fate", title).await.unwrap();
        assert_eq!(page.texts("prompt-approve").await.unwrap(), Vec::<String>::new(), "{title}");
        page.says("prompt-show-open", "Show the open request").await.unwrap();
        page.click("prompt-show-open").await.unwrap();
        page.says("bundle-label", "Food").await.unwrap();
        page.close().await.unwrap();
    }

    // As if ten minutes had passed, and nothing had noticed.
    let rows = world.popup.idb_all().await.unwrap()["countersign/prompts"].clone();
    let (key, row) = (rows[0][0].as_str().unwrap(), rows[0][1].as_str().unwrap());
    let mut row: Value = serde_json::from_str(row).unwrap();
    assert_eq!(row["id"], food["id"]);
    row["expiresAt"] = json!(1);
    world.popup.idb_put("countersign", "prompts", key, &row.to_string()).await.unwrap();
    let page = world.browser.approval(food["id"].as_str().unwrap()).await.unwrap();
    page.says("prompt-fate", "Not answered in time").await.unwrap();
    assert_eq!(page.texts("prompt-show-open").await.unwrap(), Vec::<String>::new());

    world.say("ann").await;
    page.says("prompt-show-open", "Show the open request").await.unwrap();
}
