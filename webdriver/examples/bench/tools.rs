//! Calls of tools from a page of the extension, against a page that fetches and checks by itself; and the toolbox against
//! libraries for the same.

use crate::cold_start;
use crate::shared::ask;
use anyhow::{Context, Result, ensure};
use nodes::tools::ToolServer;
use serde_json::{Value, json};
use std::path::Path;
use webdriver::{Browser, Options, Page, Site};

const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";
const WALLET_BUNDLE: &str = "019a0000-0000-7000-8000-000000000001";
/// Times differ much from call to call: the disk has its moods.
const CALLS: u32 = 60;
const ROUNDS: u32 = 15;
/// A module is loaded once a page.
const PAGES: u32 = 7;
const TOOLS: (&str, &str) = ("tools.html", "tools");

/// Calls a tool again and again, after five that are not timed.
const INVOKE: &str = r#"
    const [path, toolArgs, count] = args;
    const times = [];
    for (let round = -5; round < count; round++) {
        const start = performance.now();
        const response = await fetch(path, { method: "POST", body: JSON.stringify({ args: toolArgs }) });
        const answer = await response.json();
        if (round >= 0) times.push(performance.now() - start);
        if (!answer.ok) throw new Error(JSON.stringify(answer));
    }
    return times;
"#;

/// All of it.
pub(crate) async fn measure(extension: &Path, site: &Site) -> Result<Value> {
    eprintln!("calls of tools, and fetch");
    let server = ToolServer::start().await?;
    let url = server.url("/weather");
    let peer = super::call(site, TOOLS, "measureFetch", vec![url.clone().into(), CALLS.into()]).await?;
    let (built_in, http) = calls(extension, &url).await?;
    let again = super::call(site, TOOLS, "measureFetch", vec![url.into(), CALLS.into()]).await?;
    eprintln!("the toolbox");
    let mut first_use = Vec::new();
    for _ in 0..PAGES {
        first_use.push(super::call(site, TOOLS, "measureFirstUse", Vec::new()).await?);
    }
    let validation = super::call(site, TOOLS, "measureValidation", vec![ROUNDS.into()]).await?;
    let search = super::call(site, TOOLS, "measureSearch", vec![ROUNDS.into()]).await?;
    Ok(json!({
        "builtIn": built_in, "http": http, "fetch": [peer, again],
        "firstUse": first_use, "validation": validation, "search": search,
    }))
}

/// Times of a built-in tool and of an HTTP tool.
async fn calls(extension: &Path, url: &str) -> Result<(Value, Value)> {
    // An idle page: one of ours would read again what a call changes.
    let folder = cold_start::copy(extension)?;
    let browser = Browser::launch(Options::new(folder.path())).await?;
    let page = browser.open(&browser.extension_url(cold_start::PAGE)).await?;
    page.controlled().await?;
    let host = url.split('/').nth(2).context("an address has a host")?;
    ask(&page, "PATCH", "/api/settings", json!({"allowedHosts": [host]})).await?;
    let bundle = json!({"slug": "bench", "displayName": "Bench", "isEnabled": true, "description": ""});
    ask(&page, "PUT", &format!("/tools/bundles/{BUNDLE}"), bundle).await?;
    let weather = format!("/tools/bundles/{BUNDLE}/tools/weather/version/v1");
    let tool = json!({
        "displayName": "Weather", "description": "Gets the weather of a city.", "type": "http", "isEnabled": true,
        "argSchema": {"type": "object", "required": ["city"], "additionalProperties": false,
            "properties": {"city": {"type": "string", "minLength": 1, "maxLength": 80}}},
        "outputSchema": {"type": "object", "required": ["city"]},
        "impl": {"method": "GET", "urlTemplate": format!("{url}?city=${{city}}")},
        "category": "read", "consequenceLevel": "low", "requiresConfirmation": false,
    });
    let made = ask(&page, "PUT", &weather, tool).await?;
    ensure!(made.pointer("/effective/isCallable") == Some(&json!(true)), "{made}");
    let book = format!("/tools/bundles/{WALLET_BUNDLE}/tools/get-address-book/version/v1");
    let built_in = invoke(&page, &book, json!({}), CALLS).await?;
    let http = invoke(&page, &weather, json!({"city": "Rome"}), CALLS).await?;
    Ok((built_in, http))
}

/// The times of so many calls, one after the other.
pub(crate) async fn invoke(page: &Page, tool: &str, args: Value, count: u32) -> Result<Value> {
    let args = vec![format!("{tool}/invoke").into(), args, count.into()];
    page.run(INVOKE, args).await.with_context(|| format!("in {tool}"))
}
