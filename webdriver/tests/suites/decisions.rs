//! The user's decisions besides signatures: actions once and permanently, sites, the kill switch; and the audit log
//! of them.

use crate::world::bundle::{bundle, payment, proposing, step};
use crate::world::vault::{PASSWORD, phrase};
use crate::world::{PATIENCE, World};
use agent_backend::{At, Fault};
use serde_json::{Value, json};
use webdriver::{TIMEOUT, not_yet, until};

/// An agent that saves a contact without `auto_execute`, and one that pays.
async fn asking() -> World {
    let save = |title: &str| {
        json!({"id": "{{uuid}}", "type": "add_address_book", "title": format!("Save {title}"),
        "params": {"entries": [{"title": title, "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
        "chain": "Ethereum"}]}})
    };
    let pay = bundle("Rent", step(&payment(1), json!({})));
    World::scripted(proposing([
        ("ann", save("Ann")),
        ("ben", save("Ben")),
        ("cid", save("Cid")),
        ("dan", save("Dan")),
        ("rent", pay),
    ]))
    .await
}

/// The received results, once there are this many: success and error.
async fn results(world: &World, count: usize) -> Vec<(bool, String)> {
    let results = world.results(count).await;
    assert_eq!(results.len(), count, "{results:?}");
    results.into_iter().map(|result| (result.success, result.error.unwrap_or_default())).collect()
}

fn done() -> (bool, String) {
    (true, String::new())
}

/// T003-16, T003-17: an action that needs confirmation does not run before it: the prompt is shown by badge,
/// notification and window while no page is open, and on a card after restarts of the worker and the browser. A
/// rejection, with its reason, is the result, and the action never runs.
#[tokio::test]
async fn nothing_runs_before_approval() {
    let mut world = asking().await;
    world.agent.set_fault(Fault::stall(At::AfterEvent(1)));
    world.say("ann").await;
    world.agent.wait_for(|state| (state.held() == 1).then_some(()), PATIENCE).await.unwrap();
    world.popup.close().await.unwrap();
    world.agent.clear_faults();
    world.agent.release();
    let window =
        until("the window", PATIENCE, async || world.browser.approvals().await.ok()?.pop()).await.unwrap();
    window.element("prompt-approve").await.unwrap();
    let shown =
        window.run("return Object.keys(await chrome.notifications.getAll()).length", vec![]).await.unwrap();
    assert_eq!((shown, world.badge().await), (json!(1), "1".to_owned()));
    world.browser.restart().await.unwrap();
    world.popup = world.browser.popup().await.unwrap();
    world.popup.go("agent").await.unwrap();
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    world.popup.element("prompt-give-reason").await.unwrap();
    assert_eq!((world.stored_titles().await, world.arrived()), (Vec::new(), 0), "nothing ran");
    world.popup.click("prompt-give-reason").await.unwrap();
    world.popup.fill("prompt-reason", "I do not know her").await.unwrap();
    world.popup.reject().await.unwrap();
    assert_eq!(results(&world, 1).await, [(false, "rejected_by_user: I do not know her".to_owned())]);
    assert_eq!(world.stored_titles().await, Vec::<String>::new());
}

/// T003-16: remembered decisions. With one allowed run a day, the next action runs without a prompt and the one after
/// it prompts again; when denied, it is refused without a prompt until the decision is removed in the settings.
#[tokio::test]
async fn remembered_decisions() {
    let world = asking().await;
    let page = &world.popup;
    page.go("agent").await.unwrap();
    page.send_message("ann").await.unwrap();
    page.click("prompt-for-good").await.unwrap();
    page.fill("prompt-per-day", "1").await.unwrap();
    page.fill("prompt-until", "week").await.unwrap();
    page.click("prompt-always-allow").await.unwrap();
    assert_eq!(results(&world, 1).await, [done()]);
    let rules = world.get("/api/policy").await["tools"].clone();
    let decision = &rules[0]["decision"];
    assert_eq!((&rules[0]["who"]["kind"], &decision["perDay"]), (&json!("agent"), &json!(1)), "{rules}");
    assert!(decision["until"].is_u64(), "{rules}");
    page.send_message("ben").await.unwrap();
    assert_eq!(results(&world, 2).await[1], done());
    page.send_message("cid").await.unwrap();
    page.click("prompt-for-good").await.unwrap();
    assert_eq!(world.stored_titles().await, ["Ann", "Ben"]);
    page.click("prompt-always-deny").await.unwrap();
    assert_eq!(results(&world, 3).await[2], (false, "rejected_by_user: the user said no".to_owned()));
    page.send_message("dan").await.unwrap();
    let (success, error) = results(&world, 4).await.remove(3);
    assert!(!success && error.starts_with("tool_denied: "), "{error}");
    assert_eq!(world.stored_titles().await, ["Ann", "Ben"]);

    page.go("settings").await.unwrap();
    page.says("policy-tool-row", "Never allowed").await.unwrap();
    page.click("policy-tool-remove").await.unwrap();
    until("no decisions", TIMEOUT, async || {
        (world.get("/api/policy").await["tools"] == json!([])).then_some(())
    })
    .await
    .unwrap();
    page.go("agent").await.unwrap();
    page.send_message("dan").await.unwrap();
    world.prompts(1).await;
}

