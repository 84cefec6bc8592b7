//! The demo: the reference agent, a Chromium with the built extension, one conversation, and what came of it.
//! `cargo xtask demo` builds and starts it.

use agent::{Agent, Options as AgentOptions, ReceivedRequest, Script, State};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use webdriver::{Browser, Options, Popup, not_yet, until};

const SCRIPT: &str = include_str!("../../crate/agent/scripts/demo.toml");
const MESSAGE: &str = "Please save my contacts";
/// The script's first turn proposes as many.
const ACTIONS: usize = 5;
/// Things that take milliseconds may take this long on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The width of a browser's side panel, and the least height of a picture.
const PICTURE: (u64, u64) = (420, 720);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let mut docs: Option<PathBuf> = None;
    let mut headless = ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none());
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--headless" => headless = true,
            _ => docs = Some(word.into()),
        }
    }
    let docs = docs.context("say into which folder the pictures go; `cargo xtask demo` does")?;

    println!("4/6 start the agent and Chromium{}", if headless { ", without a window" } else { "" });
    let script = Script::parse(SCRIPT).context("crate/agent/scripts/demo.toml")?;
    let agent = Agent::start(script, AgentOptions::default()).await?;
    let options = Options { headless, window: (900, 900), ..Options::from_env()? };
    let browser = Browser::launch(options).await.context(match headless {
        true => "Chromium does not run here",
        false => "Chromium does not open a window here (without one: `cargo xtask demo --headless`)",
    })?;
    let popup = browser.popup().await?;
    // As in the side panel, where a conversation has room.
    popup.goto(&browser.extension_url("popup.html?view=panel")).await?;
    connect(&popup, &agent.url()).await?;
    println!("    the wallet talks to the agent at {}", agent.url());

    println!("5/6 write to the agent: {MESSAGE}");
    popup.go("agent").await?;
    popup.send_message(MESSAGE).await?;
    let results = agent.wait_for(|state| Some(results(state)).filter(|all| all.len() >= ACTIONS), PATIENCE);
    let results = results.await.context("the results did not all arrive at the agent")?;
    let summary = summary(&popup).await?;
    popup.settled_cards(ACTIONS).await?;
    let violations = agent.violations();
    ensure!(violations.is_empty(), "the wallet did not keep to the protocol: {}", violations.join("; "));

    println!("6/6 take pictures");
    let pictures = [docs.join("demo.png"), docs.join("demo-contacts.png")];
    colours(&popup, Some("light")).await?;
    picture(&popup, &pictures[0]).await?;
    let contacts = contacts(&popup).await?;
    colours(&popup, Some("dark")).await?;
    popup.go("contacts").await?;
    until("the contacts on the page", PATIENCE, async || {
        let shown = popup.contacts().await?;
        if shown.len() == contacts.len() { Ok(()) } else { Err(not_yet(shown)) }
    })
    .await?;
    picture(&popup, &pictures[1]).await?;
    colours(&popup, None).await?;
    popup.go("agent").await?;

    println!("\nEvery ActionResult as the agent received it:");
    for (number, result) in results.iter().enumerate() {
        println!("\n{}. {result:#}", number + 1);
    }
    println!("\nThe contacts that are now in the wallet:");
    for contact in &contacts {
        println!("  {:<8}{:<10}{}", text(contact, "title"), text(contact, "chain"), text(contact, "address"));
    }
    println!("\nThe agent: {summary}");
    println!("\nPictures: {}", pictures.map(|path| path.display().to_string()).join(" and "));
    let done = results.iter().filter(|result| result.get("success") == Some(&json!(true))).count();
    println!(
        "\nShown: an agent proposed {} actions; the extension's Rust core carried out {done}, answered {} with \
         the reason why not, and the agent has every result.",
        results.len(),
        results.len() - done
    );
    if !headless {
        println!("\nThe browser stays open. Write to the agent; close the window or press Ctrl-C to end.");
        closed(&browser).await;
    }
    Ok(())
}

/// Points the wallet at the agent, by the settings page.
async fn connect(popup: &Popup, url: &str) -> Result<()> {
    popup.set_backend(url, None).await?;
    until("the settings to be saved", PATIENCE, async || {
        let (_, settings) = popup.fetch("GET", "/api/settings", None).await?;
        match settings.pointer("/backend/url") {
            Some(saved) if saved == url => Ok(()),
            _ => Err(not_yet(settings)),
        }
    })
    .await?;
    Ok(())
}

/// The bodies of the results that were taken, each once, in order of arrival.
fn results(state: &State) -> Vec<Value> {
    let taken = |request: &&ReceivedRequest| request.refused.is_none() && !request.repeat;
    let requests = state.requests().iter().filter(taken);
    requests.filter_map(|request| request.body.get("action_result").cloned()).collect()
}

/// What the agent says after the last result, once it stands on the page.
async fn summary(popup: &Popup) -> Result<String> {
    let said = until("the agent's summary on the page", PATIENCE, async || {
        let messages = popup.messages().await?;
        match messages.last() {
            // The number ends the sentence; before it, the text is still arriving.
            Some(said) if said.role == "agent" && said.text.contains("address book: 3.") => {
                Ok(said.text.clone())
            }
            _ => Err(not_yet(messages)),
        }
    });
    Ok(said.await?)
}

/// The contacts in the wallet's IndexedDB.
async fn contacts(popup: &Popup) -> Result<Vec<Value>> {
    let records = popup.idb("countersign", "contacts").await?;
    let contact = |record: Value| match record {
        Value::String(text) => serde_json::from_str(&text).context("a contact in the store is not JSON"),
        other => Ok(other),
    };
    let contacts: Vec<Value> = records.into_iter().map(contact).collect::<Result<_>>()?;
    if contacts.is_empty() {
        bail!("the agent's contacts are not in the wallet");
    }
    Ok(contacts)
}

/// A picture of the whole view at twice the usual number of pixels, as tall as what would scroll.
async fn picture(popup: &Popup, to: &Path) -> Result<()> {
    let (width, mut height) = PICTURE;
    popup.cdp("Emulation.setScrollbarsHidden", json!({"hidden": true})).await?;
    for _ in 0..2 {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 2, "mobile": false});
        popup.cdp("Emulation.setDeviceMetricsOverride", size).await?;
        height += popup.run(OVERFLOW, vec![]).await?.as_u64().unwrap_or_default();
    }
    popup.screenshot(to).await.with_context(|| format!("could not write {}", to.display()))?;
    popup.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await?;
    popup.cdp("Emulation.setScrollbarsHidden", json!({"hidden": false})).await?;
    Ok(())
}

/// Two frames later, without the cursor: how many pixels do not fit into the area that scrolls.
const OVERFLOW: &str = r#"
    document.activeElement?.blur();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const scrolls = (element) => element.checkVisibility() && getComputedStyle(element).overflowY === "auto";
    const areas = [...document.querySelectorAll("main *")].filter(scrolls);
    return Math.max(0, ...areas.map((area) => area.scrollHeight - area.clientHeight));
"#;

/// Shows the page in `light` or `dark`, or as the person has it.
async fn colours(popup: &Popup, scheme: Option<&str>) -> Result<()> {
    let feature = json!({"name": "prefers-color-scheme", "value": scheme.unwrap_or_default()});
    popup.cdp("Emulation.setEmulatedMedia", json!({"features": [feature]})).await?;
    Ok(())
}

fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Until the person closes the browser or interrupts us.
async fn closed(browser: &Browser) {
    let gone = async {
        while browser.targets().await.is_ok_and(|all| all.iter().any(|target| target.kind == "page")) {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::select! {
        () = gone => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
