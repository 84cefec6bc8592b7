//! The live tester beside the editor: a draft is run before it is saved, and every stage of it is shown.

use crate::tools_page::{fill_weather, tools_page};
use crate::world::tools::{ToolWorld, picture};
use nodes::tools::{Answer, CallerOutcome, When, credentials};
use serde_json::json;
use webdriver::{TIMEOUT, until};

/// A draft is tested before it is saved: what goes out with names in the place of secrets, each attempt, the answer, the part
/// that counts and whether it has the right form. A press of Stop ends the request. Nothing is stored or counted.
#[tokio::test]
async fn draft_is_tested_live() {
    let it = ToolWorld::start().await;
    it.popup.put_secret("WEATHER_KEY", "key-in-clear", None).await.unwrap();
    let page = tools_page(&it).await;
    page.click("tool-new").await.unwrap();
    fill_weather(&page, &it.server).await;
    page.click("edit-header-add").await.unwrap();
    page.fill("edit-header-name", "X-Api-Key").await.unwrap();
    page.fill("edit-header-value", "${WEATHER_KEY}").await.unwrap();
    page.fill("arg-city", "Rome").await.unwrap();
    it.server.next(1, "/weather", Answer::empty(503));
    page.click("test-run").await.unwrap();
    page.says("trial-result", "It works").await.unwrap();
    let stage = async |name: &str| page.texts(&format!("trial-{name}")).await.unwrap().concat();
    let request = stage("request").await;
    for words in ["GET", "/weather?city=Rome", "X-Api-Key: ", "WEATHER_KEY"] {
        assert!(request.contains(words), "{words} in {request}");
    }
    let attempts = stage("attempts").await;
    assert!(attempts.contains("503") && attempts.contains("200"), "{attempts}");
    assert!(stage("answer").await.contains("Rome"));
    let whole = page.run("return document.body.innerText", vec![]).await.unwrap().to_string();
    assert!(!whole.contains("key-in-clear"), "{whole}");
    assert_eq!(it.server.requests().pop().unwrap().header("x-api-key"), Some("key-in-clear"));
    picture(&page, "tester").await;

    page.fill("edit-extract", "$.current.temperature").await.unwrap();
    let unfold = "document.querySelector('[data-testid=edit-output-schema]').closest('details').open = true";
    page.run(unfold, vec![]).await.unwrap();
    page.fill("edit-output-schema", r#"{"type": "string"}"#).await.unwrap();
    page.click("test-run").await.unwrap();
    page.says("trial-extracted", "21.5").await.unwrap();
    page.says("trial-check", "string").await.unwrap();
    picture(&page, "tester-mismatch").await;

    let held = it.server.hold("/weather", When::Before);
    let before = it.server.count("/weather");
    page.click("test-run").await.unwrap();
    it.server.wait_count("/weather", before + 1).await.unwrap();
    page.click("test-stop").await.unwrap();
    page.says("trial-result", "cancelled").await.unwrap();
    assert_eq!(it.server.wait_ended("/weather").await.unwrap().outcome, CallerOutcome::Left);
    held.release();
    let tools = it.get("/tools/search?q=weather&includeDisabled=true").await;
    assert_eq!(tools["tools"], json!([]));
}

/// T002-84: a `curl` command fills the form in: its token becomes a secret that must be saved, and what a tool cannot do is
/// told. After a test, a click on a value of the answer makes it the part that counts.
#[tokio::test]
async fn tool_is_made_of_a_curl_command() {
    let it = ToolWorld::start().await;
    let page = tools_page(&it).await;
    page.click("tool-new").await.unwrap();
    page.click("edit-curl-open").await.unwrap();
    let token = credentials::TOKEN;
    let url = it.server.url("/bearer?deep=1");
    let command = format!("curl -A mine/1 -H 'Authorization: Bearer {token}' '{url}'");
    page.fill("edit-curl", &command).await.unwrap();
    page.click("edit-curl-take").await.unwrap();
    page.says("edit-curl-notes", "User-Agent").await.unwrap();
    let value = "return document.querySelector(`[data-testid=\"${args[0]}\"]`).value";
    let read = async |field: &str| page.run(value, vec![json!(field)]).await.unwrap();
    assert_eq!((read("edit-url").await, read("edit-auth").await), (json!(url), json!("bearer")));
    let form =
        page.run("return [...document.querySelectorAll('input, textarea')].map((e) => e.value)", vec![]);
    let (form, typed) = (form.await.unwrap().to_string(), json!(command).to_string());
    assert!(!form.replace(&typed, "").contains(token), "{form}");
    let name = "return document.querySelector('[data-testid=edit-secret]').dataset.name";
    let name = page.run(name, vec![]).await.unwrap();
    it.popup.put_secret(name.as_str().unwrap(), token, None).await.unwrap();
    page.fill("edit-name", "List").await.unwrap();
    page.fill("edit-description", "Lists what is there. Use it to look.").await.unwrap();
    it.server.next(1, "/bearer", Answer::json(&json!({"list": [{"deep": 7}, {"deep": 8}]})));
    page.click("test-run").await.unwrap();
    page.says("trial-result", "It works").await.unwrap();
    let pick =
        "for (const part of document.querySelectorAll('[data-testid=value-tree] details')) part.open = true;
        const values = [...document.querySelectorAll('[data-testid=value-tree] button[data-path]')];
        const seven = values.find((button) => button.innerText === '7');
        seven?.click(); return Boolean(seven)";
    until("the value", TIMEOUT, async || (page.run(pick, vec![]).await.ok()? == true).then_some(()))
        .await
        .unwrap();
    assert_eq!(read("edit-extract").await, "$.list[0].deep");
    picture(&page, "picked").await;
    let every = "[...document.querySelectorAll('button[aria-pressed]')].find((b) => b.innerText.includes('[*]')).click()";
    page.run(every, vec![]).await.unwrap();
    assert_eq!(read("edit-extract").await, "$.list[*].deep");
    it.server.next(1, "/bearer", Answer::json(&json!({"list": [{"deep": 7}, {"deep": 8}]})));
    page.click("test-run").await.unwrap();
    page.says("trial-extracted", "8").await.unwrap();
    let sent = it.server.requests();
    assert!(sent.iter().all(|request| request.header("authorization") == Some(&format!("Bearer {token}"))));
}

/// T002-23: a header that the browser keeps to itself is refused at its field; a `User-Agent`, which it replaces, is told as
/// it is typed, in the tester and after the tool is saved.
#[tokio::test]
async fn headers_that_are_not_sent_are_told() {
    let it = ToolWorld::start().await;
    let page = tools_page(&it).await;
    page.click("tool-new").await.unwrap();
    fill_weather(&page, &it.server).await;
    page.click("edit-header-add").await.unwrap();
    page.fill("edit-header-name", "Cookie").await.unwrap();
    page.fill("edit-header-value", "a=b").await.unwrap();
    page.click("edit-save").await.unwrap();
    page.says("field-error", "Cookie is set by the browser").await.unwrap();
    page.fill("edit-header-name", "User-Agent").await.unwrap();
    page.fill("edit-header-value", "mine/1").await.unwrap();
    page.says("edit-header-note", "User-Agent is not sent as written").await.unwrap();
    page.fill("arg-city", "Rome").await.unwrap();
    page.click("test-run").await.unwrap();
    page.says("trial-warning", "User-Agent is not sent as written").await.unwrap();
    assert!(!page.texts("trial-request").await.unwrap().concat().contains("mine/1"));
    let sent = it.server.requests().pop().unwrap();
    assert_ne!(sent.header("user-agent"), Some("mine/1"));
    picture(&page, "user-agent").await;
    page.click("edit-save").await.unwrap();
    page.says("tools-notice", "User-Agent is not sent as written").await.unwrap();
}
