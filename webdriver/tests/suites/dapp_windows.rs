//! An open prompt is where the user sees it: in the window that opens for it, or on a page of the wallet that is in sight.

use serde_json::{Value, json};
use webdriver::{Dapp, Options, Popup, Request, Site, TIMEOUT, Wallet, WalletOptions, not_yet, until};

/// The worker looks after a second whether a page still shows the prompt. Here it waits longer, however slow the machine is.
const LOOK_LATER: &str = "{
    const { setTimeout } = self;
    self.setTimeout = (work, millis) => setTimeout(work, millis === 1000 ? 8000 : millis);
    true }";

struct Fixture {
    wallet: Wallet,
    site: Site,
}

impl Fixture {
    async fn new() -> Self {
        let wallet = Wallet::start(WalletOptions::with(Options::from_env().unwrap())).await.unwrap();
        let site = Site::serve(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/dapps/hostile")).await.unwrap();
        Self { wallet, site }
    }

    async fn dapp(&self) -> Dapp {
        self.wallet.open_dapp(&self.site.url("index.html")).await.unwrap()
    }

    async fn connected(&self) -> Dapp {
        let dapp = self.dapp().await;
        let connects = dapp.begin("eth_requestAccounts", Value::Null).await.unwrap();
        self.wallet.approve().await.unwrap();
        connects.wait().await.unwrap();
        dapp
    }

    /// Asks for a signature.
    async fn signs(&self, dapp: &Dapp, message: &str) -> Request {
        dapp.begin("personal_sign", json!([message, self.wallet.address()])).await.unwrap()
    }

    /// Waits until the wallet has so many windows.
    async fn windows(&self, count: usize) {
        until("windows of the wallet", TIMEOUT, async || match self.wallet.windows().await? {
            found if found == count => Ok(()),
            found => Err(not_yet(found)),
        })
        .await
        .unwrap();
    }

    async fn window_says(&self, place: &str) {
        self.wallet.prompt().await.unwrap().says("prompt-place", place).await.unwrap();
    }
}

async fn sees_one_request(popup: &Popup) {
    popup.says("prompt-bar", "1 request waits for you").await.unwrap();
}

/// The window closes itself after its last answer. A prompt that comes as it goes has a window too.
#[tokio::test]
async fn prompt_as_the_window_closes() {
    let fixture = Fixture::new().await;
    let dapp = fixture.connected().await;
    for round in 0..4 {
        fixture.windows(0).await;
        let request = fixture.signs(&dapp, &format!("round {round}")).await;
        fixture.wallet.approve().await.unwrap();
        request.wait().await.unwrap();
    }
}

/// A window that the user closes is not opened again for its prompt, also not by the next worker. A new prompt opens one, which shows
/// both.
#[tokio::test]
async fn closed_window_stays_closed() {
    let fixture = Fixture::new().await;
    let dapp = fixture.connected().await;
    fixture.windows(0).await;
    let first = fixture.signs(&dapp, "first").await;
    fixture.wallet.prompt().await.unwrap().close().await.unwrap();
    assert!(fixture.wallet.kill_worker().await.unwrap(), "no worker was running");
    // The next worker has resumed what was open once its badge counts.
    fixture.wallet.api("GET", "/api/prompts", Value::Null).await.unwrap();
    until("the badge", TIMEOUT, async || {
        let badge = fixture.wallet.browser().evaluate_in_worker("chrome.action.getBadgeText({})").await?;
        if badge == "1" { Ok(()) } else { Err(not_yet(badge)) }
    })
    .await
    .unwrap();
    assert_eq!(fixture.wallet.windows().await.unwrap(), 0);
    let second = fixture.signs(&dapp, "second").await;
    fixture.window_says("1 of 2").await;
    fixture.wallet.approve().await.unwrap();
    fixture.window_says("2 of 2").await;
    fixture.wallet.approve().await.unwrap();
    first.wait().await.unwrap();
    second.wait().await.unwrap();
}

/// A worker that is killed before it has opened the window: the next one opens it.
#[tokio::test]
async fn next_worker_opens_the_window() {
    let fixture = Fixture::new().await;
    let dapp = fixture.connected().await;
    fixture.windows(0).await;
    let never = "chrome.windows.create = () => new Promise(() => { self.isAsked = true; }); true";
    fixture.wallet.browser().evaluate_in_worker(never).await.unwrap();
    let request = fixture.signs(&dapp, "killed").await;
    until("the window to be asked for", TIMEOUT, async || {
        let asked = fixture.wallet.browser().evaluate_in_worker("self.isAsked === true").await?;
        if asked == true { Ok(()) } else { Err(not_yet(asked)) }
    })
    .await
    .unwrap();
    assert!(fixture.wallet.kill_worker().await.unwrap(), "no worker was running");
    fixture.wallet.api("GET", "/api/prompts", Value::Null).await.unwrap();
    fixture.wallet.approve().await.unwrap();
    request.wait().await.unwrap();
}

/// A page of the wallet that is in sight shows the prompt; if the user closes it at once, a window opens. A page that is behind
/// another tab shows nothing.
#[tokio::test]
async fn page_of_the_wallet_in_and_out_of_sight() {
    let fixture = Fixture::new().await;
    let dapp = fixture.connected().await;
    fixture.windows(0).await;
    let popup = fixture.wallet.browser().popup().await.unwrap();
    fixture.wallet.browser().evaluate_in_worker(LOOK_LATER).await.unwrap();
    let request = fixture.signs(&dapp, "in sight").await;
    sees_one_request(&popup).await;
    assert_eq!(fixture.wallet.windows().await.unwrap(), 0);
    popup.close().await.unwrap();
    fixture.wallet.approve().await.unwrap();
    request.wait().await.unwrap();

    let popup = fixture.wallet.browser().popup().await.unwrap();
    let other = fixture.dapp().await;
    let request = fixture.signs(&other, "out of sight").await;
    fixture.wallet.approve().await.unwrap();
    request.wait().await.unwrap();
    popup.close().await.unwrap();
}
