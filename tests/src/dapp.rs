//! A web page that uses the wallet, and the person who approves what it asks for.
//!
//! ```ignore
//! let page = Dapp::connected(Chains::new()).await;
//! let asked = page.ask("1", "eth_sendTransaction", json!([page.pays(1)])).await;
//! page.approve().await;                                 // the prompt, and the password
//! let hash = asked.result();
//! ```

use crate::bundle_run::PASSWORD;
use crate::chain::Chains;
use crate::evm::PAYEE;
use crate::world::World;
use runtime::store::{Table, Write};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// The page's origin.
pub const ORIGIN: &str = "https://app.example";

/// A connected web page, and the chains of its wallet.
pub struct Dapp {
    /// Everything but the chains.
    pub world: World,
    /// The chains.
    pub chains: Chains,
    /// The page's account.
    pub account: String,
}

/// A request that was sent; its answer comes later, or never if the worker dies.
#[derive(Clone, Default)]
pub struct Asked(Rc<RefCell<Option<Value>>>);

impl Asked {
    /// The answer, if there is one.
    pub fn answer(&self) -> Option<Value> {
        self.0.borrow().clone()
    }

    /// The result of a request that was answered with one.
    pub fn result(&self) -> Value {
        let answer = self.answer();
        let result = answer.as_ref().and_then(|answer| answer.get("result")).cloned();
        result.unwrap_or_else(|| panic!("no result: {answer:?}"))
    }

    /// The code of the error that a request was answered with.
    pub fn code(&self) -> i64 {
        let answer = self.answer();
        let code = answer.as_ref().and_then(|answer| answer["error"]["code"].as_i64());
        code.unwrap_or_else(|| panic!("no error: {answer:?}"))
    }
}

impl Dapp {
    /// A page that the user let in, with a vault that can sign.
    pub async fn connected(chains: Chains) -> Self {
        let world = World::new().await;
        world.browser.use_fast_signer();
        world.make_vault(PASSWORD).await;
        chains.serve(&world);
        let row = world.table(Table::Vaults).await.remove(0);
        let vault: Value = serde_json::from_str(&row.text).expect("a row is JSON");
        let accounts = vault["accounts"].as_array().expect("a vault has accounts");
        let on = |chain: &str| accounts.iter().find(|account| account["chain"] == chain);
        let account = on("Ethereum").and_then(|one| one["address"].as_str()).expect("is there").to_owned();
        let page = Self { world, chains, account };
        page.grant(ORIGIN, &["Ethereum", "Arbitrum"]).await;
        page
    }

    /// The user lets a page in, on these chains.
    pub async fn grant(&self, origin: &str, chains: &[&str]) {
        let vaults = self.world.get("/api/vaults").await;
        let row = json!({"origin": origin, "connectedAt": 1, "vaultIds": [vaults["vaults"][0]["id"]],
            "chains": chains, "currentChain": chains[0], "expiresAt": null});
        let write = Write::Put(Table::Connections, origin.to_owned(), row.to_string());
        self.world.tamper(vec![write]).await;
    }

    /// The page sends a request, which runs until it waits.
    pub async fn ask(&self, id: &str, method: &str, params: Value) -> Asked {
        let asked = self.begin(ORIGIN, id, method, params).await;
        self.world.settle().await;
        asked
    }

    /// A page of another origin does.
    pub async fn ask_as(&self, origin: &str, id: &str, method: &str, params: Value) -> Asked {
        let asked = self.begin(origin, id, method, params).await;
        self.world.settle().await;
        asked
    }

    /// The page sends a request; nothing of it has run.
    pub async fn begin(&self, origin: &str, id: &str, method: &str, params: Value) -> Asked {
        let (core, asked, origin) = (self.world.core(), Asked::default(), origin.to_owned());
        let text = json!({"id": id, "method": method, "params": params}).to_string();
        let answer = asked.clone();
        let request = async move {
            let text = core.page(&origin, "document", 1, &text).await;
            *answer.0.borrow_mut() = serde_json::from_str(&text).ok();
        };
        self.world.run(async { drop(tokio::task::spawn_local(request)) }).await;
        asked
    }

    /// A payment of so much wei, as a page writes it.
    pub fn pays(&self, value: u64) -> Value {
        json!({"from": self.account, "to": PAYEE, "value": format!("{value:#x}")})
    }

    /// The user approves what is asked, and gives the password where it is asked for.
    pub async fn approve(&self) {
        for _ in 0..2 {
            for prompt in self.world.prompts().await {
                let answer = match prompt["kind"].as_str() {
                    Some("password_required") => json!({"approve": true, "password": PASSWORD}),
                    _ => json!({"approve": true}),
                };
                let (status, body) = self.world.answer_prompt(&prompt, answer).await;
                assert_eq!(status, 200, "{body}");
            }
            self.world.settle().await;
        }
    }

    /// The user rejects what is asked.
    pub async fn reject(&self) {
        let (status, body) = self.world.answer(json!({"approve": false})).await;
        assert_eq!(status, 200, "{body}");
    }

    /// The bundle of the open prompt.
    pub async fn asked_bundle(&self) -> Value {
        let prompts = self.world.prompts().await;
        let id = prompts.first().and_then(|prompt| prompt["callId"].as_str()).expect("a prompt is open");
        self.world.get(&format!("/api/bundles/{id}")).await
    }
}
