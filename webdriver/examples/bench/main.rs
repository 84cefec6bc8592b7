//! The measurements of `cargo xtask bench` in Chromium: JSON on standard output, progress on standard error. With the
//! argument `bundle`, `chains`, `dapps`, `mcp`, `pending`, `start` or `tools` only those of that part.

mod bundle;
mod cold_start;
mod dapps;
mod mcp;
mod pending;
#[path = "../shared/mod.rs"]
mod shared;
mod tools;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::PathBuf;
use webdriver::{Browser, Options, Page, Site};

/// A stream that takes long enough to be timed, and its chunk sizes: those of a fast network, and those of an agent
/// that generates text.
const STREAM: u32 = 16 << 20;
const CHUNKS: [u32; 2] = [64 << 10, 256];
const ROUNDS: u32 = 15;

/// A password's hash takes long, and differs little: so many pages, and so often in each after its first time.
const UNLOCK_PAGES: u32 = 7;
const UNLOCK_ROUNDS: u32 = 3;

/// The pages, and what each calls the object that measures.
const HARNESS: (&str, &str) = ("index.html", "harness");
const CHAINS: (&str, &str) = ("chains.html", "chains");
const UNLOCK: (&str, &str) = ("unlock.html", "unlock");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::from_env()?;
    let harness = std::env::var_os("COUNTERSIGN_HARNESS").map(PathBuf::from);
    let harness =
        harness.context("COUNTERSIGN_HARNESS does not name dist/harness; `cargo xtask bench` does")?;

    let site = Site::serve_isolated(&harness).await?;
    if std::env::args().any(|word| word == "bundle") {
        println!("{:#}", bundle::measure(&options.extension, &site).await?);
        return Ok(());
    }
    if std::env::args().any(|word| word == "chains") {
        println!("{:#}", call(&site, CHAINS, "measureChains", vec![ROUNDS.into()]).await?);
        return Ok(());
    }
    if std::env::args().any(|word| word == "tools") {
        println!("{:#}", tools::measure(&options.extension, &site).await?);
        return Ok(());
    }
    if std::env::args().any(|word| word == "mcp") {
        println!("{:#}", mcp::measure(&options.extension, &harness).await?);
        return Ok(());
    }
    if std::env::args().any(|word| word == "pending") {
        println!("{:#}", pending::measure(&options.extension).await?);
        return Ok(());
    }
    if std::env::args().any(|word| word == "dapps") {
        println!("{:#}", dapps::measure(&options.extension).await?);
        return Ok(());
    }
    let cold_start = cold_start::measure(&options.extension).await?;
    if std::env::args().any(|word| word == "start") {
        println!("{cold_start:#}");
        return Ok(());
    }
    let mut decoding = Vec::new();
    for chunk in CHUNKS {
        eprintln!("event stream in pieces of {chunk} bytes");
        decoding.push(fresh(&site, "measureSse", vec![STREAM.into(), chunk.into(), ROUNDS.into()]).await?);
    }
    eprintln!("contacts");
    let contacts = fresh(&site, "measureContacts", vec![ROUNDS.into()]).await?;
    eprintln!("chains");
    let mut instantiation = Vec::new();
    for _ in 0..ROUNDS {
        instantiation.push(call(&site, CHAINS, "measureInstantiation", Vec::new()).await?);
    }
    let chains = call(&site, CHAINS, "measureChains", vec![ROUNDS.into()]).await?;
    eprintln!("unlock, seal, policy");
    let sealed = call(&site, UNLOCK, "sealBoth", Vec::new()).await?;
    let mut unlock = Vec::new();
    for _ in 0..UNLOCK_PAGES {
        let args = vec![sealed.clone(), UNLOCK_ROUNDS.into()];
        unlock.push(call(&site, UNLOCK, "measureUnlock", args).await?);
    }
    let seal = fresh(&site, "measureSeal", vec![ROUNDS.into()]).await?;
    let policy = fresh(&site, "measurePolicy", vec![ROUNDS.into()]).await?;
    let bundle = bundle::measure(&options.extension, &site).await?;
    let tools = tools::measure(&options.extension, &site).await?;
    let mcp = mcp::measure(&options.extension, &harness).await?;
    let pending = pending::measure(&options.extension).await?;
    let dapps = dapps::measure(&options.extension).await?;
    println!(
        "{}",
        json!({
            "coldStart": cold_start, "decoding": decoding, "contacts": contacts,
            "instantiation": instantiation, "chains": chains,
            "sealed": sealed, "unlock": unlock, "seal": seal, "policy": policy, "bundle": bundle, "tools": tools,
            "mcp": mcp, "pending": pending, "dapps": dapps,
        })
    );
    Ok(())
}

/// Calls a measurement of the harness' page, in a browser in which nothing else goes on.
async fn fresh(site: &Site, name: &str, args: Vec<Value>) -> Result<Value> {
    call(site, HARNESS, name, args).await
}

async fn call(site: &Site, (page, object): (&str, &str), name: &str, args: Vec<Value>) -> Result<Value> {
    let nothing = cold_start::empty_extension()?;
    let browser = Browser::launch(Options::new(nothing.path())).await?;
    let page: Page = browser.open(&site.url(page)).await?;
    let call = format!("return (await window.{object}).{name}(...args)");
    page.run(&call, args).await.with_context(|| format!("in {name}"))
}
