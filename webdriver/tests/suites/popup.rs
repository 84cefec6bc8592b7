//! The popup: consent on a card, contacts, settings, empty pages, keyboard, light and dark.

use crate::world::{PATIENCE, World};
use serde_json::{Value, json};
use webdriver::{Browser, Options, Popup, TIMEOUT, until};

/// Proposes to save and to delete without `auto_execute`.
const ASKS: &str = r#"
name = "Asks"
[[turn]]
when.message = "save"
text = "Shall I?"
actions = [
  '''{"id": "{{uuid}}", "type": "add_address_book", "title": "Save Dora", "description": "From your last transfer",
      "auto_execute": false, "params": {"entries": [
      {"title": "Dora", "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Ethereum"}]}}''',
  '''{"id": "{{uuid}}", "type": "get_address_book", "title": "Look", "params": {}}''',
]
"#;

async fn wait_for_card(popup: &Popup, position: usize, state: &str) -> webdriver::Card {
    until(&format!("card {position} to be {state}"), TIMEOUT, async || {
        popup.cards().await.ok()?.get(position).filter(|card| card.state == state).cloned()
    })
    .await
    .unwrap()
}

/// T000-4, T000-5, T000-7: an action that needs approval shows its title and description, waits while the popup is
/// closed and the worker restarts, and runs when the user approves; the next one waits for it.
#[tokio::test]
async fn action_waits_for_approval() {
    let mut world = World::new(ASKS).await;
    world.popup.go("agent").await.unwrap();
    world.popup.send_message("save her").await.unwrap();
    let card = wait_for_card(&world.popup, 0, "waiting").await;
    assert!(
        card.text.contains("Save Dora") && card.text.contains("From your last transfer"),
        "{}",
        card.text
    );
    assert!(
        card.text.contains("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"),
        "every character is shown: {}",
        card.text
    );
    assert!(wait_for_card(&world.popup, 1, "running").await.text.contains("Look"));
    assert_eq!(world.stored_titles().await, Vec::<String>::new());
    assert_eq!(world.badge().await, "1");

    let closed = std::mem::replace(&mut world.popup, world.browser.popup().await.unwrap());
    closed.close().await.unwrap();
    world.browser.kill_worker().await.unwrap();
    wait_for_card(&world.popup, 0, "waiting").await;
    world.popup.approve().await.unwrap();
    wait_for_card(&world.popup, 0, "done").await;
    wait_for_card(&world.popup, 1, "done").await;
    let results = world.results(2).await;
    assert_eq!(
        (results[0].success, results[1].data.as_ref().unwrap()["total_count"].clone()),
        (true, json!(1))
    );
    assert_eq!(world.stored_contacts().await[0]["addedBy"], "agent");
    until("the badge to be empty", TIMEOUT, async || world.badge().await.is_empty().then_some(()))
        .await
        .unwrap();
}

/// T000-7: a rejection is a result, and the action has no effect.
#[tokio::test]
async fn rejection_is_a_result() {
    let world = World::new(ASKS).await;
    world.popup.go("agent").await.unwrap();
    world.popup.send_message("save her").await.unwrap();
    wait_for_card(&world.popup, 0, "waiting").await;
    world.popup.reject().await.unwrap();
    wait_for_card(&world.popup, 0, "failed").await;
    let results = world.results(2).await;
    assert_eq!((results[0].success, results[1].success), (false, true));
    assert!(results[0].error.as_deref().unwrap().starts_with("rejected_by_user"), "{:?}", results[0].error);
    assert_eq!(world.stored_titles().await, Vec::<String>::new());
}

