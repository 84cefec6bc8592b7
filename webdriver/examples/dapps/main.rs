//! `cargo xtask dapps` in Chromium: the dapps and client libraries of others against the provider. JSON on standard output,
//! progress on standard error. Words choose judges: `viem`, `test-dapp`.
//!
//! One wallet serves all judges; each is served on a port of its own, which is another origin.

mod clicks;
mod multichain;
mod openrpc;
mod pages;
mod report;
mod solana;
mod test_dapp;
mod user;

use anyhow::{Context, Result};
use report::Report;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use webdriver::{Options, Wallet, WalletOptions};

/// What every judge is given.
struct Court {
    wallet: Wallet,
    /// `tests/dapps`, with the packages of others.
    packages: PathBuf,
    /// The bundled pages of ours.
    pages: PathBuf,
    /// The vault's accounts on the chains that have no EVM.
    solana: String,
    sui: String,
}

impl Court {
    /// A folder of a package of others.
    fn package(&self, path: &str) -> PathBuf {
        self.packages.join("node_modules").join(path)
    }
}

/// The pages of ours: the judge's name, and its page.
const PAGES: &[(&str, &str)] = &[
    ("viem 2.57.1", "viem"),
    ("ethers 6.17.0", "ethers"),
    ("@wagmi/core 3.6.5", "wagmi"),
    ("@solana/wallet-adapter-react 0.15.40", "solana"),
    ("@wallet-standard/app 1.1.1 (Sui)", "sui"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let court = open(&folder("COUNTERSIGN_DAPPS")?, &folder("COUNTERSIGN_DAPP_PAGES")?).await?;
    let mut report = Report::default();
    for (judge, page) in PAGES {
        if wants(judge) {
            let ended = pages::judge(&court, judge, page, &mut report).await;
            report.judged(judge, ended);
        }
    }
    if wants(test_dapp::NAME) {
        let ended = test_dapp::judge(&court, &mut report).await;
        report.judged(test_dapp::NAME, ended);
    }
    if wants(multichain::NAME) {
        let ended = multichain::judge(&court, &mut report).await;
        report.judged(multichain::NAME, ended);
    }
    if wants(solana::NAME) {
        let ended = solana::judge(&court, &mut report).await;
        report.judged(solana::NAME, ended);
    }
    if wants(openrpc::NAME) {
        let ended = openrpc::judge(&court, &mut report).await;
        report.judged(openrpc::NAME, ended);
    }
    println!("{}", json!({ "cases": report.cases() }));
    Ok(())
}

async fn open(packages: &Path, pages: &Path) -> Result<Court> {
    let options = WalletOptions::with(Options::from_env()?).chain("Arbitrum", 42_161);
    let wallet = Wallet::start(options).await?;
    let add = json!({ "id": "others", "type": "add_chain", "auto_execute": true,
        "params": { "chains": [{ "chain": "Solana" }, { "chain": "Sui" }] } });
    let added = wallet.api("POST", "/api/actions", json!({ "actions": [add] })).await?;
    let address = |place: usize| -> Result<String> {
        let address = added.pointer(&format!("/results/0/data/results/{place}/address"));
        Ok(address.and_then(Value::as_str).with_context(|| format!("no address in {added}"))?.to_owned())
    };
    let (solana, sui) = (address(0)?, address(1)?);
    Ok(Court { wallet, packages: packages.to_owned(), pages: pages.to_owned(), solana, sui })
}

fn folder(name: &str) -> Result<PathBuf> {
    let folder = std::env::var_os(name).map(PathBuf::from);
    folder.with_context(|| format!("{name} names no folder; `cargo xtask dapps` does"))
}
