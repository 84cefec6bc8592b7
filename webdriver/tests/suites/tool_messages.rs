//! Calls of visible tools in the conversation: each has its component, a result is given where it is asked for, also after
//! the popup was closed and the worker killed, and a page outside can give it.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, pictures are written there.

use crate::world::dapp::{Dapp, request};
use crate::world::{PATIENCE, World};
use serde_json::{Value, json};
use std::path::Path;
use webdriver::{Browser, Options, Page, TIMEOUT, not_yet, until};

/// The agent enters its space and calls what a message names.
const SCRIPT: &str = r##"
name = "Tools that are seen"

[[turn]]
when.message = "show"
text = "Here it is."
actions = [
  '{"id": "{{uuid:enter}}", "type": "enter_space", "params": {}}',
  '{"id": "{{uuid:line}}", "type": "displayChart", "params": {"type": "line", "title": "Portfolio, USD", "labels": ["Mon", "Tue", "Wed"], "series": [{"name": "ETH", "data": [1200, 1340, 1290]}, {"name": "BTC", "data": [2100, 2050, 2200]}]}}',
  '{"id": "{{uuid:table}}", "type": "displayTable", "params": {"title": "Coins", "rows": [{"coin": "ETH", "amount": 1.25}, {"coin": "<b>USDC</b>", "amount": 2500}]}}',
  '{"id": "{{uuid:near}}", "type": "displayImage", "params": {"src": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "alt": "A dot"}}',
  '{"id": "{{uuid:far}}", "type": "displayImage", "params": {"src": "http://127.0.0.1:9/pixel.png", "alt": "A chart"}}',
  '{"id": "{{uuid:bar}}", "type": "showProgress", "params": {"title": "Copying contacts", "value": 3, "total": 12}}',
  '{"id": "{{uuid:other}}", "type": "noteDown", "params": {"note": {"text": "milk"}}}',
]

[[turn]]
when.message = "ask"
text = "Please decide."
actions = [
  '{"id": "{{uuid:in}}", "type": "enter_space", "params": {}}',
  '{"id": "{{uuid:confirm}}", "type": "confirmAction", "params": {"title": "Pay 25 USDC to Alice?", "message": "The invoice of November."}}',
  '{"id": "{{uuid:choose}}", "type": "chooseOption", "params": {"question": "Which account?", "options": ["Main", "Savings"]}}',
  '{"id": "{{uuid:form}}", "type": "requestForm", "params": {"title": "Delivery", "schema": {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}, "express": {"type": "boolean"}}, "required": ["name"]}}}',
  '{"id": "{{uuid:any}}", "type": "rateService", "params": {"order": "A-17"}}',
]

[[turn]]
when.message = "fetch"
text = "One moment."
actions = ['{"id": "{{uuid:fetch}}", "type": "fetchExternalData", "params": {"query": "balance"}}']

[[turn]]
when.message = "write"
text = "Writing"
events = [
  { tool_input = { id = "{{uuid:slow}}", type = "displayChart", delta = '{"title": "The week", "labels": ["Mon", "Tue", "Wed"], "data": [3, 4,' } },
]
actions = [
  '{"id": "{{uuid:slow}}", "type": "displayChart", "params": {"title": "The week", "labels": ["Mon", "Tue", "Wed"], "data": [3, 4, 2]}}',
]

[[turn.fault]]
kind = "stall"
after_event = 2
times = 1

[[turn]]
when.message = "enter"
actions = ['{"id": "{{uuid:now}}", "type": "enter_space", "params": {}}']
"##;

/// A configuration of specification 004.
fn config(name: &str, kind: &str, is_async: bool) -> Value {
    json!({
        "name": name, "description": format!("{name}, for a suite of tool messages."), "inputSchema": {},
        "executionType": kind, "visible": true, "isAsync": is_async,
    })
}

fn configs() -> Value {
    let shown = ["displayChart", "displayTable", "displayImage", "showProgress", "noteDown"];
    let asked = ["confirmAction", "chooseOption", "requestForm", "rateService"];
    let shown = shown.map(|name| config(name, "internal", false));
    let asked = asked.map(|name| config(name, "space", true));
    json!({"tools": shown.into_iter().chain(asked).collect::<Vec<_>>()})
}

async fn world() -> World {
    let world = World::new(SCRIPT).await;
    let (status, made) = world.api("POST", "/tools/configs", configs()).await;
    assert_eq!(status, 201, "{made}");
    world
}