/// T000-88, T000-89: contacts in the form: an empty page says what to do, an invalid address is refused with a
/// sentence, a valid one appears at once, search filters, a second page follows, delete needs two presses.
#[tokio::test]
async fn contacts_form() {
    let world = World::new(ASKS).await;
    world.popup.go("contacts").await.unwrap();
    until("the empty page", TIMEOUT, async || world.popup.empty_state().await.ok()?).await.unwrap();
    world.popup.add_contact("Mallory", "0xnonsense", "Ethereum").await.unwrap();
    until("the refusal", TIMEOUT, async || world.popup.texts("problem").await.ok()?.into_iter().next())
        .await
        .unwrap();
    assert_eq!(world.stored_titles().await, Vec::<String>::new());

    let other = world.browser.popup().await.unwrap();
    other.go("contacts").await.unwrap();
    world.popup.add_contact("Zoë", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "Bitcoin").await.unwrap();
    until("Zoë", TIMEOUT, async || (world.popup.contacts().await.ok()?.len() == 1).then_some(()))
        .await
        .unwrap();
    world.popup.add_contact("adam", "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", "base").await.unwrap();
    for page in [&world.popup, &other] {
        let rows = until("both", TIMEOUT, async || page.contacts().await.ok().filter(|rows| rows.len() == 2))
            .await
            .unwrap();
        assert!(rows[0].contains("adam") && rows[0].contains("Base") && rows[1].contains("Zoë"), "{rows:?}");
    }
    assert_eq!(world.stored_contacts().await[1]["address"], "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045");

    world.popup.search("ZOË").await.unwrap();
    let rows =
        until("one", TIMEOUT, async || world.popup.contacts().await.ok().filter(|rows| rows.len() == 1))
            .await
            .unwrap();
    assert!(rows[0].contains("Zoë"));
    world.popup.click("contact-delete").await.unwrap();
    assert_eq!(world.stored_titles().await.len(), 2, "one press deletes nothing");
    world.popup.click("contact-delete-confirm").await.unwrap();
    until("one contact", TIMEOUT, async || (world.stored_titles().await == ["adam"]).then_some(()))
        .await
        .unwrap();
    assert_eq!(world.stored_contacts().await[0]["addedBy"], "user");
}

/// Deletes the user's contact and saves another address under its name.
const REPLACES: &str = r#"
name = "Replaces"
[[turn]]
when.message = "replace"
text = "Done."
actions = [
  '''{"id": "{{uuid:delete}}", "type": "delete_address_book", "title": "Delete", "auto_execute": true,
      "params": {"entries": [{"title": "Dora"}]}}''',
  '''{"id": "{{uuid:save}}", "type": "add_address_book", "title": "Save", "auto_execute": true, "params": {"entries": [
      {"title": "dora", "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "chain": "Base"}]}}''',
]
"#;

/// A contact that the agent saved is marked until the user confirms it, and names the address that the user had under the
/// same name, also after the worker died in between.
#[tokio::test]
async fn agents_contact_is_marked_until_confirmed() {
    let world = World::new(REPLACES).await;
    let page = &world.popup;
    page.go("contacts").await.unwrap();
    let before = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    page.add_contact("Dora", before, "Ethereum").await.unwrap();
    let own = until("Dora", TIMEOUT, async || page.contacts().await.ok().filter(|rows| rows.len() == 1))
        .await
        .unwrap();
    assert!(own[0].contains("Saved by you"), "{own:?}");
    page.go("agent").await.unwrap();
    page.send_message("replace her").await.unwrap();
    world.results(2).await;
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    page.go("contacts").await.unwrap();
    let marked =
        until("the mark", TIMEOUT, async || page.texts("contact-unconfirmed").await.ok()?.into_iter().next())
            .await
            .unwrap();
    assert!(marked.contains("Saved by the agent") && marked.contains(before), "{marked}");
    page.click("contact-confirm").await.unwrap();
    until("the mark to go", PATIENCE, async || {
        page.texts("contact-unconfirmed").await.ok().filter(Vec::is_empty)
    })
    .await
    .unwrap();
    let stored = world.stored_contacts().await;
    assert_eq!(
        (&stored[0]["addedBy"], &stored[0]["confirmed"], stored[0].get("replaces")),
        (&json!("agent"), &json!(true), None)
    );
}

/// The user sets the agent's address and token; the token is sent with requests and never returned.
#[tokio::test]
async fn settings_form() {
    let agent = agent_backend::Agent::start(
        agent_backend::Script::parse(crate::world::DEMO).unwrap(),
        agent_backend::Options { token: Some("s3cret-token".into()), ..agent_backend::Options::default() },
    )
    .await
    .unwrap();
    let browser = Browser::launch(Options::from_env().unwrap()).await.unwrap();
    let popup = browser.popup().await.unwrap();
    popup.set_backend("http://example.com", None).await.unwrap();
    until("the refusal", TIMEOUT, async || popup.texts("problem").await.ok()?.into_iter().next())
        .await
        .unwrap();
    popup.set_backend(&agent.url(), Some("s3cret-token")).await.unwrap();
    until("the note", TIMEOUT, async || popup.texts("settings-saved").await.ok()?.into_iter().next())
        .await
        .unwrap();
    popup.go("agent").await.unwrap();
    popup.send_message("contacts").await.unwrap();
    agent.wait_for(|state| (state.results().len() >= 5).then_some(()), PATIENCE).await.unwrap();
    let (_, settings) = popup.fetch("GET", "/api/settings", None).await.unwrap();
    assert_eq!(settings["backend"], json!({"url": agent.url(), "hasToken": true}));
    for table in ["settings", "calls", "events", "outbox", "conversations", "timeline"] {
        let records = popup.idb("countersign", table).await.unwrap();
        assert!(!Value::Array(records).to_string().contains("s3cret-token"), "{table}");
    }
}

