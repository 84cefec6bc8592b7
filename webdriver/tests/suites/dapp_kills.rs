//! The worker is killed after every write of a page's request, from its arrival to its answer. The page gets one answer, and
//! what the request does happens once.

use crate::world::PATIENCE;
use serde_json::{Value, json};
use webdriver::{Dapp, Error, Options, Popup, Request, Site, TIMEOUT, Wallet, WalletOptions, not_yet, until};

/// Makes the worker stand still after its n-th write: the write is durable, and the worker never learns of it.
const FREEZE: &str = "{
    const never = new Proxy(function () {}, {
        get: (_, name) => (name === 'then' ? undefined : never), apply: () => never, set: () => true,
    });
    const { transaction } = IDBDatabase.prototype;
    self.writes = 0;
    IDBDatabase.prototype.transaction = function (tables, mode, options) {
        if (self.frozen) return never;
        const made = transaction.call(this, tables, mode, options);
        if (mode !== 'readwrite' || ++self.writes < LIMIT) return made;
        self.frozen = true;
        made.addEventListener = () => {};
        for (const name of ['oncomplete', 'onabort', 'onerror'])
            Object.defineProperty(made, name, { set() {}, get: () => null });
        return made;
    };
}";

/// So many writes a request has at most.
const MOST_WRITES: usize = 40;

struct Fixture {
    wallet: Wallet,
    site: Site,
    popup: Popup,
    dapp: Dapp,
}

