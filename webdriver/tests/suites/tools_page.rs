//! The Tools page and the palette: a tool is made by hand, tested, switched and called, by keyboard alone where a person
//! may have nothing else.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, pictures are written there.

use crate::world::vault::{PASSWORD, phrase};
use crate::world::{DEMO, World};
use nodes::tools::ToolServer;
use serde_json::{Value, json};
use std::path::Path;
use webdriver::{Page, TIMEOUT, not_yet, until};

/// What has the focus: its test id or tag, and its text or value.
const FOCUS: &str = "const e = document.activeElement;
    return [e.dataset.testid ?? e.tagName, e.value ?? e.innerText ?? '']";

/// The row of a tool: its version, its switch, and why it cannot be called.
const ROW: &str = "const row = document.querySelector(`[data-testid=tool-row][data-slug=\"${args[0]}\"]`);
    return row && [row.dataset.version, row.querySelector('[data-testid=tool-switch]').ariaChecked,
        row.querySelector('[data-testid=tool-reason]')?.innerText ?? '']";
/// A tool whose host the index does not know yet as allowed.
const NO_HOST: &str = "Cannot be called: its host is not allowed. Add it under Hosts";

async fn picture(page: &Page, name: &str) {
    if let Some(folder) = std::env::var_os("COUNTERSIGN_PICTURES") {
        page.screenshot(&Path::new(&folder).join(format!("tools-{name}.png"))).await.unwrap();
    }
}

async fn tools_page(world: &World) -> Page {
    let page = world.browser.open(&world.browser.extension_url("tools.html")).await.unwrap();
    page.element("tool-new").await.unwrap();
    page
}

async fn wait_for_row(page: &Page, slug: &str, wanted: Value) {
    until(&format!("{slug} to be {wanted}"), TIMEOUT, async || {
        let row = page.run(ROW, vec![json!(slug)]).await?;
        if row == wanted { Ok(()) } else { Err(not_yet(row)) }
    })
    .await
    .unwrap();
}

/// Types an HTTP tool for the server's weather into the editor.
async fn fill_weather(page: &Page, server: &ToolServer) {
    page.fill("edit-name", "Weather in a city").await.unwrap();
    let description = "Gets the weather of a city. Use when the user asks about the weather.";
    page.fill("edit-description", description).await.unwrap();
    page.fill("edit-url", &server.url("/weather?city=${city}")).await.unwrap();
}

/// Presses a key, or types a character, where the focus is.
async fn press(page: &Page, key: &str) {
    let code = match key {
        "Enter" => 13,
        "Escape" => 27,
        "ArrowDown" => 40,
        "ArrowUp" => 38,
        "Backspace" => 8,
        "Tab" => 9,
        _ => 0,
    };
    let text = match key {
        "Enter" => "\r",
        _ if key.chars().count() == 1 => key,
        _ => "",
    };
    for kind in ["keyDown", "keyUp"] {
        let mut params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
        if kind == "keyDown" && !text.is_empty() {
            params["text"] = json!(text);
        }
        page.cdp("Input.dispatchKeyEvent", params).await.unwrap();
    }
}

async fn type_text(page: &Page, text: &str) {
    for character in text.chars() {
        press(page, &character.to_string()).await;
    }
}

async fn wait_for_focus(page: &Page, name: &str) -> Value {
    until(&format!("the focus on {name}"), TIMEOUT, async || {
        let focus = page.run(FOCUS, vec![]).await.ok()?;
        (focus[0] == name).then(|| focus[1].clone())
    })
    .await
    .unwrap()
}

/// T002-11, T002-84: a tool is made by a form that finds its argument in the address, allows its host after the
/// password, and is listed; its switch and that of its bundle say why it cannot be called; an edit is a new version.
#[tokio::test]
async fn tool_is_made_by_hand() {
    let server = ToolServer::start().await.unwrap();
    let world = World::new(DEMO).await;
    world.import_vault(&phrase("12 words")).await;
    let page = tools_page(&world).await;
    page.element("empty-state").await.unwrap();
    picture(&page, "empty").await;
    page.click("tool-new").await.unwrap();
    page.element("edit-save").await.unwrap();
    page.click("edit-save").await.unwrap();
    page.says("field-error", "This is needed").await.unwrap();
    fill_weather(&page, &server).await;
    assert_eq!(page.texts("edit-argument").await.unwrap().len(), 1);
    page.says("host-consent", &server.host()).await.unwrap();
    page.fill("edit-argument-about", "Name of the city").await.unwrap();
    picture(&page, "editor").await;
    page.click("edit-save").await.unwrap();
    page.fill("gate-password", PASSWORD).await.unwrap();
    page.click("edit-save").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", NO_HOST])).await;

    let settings = world.get("/api/settings").await;
    assert_eq!(settings["allowedHosts"], json!([server.host()]));
    let tools = world.get("/tools/search?q=weather&includeDisabled=true").await;
    let tool = &tools["tools"][0];
    assert_eq!(
        (&tool["argSchema"], &tool["impl"]["urlTemplate"], &tool["category"], &tool["requiresConfirmation"]),
        (
            &json!({"type": "object", "required": ["city"],
                "properties": {"city": {"type": "string", "description": "Name of the city"}}}),
            &json!(server.url("/weather?city=${city}")),
            &json!("side_effect"),
            &json!(false)
        )
    );

    page.click("tool-switch").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "false", "Switched off"])).await;
    page.click("tool-switch").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", NO_HOST])).await;
    page.click("bundle-switch").await.unwrap();
    let reason = "Cannot be called: its bundle is switched off";
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", reason])).await;
    page.click("bundle-switch").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", NO_HOST])).await;

    page.click("tool-open").await.unwrap();
    page.says("tool-metrics", "Never called").await.unwrap();
    picture(&page, "row").await;
    page.click("tool-edit").await.unwrap();
    page.element("edit-name").await.unwrap();
    page.click("edit-save").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v2", "true", NO_HOST])).await;

    page.fill("tools-search", "weath").await.unwrap();
    until("both versions", TIMEOUT, async || {
        let found = page.run(
            "return document.querySelectorAll('[data-testid=tools-found] [data-testid=tool-row]').length",
            vec![],
        );
        (found.await.ok()? == 2).then_some(())
    })
    .await
    .unwrap();
    page.fill("tools-search", "xyzzy").await.unwrap();
    page.says("empty-state", "No tools found").await.unwrap();
}

