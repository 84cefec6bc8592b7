//! Nodes and virtual machines without a network, or with another API than wallets use: each has a script in front.
//! The node behind it, never the script, decides whether a transaction is accepted.

use crate::Error;
use crate::script::Script;
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Deref;
use std::time::{SystemTime, UNIX_EPOCH};

/// The common part of all of them. Dropping it stops the node.
#[derive(Debug)]
pub struct Shim {
    script: Script,
    url: String,
}

/// A mined transaction.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Included {
    /// Its id, as the wallet writes it.
    pub id: String,
    /// The bytes in the chain's encoding: hex for Bitcoin-like chains, base64 elsewhere.
    pub raw: String,
    /// The block, slot or height.
    pub block: u64,
    /// Why it failed; `None` if it succeeded.
    pub failure: Option<Value>,
}

impl Shim {
    async fn start(script: &'static str, request: Value) -> Result<Self, Error> {
        let script = Script::start(script).await?;
        let answer = script.ask(request).await?;
        let url = answer.get("url").and_then(Value::as_str).map(str::to_owned);
        Ok(Self { script, url: url.ok_or_else(|| Error::shape("an address", answer))? })
    }

    /// The wallet's URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether transactions are mined at once, or wait for [`Shim::mine`].
    pub async fn set_automine(&self, automine: bool) -> Result<(), Error> {
        self.script.ask(json!({ "command": "automine", "on": automine })).await.map(drop)
    }

    /// Mines the waiting transactions.
    pub async fn mine(&self) -> Result<(), Error> {
        self.script.ask(json!({ "command": "mine" })).await.map(drop)
    }

    /// Every mined transaction, oldest first.
    pub async fn transactions(&self) -> Result<Vec<Included>, Error> {
        let answer = self.script.ask(json!({ "command": "transactions" })).await?;
        let list = answer.get("transactions").cloned().unwrap_or_default();
        serde_json::from_value(list).map_err(|error| Error::shape("the transactions", error))
    }

    async fn number(&self, request: Value, field: &str) -> Result<u64, Error> {
        let answer = self.script.ask(request).await?;
        let value = answer.get(field);
        let number = value.and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()));
        number.ok_or_else(|| Error::shape(field, answer))
    }
}

/// An unspent output.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Coin {
    /// Its transaction.
    pub id: String,
    /// Its output index.
    pub index: u32,
    /// Its value in the smallest unit.
    pub value: u64,
    /// The whole transaction, in hex.
    #[serde(rename = "hex")]
    pub transaction: String,
}

/// A Litecoin node with its own chain (regtest), behind the REST API of Blockchair. Bitcoin, Dogecoin and Dash have
/// the same transaction format and signature hash, so it stands for them too, without their dust limits and fees.
#[derive(Debug)]
pub struct Litecoin(Shim);

impl Litecoin {
    /// Starts a node with an empty chain.
    pub async fn start() -> Result<Self, Error> {
        // Checked first: the script would wait long for a missing node.
        let there = tokio::process::Command::new("litecoind").arg("-version").output().await;
        if let Err(error) = there {
            return Err(Error::Start { node: "litecoind".to_owned(), problem: error.to_string() });
        }
        Shim::start("litecoin", json!({ "command": "url" })).await.map(Self)
    }

    /// Mines an output for a mainnet address of Bitcoin, Litecoin, Dogecoin or Dash, and enough blocks to spend it.
    /// The node has other address prefixes: only the address's script is used.
    pub async fn fund(&self, address: &str) -> Result<Coin, Error> {
        let coin = self.script.ask(json!({ "command": "fund", "address": address })).await?;
        serde_json::from_value(coin).map_err(|error| Error::shape("a coin", error))
    }
}

/// Solana's first token program.
const TOKEN_PROGRAM: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";

/// Solana's virtual machine (LiteSVM) behind its JSON-RPC.
#[derive(Debug)]
pub struct Solana(Shim);

impl Solana {
    /// Starts a machine without accounts.
    pub async fn start() -> Result<Self, Error> {
        Shim::start("solana", json!({ "command": "url" })).await.map(Self)
    }

    /// Gives an account lamports.
    pub async fn fund(&self, address: &str, lamports: u64) -> Result<(), Error> {
        let request = json!({ "command": "airdrop", "address": address, "amount": lamports.to_string() });
        match self.script.ask(request).await? {
            answer if answer.get("done") == Some(&Value::Bool(true)) => Ok(()),
            answer => Err(Error::shape("an airdrop", answer)),
        }
    }