impl Fixture {
    async fn new() -> Self {
        let wallet = Wallet::start(WalletOptions::with(Options::from_env().unwrap())).await.unwrap();
        let site = Site::serve(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/dapps/hostile")).await.unwrap();
        let dapp = wallet.open_dapp(&site.url("index.html")).await.unwrap();
        // Prompts are answered from here by the API: while the user sees a page of the wallet, no window opens.
        let popup = wallet.browser().popup().await.unwrap();
        Self { wallet, site, popup, dapp }
    }

    async fn connect(&self) {
        let request = self.dapp.begin("eth_requestAccounts", Value::Null).await.unwrap();
        self.attend(&request, None).await;
        request.wait().await.unwrap();
    }

    /// Makes the worker stand still after its n-th write from now.
    async fn freeze_after(&self, writes: usize) {
        self.popup.boot_id().await.unwrap();
        let freeze = FREEZE.replace("LIMIT", &writes.to_string());
        self.wallet.browser().evaluate_in_worker(&freeze).await.unwrap();
    }

    async fn is_frozen(&self) -> bool {
        let frozen = self.wallet.browser().evaluate_in_worker("self.frozen === true").await;
        frozen.is_ok_and(|frozen| frozen == true)
    }

    /// Approves what is asked until the request has its answer. If the worker stands still, kills it. Returns whether it did.
    async fn attend(&self, request: &Request, freeze: Option<usize>) -> bool {
        let mut killed = false;
        let mut answered: Vec<String> = Vec::new();
        until("the answer", PATIENCE, async || {
            if request.answers().await? > 0 {
                return Ok(());
            }
            if freeze.is_some() && !killed && self.is_frozen().await {
                self.wallet.kill_worker().await?;
                killed = true;
                answered.clear();
            }
            // From the disk: a request to a worker that stands still would not come back.
            for prompt in self.open_prompts().await? {
                let id = prompt["id"].as_str().unwrap_or_default().to_owned();
                if answered.contains(&id) {
                    continue;
                }
                let answer = json!({ "approve": true, "digest": prompt["digest"] });
                self.popup.begin("POST", &format!("/api/prompts/{id}"), Some(answer)).await?;
                answered.push(id);
            }
            Err(not_yet("no answer"))
        })
        .await
        .unwrap();
        killed
    }

    async fn open_prompts(&self) -> Result<Vec<Value>, Error> {
        let records = self.popup.idb("countersign", "prompts").await?;
        let read = |record: Value| match record {
            Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
            other => other,
        };
        Ok(records.into_iter().map(read).collect())
    }

    /// Runs a request once for each of its writes, and kills the worker after that write.
    async fn at_every_write(
        &self,
        method: &str,
        params: impl Fn(usize) -> Value,
        mut check: impl AsyncFnMut(usize, Value),
    ) -> usize {
        for write in 1..MOST_WRITES {
            self.freeze_after(write).await;
            let request = self.dapp.begin(method, params(write)).await.unwrap();
            let mut killed = self.attend(&request, Some(write)).await;
            let result = request.wait().await;
            if !killed {
                // It may stand still after the answer too. The patch ends with its worker: what the check writes is not counted.
                killed = self.is_frozen().await;
                self.wallet.kill_worker().await.unwrap();
            }
            assert!(result.is_ok(), "{method}, killed after write {write}: {result:?}");
            check(write, result.unwrap()).await;
            assert_eq!(request.answers().await.unwrap(), 1, "{method}, killed after write {write}");
            until("no prompt", TIMEOUT, async || {
                let prompts = self.open_prompts().await?;
                if prompts.is_empty() { Ok(()) } else { Err(not_yet(prompts)) }
            })
            .await
            .unwrap();
            if !killed {
                return write - 1;
            }
        }
        panic!("{method} writes more than {MOST_WRITES} times");
    }
}

/// Killed after every write of a connection: the page gets its account once.
#[tokio::test]
async fn connect_survives_every_kill() {
    let fixture = Fixture::new().await;
    let address = fixture.wallet.address().to_owned();
    let kills = fixture
        .at_every_write(
            "eth_requestAccounts",
            |_| Value::Null,
            async |write, accounts| {
                assert_eq!(accounts, json!([address]), "killed after write {write}");
                let path = format!(
                    "/api/connections/{}",
                    fixture.site.origin().replace(':', "%3A").replace('/', "%2F")
                );
                let (status, body) = fixture.popup.fetch("DELETE", &path, None).await.unwrap();
                assert!(status < 300, "{body}");
            },
        )
        .await;
    assert!(kills >= 2, "{kills} kills");
}

/// Killed after every write of a signature: the same signature each time, and one record of it.
#[tokio::test]
async fn sign_survives_every_kill() {
    let fixture = Fixture::new().await;
    fixture.connect().await;
    let address = fixture.wallet.address().to_owned();
    let kills = fixture
        .at_every_write(
            "personal_sign",
            // Another message each time: the same one would find the last answer.
            |write| json!([format!("0x6b696c6c2d{write:02x}"), address]),
            async |write, signature| {
                assert_eq!(signature.as_str().map(str::len), Some(132), "killed after write {write}");
            },
        )
        .await;
    assert!(kills >= 3, "{kills} kills");
}

/// Killed after every write of a transaction: it is on the chain once.
#[tokio::test]
async fn transaction_survives_every_kill() {
    let fixture = Fixture::new().await;
    fixture.connect().await;
    let address = fixture.wallet.address().to_owned();
    let node = fixture.wallet.node().unwrap();
    let kills = fixture
        .at_every_write(
            "eth_sendTransaction",
            |write| json!([{ "from": address, "to": address, "value": format!("{write:#x}") }]),
            async |write, hash| {
                node.wait_receipt(hash.as_str().unwrap()).await.unwrap();
                let mined = node.nonce(&address).await.unwrap();
                assert_eq!(usize::try_from(mined).unwrap(), write, "killed after write {write}");
            },
        )
        .await;
    assert!(kills >= 4, "{kills} kills");
}

/// Killed after every write of a batch up to its answer: every call is on the chain once, in order.
#[tokio::test]
async fn calls_survive_every_kill() {
    let fixture = Fixture::new().await;
    fixture.connect().await;
    let address = fixture.wallet.address().to_owned();
    let node = fixture.wallet.node().unwrap();
    let batch = |write: usize| {
        let call = |value: usize| json!({ "to": address, "value": format!("{value:#x}") });
        json!([{ "version": "2.0.0", "from": address, "chainId": "0x1", "atomicRequired": false,
            "calls": [call(2 * write), call(2 * write + 1)] }])
    };
    let kills = fixture
        .at_every_write("wallet_sendCalls", batch, async |write, sent| {
            let id = sent["id"].as_str().unwrap().to_owned();
            let calls = until("the batch to end", PATIENCE, async || {
                // The worker may stand still after the answer too.
                let asked = fixture.dapp.begin("wallet_getCallsStatus", json!([id])).await?;
                fixture.attend(&asked, Some(write)).await;
                let calls = asked.wait().await?;
                if calls["status"] == 200 { Ok(calls) } else { Err(not_yet(calls)) }
            })
            .await
            .unwrap();
            assert_eq!(calls["receipts"].as_array().map(Vec::len), Some(2), "killed after write {write}");
            let mined = node.nonce(&address).await.unwrap();
            assert_eq!(usize::try_from(mined).unwrap(), 2 * write, "killed after write {write}");
        })
        .await;
    assert!(kills >= 4, "{kills} kills");
}