/// What the core refuses is said at its field.
#[tokio::test]
async fn refusals_are_at_their_fields() {
    let server = ToolServer::start().await.unwrap();
    let world = World::new(DEMO).await;
    let page = tools_page(&world).await;
    for url in ["ftp://example.org/${x}", "http://example.org/"] {
        page.goto(&world.browser.extension_url("tools.html?new")).await.unwrap();
        fill_weather(&page, &server).await;
        page.fill("edit-url", url).await.unwrap();
        page.click("edit-save").await.unwrap();
        until(&format!("a refusal of {url}"), TIMEOUT, async || {
            let invalid = "return document.querySelector('[aria-invalid=true]')?.dataset.testid";
            (page.run(invalid, vec![]).await.ok()? == "edit-url").then_some(())
        })
        .await
        .unwrap();
        // The tab of a changed draft asks before it is closed.
        page.click("edit-cancel").await.unwrap();
    }
}

/// T002-6, T002-60, T002-61: a built-in tool is shown with its switch and nothing that changes it.
#[tokio::test]
async fn built_ins_are_read_only() {
    let world = World::new(DEMO).await;
    let page = tools_page(&world).await;
    wait_for_row(&page, "add-chain", json!(["v1", "true", ""])).await;
    let buttons = "const row = document.querySelector('[data-slug=\"add-chain\"][data-testid=tool-row]');
        row.querySelector('[data-testid=tool-open]').click();
        return [...row.querySelectorAll('button')].map((button) => button.dataset.testid)";
    assert_eq!(page.run(buttons, vec![]).await.unwrap(), json!(["tool-open", "tool-switch", "tool-try"]));
    page.run("document.querySelector('[data-slug=\"add-chain\"] [data-testid=tool-switch]').click()", vec![])
        .await
        .unwrap();
    wait_for_row(&page, "add-chain", json!(["v1", "false", "Switched off"])).await;
    page.reload().await.unwrap();
    wait_for_row(&page, "add-chain", json!(["v1", "false", "Switched off"])).await;
}

/// T002-4: `+` at the start of a word opens the palette, by arrows and Enter a tool is chosen, whose arguments are a
/// form; Escape gives the typed text back to the message. No pointer is used.
#[tokio::test]
async fn palette_by_keyboard_alone() {
    let world = World::new(DEMO).await;
    world.popup.go("agent").await.unwrap();
    world.popup.run("document.querySelector('#composer').focus()", vec![]).await.unwrap();
    let popup = &world.popup;

    type_text(popup, "1+").await;
    assert_eq!(popup.run(FOCUS, vec![]).await.unwrap(), json!(["composer", "1+"]));
    type_text(popup, " +").await;
    wait_for_focus(popup, "palette-search").await;
    type_text(popup, "1 for me").await;
    press(popup, "Escape").await;
    assert_eq!(wait_for_focus(popup, "composer").await, "1+ +1 for me");

    type_text(popup, " +").await;
    wait_for_focus(popup, "palette-search").await;
    type_text(popup, "address").await;
    let options =
        "return [...document.querySelectorAll('[data-testid=palette-option]')].map((o) => o.dataset.slug)";
    let found = until("tools in the palette", TIMEOUT, async || {
        let found = popup.run(options, vec![]).await?;
        match found.as_array() {
            Some(slugs) if slugs.len() < 6 && slugs.contains(&json!("get-address-book")) => Ok(slugs.clone()),
            _ => Err(not_yet(found)),
        }
    })
    .await
    .unwrap();
    let selected = "const input = document.activeElement;
        return document.getElementById(input.getAttribute('aria-activedescendant'))?.dataset.slug";
    assert_eq!(popup.run(selected, vec![]).await.unwrap(), found[0]);
    press(popup, "ArrowUp").await;
    assert_eq!(&popup.run(selected, vec![]).await.unwrap(), found.last().unwrap());
    press(popup, "ArrowDown").await;
    for _ in 0..found.iter().position(|slug| slug == "get-address-book").unwrap() {
        press(popup, "ArrowDown").await;
    }
    assert_eq!(popup.run(selected, vec![]).await.unwrap(), "get-address-book");
    picture(popup, "palette").await;
    press(popup, "Enter").await;
    until("a form", TIMEOUT, async || {
        let focus = popup.run(FOCUS, vec![]).await.ok()?;
        focus[0].as_str()?.starts_with("arg-").then_some(())
    })
    .await
    .unwrap();
    picture(popup, "palette-form").await;
    press(popup, "Escape").await;
    assert_eq!(wait_for_focus(popup, "composer").await, "1+ +1 for me ");
}