    /// An account's balance.
    pub async fn balance(&self, address: &str) -> Result<u64, Error> {
        self.number(json!({ "command": "balance", "address": address }), "lamports").await
    }

    /// Makes a token with this mint, and gives an owner some of it. Returns the owner's token account.
    pub async fn mint(&self, mint: &str, owner: &str, amount: u64) -> Result<String, Error> {
        let request = json!({ "command": "mint", "mint": mint, "owner": owner, "amount": amount.to_string(),
            "decimals": 6, "program": TOKEN_PROGRAM });
        let answer = self.script.ask(request).await?;
        let text = answer.get("address").and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| Error::shape("a token account", answer))
    }

    /// The blockhash that transactions must name.
    pub async fn blockhash(&self) -> Result<String, Error> {
        let answer = self.script.ask(json!({ "command": "blockhash" })).await?;
        let text = answer.get("blockhash").and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| Error::shape("a blockhash", answer))
    }

    /// Expires every blockhash so far.
    pub async fn expire_blockhash(&self) -> Result<(), Error> {
        self.script.ask(json!({ "command": "expire" })).await.map(drop)
    }
}

/// TON's virtual machine (its sandbox) with the real wallet code, behind the API of toncenter.
#[derive(Debug)]
pub struct Ton(Shim);

impl Ton {
    /// Starts a machine with its clock at the current time.
    pub async fn start() -> Result<Self, Error> {
        let ton = Self(Shim::start("ton", json!({ "command": "url" })).await?);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        ton.set_time(now.as_secs()).await?;
        Ok(ton)
    }

    /// Sets the clock by which messages expire, in seconds since 1970; it does not advance by itself.
    pub async fn set_time(&self, seconds: u64) -> Result<(), Error> {
        self.script.ask(json!({ "command": "now", "seconds": seconds })).await.map(drop)
    }

    /// Gives an account coins.
    pub async fn fund(&self, address: &str, nanotons: u64) -> Result<(), Error> {
        let request = json!({ "command": "fund", "to": address, "value": nanotons.to_string() });
        self.script.ask(request).await.map(drop)
    }

    /// An account's balance.
    pub async fn balance(&self, address: &str) -> Result<u64, Error> {
        self.number(json!({ "command": "look", "at": address }), "balance").await
    }
}

/// A Cosmos chain without a node, as none can run here: CosmJS checks signatures, and a script tracks sequences and
/// balances behind the REST API of nodes. "Mined" means a valid signature at the right sequence, no more.
#[derive(Debug)]
pub struct Cosmos(Shim);

/// The numbers of an account that signers need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CosmosAccount {
    /// The account number.
    pub number: u64,
    /// The next sequence.
    pub sequence: u64,
}

impl Cosmos {
    /// Starts a chain with this id and address prefix.
    pub async fn start(chain_id: &str, hrp: &str) -> Result<Self, Error> {
        Shim::start("cosmos", json!({ "command": "start", "chain_id": chain_id, "hrp": hrp })).await.map(Self)
    }

    /// Gives an account coins; the first ones create it.
    pub async fn fund(&self, address: &str, denom: &str, amount: u128) -> Result<CosmosAccount, Error> {
        let amount = amount.to_string();
        let request = json!({ "command": "fund", "address": address, "denom": denom, "amount": amount });
        self.script.ask(request).await?;
        self.account(address).await
    }

    /// The account's numbers.
    pub async fn account(&self, address: &str) -> Result<CosmosAccount, Error> {
        let request = json!({ "command": "account", "address": address });
        Ok(CosmosAccount {
            number: self.number(request.clone(), "account_number").await?,
            sequence: self.number(request, "sequence").await?,
        })
    }

    /// An account's balance of a coin.
    pub async fn balance(&self, address: &str, denom: &str) -> Result<u128, Error> {
        let account = self.script.ask(json!({ "command": "account", "address": address })).await?;
        match account.get("coins").and_then(|coins| coins.get(denom)) {
            None => Ok(0),
            Some(amount) => amount
                .as_str()
                .and_then(|amount| amount.parse().ok())
                .ok_or_else(|| Error::shape("an amount", amount)),
        }
    }
}

impl Deref for Litecoin {
    type Target = Shim;

    fn deref(&self) -> &Shim {
        &self.0
    }
}

impl Deref for Solana {
    type Target = Shim;

    fn deref(&self) -> &Shim {
        &self.0
    }
}

impl Deref for Ton {
    type Target = Shim;

    fn deref(&self) -> &Shim {
        &self.0
    }
}

impl Deref for Cosmos {
    type Target = Shim;

    fn deref(&self) -> &Shim {
        &self.0
    }
}
