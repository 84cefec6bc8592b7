//! Anvil: a complete EVM node in one process, with a mempool, receipts and reverts, under any chain id. It has
//! Ethereum's rules under each of them: data fees of rollups are not checked.

use crate::Error;
use crate::abi::Arg;
use crate::contracts;
use crate::http::Http;
use crate::process::{ChildNode, PATIENCE, folder};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// A running node; dropping it stops it.
#[derive(Debug)]
pub struct Anvil {
    process: ChildNode,
    http: Http,
    url: String,
    chain_id: u64,
    /// Whether transactions are mined at once.
    automine: AtomicBool,
}

/// A mined transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    /// Its hash.
    pub hash: String,
    /// Its nonce.
    pub nonce: u64,
    /// The called account; `None` if a contract was created.
    pub to: Option<String>,
    /// The call data.
    pub input: String,
    /// The block.
    pub block: u64,
    /// Whether it succeeded or was reverted.
    pub succeeded: bool,
}

impl Anvil {
    /// Starts a node that mines every transaction at once.
    pub async fn start(chain_id: u64) -> Result<Self, Error> {
        let chain = chain_id.to_string();
        let args = ["--host", "127.0.0.1", "--port", "0", "--chain-id", &chain, "--hardfork", "prague"];
        let (process, mut lines) = ChildNode::start(&program(), &args.map(str::to_owned))?;
        let failed = |problem: &str| Error::Start { node: "anvil".to_owned(), problem: problem.to_owned() };
        let address = async {
            while let Some(line) = lines.next_line().await? {
                if let Some(address) = line.strip_prefix("Listening on ") {
                    return Ok(address.trim().to_owned());
                }
            }
            Err(failed("it ended before it named its port"))
        };
        let address = timeout(PATIENCE, address).await.map_err(|_| failed("it named no port"))??;
        // Keep reading, or the node blocks when the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let url = format!("http://{address}");
        Ok(Self { process, http: Http::new(), url, chain_id, automine: AtomicBool::new(true) })
    }

    /// Its URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its chain id.
    pub fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// Stops the node and returns when it is gone.
    pub async fn stop(self) -> Result<(), Error> {
        self.process.stop().await
    }

    /// A JSON-RPC call; an error of the node is an `Err`.
    pub async fn rpc(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.http.rpc(&self.url, method, &params).await
    }

    async fn text(&self, method: &str, params: Value) -> Result<String, Error> {
        let answer = self.rpc(method, params).await?;
        answer.as_str().map(str::to_owned).ok_or_else(|| Error::shape(method, &answer))
    }

    async fn number(&self, method: &str, params: Value) -> Result<u128, Error> {
        let text = self.text(method, params).await?;
        quantity(&text).ok_or_else(|| Error::shape(method, text))
    }

    /// Sets an account's balance of the native coin.
    pub async fn set_balance(&self, address: &str, wei: u128) -> Result<(), Error> {
        self.rpc("anvil_setBalance", json!([address, format!("{wei:#x}")])).await.map(drop)
    }

    /// An account's balance of the native coin.
    pub async fn balance(&self, address: &str) -> Result<u128, Error> {
        self.number("eth_getBalance", json!([address, "latest"])).await
    }

    /// The number of an account's mined transactions.
    pub async fn nonce(&self, address: &str) -> Result<u64, Error> {
        let nonce = self.number("eth_getTransactionCount", json!([address, "latest"])).await?;
        u64::try_from(nonce).map_err(|_| Error::shape("eth_getTransactionCount", nonce))
    }

    /// The receipt of a mined transaction.
    pub async fn receipt(&self, hash: &str) -> Result<Option<Value>, Error> {
        let receipt = self.rpc("eth_getTransactionReceipt", json!([hash])).await?;
        Ok(Some(receipt).filter(|receipt| !receipt.is_null()))
    }

    /// Whether transactions are mined at once, or wait for [`Anvil::mine`].
    pub async fn set_automine(&self, automine: bool) -> Result<(), Error> {
        self.rpc("evm_setAutomine", json!([automine])).await?;
        self.automine.store(automine, Ordering::SeqCst);
        Ok(())
    }

    /// Mines a block at this interval in seconds instead of for every transaction; 0 for none.
    pub async fn set_interval(&self, seconds: u64) -> Result<(), Error> {
        self.set_automine(false).await?;
        self.rpc("evm_setIntervalMining", json!([seconds])).await.map(drop)
    }

    /// Mines the waiting transactions.
    pub async fn mine(&self) -> Result<(), Error> {
        self.rpc("evm_mine", json!([])).await.map(drop)
    }

    /// Drops a waiting transaction, as a full mempool would. Returns whether there was one.
    pub async fn drop_transaction(&self, hash: &str) -> Result<bool, Error> {
        Ok(!self.rpc("anvil_dropTransaction", json!([hash])).await?.is_null())
    }

    /// Takes a snapshot of the chain, for [`Anvil::revert`].
    pub async fn snapshot(&self) -> Result<String, Error> {
        self.text("evm_snapshot", json!([])).await
    }

    /// Restores the chain to the snapshot.
    pub async fn revert(&self, snapshot: &str) -> Result<(), Error> {
        match self.rpc("evm_revert", json!([snapshot])).await? {
            Value::Bool(true) => Ok(()),
            answer => Err(Error::shape("evm_revert", answer)),
        }
    }

