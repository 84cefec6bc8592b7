//! `cargo xtask mcp` in Chromium: the official conformance suite against the wallet's MCP client. JSON on standard output,
//! progress on standard error. Words choose scenarios: `auth/iss-supported`, `2026-07-28`, `auth/*`.
//!
//! One browser serves all scenarios. The suite starts `tests/mcp/client.mjs`, which hands the scenario's server over to this
//! program; a page of the extension does what a user would.

#[path = "../shared/mod.rs"]
mod shared;
mod suite;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use shared::{PASSWORD, ask};
use std::path::PathBuf;
use std::time::Instant;
use suite::{ALSO, REVISIONS, Suite, WITHOUT_SET};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use webdriver::{Browser, Options, Page};

const DRIVE: &str = include_str!("drive.js");

/// One run of a scenario.
struct Planned {
    revision: &'static str,
    scenario: String,
    is_required: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let folder = std::env::var_os("COUNTERSIGN_MCP_SUITE").map(PathBuf::from);
    let folder = folder.context("COUNTERSIGN_MCP_SUITE does not name tests/mcp; `cargo xtask mcp` does")?;
    let results = std::env::var_os("COUNTERSIGN_MCP_RESULTS").map(PathBuf::from);
    let results = results.context("COUNTERSIGN_MCP_RESULTS names no folder; `cargo xtask mcp` does")?;
    let suite = Suite::at(&folder, &results)?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let planned: Vec<Planned> =
        plan(&suite)?.into_iter().filter(|planned| is_wanted(planned, &words)).collect();
    ensure!(!planned.is_empty(), "no scenario is called {}", words.join(" or "));

    let browser = Browser::launch(Options::from_env()?).await?;
    let page = browser.open(&browser.extension_url("tools.html")).await?;
    page.controlled().await?;
    prepare(&page).await?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let port = listener.local_addr()?.port();

    let mut scenarios = Vec::new();
    for Planned { revision, scenario, is_required } in planned {
        let begun = Instant::now();
        let outcome = tokio::select! {
            outcome = suite.run(revision, &scenario, port) => outcome?,
            failed = serve(&listener, &page) => return failed,
        };
        let seconds = begun.elapsed().as_secs_f64();
        eprintln!(
            "{} {revision} {scenario} {seconds:.1} s",
            if outcome.passed { "ok    " } else { "FAILED" }
        );
        let mut entry = outcome.json;
        if let Some(fields) = entry.as_object_mut() {
            fields.insert("required".to_owned(), is_required.into());
            fields.insert("seconds".to_owned(), seconds.into());
        }
        scenarios.push(entry);
    }
    println!("{}", json!({ "scenarios": scenarios }));
    Ok(())
}

/// Everything that the revisions require, and what is run besides.
fn plan(suite: &Suite) -> Result<Vec<Planned>> {
    let also = |revision: &'static str| {
        let of_revision = ALSO.iter().filter(move |(of, _)| *of == revision);
        of_revision.map(move |(_, scenario)| Planned {
            revision,
            scenario: (*scenario).to_owned(),
            is_required: false,
        })
    };
    let mut planned = Vec::new();
    for (revision, count) in REVISIONS {
        let required = suite.required(revision)?;
        ensure!(required.len() == *count, "{revision} requires {} scenarios, not {count}", required.len());
        planned.extend(required.into_iter().map(|scenario| Planned {
            revision,
            scenario,
            is_required: true,
        }));
        planned.extend(also(revision));
    }
    planned.extend(also(WITHOUT_SET));
    Ok(planned)
}

fn is_wanted(planned: &Planned, words: &[String]) -> bool {
    let matches = |word: &String, name: &str| match word.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == word,
    };
    let (revisions, scenarios): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.starts_with("20"));
    let of = |words: &[&String], name: &str| words.is_empty() || words.iter().any(|word| matches(word, name));
    of(&revisions, planned.revision) && of(&scenarios, &planned.scenario)
}

/// A vault, whose password allows new hosts and keeps tokens.
async fn prepare(page: &Page) -> Result<()> {
    ask(page, "POST", "/api/vaults", json!({"kind": "local", "name": "Main", "password": PASSWORD})).await?;
    ask(page, "POST", "/api/vaults/active/unlock", json!({"password": PASSWORD, "minutes": 60})).await?;
    Ok(())
}

/// Drives the wallet through whatever scenario connects; returns only with a failure.
async fn serve(listener: &TcpListener, page: &Page) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        if let Err(error) = drive(stream, page).await {
            eprintln!("  {error:#}");
        }
    }
}

async fn drive(stream: TcpStream, page: &Page) -> Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let scenario: Value = serde_json::from_str(&line).context("not a scenario")?;
    let done = match page.run(DRIVE, vec![scenario, PASSWORD.into()]).await {
        Ok(done) => done,
        Err(error) => json!({ "ok": false, "log": [error.to_string()] }),
    };
    stream.write_all(done.to_string().as_bytes()).await?;
    Ok(stream.shutdown().await?)
}
