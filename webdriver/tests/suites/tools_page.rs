//! The Tools page: a tool is made by hand, listed, switched and changed.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, pictures are written there.

use crate::world::tools::picture;
use crate::world::vault::{PASSWORD, phrase};
use crate::world::{DEMO, World};
use nodes::ToolServer;
use serde_json::{Value, json};
use webdriver::{Page, TIMEOUT, not_yet, until};

/// The row of a tool: its version, its switch, and why it cannot be called.
const ROW: &str = "const row = document.querySelector(`[data-testid=tool-row][data-slug=\"${args[0]}\"]`);
    return row && [row.dataset.version, row.querySelector('[data-testid=tool-switch]').ariaChecked,
        row.querySelector('[data-testid=tool-reason]')?.innerText ?? '']";

pub(crate) async fn tools_page(world: &World) -> Page {
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
pub(crate) async fn fill_weather(page: &Page, server: &ToolServer) {
    page.fill("edit-name", "Weather in a city").await.unwrap();
    let description = "Gets the weather of a city. Use when the user asks about the weather.";
    page.fill("edit-description", description).await.unwrap();
    page.fill("edit-url", &server.url("/weather?city=${city}")).await.unwrap();
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
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", ""])).await;

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
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", ""])).await;
    page.click("bundle-switch").await.unwrap();
    let reason = "Cannot be called: its bundle is switched off";
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", reason])).await;
    page.click("bundle-switch").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v1", "true", ""])).await;

    page.click("tool-open").await.unwrap();
    page.says("tool-metrics", "Never called").await.unwrap();
    picture(&page, "row").await;
    page.click("tool-edit").await.unwrap();
    page.element("edit-name").await.unwrap();
    page.click("edit-save").await.unwrap();
    wait_for_row(&page, "weather-in-a-city", json!(["v2", "true", ""])).await;

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
    // What a tool gave stays when the rows are made again with its new count.
    let open = "const row = document.querySelector('[data-slug=\"get-address-book\"][data-testid=tool-row]');
        row.querySelector('[data-testid=tool-open]').click(); row.querySelector('[data-testid=tool-try]').click()";
    page.run(open, vec![]).await.unwrap();
    page.click("run-tool").await.unwrap();
    page.says("run-result", "total_count").await.unwrap();
    page.says("tool-metrics", "1 call").await.unwrap();
    page.says("run-result", "total_count").await.unwrap();
    page.run("document.querySelector('[data-slug=\"add-chain\"] [data-testid=tool-switch]').click()", vec![])
        .await
        .unwrap();
    wait_for_row(&page, "add-chain", json!(["v1", "false", "Switched off"])).await;
    page.reload().await.unwrap();
    wait_for_row(&page, "add-chain", json!(["v1", "false", "Switched off"])).await;
}
