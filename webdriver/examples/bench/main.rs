//! The measurements of `cargo xtask bench`, taken in Chromium: JSON on standard output, progress on standard error.

mod cold_start;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::PathBuf;
use webdriver::{Browser, Options, Page, Site};

/// A stream that takes long enough to be timed, and the sizes of its pieces: what a fast network gives, and what
/// an agent that thinks while it talks gives.
const STREAM: u32 = 16 << 20;
const CHUNKS: [u32; 2] = [64 << 10, 256];
const ROUNDS: u32 = 15;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::from_env()?;
    let harness = std::env::var_os("COUNTERSIGN_HARNESS").map(PathBuf::from);
    let harness =
        harness.context("COUNTERSIGN_HARNESS does not name dist/harness; `cargo xtask bench` does")?;

    let cold_start = cold_start::measure(&options.extension).await?;
    let site = Site::serve(harness).await?;
    let mut decoding = Vec::new();
    for chunk in CHUNKS {
        eprintln!("event stream in pieces of {chunk} bytes");
        decoding.push(fresh(&site, "measureSse", vec![STREAM.into(), chunk.into(), ROUNDS.into()]).await?);
    }
    eprintln!("contacts");
    let contacts = fresh(&site, "measureContacts", vec![ROUNDS.into()]).await?;
    println!("{}", json!({ "coldStart": cold_start, "decoding": decoding, "contacts": contacts }));
    Ok(())
}

/// Calls a measurement of the harness' page, in a browser in which nothing else goes on.
async fn fresh(site: &Site, name: &str, args: Vec<Value>) -> Result<Value> {
    let nothing = cold_start::empty_extension()?;
    let browser = Browser::launch(Options::new(nothing.path())).await?;
    let page: Page = browser.open(&site.url("index.html")).await?;
    let call = format!("return (await window.harness).{name}(...args)");
    page.run(&call, args).await.with_context(|| format!("in {name}"))
}
