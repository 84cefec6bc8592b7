//! Ethereum and Arbitrum on this machine: two real nodes, each behind a proxy that records the wallet's requests.

use super::World;
use super::vault::{PASSWORD, address, phrase};
use nodes::example::ETHER;
use nodes::{Anvil, Proxy};
use serde_json::{Value, json};

/// A chain's node and the wallet's proxy to it.
pub(crate) struct Node {
    /// The chain's name in the wallet.
    pub(crate) name: &'static str,
    pub(crate) anvil: Anvil,
    pub(crate) proxy: Proxy,
}

impl Node {
    pub(crate) async fn start(name: &'static str, chain_id: u64) -> Self {
        let anvil = Anvil::start(chain_id).await.unwrap();
        let proxy = Proxy::start(anvil.url()).await.unwrap();
        anvil.set_balance(&owner(), 100 * ETHER).await.unwrap();
        Self { name, anvil, proxy }
    }

    /// The hashes of the owner's mined transactions, oldest first; each succeeded.
    pub(crate) async fn hashes(&self) -> Vec<String> {
        let mined = self.anvil.transactions_from(&owner()).await.unwrap();
        assert!(mined.iter().all(|one| one.succeeded), "{mined:?}");
        mined.into_iter().map(|one| one.hash).collect()
    }

    /// The owner's next nonce.
    pub(crate) async fn nonce(&self) -> u64 {
        self.anvil.nonce(&owner()).await.unwrap()
    }
}

/// The account of the suites' vault, the same on every EVM chain.
pub(crate) fn owner() -> String {
    address(&phrase("12 words"), "Ethereum")
}

/// Both chains.
pub(crate) struct Chains {
    pub(crate) ethereum: Node,
    pub(crate) arbitrum: Node,
}

impl Chains {
    pub(crate) async fn start() -> Self {
        let (ethereum, arbitrum) = tokio::join!(Node::start("Ethereum", 1), Node::start("Arbitrum", 42_161));
        Self { ethereum, arbitrum }
    }

    pub(crate) fn both(&self) -> [&Node; 2] {
        [&self.ethereum, &self.arbitrum]
    }

    /// The settings with which a wallet uses these nodes through their proxies.
    pub(crate) fn endpoints(&self) -> Value {
        let endpoint = |node: &Node| (node.name.to_owned(), json!({"url": node.proxy.url()}));
        json!({"endpoints": self.both().into_iter().map(endpoint).collect::<serde_json::Map<_, _>>()})
    }
}

impl World {
    /// Sets the wallet's nodes. Other nodes need the password, if there is a vault.
    pub(crate) async fn use_nodes(&self, mut settings: Value) {
        settings["password"] = json!(PASSWORD);
        let (status, answer) = self.api("PATCH", "/api/settings", settings).await;
        assert_eq!(status, 200, "{answer}");
    }
}