/// A picture of the whole conversation in a tab, and one as wide as a narrow side panel.
async fn picture(page: &Page, name: &str) {
    let Some(folder) = std::env::var_os("COUNTERSIGN_PICTURES") else { return };
    for width in [900, 360] {
        resize(page, width).await;
        let file = Path::new(&folder).join(format!("tool-message-{name}-{width}.png"));
        page.screenshot(&file).await.unwrap();
    }
    page.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await.unwrap();
}

/// Makes a page this wide, and long enough for everything.
async fn resize(page: &Page, width: u32) {
    let size = json!({"width": width, "height": 1900, "deviceScaleFactor": 1, "mobile": false});
    page.cdp("Emulation.setDeviceMetricsOverride", size).await.unwrap();
}

/// The state of each shown tool message, by the tool's name, once there are so many.
async fn shown(page: &Page, count: usize) -> Vec<(String, String)> {
    let script = "return [...document.querySelectorAll('.tool-message')].map((one) => [one.dataset.tool, one.dataset.state])";
    until(&format!("{count} tool messages"), TIMEOUT, async || {
        let rows = page.run(script, vec![]).await?;
        let rows: Vec<(String, String)> = serde_json::from_value(rows).unwrap();
        if rows.len() == count { Ok(rows) } else { Err(not_yet(rows)) }
    })
    .await
    .unwrap()
}

/// Waits until the messages of a tool are in this state.
async fn becomes(page: &Page, tool: &str, state: &str) {
    let script =
        "return document.querySelector(`.tool-message[data-tool=\"${args[0]}\"]`)?.dataset.state ?? null";
    until(&format!("{tool} to be {state}"), TIMEOUT, async || {
        let now = page.run(script, vec![tool.into()]).await?;
        if now == state { Ok(()) } else { Err(not_yet(now)) }
    })
    .await
    .unwrap();
}

