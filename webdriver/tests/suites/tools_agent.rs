//! The agent uses a tool that a person made: it is declared, approved, called once and counted once, also if the worker is
//! killed in the middle.

use crate::world::PATIENCE;
use crate::world::tools::{ToolWorld, order, picture, weather};
use crate::world::vault::PASSWORD;
use agent_backend::Fault;
use nodes::When;
use serde_json::json;
use webdriver::{TIMEOUT, until};

const KEY: &str = "key-of-the-weather";

/// T002-73: a tool is declared to the agent while it is switched on. Before its first call to a host the popup shows what is
/// sent, where to and with which secrets by name; after the approval and the password it is sent, its result reaches the
/// backend once, and the call is counted.
#[tokio::test]
async fn agent_calls_a_tool() {
    let it = ToolWorld::start().await;
    let tool = weather(&it.server).with("headers", json!({"X-Api-Key": "${WEATHER_KEY}"}));
    it.popup.put_secret("WEATHER_KEY", KEY, Some(PASSWORD)).await.unwrap();
    it.put(&tool).await;
    assert_eq!(it.api("POST", "/api/vaults/active/lock", json!(null)).await.0, 200);

    it.popup.go("agent").await.unwrap();
    it.popup.send_message("weather in Rome").await.unwrap();
    it.popup.says("call-preview", &it.server.host()).await.unwrap();
    let shown = it.popup.texts("call-preview").await.unwrap().concat();
    for words in ["GET", "/weather?city=Rome", "X-Api-Key", "WEATHER_KEY"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    assert!(!shown.contains(KEY), "{shown}");
    it.popup.says("preview-secrets", "WEATHER_KEY").await.unwrap();
    picture(&it.popup, "consent").await;
    let declared = it.agent.tools().into_iter().find(|tool| tool.name == "get_weather").unwrap();
    assert_eq!(declared.schema["required"], json!(["city"]));
    assert_eq!((it.server.requests().len(), it.arrived()), (0, 0), "nothing was sent before the approval");

    it.popup.approve().await.unwrap();
    it.give_password().await;
    let result = it.results(1).await.remove(0);
    assert_eq!((result.success, &result.data), (true, &Some(json!("Sunny"))), "{result:?}");
    let [request] = it.server.requests().try_into().unwrap();
    assert_eq!((request.header("x-api-key"), request.argument("city")), (Some(KEY), Some("Rome".to_owned())));
    assert_eq!(it.metrics(&tool).await, (1, 0, true));
    until("what the agent says", TIMEOUT, async || {
        let messages = it.popup.messages().await.ok()?;
        messages.iter().any(|message| message.text.contains("Sunny")).then_some(())
    })
    .await
    .unwrap();

    // The host is approved: the next call asks for the password alone.
    it.popup.send_message("weather in Atlantis").await.unwrap();
    it.give_password().await;
    let result = it.results(2).await.remove(1);
    assert!(result.error.as_deref().unwrap().starts_with("http_status: "), "{result:?}");
    assert_eq!(it.metrics(&tool).await, (2, 1, true));
    picture(&it.popup, "conversation").await;

    it.popup.switch_tool(&tool, false).await.unwrap();
    it.popup.send_message("weather in Oslo").await.unwrap();
    it.wait_for_tools("get_weather", false).await;
    until("an agent without the tool", TIMEOUT, async || {
        let messages = it.popup.messages().await.ok()?;
        messages.iter().any(|message| message.text.contains("I have no tool for the weather")).then_some(())
    })
    .await
    .unwrap();
    it.popup.switch_tool(&tool, true).await.unwrap();
    it.popup.send_message("hello").await.unwrap();
    it.wait_for_tools("get_weather", true).await;
    assert_eq!((it.server.requests().len(), it.arrived()), (2, 2));
    assert_eq!(it.agent.violations(), Vec::<String>::new());

    let page = it.browser.open(&it.browser.extension_url("tools.html")).await.unwrap();
    page.click("tool-open").await.unwrap();
    page.says("tool-metrics", "2").await.unwrap();
    page.says("tool-metrics", "1").await.unwrap();
    picture(&page, "metrics").await;
}

/// T002-70, T002-73: the worker is killed in the middle of a call. A request that can be repeated is, and ends once; one that cannot
/// is not, and its outcome is said to be unknown; a result that waits for its delivery is delivered once. Each call is
/// counted once.
#[tokio::test]
async fn worker_is_killed_in_the_middle() {
    let it = ToolWorld::start().await;
    let (get, post) = (weather(&it.server), order(&it.server));
    it.put(&get).await;
    it.put(&post).await;

    // A GET that the server has not answered.
    let mut held = it.server.hold("/weather", When::Before);
    it.say("weather in Rome").await;
    it.approve_call().await;
    it.browser.kill_worker_after(held.wait_arrived()).await.unwrap();
    held.release();
    let result = it.results(1).await.remove(0);
    assert_eq!((result.success, &result.data), (true, &Some(json!("Sunny"))), "{result:?}");
    assert_eq!((it.server.count("/weather"), it.metrics(&get).await), (2, (1, 0, true)));

    // A POST that the server has handled, and whose answer is lost.
    let mut held = it.server.hold("/orders", When::After);
    it.say("order tea").await;
    it.approve_call().await;
    it.browser.kill_worker_after(held.wait_arrived()).await.unwrap();
    held.release();
    let result = it.results(2).await.remove(1);
    assert!(result.error.as_deref().unwrap().starts_with("outcome_unknown: "), "{result:?}");
    assert_eq!((it.server.orders().len(), it.server.count("/orders")), (1, 1));
    assert_eq!(it.metrics(&post).await, (1, 1, true));

    // A POST that has its answer, which the backend does not take yet.
    it.agent.set_fault(Fault::status(503).on_results());
    let conversation = it.say("order milk").await;
    it.approve_call().await;
    it.calls(&conversation, "done", 1).await;
    assert!(it.browser.kill_worker().await.unwrap(), "no worker was running");
    it.agent.clear_faults();
    let result = it.results(3).await.remove(2);
    assert!(result.success, "{result:?}");
    assert_eq!((it.server.orders().len(), it.metrics(&post).await), (2, (2, 1, true)));

    // A page's call: the same request with the same id is the same call.
    let id = it.new_id().await;
    let path = format!("{}/invoke", get.path());
    let body = json!({"args": {"city": "Oslo"}, "id": id});
    let mut held = it.server.hold("/weather", When::Before);
    let first = it.popup.begin("POST", &path, Some(body.clone())).await.unwrap();
    it.browser.kill_worker_after(held.wait_arrived()).await.unwrap();
    held.release();
    until("the end of the first request", PATIENCE, async || first.ended().await.then_some(()))
        .await
        .unwrap();
    let (status, answer) = it.api("POST", &path, body).await;
    assert_eq!((status, answer), (200, json!({"ok": true, "value": "Sunny"})));
    assert_eq!(it.metrics(&get).await, (2, 0, true));
    assert_eq!((it.arrived(), it.agent.violations()), (3, Vec::new()));
}
