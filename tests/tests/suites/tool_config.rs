//! Configurations of specification 004: what they become in the tool store, and how an agent calls them.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::pending::{calls, config};
use countersign_tests::tools::*;
use countersign_tests::world::*;
use serde_json::{Value, json};

const AGENT_TOOLS: &str = "019a0000-0000-7000-8000-000000000002";

/// T004-3: a configuration is a tool of a bundle of its own. The same again is the same tool; another content is the next
/// version, which is called from then on.
#[tokio::test(start_paused = true)]
async fn configs_are_tools_of_a_bundle() {
    let world = World::new().await;
    let show = config("showText", "internal", json!({}));
    let (status, body) = world.call("POST", "/tools/configs", show.clone()).await;
    let record = &body["tools"][0];
    assert_eq!(status, 201, "{body}");
    let fields = ["bundleID", "slug", "version", "name", "type", "visible", "isEnabled"];
    let found: Vec<&Value> = fields.iter().map(|name| &record[*name]).collect();
    assert_eq!(json!(found), json!([AGENT_TOOLS, "show-text", "v1", "showText", "internal", false, true]));
    assert!(world.slugs("/tools/bundles").await.0.contains(&"agent-tools".to_owned()));
    let (status, again) = world.call("POST", "/tools/configs", show.clone()).await;
    assert_eq!((status, &again["tools"][0]["id"]), (200, &record["id"]));
    let changed = with(show.clone(), "visible", json!(true));
    let (status, body) = world.call("POST", "/tools/configs", json!({"tools": [changed, show]})).await;
    let versions: Vec<&Value> = (0..2).map(|place| &body["tools"][place]["version"]).collect();
    assert_eq!((status, versions), (201, vec![&json!("v2"), &json!("v3")]));
    let text = world.reply("GET", "/tools", "").await.body;
    assert_eq!(text.matches(r#""name":"showText""#).count(), 3, "each record says its name once");
}

/// T004-3, T004-7: what is wrong is said with its place, and nothing of the request is stored.
#[tokio::test(start_paused = true)]
async fn one_wrong_config_stores_none() {
    let world = World::new().await;
    let good = config("showText", "internal", json!({}));
    for (body, code, path) in [
        (
            json!({"tools": [good, config("x", "magic", json!({}))]}),
            "invalid_field",
            "/tools/1/executionType",
        ),
        (
            json!({"tools": [good, config("x", "space", json!({"description": null}))]}),
            "missing_field",
            "/tools/1/description",
        ),
        (json!({"tools": [good, 7]}), "invalid_field", "/tools/1"),
        (json!({"tools": {}}), "invalid_request", "/tools"),
        (config("add_chain", "internal", json!({})), "name_taken", "/name"),
        (config("x", "space", json!({"inputSchema": null})), "missing_field", "/inputSchema"),
        (
            config("x", "gateway", json!({"execution": {"url": "http://a.org"}})),
            "invalid_url",
            "/execution/url",
        ),
    ] {
        let (status, answer) = world.call("POST", "/tools/configs", body.clone()).await;
        let error = &answer["error"];
        let expected = if code == "name_taken" { 409 } else { 400 };
        assert_eq!(
            (status, &error["code"], &error["path"]),
            (expected, &json!(code), &json!(path)),
            "{body}"
        );
    }
    let built_in = world.get("/tools").await["tools"].as_array().unwrap().len();
    world.import(&[good]).await;
    assert_eq!(world.get("/tools").await["tools"].as_array().unwrap().len(), built_in + 1);
    assert_eq!(
        world.refused("GET", "/tools/configs", Value::Null).await,
        (405, "method_not_allowed".to_owned())
    );
}

/// T004-4, T004-5: the agent is told of the tool by its own name, with its description and schema, and calls it so.
#[tokio::test(start_paused = true)]
async fn an_agent_calls_by_the_own_name() {
    let world = World::proposing(json!([calls("a1", "showText", json!({"text": "hi"}))])).await;
    let schema = json!({"type": "object", "properties": {"text": {"type": "string", "default": "none"}, "size": {"default": 1}}});
    world
        .import(&[config(
            "showText",
            "internal",
            json!({"inputSchema": schema, "description": "Shows a text."}),
        )])
        .await;
    world.say("go").await;
    let declared = world.messages_sent()[0].body["context"]["tools"].clone();
    let own = declared.as_array().unwrap().iter().find(|tool| tool["name"] == "showText").unwrap();
    assert_eq!((&own["description"], &own["schema"]), (&json!("Shows a text."), &schema));
    let expected = json!({"action": "showText", "action_id": "a1", "success": true,
        "data": {"success": true, "args": {"text": "hi"}}});
    assert_eq!(world.results(), [expected], "T004-16: the arguments come back unchanged");
}

/// A record of its own fields: a tool that an archive or a page puts keeps its name and visibility.
#[tokio::test(start_paused = true)]
async fn records_keep_name_and_visibility() {
    let world = World::with_bundle().await;
    let body = json!({"name": "showChart", "visible": true, "displayName": "Chart", "description": "Shows a chart.",
        "argSchema": {"type": "object"}, "type": "internal"});
    let record = world.put(&tool_path("chart"), body).await;
    assert_eq!(
        (&record["name"], &record["visible"], &record["impl"]),
        (&json!("showChart"), &json!(true), &json!({}))
    );
    let packed = world.get(&format!("{}/export", bundle_path(BUNDLE))).await;
    assert_eq!(world.call("DELETE", &tool_path("chart"), Value::Null).await.0, 204);
    assert_eq!(world.call("POST", "/tools/import", json!({"base64": packed["base64"]})).await.0, 201);
    let record = world.get(&tool_path("chart")).await;
    assert_eq!((&record["name"], &record["visible"]), (&json!("showChart"), &json!(true)));
}
