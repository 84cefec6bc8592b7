//! A wallet that is ready for a dapp: the browser, a vault that is open and has money, and a node that is its Ethereum.

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Approval, Browser, Dapp, Error, Options, Page};
use nodes::Anvil;
use serde_json::{Value, json};

/// The recovery phrase that development nodes use: Anvil gives its accounts 10 000 coins each.
pub const PHRASE: &str = "test test test test test test test test test test test junk";

/// The password of the vault, unless [`WalletOptions`] has another.
pub const PASSWORD: &str = "correct horse battery staple";

/// The page of the extension that the fixture asks the worker from: it shows nothing.
const QUIET_PAGE: &str = "manifest.json";

/// What a [`Wallet`] begins with.
#[derive(Debug, Clone)]
pub struct WalletOptions {
    /// How the browser is started.
    pub browser: Options,
    /// The recovery phrase of the vault.
    pub phrase: String,
    /// Its password.
    pub password: String,
    /// The chains that get a node, by the wallet's name and chain id.
    pub chains: Vec<(String, u64)>,
    /// Whether pages can reach the wallet.
    pub pages: bool,
    /// Whether pages find the wallet at `window.ethereum` too.
    pub set_ethereum: bool,
}

impl WalletOptions {
    /// The built extension, [`PHRASE`], [`PASSWORD`], and a node for Ethereum.
    pub fn new() -> Result<Self, Error> {
        Ok(Self::with(Options::built()?))
    }

    /// As [`WalletOptions::new`], with this browser.
    pub fn with(browser: Options) -> Self {
        Self {
            browser,
            phrase: PHRASE.to_owned(),
            password: PASSWORD.to_owned(),
            chains: vec![("Ethereum".to_owned(), 1)],
            pages: true,
            set_ethereum: true,
        }
    }

    /// Adds a chain with a node of its own, by the wallet's name and chain id.
    #[must_use]
    pub fn chain(mut self, name: &str, chain_id: u64) -> Self {
        self.chains.push((name.to_owned(), chain_id));
        self
    }
}

/// A wallet as a user of dapps has it: a vault that is unlocked and funded, open to web pages. Dropping it ends the browser
/// and the nodes.
///
/// No page of the wallet is open: its window opens by itself when a dapp asks for something, as it does for a user.
pub struct Wallet {
    browser: Browser,
    nodes: Vec<(String, Anvil)>,
    address: String,
    password: String,
}

impl Wallet {
    /// Starts Chromium with the built extension and a node for Ethereum, and makes the vault.
    pub async fn launch() -> Result<Self, Error> {
        Self::start(WalletOptions::new()?).await
    }

    /// Starts with these options.
    pub async fn start(options: WalletOptions) -> Result<Self, Error> {
        let mut nodes = Vec::new();
        for (name, chain_id) in &options.chains {
            nodes.push((name.clone(), Anvil::start(*chain_id).await?));
        }
        let browser = Browser::launch(options.browser.clone()).await?;
        let mut wallet = Self { browser, nodes, address: String::new(), password: options.password.clone() };
        wallet.address = wallet.prepare(&options).await?;
        Ok(wallet)
    }

    async fn prepare(&self, options: &WalletOptions) -> Result<String, Error> {
        let page = self.page().await?;
        // Before there is a vault, nothing asks for its password.
        let endpoint = |(name, node): &(String, Anvil)| (name.clone(), json!({ "url": node.url() }));
        let endpoints: serde_json::Map<_, _> = self.nodes.iter().map(endpoint).collect();
        let mode = if options.pages { "all" } else { "off" };
        let settings = json!({ "endpoints": endpoints,
            "pages": { "mode": mode, "setEthereum": options.set_ethereum } });
        ask(&page, "PATCH", "/api/settings", settings).await?;
        let vault = json!({ "kind": "local", "name": "Main", "password": options.password,
            "mnemonic": options.phrase, "passphrase": "" });
        ask(&page, "POST", "/api/vaults", vault).await?;
        let unlock = json!({ "password": options.password, "minutes": 60 });
        ask(&page, "POST", "/api/vaults/active/unlock", unlock).await?;
        let chains: Vec<Value> = options.chains.iter().map(|(name, _)| json!({ "chain": name })).collect();
        let add = json!({ "id": "chains", "type": "add_chain", "auto_execute": true,
            "params": { "chains": chains } });
        let added = ask(&page, "POST", "/api/actions", json!({ "actions": [add] })).await?;
        let address = added.pointer("/results/0/data/results/0/address").and_then(Value::as_str);
        let address = address.ok_or_else(|| Error::Input(format!("no address in {added}")))?.to_owned();
        page.close().await?;
        Ok(address)
    }

    /// The browser.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// The browser, to restart or crash it.
    pub fn browser_mut(&mut self) -> &mut Browser {
        &mut self.browser
    }

