//! Multichain sessions (CAIP-25) of another extension, over a port of the browser: only for an extension that the user named,
//! under its own name, with the same prompts as a page.

use crate::world::PATIENCE;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use webdriver::{Options, Page, Wallet, WalletOptions, extension_id, not_yet, until};

/// A wallet with another extension beside it, one of whose pages is open.
struct Neighbours {
    wallet: Wallet,
    page: Page,
    id: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/dapps/neighbour").canonicalize().unwrap()
}

impl Neighbours {
    async fn start() -> Self {
        let options = Options { beside: vec![folder()], ..Options::from_env().unwrap() };
        let wallet = Wallet::start(WalletOptions::with(options)).await.unwrap();
        let id = extension_id(&folder());
        let page = wallet.browser().open(&format!("chrome-extension://{id}/neighbour.html")).await.unwrap();
        let it = Self { wallet, page, id };
        it.open_port("").await;
        it
    }

    fn origin(&self) -> String {
        format!("chrome-extension://{}", self.id)
    }

    async fn open_port(&self, name: &str) {
        let ours = self.wallet.browser().extension_id();
        self.page.run("openPort(...args); return true", vec![ours.into(), name.into()]).await.unwrap();
    }

    /// The user names extensions in the settings.
    async fn name(&self, ids: &[&str]) {
        let settings = json!({ "pages": { "extensions": ids }, "password": webdriver::PASSWORD });
        self.wallet.api("PATCH", "/api/settings", settings).await.unwrap();
    }

    async fn begin(&self, name: &str, method: &str, params: Value) {
        let script = "(window.begun ??= {})[args[0]] = wallet.begin(args[1], args[2]); return true";
        self.page.run(script, vec![name.into(), method.into(), params]).await.unwrap();
    }

    async fn answers(&self, name: &str) -> Vec<Value> {
        let all = self.page.run("return window.begun[args[0]]", vec![name.into()]).await.unwrap();
        all.as_array().unwrap().clone()
    }

    /// What a request that was begun is answered: its result, or its error.
    async fn answer(&self, name: &str) -> Result<Value, Value> {
        let answer = until(&format!("an answer to {name}"), PATIENCE, async || {
            self.answers(name).await.into_iter().next()
        })
        .await
        .unwrap();
        if answer.get("error").is_some() {
            Err(answer["error"].clone())
        } else {
            Ok(answer["result"].clone())
        }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, Value> {
        self.begin("asked", method, params).await;
        self.answer("asked").await
    }

    /// Waits for the next notice about the session; returns its scopes.
    async fn changed(&self, count: usize) -> Value {
        until("a notice about the session", PATIENCE, async || {
            let heard = self.page.run("return wallet.heard", vec![]).await?;
            match heard.as_array().filter(|heard| heard.len() >= count) {
                Some(heard) => Ok(heard[count - 1].clone()),
                None => Err(not_yet(heard)),
            }
        })
        .await
        .unwrap()
    }

    async fn prompts(&self) -> Vec<Value> {
        let prompts = self.wallet.api("GET", "/api/prompts", Value::Null).await.unwrap();
        prompts["prompts"].as_array().unwrap().clone()
    }
}

fn session() -> Value {
    json!({ "optionalScopes": { "eip155:1": { "methods": ["personal_sign"], "notifications": [] } } })
}

fn code(answer: Result<Value, Value>) -> Value {
    answer.unwrap_err()["code"].clone()
}

/// An extension that the user did not name gets codes, and no window: over its port, over the port that content scripts have,
/// and by a message.
#[tokio::test]
async fn unnamed_extension_is_refused() {
    let it = Neighbours::start().await;
    it.name(&["abcdefghijklmnopabcdefghijklmnop"]).await;
    let invoke = json!({ "scope": "eip155:1", "request": { "method": "eth_accounts" } });
    for (method, params, expected) in [
        ("wallet_createSession", session(), 4100),
        ("wallet_getSession", json!({}), 4100),
        ("wallet_invokeMethod", invoke, 4100),
        ("wallet_revokeSession", json!({}), 4100),
        ("eth_requestAccounts", json!([]), 4200),
    ] {
        assert_eq!(code(it.ask(method, params).await), expected, "{method}");
    }
    // The name of the port is the neighbour's to choose; who it is is not.
    it.open_port("countersign-page").await;
    assert_eq!(code(it.ask("eth_requestAccounts", json!([])).await), 4200);
    let message = "return new Promise((resolve) => chrome.runtime.sendMessage(args[0],
        { id: 'x', method: 'eth_requestAccounts', origin: 'https://bank.example' }, (answer) => resolve(answer ?? null)))";
    let ours = it.wallet.browser().extension_id();
    let answer = it.page.run(message, vec![ours.into()]).await.unwrap();
    assert!(answer.get("result").is_none(), "{answer}");
    assert_eq!(it.prompts().await, Vec::<Value>::new());
    assert_eq!(it.wallet.windows().await.unwrap(), 0);
}