/// A site requests a connection and waits for the answer: the origin is shown, an approval connects and lists it, a
/// second request needs no prompt, the settings disconnect it; a rejection connects nothing.
#[tokio::test]
async fn site_connects_and_disconnects() {
    let world = asking().await;
    let origin = "https://app.example";
    let ask = async || {
        world.popup.begin("POST", "/api/connections", Some(json!({"origin": origin}))).await.unwrap()
    };
    let pending = ask().await;
    let prompt = world.prompts(1).await.remove(0);
    assert_eq!((&prompt["kind"], pending.ended().await), (&json!("connect_dapp"), false));
    let window = world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap();
    window.says("prompt-origin", origin).await.unwrap();
    window.reject(None).await.unwrap();
    assert_eq!(pending.wait().await.unwrap(), (200, json!({"origin": origin, "connected": false})));
    assert_eq!(world.get("/api/connections").await, json!({"connections": []}));

    let pending = ask().await;
    let prompt = world.prompts(1).await.remove(0);
    let window = world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap();
    window.approve().await.unwrap();
    assert_eq!(pending.wait().await.unwrap(), (200, json!({"origin": origin, "connected": true})));
    assert_eq!(ask().await.wait().await.unwrap().1["connected"], true, "a connected site needs no prompt");
    world.popup.go("settings").await.unwrap();
    world.popup.says("connection-row", origin).await.unwrap();
    world.popup.click("connection-remove").await.unwrap();
    until("no sites", TIMEOUT, async || {
        (world.get("/api/connections").await == json!({"connections": []})).then_some(())
    })
    .await
    .unwrap();
}

/// The kill switch in the settings: a bundle is refused without a prompt, and the agent changes nothing; switched
/// off, both prompt again. All of it is in the audit log, which is intact and can be exported.
#[tokio::test]
async fn kill_switch_and_audit_log() {
    let world = asking().await;
    world.import_vault(&phrase("12 words")).await;
    let page = &world.popup;
    page.go("settings").await.unwrap();
    page.click("policy-kill-switch").await.unwrap();
    page.says("policy-kill-switch", "Allow again").await.unwrap();
    world.say("rent").await;
    world.say("ann").await;
    for (success, error) in results(&world, 2).await {
        assert!(!success && error.starts_with("kill_switch: "), "{error}");
    }
    page.click("policy-kill-switch").await.unwrap();
    page.confirm_with_password(PASSWORD).await.unwrap();
    page.says("policy-kill-switch", "Stop everything").await.unwrap();
    world.say("rent").await;
    world.say("ben").await;
    world.prompts(2).await;

    page.go("activity").await.unwrap();
    page.click("activity-tab-audit").await.unwrap();
    let log = world.get("/api/audit").await;
    let entries = log["entries"].as_array().unwrap();
    until("every entry in the list", TIMEOUT, async || {
        let rows = page.texts("audit-row").await?;
        if rows.len() == entries.len() { Ok(()) } else { Err(not_yet((rows, entries.len()))) }
    })
    .await
    .unwrap();
    let of_kind = |kind: &str| entries.iter().filter(|entry| entry["kind"] == kind).count();
    // The vault, the switch twice; four verdicts; two results.
    assert_eq!(
        (of_kind("change"), of_kind("verdict"), of_kind("result")),
        (3 + settings(entries), 4, 2),
        "{log}"
    );
    page.click("audit-check").await.unwrap();
    page.says("audit-verdict", &format!("The log is intact: {} entries", entries.len())).await.unwrap();
    page.click("audit-export").await.unwrap();
    let lines = until("the exported log", TIMEOUT, async || {
        let file = std::fs::read_dir(world.browser.downloads()).ok()?.flatten().next()?.path();
        let text = std::fs::read_to_string(file).ok()?;
        let lines: Option<Vec<Value>> = text.lines().map(|line| serde_json::from_str(line).ok()).collect();
        // The browser creates the file empty and fills it.
        lines.filter(|lines| lines.len() >= entries.len())
    })
    .await
    .unwrap();
    let newest_first: Vec<&Value> = lines.iter().rev().collect();
    assert_eq!(newest_first, entries.iter().collect::<Vec<_>>());

    // A time is changed in the store, and the check finds the entry.
    let stored = page.idb_all().await.unwrap()["countersign/audit"][1].clone();
    let (key, line) = (stored[0].as_str().unwrap(), stored[1].as_str().unwrap());
    let changed = line.replacen("\"at\":1", "\"at\":2", 1);
    assert_ne!(changed, line);
    page.idb_put("countersign", "audit", key, &changed).await.unwrap();
    page.click("audit-check").await.unwrap();
    page.says("audit-verdict", "The log was changed: entry 2 ").await.unwrap();
}

/// Changes of settings that every suite starts with.
fn settings(entries: &[Value]) -> usize {
    entries.iter().filter(|entry| entry["what"] == "settings_changed").count()
}