    /// Every mined transaction of a sender, oldest first, read from the blocks.
    pub async fn transactions_from(&self, sender: &str) -> Result<Vec<Mined>, Error> {
        let last = self.number("eth_blockNumber", json!([])).await?;
        let mut found = Vec::new();
        for number in 0..=last {
            let block = self.rpc("eth_getBlockByNumber", json!([format!("{number:#x}"), true])).await?;
            let transactions = block.get("transactions").and_then(Value::as_array);
            for transaction in transactions.ok_or_else(|| Error::shape("a block", &block))? {
                let from = transaction.get("from").and_then(Value::as_str).unwrap_or_default();
                if from.eq_ignore_ascii_case(sender) {
                    found.push(self.mined(transaction).await?);
                }
            }
        }
        Ok(found)
    }

    async fn mined(&self, transaction: &Value) -> Result<Mined, Error> {
        let wrong = || Error::shape("a transaction", transaction);
        let text = |name: &str| transaction.get(name).and_then(Value::as_str).map(str::to_owned);
        let number = |name: &str| u64::try_from(quantity(&text(name)?)?).ok();
        let hash = text("hash").ok_or_else(wrong)?;
        let receipt = self.receipt(&hash).await?.ok_or_else(wrong)?;
        Ok(Mined {
            nonce: number("nonce").ok_or_else(wrong)?,
            to: text("to"),
            input: text("input").ok_or_else(wrong)?,
            block: number("blockNumber").ok_or_else(wrong)?,
            succeeded: receipt.get("status").and_then(Value::as_str) == Some("0x1"),
            hash,
        })
    }

    /// Deploys a contract of `contracts/` from one of the node's own accounts. Returns its address.
    pub async fn deploy(&self, name: &str, args: &[Arg<'_>]) -> Result<String, Error> {
        let receipt = self.send(json!({ "data": contracts::creation(name, args)? })).await?;
        let address = receipt.get("contractAddress").and_then(Value::as_str);
        address.map(str::to_owned).ok_or_else(|| Error::shape("a contract's receipt", &receipt))
    }

    /// Mints tokens of a [`Anvil::deploy`]ed `Token` for an account.
    pub async fn mint(&self, token: &str, to: &str, amount: u128) -> Result<(), Error> {
        let data = contracts::call("Token", "mint", &[Arg::Address(to), Arg::Uint(amount)])?;
        self.send(json!({ "to": token, "data": data })).await.map(drop)
    }

    /// An account's balance of a token.
    pub async fn erc20_balance(&self, token: &str, owner: &str) -> Result<u128, Error> {
        let data = contracts::call("Token", "balanceOf", &[Arg::Address(owner)])?;
        self.number("eth_call", json!([{ "to": token, "data": data }, "latest"])).await
    }

    /// A spender's allowance; the maximum stands for everything above it.
    pub async fn erc20_allowance(&self, token: &str, owner: &str, spender: &str) -> Result<u128, Error> {
        let data = contracts::call("Token", "allowance", &[Arg::Address(owner), Arg::Address(spender)])?;
        let text = self.text("eth_call", json!([{ "to": token, "data": data }, "latest"])).await?;
        let high = text.get(2..34).is_some_and(|digits| digits.bytes().any(|digit| digit != b'0'));
        if high { Ok(u128::MAX) } else { quantity(&text).ok_or_else(|| Error::shape("an allowance", text)) }
    }

    /// Sends a transaction from one of the node's own accounts and waits until it is mined; it must succeed.
    pub async fn send(&self, mut transaction: Value) -> Result<Value, Error> {
        let accounts = self.rpc("eth_accounts", json!([])).await?;
        let from = accounts.get(0).cloned().ok_or_else(|| Error::shape("eth_accounts", &accounts))?;
        if let Some(fields) = transaction.as_object_mut() {
            fields.insert("from".to_owned(), from);
        }
        let hash = self.text("eth_sendTransaction", json!([transaction])).await?;
        if !self.automine.load(Ordering::SeqCst) {
            self.mine().await?;
        }
        let receipt = self.wait_receipt(&hash).await?;
        match receipt.get("status").and_then(Value::as_str) {
            Some("0x1") => Ok(receipt),
            _ => {
                Err(Error::Refused { method: "eth_sendTransaction".to_owned(), message: receipt.to_string() })
            }
        }
    }

    /// The receipt of a transaction, once it is mined.
    pub async fn wait_receipt(&self, hash: &str) -> Result<Value, Error> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(receipt) = self.receipt(hash).await? {
                return Ok(receipt);
            }
            if Instant::now() > deadline {
                let seen = "it is in no block".to_owned();
                return Err(Error::Timeout {
                    what: format!("the receipt of {hash}"),
                    timeout: PATIENCE,
                    seen,
                });
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

/// The program: the one that the variable `ANVIL` names, the one that npm installed here with a package for each platform,
/// or the one on the PATH.
fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("ANVIL") {
        return PathBuf::from(named);
    }
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "amd64",
    };
    let installed = folder().join(format!("node_modules/@foundry-rs/anvil-{system}-{machine}/bin/anvil"));
    if installed.exists() { installed } else { PathBuf::from("anvil") }
}

/// `0x` and hexadecimal digits, with any leading zeros.
fn quantity(text: &str) -> Option<u128> {
    let digits = text.strip_prefix("0x")?.trim_start_matches('0');
    if digits.is_empty() { Some(0) } else { u128::from_str_radix(digits, 16).ok() }
}