/// An extension that the user named asks, the prompt names it, and it gets a session; it signs, is told of its session's
/// changes, and is shown out when the user takes its name back.
#[tokio::test]
async fn named_extension_has_a_session() {
    let it = Neighbours::start().await;
    it.name(&[&it.id]).await;
    assert_eq!(it.ask("wallet_getSession", json!({})).await.unwrap()["sessionScopes"], json!({}));
    it.begin("create", "wallet_createSession", session()).await;
    let window = it.wallet.prompt().await.unwrap();
    window.says("prompt-origin", &it.origin()).await.unwrap();
    it.wallet.approve_in(&window).await.unwrap();
    let created = it.answer("create").await.unwrap();
    let account = format!("eip155:1:{}", it.wallet.address());
    assert_eq!(created["sessionScopes"]["eip155:1"]["accounts"], json!([account]), "{created}");
    let notice = it.changed(1).await;
    assert_eq!(notice["method"], "wallet_sessionChanged", "{notice}");
    assert_eq!(notice["params"]["sessionScopes"], created["sessionScopes"]);

    let sign = json!({ "scope": "eip155:1",
        "request": { "method": "personal_sign", "params": ["0x68656c6c6f", it.wallet.address()] } });
    it.begin("sign", "wallet_invokeMethod", sign.clone()).await;
    it.wallet.approve().await.unwrap();
    assert_eq!(it.answer("sign").await.unwrap().as_str().map(str::len), Some(132));
    assert_eq!(it.answers("sign").await.len(), 1);

    it.wallet.revoke(&it.origin()).await.unwrap();
    assert_eq!(it.changed(2).await["params"]["sessionScopes"], json!({}));
    assert_eq!(code(it.ask("wallet_invokeMethod", sign).await), 4100);
    it.name(&[]).await;
    assert_eq!(code(it.ask("wallet_getSession", json!({})).await), 4100);
    assert_eq!(it.prompts().await, Vec::<Value>::new());
}

/// The worker dies while the user is asked. The extension sees its port close, asks again over another one, and finds the same
/// prompt.
#[tokio::test]
async fn extension_finds_its_request_after_a_kill() {
    let it = Neighbours::start().await;
    it.name(&[&it.id]).await;
    it.begin("first", "wallet_createSession", session()).await;
    let asked = until("a prompt", PATIENCE, async || it.prompts().await.into_iter().next()).await.unwrap();
    it.wallet.kill_worker().await.unwrap();
    until("the port to close", PATIENCE, async || {
        (it.page.run("return wallet.isClosed", vec![]).await.ok()? == true).then_some(())
    })
    .await
    .unwrap();
    it.open_port("").await;
    it.begin("again", "wallet_createSession", session()).await;
    it.wallet.approve().await.unwrap();
    let created = it.answer("again").await.unwrap();
    assert!(created["sessionScopes"]["eip155:1"].is_object(), "{created}");
    let path = format!("/api/prompts/{}", asked["id"].as_str().unwrap());
    let settled = it.wallet.api("GET", &path, Value::Null).await.unwrap();
    assert_eq!(settled["outcome"], "approved");
    assert_eq!(it.prompts().await, Vec::<Value>::new());
}
