//! The palette of the composer, by keyboard alone.

use crate::world::tools::{ToolWorld, picture, weather};
use crate::world::{DEMO, World};
use serde_json::{Value, json};
use webdriver::{Page, TIMEOUT, not_yet, until};

/// What has the focus: its test id or tag, and its text or value.
const FOCUS: &str = "const e = document.activeElement;
    return [e.dataset.testid ?? e.tagName, e.value ?? e.innerText ?? '']";

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

/// A tool runs from the palette by keyboard alone: an argument that is missing or wrong is said at its field, the result is
/// shown, and goes into the message.
#[tokio::test]
async fn palette_runs_a_tool_by_keyboard() {
    let it = ToolWorld::start().await;
    let tool = weather(&it.server).with("extractExpr", "$.days");
    it.put(&tool.argument("days", json!({"type": "integer", "minimum": 1}))).await;
    it.popup.go("agent").await.unwrap();
    it.popup.run("document.querySelector('#composer').focus()", vec![]).await.unwrap();
    let popup = &it.popup;
    type_text(popup, "+").await;
    wait_for_focus(popup, "palette-search").await;
    type_text(popup, "get-weather").await;
    popup.element("palette-option").await.unwrap();
    let only = "return document.querySelectorAll('[data-testid=palette-option]').length";
    until("one tool", TIMEOUT, async || (popup.run(only, vec![]).await.ok()? == 1).then_some(()))
        .await
        .unwrap();
    press(popup, "Enter").await;
    wait_for_focus(popup, "arg-city").await;
    press(popup, "Enter").await;
    popup.element("field-error").await.unwrap();
    wait_for_focus(popup, "arg-city").await;
    type_text(popup, "Rome").await;
    press(popup, "Tab").await;
    wait_for_focus(popup, "arg-days").await;
    type_text(popup, "0").await;
    press(popup, "Enter").await;
    until("an error at the days", TIMEOUT, async || {
        let invalid = "return document.querySelector('[aria-invalid=true]')?.dataset.testid";
        (popup.run(invalid, vec![]).await.ok()? == "arg-days").then_some(())
    })
    .await
    .unwrap();
    assert_eq!(it.server.requests().len(), 0);
    picture(popup, "palette-error").await;
    press(popup, "Backspace").await;
    type_text(popup, "2").await;
    press(popup, "Enter").await;
    popup.says("run-result", "23").await.unwrap();
    picture(popup, "palette-result").await;
    for _ in 0..4 {
        if popup.run(FOCUS, vec![]).await.unwrap()[0] == "run-quote" {
            break;
        }
        press(popup, "Tab").await;
    }
    press(popup, "Enter").await;
    let text = wait_for_focus(popup, "composer").await;
    assert!(text.as_str().unwrap().contains("\"high\":23"), "{text}");
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