/// T004-4, T004-12, T004-27, T004-28: each tool is shown by the component of its name, any other by the fallback; what an
/// agent wrote is text, and nothing is loaded from the web.
#[tokio::test]
async fn each_component_is_shown() {
    let world = world().await;
    world.popup.send_message("show").await.unwrap();
    let all = shown(&world.popup, 6).await;
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["displayChart", "displayTable", "displayImage", "displayImage", "showProgress", "noteDown"];
    assert_eq!(names, expected);
    assert!(all.iter().all(|(_, state)| state == "done"), "{all:?}");
    for part in ["tool-chart", "tool-table", "tool-image", "tool-progress", "tool-fallback"] {
        world.popup.element(part).await.unwrap();
    }
    world.popup.says("tool-table", "<b>USDC</b>").await.unwrap();
    world.popup.says("tool-image", "http://127.0.0.1:9/pixel.png").await.unwrap();
    let script = "const image = document.querySelector('[data-testid=tool-image][data-kind=embedded] img');
        await image.decode();
        return [image.naturalWidth, document.querySelectorAll('[data-testid=tool-image] img').length,
            document.querySelectorAll('[data-testid=tool-chart] path').length,
            document.querySelectorAll('.tool-message b').length]";
    assert_eq!(world.popup.run(script, vec![]).await.unwrap(), json!([1, 1, 2, 0]));
    // A message of a tool is shown, and not replied to.
    let buttons = "return document.querySelectorAll('.tool-message button').length";
    assert_eq!(world.popup.run(buttons, vec![]).await.unwrap(), 0);
    picture(&world.popup, "shown").await;
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// T004-15, T004-26, T004-57, T004-67: results are given in the conversation, and all open views follow. What was asked is
/// still asked after the popup was closed and the worker killed; the agent gets each result once, by its inbox.
#[tokio::test]
async fn answered_after_close_and_kill() {
    let world = world().await;
    world.popup.send_message("ask").await.unwrap();
    let all = shown(&world.popup, 4).await;
    assert!(all.iter().all(|(_, state)| state == "asking"), "{all:?}");
    picture(&world.popup, "asked").await;

    let home = world.popup.url().await.unwrap();
    world.popup.goto("about:blank").await.unwrap();
    let other = world.browser.open(&world.browser.extension_url("icons/16.png")).await.unwrap();
    world.browser.kill_worker().await.unwrap();
    other.close().await.unwrap();
    world.popup.goto(&home).await.unwrap();
    world.popup.controlled().await.unwrap();
    let second = world.browser.popup().await.unwrap();
    shown(&second, 4).await;
    shown(&world.popup, 4).await;

    world.popup.click("tool-confirm").await.unwrap();
    becomes(&world.popup, "confirmAction", "done").await;
    world.popup.says("tool-answer", "You confirmed this.").await.unwrap();
    becomes(&second, "confirmAction", "done").await;

    // The keyboard chooses and sends.
    let choose = "document.querySelectorAll('[data-testid=tool-option]')[1].click(); return true";
    world.popup.run(choose, vec![]).await.unwrap();
    let submit = |tool: &str| format!(".tool-message[data-tool=\"{tool}\"] [data-testid=tool-submit]");
    press(&world.popup, &submit("chooseOption")).await;
    becomes(&second, "chooseOption", "done").await;

    world.popup.fill("arg-name", "Alice").await.unwrap();
    press(&world.popup, &submit("requestForm")).await;
    becomes(&second, "requestForm", "done").await;
    world.popup.fill("arg-all", "{\"stars\": 5}").await.unwrap();
    press(&world.popup, &submit("rateService")).await;
    becomes(&second, "rateService", "done").await;
    picture(&world.popup, "answered").await;

    let items = world
        .agent
        .wait_for(|state| (state.inbox().len() >= 4).then(|| state.inbox().to_vec()), PATIENCE)
        .await
        .unwrap();
    let results: Vec<Value> = items.iter().map(|item| item.item["result"].clone()).collect();
    let expected = json!([{"confirmed": true}, {"selected": "Savings"}, {"name": "Alice"}, {"stars": 5}]);
    assert_eq!(Value::Array(results), expected);
    assert_eq!(world.get("/api/pending-calls").await, json!({"pendingCalls": []}));
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// Presses an element once it is enabled.
async fn press(page: &Page, selector: &str) {
    let ready = "const one = document.querySelector(args[0]); one?.focus();
        return one !== null && one.getAttribute('aria-disabled') !== 'true'";
    until("an enabled button", TIMEOUT, async || {
        let is_ready = page.run(ready, vec![selector.into()]).await?;
        if is_ready == true { Ok(()) } else { Err(not_yet(is_ready)) }
    })
    .await
    .unwrap();
    for kind in ["keyDown", "keyUp"] {
        let key =
            json!({"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"});
        page.cdp("Input.dispatchKeyEvent", key).await.unwrap();
    }
}

/// T004-63, T004-66: the arguments are shown while they are written, also in a page that opens meanwhile; the call takes their
/// place.
#[tokio::test]
async fn late_page_sees_what_is_written() {
    let world = world().await;
    world.popup.send_message("enter").await.unwrap();
    world.results(1).await;
    world.popup.send_message("write").await.unwrap();
    becomes(&world.popup, "displayChart", "writing").await;
    let late = world.browser.popup().await.unwrap();
    becomes(&late, "displayChart", "writing").await;
    late.says("tool-chart", "The week").await.unwrap();
    let points = "return document.querySelectorAll('[data-testid=tool-chart] circle').length";
    assert_eq!(late.run(points, vec![]).await.unwrap(), 2);
    picture(&late, "writing").await;
    world.agent.release();
    for page in [&late, &world.popup] {
        becomes(page, "displayChart", "done").await;
        assert_eq!(shown(page, 1).await.len(), 1);
        assert_eq!(page.run(points, vec![]).await.unwrap(), 3);
    }
}

/// T004-14: a page outside gives the result of a call that its tool names it for, once it is connected and with the call's
/// token; the agent gets it inline.
#[tokio::test]
async fn page_outside_submits() {
    let world = world().await;
    world.offer(json!({"mode": "all"})).await;
    let dapp = Dapp::serve().await;
    external_tool(&world, &dapp.origin()).await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    assert_eq!(request(&page, "countersign_externalCalls", Value::Null).await["code"], 4100, "not connected");

    let body = Some(json!({"origin": dapp.origin()}));
    let asked = world.popup.begin("POST", "/api/connections", body).await.unwrap();
    let prompt = world.prompts(1).await.remove(0);
    world.popup.answer_prompt(&prompt, json!({"approve": true})).await.unwrap();
    asked.wait().await.unwrap();

    world.popup.send_message("fetch").await.unwrap();
    let prompt = world.prompts(1).await.remove(0);
    world.popup.answer_prompt(&prompt, json!({"approve": true})).await.unwrap();
    let call = until("a call for the page", TIMEOUT, async || {
        request(&page, "countersign_externalCalls", Value::Null).await["calls"].get(0).cloned()
    })
    .await
    .unwrap();
    assert_eq!(
        (&call["toolName"], &call["args"]),
        (&json!("fetchExternalData"), &json!({"query": "balance"}))
    );
    let submit = async |token: &Value| {
        let result = json!({"runId": call["runId"], "callId": call["callId"], "result": {"balance": 7}, "token": token});
        request(&page, "countersign_submitToolResult", result).await
    };
    assert_eq!(submit(&json!("guessed")).await["code"], 4100);
    let taken = submit(&call["token"]).await;
    assert_eq!(taken["deliveredBy"], "inline", "{taken}");
    assert_eq!(submit(&call["token"]).await["code"], -32603, "only the first counts");
    let delivered = world.results(1).await.remove(0);
    assert_eq!((delivered.success, delivered.data), (true, Some(json!({"balance": 7}))));
}

/// A silent tool whose results a page submits.
async fn external_tool(world: &World, origin: &str) {
    let bundle = "019a0000-0000-7000-8000-00000000000a";
    let body = json!({"slug": "outside", "displayName": "Outside", "description": "", "isEnabled": true});
    let (status, made) = world.api("PUT", &format!("/tools/bundles/{bundle}"), body).await;
    assert_eq!(status, 201, "{made}");
    let tool = json!({
        "name": "fetchExternalData", "displayName": "fetchExternalData", "type": "external", "visible": false,
        "description": "Fetches data by a page outside. Use for balances.", "argSchema": {"type": "object"},
        "impl": {"isAsync": false, "timeout": 60_000, "submitters": [origin]},
        "category": "side_effect", "consequenceLevel": "medium", "isEnabled": true,
    });
    let path = format!("/tools/bundles/{bundle}/tools/fetch-external-data/version/v1");
    let (status, made) = world.api("PUT", &path, tool).await;
    assert_eq!(status, 201, "{made}");
}

/// T004-12: the components in dark colours and in German, as wide as the toolbar's popup: nothing is cut off.
#[tokio::test]
async fn narrow_and_dark() {
    let mut options = Options::from_env().unwrap();
    (options.dark, options.language) = (true, Some("de".to_owned()));
    let plain = world().await;
    let browser = Browser::launch(options).await.unwrap();
    let popup = browser.popup().await.unwrap();
    let settings = json!({"backend": {"url": plain.agent.url()}});
    assert_eq!(popup.fetch("PATCH", "/api/settings", Some(settings)).await.unwrap().0, 200);
    assert_eq!(popup.fetch("POST", "/tools/configs", Some(configs())).await.unwrap().0, 201);
    popup.send_message("ask").await.unwrap();
    shown(&popup, 4).await;
    popup.says("tool-confirm", "Bestätigen").await.unwrap();
    picture(&popup, "dark").await;
    resize(&popup, 400).await;
    let wide = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(popup.run(wide, vec![]).await.unwrap(), true, "nothing is wider than the page");
    let inside = "return [...document.querySelectorAll('.tool-message, .tool-message *')]
        .every((one) => one.getBoundingClientRect().right <= innerWidth)";
    assert_eq!(popup.run(inside, vec![]).await.unwrap(), true, "nothing is cut off");
}

/// T004-3, T004-69, T004-70: configurations and servers are pasted on the Tools page. A server is added by a press, and one
/// that is a program is refused with what to do.
#[tokio::test]
async fn configurations_are_pasted() {
    let world = World::new(SCRIPT).await;
    let page = world.browser.open(&world.browser.extension_url("tools.html")).await.unwrap();
    page.controlled().await.unwrap();
    page.click("configs-open").await.unwrap();
    page.fill("configs-text", "{\"a\": 1}").await.unwrap();
    page.click("configs-import").await.unwrap();
    page.says("configs-error", "neither a tool configuration").await.unwrap();
    let pasted = json!({
        "tools": [config("confirmAction", "space", true), config("displayChart", "internal", false)],
        "mcp": {"servers": [{"name": "files", "transport": "stdio", "command": "npx"}]},
    });
    page.fill("configs-text", &pasted.to_string()).await.unwrap();
    page.click("configs-import").await.unwrap();
    page.says("configs-said", "2 tools were imported.").await.unwrap();
    page.click("mcp-offer-add-files").await.unwrap();
    page.says("mcp-offer-files", "proxy").await.unwrap();
    page.says("tool-row", "confirmAction").await.unwrap();
    assert_eq!(world.get("/api/mcp/servers").await, json!({"servers": []}));
    picture(&page, "pasted").await;
}