/// Everything is reachable by keyboard alone, and the focus is visible.
#[tokio::test]
async fn keyboard_navigation() {
    let world = World::new(crate::world::DEMO).await;
    world.popup.go("agent").await.unwrap();
    world.popup.element("composer").await.unwrap();
    world.popup.run("document.activeElement?.blur(); return true", vec![]).await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..20 {
        press(&world.popup, "Tab", 9, "").await;
        let focus = "const e = document.activeElement; const s = getComputedStyle(e);
            return [e.dataset.testid ?? e.tagName, s.outlineStyle !== 'none' && s.outlineWidth !== '0px' || s.boxShadow !== 'none']";
        let found = world.popup.run(focus, vec![]).await.unwrap();
        let name = found[0].as_str().unwrap().to_owned();
        assert!(name == "BODY" || found[1] == true, "{name} does not show its focus");
        if name == "composer" {
            break;
        }
        seen.push(name);
    }
    for wanted in ["nav-agent", "nav-wallet", "nav-contacts", "nav-activity", "nav-tools", "nav-settings"] {
        assert!(seen.iter().any(|name| name == wanted), "{wanted} is not reached: {seen:?}");
    }
    world.popup.fill("composer", "contacts").await.unwrap();
    press(&world.popup, "Enter", 13, "\r").await;
    world.popup.settled_cards(5).await.unwrap();
}

async fn press(popup: &Popup, key: &str, code: u32, text: &str) {
    for kind in ["keyDown", "keyUp"] {
        let mut params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
        if kind == "keyDown" && !text.is_empty() {
            params["text"] = json!(text);
        }
        popup.cdp("Input.dispatchKeyEvent", params).await.unwrap();
    }
}

/// Text has a contrast of at least 4.5 to 1, in light and in dark, and the two differ.
#[tokio::test]
async fn light_and_dark() {
    let mut backgrounds = Vec::new();
    for dark in [false, true] {
        let options = Options { dark, window: (420, 640), ..Options::from_env().unwrap() };
        let browser = Browser::launch(options).await.unwrap();
        let popup = browser.popup().await.unwrap();
        for place in ["agent", "wallet", "contacts", "activity", "tools", "settings"] {
            popup.go(place).await.unwrap();
            until("something to read", TIMEOUT, async || {
                popup
                    .run("return document.querySelector('main')?.innerText.length > 20 || null", vec![])
                    .await
                    .ok()?
                    .as_bool()
            })
            .await
            .unwrap();
            let poor = popup.run(CONTRAST, vec![]).await.unwrap();
            assert_eq!(poor, json!([]), "{place}, dark: {dark}");
        }
        let background = popup
            .run("return getComputedStyle(document.documentElement).backgroundColor", vec![])
            .await
            .unwrap();
        backgrounds.push(background);
    }
    assert_ne!(backgrounds[0], backgrounds[1]);
}

/// Texts with a contrast under 4.5 (WCAG 2 AA), by their own colour and the nearest opaque background.
const CONTRAST: &str = r#"
    const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const behind = (e) => { for (; e; e = e.parentElement) {
        const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
    const poor = [];
    for (const e of document.querySelectorAll("body *")) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
        if (!own || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if (e.closest("[disabled], option, datalist, .visually-hidden")) continue;
        const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(e.textContent.trim().slice(0, 40));
    }
    return poor;
"#;

/// A page that the worker does not control (after a hard reload) works too.
#[tokio::test]
async fn uncontrolled_page_works() {
    let world = World::new(ASKS).await;
    world.popup.cdp("Page.reload", json!({"ignoreCache": true})).await.unwrap();
    until("a page without control", TIMEOUT, async || {
        let state = world
            .popup
            .run("return document.readyState === 'complete' && !navigator.serviceWorker.controller", vec![]);
        (state.await.ok()? == true).then_some(())
    })
    .await
    .unwrap();
    world.popup.go("contacts").await.unwrap();
    world.popup.add_contact("Eve", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "Ethereum").await.unwrap();
    until("Eve", TIMEOUT, async || world.popup.contacts().await.ok().filter(|rows| rows.len() == 1))
        .await
        .unwrap();
}
