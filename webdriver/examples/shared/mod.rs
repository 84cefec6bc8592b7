//! Shared set-up of demo, soak and bench: Ethereum and Arbitrum on this machine, and a wallet configured for them.
#![allow(dead_code, reason = "each program uses a part of it")]

use anyhow::{Context, Result, bail, ensure};
use nodes::example::ETHER;
use nodes::{Anvil, Proxy};
use serde_json::{Value, json};
use webdriver::Page;

/// The password of every vault here.
pub(crate) const PASSWORD: &str = "countersign demo";

/// A chain's node and the wallet's proxy to it.
pub(crate) struct Node {
    /// The chain's name in the wallet.
    pub(crate) name: &'static str,
    pub(crate) anvil: Anvil,
    pub(crate) proxy: Proxy,
}

impl Node {
    async fn start(name: &'static str, chain_id: u64) -> Result<Self> {
        let anvil = Anvil::start(chain_id).await.with_context(|| format!("no node for {name}"))?;
        let proxy = Proxy::start(anvil.url()).await?;
        Ok(Self { name, anvil, proxy })
    }

    /// Gives an account this many coins of the chain.
    pub(crate) async fn fund(&self, address: &str, coins: u128) -> Result<()> {
        Ok(self.anvil.set_balance(address, coins * ETHER).await?)
    }
}

/// Both chains.
pub(crate) struct Chains {
    pub(crate) ethereum: Node,
    pub(crate) arbitrum: Node,
}

impl Chains {
    pub(crate) async fn start() -> Result<Self> {
        let (ethereum, arbitrum) = tokio::join!(Node::start("Ethereum", 1), Node::start("Arbitrum", 42_161));
        Ok(Self { ethereum: ethereum?, arbitrum: arbitrum? })
    }

    pub(crate) fn both(&self) -> [&Node; 2] {
        [&self.ethereum, &self.arbitrum]
    }

    /// Configures the wallet with these nodes and this agent.
    pub(crate) async fn connect(&self, page: &Page, agent: &str) -> Result<()> {
        let endpoint = |node: &Node| (node.name.to_owned(), json!({"url": node.proxy.url()}));
        let endpoints: serde_json::Map<_, _> = self.both().into_iter().map(endpoint).collect();
        let settings = json!({"backend": {"url": agent}, "endpoints": endpoints, "password": PASSWORD});
        ask(page, "PATCH", "/api/settings", settings).await.map(drop)
    }
}

/// Sends a request to the worker; a refusal is an error.
pub(crate) async fn ask(page: &Page, method: &str, path: &str, body: Value) -> Result<Value> {
    let (status, answer) = page.fetch(method, path, (!body.is_null()).then_some(body)).await?;
    if !(200..300).contains(&status) {
        bail!("{method} {path}: {status} {answer}");
    }
    Ok(answer)
}

/// A vault created in the wallet.
pub(crate) struct NewVault {
    pub(crate) id: String,
    /// Its account on every EVM chain.
    pub(crate) address: String,
}

/// Creates a vault with new keys, and adds both chains.
pub(crate) async fn make_vault(page: &Page, name: &str) -> Result<NewVault> {
    let wish = json!({"kind": "local", "name": name, "password": PASSWORD});
    let vault = ask(page, "POST", "/api/vaults", wish).await?;
    let add = json!({"id": "both-chains", "type": "add_chain", "auto_execute": true,
        "params": {"chains": [{"chain": "Ethereum"}, {"chain": "Arbitrum"}]}});
    let results = ask(page, "POST", "/api/actions", json!({"actions": [add]})).await?;
    let address = results.pointer("/results/0/data/results/0/address").and_then(Value::as_str);
    let id = vault.get("id").and_then(Value::as_str).context("the vault has no id")?;
    let address = address.with_context(|| format!("the vault has no address on Ethereum: {results}"))?;
    ensure!(address.starts_with("0x"), "{address} is no address of Ethereum's");
    Ok(NewVault { id: id.to_owned(), address: address.to_owned() })
}