    /// The first chain's node: Ethereum, unless other chains were asked for.
    pub fn node(&self) -> Result<&Anvil, Error> {
        let first = self.nodes.first().map(|(_, node)| node);
        first.ok_or_else(|| Error::Input("the wallet was started without a chain".to_owned()))
    }

    /// The node of a chain, by the wallet's name.
    pub fn node_of(&self, chain: &str) -> Result<&Anvil, Error> {
        let found = self.nodes.iter().find(|(name, _)| name == chain).map(|(_, node)| node);
        found.ok_or_else(|| Error::Input(format!("{chain} was started without a node")))
    }

    /// The vault's account on the first chain; the same on every EVM chain.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Opens a dapp in a new tab, and waits until it can reach the wallet.
    pub async fn open_dapp(&self, url: &str) -> Result<Dapp, Error> {
        let dapp = Dapp::of(self.browser.open(url).await?);
        dapp.provider().await?;
        Ok(dapp)
    }

    /// Opens a page in a new tab that need not find a wallet.
    pub async fn open(&self, url: &str) -> Result<Dapp, Error> {
        Ok(Dapp::of(self.browser.open(url).await?))
    }

    /// The wallet's window, if it shows a prompt that was not answered yet.
    pub async fn asking(&self) -> Result<Option<Approval>, Error> {
        for window in self.browser.approvals().await? {
            // A window that closes itself meanwhile has nothing to ask.
            if window.is_asking().await.unwrap_or(false) {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// Waits for the wallet's window with a prompt that was not answered yet.
    pub async fn prompt(&self) -> Result<Approval, Error> {
        until("a prompt of the wallet", TIMEOUT, async || match self.asking().await? {
            Some(window) => Ok(window),
            None => Err(not_yet(format!("{} windows of the wallet, none that asks", self.windows().await?))),
        })
        .await
    }

    /// Waits for the next prompt and approves it by a click; types the password if the vault was locked.
    pub async fn approve(&self) -> Result<(), Error> {
        let window = self.prompt().await?;
        match self.approve_in(&window).await {
            // The user closed it, or it closed itself, before the press: the prompt is in the next window.
            Err(_) if window.url().await.is_err() => self.approve_in(&self.prompt().await?).await,
            pressed => pressed,
        }
    }

    /// Approves the prompt that a window of the wallet shows.
    pub async fn approve_in(&self, window: &Approval) -> Result<(), Error> {
        if window.asks_for_password().await? {
            window.answered("prompt-submit").await?;
            return window.give_password(&self.password, false).await;
        }
        window.answered("prompt-approve").await?;
        window.approve().await
    }

    /// Waits for the next prompt and rejects it by a click.
    pub async fn reject(&self) -> Result<(), Error> {
        let window = self.prompt().await?;
        match self.reject_in(&window).await {
            Err(_) if window.url().await.is_err() => self.reject_in(&self.prompt().await?).await,
            pressed => pressed,
        }
    }

    /// Rejects the prompt that a window of the wallet shows.
    pub async fn reject_in(&self, window: &Approval) -> Result<(), Error> {
        window.answered("prompt-reject").await?;
        window.reject(None).await
    }

    /// The number of windows that the wallet has opened and not closed.
    pub async fn windows(&self) -> Result<usize, Error> {
        Ok(self.browser.approvals().await?.len())
    }

    /// Stops the wallet's service worker, as the browser does when it likes. `false`: none was running.
    pub async fn kill_worker(&self) -> Result<bool, Error> {
        self.browser.kill_worker().await
    }

    /// A request to the wallet's own API, from a page that is closed again: see `docs/api.md`. A refusal is an error.
    pub async fn api(&self, method: &str, path: &str, body: Value) -> Result<Value, Error> {
        let page = self.page().await?;
        let answer = ask(&page, method, path, body).await;
        page.close().await?;
        answer
    }

    /// Sets an account's balance on the first chain, in wei.
    pub async fn fund(&self, address: &str, wei: u128) -> Result<(), Error> {
        Ok(self.node()?.set_balance(address, wei).await?)
    }

    /// Ends the connection of a page, as a user does in the settings.
    pub async fn revoke(&self, origin: &str) -> Result<(), Error> {
        let path = format!("/api/connections/{}", origin.replace(':', "%3A").replace('/', "%2F"));
        self.api("DELETE", &path, Value::Null).await.map(drop)
    }

    async fn page(&self) -> Result<Page, Error> {
        let page = self.browser.open(&self.browser.extension_url(QUIET_PAGE)).await?;
        page.controlled().await?;
        Ok(page)
    }
}

async fn ask(page: &Page, method: &str, path: &str, body: Value) -> Result<Value, Error> {
    let (status, answer) = page.fetch(method, path, (!body.is_null()).then_some(body)).await?;
    if (200..300).contains(&status) {
        return Ok(answer);
    }
    Err(Error::Answer { request: format!("{method} {path}"), status, body: answer.to_string() })
}
