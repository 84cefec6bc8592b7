//! The secret of a tool reaches its own server and no other place.

use crate::secrets::secret::Secrets;
use crate::secrets::{events, files, in_file, stored};
use crate::world::tools::{ToolWorld, weather};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SECRET: &str = "Lantern-Otter-6619-Quarry";

/// Reads every file of an archive in base64, inflated.
const UNPACK: &str = r#"
    const bytes = Uint8Array.from(atob(args[0]), (sign) => sign.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const texts = [];
    for (let at = 0; view.getUint32(at, true) === 0x04034b50; ) {
        const [method, size] = [view.getUint16(at + 8, true), view.getUint32(at + 18, true)];
        const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
        const blob = new Blob([bytes.subarray(start, start + size)]);
        const plain = method === 8 ? blob.stream().pipeThrough(new DecompressionStream("deflate-raw")) : blob.stream();
        texts.push(await new Response(plain).text());
        at = start + size;
    }
    return texts.join("\n");
"#;

/// T002-34: a secret is used in a header, the query and the body, by a page, the agent and the tester, with a server that
/// sends it back and one that fails. After that it is in no store, event, log, record, export, message to the agent or answer
/// to a page, and in no file of the profile.
#[tokio::test]
async fn secret_of_a_tool_does_not_leak() {
    let mut it = ToolWorld::start().await;
    let console = it.browser.console().await.unwrap();
    it.popup.put_secret("WEATHER_KEY", SECRET, None).await.unwrap();
    let headers = json!({"X-Api-Key": "${WEATHER_KEY}", "Content-Type": "application/json"});
    let url = it.server.url("/echo?city=${city}&key=${WEATHER_KEY}");
    let tool = weather(&it.server)
        .with("urlTemplate", url.as_str())
        .with("method", "POST")
        .with("headers", headers)
        .with("bodyTemplate", r#"{"city": "${city}", "key": "${WEATHER_KEY}"}"#)
        .with("extractExpr", "$");
    it.put(&tool).await;
    let mut seen: Vec<(String, String)> = Vec::new();
    let answer = it.value(&tool, json!({"city": "Rome"})).await.unwrap();
    seen.push(("the answer to a page".to_owned(), answer.to_string()));
    let mut draft = tool.body();
    draft["slug"] = json!("draft");
    let (status, trial) =
        it.api("POST", "/tools/test", json!({"tool": draft, "args": {"city": "Rome"}})).await;
    assert_eq!((status, &trial["result"]["ok"]), (200, &json!(true)), "{trial}");
    seen.push(("the answer to the tester".to_owned(), trial.to_string()));
    it.say("weather in Rome").await;
    it.approve_call().await;
    assert!(it.results(1).await[0].success);
    it.server.always("/echo", nodes::tools::Answer::of(500, "text/plain", format!("bad key {SECRET}")));
    let error = it.value(&tool, json!({"city": "Rome"})).await.unwrap_err();
    seen.push(("an error".to_owned(), error));
    let requests = it.server.requests();
    for request in &requests {
        assert_eq!(
            (request.header("x-api-key"), request.argument("key").as_deref()),
            (Some(SECRET), Some(SECRET))
        );
        assert!(String::from_utf8_lossy(&request.body).contains(SECRET));
    }
    assert_eq!(requests.len(), 4);

    for path in [
        "/api/calls",
        "/api/audit",
        "/api/secrets",
        "/tools?includeDisabled=true",
        "/api/settings",
        "/api/health",
    ] {
        seen.push((path.to_owned(), it.get(path).await.to_string()));
    }
    let log = it.popup.run("return (await fetch('/api/audit/export')).text()", vec![]).await.unwrap();
    seen.push(("the exported log".to_owned(), log.to_string()));
    let export = it.get(&format!("{}/export", tool.path().split("/tools/get").next().unwrap())).await;
    let archive = it.popup.run(UNPACK, vec![export["base64"].clone()]).await.unwrap();
    assert!(archive.as_str().unwrap().contains("${WEATHER_KEY}"), "{archive}");
    seen.push(("the exported bundle".to_owned(), archive.to_string()));
    seen.push(("every event".to_owned(), events(&it.popup).await));
    let said: Vec<Value> = it.agent.requests().into_iter().map(|request| request.body).collect();
    seen.push(("requests at the agent".to_owned(), format!("{said:?} {:?}", it.agent.results())));
    seen.push((
        "the popup".to_owned(),
        it.popup.run("return document.body.innerText", vec![]).await.unwrap().to_string(),
    ));
    seen.push(("the consoles".to_owned(), console.lines().concat()));
    seen.extend(stored(&it.popup).await);
    let secrets = Secrets::new().text("the secret", SECRET);
    let found: BTreeSet<String> =
        seen.iter().flat_map(|(place, text)| secrets.found(place, text.as_bytes())).collect();
    assert_eq!(found, BTreeSet::new());

    drop(console);
    it.world.browser.end().await.unwrap();
    let profile = it.browser.profile();
    let files = files(profile);
    let found: BTreeSet<String> = files.iter().flat_map(|file| in_file(&secrets, profile, file)).collect();
    assert_eq!(found, BTreeSet::new());
    assert!(files.len() > 10, "the profile was scanned");
}
